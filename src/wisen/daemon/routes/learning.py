"""What was there before wisen: past sessions, one at a time, and the guides that people wrote."""

from __future__ import annotations

from typing import Annotated

import msgspec

from wisen.adapters.registry import adapter
from wisen.core.past import Learned
from wisen.core.types import Memory, Status
from wisen.daemon.routes.call import DEFAULT_HARNESS, Call, Handler, Reply, scope_of, where_of
from wisen.daemon.routes.system import peak_rss_mb
from wisen.engine.guide import Compared
from wisen.engine.learn import Wanted
from wisen.errors import Conflict, NotFound

_MOST_BESIDE = 100


class LearnBody(msgspec.Struct, frozen=True, kw_only=True):
    """Which session file to learn from; see `engine.learn.Wanted`. `batch` is '' in the first call of a run."""

    file: Annotated[str, msgspec.Meta(pattern="^/")]
    session_id: Annotated[str, msgspec.Meta(min_length=1)]
    cwd: str = ""
    beside: Annotated[tuple[str, ...], msgspec.Meta(max_length=_MOST_BESIDE)] = ()
    repo: str = ""
    batch: str = ""
    harness: str = DEFAULT_HARNESS


def learn(call: Call) -> Reply:
    """Learn from one session file; done when this answers."""
    body = call.body(LearnBody)
    adapter(body.harness)
    _refuse_while_off(call)
    batch = body.batch or call.wisen.ids.new_id()
    wanted = Wanted(
        harness=body.harness,
        path=body.file,
        session_id=body.session_id,
        cwd=body.cwd,
        beside=body.beside,
        repo=body.repo,
        batch=batch,
    )
    learned = call.services.worker.learn(wanted)
    return Reply(content={"batch": batch, "peak_rss_mb": peak_rss_mb(), **learned_view(learned)})


def _refuse_while_off(call: Call) -> None:
    if not call.wisen.settings.learn:
        raise Conflict("learning is switched off", hint="`wisen config set learn true` switches it on")
    if call.wisen.locator.is_paused("", call.wisen.clock.now()):
        raise Conflict("wisen is paused", hint="`wisen resume` ends the pause")


def learned_view(learned: Learned) -> dict[str, object]:
    """Return what came of a session as the wire has it."""
    return {
        "fate": learned.fate.value,
        "why": learned.why,
        "events": learned.events,
        "copies": learned.copies,
        "signals": learned.signals,
        "lines_skipped": learned.lines_skipped,
        "split": {said.value: count for said, count in learned.split.items()},
        "added": [_made(memory) for memory in learned.added],
        "reinforced": [_made(memory) for memory in learned.reinforced],
        "dropped": dict(learned.dropped),
        "stood_in": learned.stood_in,
        "later": learned.waits,
    }


def _made(memory: Memory) -> dict[str, object]:
    return {
        "short": memory.short_id,
        "graph": str(memory.graph),
        "title": memory.title,
        "text": memory.text,
        "status": memory.status.value,
    }


def guide(call: Call) -> Reply:
    """Compare what is remembered in a directory with the guides of its work tree; nothing of them is kept."""
    where = where_of(call)
    scope = scope_of(call, where)
    if scope.identity.write is None:
        raise NotFound(f"{where.cwd} is no repository with memories: {scope.identity.note}")
    statuses = frozenset({Status.ACTIVE, Status.PENDING_REVIEW})
    memories = call.wisen.inspect.memories((scope.identity.write,), statuses=statuses)
    said = call.wisen.guide.statements(where.cwd)
    compared = call.wisen.guide.compare(where.cwd, memories)
    return Reply(
        content={
            "files": list(dict.fromkeys(statement.file for statement in said)),
            "statements": len(said),
            "memories": [_compared(one) for one in compared],
        }
    )


def _compared(one: Compared) -> dict[str, object]:
    found = one.match
    return {
        **_made(one.memory),
        "stance": found.stance.value if found else "",
        "file": found.statement.file if found else "",
        "line": found.statement.line if found else 0,
        "says": found.statement.text if found else "",
    }


ROUTES: list[tuple[str, str, Handler]] = [
    ("POST", "/v1/learn", learn),
    ("GET", "/v1/guide", guide),
]

"""What is done to memories that are there, one or several at once: deeds, review, journal, undo."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, assert_never

import msgspec

from wisen.core.records import Actor
from wisen.core.repetition import is_repeated
from wisen.core.types import GraphId, Status
from wisen.daemon.routes.agents import refuse_agent, seen, veiled
from wisen.daemon.routes.call import Call, Handler, Reply, Where, scope_of, where_of
from wisen.daemon.routes.memories import meant, reachable, target, what_is_gone
from wisen.daemon.views import done_view, entry_view, step_view
from wisen.engine.deeds import Accept, Deed, Forget, Pin, Reject, Restore, Snooze
from wisen.errors import Conflict, InvalidValue, NotFound

Verb = Literal["forget", "pin", "unpin", "snooze", "wake", "restore", "accept", "reject"]
# What an agent may do in its user's name: put away, which the user can see and undo.
_OPEN_TO_AGENTS = frozenset({"forget", "reject"})


class DeedBody(Where, frozen=True, kw_only=True):
    """What to do to which memories; `until` is for a snooze, `reason` for a forgetting."""

    do: Verb
    refs: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=1000)]
    until: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    reason: str = ""


class ReviewBody(Where, frozen=True, kw_only=True):
    """The user's word on a memory that waits."""

    action: str
    text: str | None = None


class UndoBody(Where, frozen=True, kw_only=True):
    """Which change to take back, or which batch of them."""

    seq: int = 0
    batch: str = ""


def do(call: Call) -> Reply:
    """Do one thing to memories, to all of them or none; the answer never holds their texts."""
    body = call.body(DeedBody)
    if body.do not in _OPEN_TO_AGENTS:
        refuse_agent(call, f"{body.do} a memory")
    targets = [_found(call, ref, body) for ref in body.refs]
    actor = Actor.AGENT if call.is_by_agent else Actor.USER
    done = call.wisen.curate.do(_deed(body), targets, actor=actor)
    batch = next((one.entry.batch for one in done if one.entry), "")
    return Reply(content={"batch": batch, "done": [done_view(one) for one in done]})


def _deed(body: DeedBody) -> Deed:
    match body.do:
        case "forget":
            return Forget(reason=body.reason)
        case "pin" | "unpin":
            return Pin(pinned=body.do == "pin")
        case "snooze":
            if body.until is None:
                raise InvalidValue("until when?", hint="until is a time with its zone: 2026-12-24T00:00:00+01:00")
            return Snooze(until=body.until)
        case "wake":
            return Snooze(until=None)
        case "restore":
            return Restore()
        case "accept":
            return Accept()
        case "reject":
            return Reject()
        case _:
            assert_never(body.do)


def _found(call: Call, ref: str, where: Where) -> tuple[GraphId, str]:
    """Return where the memory is that a reference means, and its id. Raises Conflict for one that was erased."""
    try:
        memory = meant(call, ref, where)
    except NotFound as error:
        gone = what_is_gone(call, ref, scope_of(call, where))
        if gone is None:
            raise
        raise Conflict(gone.message, hint=gone.hint) from error
    return memory.graph, memory.memory_id


def waiting(call: Call) -> Reply:
    """List what waits for the user's word, and what was said again although it had been recalled."""
    where = where_of(call)
    scope = scope_of(call, where)
    graphs = reachable(call, scope) if call.query.get("all") else scope.graphs
    found = call.wisen.curate.waiting(graphs)
    active = call.wisen.inspect.memories(graphs, statuses=frozenset({Status.ACTIVE}))
    again = [memory for memory in active if is_repeated(memory)]
    return Reply(
        content={
            "memories": [seen(call, memory) for memory in found],
            "repeated": [seen(call, memory) for memory in again],
        }
    )


def review(call: Call) -> Reply:
    """Accept, reject or reword what waits."""
    body = call.body(ReviewBody)
    if body.action != "reject":
        refuse_agent(call, "accept what waits for its user")
    memory = meant(call, call.path["ref"], body)
    curate = call.wisen.curate
    match body.action:
        case "accept" | "edit":
            if body.action == "edit" and body.text is None:
                raise InvalidValue("edit needs a text")
            done = curate.accept(memory.graph, memory.memory_id, text=body.text)
        case "reject":
            done = curate.reject(memory.graph, memory.memory_id)
        case _:
            raise InvalidValue(f"action is {body.action!r}", hint="one of: accept, reject, edit")
    return Reply(content={"memory": seen(call, done)})


def journal(call: Call) -> Reply:
    """List changes, newest first: of a place, or of one batch. An agent is shown no texts."""
    scope = scope_of(call, where_of(call))
    limit = call.number("limit", 50)
    if ref := call.query.get("batch", ""):
        found = call.wisen.curate.batch(ref, scope.graphs, reachable(call, scope))
    else:
        found = [(graph, entry) for graph in scope.graphs for entry in call.wisen.inspect.journal(graph, limit=limit)]
    newest = sorted(found, key=lambda pair: pair[1].at, reverse=True)[:limit]
    views = [entry_view(entry, graph) for graph, entry in newest]
    return Reply(content={"entries": [veiled(view) for view in views] if call.is_by_agent else views})


def undo(call: Call) -> Reply:
    """Take a change back; or all of a batch that can be, with the reasons for the rest."""
    body = call.body(UndoBody)
    if bool(body.seq) == bool(body.batch):
        raise InvalidValue("say which change or which batch", hint="seq of one change, or batch of several")
    if body.batch:
        scope = scope_of(call, body)
        undone = call.wisen.curate.undo_batch(body.batch, scope.graphs, reachable(call, scope))
        steps = [step_view(step) for step in undone.steps]
        return Reply(content={"batch": undone.batch, "undo": undone.undo, "steps": steps})
    graph = target(call, body, everywhere=False)
    return Reply(content={"entry": entry_view(call.wisen.curate.undo(graph, body.seq), graph)})


ROUTES: list[tuple[str, str, Handler]] = [
    ("POST", "/v1/deeds", do),
    ("GET", "/v1/review", waiting),
    ("POST", "/v1/review/{ref}", review),
    ("GET", "/v1/journal", journal),
    ("POST", "/v1/undo", undo),
]

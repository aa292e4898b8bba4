"""The five tools that an agent has over MCP. Each calls the route that the command line calls, marked as an agent's.

A client may show a model the structured content and not the text beside it (Claude Code does), so what memories say
stands inside the fence in both. What the user has switched off is off here, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from wisen import __version__
from wisen.core.plain import source_in_words, status_in_words
from wisen.core.render import fenced
from wisen.core.types import Status
from wisen.daemon.mcp_shapes import (
    MOST,
    ForgetArguments,
    Kept,
    PutAway,
    RecallArguments,
    RememberArguments,
    Shape,
    Stands,
    StatusArguments,
    Told,
    WhyArguments,
    schema_of,
    taken,
)
from wisen.daemon.routes import changes, memories, recalls, repos
from wisen.daemon.routes.agents import guarded
from wisen.daemon.routes.call import DEFAULT_HARNESS, EXCLUDED, Call, Where, scope_of
from wisen.daemon.routes.system import of_the_daemon
from wisen.errors import Refused, WisenError

View = dict[str, Any]

_ROUTES: Final = {
    f"{method} {path}": guarded(f"{method} {path}", handler)
    for family in (changes, memories, recalls, repos)
    for method, path, handler in family.ROUTES
}
_OFF_HINT: Final = "only your user can change that"


# --- the tools --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: what it tells the model, what it takes and gives, and what runs it."""

    title: str
    description: str
    takes: type[Shape]
    gives: type[Shape]
    run: Callable[[Toolbox, Any], tuple[Shape, Sequence[str]]]
    is_read_only: bool = True
    is_destructive: bool = False
    is_idempotent: bool = True

    def listed(self, name: str) -> View:
        """Return the tool as `tools/list` tells of it."""
        return {
            "name": name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.takes),
            "outputSchema": schema_of(self.gives),
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.is_read_only,
                "destructiveHint": self.is_destructive,
                "idempotentHint": self.is_idempotent,
                "openWorldHint": False,
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an agent works: its harness, its directory, and its session if the relay knows it."""

    harness: str
    cwd: str
    session: str

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Place:
        """Return the place that a relay names. A directory's name need not be UTF-8: its bytes come percent-encoded."""
        return cls(
            harness=unquote(headers.get("x-wisen-harness", "")) or DEFAULT_HARNESS,
            cwd=unquote(headers.get("x-wisen-cwd", ""), errors="surrogateescape"),
            session=unquote(headers.get("x-wisen-session", "")),
        )


class Toolbox:
    """The tools over one call."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.place = Place.of(call.headers)

    def listed(self) -> Sequence[View]:
        """Return every tool as `tools/list` tells of it."""
        return _listed()

    def called(self, name: str, arguments: Mapping[str, object]) -> View | None:
        """Return what a tool gives; its failures are told to the model, which may do better. None for no such tool."""
        tool = TOOLS.get(name)
        if tool is None:
            return None
        try:
            given, lines = tool.run(self, taken(arguments, tool.takes))
        except WisenError as error:
            text = f"{error.code}: {error.message}" + (f" ({error.hint})" if error.hint else "")
            return {"content": [{"type": "text", "text": text}], "isError": True}
        text = "\n".join(line for line in lines if line)
        return {
            "content": [{"type": "text", "text": text}],
            "structuredContent": msgspec.to_builtins(given),
            "isError": False,
        }

    def ask(self, route: str, body: Mapping[str, object] | None = None, *, ref: str = "", **query: str) -> View:
        """Return what a route answers to an agent in this place. Raises as the route, and as its table of leave."""
        place = {"harness": self.place.harness, "cwd": self.place.cwd}
        # `json` and not msgspec: a directory whose name is no UTF-8 goes as lone surrogates.
        raw = b"" if body is None else json.dumps({**place, **body, "by_agent": True}).encode()
        asked = {**place, **query, "by_agent": "1"} if body is None else {}
        call = replace(self.call, path={"ref": ref} if ref else {}, query=asked, headers={}, raw=raw, ear=None)
        content = _ROUTES[route](call).content
        assert isinstance(content, dict)  # noqa: S101 - as all of these routes answer
        return content

    def fence(self, lines: Sequence[str]) -> str:
        """Return what memories say as data."""
        return fenced(lines, nonce=self.call.wisen.ids.nonce(), trigger="tool")

    def refuse_if_off(self, *, switch: bool, what: str) -> None:
        """Raise Refused where the user wants wisen to do nothing."""
        if reason := self.why_off(switch=switch, what=what):
            raise Refused(reason, hint=_OFF_HINT)

    def why_off(self, *, switch: bool, what: str) -> str:
        """Return why nothing is recalled or kept here: excluded, paused, or off by a setting; '' where it is."""
        wisen, cwd = self.call.wisen, self.place.cwd
        if cwd and wisen.locator.is_excluded(cwd):
            return EXCLUDED
        if wisen.locator.is_paused(cwd, wisen.clock.now()):
            return "wisen is paused here: nothing is learned or recalled"
        if self.call.services.in_force.problems:
            return "the settings can't be read: nothing is learned or recalled until that is mended"
        return "" if switch else f"{what} is off by the settings"


def _recall(box: Toolbox, given: RecallArguments) -> tuple[Told, Sequence[str]]:
    box.refuse_if_off(switch=box.call.wisen.settings.recall, what="recall")
    found = box.ask("POST /v1/recall", {"query": given.query, "most": given.limit})
    note = "; ".join(
        part for part in ("" if found["block"] else "nothing is remembered that fits", found["degraded"]) if part
    )
    told = Told(block=found["block"], note=note)
    return told, (told.block, told.note)


def _remember(box: Toolbox, given: RememberArguments) -> tuple[Kept, Sequence[str]]:
    box.refuse_if_off(switch=box.call.wisen.settings.learn, what="learning")
    body = {"text": given.text, "everywhere": given.everywhere, "session": box.place.session}
    answer = box.ask("POST /v1/memories", body)
    memory = answer["memory"]
    standing = status_in_words(memory["status"])
    kept = Kept(
        id=memory["short"], standing=standing, new=answer["new"], note=_of_kept(memory["status"], new=answer["new"])
    )
    return kept, (f"{kept.id}: {kept.standing}", kept.note)


def _of_kept(status: str, *, new: bool) -> str:
    known = "" if new else "it was known already; "
    if status == Status.ACTIVE:
        return f"{known}later sessions are given it"
    if status == Status.PENDING_REVIEW:
        return f"{known}the user has not said so in this session, so it waits: `wisen review` shows it to them"
    return f"{known}the user put it away, and only they bring it back"


def _forget(box: Toolbox, given: ForgetArguments) -> tuple[PutAway, Sequence[str]]:
    answer = box.ask("POST /v1/memories/{ref}/forget", {"reason": given.reason}, ref=given.id)
    away = PutAway(id=answer["short"], note=f"`wisen restore {answer['short']}` brings it back; that is for the user")
    return away, (f"{away.id}: forgotten", away.note)


def _why(box: Toolbox, given: WhyArguments) -> tuple[Told, Sequence[str]]:
    told = _why_memory(box, given.id) if given.id else _why_latest(box)
    return told, (told.block, told.note)


def _why_memory(box: Toolbox, ref: str) -> Told:
    answer = box.ask("GET /v1/memories/{ref}", ref=ref)
    memory = answer["memory"]
    said = [(f"- [{memory['short']}] ", "text"), ("why: ", "why"), ("how to apply: ", "how_to_apply")]
    lines = [f"{label}{memory[name]}" for label, name in said if memory[name]]
    facts = [
        status_in_words(memory["status"]),
        f"from {source_in_words(memory['source'])}" if memory["source"] else "",
        f"confidence {memory['confidence']:.2f}",
        f"seen {memory['support']} times",
        f"since {memory['created_at'][:10]}",
        "pinned" if memory["pinned"] else "",
    ]
    note = f"{memory['short']}: {', '.join(fact for fact in facts if fact)}"
    return Told(block=box.fence(lines), note=note)


def _why_latest(box: Toolbox) -> Told:
    receipts = box.ask("GET /v1/receipts", session=box.place.session, limit="1")["receipts"]
    if not receipts and box.place.session:
        receipts = box.ask("GET /v1/receipts", limit="1")["receipts"]
    if not receipts:
        return Told(block="", note="nothing was recalled here yet")
    (latest,) = receipts
    lines = [
        f"- [{item['short']}] {item['text']} ({'; '.join(item['reasons'])})" for item in latest["shown"] if item["text"]
    ]
    out = [
        f"- left out [{item['short']}] {item['text']} ({item['reason']})" for item in latest["left_out"] if item["text"]
    ]
    note = f"{latest['trigger']} at {latest['at']}: {len(latest['shown'])} given, {len(latest['left_out'])} left out"
    return Told(block=box.fence([*lines, *out[:MOST]]), note=note)


def _status(box: Toolbox, given: StatusArguments) -> tuple[Stands, Sequence[str]]:  # noqa: ARG001 - every tool takes some
    call, settings = box.call, box.call.wisen.settings
    scope = scope_of(call, Where(cwd=box.place.cwd, harness=box.place.harness))
    stores = [store for graph in scope.graphs if (store := call.wisen.graphs.existing(graph)) is not None]
    counted = [store.stats().by_status for store in stores]
    why = box.why_off(switch=True, what="")
    stands = Stands(
        version=__version__,
        repository=str(scope.identity.write or ""),
        recall=settings.recall and not why,
        learn=settings.learn and not why,
        active=sum(by.get(Status.ACTIVE.value, 0) for by in counted),
        waiting=sum(by.get(Status.PENDING_REVIEW.value, 0) for by in counted),
        problems=tuple(str(trouble["what"]) for trouble in of_the_daemon(call)),
        note=why or scope.identity.note,
    )
    words = [f"recall {'on' if stands.recall else 'off'}", f"learning {'on' if stands.learn else 'off'}"]
    counts = f"{stands.active} active, {stands.waiting} waiting for review"
    return stands, (
        f"wisen {__version__}: {', '.join(words)}",
        f"{stands.repository or 'no repository'}: {counts}",
        stands.note,
        *stands.problems,
    )


TOOLS: Final[Mapping[str, Tool]] = {
    "recall": Tool(
        title="Recall memories",
        description="Look up what is remembered of this repository and its user: rules, what mended a failure, places.",
        takes=RecallArguments,
        gives=Told,
        run=_recall,
    ),
    "remember": Tool(
        title="Remember",
        description=(
            "Keep what the user asked to remember. What they typed in this session becomes active; anything else waits "
            "for their review."
        ),
        takes=RememberArguments,
        gives=Kept,
        run=_remember,
        is_read_only=False,
    ),
    "forget": Tool(
        title="Forget a memory",
        description="Put one memory away when the user asks for it. They can bring it back.",
        takes=ForgetArguments,
        gives=PutAway,
        run=_forget,
        is_read_only=False,
        is_destructive=True,
    ),
    "why": Tool(
        title="Explain a memory",
        description="Where a memory comes from and how sure it is; without an id, what the latest recall gave.",
        takes=WhyArguments,
        gives=Told,
        run=_why,
    ),
    "status": Tool(
        title="Memory status",
        description="Whether wisen learns and recalls here, and how many memories there are.",
        takes=StatusArguments,
        gives=Stands,
        run=_status,
    ),
}


@cache
def _listed() -> Sequence[View]:
    return tuple(tool.listed(name) for name, tool in TOOLS.items())

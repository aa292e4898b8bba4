"""Memories: list, show, remember, edit, forget, review, journal, undo."""

from __future__ import annotations

from typing import Annotated

import msgspec

from wisen.core.records import Actor, Standing
from wisen.core.types import GraphId, Memory, MemoryKind, Origin, Source, Status
from wisen.daemon.routes.call import EXCLUDED, Call, Handler, Reply, Scope, Where, scope_of, where_of
from wisen.daemon.views import entry_view, identity_view, memory_view
from wisen.engine.curate import Draft, Edit
from wisen.errors import Conflict, InvalidValue, NotFound, Refused, StoreDamaged

_ALL_STATUSES = frozenset(Status)
WHOLE_ID_DIGITS = 32


class RememberBody(Where, frozen=True, kw_only=True):
    """A memory as the user words it, and where it belongs."""

    text: str
    everywhere: bool = False
    kind: MemoryKind = MemoryKind.SEMANTIC
    title: str = ""
    tags: tuple[str, ...] = ()
    source: Source | None = Source.EXPLICIT
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    by_agent: bool = False


class ForgetBody(Where, frozen=True, kw_only=True):
    """Put away, or erase."""

    purge: bool = False
    reason: str = ""
    by_agent: bool = False


class EditBody(Where, frozen=True, kw_only=True):
    """What to change; what is not named stays."""

    text: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None
    by_agent: bool = False


class ReviewBody(Where, frozen=True, kw_only=True):
    """The user's word on a memory that waits."""

    action: str
    text: str | None = None
    by_agent: bool = False


class UndoBody(Where, frozen=True, kw_only=True):
    """Which change to take back."""

    seq: int
    by_agent: bool = False


def list_memories(call: Call) -> Reply:
    """List memories of a place, by status."""
    scope = scope_of(call, where_of(call))
    found = call.wisen.inspect.memories(
        scope.graphs, statuses=_statuses(call.query.get("status", "active")), limit=call.number("limit", 200)
    )
    return Reply(content={"repo": identity_view(scope.identity), "memories": [memory_view(m) for m in found]})


def _statuses(text: str) -> frozenset[Status]:
    if text == "all":
        return _ALL_STATUSES
    try:
        return frozenset(Status(part) for part in text.split(","))
    except ValueError as error:
        known = ", ".join(status.value for status in Status)
        raise InvalidValue(f"no such status: {text}", hint=f"one of: all, {known}") from error


def remember(call: Call) -> Reply:
    """Store what the user asserts."""
    body = call.body(RememberBody)
    graph = _target(call, body, everywhere=body.everywhere)
    memory, new = call.wisen.curate.remember(
        graph,
        Draft(
            text=body.text,
            kind=body.kind,
            title=body.title,
            tags=body.tags,
            source=body.source,
            confidence=body.confidence,
            origin=Origin.ASSISTANT_INFERRED if body.by_agent else Origin.USER_TYPED,
        ),
    )
    return Reply(content={"memory": memory_view(memory), "new": new}, status=201)


def _target(call: Call, where: Where, *, everywhere: bool) -> GraphId:
    scope = scope_of(call, where)
    if everywhere:
        return call.wisen.locator.user_graph(where.harness)
    if scope.identity.write is not None:
        return scope.identity.write
    if scope.identity.standing is Standing.PENDING:
        raise Conflict(
            f"which repository this is isn't known yet: {scope.identity.note or where.cwd}",
            hint="`wisen repo` shows what is missing; try again in a moment",
        )
    if scope.identity.note == EXCLUDED:
        raise Conflict(f"{where.cwd} is excluded", hint="`wisen config get exclude` shows what else is")
    raise Conflict(
        f"{where.cwd or 'no directory'} is no repository",
        hint="go into a repository, or store it for all of them with --everywhere",
    )


def show(call: Call) -> Reply:
    """Show one memory and its journal."""
    memory = _meant(call, where_of(call))
    journal = call.wisen.inspect.journal(memory.graph, memory_id=memory.memory_id)
    entries = [entry_view(entry, memory.graph) for entry in journal]
    return Reply(content={"memory": memory_view(memory), "journal": entries})


def _meant(call: Call, where: Where) -> Memory:
    """Return the memory a reference means in the place it was said; elsewhere only a whole id names one."""
    return call.wisen.inspect.resolve(call.path["ref"], _meant_graphs(call, where))


def _erasable(call: Call, where: Where) -> tuple[GraphId, str]:
    """Return what a reference means to one who wants it gone: also what is damaged, or erased but for its old bytes."""
    try:
        memory = _meant(call, where)
    except (NotFound, StoreDamaged):
        return call.wisen.inspect.graph_of(call.path["ref"], _meant_graphs(call, where))
    return memory.graph, memory.memory_id


def _meant_graphs(call: Call, where: Where) -> tuple[GraphId, ...]:
    scope = scope_of(call, where)
    is_whole = len(call.path["ref"].replace("-", "")) == WHOLE_ID_DIGITS
    return _reachable(call, scope) if is_whole else scope.graphs


def _reachable(call: Call, scope: Scope) -> tuple[GraphId, ...]:
    """Return the place's own graphs, then all others of the harness."""
    others = tuple(graph for graph in call.wisen.graphs.graphs() if graph.harness == scope.harness)
    return tuple(dict.fromkeys([*scope.graphs, *others]))


def _refuse_agent(*, by_agent: bool, what: str) -> None:
    """Raise Refused: an agent may ask to remember and put away, which its user can see and undo, and no more."""
    if by_agent:
        raise Refused(f"an agent may not {what}", hint="run it in a terminal of your own")


def edit(call: Call) -> Reply:
    """Change a memory's words or pin it."""
    body = call.body(EditBody)
    _refuse_agent(by_agent=body.by_agent, what="reword or pin a memory")
    memory = _meant(call, body)
    change = Edit(text=body.text, title=body.title, tags=body.tags, pinned=body.pinned)
    return Reply(content={"memory": memory_view(call.wisen.curate.edit(memory.graph, memory.memory_id, change))})


def forget(call: Call) -> Reply:
    """Put a memory away or erase it; the answer never holds its text."""
    body = call.body(ForgetBody)
    if body.purge:
        _refuse_agent(by_agent=body.by_agent, what="erase a memory for good")
    if body.purge:
        graph, memory_id = _erasable(call, body)
    else:
        memory = _meant(call, body)
        graph, memory_id = memory.graph, memory.memory_id
    entry = call.wisen.curate.forget(
        graph, memory_id, reason=body.reason, purge=body.purge, actor=Actor.AGENT if body.by_agent else Actor.USER
    )
    view = entry_view(entry, graph, with_text=False) if entry else None
    return Reply(content={"memory_id": memory_id, "short": memory_id.replace("-", "")[-8:], "entry": view})


def waiting(call: Call) -> Reply:
    """List what waits for the user's word."""
    where = where_of(call)
    scope = scope_of(call, where)
    graphs = _reachable(call, scope) if call.query.get("all") else scope.graphs
    return Reply(content={"memories": [memory_view(m) for m in call.wisen.curate.waiting(graphs)]})


def review(call: Call) -> Reply:
    """Accept, reject or reword what waits."""
    body = call.body(ReviewBody)
    if body.action != "reject":
        _refuse_agent(by_agent=body.by_agent, what="accept what waits for its user")
    memory = _meant(call, body)
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
    return Reply(content={"memory": memory_view(done)})


def journal(call: Call) -> Reply:
    """List changes, newest first."""
    scope = scope_of(call, where_of(call))
    limit = call.number("limit", 50)
    entries = [
        (entry.at, entry_view(entry, graph))
        for graph in scope.graphs
        for entry in call.wisen.inspect.journal(graph, limit=limit)
    ]
    newest = sorted(entries, key=lambda pair: pair[0], reverse=True)[:limit]
    return Reply(content={"entries": [view for _, view in newest]})


def undo(call: Call) -> Reply:
    """Take a change back."""
    body = call.body(UndoBody)
    _refuse_agent(by_agent=body.by_agent, what="take a change back")
    graph = _target(call, body, everywhere=False)
    return Reply(content={"entry": entry_view(call.wisen.curate.undo(graph, body.seq), graph)})


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/memories", list_memories),
    ("POST", "/v1/memories", remember),
    ("GET", "/v1/memories/{ref}", show),
    ("POST", "/v1/memories/{ref}/edit", edit),
    ("POST", "/v1/memories/{ref}/forget", forget),
    ("GET", "/v1/review", waiting),
    ("POST", "/v1/review/{ref}", review),
    ("GET", "/v1/journal", journal),
    ("POST", "/v1/undo", undo),
]

"""Memories: list, show, remember, edit, forget one or erase it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated

import msgspec

from wisen.core import shortids
from wisen.core.nearness import near_graphs
from wisen.core.records import Actor, Standing
from wisen.core.types import GraphId, Memory, MemoryKind, Origin, Source, Status
from wisen.daemon.routes.agents import refuse_agent, seen, veiled
from wisen.daemon.routes.call import EXCLUDED, Call, Handler, Reply, Scope, Where, scope_of, where_of
from wisen.daemon.views import View, entry_view, identity_view, memory_view
from wisen.engine.curate import Draft, Edit
from wisen.engine.deeds import Done
from wisen.engine.grounding import said_by_user
from wisen.engine.locate import EXCLUDE_HINT, excluded_graph
from wisen.errors import Conflict, InvalidValue, NotFound, Refused, StoreDamaged

_ALL_STATUSES = frozenset(Status)
_ACTIVE = frozenset({Status.ACTIVE})
VIEWS = {"active": _ACTIVE, "inactive": _ALL_STATUSES - _ACTIVE, "all": _ALL_STATUSES}


class RememberBody(Where, frozen=True, kw_only=True):
    """A memory as the user words it, and where it belongs. `session`: in which an agent was told it."""

    text: str
    everywhere: bool = False
    kind: MemoryKind = MemoryKind.SEMANTIC
    title: str = ""
    tags: tuple[str, ...] = ()
    source: Source | None = Source.EXPLICIT
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    session: str = ""


class ForgetBody(Where, frozen=True, kw_only=True):
    """Put away, or erase."""

    purge: bool = False
    reason: str = ""


class EditBody(Where, frozen=True, kw_only=True):
    """What to change; what is not named stays."""

    text: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    why: str | None = None
    how_to_apply: str | None = None
    pinned: bool | None = None


def list_memories(call: Call) -> Reply:
    """List memories of a place: by status, or by whether they are active.

    Where nothing is found and `near` is asked for, the graphs with nearly the same name are named, and nothing of them.
    """
    scope = scope_of(call, where_of(call))
    found = call.wisen.inspect.memories(scope.graphs, statuses=_statuses(call.query), limit=call.number("limit", 200))
    near = near_names(call, scope) if call.query.get("near") and not found else []
    views = [seen(call, memory) for memory in found]
    unread = call.wisen.inspect.unread(scope.graphs)
    return Reply(content={"repo": identity_view(scope.identity), "memories": views, "near": near, "unread": unread})


def _statuses(query: Mapping[str, str]) -> frozenset[Status]:
    view, text = query.get("view", ""), query.get("status", "")
    if view and text:
        raise InvalidValue("say either which view or which status", hint="view=inactive, or status=forgotten")
    if view:
        if view not in VIEWS:
            raise InvalidValue(f"no such view: {view}", hint=f"one of: {', '.join(VIEWS)}")
        return VIEWS[view]
    if text == "all":
        return _ALL_STATUSES
    try:
        return frozenset(Status(part) for part in (text or Status.ACTIVE).split(","))
    except ValueError as error:
        known = ", ".join(status.value for status in Status)
        raise InvalidValue(f"no such status: {text}", hint=f"one of: all, {known}") from error


def remember(call: Call) -> Reply:
    """Store what the user asserts. An agent's word waits for them, unless they said so in its session."""
    body = call.body(RememberBody)
    graph, draft = _said(call, body) or (target(call, body, everywhere=body.everywhere), _draft(call, body))
    done = call.wisen.curate.remember(graph, draft)
    is_new = done.entry is not None and done.entry.action == "add"
    view = memory_view(done.memory) if is_new else seen(call, done.memory)
    return Reply(content={"memory": view, "new": is_new, "entry": _entry(done)}, status=201)


def _draft(call: Call, body: RememberBody) -> Draft:
    return Draft(
        text=body.text,
        kind=body.kind,
        title=body.title,
        tags=body.tags,
        source=body.source,
        confidence=body.confidence,
        origin=Origin.ASSISTANT_INFERRED if call.is_by_agent else Origin.USER_TYPED,
        by_agent=call.is_by_agent,
    )


def _said(call: Call, body: RememberBody) -> tuple[GraphId, Draft] | None:
    """Return what the user said in the agent's session and means the same, in their words; None if they did not."""
    if not (call.is_by_agent and body.session):
        return None
    identity = scope_of(call, body).identity
    wisen = call.wisen
    found = said_by_user(
        body.text,
        harness=body.harness,
        session_id=body.session,
        identity=identity,
        inspect=wisen.inspect,
        promote=wisen.promote,
    )
    if found is None:
        return None
    said = found.signal
    draft = Draft(text=said.rule, kind=said.kind, source=said.source, evidence=said.evidence, by_agent=True)
    return found.graph, draft


def _entry(done: Done) -> View | None:
    """Return the change that was made, without texts: the memory says what it says now."""
    return entry_view(done.entry, done.memory.graph, with_text=False) if done.entry else None


def target(call: Call, where: Where, *, everywhere: bool) -> GraphId:
    """Return the graph that a change of a place goes into. Raises Conflict where there is none."""
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
    """Show one memory and its journal. An agent is not shown what a memory said before."""
    memory = meant(call, call.path["ref"], where_of(call))
    journal = call.wisen.inspect.journal(memory.graph, memory_id=memory.memory_id)
    entries = [entry_view(entry, memory.graph) for entry in journal]
    if call.is_by_agent:
        entries = [veiled(entry) for entry in entries]
    return Reply(content={"memory": seen(call, memory), "journal": entries})


def meant(call: Call, ref: str, where: Where) -> Memory:
    """Return the memory a reference means in the place it was said: a whole id names none of another place either.

    Raises NotFound, which says what became of it or where a whole id belongs; Refused for one in the graph of an
    excluded directory.
    """
    scope = scope_of(call, where)
    try:
        return call.wisen.inspect.resolve(ref, scope.graphs)
    except NotFound as error:
        if gone := what_is_gone(call, ref, scope):
            raise gone from None
        if not shortids.is_whole(ref):
            raise
        for graph in _belongs(call, ref, _hidden(call, where.harness)):
            raise Refused(excluded_graph(graph), hint=EXCLUDE_HINT) from None
        for graph in _belongs(call, ref, reachable(call, scope)):
            raise NotFound(error.message, hint=f"it is of another place: add --graph {graph}") from None
        raise


def what_is_gone(call: Call, ref: str, scope: Scope) -> NotFound | None:
    """Return how to tell of a memory of which a place has changes alone: erased for good, or lost; None for another."""
    try:
        graph, memory_id = call.wisen.inspect.graph_of(ref, scope.graphs)
    except (NotFound, Conflict):
        return None
    short = shortids.short(memory_id)
    if any(entry.after for entry in call.wisen.inspect.journal(graph, memory_id=memory_id)):
        lost = f"memory {short} is lost, though nobody erased it; `wisen log` has what it said"
        return NotFound(lost, hint="`wisen doctor` says what helps")
    erased = f"memory {short} was erased for good: its text is gone, nothing can be done with it"
    return NotFound(erased, hint="`wisen remember TEXT` says it anew")


def _belongs(call: Call, ref: str, graphs: Sequence[GraphId]) -> Iterator[GraphId]:
    with suppress(NotFound):
        yield call.wisen.inspect.graph_of(ref, graphs)[0]


def _erasable(call: Call, where: Where) -> tuple[GraphId, str]:
    """Return what a reference means to one who wants it gone: also what is damaged, or erased but for its old bytes."""
    ref = call.path["ref"]
    graphs = scope_of(call, where, even_excluded=True).graphs
    with suppress(NotFound, StoreDamaged):
        memory = call.wisen.inspect.resolve(ref, graphs)
        return memory.graph, memory.memory_id
    with suppress(NotFound):
        return call.wisen.inspect.graph_of(ref, graphs)
    for graph in _belongs(call, ref, _hidden(call, where.harness)) if shortids.is_whole(ref) else ():
        hint = f"it is of a directory that you excluded: add --graph {graph}"
        raise NotFound(f"no memory {ref!r} here", hint=hint)
    memory = meant(call, ref, where)  # which is not here: it says why
    return memory.graph, memory.memory_id


def reachable(call: Call, scope: Scope) -> tuple[GraphId, ...]:
    """Return the place's own graphs, then all others of the harness but those of excluded directories."""
    hidden = call.wisen.locator.excluded_graphs()
    others = (g for g in call.wisen.graphs.graphs() if g.harness == scope.harness and str(g) not in hidden)
    return tuple(dict.fromkeys([*scope.graphs, *others]))


def _hidden(call: Call, harness: str) -> tuple[GraphId, ...]:
    """Return the graphs of a harness that are known from excluded directories alone."""
    hidden = call.wisen.locator.excluded_graphs()
    return tuple(graph for graph in call.wisen.graphs.graphs() if graph.harness == harness and str(graph) in hidden)


def near_names(call: Call, scope: Scope) -> list[str]:
    """Return the graphs named nearly as the place's own; for a caller who asks for them, because names tell too."""
    wanted = scope.identity.write
    hidden = call.wisen.locator.excluded_graphs() if wanted else ()
    near = near_graphs(wanted, call.wisen.graphs.graphs()) if wanted else ()
    return [str(graph) for graph in near if str(graph) not in hidden]


def edit(call: Call) -> Reply:
    """Change a memory's words or pin it."""
    body = call.body(EditBody)
    memory = meant(call, call.path["ref"], body)
    change = Edit(
        text=body.text,
        title=body.title,
        tags=body.tags,
        why=body.why,
        how_to_apply=body.how_to_apply,
        pinned=body.pinned,
    )
    done = call.wisen.curate.edit(memory.graph, memory.memory_id, change)
    return Reply(content={"memory": memory_view(done.memory), "entry": _entry(done)})


def forget(call: Call) -> Reply:
    """Put a memory away or erase it; the answer never holds its text.

    An erased one may still be in backups and files set aside: `still_in` names them.
    """
    body = call.body(ForgetBody)
    if body.purge:
        refuse_agent(call, "erase a memory for good")
        graph, memory_id = _erasable(call, body)
        still_in = [str(path) for path in call.wisen.curate.purge(graph, memory_id)]
        return Reply(content=_named(memory_id) | {"entry": None, "still_in": still_in})
    memory = meant(call, call.path["ref"], body)
    actor = Actor.AGENT if call.is_by_agent else Actor.USER
    entry = call.wisen.curate.forget(memory.graph, memory.memory_id, reason=body.reason, actor=actor)
    return Reply(content=_named(memory.memory_id) | {"entry": entry_view(entry, memory.graph, with_text=False)})


def _named(memory_id: str) -> dict[str, object]:
    return {"memory_id": memory_id, "short": shortids.short(memory_id)}


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/memories", list_memories),
    ("POST", "/v1/memories", remember),
    ("GET", "/v1/memories/{ref}", show),
    ("POST", "/v1/memories/{ref}/edit", edit),
    ("POST", "/v1/memories/{ref}/forget", forget),
]

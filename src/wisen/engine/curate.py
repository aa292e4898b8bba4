"""What the user does to memories by hand: remember, edit, pin, forget, undo, review. Every change is journalled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from wisen.core.gate import holds_withheld
from wisen.core.lifecycle import fingerprint, initial_confidence, raised
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, JournalEntry
from wisen.core.render import plain_line
from wisen.core.trust import standing_for
from wisen.core.types import EventRef, GraphId, GraphKind, Memory, MemoryKind, Origin, Source, Status, Visibility
from wisen.engine.twins import twin_of
from wisen.errors import Conflict, InvalidValue, NotFound, StoreDamaged
from wisen.ports import Clock, ControlStore, GraphStore, GraphStores, Ids, Redactor

MAX_TEXT_CHARS = 2000
MOST_ENTRIES = 10_000
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as the user words it. Confidence None means what its source is worth."""

    text: str
    kind: MemoryKind = MemoryKind.SEMANTIC
    title: str = ""
    tags: tuple[str, ...] = ()
    source: Source | None = Source.EXPLICIT
    confidence: float | None = None
    origin: Origin = Origin.USER_TYPED


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to change; None leaves a field as it is."""

    text: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    pinned: bool | None = None


def _exclusive(method: Callable[Concatenate[Curate, P], T]) -> Callable[Concatenate[Curate, P], T]:
    """Let one change at a time through, so that nothing happens between reading a memory and replacing it."""

    @wraps(method)
    def alone(self: Curate, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.writing:
            return method(self, *args, **kwargs)

    return alone


class Curate:
    """The user's hand on the graphs."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        redactor: Redactor,
        clock: Clock,
        ids: Ids,
        writing: threading.RLock,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._redactor = redactor
        self._clock = clock
        self._ids = ids
        self.writing = writing  # shared with `Promote`

    @_exclusive
    def remember(self, graph: GraphId, draft: Draft) -> tuple[Memory, bool]:
        """Store what the user asserts; return (the memory, whether it is new).

        Saying the same again (up to case and spacing) finds the memory there is, and makes it active again.
        Raises InvalidValue for an empty or giant text, or a confidence outside 0..1.
        """
        text = self._checked_text(draft.text)
        now = self._clock.now()
        store = self._graphs.open(graph)
        digest = fingerprint(text)
        twin = twin_of(store, text)
        standing = standing_for(draft.origin, learn_headless=False)
        if standing is None:
            raise InvalidValue(f"what {draft.origin.value} says may not become a memory")
        if twin is not None:
            return self._reassert(store, twin, draft.origin), False
        confidence = draft.confidence
        if confidence is None:
            confidence = initial_confidence(draft.source, draft.origin)
        memory_id = self._ids.new_id()
        event_id = f"command:{memory_id}"
        memory = Memory(
            memory_id=memory_id,
            graph=graph,
            kind=draft.kind,
            text=text,
            title=self._redactor.redact(draft.title),
            tags=tuple(self._redactor.redact(tag) for tag in draft.tags),
            digest=digest,
            created_at=now,
            authored_at=now,
            verified_at=now,
            source=draft.source,
            origin=draft.origin,
            evidence=(EventRef(event_id=event_id, session_id="", at=now, quote=text),),
            confidence=confidence,
            status=standing,
            visibility=Visibility.PERSON if graph.kind is GraphKind.USER else Visibility.REPO,
        )
        actor = Actor.USER if draft.origin is Origin.USER_TYPED else Actor.AGENT
        return store.add(memory, key=event_id, actor=actor, reason="remember")

    def _reassert(self, store: GraphStore, memory: Memory, origin: Origin) -> Memory:
        """Return the memory there is, as strong as an explicit word makes it; an agent's word changes nothing."""
        if origin is not Origin.USER_TYPED:
            return memory
        now = self._clock.now()
        held = raised(memory, Source.EXPLICIT, origin, now)
        held = replace(held, status=Status.ACTIVE, origin=origin, verified_at=now)
        return store.update(held, actor=Actor.USER, action="status", reason="remembered again")[0]

    @_exclusive
    def edit(self, graph: GraphId, memory_id: str, change: Edit) -> Memory:
        """Change what the edit names. Raises NotFound, InvalidValue, or Conflict for a memory that was put away."""
        store, memory = self._living(graph, memory_id)
        changed = memory
        if change.text is not None:
            text = self._checked_text(change.text)
            _refuse_twin(store, memory, text)
            changed = replace(changed, text=text, digest=fingerprint(text), verified_at=self._clock.now())
        if change.title is not None:
            changed = replace(changed, title=self._redactor.redact(change.title))
        if change.tags is not None:
            changed = replace(changed, tags=tuple(self._redactor.redact(tag) for tag in change.tags))
        if change.pinned is not None:
            changed = replace(changed, pinned=change.pinned)
        if changed == memory:
            return memory
        return store.update(changed, actor=Actor.USER, action="edit", reason="edited by the user")[0]

    @_exclusive
    def forget(
        self, graph: GraphId, memory_id: str, *, reason: str = "", purge: bool = False, actor: Actor = Actor.USER
    ) -> JournalEntry | None:
        """Put a memory away (undoable), or erase its text for good; return the journal entry of a forgetting."""
        if purge:
            self._purge(graph, memory_id)
            return None
        store, memory = self._held(graph, memory_id)
        if memory.status is Status.FORGOTTEN:
            raise Conflict(
                f"memory {memory.short_id} is forgotten already", hint="`wisen forget --purge` erases its text for good"
            )
        forgotten = replace(memory, status=Status.FORGOTTEN)
        why = self._redactor.redact(reason) or f"forgotten by the {actor.value}"
        store.update(forgotten, actor=actor, action="status", reason=why)
        return store.journal(memory_id=memory_id, limit=1)[0]

    def _purge(self, graph: GraphId, memory_id: str) -> None:
        """Erase a memory everywhere: first where it was said (its evidence is known only while it is there)."""
        store = self._graphs.existing(graph)
        if store is None or memory_id not in store.ids_by_prefix(memory_id):
            raise NotFound(f"no memory {memory_id} in {graph}")
        entries = store.journal(memory_id=memory_id, limit=MOST_ENTRIES)
        held: Memory | None = None
        with suppress(StoreDamaged):  # its journal tells what it said
            held = store.get(memory_id)
        versions = [m for m in (held, *(e.before for e in entries), *(e.after for e in entries)) if m is not None]
        refs = list({(ref.session_id, ref.event_id): ref for m in versions for ref in m.evidence}.values())
        texts = {text for m in versions for text in (m.text, *(ref.quote for ref in m.evidence)) if text}
        self._control.erase(sorted(texts), refs)
        store.purge(memory_id)

    @_exclusive
    def undo(self, graph: GraphId, seq: int) -> JournalEntry:
        """Take one journalled change back. Raises NotFound or Conflict."""
        store = self._graphs.existing(graph)
        if store is None:
            raise NotFound(f"nothing is remembered in {graph}")
        return store.revert(seq, actor=Actor.USER)

    # review

    def waiting(self, graphs: Sequence[GraphId]) -> tuple[Memory, ...]:
        """Return what waits for the user's word in these graphs."""
        where = MemoryFilter(statuses=frozenset({Status.PENDING_REVIEW}))
        stores = [store for graph in graphs if (store := self._graphs.existing(graph)) is not None]
        return tuple(memory for store in stores for memory in store.list(where))

    @_exclusive
    def accept(self, graph: GraphId, memory_id: str, *, text: str | None = None) -> Memory:
        """Make a waiting memory active, in other words if `text` is given. Raises Conflict if it does not wait."""
        store, memory = self._pending(graph, memory_id)
        _refuse_twin(store, memory, memory.text if text is None else self._checked_text(text))
        accepted = replace(memory, status=Status.ACTIVE, origin=Origin.USER_APPROVED, verified_at=self._clock.now())
        if text is not None:
            checked = self._checked_text(text)
            accepted = replace(accepted, text=checked, digest=fingerprint(checked))
        return store.update(accepted, actor=Actor.USER, action="status", reason="accepted in review")[0]

    @_exclusive
    def reject(self, graph: GraphId, memory_id: str) -> Memory:
        """Put a waiting memory away. Raises Conflict if it does not wait."""
        store, memory = self._pending(graph, memory_id)
        rejected = replace(memory, status=Status.FORGOTTEN)
        return store.update(rejected, actor=Actor.USER, action="status", reason="rejected in review")[0]

    # inside

    def _checked_text(self, text: str) -> str:
        checked = self._redactor.redact(text).strip()
        if not plain_line(checked):
            raise InvalidValue("there is nothing to remember: the text is empty")
        if holds_withheld(checked) and not holds_withheld(text):
            raise InvalidValue(
                "the text holds a secret, and wisen keeps none", hint="say where it is kept, not what it is"
            )
        if len(checked) > MAX_TEXT_CHARS:
            raise InvalidValue(
                f"the text has {len(checked)} characters; a memory holds at most {MAX_TEXT_CHARS}",
                hint="say the rule in a sentence or two, or split it",
            )
        return checked

    def _held(self, graph: GraphId, memory_id: str) -> tuple[GraphStore, Memory]:
        store = self._graphs.existing(graph)
        memory = store.get(memory_id) if store else None
        if store is None or memory is None:
            raise NotFound(f"no memory {memory_id} in {graph}")
        return store, memory

    def _living(self, graph: GraphId, memory_id: str) -> tuple[GraphStore, Memory]:
        store, memory = self._held(graph, memory_id)
        if memory.status in {Status.FORGOTTEN, Status.SUPERSEDED}:
            raise Conflict(
                f"memory {memory.short_id} is {memory.status.value}",
                hint="`wisen log` and `wisen undo` bring it back first",
            )
        return store, memory

    def _pending(self, graph: GraphId, memory_id: str) -> tuple[GraphStore, Memory]:
        store, memory = self._held(graph, memory_id)
        if memory.status is not Status.PENDING_REVIEW:
            raise Conflict(
                f"memory {memory.short_id} is {memory.status.value}, not waiting for review",
                hint="`wisen review` lists what waits",
            )
        return store, memory


def _refuse_twin(store: GraphStore, memory: Memory, text: str) -> None:
    """Raise Conflict where another memory says the same already: two of one kind would both be recalled."""
    twin = twin_of(store, text, but_not=memory.memory_id)
    if twin is not None and twin.status is Status.ACTIVE:
        raise Conflict(
            f"memory {twin.short_id} says the same already", hint=f"`wisen forget {memory.short_id}` drops this one"
        )

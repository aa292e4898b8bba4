"""What the user does to memories: remember, edit, forget, pin, snooze, restore, review, undo. All is journalled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from wisen.core.erased import keys_of
from wisen.core.gate import holds_withheld
from wisen.core.lifecycle import fingerprint, initial_confidence, most_sure, raised
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, JournalEntry
from wisen.core.render import plain_line
from wisen.core.trust import standing_for
from wisen.core.types import EventRef, GraphId, GraphKind, Memory, MemoryKind, Origin, Source, Status, Visibility
from wisen.engine.batches import MOST_ENTRIES, Undone, batch_meant, taken_back, undone
from wisen.engine.cleaning import clean_words
from wisen.engine.deeds import Accept, Deed, Done, Forget, Reject, after, checked, living, record_of, refuse_twin
from wisen.engine.limits import MAX_TEXT_CHARS, MOST_PARTS
from wisen.engine.twins import twin_of
from wisen.errors import InvalidValue, NotFound, StoreDamaged, StoreError
from wisen.ports import Clock, ControlStore, GraphStore, GraphStores, Ids, Redactor

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as the user words it. Confidence None means what its source is worth.

    `evidence` is where they said it, if not in this very draft. `by_agent`: an agent asks for it to be kept.
    """

    text: str
    kind: MemoryKind = MemoryKind.SEMANTIC
    title: str = ""
    tags: tuple[str, ...] = ()
    source: Source | None = Source.EXPLICIT
    confidence: float | None = None
    origin: Origin = Origin.USER_TYPED
    evidence: tuple[EventRef, ...] = ()
    by_agent: bool = False

    @property
    def actor(self) -> Actor:
        """Who does it."""
        return Actor.AGENT if self.by_agent or self.origin is not Origin.USER_TYPED else Actor.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What to change; None leaves a field as it is."""

    text: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None
    why: str | None = None
    how_to_apply: str | None = None
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
        leftovers: Callable[[Collection[str]], Sequence[Path]] = lambda _: (),
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._redactor = redactor
        self._clock = clock
        self._ids = ids
        self._leftovers = leftovers  # files that are no live database and still hold one of some texts
        self.writing = writing  # shared with `Promote`

    @_exclusive
    def remember(self, graph: GraphId, draft: Draft) -> Done:
        """Store what the user asserts.

        Saying the same again (up to case and spacing) finds the memory there is, makes it active again and wakes it.
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
            return self._reassert(store, twin, draft)
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
            title=self._bounded(draft.title),
            tags=self._bounded_tags(draft.tags),
            digest=digest,
            created_at=now,
            authored_at=now,
            verified_at=now,
            source=draft.source,
            origin=draft.origin,
            evidence=draft.evidence or (EventRef(event_id=event_id, session_id="", at=now, quote=text),),
            confidence=min(confidence, most_sure(draft.origin)),
            status=standing,
            visibility=Visibility.PERSON if graph.kind is GraphKind.USER else Visibility.REPO,
        )
        memory, _ = store.add(memory, key=event_id, actor=draft.actor, reason="remember")
        return _done(store, memory)

    def _reassert(self, store: GraphStore, memory: Memory, draft: Draft) -> Done:
        """Make the memory there is as strong as an explicit word makes it; an agent's word changes nothing."""
        if draft.actor is not Actor.USER:
            return Done(memory=memory, entry=None)
        origin = draft.origin
        now = self._clock.now()
        held = raised(memory, Source.EXPLICIT, origin, now)
        held = replace(held, status=Status.ACTIVE, origin=origin, verified_at=now, snoozed_until=None)
        is_put_away = memory.status is not Status.ACTIVE
        action = "status" if is_put_away else "wake" if memory.snoozed_until else "support"
        held, changed = store.update(held, actor=Actor.USER, action=action, reason="remembered again")
        return _done(store, held) if changed else Done(memory=held, entry=None)

    @_exclusive
    def edit(self, graph: GraphId, memory_id: str, change: Edit) -> Done:
        """Change what the edit names. Raises NotFound, InvalidValue, or Conflict for a memory that was put away."""
        store, memory = self._held(graph, memory_id)
        changed = living(memory)
        if change.text is not None:
            text = self._checked_text(change.text)
            refuse_twin(store, memory, text)
            changed = replace(changed, text=text, digest=fingerprint(text), verified_at=self._clock.now())
        if change.title is not None:
            changed = replace(changed, title=self._bounded(change.title))
        if change.tags is not None:
            changed = replace(changed, tags=self._bounded_tags(change.tags))
        if change.why is not None:
            changed = replace(changed, why=self._bounded(change.why))
        if change.how_to_apply is not None:
            changed = replace(changed, how_to_apply=self._bounded(change.how_to_apply))
        if change.pinned is not None:
            changed = replace(changed, pinned=change.pinned)
        if changed == memory:
            return Done(memory=memory, entry=None)
        return _done(store, store.update(changed, actor=Actor.USER, action="edit", reason="edited by the user")[0])

    @_exclusive
    def do(self, deed: Deed, targets: Sequence[tuple[GraphId, str]], *, actor: Actor = Actor.USER) -> tuple[Done, ...]:
        """Do one thing to memories, each named by (graph, id): to all of them, or to none when it can't be for one.

        What several changes have in common is their batch, by which they are taken back together.
        Raises InvalidValue, NotFound, Conflict.
        """
        now = self._clock.now()
        deed = self._clean(checked(deed, now))
        held = [self._held(graph, memory_id) for graph, memory_id in dict.fromkeys(targets)]
        planned = [(store, memory, after(deed, memory, store, now)) for store, memory in held]
        changing = sum(before != changed for _, before, changed in planned)
        batch = self._ids.new_id() if changing > 1 else ""
        action, reason = record_of(deed, actor.value)
        done = []
        for store, before, changed in planned:
            if changed == before:
                done.append(Done(memory=before, entry=None))
                continue
            now_held, _ = store.update(changed, actor=actor, action=action, reason=reason, batch=batch)
            done.append(_done(store, now_held))
        return tuple(done)

    def forget(self, graph: GraphId, memory_id: str, *, reason: str = "", actor: Actor = Actor.USER) -> JournalEntry:
        """Put a memory away; return the change, which can be undone. Raises NotFound, or Conflict if it is already."""
        (done,) = self.do(Forget(reason=reason), [(graph, memory_id)], actor=actor)
        assert done.entry is not None  # noqa: S101 -- what is forgotten already was refused
        return done.entry

    def purge(self, graph: GraphId, *memory_ids: str) -> Sequence[Path]:
        """Erase memories everywhere; return the files beside the live ones that still hold their words.

        What was said before is not learned again from a copy of the session. It may be repeated.
        Raises NotFound for a memory that never was, StoreError when old bytes could not be overwritten yet.
        """
        return self._leftovers({text for memory_id in memory_ids for text in self._erase(graph, memory_id)})

    @_exclusive
    def _erase(self, graph: GraphId, memory_id: str) -> Collection[str]:
        """Erase a memory, first where it was said: its evidence is known only while it is there. Return its texts."""
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
        store.purge(memory_id, keys=keys_of(memory_id, texts))
        return texts

    @_exclusive
    def undo(self, graph: GraphId, seq: int) -> JournalEntry:
        """Take one journalled change back. Raises NotFound or Conflict."""
        store = self._graphs.existing(graph)
        if store is None:
            raise NotFound(f"nothing is remembered in {graph}")
        entry = next((e for e in store.journal(limit=MOST_ENTRIES) if e.seq == seq), None)
        if entry is None:
            return store.revert(seq, actor=Actor.USER)  # long ago, or says that there is none
        return undone(store, entry, actor=Actor.USER)

    def batch(
        self, ref: str, near: Sequence[GraphId], everywhere: Sequence[GraphId]
    ) -> list[tuple[GraphId, JournalEntry]]:
        """Return every change of a batch with its graph, found as `undo_batch` finds it."""
        reachable = self._existing(everywhere)
        batch = batch_meant(ref, self._existing(near))
        return [(store.graph, entry) for store in reachable for entry in store.batch(batch)]

    @_exclusive
    def undo_batch(self, ref: str, near: Sequence[GraphId], everywhere: Sequence[GraphId]) -> Undone:
        """Take back all of a batch that can be, in whichever of the graphs it changed something, as a new batch.

        Shortened references are looked up in the graphs `near`. Raises NotFound for none, Conflict for several.
        """
        reachable = self._existing(everywhere)
        batch = batch_meant(ref, self._existing(near))
        return taken_back(batch, reachable, actor=Actor.USER, undo=self._ids.new_id())

    # review

    def waiting(self, graphs: Sequence[GraphId]) -> tuple[Memory, ...]:
        """Return what waits for the user's word in these graphs."""
        where = MemoryFilter(statuses=frozenset({Status.PENDING_REVIEW}))
        stores = [store for graph in graphs if (store := self._graphs.existing(graph)) is not None]
        return tuple(memory for store in stores for memory in store.list(where))

    def accept(self, graph: GraphId, memory_id: str, *, text: str | None = None) -> Memory:
        """Make a waiting memory active, in other words if `text` is given. Raises Conflict if it does not wait."""
        return self.do(Accept(text=text), [(graph, memory_id)])[0].memory

    def reject(self, graph: GraphId, memory_id: str) -> Memory:
        """Put a waiting memory away. Raises Conflict if it does not wait."""
        return self.do(Reject(), [(graph, memory_id)])[0].memory

    # inside

    def _clean(self, deed: Deed) -> Deed:
        """Return the deed with its words checked and without secrets."""
        if isinstance(deed, Forget):
            return Forget(reason=self._bounded(deed.reason))
        if isinstance(deed, Accept) and deed.text is not None:
            return Accept(text=self._checked_text(deed.text))
        return deed

    def _existing(self, graphs: Sequence[GraphId]) -> tuple[GraphStore, ...]:
        """Return the graphs that can be read; what is damaged is told elsewhere and hinders nothing here."""
        stores: list[GraphStore] = []
        for graph in graphs:
            with suppress(StoreError):
                if (store := self._graphs.existing(graph)) is not None:
                    stores.append(store)
        return tuple(stores)

    def _bounded_tags(self, tags: Sequence[str]) -> tuple[str, ...]:
        if len(tags) > MOST_PARTS:
            raise InvalidValue(f"those are {len(tags)} tags; a memory has at most {MOST_PARTS}")
        return tuple(map(self._bounded, tags))

    def _bounded(self, text: str) -> str:
        """Return a title, tag or explanation without secrets; it may be empty. Raises InvalidValue for a giant one."""
        said = clean_words(text, self._redactor).strip()
        if len(said) > MAX_TEXT_CHARS:
            raise InvalidValue(f"that has {len(said)} characters; a memory holds at most {MAX_TEXT_CHARS} a field")
        return said

    def _checked_text(self, text: str) -> str:
        checked = clean_words(text, self._redactor).strip()
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


def _done(store: GraphStore, memory: Memory) -> Done:
    """Return a memory with the change just made to it."""
    return Done(memory=memory, entry=store.journal(memory_id=memory.memory_id, limit=1)[0])

"""What would a store do, without any file? The in-memory fakes, held to the same contract suite as SQLite.

They ship with the package: for tests of everything above the store, and for throw-away runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from threading import RLock

from wisen.core.erased import Erased
from wisen.core.findings import Finding
from wisen.core.lifecycle import with_usage_of
from wisen.core.portable import MemoryRecord, renumbered
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, GraphStats, JournalEntry
from wisen.core.shortids import is_named
from wisen.core.types import EventRef, GraphId, Memory, Status, Trigger
from wisen.errors import Conflict, NotFound
from wisen.ports import Clock
from wisen.store import contract
from wisen.store.memory_passages import InMemoryPassages


class InMemoryGraph(InMemoryPassages):
    """A graph in a dictionary. Implements `ports.GraphStore`."""

    def __init__(self, graph: GraphId, clock: Clock, *, tell: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._tell = tell
        self._graph = graph
        self._clock = clock
        self._keys: dict[str, str] = {}
        self._journal: dict[int, JournalEntry] = {}

    @property
    def graph(self) -> GraphId:
        """The graph this store holds."""
        return self._graph

    def add(self, memory: Memory, *, key: str, actor: Actor, reason: str, batch: str = "") -> tuple[Memory, bool]:
        """Add a memory once under a natural key."""
        memory = contract.checked(memory, self._graph)
        print_ = contract.fingerprint("add", key)
        with self._lock:
            if (known := self._keys.get(print_)) is not None:
                held = self._memories.get(known)
                return held or replace(memory, memory_id=known, status=Status.FORGOTTEN), False
            if memory.memory_id in self._memories:
                raise Conflict(f"there is a memory {memory.memory_id} already, under another key")
            self._keys[print_] = memory.memory_id
            self._write(memory, None, actor=actor, action="add", reason=reason, batch=batch)
            return memory, True

    def get(self, memory_id: str) -> Memory | None:
        """Return a memory by its id, or None."""
        with self._lock:
            return self._memories.get(memory_id)

    def by_prefix(self, short: str) -> Sequence[Memory]:
        """Return at most 10 memories whose id or short id starts with `short`."""
        with self._lock:
            found = [m for m in self._memories.values() if is_named(m.memory_id, short)]
        return tuple(sorted(found, key=lambda m: m.memory_id)[:10])

    def ids_by_prefix(self, short: str) -> Sequence[str]:
        """Return at most 10 ids that `short` may mean; if there are none, those of what is gone."""
        with self._lock:
            former = {*self._keys.values(), *(entry.memory_id for entry in self._journal.values())}
            held = [[i for i in sorted(ids) if is_named(i, short)] for ids in (self._memories, former)]
        return tuple(held[0] or held[1])[:10]

    def by_digest(self, digest: str) -> Sequence[Memory]:
        """Return the memories with this fingerprint."""
        with self._lock:
            found = [m for m in self._memories.values() if m.digest == digest]
        return tuple(sorted(found, key=lambda m: m.memory_id))

    def learned_from(self, said: Iterable[EventRef], trigger: Trigger | None) -> Sequence[Memory]:
        """Return the memories that have or had one of these as evidence."""
        with self._lock:
            owners = {self._keys.get(key) for key in contract.said_keys(said, trigger)}
            return tuple(self._memories[owner] for owner in sorted(filter(None, owners)) if owner in self._memories)

    def update(
        self, memory: Memory, *, actor: Actor, action: str, reason: str, key: str = "", batch: str = ""
    ) -> tuple[Memory, bool]:
        """Replace a memory, journalled; with `key`, once."""
        memory = contract.checked(memory, self._graph)
        print_ = contract.fingerprint("update", memory.memory_id, key)
        with self._lock:
            held = self._held(memory.memory_id)
            if key and print_ in self._keys:
                return held, False
            if key:
                self._keys[print_] = memory.memory_id
            memory = with_usage_of(memory, held)
            if memory == held:
                return held, False
            self._write(memory, held, actor=actor, action=action, reason=reason, batch=batch)
            return memory, True

    def list(self, where: MemoryFilter, *, limit: int = 1000) -> Sequence[Memory]:
        """Return memories that pass the filter: pinned first, then support, confidence, newest."""
        with self._lock:
            found = [m for m in self._memories.values() if contract.admits(where, m)]
        return tuple(sorted(found, key=contract.list_order)[:limit])

    def counts(self) -> Mapping[str, int]:
        """Return the number of memories by status value."""
        with self._lock:
            return dict(Counter(m.status.value for m in self._memories.values()))

    def journal(self, *, memory_id: str = "", batch: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return journal entries, newest first."""
        with self._lock:
            entries = [e for _, e in sorted(self._journal.items()) if memory_id in {"", e.memory_id}]
            entries = [e for e in entries if batch in {"", e.batch}]
        return tuple(reversed(entries))[:limit]

    def batch(self, batch_id: str) -> Sequence[JournalEntry]:
        """Return every entry of one batch, newest first."""
        with self._lock:
            return tuple(e for e in reversed(self._journal.values()) if e.batch and e.batch == batch_id)

    def revert(self, seq: int, *, actor: Actor, batch: str = "") -> JournalEntry:
        """Undo one entry, itself journalled."""
        with self._lock:
            entry = self._journal.get(seq)
            if entry is None:
                raise NotFound(f"there is no change {seq} in {self._graph}", hint="`wisen log` lists them")
            held = self._memories.get(entry.memory_id)
            restored = contract.undone(entry, held)
            reason = f"undo of change {seq}"
            undo = self._write(restored, held, actor=actor, action="revert", reason=reason, batch=batch)
            for other in self._journal.values():
                if other.undone_by == seq:
                    self._journal[other.seq] = replace(other, undone_by=0)
            self._journal[seq] = replace(entry, undone_by=undo.seq)
            return undo

    def touch(self, memory_ids: Iterable[str], at: datetime) -> None:
        """Count a use of each memory."""
        with self._lock:
            for memory_id in memory_ids:
                if (held := self._memories.get(memory_id)) is not None:
                    self._memories[memory_id] = contract.storable(replace(held, uses=held.uses + 1, last_used_at=at))

    def purge(self, memory_id: str, *, keys: Iterable[str] = ()) -> None:
        """Erase a memory's text; its journal keeps entries without content."""
        with self._lock:
            if memory_id not in self.ids_by_prefix(memory_id):
                raise NotFound(f"there is no memory {memory_id} in {self._graph}")
            self._keys = dict.fromkeys(keys, memory_id) | self._keys
            self.forget_passage(memory_id)
            if self._memories.pop(memory_id, None) is None:
                return
            for entry in [e for e in self._journal.values() if e.memory_id == memory_id]:
                self._journal[entry.seq] = replace(entry, before=None, after=None, reason="")
            self._log(memory_id, None, None, actor=Actor.USER, action="purge", reason="")

    def erased(self) -> Sequence[Erased]:
        """Return what was purged, and by which keys its words are known again."""
        with self._lock:
            gone = {e.memory_id: e.at for e in self._journal.values() if e.action == "purge"}
            return tuple(
                Erased(memory_id=i, at=at, keys=frozenset(key for key, owner in self._keys.items() if owner == i))
                for i, at in gone.items()
                if i not in self._memories
            )

    def problems(self) -> Sequence[str]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def record_count(self) -> int:
        """Return of how many memories there is something."""
        with self._lock:
            return len(self._ids())

    def records(self, *, after: str = "", limit: int = 500) -> tuple[Sequence[MemoryRecord], str]:
        """Return memories with their journal and natural keys, by id, and where to go on."""
        with self._lock:
            ids = sorted(i for i in self._ids() if i > after)[:limit]
            found = [
                MemoryRecord(
                    graph=self._graph,
                    memory_id=memory_id,
                    memory=self._memories.get(memory_id),
                    journal=tuple(e for _, e in sorted(self._journal.items()) if e.memory_id == memory_id),
                    keys=tuple(sorted(key for key, owner in self._keys.items() if owner == memory_id)),
                )
                for memory_id in ids
            ]
        return found, ids[-1] if len(ids) == limit else ""

    def known(self, memory_ids: Iterable[str]) -> frozenset[str]:
        """Return those of some ids of which there is something."""
        with self._lock:
            return frozenset(memory_ids) & self._ids()

    def take_in(self, records: Sequence[MemoryRecord]) -> int:
        """Add memories as they are, all or none of them; return how many."""
        with self._lock:
            there = self._ids()
            new: dict[str, MemoryRecord] = {}
            for record in records:
                if record.memory_id not in there and record.memory_id not in new:
                    new[record.memory_id] = contract.checked_record(record, self._graph)
            for record in new.values():
                is_taken = any(entry.seq in self._journal for entry in record.journal)
                journal = renumbered(record.journal, self._next_seq()) if is_taken else record.journal
                self._journal |= {entry.seq: entry for entry in journal}
            self._memories = {r.memory_id: r.memory for r in new.values() if r.memory} | self._memories
            for record in new.values():
                if record.memory:
                    self.note_passage(record.memory, None)
            for record in records:
                for key in record.keys:
                    self._keys.setdefault(key, record.memory_id)
            self._tell()
            return len(new)

    def _ids(self) -> frozenset[str]:
        return frozenset((*self._memories, *self._keys.values(), *(e.memory_id for e in self._journal.values())))

    def _next_seq(self) -> int:
        return contract.next_number(max(self._journal, default=0))

    def stats(self) -> GraphStats:
        """Return sizes."""
        with self._lock:
            return GraphStats(graph=self._graph, by_status=self.counts(), journal_entries=len(self._journal))

    def close(self) -> None:
        """Let go of nothing: what is here lives as long as the object."""

    def moved(self, new: GraphId) -> InMemoryGraph:
        """Return the same graph under another id."""
        moved = InMemoryGraph(new, self._clock)
        moved._keys = self._keys
        moved.take_vectors(self)
        moved._memories = {key: replace(m, graph=new) for key, m in self._memories.items()}
        moved._journal = {
            seq: replace(
                e, before=e.before and replace(e.before, graph=new), after=e.after and replace(e.after, graph=new)
            )
            for seq, e in self._journal.items()
        }
        return moved

    def _held(self, memory_id: str) -> Memory:
        held = self._memories.get(memory_id)
        if held is None:
            raise NotFound(f"there is no memory {memory_id} in {self._graph}")
        return held

    def _write(
        self, memory: Memory, held: Memory | None, *, actor: Actor, action: str, reason: str, batch: str
    ) -> JournalEntry:
        self._memories[memory.memory_id] = memory
        self.note_passage(memory, held)
        for key in contract.fresh_keys(memory, held):
            self._keys.setdefault(key, memory.memory_id)
        entry = self._log(memory.memory_id, held, memory, actor=actor, action=action, reason=reason, batch=batch)
        self._tell()
        return entry

    def _log(
        self,
        memory_id: str,
        before: Memory | None,
        after: Memory | None,
        *,
        actor: Actor,
        action: str,
        reason: str,
        batch: str = "",
    ) -> JournalEntry:
        entry = JournalEntry(
            seq=self._next_seq(),
            memory_id=memory_id,
            at=self._clock.now(),
            actor=actor,
            action=action,
            reason=contract.storable(reason),
            before=before,
            after=after,
            batch=contract.storable(batch),
        )
        self._journal[entry.seq] = entry
        return entry


class InMemoryGraphs:
    """All graphs in a dictionary. Implements `ports.GraphStores`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = RLock()
        self._graphs: dict[GraphId, InMemoryGraph] = {}
        self._told: Callable[[GraphId], None] = lambda _: None

    def open(self, graph: GraphId) -> InMemoryGraph:
        """Return the graph's store, made when it is not there yet."""
        with self._lock:
            if graph not in self._graphs:
                self._graphs[graph] = InMemoryGraph(graph, self._clock, tell=lambda: self._told(graph))
            return self._graphs[graph]

    def on_change(self, tell: Callable[[GraphId], None]) -> None:
        """Call this with a graph after each write to it."""
        self._told = tell

    def existing(self, graph: GraphId) -> InMemoryGraph | None:
        """Return the graph's store only if the graph exists."""
        with self._lock:
            return self._graphs.get(graph)

    def graphs(self) -> Sequence[GraphId]:
        """Return the graphs that exist, sorted by their URL form."""
        with self._lock:
            return tuple(sorted(self._graphs, key=str))

    def problems(self) -> Sequence[str]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def set_aside(self, _: GraphId) -> Sequence[str]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def check(self) -> Sequence[Finding]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def move(self, old: GraphId, new: GraphId) -> None:
        """Give a graph another id. Raises Conflict when the new id is taken."""
        with self._lock:
            if old == new or old not in self._graphs:
                return
            if new in self._graphs:
                raise Conflict(f"can't move {old} to {new}: that graph exists already")
            self._graphs[new] = self._graphs.pop(old).moved(new)

    def remove(self, graph: GraphId) -> bool:
        """Delete a graph; False when there is none."""
        with self._lock:
            return self._graphs.pop(graph, None) is not None

    def close(self) -> None:
        """Close every graph."""

"""What does one graph hold, who changed it, and which of it matches? One SQLite file, every write durable on return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wisen.core.erased import Erased
from wisen.core.findings import Finding
from wisen.core.lifecycle import with_usage_of
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, GraphStats, JournalEntry
from wisen.core.shortids import bare
from wisen.core.types import EventRef, GraphId, Memory, Status, Trigger
from wisen.errors import Conflict, NotFound, StoreError
from wisen.ports import Clock
from wisen.store import contract
from wisen.store.codec import encode
from wisen.store.queries import load
from wisen.store.sqlite import carrying, rows, vectors
from wisen.store.sqlite.checks import check_graph
from wisen.store.sqlite.connection import Database, FileDamaged, Row, Value
from wisen.store.sqlite.files import sidecars
from wisen.store.sqlite.passageindex import PassageIndex
from wisen.store.sqlite.pool import Pool
from wisen.store.sqlite.remains import Remains
from wisen.store.sqlite.retrying import mending

_SQL = load(Path(__file__).with_name("queries") / "graph.sql")


class SqliteGraph(PassageIndex):
    """A graph in its own file. Implements `ports.GraphStore`; may be used from many threads."""

    def __init__(self, graph: GraphId, pool: Pool, clock: Clock) -> None:
        super().__init__(graph, pool)
        self._clock = clock
        self._remains = Remains(graph, pool)

    @property
    def graph(self) -> GraphId:
        """The graph this store holds."""
        return self._graph

    @mending
    def add(self, memory: Memory, *, key: str, actor: Actor, reason: str, batch: str = "") -> tuple[Memory, bool]:
        """Add a memory once under a natural key.

        A key whose memory was purged, or is damaged, stays used: nothing is added, and what comes back is marked
        forgotten.
        """
        memory = contract.checked(memory, self._graph)
        hashed = contract.fingerprint("add", key)
        with self._pool.write() as database:
            owner = database.first(_SQL["key_owner"], {"key": hashed})
            if owner is not None:
                memory_id = str(owner[0])
                held = self._damaged.memories(self._rows(database, memory_id))
                return held[0] if held else replace(memory, memory_id=memory_id, status=Status.FORGOTTEN), False
            if self._rows(database, memory.memory_id):
                raise Conflict(f"there is a memory {memory.memory_id} already, under another key")
            database.run(_SQL["put_key"], {"key": hashed, "memory_id": memory.memory_id})
            self._write(database, memory, None, actor=actor, action="add", reason=reason, batch=batch)
        return memory, True

    @mending
    def get(self, memory_id: str) -> Memory | None:
        """Return a memory by its id, or None. Raises StoreDamaged, and says how to be rid of it."""
        with self._pool.read() as database:
            return self._get(database, contract.storable(memory_id))

    @mending
    def by_prefix(self, short: str) -> Sequence[Memory]:
        """Return at most 10 memories whose id or short id starts with `short`; dashes and case do not matter."""
        prefix = bare(contract.storable(short))
        if not prefix:
            return ()
        with self._pool.read() as database:
            found = database.all(_SQL["memories_by_prefix"], {"prefix": prefix})
        sound = self._damaged.memories(found)
        if found and not sound:
            rows.memory_of(found[0][1:], self._graph)  # says what is wrong with it
        return tuple(sound)

    @mending
    def ids_by_prefix(self, short: str) -> Sequence[str]:
        """Return the ids that `short` may mean, reading no memory; if there are none, those of what is gone."""
        prefix = bare(contract.storable(short))
        with self._pool.read() as database:
            for query in ("ids_by_prefix", "former_ids_by_prefix"):
                if prefix and (found := database.all(_SQL[query], {"prefix": prefix})):
                    return tuple(str(memory_id) for (memory_id,) in found)
        return ()

    @mending
    def by_digest(self, digest: str) -> Sequence[Memory]:
        """Return the memories with this fingerprint, of any status."""
        return self._memories("memories_by_digest", {"digest": contract.storable(digest)})

    @mending
    def learned_from(self, said: Iterable[EventRef], trigger: Trigger | None) -> Sequence[Memory]:
        """Return the memories that have or had one of these as evidence."""
        return self._memories("memories_by_keys", {"keys": encode(contract.said_keys(said, trigger))})

    @mending
    def update(
        self, memory: Memory, *, actor: Actor, action: str, reason: str, key: str = "", batch: str = ""
    ) -> tuple[Memory, bool]:
        """Replace a memory, journalled with its old value; with `key`, once.

        Use counts stay as they are held, and an update that changes nothing leaves no entry.
        """
        memory = contract.checked(memory, self._graph)
        hashed = contract.fingerprint("update", memory.memory_id, key)
        with self._pool.write() as database:
            held = self._get(database, memory.memory_id)
            if held is None:
                raise NotFound(f"there is no memory {memory.memory_id} in {self._graph}")
            if key and database.first(_SQL["key_owner"], {"key": hashed}) is not None:
                return held, False
            if key:
                database.run(_SQL["put_key"], {"key": hashed, "memory_id": memory.memory_id})
            memory = with_usage_of(memory, held)
            if memory == held:
                return held, False
            self._write(database, memory, held, actor=actor, action=action, reason=reason, batch=batch)
        return memory, True

    @mending
    def list(self, where: MemoryFilter, *, limit: int = 1000) -> Sequence[Memory]:
        """Return memories that pass the filter: pinned first, then support, confidence, newest."""
        return self._memories("memories_admitted", {**self._filter(where), "limit": limit})

    @mending
    def counts(self) -> Mapping[str, int]:
        """Return the number of memories by status value."""
        damaged = self._damaged.numbers()
        with self._pool.read() as database:
            found = database.all(_SQL["counts"], {"damaged": damaged})
        return {str(status): rows.whole(count) for status, count in found}

    @mending
    def journal(self, *, memory_id: str = "", batch: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return journal entries, newest first."""
        with self._pool.read() as database:
            which: dict[str, Value] = {"memory_id": memory_id, "batch": batch, "limit": limit}
            found = database.all(_SQL["entries"], contract.storable(which))
        return tuple(self._damaged.entries(found))

    @mending
    def batch(self, batch_id: str) -> Sequence[JournalEntry]:
        """Return every entry of one batch, newest first."""
        with self._pool.read() as database:
            found = database.all(_SQL["entries_of_batch"], {"batch": contract.storable(batch_id)})
        return tuple(self._damaged.entries(found))

    @mending
    def revert(self, seq: int, *, actor: Actor, batch: str = "") -> JournalEntry:
        """Undo one entry, itself journalled; undoing an undo makes the first entry stand again."""
        with self._pool.write() as database:
            row = database.first(_SQL["entry_by_seq"], {"seq": seq}) if 0 < seq <= contract.MOST else None
            if row is None:
                raise NotFound(f"there is no change {seq} in {self._graph}", hint="`wisen log` lists them")
            entry = rows.entry_of(row[1:], self._graph)
            held = self._get(database, entry.memory_id)
            restored = contract.undone(entry, held)
            reason = f"undo of change {seq}"
            undo = self._write(database, restored, held, actor=actor, action="revert", reason=reason, batch=batch)
            taken_back = database.all(_SQL["entries_undone_by"], {"seq": seq})
            for other in self._damaged.entries(taken_back):
                self._put_entry(database, replace(other, undone_by=0))
            self._put_entry(database, replace(entry, undone_by=undo.seq))
            return undo

    @mending
    def touch(self, memory_ids: Iterable[str], at: datetime) -> None:
        """Count a use of each memory; not journalled, not a verification."""
        with self._pool.write() as database:
            for memory_id in memory_ids:
                for held in self._damaged.memories(self._rows(database, memory_id)):
                    used = contract.storable(replace(held, uses=held.uses + 1, last_used_at=at))
                    database.run(_SQL["put_memory"], rows.memory_row(used))

    @mending
    def purge(self, memory_id: str, *, keys: Iterable[str] = ()) -> None:
        """Erase a memory's text from rows, journal, index and the bytes of the files.

        Needs to read nothing: a damaged memory goes as well, and what is damaged in its journal. May be repeated: it
        then finishes what an earlier call could not, when a reader kept old pages in use.
        Raises NotFound for a memory that never was, StoreError when old bytes could not be overwritten yet.
        """
        if memory_id not in self.ids_by_prefix(memory_id):
            raise NotFound(f"there is no memory {memory_id} in {self._graph}")
        with self._pool.write() as database:
            if self._remains.leave(database, memory_id, keys):
                self._log(database, memory_id, None, None, actor=Actor.USER, action="purge", reason="")
        self._damaged.forget()
        self._remains.forget()
        try:
            self._pool.checkpoint()
        except StoreError as error:
            raise StoreError(
                f"memory {memory_id} is gone, but its old bytes are still in the write-ahead log: {error.message}",
                hint="purge it again when nothing else reads the file, or restart the daemon",
            ) from error

    @mending
    def erased(self) -> Sequence[Erased]:
        """Return what was purged, and by which keys its words are known again."""
        return self._remains.all()

    @mending
    def problems(self) -> Sequence[str]:
        """Return a sentence for each damaged row, naming file, table and row."""
        return self._damaged.problems()

    @mending
    def record_count(self) -> int:
        """Return of how many memories there is something."""
        with self._pool.read() as database:
            return carrying.count(database)

    @mending
    def records(self, *, after: str = "", limit: int = 500) -> tuple[Sequence[MemoryRecord], str]:
        """Return memories with their journal and natural keys, by id, and where to go on; each as of one moment."""
        with self._pool.read() as database, database.snapshot():
            return carrying.records(database, self._damaged, self._graph, after=after, limit=limit)

    @mending
    def known(self, memory_ids: Iterable[str]) -> frozenset[str]:
        """Return those of some ids of which there is something."""
        with self._pool.read() as database:
            return carrying.known(database, memory_ids)

    @mending
    def take_in(self, records: Sequence[MemoryRecord]) -> int:
        """Add memories as they are, all or none of them; return how many."""
        with self._pool.write() as database:
            added = carrying.take_in(database, records, self._graph)
        self._remains.forget()
        return added

    @mending
    def stats(self) -> GraphStats:
        """Return sizes."""
        with self._pool.read() as database:
            [(entries,)] = database.all(_SQL["journal_length"])
        size = sum(path.stat().st_size for path in sidecars(self._pool.path) if path.exists())
        return GraphStats(
            graph=self._graph, by_status=self.counts(), bytes_on_disk=size, journal_entries=rows.whole(entries)
        )

    @mending
    def check(self) -> Sequence[Finding]:
        """Go through everything and return what is wrong; an index that is wrong is made anew."""
        return check_graph(self._graph, self._pool, self._damaged)

    def mend(self, error: FileDamaged) -> None:
        """Go on with what can be read, after SQLite could not read the file or a page of it."""
        self._pool.mend(error)
        self._damaged.forget()
        self._remains.forget()

    def closed(self) -> AbstractContextManager[None]:
        """Return what keeps every thread from the file while a block runs. Raises StoreError if one reads for long."""
        return self._pool.closed()

    def close(self) -> None:
        """Let go of the file."""
        self._pool.close()

    def _get(self, database: Database, memory_id: str) -> Memory | None:
        found = self._rows(database, memory_id)
        return rows.memory_of(found[0][1:], self._graph) if found else None

    def _rows(self, database: Database, memory_id: str) -> Sequence[Row]:
        return database.all(_SQL["memory_by_id"], {"memory_id": memory_id})

    def _memories(self, query: str, parameters: Mapping[str, Value]) -> Sequence[Memory]:
        with self._pool.read() as database:
            found = database.all(_SQL[query], parameters)
        return tuple(self._damaged.memories(found))

    def _write(
        self,
        database: Database,
        memory: Memory,
        held: Memory | None,
        *,
        actor: Actor,
        action: str,
        reason: str,
        batch: str,
    ) -> JournalEntry:
        database.run(_SQL["put_memory"], rows.memory_row(memory))
        database.run(_SQL["put_passage"], rows.passage_row(memory))
        vectors.keep_in_step(database, memory)
        for key in contract.fresh_keys(memory, held):
            database.run(_SQL["put_key_once"], {"key": key, "memory_id": memory.memory_id})
        return self._log(
            database, memory.memory_id, held, memory, actor=actor, action=action, reason=reason, batch=batch
        )

    def _log(
        self,
        database: Database,
        memory_id: str,
        before: Memory | None,
        after: Memory | None,
        *,
        actor: Actor,
        action: str,
        reason: str,
        batch: str = "",
    ) -> JournalEntry:
        [(last,)] = database.all(_SQL["last_seq"])
        entry = JournalEntry(
            seq=contract.next_number(rows.whole(last)),
            memory_id=memory_id,
            at=self._clock.now(),
            actor=actor,
            action=action,
            reason=reason,
            before=before,
            after=after,
            batch=batch,
        )
        return self._put_entry(database, contract.storable(entry))

    def _put_entry(self, database: Database, entry: JournalEntry) -> JournalEntry:
        database.run(_SQL["put_entry"], rows.entry_row(entry))
        return entry

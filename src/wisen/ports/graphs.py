"""The graph stores: memories, their journal, and the index over them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from wisen.core.embeddings import Around, Matches, Passage, PassageVector, SlotBlock, Space
from wisen.core.erased import Erased
from wisen.core.findings import Finding
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import Found, MemoryFilter
from wisen.core.records import (
    Actor,
    GraphStats,
    JournalEntry,
)
from wisen.core.types import EventRef, GraphId, Memory, Trigger


class GraphStore(Protocol):
    """One graph: memories, their journal and the lexical index over them. Every write is durable on return.

    A row that is damaged stays where it is and is in no list, count or search; `problems` tells.
    """

    @property
    def graph(self) -> GraphId:
        """The graph this store holds."""
        ...

    def add(self, memory: Memory, *, key: str, actor: Actor, reason: str, batch: str = "") -> tuple[Memory, bool]:
        """Add a memory under a natural key; return (the memory held under that key, whether it is new).

        Adding twice under one key changes nothing, whatever happened to the memory since; one that is gone or damaged
        comes back as given, marked forgotten. `batch` names the act this change is part of, so that it can be undone
        as a whole; the same holds for `update` and `revert`.
        """
        ...

    def get(self, memory_id: str) -> Memory | None:
        """Return a memory by its id, or None. Raises StoreDamaged when its row is damaged."""
        ...

    def by_prefix(self, short: str) -> Sequence[Memory]:
        """Return the memories whose id or short id starts with `short` (dashes ignored), at most 10.

        Raises StoreDamaged when there are only damaged ones.
        """
        ...

    def ids_by_prefix(self, short: str) -> Sequence[str]:
        """Return at most 10 ids that `short` may mean, reading no memory: of those there are, damaged ones among them.

        If there are none, the ids of which only a journal entry or a natural key is left.
        """
        ...

    def by_digest(self, digest: str) -> Sequence[Memory]:
        """Return the memories (any status) with this fingerprint."""
        ...

    def learned_from(self, said: Iterable[EventRef], trigger: Trigger | None) -> Sequence[Memory]:
        """Return the memories (any status) that have or had one of these as evidence and surface before the same call.

        Also one that was reworded since. Costs the same however many memories there are.
        """
        ...

    def update(
        self, memory: Memory, *, actor: Actor, action: str, reason: str, key: str = "", batch: str = ""
    ) -> tuple[Memory, bool]:
        """Replace a memory, journalled with its old value. With `key`, the same update happens once.

        Returns (the memory as held now, whether this call changed it). Raises NotFound for an unknown id.
        """
        ...

    def list(self, where: MemoryFilter, *, limit: int = 1000) -> Sequence[Memory]:
        """Return memories that pass the filter: pinned first, then support, confidence, newest."""
        ...

    def search(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int = 50,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
    ) -> Found:
        """Return memories matching any term, best BM25 first; stages hold `bm25` (higher better) and `coverage`.

        `coverage` is the share of the terms that occur, `matched` names them. A memory in which terms of less than
        `least` weight occur together is no match; a term without a weight has 1. The filter is applied inside the
        query, before the limit.
        """
        ...

    def occurrences(
        self, terms: Sequence[str], *, spellings: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """Return how many memories there are, of any status, and in how many of them each term occurs."""
        ...

    def containing(self, part: str, *, limit: int) -> Sequence[str]:
        """Return words of the index with a part, those that begin with it and then the commonest first."""
        ...

    def match(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
        among: Sequence[int] | None = None,
        spellings: Mapping[str, Sequence[str]] | None = None,
        scoring: Container[str] | None = None,
    ) -> Matches:
        """Return the passages matching any term as `search` does, without reading their memories.

        A word in a title counts twice. With `among` only those passages are looked at. A term with `spellings` occurs
        where one of these words of the index does, or one that begins with it. The score is that of the terms in
        `scoring`, of all where it is None; the others are only looked for. `matched` of a row are places
        in the sequence of distinct terms that can occur (`occurrences` has the same ones as keys, in the same order).
        """
        ...

    def members(self, passages: Sequence[int], where: MemoryFilter | None = None) -> Mapping[int, Memory]:
        """Return the memories of some passages, those that pass the filter if there is one, damaged ones left out."""
        ...

    def passing(self, passages: Sequence[int], where: MemoryFilter) -> frozenset[int]:
        """Return those of some passages that pass the filter, reading no memory."""
        ...

    def around(self, passages: Sequence[int], *, reach: int) -> Mapping[int, Around]:
        """Return up to `reach` turns before and after each of some passages in its conversation.

        Only memories of the category `turn` with a session id have such; their order is that of `created_at`, then id.
        """
        ...

    def spaces(self) -> Mapping[Space, int]:
        """Return how many vectors each space holds."""
        ...

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Passage]:
        """Return passages without a vector in a space, the newest first; damaged memories are left out."""
        ...

    def unembedded_count(self, space: Space) -> int:
        """Return how many passages have no vector in a space."""
        ...

    def put_vectors(self, space: Space, vectors: Sequence[PassageVector]) -> int:
        """Keep vectors, each only if its passage still has the words it was made from; return how many.

        A vector goes with its passage, and when the passage's words change. Not journalled: it can be made anew.
        """
        ...

    def drop_vectors(self, space: Space) -> int:
        """Delete all vectors of a space; return how many."""
        ...

    def slots(self, space: Space) -> Iterator[SlotBlock]:
        """Yield the codes of a space by passage number. Holds nothing while the caller works on a block."""
        ...

    def vectors(self, space: Space, passages: Sequence[int] | None = None) -> Mapping[int, bytes]:
        """Return the packed vectors of some passages, or of all."""
        ...

    def tokens(self, space: Space, passages: Sequence[int]) -> Mapping[int, bytes]:
        """Return the packed token states of those passages that have some."""
        ...

    def count(self, where: MemoryFilter) -> int:
        """Return how many memories pass the filter."""
        ...

    def counts(self) -> Mapping[str, int]:
        """Return the number of memories by status value."""
        ...

    def journal(self, *, memory_id: str = "", batch: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return journal entries, newest first: of one memory, of one batch, or of all."""
        ...

    def batch(self, batch_id: str) -> Sequence[JournalEntry]:
        """Return every entry of one batch, newest first, which is the order to undo them in; none for ''."""
        ...

    def revert(self, seq: int, *, actor: Actor, batch: str = "") -> JournalEntry:
        """Undo one entry: the memory gets its value from before; itself journalled, as part of `batch` if given.

        Raises NotFound for an unknown entry, Conflict when the memory changed since or the entry was undone or purged.
        """
        ...

    def touch(self, memory_ids: Iterable[str], at: datetime) -> None:
        """Count a use of each memory; not journalled, not a verification."""
        ...

    def purge(self, memory_id: str, *, keys: Iterable[str] = ()) -> None:
        """Erase a memory's text from rows, journal and index; an entry without content stays in the journal.

        `keys` stay with its natural keys: hashes by which its words are known again. Needs to read nothing: a damaged
        memory goes as well. It may be repeated, to finish what a reader held up.
        """
        ...

    def erased(self) -> Sequence[Erased]:
        """Return what was purged, and by which keys its words are known again. Cheap: asked for every event."""
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each damaged row, naming file, table and row. Raises StoreDamaged for the whole."""
        ...

    def record_count(self) -> int:
        """Return of how many memories there is something: themselves, a journal entry or a natural key."""
        ...

    def records(self, *, after: str = "", limit: int = 500) -> tuple[Sequence[MemoryRecord], str]:
        """Return memories with their journal and natural keys, by id, and where to go on: '' at the end.

        Those beyond the id `after`, at most `limit` and fewer when they are long. What is damaged is left out.
        """
        ...

    def known(self, memory_ids: Iterable[str]) -> frozenset[str]:
        """Return those of some ids of which there is something."""
        ...

    def take_in(self, records: Sequence[MemoryRecord]) -> int:
        """Add memories as they are, all or none of them; return how many.

        Of one that is known only natural keys are new. Changes whose numbers are taken get the next ones.
        """
        ...

    def stats(self) -> GraphStats:
        """Return sizes."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class GraphStores(Protocol):
    """All graphs of a user."""

    def open(self, graph: GraphId) -> GraphStore:
        """Return the graph's store, made when it is not there yet; the same object for the same graph."""
        ...

    def existing(self, graph: GraphId) -> GraphStore | None:
        """Return the graph's store only if the graph exists; reading never creates one. Raises StoreDamaged."""
        ...

    def on_change(self, tell: Callable[[GraphId], None]) -> None:
        """Call this with a graph after each write to it; it must return at once. Only the last one given is called."""
        ...

    def graphs(self) -> Sequence[GraphId]:
        """Return the graphs that exist, sorted by their URL form."""
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each file that is out of use or was set aside, and for each damaged row of others."""
        ...

    def set_aside(self, graph: GraphId, /) -> Sequence[str]:
        """Return a sentence for each file of a graph that was damaged and is kept; what it held may be missing."""
        ...

    def check(self) -> Sequence[Finding]:
        """Go through all files and return what is wrong: pages, checksums, duplicates, orphans, the index, counts."""
        ...

    def move(self, old: GraphId, new: GraphId) -> None:
        """Give a graph another id (a path id at its first commit). No effect when `old` does not exist."""
        ...

    def remove(self, graph: GraphId) -> bool:
        """Delete a graph with its memories, journal and index; False when there is none. It can't be undone."""
        ...

    def close(self) -> None:
        """Close every open graph, each even if another fails."""
        ...

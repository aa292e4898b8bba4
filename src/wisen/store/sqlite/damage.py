"""Which rows of a graph are damaged? They stay where they are: what a person asserted is theirs to give up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

from wisen.core.records import JournalEntry
from wisen.core.types import GraphId, Memory
from wisen.errors import StoreDamaged
from wisen.store.codec import encode
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Row
from wisen.store.sqlite.pool import Pool

_SQL = load(Path(__file__).with_name("queries") / "graph.sql")

_AT_ONCE = 2000

T = TypeVar("T")
_Found: TypeAlias = dict[tuple[str, int], tuple[str, str]]  # (table, number) -> what is wrong, what to do


class DamagedRows:
    """What was found damaged in one graph's file: all memories are looked at before the first list, search or count."""

    def __init__(self, graph: GraphId, pool: Pool) -> None:
        self._graph = graph
        self._pool = pool
        self._found: _Found | None = None

    def memories(self, found: Iterable[Row]) -> list[Memory]:
        """Return the sound ones among some rows of memories."""
        return self._sound("memories", found, rows.memory_of)

    def entries(self, found: Iterable[Row]) -> list[JournalEntry]:
        """Return the sound ones among some rows of the journal."""
        return self._sound("journal", found, rows.entry_of)

    def numbers(self) -> str:
        """Return the numbers of the damaged memories, as JSON."""
        return encode([number for table, number in list(self._known()) if table == "memories"])

    def problems(self) -> Sequence[str]:
        """Return a sentence for each damaged row."""
        return [f"{self._pool.path}: {what}; {hint}" for what, hint in self.each()]

    def each(self) -> Sequence[tuple[str, str]]:
        """Return for each damaged row what is wrong with it and what to do about it."""
        found = sorted(self._known().copy().items())
        return [
            (f"{what} (row {number} of {table}, kept and left out)", hint) for (table, number), (what, hint) in found
        ]

    def forget(self) -> None:
        """Look at everything again at the next question: something was taken away."""
        self._found = None

    def _known(self) -> _Found:
        # Without a lock: a writer asks too, and the worst is that two threads look.
        if (known := self._found) is None:
            known = {}
            suspects = [row for row in self._every_memory() if not rows.is_sealed("memories", row[1:])]
            _read(suspects, "memories", lambda row: rows.memory_of(row, self._graph), known)
            self._found = known
        return known

    def _every_memory(self) -> Iterator[Row]:
        """Yield the rows of all memories; a million of them at once would be a gigabyte."""
        after = -1
        while True:
            with self._pool.read() as database:
                found = database.all(_SQL["next_memories"], {"after": after, "limit": _AT_ONCE})
            yield from found
            if len(found) < _AT_ONCE:
                return
            after = rows.whole(found[-1][0])

    def _sound(self, table: str, found: Iterable[Row], read: Callable[[Row, GraphId], T]) -> list[T]:
        """Return what sound rows hold and note the others; the first column of each is its number in the table."""
        return _read(found, table, lambda row: read(row, self._graph), self._known())


def _read(found: Iterable[Row], table: str, read: Callable[[Row], T], damaged: _Found) -> list[T]:
    values = []
    for row in found:
        try:
            values.append(read(row[1:]))
        except StoreDamaged as error:
            damaged[table, rows.whole(row[0])] = error.message, error.hint
    return values

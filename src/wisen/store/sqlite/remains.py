"""What was purged from a graph, and by which keys are its words known again? Kept in memory: every event asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wisen.core.erased import Erased
from wisen.core.types import GraphId
from wisen.errors import StoreDamaged
from wisen.store.queries import load
from wisen.store.sqlite import rows, vectors
from wisen.store.sqlite.connection import Database, Row
from wisen.store.sqlite.pool import Pool

_GRAPH = load(Path(__file__).with_name("queries") / "graph.sql")
_SQL = load(Path(__file__).with_name("queries") / "carrying.sql")


class Remains:
    """The memories of one graph's file that are gone for good; read once, until `forget`."""

    def __init__(self, graph: GraphId, pool: Pool) -> None:
        self._graph = graph
        self._pool = pool
        self._known: tuple[Erased, ...] | None = None

    def all(self) -> Sequence[Erased]:
        """Return them all."""
        # Without a lock: the worst is that two threads look.
        if (known := self._known) is None:
            with self._pool.read() as database:
                found = database.all(_SQL["erased"])
            keys: dict[tuple[str, datetime], set[str]] = {}
            for memory_id, at_us, key in found:
                keys.setdefault((str(memory_id), rows.moment(at_us)), set()).add(str(key))
            known = self._known = tuple(Erased(memory_id=i, at=at, keys=frozenset(k)) for (i, at), k in keys.items())
        return known

    def leave(self, database: Database, memory_id: str, keys: Iterable[str]) -> bool:
        """Take a memory's words out in the open transaction, leave `keys` of them; False where they were out already.

        Needs to read nothing: a damaged memory goes as well.
        """
        for key in keys:
            database.run(_SQL["put_key_once"], {"key": key, "memory_id": memory_id})
        vectors.clear(database, memory_id)
        changed = database.run(_GRAPH["drop_memory"], {"memory_id": memory_id})
        for row in database.all(_GRAPH["entries_of"], {"memory_id": memory_id}):
            changed += self._blank(database, row)
        return changed > 0

    def forget(self) -> None:
        """Look again at the next question: something was purged, or came in from elsewhere."""
        self._known = None

    def _blank(self, database: Database, row: Row) -> int:
        """Empty a journal entry, or delete one that can't be read; return how many rows that changed."""
        try:
            entry = rows.entry_of(row[1:], self._graph)
        except StoreDamaged:
            return database.run(_GRAPH["drop_entry"], {"seq": row[0]})
        empty = replace(entry, before=None, after=None, reason="")
        return 0 if empty == entry else database.run(_GRAPH["put_entry"], rows.entry_row(empty))

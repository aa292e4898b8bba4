"""How does a memory leave a graph whole, and come into another one as it was? With its journal and natural keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from wisen.core.portable import MemoryRecord, renumbered
from wisen.core.types import GraphId
from wisen.store import contract
from wisen.store.codec import encode
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Database, Row
from wisen.store.sqlite.damage import DamagedRows

_GRAPH = load(Path(__file__).with_name("queries") / "graph.sql")
_SQL = load(Path(__file__).with_name("queries") / "carrying.sql")

_MOST_CHARS: Final = 4_000_000  # of rows read at once, give or take one memory


def count(database: Database) -> int:
    """Return of how many memories there is something."""
    [(found,)] = database.all(_SQL["id_count"])
    return rows.whole(found)


def records(
    database: Database, damaged: DamagedRows, graph: GraphId, *, after: str, limit: int
) -> tuple[Sequence[MemoryRecord], str]:
    """Return the next memories beyond the id `after`, and the last id looked at, '' at the end.

    At most `limit`, fewer when they are long. A damaged memory is left out, and so is a damaged change.
    """
    ids = [str(row[0]) for row in database.all(_SQL["ids_beyond"], {"after": after, "limit": limit})]
    keys = _keys(database, ids)
    found: list[MemoryRecord] = []
    chars = 0
    for memory_id in ids:
        held = database.all(_GRAPH["memory_by_id"], {"memory_id": memory_id})
        changes = database.all(_GRAPH["entries_of"], {"memory_id": memory_id})
        sound = damaged.memories(held)
        if len(sound) == len(held):
            journal = sorted(damaged.entries(changes), key=lambda entry: entry.seq)
            found.append(
                MemoryRecord(
                    graph=graph,
                    memory_id=memory_id,
                    memory=sound[0] if sound else None,
                    journal=tuple(journal),
                    keys=keys.get(memory_id, ()),
                )
            )
        chars += _chars([*held, *changes])
        if chars > _MOST_CHARS:
            return found, memory_id
    return found, ids[-1] if len(ids) == limit else ""


def known(database: Database, memory_ids: Iterable[str]) -> frozenset[str]:
    """Return those of some ids of which there is a memory, a change or a natural key."""
    found = database.all(_SQL["ids_known"], {"ids": encode(contract.storable(tuple(memory_ids)))})
    return frozenset(str(memory_id) for (memory_id,) in found)


def take_in(database: Database, wanted: Sequence[MemoryRecord], graph: GraphId) -> int:
    """Add memories as they are, in the open transaction; return how many were new. Of others only keys are."""
    there = set(known(database, [record.memory_id for record in wanted]))
    added = 0
    for record in wanted:
        if record.memory_id not in there:
            _put(database, record, graph)
            there.add(record.memory_id)
            added += 1
        for key in record.keys:
            database.run(_SQL["put_key_once"], {"key": key, "memory_id": record.memory_id})
    return added


def _put(database: Database, record: MemoryRecord, graph: GraphId) -> None:
    record = contract.checked_record(record, graph)
    if record.memory is not None:
        database.run(_GRAPH["put_memory"], rows.memory_row(record.memory))
        database.run(_GRAPH["put_passage"], rows.passage_row(record.memory))
    numbers = [entry.seq for entry in record.journal]
    if database.all(_SQL["numbers_taken"], {"numbers": encode(numbers)}):
        [(last,)] = database.all(_GRAPH["last_seq"])
        record = replace(record, journal=renumbered(record.journal, contract.next_number(rows.whole(last))))
    for entry in record.journal:
        database.run(_GRAPH["put_entry"], rows.entry_row(entry))


def _keys(database: Database, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for memory_id, key in database.all(_SQL["keys_of"], {"ids": encode(ids)}):
        found.setdefault(str(memory_id), []).append(str(key))
    return {memory_id: tuple(keys) for memory_id, keys in found.items()}


def _chars(found: Iterable[Row]) -> int:
    return sum(len(value) for row in found for value in row if isinstance(value, str))

"""What of a damaged file can go into the one that takes its place? Every row whose checksum says that it is whole.

The rows come byte for byte from whatever page can be read. A memory whose row is lost comes back from its last change,
if the journal still has it; where a later change may be lost too, it waits for review instead of being acted on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Final

from wisen.core.records import JournalEntry
from wisen.core.types import GraphId, Memory, Status
from wisen.errors import StoreDamaged
from wisen.store.contract import fingerprint
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.checksum import seal
from wisen.store.sqlite.connection import Database, Value
from wisen.store.sqlite.files import CONTROL, FileKind
from wisen.store.sqlite.pages import Image, Record, Stored

_HERE = Path(__file__).parent
_SQL = load(_HERE / "queries" / "salvage.sql")
_GRAPH_SQL = load(_HERE / "queries" / "graph.sql")

_Row = dict[str, Value]


@dataclass(frozen=True, slots=True)
class CarriedTable:
    """A table whose rows are recognised by their checksum; `columns` in the order in which the file has them.

    `number` is the column that is the rowid, '' where there is none; `is_sealed` says whether the checksum covers it.
    """

    name: str
    columns: tuple[str, ...]
    number: str = ""
    is_number_sealed: bool = False
    has_rowid: bool = True


_MEMORY_COLUMNS: Final = (
    "number memory_id status kind source confidence pinned support created_us snoozed_us digest body checksum"
)
GRAPH_TABLES: Final = (
    CarriedTable("memories", tuple(_MEMORY_COLUMNS.split()), "number"),
    CarriedTable(
        "journal",
        tuple("seq memory_id at_us actor action reason before after undone_by checksum batch".split()),
        "seq",
        is_number_sealed=True,
    ),
)
CONTROL_TABLES: Final = (
    CarriedTable("sessions", tuple("harness session_id last_us promoted_seq body checksum".split())),
    CarriedTable("events", tuple("seq harness event_id session_id at_us seen_us body checksum".split()), "seq"),
    CarriedTable("signals", tuple("seq harness session_id key at_us body checksum".split()), "seq"),
    CarriedTable("jobs", tuple("seq job_id kind key state created_us due_us body checksum".split()), "seq"),
    CarriedTable(
        "receipts", tuple("seq receipt_id harness session_id epoch at_us graphs body checksum".split()), "seq"
    ),
    CarriedTable(
        "lookups", tuple("number graph symbol harness session_id event_id at_us body checksum".split()), "number"
    ),
    CarriedTable("root_claims", ("graph", "body", "checksum"), has_rowid=False),
    CarriedTable("aliases", ("old", "new", "checksum"), has_rowid=False),
)
_LATER_COLUMNS: Final[Mapping[str, Value]] = {"batch": ""}  # what a row written before there was the column has
_REAL_COLUMNS: Final = ("confidence",)  # SQLite keeps 1.0 as 1


@dataclass(frozen=True, slots=True)
class Salvaged:
    """How many rows of each table were carried over, and how many were found that are not what was written."""

    carried: Mapping[str, int]
    unsound: int


def salvage(image: Image, kind: FileKind, into: Database, graph: GraphId | None = None) -> Salvaged:
    """Carry over what can be read into a new file, within an open transaction. A graph's file needs its id."""
    sifted = _Sifted(CONTROL_TABLES if kind is CONTROL else GRAPH_TABLES)
    carried: Counter[str] = Counter()
    for record in image.records():
        for table, row in sifted.take(record):
            carried[table] += into.run(_SQL[f"carry_{table}"], row)
    for record in image.older():
        for table, row in sifted.take(record):
            if table != "memories":  # the journal knows better what became of one than an older page does
                carried[table] += into.run(_SQL[f"carry_{table}"], row)
    if carried:  # without one sound row nothing says that this was a file of ours
        unsealed = "counters" if graph is None else "natural_keys"
        for row in _counters(image) if graph is None else sifted.keys:
            carried[unsealed] += into.run(_SQL[f"carry_{unsealed}"], row)
    if graph is not None:
        carried["memories"] += _restore_from_journal(into, graph, sifted.last_change)
        _index(into, graph)
    for table, seq in sifted.numbers.items():
        into.run(_SQL["set_last_number"], {"table": table, "seq": seq})
    return Salvaged({name: count for name, count in sorted(carried.items()) if count}, sifted.unsound)


class _Sifted:
    """What the records of a file were: rows of some tables, natural keys, the last numbers given, or unsound."""

    def __init__(self, tables: Sequence[CarriedTable]) -> None:
        self._tables = tables
        self._counted = {table.name for table in tables} & {"signals", "journal"}
        self._said: set[str] = set()
        self.numbers: Counter[str] = Counter()  # no later signal or change may have one of these again
        self.keys: list[_Row] = []
        self.unsound = 0

    def take(self, record: Record) -> Iterator[tuple[str, _Row]]:
        """Return the table that a record belongs to and its row, if its checksum says so; note what else it is."""
        like = [table for table in self._tables if _is_like(table, record)]
        for table in like:
            if (row := _sealed_row(table, record)) is not None:
                self._note_numbers(table.name, row)
                yield table.name, row
                return
        self.unsound += bool(like)
        match record:
            case Record(is_table=True, values=(str() as name, int() as seq)) if name in self._counted:
                self.numbers[name] = max(self.numbers[name], seq)  # a row of sqlite_sequence
                self._said.add(name)
            case Record(is_table=False, values=(str() as key, str() as memory_id)) if _is_hashed(key):
                self.keys.append({"key": key, "memory_id": memory_id})  # no index of a graph file holds two texts

    @property
    def last_change(self) -> int | None:
        """The number of the last change there was; None where nothing says it."""
        return self.numbers["journal"] if "journal" in self._said else None

    def _note_numbers(self, table: str, row: _Row) -> None:
        for column, of in (("seq", table), ("promoted_seq", "signals"), ("undone_by", "journal")):
            if column in row and (of in self._counted):
                self.numbers[of] = max(self.numbers[of], rows.whole(row[column]))


def _sealed_row(table: CarriedTable, record: Record) -> _Row | None:
    """Return a record as a row of a table, if its checksum says that it is one."""
    row = _named(table, record)
    left_out = {"checksum", *_LATER_COLUMNS, *({table.number} if not table.is_number_sealed else ())}
    values = [row[name] for name in table.columns if name not in left_out]
    values += [row[name] for name in _LATER_COLUMNS if row.get(name)]
    return row if seal(table.name, *values) == row["checksum"] else None


def _is_like(table: CarriedTable, record: Record) -> bool:
    """Whether a record has the shape of a table's rows."""
    fewest = table.columns.index("checksum") + 1
    return (
        record.is_table == table.has_rowid
        and fewest <= len(record.values) <= len(table.columns)
        and isinstance(record.values[fewest - 1], int)
        and not any(isinstance(value, bytes) for value in record.values)
    )


def _named(table: CarriedTable, record: Record) -> _Row:
    values = [_plain(value) for value in record.values]
    row = dict(_LATER_COLUMNS if "batch" in table.columns else {}) | dict(zip(table.columns, values, strict=False))
    if table.number:
        row[table.number] = record.rowid
    for name in _REAL_COLUMNS:
        if isinstance(row.get(name), int):
            row[name] = rows.real(row[name])
    return row


def _plain(value: Stored) -> Value:
    return None if isinstance(value, bytes) else value


def _is_hashed(key: str) -> bool:
    return len(key) == len(fingerprint("")) and key.isalnum()


def _counters(image: Image) -> Iterator[_Row]:
    """Return the counters, by way of the schema: an index may hold records that look the same."""
    for entry in image.records():
        match entry.values:
            case ("table", "counters", _, int() as root, _):
                for record in image.tree(root):
                    match record:
                        case Record(is_table=False, values=(str() as name, int() as count)):
                            yield {"name": name, "count": count}


def _restore_from_journal(into: Database, graph: GraphId, last: int | None) -> int:
    """Put back the memories whose row is lost, as their last change left them; return how many.

    `last` is the number of the last change there was, None where nothing says it.
    """
    held = {str(row[1]) for row in into.all(_GRAPH_SQL["every_memory"])}
    entries = list(_readable_entries(into, graph))
    newest: dict[str, JournalEntry] = {}
    for entry in entries:
        newest.setdefault(entry.memory_id, entry)
    unbroken_from = _unbroken_from([entry.seq for entry in entries], last)
    restored = 0
    for entry in newest.values():
        if entry.memory_id not in held and entry.after is not None:  # without an `after` it was purged
            memory = entry.after if entry.seq + 1 >= unbroken_from else _to_be_reviewed(entry.after)
            restored += into.run(_GRAPH_SQL["put_memory"], rows.memory_row(memory))
    return restored


def _readable_entries(database: Database, graph: GraphId) -> Iterator[JournalEntry]:
    for row in database.all(_GRAPH_SQL["entries"], {"memory_id": "", "batch": "", "limit": -1}):
        with suppress(StoreDamaged):
            yield rows.entry_of(row[1:], graph)


def _unbroken_from(newest_first: Sequence[int], last: int | None) -> float:
    """Return the number from which on no change is missing; infinity when none of the last ones is known."""
    unbroken = inf if last is None else float(last + 1)
    for seq in newest_first:
        if seq + 1 != unbroken:
            break
        unbroken = seq
    return unbroken


def _to_be_reviewed(memory: Memory) -> Memory:
    return replace(memory, status=Status.PENDING_REVIEW) if memory.status is Status.ACTIVE else memory


def _index(into: Database, graph: GraphId) -> None:
    """Make the words of every memory findable; nothing of the old index is taken over."""
    for row in into.all(_GRAPH_SQL["every_memory"]):
        with suppress(StoreDamaged):
            into.run(_GRAPH_SQL["put_passage"], rows.passage_row(rows.memory_of(row[1:], graph)))

"""Which rows of the control file are what was written? The others are moved aside, so that nothing waits for them.

They keep their bytes, in the table `damaged`, until they are as old as what is pruned.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from wisen.core.records import Job, Lookup, Receipt, RootClaim, Session
from wisen.core.types import Event, Signal
from wisen.errors import StoreDamaged
from wisen.store.contract import storable
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Row, Value
from wisen.store.sqlite.group import GroupedWriter

log = logging.getLogger(__name__)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SQL = load(Path(__file__).with_name("queries") / "control.sql")
_TOLD = 10  # damaged rows that are named one by one
_AT_ONCE = 500  # rows that are looked at before somebody else may use the file


@dataclass(frozen=True, slots=True)
class Table(Generic[T_co]):
    """How the rows of a table are read, the query that moves one away, and the one that goes through many."""

    name: str
    read: Callable[[Row], T_co]
    set_aside: str
    some: str = ""


EVENTS: Table[Event] = Table("events", rows.event_of, "set_aside_event", "some_events")
SESSIONS: Table[Session] = Table("sessions", rows.session_of, "set_aside_session", "some_sessions")
SIGNALS: Table[Signal] = Table("signals", rows.signal_of, "set_aside_signal", "some_signals")
JOBS: Table[Job] = Table("jobs", rows.job_of, "set_aside_job", "some_jobs")
RECEIPTS: Table[Receipt] = Table("receipts", rows.receipt_of, "set_aside_receipt", "some_receipts")
LOOKUPS: Table[Lookup] = Table("lookups", rows.lookup_of, "set_aside_lookup", "some_lookups")
CLAIMS: Table[RootClaim] = Table("root_claims", rows.claim_of, "set_aside_claim")
ALIASES: Table[tuple[str, str]] = Table("aliases", rows.alias_of, "set_aside_alias")
_MANY: Sequence[Table[object]] = (EVENTS, SESSIONS, SIGNALS, JOBS, RECEIPTS, LOOKUPS)


class SoundRows:
    """Reads rows; the first column of each says which row it is, the others are what was sealed."""

    def __init__(self, file: GroupedWriter) -> None:
        self._file = file
        self._is_looked_at = False

    def all(self, table: Table[T], query: str, parameters: Mapping[str, Value] | None = None) -> list[T]:
        """Return what the sound rows that a query finds hold."""
        return [value for _, value in self.with_rows(table, query, parameters)]

    def first(self, table: Table[T], query: str, parameters: Mapping[str, Value] | None = None) -> T | None:
        """Return what the first row that a query finds holds; None when there is none, or it is damaged."""
        with self._file.read() as database:
            row = database.first(_SQL[query], storable(parameters))
            return self.value(table, row) if row else None

    def with_rows(
        self, table: Table[T], query: str, parameters: Mapping[str, Value] | None = None
    ) -> list[tuple[Row, T]]:
        """Return the sound rows that a query finds, each with what it holds."""
        with self._file.read() as database:
            found = database.all(_SQL[query], storable(parameters))
            return list(self._sound(table, found))

    def value(self, table: Table[T], row: Row) -> T | None:
        """Return what a row holds, or None for a damaged one, which is set aside."""
        try:
            return table.read(row[1:])
        except StoreDamaged as error:
            with self._file.write() as database:
                database.run(_SQL[table.set_aside], {"row": row[0], "what": error.message})
                log.warning("row_set_aside", extra={"path": str(database.path), "what": error.message})
            return None

    def problems(self) -> Sequence[str]:
        """Return a sentence for each row that was set aside, the latest first; of many, how many more there are.

        The first call looks at every row, a later one tells what was met since as well.
        """
        if not self._is_looked_at:
            for table in _MANY:  # the others are read whenever a repository is looked up
                self._look_at(table)
            self._is_looked_at = True
        with self._file.read() as database:
            found = database.all(_SQL["damaged_rows"], {"limit": _TOLD})
        told = [
            f"{database.path}: {what} (row {row_id} of {origin}); it is kept in the table `damaged` and out of use"
            for origin, row_id, what, _ in found
        ]
        more = rows.whole(found[0][3]) - len(found) if found else 0
        return (*told, f"{database.path}: {more} more damaged rows") if more else tuple(told)

    def _look_at(self, table: Table[object]) -> None:
        last: Value = 0
        while last is not None:
            with self._file.read() as database:
                found = database.all(_SQL[table.some], {"after": last, "limit": _AT_ONCE})
                for row in found:
                    if not rows.is_sealed(table.name, row[1:]):
                        self.value(table, row)
            last = found[-1][0] if found else None

    def _sound(self, table: Table[T], found: Iterable[Row]) -> Iterable[tuple[Row, T]]:
        for row in found:
            if (value := self.value(table, row)) is not None:
                yield row, value

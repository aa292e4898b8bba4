"""What does an export file hold? One JSON object a line: a header, records, and an end by which a cut file is known.

A record is a memory with everything that happened to it, an alias of a graph, or a root claim. The lines of an export
are sorted and in one spelling, so that equal data gives equal bytes; neither a time nor a version of wisen is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, TypeAlias

from wisen.core.records import JournalEntry, RootClaim
from wisen.core.types import GraphId, Memory
from wisen.errors import InvalidValue

FORMAT: Final = "wisen-export"
VERSION: Final = 1
"""Raised when a field or a kind of record is added; an importer reads every version up to its own, and of a later one
what it knows."""

LONGEST_LINE_BYTES: Final = 32_000_000
"""A line beyond it is no memory: the longest real one, changed a thousand times, has 10 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """A memory with its journal, oldest change first, and the hashes of its natural keys, sorted.

    `memory` is None for one that was purged: its emptied journal and its keys see to it that it is not learned again.
    """

    graph: GraphId
    memory_id: str
    memory: Memory | None
    journal: tuple[JournalEntry, ...] = ()
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A former id of a graph."""

    old: GraphId
    new: GraphId


Record: TypeAlias = MemoryRecord | Alias | RootClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line: which format, which graphs have memories in the file."""

    version: int = VERSION
    graphs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The last line: how many records there are, and the SHA-256 of all lines before this one."""

    records: int
    sha256: str


class Tally:
    """Counts the lines of a file and sums up their bytes, for its end."""

    def __init__(self) -> None:
        self.records = 0
        self._sum = sha256()

    def add(self, line: bytes, *, is_record: bool = True) -> None:
        """Take one more line, its line feed included."""
        self.records += is_record
        self._sum.update(line)

    @property
    def end(self) -> End:
        """What the end of a file with these lines says."""
        return End(records=self.records, sha256=self._sum.hexdigest())


def header_line(graphs: Sequence[str]) -> str:
    """Return the first line of an export, without its line feed."""
    return _line({"format": FORMAT, "version": VERSION, "graphs": sorted(graphs)})


def end_line(end: End) -> str:
    """Return the last line of an export, without its line feed."""
    return _line({"record": "end", "records": end.records, "sha256": end.sha256})


def header_of(line: str) -> Header | None:
    """Return what the first line of a file says, None where it is a record already: a piece of an export.

    Raises InvalidValue for what is no export at all.
    """
    said = _object(line)
    if said is None or not ("record" in said or said.get("format") == FORMAT):
        raise InvalidValue("the file is no export of wisen: its first line says nothing of the kind", hint=_MADE_BY)
    if said.get("format") != FORMAT:
        return None
    version, graphs = said.get("version"), said.get("graphs", [])
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InvalidValue(f"the file's version is {version!r}, not a whole number of at least 1", hint=_MADE_BY)
    named = tuple(name for name in graphs if isinstance(name, str)) if isinstance(graphs, list) else ()
    return Header(version=version, graphs=named)


def end_of(line: str) -> End | None:
    """Return what a line says if it is the end of an export, otherwise None."""
    said = _object(line) if '"end"' in line and len(line) < _END_MAX_CHARS else None
    if said is None or said.get("record") != "end":
        return None
    records, digest = said.get("records"), said.get("sha256")
    return End(records=records if isinstance(records, int) else -1, sha256=str(digest))


def in_graph(record: MemoryRecord, graph: GraphId) -> MemoryRecord:
    """Return a record as one of another graph."""
    journal = tuple(
        replace(
            entry,
            before=entry.before and replace(entry.before, graph=graph),
            after=entry.after and replace(entry.after, graph=graph),
        )
        for entry in record.journal
    )
    memory = record.memory and replace(record.memory, graph=graph)
    return replace(record, graph=graph, memory=memory, journal=journal)


def renumbered(journal: Sequence[JournalEntry], first: int) -> tuple[JournalEntry, ...]:
    """Return a memory's journal with numbers from `first` on: its own belong to other changes where it goes."""
    numbers = {entry.seq: first + n for n, entry in enumerate(journal)}
    return tuple(replace(entry, seq=numbers[entry.seq], undone_by=numbers.get(entry.undone_by, 0)) for entry in journal)


_END_MAX_CHARS: Final = 1000
_MADE_BY: Final = "`wisen export` makes one"


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _object(line: str) -> Mapping[str, object] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None

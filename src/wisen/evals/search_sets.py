"""What do the files of a retrieval set hold: records to search in, and queries with the records that answer them?

Two layouts are read. A JSON file, plain or gzipped, is a list of groups `{name, docs: [[id, text, session, date]...],
queries: [[question, [gold ids], category]...]}`; only the records of its own group answer a query. A directory has
records as Markdown below `docs/` and queries as JSON Lines, `{query, expected_doc, difficulty}`, or in a JSON object,
`{queries: [{query, expected_files, type}...]}`.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.errors import NotFound, PayloadError
from wisen.transcripts.fields import Fields, JsonValue, decode, objects_in

_EXPECTED: Final = "a retrieval set is a list of groups {name, docs, queries}, or a directory with docs/*.md"


@dataclass(frozen=True, slots=True)
class Record:
    """One thing to be found; `session` groups the turns of one conversation, '' where there is none."""

    record_id: str
    text: str
    session: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A question, the ids of the records that answer it, and of which kind it is."""

    text: str
    gold: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Group:
    """Records and the queries that are asked of them alone."""

    name: str
    records: tuple[Record, ...]
    queries: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """A named set of groups."""

    name: str
    groups: tuple[Group, ...]

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return sum(len(group.queries) for group in self.groups)


def read_set(path: Path) -> RetrievalSet:
    """Read a set. Raises NotFound when it can't be read, PayloadError when it is none or has nothing to ask."""
    groups = (_from_directory(path),) if path.is_dir() else tuple(_from_file(path))
    found = RetrievalSet(path.name.split(".")[0], groups)
    for group in groups:
        known = {record.record_id for record in group.records}
        if stray := next((gold for query in group.queries for gold in query.gold if gold not in known), ""):
            raise PayloadError(f"{path}: {stray!r} is to be found, but is no record of {group.name!r}")
    if not found.queries:
        raise PayloadError(f"{path} has no queries", hint=_EXPECTED)
    return found


# --- one file ---------------------------------------------------------------------------------------------------


def _from_file(path: Path) -> Iterator[Group]:
    value = _json(path)
    if not isinstance(value, list):
        raise PayloadError(f"{path} is no list", hint=_EXPECTED)
    for group in objects_in(value):
        try:
            records = tuple(_record(row) for row in _rows(group.value("docs")))
            queries = tuple(_query(row) for row in _rows(group.value("queries")))
        except (TypeError, ValueError, IndexError) as error:
            raise PayloadError(f"{path}, group {group.text('name')!r}: {error}", hint=_EXPECTED) from error
        yield Group(group.text("name"), records, queries)


def _rows(value: JsonValue) -> Sequence[Sequence[JsonValue]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise TypeError("docs and queries are lists of lists")
    return [row for row in value if isinstance(row, list)]


def _record(row: Sequence[JsonValue]) -> Record:
    record_id, text, *rest = row
    session, date, *_ = (*rest, "", "")
    return Record(str(record_id), str(text), "" if session is None else str(session), str(date or ""))


def _query(row: Sequence[JsonValue]) -> Query:
    text, gold, *rest = row
    if not isinstance(gold, list):
        raise TypeError("the second value of a query is the list of what answers it")
    return Query(str(text), tuple(str(one) for one in gold), str(rest[0]) if rest else "")


# --- a directory ------------------------------------------------------------------------------------------------


def _from_directory(path: Path) -> Group:
    records = tuple(Record(doc.stem, _text(doc)) for doc in sorted((path / "docs").glob("*.md")))
    if not records:
        raise PayloadError(f"{path} has no docs/*.md", hint=_EXPECTED)
    names = [record.record_id for record in records]
    queries = [
        Query(row.text("query"), (_named(row.text("expected_doc"), names, file),), f"{file.stem}/{_kind(row)}")
        for file in sorted(path.glob("*.jsonl"))
        for row in map(decode, filter(None, _text(file).encode().splitlines()))
    ]
    for file in sorted(path.glob("*.json")):
        queries += _benched(file, names)
    return Group(path.name, records, tuple(queries))


def _benched(file: Path, names: Sequence[str]) -> Iterator[Query]:
    value = _json(file)
    for row in Fields(value).objects("queries") if isinstance(value, dict) else ():
        expected = row.value("expected_files")
        files = [str(one) for one in expected] if isinstance(expected, list) else []
        yield Query(row.text("query"), tuple(_named(one, names, file) for one in files), f"{file.stem}/{_kind(row)}")


def _kind(row: Fields) -> str:
    return row.text("difficulty") or row.text("type")


def _named(expected: str, names: Sequence[str], file: Path) -> str:
    """Return the record that is meant by a name or a part of one."""
    found = [name for name in names if expected.removesuffix(".md") in name] if expected else []
    if len(found) != 1:
        raise PayloadError(f"{file}: {expected!r} names {len(found)} documents")
    return found[0]


# --- bytes ------------------------------------------------------------------------------------------------------


def _json(path: Path) -> JsonValue:
    try:
        value: JsonValue = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{path} is not JSON: {error}", hint=_EXPECTED) from error
    return value


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw).decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error) as error:
        raise NotFound(f"can't read {path}: {error}") from error

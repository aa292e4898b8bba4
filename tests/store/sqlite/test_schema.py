"""The schema files, the migrations and the queries tell one story."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

import wisen.store.sqlite
from wisen.store.migrate import Part, Shape, migrate, shape
from wisen.store.queries import load
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.files import CONTROL, GRAPH, FileKind

HERE = Path(wisen.store.sqlite.__path__[0])
KINDS = pytest.mark.parametrize("kind", [CONTROL, GRAPH], ids=lambda kind: kind.name)
COLUMNS = {f"{row}_columns" for row in ("entry", "event", "job", "lookup", "memory", "receipt", "session", "signal")}
FRAGMENTS = {"standing", "admitted", "admitted_passage", "id_starts_so", "sessions_in_use"} | COLUMNS
ALSO = {"control": (), "graph": ("vectors",)}


@pytest.fixture
def empty() -> Iterator[Database]:
    with Database(Path(":memory:")) as database:
        yield database


def words(shape: Shape) -> dict[Part, list[str]]:
    """Return the words of each statement; an added column stands last in a migrated table and is no other column."""
    return {part: sorted(re.findall(r"[^\s,()]+", re.sub("--.*", "", sql))) for part, sql in shape.items()}


@KINDS
def test_all_migrations_together_make_what_the_schema_file_says(kind: FileKind, empty: Database) -> None:
    migrate(empty, kind.migrations)
    with Database(Path(":memory:")) as described:
        described.run((HERE / "schema" / f"{kind.name}.sql").read_text(encoding="utf-8"))
        assert words(shape(empty)) == words(shape(described))
        assert described.all("PRAGMA application_id") == empty.all("PRAGMA application_id") == [(kind.application_id,)]


@KINDS
def test_every_table_is_strict(kind: FileKind, empty: Database) -> None:
    migrate(empty, kind.migrations)
    loose = "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite%'"
    assert empty.all(loose) == []


@KINDS
def test_every_query_is_understood_by_the_schema(kind: FileKind) -> None:
    connection = apsw.Connection(":memory:")
    for path in sorted(kind.migrations.glob("*.sql")):
        connection.execute(path.read_text(encoding="utf-8"))
    connection.create_scalar_function("mentions", lambda *_: False, 1)  # the store's own
    shared = HERE / "queries" / f"{kind.name}.sql"
    queries = dict(load(shared))
    for other in ALSO[kind.name]:
        queries |= load(HERE / "queries" / f"{other}.sql", shared)
    for name, sql in queries.items():
        if name not in FRAGMENTS:
            for statement in filter(str.strip, sql.split(";\n")):
                parameters = dict.fromkeys(re.findall(r":(\w+)", statement))
                connection.execute(f"EXPLAIN {statement}", parameters).fetchall()


@KINDS
def test_every_query_is_used(kind: FileKind) -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py"))
    names = load(HERE / "queries" / f"{kind.name}.sql").keys() - FRAGMENTS
    assert [name for name in sorted(names) if f'"{name}"' not in code] == []


@KINDS
def test_statements_stand_in_sql_files_only(kind: FileKind) -> None:
    statement = re.compile(r"\b(SELECT .* FROM|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE)\b")
    offenders = [path.name for path in HERE.glob("*.py") if statement.search(path.read_text(encoding="utf-8"))]
    assert offenders == []

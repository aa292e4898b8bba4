"""How does a database file become what this version expects?

Migrations are numbered files `NNNN_verb_noun.sql`. Each runs in one transaction together with the version it leads to.
The version number alone is not believed: tables, columns, indexes and triggers are compared with what the migrations
make of an empty database, and what is missing is added. Nothing is deleted here, and rows that break a rule are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from wisen.errors import StoreTooNew
from wisen.store.queries import load
from wisen.store.sqlite.connection import Database, FileDamaged

log = logging.getLogger(__name__)

_SQL = load(Path(__file__).with_name("sqlite") / "queries" / "schema.sql")
_ORDER = ("table", "column", "index", "view", "trigger")


class Part(NamedTuple):
    """A piece of a schema: a table, a column, an index, a view or a trigger; `detail` is what else must be equal."""

    kind: str
    table: str
    name: str
    detail: str


Shape = Mapping[Part, str]  # each part with the statement that adds it


def migrate(database: Database, directory: Path, before: Callable[[int], object] = lambda _: None) -> None:
    """Bring a database to the newest migration of a directory, in place and losing nothing.

    `before` is called with the version it has, if it is going to change.
    Raises StoreTooNew for a version from the future, FileDamaged when the schema can't be completed.
    """
    newest = newest_version(directory)
    version = version_of(database)
    if version > newest:
        raise StoreTooNew(f"{database.path}: version {version}, this wisen knows {newest}")
    start = _believed(database, directory, version)
    if start == newest:
        return
    before(version)
    database.run("PRAGMA foreign_keys = OFF")  # a row without its parent must not stop a migration
    try:
        for number in range(start + 1, newest + 1):
            with database.transaction():
                _step(database, directory, number)
                database.run(f"PRAGMA user_version = {max(version, number)}")
    finally:
        database.run("PRAGMA foreign_keys = ON")
    if orphans := database.all(_SQL["rows_without_parent"]):
        log.warning("rows_without_parent", extra={"path": str(database.path), "rows": len(orphans)})


def newest_version(directory: Path) -> int:
    """Return the number of the newest migration of a directory."""
    return len(_scripts(directory))


def missing(database: Database, directory: Path) -> frozenset[Part]:
    """Return which parts of the schema that a database's version says it has are not there."""
    version = version_of(database)
    return frozenset(_expected(directory, version).keys() - shape(database).keys()) if version else frozenset()


def version_of(database: Database) -> int:
    """Return the number of the last migration the file says it has seen."""
    [(version,)] = database.all("PRAGMA user_version")
    return int(version) if isinstance(version, int) else 0


def shape(database: Database) -> Shape:
    """Return what the schema consists of, independent of how it came about."""
    rows = database.all(_SQL["schema_parts"])
    return {Part(*map(str, row[:4])): str(row[4]) for row in rows}


def _believed(database: Database, directory: Path, version: int) -> int:
    """Return the highest version up to the claimed one whose schema is really there."""
    actual = shape(database).keys()
    return next(n for n in range(version, -1, -1) if _expected(directory, n).keys() <= actual)


def _step(database: Database, directory: Path, number: int) -> None:
    expected = _expected(directory, number)
    added = expected.keys() - _expected(directory, number - 1).keys()
    if added & shape(database).keys():  # it ran before, wholly or in part, and the version number did not say so
        log.warning("schema_repaired", extra={"path": str(database.path), "migration": number})
        _complete(database, expected)
    else:
        database.run(_scripts(directory)[number - 1])
    if missing := expected.keys() - shape(database).keys():
        names = ", ".join(sorted(f"{part.kind} {part.table}.{part.name}" for part in missing))
        raise FileDamaged(f"{database.path}: migration {number} leaves the schema without {names}")


def _complete(database: Database, expected: Shape) -> None:
    for kind in _ORDER:
        present = {part[:3] for part in shape(database)}  # one that differs in detail can't be added over
        for part, statement in expected.items():
            if part.kind == kind and part[:3] not in present:
                database.run(statement)


@cache
def _expected(directory: Path, number: int) -> Shape:
    with Database(Path(":memory:")) as database:
        for script in _scripts(directory)[:number]:
            database.run(script)
        return shape(database)


@cache
def _scripts(directory: Path) -> Sequence[str]:
    paths = sorted(directory.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    if [int(path.name[:4]) for path in paths] != list(range(1, len(paths) + 1)):
        raise ValueError(f"{directory}: migrations are not numbered 1, 2, 3 ...")
    return tuple(path.read_text(encoding="utf-8") for path in paths)

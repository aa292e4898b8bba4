from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from wisen.errors import StoreDamaged, StoreError, StoreTooNew
from wisen.store.migrate import migrate, shape, version_of
from wisen.store.sqlite.connection import Database

FIRST = """
CREATE TABLE parents (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE children (
    id INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE
) STRICT;
"""
SECOND = """
ALTER TABLE parents ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm';
CREATE INDEX parents_by_mood ON parents (mood);
UPDATE parents SET name = upper(name);
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    directory = tmp_path / "migrations"
    directory.mkdir()
    (directory / "0001_create_all.sql").write_text(FIRST)
    (directory / "0002_add_mood.sql").write_text(SECOND)
    return directory


@pytest.fixture
def first_only(tmp_path: Path) -> Path:
    directory = tmp_path / "old-migrations"
    directory.mkdir()
    (directory / "0001_create_all.sql").write_text(FIRST)
    return directory


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "x.db"
    path.touch()
    with Database(path) as database:
        yield database


@pytest.fixture
def old(database: Database, first_only: Path) -> Database:
    """Return a database of version 1 with a row."""
    migrate(database, first_only)
    database.run("INSERT INTO parents (name) VALUES ('ada')")
    return database


def test_an_empty_database_gets_every_migration(database: Database, scripts: Path) -> None:
    migrate(database, scripts)
    assert version_of(database) == 2
    assert database.run("INSERT INTO parents (name) VALUES ('ada')") == 1


def test_an_old_database_keeps_its_rows_and_gets_the_missing_migrations(old: Database, scripts: Path) -> None:
    migrate(old, scripts)
    assert old.all("SELECT name, mood FROM parents") == [("ADA", "calm")]


def test_migrating_twice_changes_nothing(old: Database, scripts: Path) -> None:
    migrate(old, scripts)
    before = shape(old)
    migrate(old, scripts)
    assert shape(old) == before
    assert old.all("SELECT name FROM parents") == [("ADA",)]


def test_a_column_that_is_there_already_is_no_error(old: Database, scripts: Path) -> None:
    old.run("ALTER TABLE parents ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'")
    migrate(old, scripts)
    assert version_of(old) == 2
    assert {part.name for part in shape(old)} >= {"mood", "parents_by_mood"}
    assert len(old.all("SELECT * FROM parents")) == 1


def test_a_version_number_that_is_too_low_is_not_believed(old: Database, scripts: Path) -> None:
    migrate(old, scripts)
    old.run("PRAGMA user_version = 0")
    migrate(old, scripts)
    assert version_of(old) == 2
    assert len(old.all("SELECT * FROM parents")) == 1


def test_a_version_number_that_is_too_high_is_not_believed(old: Database, scripts: Path) -> None:
    old.run("PRAGMA user_version = 2")
    migrate(old, scripts)
    assert old.all("SELECT name, mood FROM parents") == [("ADA", "calm")]


def test_a_missing_table_index_or_column_is_added_whatever_the_version_says(old: Database, scripts: Path) -> None:
    migrate(old, scripts)
    old.run("DROP TABLE children; DROP INDEX parents_by_mood; ALTER TABLE parents DROP COLUMN mood")
    migrate(old, scripts)
    assert {part.name for part in shape(old)} >= {"children", "mood", "parents_by_mood"}
    assert len(old.all("SELECT * FROM parents")) == 1


def test_a_row_without_its_parent_stays_and_stops_nothing(
    old: Database, scripts: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old.run("PRAGMA foreign_keys = OFF; INSERT INTO children (parent) VALUES (99); PRAGMA foreign_keys = ON")
    with caplog.at_level(logging.WARNING):
        migrate(old, scripts)
    assert version_of(old) == 2
    assert old.all("SELECT parent FROM children") == [(99,)]
    assert "rows_without_parent" in caplog.messages
    assert old.all("PRAGMA foreign_keys") == [(1,)]


def test_a_migration_may_rebuild_a_table_without_losing_the_rows_that_refer_to_it(old: Database, scripts: Path) -> None:
    (scripts / "0003_rebuild_parents.sql").write_text(
        "CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT, mood TEXT) STRICT;"
        "INSERT INTO new SELECT id, name, mood FROM parents; DROP TABLE parents; ALTER TABLE new RENAME TO parents;"
    )
    old.run("INSERT INTO children (parent) VALUES (1)")
    migrate(old, scripts)
    assert old.all("SELECT c.id, p.name FROM children AS c JOIN parents AS p ON p.id = c.parent") == [(1, "ADA")]


def test_a_version_from_the_future_is_refused_and_left_alone(old: Database, scripts: Path) -> None:
    old.run("PRAGMA user_version = 3")
    with pytest.raises(StoreTooNew, match="version 3"):
        migrate(old, scripts)
    assert version_of(old) == 3
    assert old.all("SELECT name FROM parents") == [("ada",)]


def test_what_can_not_be_added_is_refused_with_its_name_and_nothing_changes(old: Database, scripts: Path) -> None:
    old.run(
        "PRAGMA foreign_keys = OFF; DROP TABLE parents; CREATE TABLE parents (id INTEGER PRIMARY KEY, name INTEGER)"
    )
    before = shape(old)
    with pytest.raises(StoreDamaged, match=r"parents\.name"):
        migrate(old, scripts)
    assert shape(old) == before
    assert version_of(old) == 1


def test_a_migration_that_fails_leaves_the_database_as_the_one_before_made_it(old: Database, scripts: Path) -> None:
    (scripts / "0003_break_things.sql").write_text("CREATE TABLE half (a) ; INSERT INTO nowhere VALUES (1);")
    with pytest.raises(StoreError, match="nowhere"):
        migrate(old, scripts)
    assert version_of(old) == 2
    assert old.all("SELECT name, mood FROM parents") == [("ADA", "calm")]
    assert "half" not in {part.name for part in shape(old)}
    assert not old.in_transaction


def test_numbers_without_gaps_are_required(database: Database, scripts: Path) -> None:
    (scripts / "0002_add_mood.sql").rename(scripts / "0003_add_mood.sql")
    with pytest.raises(ValueError, match="numbered"):
        migrate(database, scripts)

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from wisen.errors import StoreDamaged, StoreError
from wisen.store.sqlite.connection import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "x.db"
    path.touch()
    with Database(path) as database:
        database.run("CREATE TABLE t (a INTEGER) STRICT")
        yield database


def every_error() -> list[type[apsw.Error]]:
    kinds = [getattr(apsw, name) for name in dir(apsw) if name.endswith("Error")]
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, apsw.Error)]


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_every_error_of_sqlite_becomes_a_store_error_that_names_the_file(
    database: Database, kind: type[apsw.Error]
) -> None:
    with pytest.raises(StoreError, match=r"x\.db: the reason"), database._translated():
        raise kind("the reason")


@pytest.mark.parametrize("kind", [apsw.CorruptError, apsw.NotADBError])
def test_damage_is_told_apart(database: Database, kind: type[apsw.Error]) -> None:
    with pytest.raises(StoreDamaged) as caught, database._translated():
        raise kind("x")
    assert "backup" in caught.value.hint


def test_a_full_disk_says_so_and_the_transaction_is_undone(database: Database) -> None:
    database.all("PRAGMA max_page_count = 3")
    with pytest.raises(StoreError) as caught, database.transaction():
        database.run(
            "INSERT INTO t WITH RECURSIVE n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n LIMIT 10000"
        )
    assert "disk is full" in caught.value.hint
    assert not database.in_transaction
    assert database.all("SELECT * FROM t") == []


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"none\.db"):
        Database(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_text_that_is_no_utf8_hides_no_other_row_and_is_marked(database: Database) -> None:
    database.run("CREATE TABLE names (n, name)")
    database.run("INSERT INTO names VALUES (1, 'a'), (2, CAST(x'66ff' AS TEXT)), (3, NULL), (4, 'ä')")
    query = "WITH all_of_them AS (SELECT n, n, name FROM names) SELECT * FROM all_of_them WHERE n < :below ORDER BY -n"
    found = database.all(query, {"below": 9})
    assert found == [(4, 4, "ä"), (3, 3, None), (2, 2, "f\ufffd"), (1, 1, "a")]


def write_and_fail(database: Database, value: int) -> None:
    database.run("INSERT INTO t VALUES (:value)", {"value": value})
    raise ZeroDivisionError


def test_a_transaction_is_all_or_nothing(database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.transaction():
        write_and_fail(database, 1)
    assert database.all("SELECT * FROM t") == []


def test_a_savepoint_undoes_its_own_part_only(database: Database) -> None:
    with database.transaction():
        database.run("INSERT INTO t VALUES (1)")
        with pytest.raises(ZeroDivisionError), database.savepoint():
            write_and_fail(database, 2)
    assert database.all("SELECT a FROM t") == [(1,)]


def test_every_commit_is_flushed_to_disk_and_deleted_bytes_are_overwritten(database: Database) -> None:
    pragmas = {name: database.all(f"PRAGMA {name}")[0][0] for name in ("synchronous", "secure_delete", "foreign_keys")}
    assert pragmas == {"synchronous": 2, "secure_delete": 1, "foreign_keys": 1}


def test_a_reader_can_not_write(database: Database) -> None:
    with Database(database.path, read_only=True) as reader, pytest.raises(StoreError):
        reader.run("INSERT INTO t VALUES (1)")

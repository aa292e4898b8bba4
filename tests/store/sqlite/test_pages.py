"""What the page reader finds is what SQLite would have found, and nothing makes it raise."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.pages import Image, Record, image_of

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False).filter(lambda x: x != int(x) if abs(x) < 2**53 else True),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.integers(4000, 30_000).map(lambda n: "long " * n),
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "x.db"
    path.touch()
    with Database(path) as database:
        database.all("PRAGMA journal_mode = WAL")
        yield database


def rows_of(image: Image, width: int) -> list[tuple[object, ...]]:
    return [r.values[1:] for r in image.records() if r.is_table and len(r.values) == width]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=30))
def test_every_value_comes_back_as_it_was_stored(rows: list[tuple[object, ...]]) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)")
    connection.executemany("INSERT INTO t (a, b, c) VALUES (?, ?, ?)", rows)
    image = Image(connection.serialize("main"))
    assert rows_of(image, 4) == rows


def test_what_is_in_the_log_only_is_read_too(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT) STRICT")
    database.run("INSERT INTO t (a, b) VALUES ('first', 'x')")
    database.checkpoint()
    database.run("UPDATE t SET a = 'changed'")
    database.run("BEGIN; INSERT INTO t (a, b) VALUES ('not committed', 'x')")
    log = database.path.with_name("x.db-wal")
    assert b"first" in database.path.read_bytes()
    assert rows_of(image_of(database.path, log), 3) == [("changed", "x")]
    database.run("ROLLBACK")


def test_a_log_that_is_emptied_while_the_file_is_read_loses_nothing(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT) STRICT")
    database.run("INSERT INTO t (a, b) VALUES ('first', 'x')")
    read, path = Path.read_bytes, database.path
    todo: list[Callable[[], object]] = [
        database.checkpoint,
        lambda: database.run("INSERT INTO t (a, b) VALUES ('second', 'x')"),
    ]

    def read_while_somebody_writes(self: Path) -> bytes:
        content = read(self)
        if self == path and todo:
            todo.pop(0)()
        return content

    monkeypatch.setattr(Path, "read_bytes", read_while_somebody_writes)
    assert rows_of(image_of(path, path.with_name("x.db-wal")), 3) == [("first", "x"), ("second", "x")]


def test_a_torn_frame_ends_the_log_at_the_commit_before_it(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT) STRICT")
    database.checkpoint()
    database.run("INSERT INTO t (a, b) VALUES ('one', 'x')")
    database.run("UPDATE t SET a = 'two'")
    content = bytearray(database.path.with_name("x.db-wal").read_bytes())
    content[content.rindex(b"two")] ^= 1
    assert rows_of(Image(database.path.read_bytes(), bytes(content)), 3) == [("one", "x")]


def test_rows_are_found_though_the_pages_that_lead_to_them_are_lost(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT) STRICT")
    for n in range(300):
        database.run("INSERT INTO t (a, b) VALUES (:a, :b)", {"a": str(n), "b": "padding " * 20})
    [(root,)] = database.all("SELECT rootpage FROM sqlite_schema")
    database.checkpoint()
    content = bytearray(database.path.read_bytes())
    for page in (1, int(root or 0)):
        content[(page - 1) * 4096 : page * 4096] = bytes(4096)
    assert sorted(int(str(a)) for a, _ in rows_of(Image(bytes(content)), 3)) == list(range(300))


def test_a_tree_is_walked_from_its_root(database: Database) -> None:
    database.run("CREATE TABLE a (name TEXT PRIMARY KEY, n INTEGER) STRICT, WITHOUT ROWID")
    database.run("CREATE TABLE b (name TEXT PRIMARY KEY, n INTEGER) STRICT, WITHOUT ROWID")
    for n in range(500):
        database.run("INSERT INTO a VALUES (:k, :n)", {"k": f"a{n:04}", "n": n})
        database.run("INSERT INTO b VALUES (:k, :n)", {"k": f"b{n:04}", "n": n})
    [(root,)] = database.all("SELECT rootpage FROM sqlite_schema WHERE name = 'b'")
    database.checkpoint()
    image = image_of(database.path, database.path.with_name("none"))
    assert sorted(r.values for r in image.tree(int(root or 0))) == [(f"b{n:04}", n) for n in range(500)]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=600), st.integers(0, 4096 * 3 - 1), st.binary(max_size=200))
def test_nothing_that_is_read_makes_it_raise_or_go_on_for_ever(noise: bytes, at: int, log: bytes) -> None:
    content = bytearray(SOUND)
    content[at : at + len(noise)] = noise
    image = Image(bytes(content), log)
    assert all(isinstance(record, Record) for record in image.records())
    assert all(isinstance(record, Record) for record in image.tree(2))


def test_a_chain_that_bites_its_tail_ends() -> None:
    content = bytearray(SOUND)
    for start in range(0, len(content), 4096):
        if content[start] not in {0x0D, 0x53}:
            content[start : start + 4] = struct.pack(">I", start // 4096 + 1)
    assert len(list(Image(bytes(content)).records())) <= 10


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0", b"\0" * 5000])
def test_of_no_database_nothing_is_read(content: bytes) -> None:
    assert list(Image(content).records()) == []


def _sound() -> bytes:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
    connection.execute("INSERT INTO t (a, b) VALUES ('x', 1), (zeroblob(9000), 2), ('z', 3.5)")
    return connection.serialize("main")


SOUND = _sound()

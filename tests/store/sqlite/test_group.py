from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer

import pytest

from wisen.errors import StoreError
from wisen.store.sqlite import group
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.group import GroupedWriter

WRITE = "INSERT INTO t VALUES (1)"
READ = "SELECT count(*) FROM t"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.db"
    path.touch()
    with Database(path) as database:
        database.all("PRAGMA journal_mode = WAL")
        database.run("CREATE TABLE t (a INTEGER) STRICT")
    return path


@pytest.fixture
def writer(path: Path) -> Iterator[GroupedWriter]:
    writer = GroupedWriter(Database(path))
    yield writer
    writer.close()


@pytest.fixture
def other(path: Path) -> Iterator[Database]:
    """Return what another process would see: committed rows only."""
    with Database(path, read_only=True) as other:
        yield other


def write(writer: GroupedWriter, sql: str = WRITE) -> None:
    with writer.write() as database:
        database.run(sql)


def timer_of(writer: GroupedWriter) -> Timer:
    assert writer._timer is not None
    return writer._timer


def test_a_write_is_seen_at_once_and_on_disk_when_the_timer_ran(writer: GroupedWriter, other: Database) -> None:
    write(writer)
    with writer.read() as database:
        assert database.all(READ) == [(1,)]
    timer = timer_of(writer)
    timer.join()
    assert timer.interval <= 0.05
    assert other.all(READ) == [(1,)]


def test_no_timer_lives_while_nothing_waits(writer: GroupedWriter) -> None:
    assert writer._timer is None
    write(writer)
    timer = timer_of(writer)
    write(writer)
    assert timer_of(writer) is timer, "one timer for all that waits"
    timer.join()
    assert writer._timer is None


def test_a_flush_returns_when_it_is_on_disk(
    writer: GroupedWriter, other: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "COMMIT_WITHIN_S", 3600)
    write(writer)
    assert other.all(READ) == [(0,)]
    writer.flush()
    assert other.all(READ) == [(1,)]
    assert writer._timer is None


def test_a_write_that_fails_takes_no_other_with_it(writer: GroupedWriter, other: Database) -> None:
    write(writer)
    with pytest.raises(StoreError, match="nowhere"):
        write(writer, "INSERT INTO t VALUES (2); INSERT INTO nowhere VALUES (1)")
    writer.flush()
    assert other.all("SELECT a FROM t") == [(1,)]


def test_a_commit_that_fails_is_tried_again(
    writer: GroupedWriter, other: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = Database.run
    broken = [True]

    def run_or_fail(self: Database, sql: str, *args: object) -> int:
        if sql == "COMMIT" and broken:
            broken.pop()
            raise StoreError("no room", hint="make room")
        return run(self, sql)

    monkeypatch.setattr(Database, "run", run_or_fail)
    monkeypatch.setattr(group, "_RETRY_AFTER_S", 0.01)
    write(writer)
    timer_of(writer).join()
    assert "commit_failed" in caplog.messages
    timer_of(writer).join()
    assert other.all(READ) == [(1,)]
    writer.flush()


def test_writes_that_were_lost_are_told_at_the_next_flush(writer: GroupedWriter) -> None:
    write(writer)
    with pytest.raises(StoreError):
        write(writer, "ROLLBACK; SELECT * FROM nowhere")  # SQLite rolls back by itself on some failures
    with pytest.raises(StoreError, match=r"lost: .*nowhere"):
        writer.flush()
    writer.flush()
    write(writer)
    writer.flush()


def test_closing_puts_everything_on_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "COMMIT_WITHIN_S", 3600)
    writer = GroupedWriter(Database(path))
    write(writer)
    timer = timer_of(writer)
    writer.close()
    timer.join()
    with Database(path) as database:
        assert database.all(READ) == [(1,)]


def test_a_mend_that_failed_is_tried_again_by_the_next_call(path: Path) -> None:
    def mended(error: FileDamaged) -> Database:
        tried.append(error)
        if is_full:
            raise StoreError("no room")
        return Database(path)

    tried: list[FileDamaged] = []
    is_full = True
    writer = GroupedWriter(Database(path), mended)
    write(writer)
    damage = FileDamaged("a page is lost")
    with pytest.raises(StoreError, match="no room"):
        writer.mend(damage)
    calls: list[Callable[[], None]] = [lambda: write(writer), writer.checkpoint, lambda: writer.mend(damage)]
    for call in calls:
        with pytest.raises(StoreError, match="no room"):
            call()
    writer.flush()  # what waited went into the damaged file: nothing was lost, nothing waits
    assert tried == [damage] * 4
    is_full = False
    write(writer)
    writer.flush()
    with writer.read() as database:
        assert database.all(READ) == [(2,)]
    assert len(tried) == 5, "and once is enough"
    writer.close()


def test_a_writer_whose_mend_failed_can_be_closed(path: Path) -> None:
    def mended(_: FileDamaged) -> Database:
        raise StoreError("no room")

    writer = GroupedWriter(Database(path), mended)
    with pytest.raises(StoreError, match="no room"):
        writer.mend(FileDamaged("a page is lost"))
    writer.close()

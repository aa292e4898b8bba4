from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.builders import a_session
from tests.store.sqlite.processes import started, together
from wisen.errors import StoreDamaged, StoreError, StoreTooNew
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH, create_file, open_file, sidecars

GARBAGE = b"not a database, but somebody's only copy of something" * 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "x.db"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_files_and_directories_are_the_owners_only(path: Path) -> None:
    old = os.umask(0)
    try:
        store = SqliteControl(path)
        store.save_session(a_session())
        store.flush()
        assert {mode(p) for p in path.parent.iterdir()} == {0o600}
        assert len(list(path.parent.iterdir())) == 3, "the file, its log and its index of the log"
        assert mode(path.parent) == 0o700
        store.close()
    finally:
        os.umask(old)


def test_a_file_is_the_owners_only_from_its_first_moment(path: Path) -> None:
    seen: list[int] = []
    old = os.umask(0)
    try:
        create_file(path, CONTROL, lambda database: seen.append(mode(database.path)))
    finally:
        os.umask(old)
    assert seen == [0o600]


def test_a_file_others_can_read_is_closed_to_them(path: Path) -> None:
    SqliteControl(path).close()
    path.chmod(0o644)
    SqliteControl(path).close()
    assert mode(path) == 0o600


@pytest.mark.parametrize(
    "content", [b"", GARBAGE, b"SQLite format 3\0" + b"\xff" * 5000], ids=["empty", "foreign", "broken"]
)
def test_a_file_that_is_not_ours_is_refused_and_left_as_it_is(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match=r"x\.db") as caught:
        open_file(path, CONTROL)
    assert caught.value.hint
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


def test_another_programs_database_is_refused_and_its_log_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with Database(path) as database:
        database.all("PRAGMA journal_mode = WAL")
        database.run("CREATE TABLE sessions (mine TEXT); INSERT INTO sessions VALUES ('precious')")
        database.checkpoint()
        database.run("INSERT INTO sessions VALUES ('in the log')")
        content = {each: each.read_bytes() for each in sidecars(path)[:2]}
        with pytest.raises(StoreDamaged, match="not a control file"):
            open_file(path, CONTROL)
        assert {each: each.read_bytes() for each in sidecars(path)[:2]} == content


def test_a_graph_file_is_no_control_file(path: Path) -> None:
    create_file(path, GRAPH)
    with pytest.raises(StoreDamaged, match="not a control file"):
        open_file(path, CONTROL)


def test_a_file_of_a_newer_wisen_is_refused(path: Path) -> None:
    create_file(path, CONTROL, lambda database: database.run("PRAGMA user_version = 99"))
    with pytest.raises(StoreTooNew) as caught:
        SqliteControl(path)
    assert "upgrade" in caught.value.hint


def fail(database: Database) -> None:
    raise StoreError("no")


def test_a_file_appears_whole_or_not_at_all(path: Path) -> None:
    with pytest.raises(StoreError):
        create_file(path, CONTROL, fail)
    assert list(path.parent.iterdir()) == []


def test_a_file_that_appeared_meanwhile_is_not_replaced(path: Path) -> None:
    path.parent.mkdir()
    create_file(path, CONTROL, lambda _: path.write_bytes(GARBAGE))
    assert path.read_bytes() == GARBAGE


def test_a_file_is_made_where_hard_links_are_not_supported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    SqliteControl(path).close()
    assert list(path.parent.iterdir()) == [path]


def test_a_directory_that_can_not_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where a directory should be")
    with pytest.raises(StoreError, match="data"):
        SqliteControl(tmp_path / "data" / "x.db")


def test_processes_that_start_together_share_one_file(path: Path) -> None:
    code = """
        store = SqliteControl(path)
        store.count("opened")
        store.close()
    """
    together(*(started(code, path) for _ in range(4)))
    store = SqliteControl(path)
    assert store.counters() == {"opened": 4}
    store.close()

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.builders import FrozenClock, a_graph, a_memory
from tests.store.sqlite.killing import remains_of
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import GraphId
from wisen.errors import StoreDamaged, StoreError
from wisen.store.codec import encode
from wisen.store.sqlite import pool
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.files import sidecars
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

OLD, NEW = a_graph("0a1b", host="path"), a_graph("c0ffee", host="local")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data" / "graphs"


@pytest.fixture
def graphs(directory: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(directory, FrozenClock(), max_open=2)
    yield graphs
    graphs.close()


def test_file_names_tell_nothing_of_the_repository(graphs: SqliteGraphs, directory: Path) -> None:
    graphs.open(a_graph("acme/secret-project"))
    [name] = {path.name.split(".")[0] for path in directory.glob("*.db*")}
    assert len(name) == 24
    assert int(name, 16)


def test_files_and_directories_are_the_owners_only(graphs: SqliteGraphs, directory: Path) -> None:
    graphs.open(a_graph()).add(a_memory(), key="k", actor=Actor.USER, reason="")
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}


def test_only_so_many_graphs_hold_open_files_and_all_go_on_working(graphs: SqliteGraphs) -> None:
    ids = [a_graph(f"acme/{n}") for n in range(5)]
    stores = [graphs.open(graph) for graph in ids]
    assert [store._pool._writer is not None for store in stores] == [False, False, False, True, True]
    for store in stores:
        store.add(a_memory(graph=store.graph), key="k", actor=Actor.USER, reason="")
        assert graphs.open(store.graph) is store


def test_a_file_under_another_graphs_name_is_refused(graphs: SqliteGraphs) -> None:
    graphs.open(a_graph())
    graphs.close()
    graphs._path(a_graph()).rename(graphs._path(NEW))
    with pytest.raises(StoreDamaged, match="acme/widgets"):
        graphs.open(NEW)
    assert graphs.graphs() == ()
    misplaced, gone = graphs.problems()
    assert "acme/widgets" in misplaced
    assert "is gone" in gone


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000])
def test_a_damaged_file_is_told_stops_no_other_graph_and_is_kept_when_its_graph_is_used(
    graphs: SqliteGraphs, directory: Path, content: bytes
) -> None:
    graphs.open(a_graph())
    damaged = graphs._path(NEW)
    damaged.write_bytes(content)

    assert graphs.graphs() == (a_graph(),)
    [problem] = graphs.problems()
    assert str(damaged) in problem
    assert damaged.read_bytes() == content, "a file whose graph nobody knows is left alone"

    store = graphs.existing(NEW)
    assert store is not None
    assert store.add(a_memory(graph=NEW), key="k", actor=Actor.USER, reason="")[1]
    [aside] = directory.glob("*.damaged-*Z")
    assert aside.read_bytes() == content
    [problem] = graphs.problems()
    assert str(aside) in problem
    assert set(graphs.graphs()) == {a_graph(), NEW}


def test_a_file_that_went_away_is_no_graph_any_more(graphs: SqliteGraphs) -> None:
    graphs.open(a_graph())
    assert graphs.graphs() == (a_graph(),)
    graphs.close()
    graphs._path(a_graph()).unlink()
    assert graphs.graphs() == ()


# --- moving -----------------------------------------------------------------------------------------------------


def texts(store: SqliteGraph | None) -> list[str]:
    return sorted(memory.text for memory in store.list(MemoryFilter())) if store else []


def held(directory: Path) -> dict[GraphId, list[str]]:
    """Return what a new process finds in a directory."""
    after = SqliteGraphs(directory, FrozenClock())
    assert after.problems() == ()
    found = {graph: texts(after.existing(graph)) for graph in after.graphs()}
    after.close()
    return found


def add(store: SqliteGraph, text: str) -> None:
    store.add(a_memory(text, graph=store.graph), key=text, actor=Actor.USER, reason="")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.stress)])
def test_a_move_that_is_killed_at_any_step_leaves_the_graph_under_one_name_and_can_be_repeated(
    tmp_path: Path, every: int
) -> None:
    start = tmp_path / "start"
    graphs = SqliteGraphs(start, FrozenClock())
    add(graphs.open(OLD), "one")
    graphs.close()
    code = f"""
        def run(path):
            graphs = SqliteGraphs(path, FrozenClock())
            old = a_graph({OLD.path!r}, host={OLD.authority!r})
            graphs.open(old).add(a_memory("two", graph=old), key="two", actor=Actor.USER, reason="")
            graphs.move(old, a_graph({NEW.path!r}, host={NEW.authority!r}))
    """
    remains = remains_of(code, start, tmp_path / "remains", statements=True, every=every)
    assert len(remains) > 30 / every
    names: list[GraphId] = []
    for each in remains:
        found = held(each)
        assert found in ({graph: said} for graph in (OLD, NEW) for said in (["one"], ["one", "two"]))
        names += found
        again = SqliteGraphs(each, FrozenClock())
        again.move(OLD, NEW)
        add(again.open(NEW), "three")
        again.close()
        assert held(each) == {NEW: sorted([*found[names[-1]], "three"])}
    assert names == sorted(names, key=[OLD, NEW].index)
    assert {OLD, NEW} == set(names)


def test_a_graph_that_somebody_reads_is_moved_when_he_is_done(graphs: SqliteGraphs, directory: Path) -> None:
    store = graphs.open(OLD)
    add(store, "one")
    is_reading, may_end = Event(), Event()

    def read() -> list[str]:
        with store._pool.read() as database, database.snapshot():
            database.all("SELECT count(*) FROM memories")
            is_reading.set()
            may_end.wait()
            return texts(store)  # asks for a second reader meanwhile, and gets it

    with ThreadPoolExecutor(2) as threads:
        reader = threads.submit(read)
        is_reading.wait()
        mover = threads.submit(graphs.move, OLD, NEW)
        assert not mover.done()
        may_end.set()
        assert reader.result() == ["one"]
        mover.result()
    add(graphs.open(NEW), "two")
    graphs.close()
    assert held(directory) == {NEW: ["one", "two"]}


@pytest.mark.parametrize("change", ["move", "remove"])
def test_a_graph_that_somebody_reads_for_long_stays_whole_and_in_use(
    graphs: SqliteGraphs, directory: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(pool, "_WAIT_S", 0.01)
    store = graphs.open(OLD)
    add(store, "one")
    with store._pool.read() as database, database.snapshot():
        database.all("SELECT count(*) FROM memories")
        add(store, "two")
        with pytest.raises(StoreError, match="reads the file") as caught:
            graphs.move(OLD, NEW) if change == "move" else graphs.remove(OLD)
        assert "again" in caught.value.hint
        add(store, "three")
    add(graphs.open(OLD), "four")
    graphs.close()
    assert held(directory) == {OLD: ["four", "one", "three", "two"]}
    graphs.move(OLD, NEW)
    assert held(directory) == {NEW: ["four", "one", "three", "two"]}


def test_a_graph_that_another_connection_has_open_is_not_moved(graphs: SqliteGraphs, directory: Path) -> None:
    add(graphs.open(OLD), "one")
    with Database(graphs._path(OLD), read_only=True) as other:  # as another process, or a backup, has
        other.all("SELECT count(*) FROM memories")
        with pytest.raises(StoreError) as caught:
            graphs.move(OLD, NEW)
        assert "try again" in caught.value.hint
        assert graphs.graphs() == (OLD,)
        add(graphs.open(OLD), "two")
        assert other.all("SELECT count(*) FROM memories") == [(2,)]
    graphs.move(OLD, NEW)
    graphs.close()
    assert held(directory) == {NEW: ["one", "two"]}


def test_who_still_has_the_store_of_a_graph_that_was_moved_writes_nowhere(graphs: SqliteGraphs) -> None:
    store = graphs.open(OLD)
    graphs.move(OLD, NEW)
    with pytest.raises(StoreError):
        add(store, "lost")
    with pytest.raises(StoreError):
        store.list(MemoryFilter())


def test_a_moved_graph_has_a_log_again(graphs: SqliteGraphs) -> None:
    graphs.open(OLD)
    graphs.move(OLD, NEW)
    with graphs.open(NEW)._pool.read() as database:
        assert database.all("PRAGMA journal_mode") == [("wal",)]


# --- logs that are alone ----------------------------------------------------------------------------------------


@pytest.fixture
def half_moved(directory: Path, tmp_path: Path) -> Path:
    """Return a directory in which a graph was renamed without the log that says so, and its newest memory."""
    graphs = SqliteGraphs(directory, FrozenClock())
    add(graphs.open(OLD), "one")
    graphs.close()
    with graphs.open(OLD)._pool.read() as database, database.snapshot():
        database.all("SELECT count(*) FROM memories")
        add(graphs.open(OLD), "two")
        with graphs.open(OLD)._pool.write() as writer:
            writer.run("INSERT INTO facts (name, value) VALUES ('moving_to', :new)", {"new": encode(NEW)})
        copy = shutil.copytree(directory, tmp_path / "half-moved")
    graphs.close()
    (copy / graphs._path(OLD).name).rename(copy / graphs._path(NEW).name)
    return copy


@pytest.mark.parametrize("ask", ["existing", "graphs", "open old", "move"])
def test_a_log_is_brought_to_the_file_that_was_renamed_without_it(half_moved: Path, ask: str) -> None:
    graphs = SqliteGraphs(half_moved, FrozenClock())
    sidecars(graphs._path(NEW))[1].touch()  # of one who tried to open it, and was killed
    match ask:
        case "existing":
            assert texts(graphs.existing(NEW)) == ["one", "two"]
        case "open old":
            assert texts(graphs.open(OLD)) == []
            assert graphs.remove(OLD)
        case "move":
            graphs.move(OLD, NEW)
        case _:
            assert graphs.graphs() == (NEW,)
    graphs.close()
    assert held(half_moved) == {NEW: ["one", "two"]}


def test_an_old_log_is_not_brought_to_a_file_that_has_one_or_is_in_its_place(half_moved: Path) -> None:
    graphs = SqliteGraphs(half_moved, FrozenClock())
    log = sidecars(graphs._path(OLD))[1]
    content = log.read_bytes()
    own = sidecars(graphs._path(NEW))[1]
    own.write_bytes(b"newer")
    assert own.exists()
    graphs.graphs()
    assert not log.exists()
    [aside] = half_moved.glob("*.damaged-*-wal")
    assert aside.read_bytes() == content


@pytest.mark.parametrize("ask", ["open", "graphs"])
def test_a_log_that_is_set_aside_is_told_of_until_it_is_deleted(
    graphs: SqliteGraphs, directory: Path, ask: str
) -> None:
    graphs.open(NEW)
    log = sidecars(graphs._path(OLD))[1]
    log.write_bytes(b"the last commits")
    assert graphs.open(OLD) if ask == "open" else graphs.graphs()
    [aside] = directory.glob("*.damaged-*-wal")
    assert aside.read_bytes() == b"the last commits"
    [problem] = graphs.problems()
    assert str(aside) in problem
    [finding] = graphs.check()
    assert finding.where == str(aside)
    aside.unlink()
    assert [*graphs.problems(), *graphs.check()] == []


def test_what_holds_nothing_is_not_set_aside(graphs: SqliteGraphs, directory: Path) -> None:
    graphs.open(NEW)
    graphs.close()
    _, log, index, _ = sidecars(graphs._path(OLD))
    log.touch()
    index.write_bytes(b"\0" * 100)
    assert graphs.graphs() == (NEW,)
    assert not log.exists()
    graphs.open(OLD)
    assert graphs.problems() == ()


# --- removing ---------------------------------------------------------------------------------------------------


def test_a_removal_that_is_killed_is_finished_by_the_next_and_no_log_outlives_its_file(tmp_path: Path) -> None:
    start = tmp_path / "start"
    graphs = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    add(graphs.open(OLD), "canary sings")
    shutil.copytree(tmp_path / "graphs", start)  # with its log, as a killed process leaves it
    graphs.close()
    assert sidecars(start / graphs._path(OLD).name)[1].stat().st_size
    code = f"""
        def run(path):
            SqliteGraphs(path, FrozenClock()).remove(a_graph({OLD.path!r}, host={OLD.authority!r}))
    """
    remains = remains_of(code, start, tmp_path / "remains")
    assert len(remains) > 4
    for each in remains:
        left = {path.suffix for path in each.glob("*.db*")}
        assert ".db" in left or not left
        again = SqliteGraphs(each, FrozenClock())
        assert again.remove(OLD) is bool(left)
        assert not any(each.glob("*.db*"))


def test_a_log_without_its_file_is_removed_as_well(graphs: SqliteGraphs, directory: Path) -> None:
    directory.mkdir(parents=True)
    sidecars(graphs._path(OLD))[1].write_bytes(b"canary")
    assert graphs.remove(OLD)
    assert not graphs.remove(OLD)
    assert not any(directory.glob("*.db*"))


def test_every_graph_is_closed_even_if_one_fails(graphs: SqliteGraphs, monkeypatch: pytest.MonkeyPatch) -> None:
    stores = [graphs.open(a_graph("a/a")), graphs.open(a_graph("b/b"))]

    def fail() -> None:
        raise StoreError("no")

    with monkeypatch.context() as patch:
        patch.setattr(stores[0]._pool, "close", fail)
        with pytest.raises(StoreError, match="no"):
            graphs.close()
    assert stores[1]._pool._writer is None
    stores[0].close()


def test_asking_again_for_a_graph_that_is_not_there_looks_through_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    absent, there = a_graph(path="acme/absent"), a_graph(path="acme/there")
    graphs.open(there)
    assert graphs.existing(absent) is None
    with monkeypatch.context() as watched:
        watched.setattr(Path, "glob", lambda *_: pytest.fail("looked through the directory"))
        assert graphs.existing(absent) is None
    other = SqliteGraphs(tmp_path / "graphs", FrozenClock())  # another process makes it
    other.open(absent)
    assert graphs.existing(absent) is not None
    other.close()
    graphs.close()

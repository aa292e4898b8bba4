from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import FrozenClock, a_graph, a_memory
from wisen.core.records import Actor
from wisen.errors import StoreDamaged, StoreError
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
    [name] = {path.name.split(".")[0] for path in directory.iterdir()}
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
    [problem] = graphs.problems()
    assert "acme/widgets" in problem


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


class Crash(Exception):
    """The power went."""


@pytest.mark.parametrize("renamed", [False, True], ids=["before the rename", "after the rename"])
def test_a_crash_while_moving_leaves_the_graph_under_one_of_its_names(
    graphs: SqliteGraphs, directory: Path, monkeypatch: pytest.MonkeyPatch, renamed: bool
) -> None:
    memory = a_memory(graph=OLD)
    graphs.open(OLD).add(memory, key="k", actor=Actor.USER, reason="")
    rename = Path.rename

    def crash(self: Path, target: Path) -> None:
        if renamed:
            rename(self, target)
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", crash)
        with pytest.raises(Crash):
            graphs.move(OLD, NEW)

    after = SqliteGraphs(directory, FrozenClock())
    assert after.graphs() == (NEW if renamed else OLD,)
    after.move(OLD, NEW)
    assert after.graphs() == (NEW,)
    held = after.open(NEW).get(memory.memory_id)
    assert held is not None
    assert held.graph == NEW
    after.close()
    assert SqliteGraphs(directory, FrozenClock()).graphs() == (NEW,)


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

"""Power cuts while files take each other's place: a restore, an upgrade, a move, a removal. Old or new, and whole."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from tests.builders import T0, FrozenClock, a_graph, a_memory, a_session
from tests.durability.test_power_cut_processes import cuts
from tests.durability.trace import Trace, traced, why_not

from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import GraphId, Status
from wisen.store.migrate import version_of
from wisen.store.sqlite.backup import backup_all
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH, FileKind
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.restore import finish_restore

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")]

ROOT = Path(__file__).parents[2]
EARLIER = ROOT / "tests" / "store" / "sqlite" / "earlier"
CUTS = pytest.mark.parametrize("number", [40, pytest.param(1000, marks=pytest.mark.stress)])
OLD, NEW = a_graph("acme/old"), a_graph("acme/new")
PREAMBLE = """
    import shutil, sys
    from pathlib import Path
    from tests.builders import *
    from wisen.core.records import Actor
    from wisen.store.sqlite.control import SqliteControl
    from wisen.store.sqlite.graphs import SqliteGraphs
    from wisen.store.sqlite.keeping import Upkeep
    from wisen.store.sqlite.restore import restore_backup
    shutil._USE_CP_SENDFILE = shutil._USE_CP_COPY_FILE_RANGE = False  # what is copied by the kernel is in no trace
    root = Path(sys.argv[1])
"""

Found = tuple[str, dict[GraphId, list[str]]]


def fill(data: Path, words: str, *graphs: GraphId) -> None:
    control = SqliteControl(data / "control.db")
    control.save_session(a_session(cwd=words))
    control.close()
    stores = SqliteGraphs(data / "graphs", FrozenClock())
    for graph in graphs:
        stores.open(graph).add(a_memory(words, graph=graph), key=words, actor=Actor.USER, reason="")
    stores.close()


def found_in(data: Path) -> Found:
    """Return what a new daemon finds; it has nothing to complain about."""
    finish_restore(data)
    control = SqliteControl(data / "control.db")
    session = control.session("claude-code", "session-1")
    stores = SqliteGraphs(data / "graphs", FrozenClock(), copies=data / "copies")
    every = MemoryFilter(statuses=frozenset(Status))
    texts = {graph: sorted(memory.text for memory in stores.open(graph).list(every)) for graph in stores.graphs()}
    assert [*control.problems(), *stores.problems(), *control.check(), *stores.check()] == []
    control.close()
    stores.close()
    return session.cwd if session else "", texts


def after_cuts(code: str, home: Path, copies: Path, number: int) -> Iterator[tuple[Path, list[str]]]:
    """Run code on a directory, then yield what power cuts at some points of it leave, and what it had said by then."""
    trace = Trace(root=str(home), heard=lambda data: data.decode().strip() if data.startswith(b"done") else "")
    disk = trace.begins_with(home)
    log = copies.with_name("strace")
    argv = [sys.executable, "-c", dedent(PREAMBLE) + dedent(code), str(home)]
    subprocess.run(traced(argv, log), cwd=ROOT, check=True, stdout=subprocess.PIPE)
    yield from cuts(disk, trace.read(log), copies, home, number=number)


def states_after_cuts(
    code: str, home: Path, copies: Path, number: int, look: Callable[[Path], Found], new: Found
) -> list[Found]:
    states = []
    for copy, promised in after_cuts(code, home, copies, number):
        states.append(look(copy))
        assert states[-1] == new or not promised, "it said that it was done"
    return states


def upgraded_version(path: Path) -> int:
    with Database(path, read_only=True) as database:
        return version_of(database)


@CUTS
def test_a_restore_whose_power_is_cut_leaves_the_old_or_the_new_state(tmp_path: Path, number: int) -> None:
    home = tmp_path / "home"
    fill(home / "data", "old", OLD, NEW)
    old: Found = ("old", {OLD: ["old"], NEW: ["old"]})
    backup_all(home / "data", home / "backup", at=T0)
    shutil.rmtree(home / "data")
    fill(home / "data", "new", OLD, a_graph("acme/later"))
    new: Found = ("new", {OLD: ["new"], a_graph("acme/later"): ["new"]})
    code = """
        restore_backup(root / "backup", root / "data", keep=root / "kept", at=T0)
        print("done", flush=True)
    """
    states = states_after_cuts(code, home, tmp_path / "cuts", number, lambda copy: found_in(copy / "data"), old)
    assert all(state in (old, new) for state in states)
    assert {state[0] for state in states} == {"old", "new"}


@CUTS
@pytest.mark.parametrize("kind", [CONTROL, GRAPH], ids=lambda kind: kind.name)
def test_an_upgrade_whose_power_is_cut_loses_nothing_and_its_copy_is_there_before_it(
    tmp_path: Path, kind: FileKind, number: int
) -> None:
    home = tmp_path / "home"
    path = home / "control.db" if kind is CONTROL else SqliteGraphs(home / "graphs", FrozenClock())._path(a_graph())
    path.parent.mkdir(parents=True)
    path.touch()
    with Database(path) as database:
        database.run(min(kind.migrations.glob("*.sql")).read_text(encoding="utf-8"))
        database.run((EARLIER / f"{kind.name}-0001.sql").read_text(encoding="utf-8"))
        database.run("PRAGMA user_version = 1")
        database.keep_log()
    whole = found_in(Path(shutil.copytree(home, tmp_path / "upgraded")))
    code = """
        SqliteControl(root / "control.db", Upkeep(now=FrozenClock().now, copies=root / "copies")).close()
        graphs = SqliteGraphs(root / "graphs", FrozenClock(), copies=root / "copies")
        for graph in graphs.graphs():
            graphs.open(graph)
        graphs.close()
        print("done", flush=True)
    """

    def look(copy: Path) -> Found:
        if upgraded_version(copy / path.relative_to(home)) > 1:
            [kept] = (copy / "copies").glob("*Z")
            with Database(kept, untouched=True) as database:
                assert (version_of(database), database.all("PRAGMA integrity_check")) == (1, [("ok",)])
        return found_in(copy)

    states = states_after_cuts(code, home, tmp_path / "cuts", number, look, whole)
    assert states == [whole] * number


@CUTS
def test_a_move_whose_power_is_cut_leaves_the_graph_under_one_of_its_names(tmp_path: Path, number: int) -> None:
    home = tmp_path / "home"
    fill(home, "one", OLD)
    code = """
        graphs = SqliteGraphs(root / "graphs", FrozenClock())
        old = a_graph("acme/old")
        graphs.open(old).add(a_memory("two", memory_id="second", graph=old), key="two", actor=Actor.USER, reason="")
        graphs.move(old, a_graph("acme/new"))
        print("done", flush=True)
        graphs.close()
    """
    new: Found = ("one", {NEW: ["one", "two"]})
    states = states_after_cuts(code, home, tmp_path / "cuts", number, found_in, new)
    assert all(state in (("one", {OLD: ["one"]}), ("one", {OLD: ["one", "two"]}), new) for state in states)
    assert {graph for _, texts in states for graph in texts} == {OLD, NEW}


@CUTS
def test_a_removal_whose_power_is_cut_leaves_no_log_without_its_file(tmp_path: Path, number: int) -> None:
    fill(tmp_path / "open", "one", OLD)
    graphs = SqliteGraphs(tmp_path / "open" / "graphs", FrozenClock())
    graphs.open(OLD).add(a_memory("two", graph=OLD), key="two", actor=Actor.USER, reason="")
    home = Path(shutil.copytree(tmp_path / "open", tmp_path / "home"))  # with its log, as a killed process leaves it
    graphs.close()
    code = """
        SqliteGraphs(root / "graphs", FrozenClock()).remove(a_graph("acme/old"))
        print("done", flush=True)
    """
    new: Found = ("one", {})
    states = states_after_cuts(code, home, tmp_path / "cuts", number, found_in, new)
    assert all(state in (("one", {OLD: ["one"]}), ("one", {OLD: ["one", "two"]}), new) for state in states)
    assert new in states

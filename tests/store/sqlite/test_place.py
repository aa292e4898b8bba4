"""A file that is deleted or replaced while it is open: no write is acknowledged that others would not find."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_job, a_memory, an_event
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.errors import StoreError
from wisen.ports import GraphStore
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import sidecars
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

Deed = Callable[[Path], None]


def deleted(path: Path) -> None:
    for part in sidecars(path):
        part.unlink(missing_ok=True)


def deleted_but_for_the_log(path: Path) -> None:
    path.unlink()


def a_dangling_link(path: Path) -> None:
    deleted(path)
    path.symlink_to(path.with_name("nothing"))


def a_directory(path: Path) -> None:
    deleted(path)
    path.mkdir()


def another_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    deleted(path)
    copy.rename(path)


AWAY = pytest.mark.parametrize("deed", [deleted, deleted_but_for_the_log, a_dangling_link, a_directory, another_copy])
IN_THE_WAY = pytest.mark.parametrize("deed", [a_dangling_link, a_directory])


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    yield graphs
    graphs.close()


@pytest.fixture
def store(graphs: SqliteGraphs) -> SqliteGraph:
    store = graphs.open(a_graph())
    remember(store, "old")
    store._pool.checkpoint()
    return store


def remember(store: GraphStore, text: str) -> None:
    store.add(a_memory(text, memory_id=f"id-{text}", digest=text), key=text, actor=Actor.USER, reason="")


def path_of(store: SqliteGraph) -> Path:
    return store._pool.path


def found_anew(directory: Path) -> set[str]:
    graphs = SqliteGraphs(directory, FrozenClock())
    there = graphs.existing(a_graph())
    found = {memory.text for memory in there.list(MemoryFilter())} if there else set()
    graphs.close()
    return found


@AWAY
def test_a_memory_is_in_a_file_that_others_find_or_refused(
    graphs: SqliteGraphs, store: SqliteGraph, deed: Deed
) -> None:
    deed(path_of(store))
    acknowledged = set()
    with suppress(StoreError):
        remember(store, "held")
        acknowledged.add("held")
    with suppress(StoreError):
        remember(graphs.open(a_graph()), "asked")
        acknowledged.add("asked")
    if path_of(store).is_file():
        assert "asked" in acknowledged
        assert found_anew(path_of(store).parent) >= acknowledged
    else:
        assert not acknowledged


@pytest.mark.parametrize("deed", [deleted, a_dangling_link, a_directory])
def test_whoever_holds_the_store_of_a_file_that_is_gone_is_told_what_to_do(store: SqliteGraph, deed: Deed) -> None:
    deed(path_of(store))
    for use in (lambda: remember(store, "new"), lambda: store.list(MemoryFilter()), store.stats):
        with pytest.raises(StoreError, match=path_of(store).name) as caught:
            use()
        assert caught.value.hint


@pytest.mark.parametrize("deed", [deleted, deleted_but_for_the_log])
def test_a_graph_whose_file_was_deleted_begins_anew(graphs: SqliteGraphs, store: SqliteGraph, deed: Deed) -> None:
    deed(path_of(store))
    assert graphs.existing(a_graph()) is None
    assert graphs.graphs() == ()
    remember(graphs.open(a_graph()), "new")
    assert found_anew(path_of(store).parent) == {"new"}


def test_a_file_that_was_replaced_is_the_one_that_is_used(graphs: SqliteGraphs, store: SqliteGraph) -> None:
    another_copy(path_of(store))
    remember(store, "new")
    assert {memory.text for memory in store.list(MemoryFilter())} == {"old", "new"}
    assert found_anew(path_of(store).parent) == {"old", "new"}


@AWAY
def test_a_file_that_goes_while_it_is_written_to_is_noticed_before_the_write_is_acknowledged(
    store: SqliteGraph, deed: Deed
) -> None:
    with pytest.raises(StoreError, match="the change is lost") as caught, store._pool.write():
        deed(path_of(store))
    assert caught.value.hint


@IN_THE_WAY
def test_what_is_in_the_place_of_a_graphs_file_is_named_to_whoever_reads(
    graphs: SqliteGraphs, store: SqliteGraph, deed: Deed
) -> None:
    path = path_of(store)
    graphs.close()
    deed(path)
    for _ in range(2):
        with pytest.raises(StoreError, match=path.name) as caught:
            graphs.existing(a_graph())
        assert caught.value.hint
    assert any(path.name in problem for problem in graphs.problems())
    assert os.path.lexists(path)


# --- the control file -------------------------------------------------------------------------------------------


@pytest.fixture
def control(tmp_path: Path) -> Iterator[SqliteControl]:
    control = SqliteControl(tmp_path / "control.db")
    control.record(an_event(event_id="old"), seen_at=T0)
    control.flush()
    yield control
    control.close()


def events_of(control: SqliteControl) -> list[str]:
    event = an_event()
    return [one.event_id for one in control.events(event.harness, event.session_id)]


@AWAY
def test_nothing_is_flushed_into_a_control_file_that_nobody_finds(
    control: SqliteControl, tmp_path: Path, deed: Deed
) -> None:
    control._file.checkpoint()
    control.record(an_event(event_id="waiting"), seen_at=T0)
    deed(tmp_path / "control.db")
    with pytest.raises(StoreError, match=r"control\.db") as caught:
        control.flush()
    assert caught.value.hint


@AWAY
def test_a_job_is_in_a_control_file_that_others_find_or_refused(
    control: SqliteControl, tmp_path: Path, deed: Deed
) -> None:
    path, job = tmp_path / "control.db", a_job()
    control._file.checkpoint()
    deed(path)
    if deed is another_copy:
        control.enqueue(job)
        other = SqliteControl(path)
        assert [job.job_id for job in other.jobs()] == [job.job_id]
        assert events_of(other) == events_of(control) == ["old"]
        other.close()
    else:
        with pytest.raises(StoreError, match=r"control\.db") as caught:
            control.enqueue(job)
        assert caught.value.hint
        with pytest.raises(StoreError, match=r"control\.db"):
            events_of(control)
        assert not path.is_file()


@IN_THE_WAY
def test_what_is_in_the_place_of_the_control_file_is_named_with_what_to_do(tmp_path: Path, deed: Deed) -> None:
    path = tmp_path / "control.db"
    deed(path)
    with pytest.raises(StoreError, match=str(path)) as caught:
        SqliteControl(path)
    assert caught.value.hint

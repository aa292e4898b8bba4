"""Every contract test runs on the in-memory fake and on SQLite; `restart` is a new process as far as the store sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builders import FrozenClock
from wisen.ports import ControlStore, GraphStores
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs


@dataclass
class Controls:
    """A control store that can be closed and opened again."""

    store: ControlStore
    reopen: Callable[[], ControlStore]

    def restart(self) -> ControlStore:
        self.store.close()
        self.store = self.reopen()
        return self.store


@dataclass
class Graphs:
    """Graph stores that can be closed and opened again, and their clock."""

    stores: GraphStores
    reopen: Callable[[], GraphStores]
    clock: FrozenClock

    def restart(self) -> GraphStores:
        self.stores.close()
        self.stores = self.reopen()
        return self.stores


@pytest.fixture(params=["memory", "sqlite"])
def controls(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Controls]:
    fake = InMemoryControl()

    def reopen() -> ControlStore:
        return fake if request.param == "memory" else SqliteControl(tmp_path / "data" / "control.db")

    controls = Controls(store=reopen(), reopen=reopen)
    yield controls
    controls.store.close()


@pytest.fixture
def control(controls: Controls) -> ControlStore:
    return controls.store


@pytest.fixture(params=["memory", "sqlite"])
def graphs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Graphs]:
    clock = FrozenClock()
    fake = InMemoryGraphs(clock)

    def reopen() -> GraphStores:
        return fake if request.param == "memory" else SqliteGraphs(tmp_path / "data" / "graphs", clock)

    graphs = Graphs(stores=reopen(), reopen=reopen, clock=clock)
    yield graphs
    graphs.stores.close()

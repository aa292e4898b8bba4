"""The daemon's thread that embeds: soon after a write, never in a caller's way, and asleep otherwise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.builders import FrozenClock, a_graph, a_memory

from wisen.core.records import Actor
from wisen.daemon.embedding import EmbeddingThread
from wisen.engine.embed import Embed
from wisen.errors import EmbeddingFailed
from wisen.models.fakes import FakeEmbedder, FakeEmbedders
from wisen.ports import Embedding
from wisen.store.memory import InMemoryGraphs


def eventually(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def put(graphs: InMemoryGraphs, text: str) -> None:
    memory = a_memory(text)
    graphs.open(a_graph()).add(memory, key=memory.memory_id, actor=Actor.USER, reason="")


def held(graphs: InMemoryGraphs) -> int:
    return sum(graphs.open(a_graph()).spaces().values())


class Counting(FakeEmbedder):
    """A model that waits for a go, and may be told to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.go.set()
        self.fails = False
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        self.calls += 1
        self.go.wait(10)
        if self.fails:
            raise EmbeddingFailed("out of order")
        return super().embed(texts)


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def graphs() -> InMemoryGraphs:
    return InMemoryGraphs(FrozenClock())


@pytest.fixture
def thread(graphs: InMemoryGraphs, model: Counting) -> Iterator[EmbeddingThread]:
    work = Embed(graphs=graphs, embedders=FakeEmbedders(model))
    thread = EmbeddingThread(lambda: work)
    graphs.on_change(thread.wake)
    yield thread
    model.go.set()
    thread.close()


def test_what_an_earlier_daemon_has_left_and_what_is_written_later_is_embedded(
    thread: EmbeddingThread, graphs: InMemoryGraphs
) -> None:
    put(graphs, "from before")
    thread.start()
    eventually(lambda: held(graphs) == 1)
    put(graphs, "from now")
    eventually(lambda: held(graphs) == 2)
    assert thread.troubles() == ()


def test_a_write_does_not_wait_for_the_model(thread: EmbeddingThread, graphs: InMemoryGraphs, model: Counting) -> None:
    thread.start()
    model.go.clear()
    put(graphs, "one")
    eventually(lambda: model.calls == 1)
    put(graphs, "two")  # while the model works
    assert held(graphs) == 0
    model.go.set()
    eventually(lambda: held(graphs) == 2)


def test_a_model_that_fails_is_told_and_the_thread_lives(
    thread: EmbeddingThread, graphs: InMemoryGraphs, model: Counting
) -> None:
    model.fails = True
    thread.start()
    put(graphs, "one")
    eventually(lambda: bool(thread.troubles()))
    assert "out of order" in thread.troubles()[0].why
    assert thread._thread.is_alive()


def test_nothing_is_asked_while_nothing_is_written(
    thread: EmbeddingThread, graphs: InMemoryGraphs, model: Counting
) -> None:
    put(graphs, "one")
    thread.start()
    eventually(lambda: held(graphs) == 1)
    assert not thread._wake.is_set()
    calls = model.calls
    time.sleep(0.2)
    assert model.calls == calls

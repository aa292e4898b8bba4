from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.builders import FrozenClock, a_graph, a_memory

from wisen.core.embeddings import HASHING
from wisen.core.records import Actor
from wisen.engine.embed import BATCH, Embed, text_of
from wisen.errors import EmbeddingFailed
from wisen.models.fakes import FakeEmbedder, FakeEmbedders
from wisen.ports import Embedding
from wisen.store.memory import InMemoryGraphs


def filled(count: int) -> InMemoryGraphs:
    graphs = InMemoryGraphs(FrozenClock())
    for n in range(count):
        memory = a_memory(f"note {n}")
        graphs.open(a_graph()).add(memory, key=memory.memory_id, actor=Actor.USER, reason="")
    return graphs


def all_of(work: Embed) -> int:
    done = 0
    while step := work.step(a_graph(), within=1.0):
        done += step
    return done


def test_what_waits_is_embedded_a_batch_at_a_time_and_then_nothing() -> None:
    graphs = filled(BATCH + 3)
    model = FakeEmbedder()
    work = Embed(graphs=graphs, embedders=FakeEmbedders(model))
    assert [work.step(a_graph(), within=1.0) for _ in range(3)] == [BATCH, 3, 0]
    [progress] = work.progress()
    assert (progress.done, progress.waiting) == (BATCH + 3, 0)
    assert len(model.asked) == BATCH + 3


def test_a_model_reads_all_that_a_memory_says() -> None:
    memory = replace(a_memory("Use uv."), title="Packages", why="it is fast", how_to_apply="uv add", tags=("python",))
    assert text_of(memory) == "Packages\nUse uv.\nit is fast\nuv add\npython"


def test_without_a_model_and_for_a_graph_that_is_none_nothing_is_done() -> None:
    graphs = filled(1)
    assert Embed(graphs=graphs, embedders=FakeEmbedders()).step(a_graph(), within=1.0) == 0
    assert Embed(graphs=graphs, embedders=FakeEmbedders(FakeEmbedder())).step(a_graph("a/b"), within=1.0) == 0
    assert len(graphs.graphs()) == 1


def test_a_new_model_takes_over_when_it_has_all_and_a_stand_in_never_does() -> None:
    graphs = filled(3)
    store = graphs.open(a_graph())
    all_of(Embed(graphs=graphs, embedders=FakeEmbedders(FakeEmbedder(name="old"))))
    all_of(Embed(graphs=graphs, embedders=FakeEmbedders(FakeEmbedder(name=HASHING))))
    assert {space.model for space in store.spaces()} == {"old", HASHING}
    all_of(Embed(graphs=graphs, embedders=FakeEmbedders(FakeEmbedder(name="new"))))
    assert {space.model for space in store.spaces()} == {"new"}


def test_a_model_that_fails_is_reported_and_nothing_is_kept() -> None:
    class Failing(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
            raise EmbeddingFailed("no")

    graphs, chain = filled(1), FakeEmbedders(Failing())
    with pytest.raises(EmbeddingFailed):
        Embed(graphs=graphs, embedders=chain).step(a_graph(), within=1.0)
    assert chain.embedder is None
    assert sum(graphs.open(a_graph()).spaces().values()) == 0


def test_what_was_reworded_is_embedded_again() -> None:
    graphs = filled(1)
    work = Embed(graphs=graphs, embedders=FakeEmbedders(FakeEmbedder()))
    all_of(work)
    store = graphs.open(a_graph())
    [memory] = store.members([1]).values()
    store.update(replace(memory, text="something else"), actor=Actor.USER, action="edit", reason="")
    assert all_of(work) == 1

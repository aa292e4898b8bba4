"""The stages that need a model or edges, with fakes in their places."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.builders import FrozenClock, a_graph, a_user_graph
from tests.retrieval.meaning import ask, put, texts

from wisen.core.recalls import Hit
from wisen.core.types import Status
from wisen.ports import GraphStore
from wisen.retrieval.further import Stages
from wisen.store.memory import InMemoryGraphs


class Wordings:
    def __init__(self, *wordings: str) -> None:
        self.wordings = wordings

    def expand(self, query: str) -> Sequence[str]:
        assert query
        return self.wordings


class Reader:
    """Likes long texts."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return [min(len(text) / 100, 1.0) for text in texts]


class Edges:
    def __init__(self, *to: tuple[str, float]) -> None:
        self.to = to

    def reached(self, store: GraphStore, hits: Sequence[Hit]) -> Sequence[tuple[str, float]]:
        return self.to if hits else ()


class Failing:
    def _fail(self, *_: object) -> list[str]:
        raise RuntimeError("no")

    expand = scores = reached = _fail


@pytest.fixture
def graphs() -> InMemoryGraphs:
    graphs = InMemoryGraphs(FrozenClock())
    put(graphs, "the parquet importer is slow")
    put(graphs, "the parquet importer is slow on mondays, when all the branches send what they have sold")
    put(graphs, "columnar files are read in tools")
    return graphs


def test_another_wording_finds_more_and_the_best_by_the_own_words_stays_first(graphs: InMemoryGraphs) -> None:
    plain = texts(ask(graphs, "parquet importer slow", None))
    stages = Stages(expander=Wordings("columnar files", "parquet importer slow", "columnar", "tools", "never asked"))
    found = ask(graphs, "parquet importer slow", None, stages=stages)
    assert texts(found)[0] == plain[0]
    assert set(texts(found)) == {*plain, "columnar files are read in tools"}
    [reworded] = [hit for hit in found.hits if "by another wording" in hit.reasons]
    assert reworded.memory.text == "columnar files are read in tools"
    assert len({hit.memory.memory_id for hit in found.hits}) == len(found.hits)


def test_a_model_that_reads_both_has_nearly_the_last_word(graphs: InMemoryGraphs) -> None:
    assert texts(ask(graphs, "parquet importer slow", None))[0] == "the parquet importer is slow"
    found = ask(graphs, "parquet importer slow", None, stages=Stages(reranker=Reader()))
    assert "mondays" in texts(found)[0]
    assert found.hits[0].stages["read"] == pytest.approx(0.87)


def test_an_edge_leads_to_what_shares_nothing_but_not_past_the_filter(graphs: InMemoryGraphs) -> None:
    there = put(graphs, "ask Priya")
    gone = put(graphs, "ask nobody", status=Status.FORGOTTEN)
    foreign = put(graphs, "of another graph", graph=a_user_graph())
    edges = Edges((there.memory_id, 0.9), (gone.memory_id, 1.0), (foreign.memory_id, 1.0), ("nobody", 1.0))
    found = ask(graphs, "parquet importer slow", None, stages=Stages(walker=edges))
    [reached] = [hit for hit in found.hits if hit.reasons == ("by an edge",)]
    assert reached.memory.text == "ask Priya"
    assert reached.score < found.hits[0].score
    assert {"ask nobody", "of another graph"}.isdisjoint(texts(found))


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        (Stages(expander=Failing()), "other wordings failed"),
        (Stages(reranker=Failing()), "reranking failed"),  # type: ignore[arg-type]
        (Stages(walker=Failing()), "following edges failed"),  # type: ignore[arg-type]
    ],
)
def test_a_stage_that_fails_costs_no_hit_and_is_said(graphs: InMemoryGraphs, stages: Stages, said: str) -> None:
    found = ask(graphs, "parquet importer slow", None, stages=stages)
    assert found.hits == ask(graphs, "parquet importer slow", None).hits
    assert said in found.degraded


def test_without_a_graph_nothing_is_asked_of_a_stage() -> None:
    found = ask(InMemoryGraphs(FrozenClock()), "parquet", None, stages=Stages(expander=Failing()), reads=(a_graph(),))
    assert (found.hits, found.degraded) == ((), "")

"""A graph whose memories have vectors of a fake model: as near in meaning as the synonyms say."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import T0, a_graph, a_memory

from wisen.core.recalls import Budget, By, MemoryFilter, Recalled, RecallRequest, RecallTrigger
from wisen.core.records import Actor
from wisen.core.types import GraphId, Memory
from wisen.engine.embed import Embed
from wisen.models.fakes import FakeEmbedder, FakeEmbedders
from wisen.ports import Embedders, GraphStores
from wisen.retrieval.further import Stages
from wisen.retrieval.pipeline import Means, retrieve

SYNONYMS = (("car", "automobile", "vehicle"), ("fast", "quick", "speedy"), ("login", "signin", "authentication"))
BUDGET = Budget(max_chars=2000, max_memory_chars=300, max_items=25)


def put(graphs: GraphStores, text: str, **over: object) -> Memory:
    memory = replace(a_memory(text), **over)  # type: ignore[arg-type]  # keyword overrides of a builder
    return graphs.open(memory.graph).add(memory, key=memory.memory_id, actor=Actor.USER, reason="")[0]


def embed(graphs: GraphStores, embedders: Embedders) -> None:
    work = Embed(graphs=graphs, embedders=embedders)
    for graph in graphs.graphs():
        while work.step(graph, within=1.0):
            pass


def a_model(*, name: str = "fake") -> FakeEmbedders:
    return FakeEmbedders(FakeEmbedder(SYNONYMS, name=name))


def ask(
    graphs: GraphStores,
    query: str,
    embedders: Embedders | None,
    *,
    trigger: RecallTrigger = RecallTrigger.MANUAL,
    reads: tuple[GraphId, ...] = (),
    where: MemoryFilter | None = None,
    by: By = By.BOTH,
    stages: Stages | None = None,
) -> Recalled:
    request = RecallRequest(
        trigger=trigger,
        graphs=reads or (a_graph(),),
        query=query,
        filter=where or MemoryFilter(),
        budget=BUDGET,
        by=by,
    )
    means = Means(embedders=embedders, within=1.0, stages=stages or Stages())
    return retrieve(request, graphs, now=T0, means=means)


def texts(recalled: Recalled) -> list[str]:
    return [hit.memory.text for hit in recalled.hits]

"""How well prompts find what they are about, and nothing else. The bars are what was measured, less a prompt or two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.builders import T0, FrozenClock, a_graph, a_memory
from tests.retrieval.relevance import KEPT_APART, MEMORIES, TUNED, Pairs

from wisen.core.recalls import Budget, MemoryFilter, RecallRequest, RecallTrigger
from wisen.core.records import Actor
from wisen.ports import GraphStores
from wisen.retrieval.pipeline import retrieve
from wisen.store.sqlite.graphs import SqliteGraphs

BUDGET = Budget(max_chars=1000, max_memory_chars=300, max_items=25)


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    for memory_id, text in MEMORIES.items():
        add(graphs, memory_id, text)
    yield graphs
    graphs.close()


def add(graphs: GraphStores, memory_id: str, text: str) -> None:
    memory = a_memory(text, memory_id=memory_id)
    graphs.open(memory.graph).add(memory, key=memory_id, actor=Actor.USER, reason="")


def found(graphs: GraphStores, prompt: str) -> list[str]:
    request = RecallRequest(
        trigger=RecallTrigger.USER_PROMPT, graphs=(a_graph(),), query=prompt, filter=MemoryFilter(), budget=BUDGET
    )
    return [hit.memory.memory_id for hit in retrieve(request, graphs, now=T0).hits]


@dataclass(frozen=True)
class Figures:
    precision: float
    recall: float
    noisy: tuple[str, ...]  # prompts about nothing that is known, for which something came


def measured(graphs: GraphStores, pairs: Pairs) -> Figures:
    answers = [(prompt, set(found(graphs, prompt)), set(expected)) for prompt, expected in pairs]
    right = sum(len(got & expected) for _, got, expected in answers)
    return Figures(
        precision=right / sum(len(got) for _, got, _ in answers),
        recall=right / sum(len(expected) for _, _, expected in answers),
        noisy=tuple(prompt for prompt, got, expected in answers if got and not expected),
    )


@pytest.mark.parametrize("pairs", [TUNED, KEPT_APART], ids=["tuned", "kept apart"])
def test_prompts_find_what_they_name_and_little_else(graphs: SqliteGraphs, pairs: Pairs) -> None:
    figures = measured(graphs, pairs)
    assert figures.recall >= 0.95
    assert figures.precision >= 0.85
    assert len(figures.noisy) <= 1, figures.noisy


def test_many_memories_on_other_things_change_little(graphs: SqliteGraphs) -> None:
    things = ("kiosk", "parser", "invoice list", "login page", "report", "importer", "scheduler", "search index")
    rules = (
        "add tests for the",
        "fix the build of the",
        "run the checks of the",
        "write a file for each",
        "update the",
    )
    for n in range(400):
        add(graphs, f"other-{n}", f"{rules[n % 5]} {things[n % 8]} number {n} before a change, in its own directory")
    figures = measured(graphs, (*TUNED, *KEPT_APART))
    assert figures.recall >= 0.95
    assert len(figures.noisy) <= 4, figures.noisy


def test_a_graph_of_one_memory_is_no_looser(tmp_path: Path) -> None:
    graphs = SqliteGraphs(tmp_path / "one", FrozenClock())
    add(graphs, "ubuntu", MEMORIES["ubuntu"])
    assert found(graphs, "have a look at the failing build, please, and tell me what is going on") == []
    assert found(graphs, "does the build run on ubuntu as well, or do we need something else?") == ["ubuntu"]
    graphs.close()

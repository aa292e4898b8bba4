from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import T0, FrozenClock, a_graph, a_memory, a_user_graph

from wisen.core.records import Actor
from wisen.core.types import (
    Budget,
    GraphId,
    Memory,
    MemoryFilter,
    Recalled,
    RecallRequest,
    RecallTrigger,
    Source,
    Status,
)
from wisen.retrieval.pipeline import retrieve, why_filtered
from wisen.store.memory import InMemoryGraphs

GRAPH, USER = a_graph(), a_user_graph()
BUDGET = Budget(max_chars=2000, max_memory_chars=300, max_items=25)


@pytest.fixture
def graphs() -> InMemoryGraphs:
    return InMemoryGraphs(FrozenClock())


def put(graphs: InMemoryGraphs, text: str, **over: object) -> Memory:
    memory = replace(a_memory(text), **over)  # type: ignore[arg-type]  # keyword overrides of a builder
    return graphs.open(memory.graph).add(memory, key=memory.memory_id, actor=Actor.USER, reason="test")[0]


def ask(
    graphs: InMemoryGraphs,
    query: str = "",
    *,
    trigger: RecallTrigger = RecallTrigger.USER_PROMPT,
    reads: tuple[GraphId, ...] = (GRAPH, USER),
    where: MemoryFilter | None = None,
) -> Recalled:
    request = RecallRequest(trigger=trigger, graphs=reads, query=query, filter=where or MemoryFilter(), budget=BUDGET)
    return retrieve(request, graphs, now=T0)


def texts(recalled: Recalled) -> list[str]:
    return [hit.memory.text for hit in recalled.hits]


def test_more_of_the_query_matched_ranks_higher(graphs: InMemoryGraphs) -> None:
    put(graphs, "The invoice service retries three times.")
    put(graphs, "Invoice numbers are assigned by the billing database, in one sequence.")
    assert texts(ask(graphs, "who assigns invoice numbers in the billing database?"))[0].startswith("Invoice numbers")


def test_a_partial_match_counts(graphs: InMemoryGraphs) -> None:
    put(graphs, "Use httpx for HTTP calls.")
    assert texts(ask(graphs, "add a call with httpx to the partner")) == ["Use httpx for HTTP calls."]


def test_stop_words_match_nothing(graphs: InMemoryGraphs) -> None:
    put(graphs, "We use it when you need the other one.")
    assert texts(ask(graphs, "can you do this for me when you have it?")) == []


def test_a_graph_that_does_not_exist_is_not_created_by_reading(graphs: InMemoryGraphs) -> None:
    assert ask(graphs, "anything at all").hits == ()
    assert list(graphs.graphs()) == []


@pytest.mark.row("B4")
def test_a_memory_without_a_source_passes_no_source_filter(graphs: InMemoryGraphs) -> None:
    put(graphs, "legacy note on httpx", source=None)
    put(graphs, "explicit note on httpx", source=Source.EXPLICIT)
    where = MemoryFilter(sources=frozenset({Source.EXPLICIT}))
    assert texts(ask(graphs, "httpx note", where=where)) == ["explicit note on httpx"]


@pytest.mark.row("B5")
def test_the_default_confidence_passes_half_and_not_more(graphs: InMemoryGraphs) -> None:
    default = Memory.__dataclass_fields__["confidence"].default
    assert default == 0.5
    put(graphs, "a note on httpx", confidence=default)
    assert ask(graphs, "httpx", where=MemoryFilter(min_confidence=0.5)).hits
    assert not ask(graphs, "httpx", where=MemoryFilter(min_confidence=0.51)).hits


def test_at_session_start_pinned_comes_first_then_what_was_seen_often(graphs: InMemoryGraphs) -> None:
    put(graphs, "plain")
    put(graphs, "often", support=5)
    put(graphs, "pinned", pinned=True, created_at=T0 - timedelta(days=400))
    assert texts(ask(graphs, trigger=RecallTrigger.SESSION_START)) == ["pinned", "often", "plain"]


def test_a_catch_up_puts_what_the_prompt_asks_for_first(graphs: InMemoryGraphs) -> None:
    put(graphs, "Never commit unasked.", support=9)
    put(graphs, "The queue is drained by a cron job.")
    found = ask(graphs, "why is the queue not drained?", trigger=RecallTrigger.SESSION_START)
    assert texts(found)[0] == "The queue is drained by a cron job."
    assert len(found.hits) == 2


def test_both_graphs_of_a_place_are_read(graphs: InMemoryGraphs) -> None:
    put(graphs, "repository note")
    put(graphs, "personal note", graph=USER)
    assert set(texts(ask(graphs, "note"))) == {"repository note", "personal note"}
    assert texts(ask(graphs, "note", reads=(USER,))) == ["personal note"]


def test_a_stray_word_far_below_the_best_hit_is_left_out_and_named(graphs: InMemoryGraphs) -> None:
    put(graphs, "Release notes are written by hand from merged branches, in the present tense.")
    stray = put(graphs, "The login page has a dark theme, a banner, a logo, and a long list of notes " * 5)
    found = ask(graphs, "write the release notes from the merged branches by hand in present tense")
    assert len(found.hits) == 1
    assert [(left.memory_id, left.reason) for left in found.left_out] == [
        (stray.memory_id, "far less relevant than the best")
    ]


def test_every_hit_explains_itself(graphs: InMemoryGraphs) -> None:
    put(graphs, "Use httpx for HTTP calls.")
    (hit,) = ask(graphs, "httpx calls with retries").hits
    assert set(hit.stages) >= {"bm25", "coverage"}
    assert hit.reasons == ("2 of 3 words match",)


@pytest.mark.parametrize(
    ("over", "where", "why"),
    [
        ({"status": Status.PENDING_REVIEW}, MemoryFilter(), "waits for review"),
        ({"status": Status.FORGOTTEN}, MemoryFilter(), "is forgotten"),
        ({"confidence": 0.2}, MemoryFilter(min_confidence=0.5), "confidence 0.20 < 0.50"),
        ({"source": None}, MemoryFilter(sources=frozenset({Source.EXPLICIT})), "source not asked for"),
        ({"snoozed_until": T0 + timedelta(days=1)}, MemoryFilter(awake_at=T0), "snoozed"),
        ({}, MemoryFilter(), "not among the best candidates"),
    ],
)
def test_the_reason_for_being_no_candidate(over: dict[str, object], where: MemoryFilter, why: str) -> None:
    assert why_filtered(replace(a_memory(), **over), where) == why  # type: ignore[arg-type]


def test_a_memory_shown_before_says_so() -> None:
    memory = a_memory()
    where = MemoryFilter(exclude={memory.memory_id: memory.digest})
    assert why_filtered(memory, where) == "shown earlier in this session"

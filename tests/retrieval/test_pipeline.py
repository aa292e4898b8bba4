from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.builders import T0, FrozenClock, a_graph, a_memory, a_user_graph

from wisen.core.recalls import Budget, MemoryFilter, Recalled, RecallRequest, RecallTrigger
from wisen.core.records import Actor
from wisen.core.types import GraphId, Memory, Source, Status
from wisen.retrieval.filtered import why_filtered
from wisen.retrieval.pipeline import CANDIDATES_PER_GRAPH, retrieve
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
@pytest.mark.row("L1")
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


def test_at_session_start_nothing_hides_what_stands_lower(graphs: InMemoryGraphs) -> None:
    put(graphs, "pinned", pinned=True, support=50, confidence=1.0)
    put(graphs, "old and unsure", confidence=0.01, created_at=T0 - timedelta(days=4000), graph=USER)
    assert texts(ask(graphs, trigger=RecallTrigger.SESSION_START)) == ["pinned", "old and unsure"]


def test_what_ranks_below_the_candidates_is_counted(graphs: InMemoryGraphs) -> None:
    for n in range(CANDIDATES_PER_GRAPH + 253):
        put(graphs, f"rule {n} on topic {n}", confidence=0.9 if n else 0.1)
    put(graphs, "waits", status=Status.PENDING_REVIEW)
    put(graphs, "personal", graph=USER)
    found = ask(graphs, trigger=RecallTrigger.SESSION_START, where=MemoryFilter(min_confidence=0.5))
    assert len(found.hits) + found.more == CANDIDATES_PER_GRAPH + 252 + 1
    assert not {hit.memory.memory_id for hit in found.hits} & {left.memory_id for left in found.left_out}

    on_words = ask(graphs, "which rule is there on the topic?", where=MemoryFilter(min_confidence=0.5))
    assert len(on_words.hits) + on_words.more == CANDIDATES_PER_GRAPH + 252


def test_a_catch_up_finds_what_stands_below_the_candidates(graphs: InMemoryGraphs) -> None:
    for n in range(CANDIDATES_PER_GRAPH):
        put(graphs, f"rule {n}", support=9)
    put(graphs, "The queue is drained by a cron job.")
    found = ask(graphs, "why is the queue not drained?", trigger=RecallTrigger.SESSION_START)
    assert texts(found)[0] == "The queue is drained by a cron job."
    assert found.more == 0


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


def test_a_stray_word_is_no_hit_and_a_few_everyday_ones_are_named_as_too_little(graphs: InMemoryGraphs) -> None:
    put(graphs, "The login page has a dark theme, a banner, a logo, and a long list of notes")
    near = put(graphs, "The tests of the importer are run at night")
    found = ask(graphs, "write notes on the kiosk, then add tests and run them on the old parser")
    assert found.hits == ()
    assert [(left.memory_id, left.reason) for left in found.left_out] == [
        (near.memory_id, "only tests, run in common"),
    ]


def test_a_person_who_asks_sees_what_is_too_weak_for_a_block(graphs: InMemoryGraphs) -> None:
    put(
        graphs,
        "The importer writes release notes, tags the branch and tells the chat room of parquet files.",
    )
    weak = put(graphs, "The chat room has a bot that the importer knows nothing of")
    query = "how does the importer write release notes and tag the branch with parquet files for the chat room"
    assert weak.memory_id not in [hit.memory.memory_id for hit in ask(graphs, query).hits]
    asked = ask(graphs, query, trigger=RecallTrigger.MANUAL)
    assert weak.memory_id in [hit.memory.memory_id for hit in asked.hits[1:]]


def test_a_person_who_asks_sees_what_shares_a_word_but_not_what_is_far_below_the_best(graphs: InMemoryGraphs) -> None:
    put(graphs, "Release notes are written by hand from merged branches, in the present tense.")
    stray = put(graphs, "The login page has a dark theme, a banner, a logo, and a long list of notes " * 5)
    query = "write the release notes from the merged branches by hand in present tense"
    found = ask(graphs, query, trigger=RecallTrigger.MANUAL)
    assert len(found.hits) == 1
    assert [(left.memory_id, left.reason) for left in found.left_out] == [
        (stray.memory_id, "far less relevant than the best")
    ]
    assert len(ask(graphs, "notes on caching and the like", trigger=RecallTrigger.MANUAL).hits) == 2


def test_one_word_in_common_is_no_topic_unless_it_is_a_rare_one(graphs: InMemoryGraphs) -> None:
    put(graphs, "ubuntu 20.04 is the minimum for the build image")
    put(graphs, "The kiosk is built from its own branch")
    assert texts(ask(graphs, "look at the failing build and tell me what the file does")) == []
    assert texts(ask(graphs, "look at the failing build of the kiosk")) == ["The kiosk is built from its own branch"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Downloads/transcripts holds the raw transcripts", "Downloads/transcripts"),
        ("The multi-agent runner lives in tools/runner", "don't use agents"),
        ("The multi-agent runner lives in tools/runner", "multi-agent"),
        ("ubuntu 20.04 is the minimum", "ubuntu 20.04"),
        ("In C++ code we use clang-format", "C++"),
        ("set foo:bar to 1", "foo:bar"),
        ("Throughput is measured in GB/s", "GB/s"),
        ("CLAUDE.md is generated", "CLAUDE.md"),
        ("src/main.py is the entry point", "src/main.py"),
        ("Use handleError() for API errors", "handle_error"),
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("今天玩成语接龙游戏", "成语接龙"),
        ("中文优先", "中文"),
        ("每日复盘 cron 备份", "备份 cron"),
        ("コミットメッセージは英語で書く", "コミット"),
        ("Use pnpm here, not npm.", "用pnpm还是npm呢"),
        ("Use pnpm here, not npm.", "pnpmで入れてください"),
        ("ใช้ pnpm แทน npm", "pnpm"),
        ("re\u0301sume\u0301 parsing is in services/cv", "résumé"),
        ("Use the ABC client for payments", "ＡＢＣ"),
    ],
)
@pytest.mark.parametrize("trigger", [RecallTrigger.USER_PROMPT, RecallTrigger.MANUAL])
def test_a_name_in_any_script_is_found(graphs: InMemoryGraphs, text: str, query: str, trigger: RecallTrigger) -> None:
    put(graphs, text)
    put(graphs, "something else entirely")
    assert texts(ask(graphs, query, trigger=trigger)) == [text]


@given(st.text(max_size=200))
@example("a AND")
@example("NEAR(")
@example('"unbalanced')
@example("-x ^a * ( \0 \ud800")
def test_no_query_is_an_error(query: str) -> None:
    graphs = InMemoryGraphs(FrozenClock())
    put(graphs, "plain words, 中文, しりとり")
    for trigger in RecallTrigger:
        ask(graphs, query, trigger=trigger)


def test_every_hit_explains_itself(graphs: InMemoryGraphs) -> None:
    put(graphs, "Use httpx for HTTP calls.")
    (hit,) = ask(graphs, "httpx calls with retries").hits
    assert set(hit.stages) >= {"bm25", "coverage"}
    assert hit.reasons == ("holds httpx, calls",)


@pytest.mark.parametrize(
    ("over", "where", "why"),
    [
        ({"status": Status.PENDING_REVIEW}, MemoryFilter(), "waits for review"),
        ({"status": Status.FORGOTTEN}, MemoryFilter(), "is forgotten"),
        ({"confidence": 0.2}, MemoryFilter(min_confidence=0.5), "confidence 0.20 < 0.50"),
        ({"source": None}, MemoryFilter(sources=frozenset({Source.EXPLICIT})), "source not asked for"),
        ({"snoozed_until": T0 + timedelta(days=1)}, MemoryFilter(awake_at=T0), "snoozed"),
        ({}, MemoryFilter(), ""),
    ],
)
def test_the_reason_for_being_no_candidate(over: dict[str, object], where: MemoryFilter, why: str) -> None:
    assert why_filtered(replace(a_memory(), **over), where) == why  # type: ignore[arg-type]


def test_a_memory_shown_before_says_so() -> None:
    memory = a_memory()
    where = MemoryFilter(exclude={memory.memory_id: memory.digest})
    assert why_filtered(memory, where) == "shown earlier in this session"


@pytest.mark.parametrize(
    ("prompt", "comes"),
    [
        ("fix the failing test", False),
        ("add a test", False),
        ("why do the tests need fonts", True),
        ("how do the tests run", True),
    ],
)
def test_a_prompt_of_everyday_words_brings_up_only_what_holds_them_all(prompt: str, comes: bool) -> None:
    graphs = InMemoryGraphs(FrozenClock())
    put(graphs, "PDF rendering needs the fonts in assets/fonts; without them tests fail with an odd message.")
    put(graphs, "Tests are run with make check.")
    for n in range(20):
        put(graphs, f"Service {n} is owned by another team.")
    found = ask(graphs, prompt)
    assert bool(found.hits) is comes

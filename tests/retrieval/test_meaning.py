"""Search by meaning beside words, on a fake model that knows synonyms."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, FrozenClock, a_graph, a_memory, a_user_graph
from tests.retrieval.meaning import a_model, ask, embed, put, texts

from wisen.core.embeddings import TURN
from wisen.core.recalls import By, MemoryFilter, RecallTrigger
from wisen.core.types import MemoryKind, Status
from wisen.errors import Unsupported
from wisen.models.fakes import FakeEmbedder, FakeEmbedders
from wisen.ports import GraphStores
from wisen.retrieval.lexical import is_english
from wisen.store.memory import InMemoryGraphs
from wisen.store.sqlite.graphs import SqliteGraphs


@pytest.fixture(params=["memory", "sqlite"])
def graphs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStores]:
    if request.param == "memory":
        yield InMemoryGraphs(FrozenClock())
        return
    stores = SqliteGraphs(tmp_path, FrozenClock())
    yield stores
    stores.close()


def test_what_shares_no_word_is_found_by_its_meaning(graphs: GraphStores) -> None:
    put(graphs, "automobile is quick")
    put(graphs, "invoices are kept ten years")
    model = a_model()
    embed(graphs, model)
    for trigger in (RecallTrigger.MANUAL, RecallTrigger.USER_PROMPT):
        found = ask(graphs, "speedy vehicle", model, trigger=trigger)
        assert texts(found) == ["automobile is quick"]
        assert found.degraded == ""
        assert found.hits[0].stages["cosine"] > 0.5
        assert "near in meaning" in found.hits[0].reasons[0]


def test_without_a_model_words_have_to_do_and_it_is_said(graphs: GraphStores) -> None:
    put(graphs, "automobile is quick")
    embed(graphs, a_model())
    assert texts(ask(graphs, "speedy vehicle", None)) == []
    found = ask(graphs, "automobile", FakeEmbedders(state="packaged model: not installed"))
    assert texts(found) == ["automobile is quick"]
    assert found.degraded == "lexical only (packaged model: not installed)"


@pytest.mark.row("D24")
def test_a_rare_name_is_found_by_its_letters_whatever_the_model_says(graphs: GraphStores) -> None:
    put(graphs, "DEC-0054 keeps the signin page")
    for n in range(30):
        put(graphs, f"login and authentication number {n}")
    model = a_model()
    embed(graphs, model)
    assert texts(ask(graphs, "what does DEC-0054 say about login?", model))[0] == "DEC-0054 keeps the signin page"
    assert texts(ask(graphs, "DEC-0054", None)) == ["DEC-0054 keeps the signin page"]


@pytest.mark.row("C-S27")
def test_by_meaning_alone_the_nearest_comes_first_and_without_vectors_it_is_refused(graphs: GraphStores) -> None:
    put(graphs, "car is fast")
    put(graphs, "automobile is quick and the invoices are kept ten years long in the cellar")
    model = a_model()
    with pytest.raises(Unsupported, match="no memory here has a vector yet") as caught:
        ask(graphs, "vehicle is speedy", model, by=By.MEANING)
    assert "--by words" in caught.value.hint
    with pytest.raises(Unsupported, match="switched off"):
        ask(graphs, "vehicle is speedy", FakeEmbedders(state="switched off"), by=By.MEANING)
    embed(graphs, model)
    found = ask(graphs, "vehicle is speedy", model, by=By.MEANING)
    assert texts(found)[0] == "car is fast"
    assert [hit.stages["cosine"] for hit in found.hits] == sorted(
        (h.stages["cosine"] for h in found.hits), reverse=True
    )
    assert all(hit.stages["bm25"] == 0 for hit in found.hits)
    assert texts(ask(graphs, "vehicle is speedy", model, by=By.WORDS)) == []


DOCUMENTS = {
    "Remote work policy": "People may work from home three days a week. Core hours are ten to three.",
    "API design principles": "Errors carry a code, a message and a hint. Lists are paged by cursor.",
    "Distributed systems overview": "Consensus needs a majority. Clocks drift, so order is kept by counters.",
    "Fundraising memo": "The round closes in May. Three funds have asked for the deck.",
    "Product launch retrospective": "The launch slipped twice because the billing migration was late.",
    "Machine learning primer": "Overfitting shows as a gap between the loss of training and of validation.",
}


@pytest.mark.row("C-S26")
@pytest.mark.parametrize("model", [None, a_model()], ids=["by words", "hybrid"])
def test_each_document_is_found_by_the_words_of_its_title_and_by_any_one_of_them(
    graphs: GraphStores, model: FakeEmbedders | None
) -> None:
    for title, text in DOCUMENTS.items():
        put(graphs, text, title=title)
    embed(graphs, a_model())
    for title, text in DOCUMENTS.items():
        assert texts(ask(graphs, title, model))[0] == text
        for word in title.split():
            assert text in texts(ask(graphs, f"{word.lower()} nonesuchword", model))[:10]


def test_no_scope_leaks_by_meaning(graphs: GraphStores) -> None:
    put(graphs, "automobile is quick", graph=a_user_graph())
    put(graphs, "automobile is quick", status=Status.FORGOTTEN)
    put(graphs, "automobile is quick!", kind=MemoryKind.EPISODIC)
    model = a_model()
    embed(graphs, model)
    where = MemoryFilter(kinds=frozenset({MemoryKind.SEMANTIC}))
    assert ask(graphs, "speedy vehicle", model, where=where).hits == ()
    [hit] = ask(graphs, "speedy vehicle", model, where=where, reads=(a_user_graph(),)).hits
    assert hit.memory.graph == a_user_graph()


def test_while_a_new_model_has_not_read_everything_nothing_is_missing_and_nothing_mixed(graphs: GraphStores) -> None:
    old, new = a_model(name="old"), a_model(name="new")
    put(graphs, "automobile is quick")
    embed(graphs, old)
    put(graphs, "login page of the shop")
    assert texts(ask(graphs, "speedy vehicle", new)) == []  # the old vectors are of another space
    assert texts(ask(graphs, "login page", new)) == ["login page of the shop"]
    store = graphs.existing(a_graph())
    assert store is not None
    assert len(store.spaces()) == 1
    embed(graphs, new)
    assert [space.model for space in store.spaces()] == ["new"]
    assert texts(ask(graphs, "speedy vehicle", new)) == ["automobile is quick"]


def test_what_has_no_vector_yet_is_found_by_its_words_beside_what_has(graphs: GraphStores) -> None:
    model = a_model()
    put(graphs, "automobile is quick")
    embed(graphs, model)
    put(graphs, "the car park opens at nine")
    assert sorted(texts(ask(graphs, "car park", model))) == ["automobile is quick", "the car park opens at nine"]


def test_a_model_that_fails_costs_nothing(graphs: GraphStores) -> None:
    class Broken(FakeEmbedders):
        def query(self, text: str, *, within: float) -> None:
            return None

    put(graphs, "automobile is quick")
    assert texts(ask(graphs, "automobile", Broken(FakeEmbedder()))) == ["automobile is quick"]


@pytest.mark.parametrize("query", ["gateway", "gateways", "which gateway is slow"])
def test_a_part_of_a_word_is_found_where_the_word_itself_is_nowhere(graphs: GraphStores, query: str) -> None:
    put(graphs, "apigatewayv2 needs a warm start")
    put(graphs, "invoices are kept ten years")
    assert texts(ask(graphs, query, None)) == ["apigatewayv2 needs a warm start"]
    put(graphs, "the gateway is in Frankfurt")
    assert texts(ask(graphs, query, None))[0] == "the gateway is in Frankfurt"


# --- languages --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how do I run the tests?", True),
        ("fix handleError in src/lib/errors.ts", True),
        ("the café page and its naïve parser of dates", True),
        ("kannst du bitte schauen, warum der Build nicht läuft", False),
        ("puedes mirar por qué no carga la página", False),
        ("почему не работает кнопка входа", False),
        ("この関数を短くしてください", False),
        ("use the die class from lib/dice for the rolls", True),
        ("", True),
    ],
)
def test_english_is_told_from_other_languages(text: str, expected: bool) -> None:
    assert is_english(text) is expected


def test_a_model_of_english_is_not_asked_in_another_language(graphs: GraphStores) -> None:
    model = a_model(name="all-MiniLM-L6-v2-int8")
    put(graphs, "Мы пишем отступы табуляцией, а не пробелами.")
    embed(graphs, model)
    assert ask(graphs, "почему не работает кнопка входа, а не регистрации", model).hits == ()
    found = ask(graphs, "отступы табуляцией", model)
    assert found.degraded == "lexical only (the model reads English only)"


# --- turns of a conversation --------------------------------------------------------------------------------------


def talk(graphs: GraphStores, *said: str, session: str = "s1", day: int = 0) -> None:
    for n, text in enumerate(said):
        at = T0 + timedelta(days=day, minutes=n)
        put(graphs, text, category=TURN, kind=MemoryKind.EPISODIC, session_id=session, created_at=at, authored_at=at)


def test_an_answer_is_found_beside_the_question_it_answers(graphs: GraphStores) -> None:
    talk(
        graphs, "Ann: hello there", "Ann: where did the parquet importer go?", "Ben: it lives in tools now", "Ann: fine"
    )
    talk(graphs, "Ben: lunch was good", "Ann: yes it was", session="s2")
    found = texts(ask(graphs, "where is the parquet importer?", None))
    assert found[:2] == ["Ben: it lives in tools now", "Ann: where did the parquet importer go?"]
    assert "Ben: lunch was good" not in found


def test_who_is_named_alone_and_the_month_count(graphs: GraphStores) -> None:
    talk(graphs, "Ann: the parquet importer is slow", "Ben: the parquet importer is slow")
    talk(graphs, "Cem: the parquet importer is slow", session="s2", day=60)
    assert texts(ask(graphs, "what did Ben say about the parquet importer", None))[0].startswith("Ben")
    month = (T0 + timedelta(days=60)).strftime("%B")
    found = ask(graphs, f"what was said of the parquet importer in {month}", None)
    assert texts(found)[0].startswith("Cem")
    assert f"said in {month}" in found.hits[0].reasons


def test_a_memory_is_no_turn_and_has_no_neighbours(graphs: GraphStores) -> None:
    for n, text in enumerate(("The parquet importer is slow.", "It lives in tools.")):
        put(graphs, text, session_id="s1", created_at=T0 + timedelta(minutes=n))
    found = ask(graphs, "parquet importer", None)
    assert texts(found) == ["The parquet importer is slow."]
    assert "window" not in found.hits[0].stages


# --- ties, duplicates, any text -----------------------------------------------------------------------------------


def test_standing_breaks_ties_and_no_more(graphs: GraphStores) -> None:
    put(graphs, "the parquet importer is slow", created_at=T0 - timedelta(days=200))
    put(graphs, "the importer parquet is slow", pinned=True)
    better = put(graphs, "the parquet importer is slow on mondays", created_at=T0 - timedelta(days=400))
    tied = texts(ask(graphs, "importer slow parquet", None))
    assert tied[0] == "the importer parquet is slow"
    assert texts(ask(graphs, "parquet importer slow on mondays", None))[0] == better.text


def test_what_says_the_same_comes_last_with_the_reason(graphs: GraphStores) -> None:
    put(graphs, "run the migration script before you start the billing service")
    put(graphs, "Run the migration script before you start the billing service on mondays", graph=a_user_graph())
    put(graphs, "the billing service has a migration guide")
    both = (a_graph(), a_user_graph())
    trigger = RecallTrigger.USER_PROMPT  # a block has no room for saying it twice
    found = ask(graphs, "migration script billing service", None, reads=both, trigger=trigger)
    assert len(found.hits) == 3
    assert "much like a better one" in found.hits[-1].reasons
    assert found.hits[1].memory.text == "the billing service has a migration guide"
    asked = ask(graphs, "migration script billing service", None, reads=both)
    assert asked.hits[2].memory.text == "the billing service has a migration guide"


@given(st.text(max_size=200))
def test_no_text_is_too_strange_to_ask(query: str) -> None:
    graphs = InMemoryGraphs(FrozenClock())
    for text in ("automobile is quick", "ein schnelles Auto", "車は速い"):
        put(graphs, text, memory_id=a_memory(text).memory_id)
    model = a_model()
    embed(graphs, model)
    for by in By:
        found = ask(graphs, query, model, by=by)
        assert all(0 <= hit.score <= 1 for hit in found.hits)


def test_words_that_are_everywhere_count_where_a_rarer_one_is(
    graphs: GraphStores, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(40):
        put(graphs, f"note {n} of the {'parquet' if n % 2 else 'orc'} importer")
    best = put(graphs, "parquet importer note, the parquet one")
    plain = texts(ask(graphs, "parquet importer note", None))
    monkeypatch.setattr("wisen.retrieval.candidates._FREQUENT", 30)
    monkeypatch.setattr("wisen.retrieval.candidates.PER_LEG", 5)
    found = texts(ask(graphs, "parquet importer note", None))
    assert best.text in found
    assert set(found) <= {text for text in plain if "parquet" in text}


def test_two_words_that_are_found_in_the_same_one_are_one(graphs: GraphStores) -> None:
    put(graphs, "zerowidthspace is taken out")
    assert texts(ask(graphs, "widthspace zerowidth widthspaces", None)) == ["zerowidthspace is taken out"]

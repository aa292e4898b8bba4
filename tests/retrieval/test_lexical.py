from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.retrieval.lexical import MAX_TERMS, Kind, Term, query_terms, weigh


def of_kind(query: str, kind: Kind) -> list[str]:
    return [term.text for term in query_terms(query) if term.kind is kind]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Please run the tests for me", ["run", "tests"]),
        ("multi-agent", ["multi-agent", "multi", "agent"]),
        ("C++ and c#", ["c++", "c#"]),
        ("ＡＢＣ Résumé", ["abc", "resume", "abc resume"]),
        ("tests, testing, test", ["tests"]),
        ("don't, l'hiver", ["hiver"]),
        ("and/or e.g. he/she", []),
        ("中文优先", ["中文", "文优", "优先"]),
        ("我的电脑", ["电脑"]),
        ("我", ["我"]),
        ("しりとり", ["しりと", "りとり"]),
        ("コミットを書く", ["コミッ", "ミット", "書く"]),
        ("끝말잇기", ["끝말", "말잇", "잇기"]),
        ("用pnpm还是npm呢", ["用", "pnpm", "npm"]),
        ("", []),
        ("\x00 \ud800 ((", []),
    ],
)
def test_the_content_terms_of_a_query(query: str, terms: list[str]) -> None:
    assert [term.text for term in query_terms(query)] == terms


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("edit src/gen/client.ts now", ["src/gen/client.ts", "src/gen", "client.ts"]),
        ("call handleError or handle_error in utf8", ["handleerror", "handle_error", "utf8"]),
        ("CLAUDE.md at example.com:8080", ["claude.md", "example.com:8080"]),
        ("the 2nd of 3 read-only GitHub hooks, 10x up-to-date", []),
    ],
)
def test_a_name_is_known_by_its_shape(query: str, names: list[str]) -> None:
    assert of_kind(query, Kind.NAMED) == names


def test_everyday_words_are_known_in_their_plain_forms() -> None:
    query = "fixed builds, running tests, writing entries: files, pnpm"
    assert of_kind(query, Kind.EVERYDAY) == ["fixed", "builds", "running", "tests", "writing", "entries", "files"]
    assert of_kind(query, Kind.WORD) == ["pnpm"]


def test_two_words_side_by_side_are_a_pair_unless_something_stands_between() -> None:
    assert of_kind("write the commit message, then rename it in the staging (old) table", Kind.PAIR) == [
        "commit message"
    ]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("warum läuft der Build auf dem Server nicht, es ist immer so", ["lauft", "build", "server"]),
        ("por qué la página no carga en el navegador", ["pagina", "carga", "navegador"]),
        ("почему не работает кнопка, а не ссылка", ["работает", "кнопка", "ссылка"]),
        ("pourquoi la page ne se charge pas dans le navigateur", ["page", "charge", "navigateur"]),
        ("which os is this, and what does var do here", ["os", "var"]),
    ],
)
def test_function_words_go_in_the_language_of_the_query_and_stay_in_another(query: str, terms: list[str]) -> None:
    assert [term.text for term in query_terms(query) if term.kind is not Kind.PAIR] == terms


def test_a_rare_word_is_enough_and_an_everyday_one_or_a_common_one_is_not() -> None:
    terms = query_terms("make the build of the kiosk use pnpm in three places, please, and the invoice as well")
    weights = weigh(terms, 100, {term.text: 60 if term.text == "invoice" else 2 for term in terms})
    assert weights.least == 1.0
    assert weights.of["pnpm"] >= weights.least
    assert weights.of["build"] < weights.least
    assert weights.of["invoice"] < weights.least
    assert weights.of["invoice"] + weights.of["build"] < weights.least


def test_a_short_query_needs_most_of_what_it_holds() -> None:
    terms = query_terms("tests")
    assert weigh(terms, 10, {"tests": 5}).least < weigh(terms, 10, {"tests": 5}).of["tests"]


def test_of_a_long_query_the_rarest_and_the_names_are_looked_for_wherever_they_stand() -> None:
    filler = " ".join(f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(400))
    terms = query_terms(f"pnpm {filler} src/gen and kiosk")
    counts = {term.text: 1 if term.text in {"pnpm", "kiosk", "src/gen"} else 50 for term in terms}
    weights = weigh(terms, 1000, counts)
    assert len(weights.of) == MAX_TERMS
    assert {"pnpm", "kiosk", "src/gen"} <= weights.of.keys()
    assert weights.least > weigh(query_terms("pnpm src/gen kiosk and a few more words besides"), 1000, counts).least


def test_a_word_that_every_memory_holds_still_says_something() -> None:
    terms = query_terms("pnpm yarn")
    weights = weigh(terms, 3, {"pnpm": 3, "yarn": 0, "pnpm yarn": 0})
    assert 0 < weights.coverage(["pnpm"]) < 0.5
    assert weights.coverage(list(weights.of)) == 1.0
    assert weigh(terms, 3, {}).coverage([]) == 0.0


@given(st.text(max_size=3000))
def test_any_text_gives_distinct_terms_and_weights_that_can_be_reached(text: str) -> None:
    terms = query_terms(text)
    assert len({term.text for term in terms}) == len(terms)
    weights = weigh(terms, 10, {term.text: 1 for term in terms})
    assert len(weights.of) <= MAX_TERMS
    assert weights.least <= sum(weights.of.values()) or not terms


def test_an_unspaced_query_of_nothing_but_grammar_is_looked_for_as_it_is() -> None:
    assert query_terms("什么") == (Term("什么", Kind.WORD),)
    assert query_terms("什么？怎么？") == ()

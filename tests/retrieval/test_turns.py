"""What counts for a turn of a conversation, formula by formula."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import T0, a_memory

from wisen.core.embeddings import TURN, Around
from wisen.core.types import Memory
from wisen.retrieval.candidates import Features
from wisen.retrieval.lexical import Weights, query_terms, weigh
from wisen.retrieval.profiles import RECORD, TURN_BY_MEANING, TURN_BY_TOKENS, TURN_BY_WORDS, TurnProfile, record_profile
from wisen.retrieval.turns import Conversations, TurnScore, turn_scores, windows

WHOLE = RECORD.whole


def turn(text: str, *, session: str = "s", days: int = 0) -> Memory:
    return replace(a_memory(text), category=TURN, session_id=session, authored_at=T0 + timedelta(days=days))


def scored(
    query: str,
    *texts: str,
    own: dict[int, float] | None = None,
    by: TurnProfile = TURN_BY_MEANING,
    weights: Weights | None = None,
    **over: object,
) -> dict[int, TurnScore]:
    """Turns of one conversation in their order, numbered from 1, that have nothing but what is given."""
    turns = {n: turn(text) for n, text in enumerate(texts, 1)}
    around = {
        n: Around(
            before=tuple(one for one in (n - 1, n - 2) if one in turns),
            after=tuple(one for one in (n + 1, n + 2) if one in turns),
        )
        for n in turns
    }
    found = Conversations(
        turns=turns,
        around=around,
        features=dict.fromkeys(turns, Features()),
        own=dict.fromkeys(turns, 0.0) | (own or {}),
    )
    found = replace(found, **over)  # type: ignore[arg-type]
    return dict(turn_scores(query, found, by, whole=WHOLE, weights=weights or no_weights()))


def no_weights() -> Weights:
    return weigh((), 1, {})


def test_the_sum_is_as_it_is_written_down() -> None:
    """Golden: own .5 of 1.45, beside it .2 and nothing, best of its conversation .5; two words of two in the window."""
    terms = query_terms("parquet importer")
    weights = weigh(terms, 100, {term.text: 1 for term in terms})
    [first, second] = [term.text for term in terms if term.text in ("parquet", "importer")]
    found = scored(
        "parquet importer",
        "a",
        "b",
        own={1: 0.5, 2: 0.2},
        features={
            1: Features(bm25=3.0, cosine=0.4, matched=(first,)),
            2: Features(cosine=0.1, matched=(second,)),
        },
        weights=weights,
    )
    most = 2 + 0.5 + 2 + 1.45 * (2 + 2)
    plain = 2 * 0.4 + 0.5 * 1.0 + 2 * weights.coverage((first, second)) + 2 * 0.5 + 1 * 0.2
    assert found[1].score == pytest.approx(plain / most)
    assert found[1].stages["window"] > weights.coverage((first,))


def test_with_tokens_what_is_not_read_goes_by_the_lowest() -> None:
    found = scored("x", "a", "b", "c", by=TURN_BY_TOKENS, tokens={1: 0.8, 2: 0.3}, window_tokens={1: 0.9, 2: 0.5})
    most = 0.5 + 1 + 1.45 * (1 + 1) + 6 + 9
    assert found[1].score == pytest.approx((6 * 0.8 + 9 * 0.9) / most)
    assert found[3].score == pytest.approx((6 * 0.3 + 9 * 0.5) / most) == found[2].score
    assert found[1].stages["window_tokens"] == 0.9


@pytest.mark.parametrize("question", ["where is it?", "where is it ? [image: a map]", "它在哪里？"])
def test_an_answer_gets_what_the_question_has_above_half_and_the_question_less(question: str) -> None:
    own = {1: 1.2}
    asked, told = scored("x", question, "there", own=own), scored("x", "here it is", "there", own=own)
    most = 2 + 0.5 + 2 + 1.45 * 4 - 2  # no vector anywhere
    assert asked[2].score - told[2].score == pytest.approx((1.2 - 0.5) / most)
    assert told[1].score - asked[1].score == pytest.approx(0.5 / most)


@pytest.mark.parametrize(
    ("query", "months"),
    [
        ("what was said in January", 1),
        ("What may have changed?", 0),
        ("who will march with us, and is it an august thing?", 0),
        ("what happened in May", 1),
        ("on 3 march", 1),
        ("March 14, 2023", 1),
        ("since August", 1),
    ],
)
def test_a_month_is_one_only_where_it_can_be_no_other_word(query: str, months: int) -> None:
    every = [turn("a", days=31 * n) for n in range(12)]
    found = turn_scores(
        query,
        Conversations(
            turns=dict(enumerate(every)),
            around={},
            features=dict.fromkeys(range(12), Features()),
            own=dict.fromkeys(range(12), 0.0),
        ),
        TURN_BY_WORDS,
        whole=WHOLE,
        weights=no_weights(),
    )
    assert len([one for one in found.values() if one.stages["month"]]) == months


@pytest.mark.parametrize(
    ("query", "text", "counts"),
    [
        ("When did Ann move?", "Ann: I moved last week", True),
        ("In which year did Ann move?", "Ann: it was 2019", True),
        ("When did Ann move?", "Ann: I may move", False),
        ("When did Ann move?", "Ann: in May", True),
        ("Where did Ann move?", "Ann: I moved last week", False),
    ],
)
def test_who_asks_when_wants_a_time(query: str, text: str, counts: bool) -> None:
    [one] = scored(query, text).values()
    assert bool(one.stages["time"]) is counts
    assert ("names a time" in one.reasons) is counts


def test_the_speaker_counts_only_if_one_alone_is_named() -> None:
    said = ("Ann: yes", "Ben: yes")
    assert [one.stages["speaker"] for one in scored("what does Ben say", *said).values()] == [0.0, 1.0]
    assert [one.stages["speaker"] for one in scored("what do Ann and Ben say", *said).values()] == [0.0, 0.0]


def test_a_window_is_a_turn_and_those_around_it() -> None:
    assert windows({3: Around(before=(2, 1), after=(4,))}) == {3: (3, 2, 1, 4)}


@pytest.mark.parametrize(
    ("weight", "expected"), [(1.0, (1.0, 0.25, 0.2)), (0.0, (0.0, 1.0, 0.3)), (0.1, (0.1, 0.925, 0.29))]
)
def test_without_a_model_the_best_by_words_counts_most(weight: float, expected: tuple[float, ...]) -> None:
    found = record_profile(weight)
    assert (found.cosine, found.bm25, found.coverage) == pytest.approx(expected)

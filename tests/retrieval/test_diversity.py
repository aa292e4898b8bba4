from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.retrieval.diversity import capped, likeness, shingles, unlike_first

TEXTS = {
    "first": "Run the migration script before you start the billing service",
    "again": "run the migration script before you start the billing service!",
    "close": "Run the migration script before you start the invoice service",
    "other": "Amounts of money are integers in cents",
}


@pytest.mark.row("C-S34")
def test_near_duplicates_go_to_the_end_and_nothing_is_dropped() -> None:
    kept, behind = unlike_first(["first", "again", "other", "close"], TEXTS, alike=0.6)
    assert kept == ["first", "other"]
    assert behind == ["again", "close"]


def test_the_threshold_is_above_six_tenths() -> None:
    assert likeness(frozenset("abc"), frozenset("abcde")) == pytest.approx(0.6)
    texts = {"left": "alpha beta gamma", "right": "alpha beta delta"}
    # of 7 pieces 3 are in both: "alpha beta", "alpha", "beta"
    assert likeness(shingles(texts["left"]), shingles(texts["right"])) == pytest.approx(3 / 7)
    assert unlike_first(["left", "right"], texts, alike=3 / 7) == (["left", "right"], [])
    assert unlike_first(["left", "right"], texts, alike=0.42) == (["left"], ["right"])


def test_short_texts_are_compared_by_their_words() -> None:
    assert unlike_first(["a", "b", "c"], {"a": "use uv", "b": "Use uv.", "c": "no"}, alike=0.6) == (["a", "c"], ["b"])
    assert likeness(frozenset(), frozenset()) == 0.0


@given(st.lists(st.text(max_size=30), max_size=8))
def test_it_is_always_the_same_set(texts: list[str]) -> None:
    by_place = dict(enumerate(texts))
    kept, behind = unlike_first(list(by_place), by_place, alike=0.6)
    assert sorted((*kept, *behind)) == list(by_place)
    assert kept == sorted(kept)


def test_a_source_has_so_many_places_and_what_has_none_is_not_counted() -> None:
    sources = {1: "readme", 2: "readme", 3: "", 4: "readme", 5: "", 6: "guide"}
    assert capped([1, 2, 3, 4, 5, 6], sources, 2) == ([1, 2, 3, 5, 6], [4])

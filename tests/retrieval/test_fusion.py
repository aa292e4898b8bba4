from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.retrieval.fusion import reciprocal_ranks, shares, spread, weighted_sum

SCORES = st.dictionaries(st.text(max_size=3), st.floats(-10, 10), max_size=8)


def test_shares_are_of_the_best() -> None:
    assert shares({"a": 4.0, "b": 1.0, "c": -1.0}) == {"a": 1.0, "b": 0.25, "c": 0.0}
    assert shares({"a": 0.0, "b": -1.0}) == {"a": 0.0, "b": 0.0}
    assert shares({}) == {}


def test_spread_is_between_the_lowest_and_the_best() -> None:
    assert spread({"a": 4.0, "b": 1.0, "c": 2.0}) == {"a": 1.0, "b": 0.0, "c": pytest.approx(1 / 3)}
    assert spread({"a": 2.0, "b": 2.0}) == {"a": 1.0, "b": 1.0}


def test_a_weighted_sum_is_a_mean_by_weight() -> None:
    lists = {"cosine": {"a": 0.6, "b": 0.2}, "bm25": {"a": 0.0, "b": 1.0}}
    assert weighted_sum(lists, {"cosine": 1.0, "bm25": 0.25}) == pytest.approx({"a": 0.48, "b": 0.36})


def test_what_a_list_does_not_know_has_its_mean() -> None:
    lists = {"cosine": {"a": 0.6, "b": 0.2}, "bm25": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert weighted_sum(lists, {"cosine": 1.0, "bm25": 1.0})["c"] == pytest.approx((0.4 + 1.0) / 2)


def test_an_empty_list_and_one_without_weight_count_nothing() -> None:
    lists = {"cosine": {}, "bm25": {"a": 0.5}, "other": {"a": 1.0, "z": 1.0}}
    assert weighted_sum(lists, {"cosine": 1.0, "bm25": 0.25}) == {"a": 0.5}
    assert weighted_sum({}, {"cosine": 1.0}) == {}


def test_reciprocal_ranks() -> None:
    fused = reciprocal_ranks([["a", "b"], ["b", "c"]], k=60)
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})
    assert reciprocal_ranks([["a"], ["b"]], k=10, weights=[2.0, 1.0]) == pytest.approx({"a": 2 / 11, "b": 1 / 11})
    assert reciprocal_ranks([["a", "a", "b"]], k=0) == pytest.approx({"a": 1.0, "b": 0.5})


@given(SCORES, SCORES)
def test_a_sum_stays_within_its_parts(left: dict[str, float], right: dict[str, float]) -> None:
    fused = weighted_sum({"left": shares(left), "right": spread(right)}, {"left": 0.3, "right": 2.0})
    assert fused.keys() == left.keys() | right.keys()
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())

"""Metrics of rankings have the values that are worked out by hand."""

from __future__ import annotations

from math import log2

import pytest

from wisen.evals.search_metrics import Difference, difference, means, scores

LETTERS = list("abcdefghijkl")


def test_one_answer_at_the_third_place() -> None:
    found = scores(LETTERS, ["c"])
    assert found == {
        "recall@5": 1.0,
        "recall@10": 1.0,
        "hit@1": 0.0,
        "hit@5": 1.0,
        "hit@10": 1.0,
        "ndcg@10": 1 / log2(4),
        "mrr@10": 1 / 3,
    }


def test_recall_is_the_share_of_the_answers_and_hit_is_any() -> None:
    found = scores(LETTERS, ["a", "g", "x"])
    assert found["recall@5"] == pytest.approx(1 / 3)
    assert found["recall@10"] == pytest.approx(2 / 3)
    assert (found["hit@1"], found["mrr@10"]) == (1.0, 1.0)
    best = 1 + 1 / log2(3) + 1 / log2(4)
    assert found["ndcg@10"] == pytest.approx((1 + 1 / log2(8)) / best)


def test_what_is_found_beyond_the_tenth_place_counts_for_nothing() -> None:
    assert set(scores(LETTERS, ["l"]).values()) == {0.0}


def test_an_answer_that_is_found_twice_counts_once() -> None:
    assert scores(["a", "a", "b"], ["a", "b"])["ndcg@10"] == 1.0


def test_means_of_nothing_are_zero() -> None:
    assert set(means([]).values()) == {0.0}
    assert means([scores("a", ["a"]), scores("b", ["a"])])["hit@1"] == 0.5


def test_a_difference_that_is_always_there_is_no_noise() -> None:
    found = difference([1.0] * 30, [0.0] * 30)
    assert found == Difference(1.0, 1.0, 1.0)
    assert not found.is_noise


def test_a_difference_of_either_sign_is_noise_and_always_the_same() -> None:
    ours, theirs = [1.0, 0.0] * 20, [0.0, 1.0] * 20
    found = difference(ours, theirs)
    assert found.mean == 0
    assert found.low < 0 < found.high
    assert found == difference(ours, theirs)
    assert difference([], []).is_noise


def test_the_interval_is_as_wide_as_the_standard_error_says() -> None:
    ours = [float(n % 10 < 6) for n in range(400)]  # mean .6, standard error .0245
    found = difference(ours, [0.0] * 400)
    assert found.low == pytest.approx(0.6 - 1.96 * 0.0245, abs=0.01)
    assert found.high == pytest.approx(0.6 + 1.96 * 0.0245, abs=0.01)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.types import Tier
from wisen.evals.gate_score import Judged, TierScore, score_of, wilson

ITEMS = (
    Judged(repository="a/x", language="en", tier=Tier.ADOPT, is_right=True, weight=1.0),
    Judged(repository="a/x", language="de", tier=Tier.SUGGEST, is_right=True, weight=1.0),
    Judged(repository="b/y", language="en", tier=Tier.SUGGEST, weight=6.0),
    Judged(repository="b/y", language="en", is_right=True),
    Judged(repository="b/y", language="en", tier=Tier.ADOPT, is_firm=False),
    Judged(repository="b/y", language="en", is_right=True, is_firm=False),
)


def tier(name: Tier) -> TierScore:
    return score_of(ITEMS).tiers[name]


def test_adopt_counts_what_was_adopted_and_a_doubtful_label_not_at_all() -> None:
    adopt = tier(Tier.ADOPT)
    assert (adopt.emitted, adopt.right, adopt.precision) == (1, 1, 1.0)
    assert (adopt.found, adopt.wanted) == (1, 3)
    assert adopt.recall == pytest.approx(1 / 3)


def test_suggest_includes_what_was_adopted() -> None:
    suggest = tier(Tier.SUGGEST)
    assert (suggest.emitted, suggest.right) == (3, 2)
    assert (suggest.found, suggest.wanted) == (2, 3)


def test_precision_is_weighted_to_the_natural_mix_where_it_is_known() -> None:
    assert tier(Tier.SUGGEST).natural_precision == pytest.approx(2 / 8)
    assert score_of([Judged(repository="a", tier=Tier.ADOPT)]).tiers[Tier.ADOPT].natural_precision is None


def test_parts_are_scored_by_repository_and_by_language() -> None:
    suggest = tier(Tier.SUGGEST)
    assert {name: part.precision for name, part in suggest.by_repository.items()} == {"a/x": 1.0, "b/y": 0.0}
    assert {name: part.wanted for name, part in suggest.by_language.items()} == {"de": 1, "en": 2}
    assert not suggest.by_repository["a/x"].by_repository


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)],
)
def test_wilson_intervals_are_those_of_the_formula(hits: int, of: int, low: float, high: float) -> None:
    assert list(wilson(hits, of)) == pytest.approx([low, high], abs=1e-4)


@given(st.integers(0, 500), st.integers(1, 500))
def test_an_interval_holds_the_share_and_stays_between_0_and_1(hits: int, more: int) -> None:
    low, high = wilson(hits, hits + more)
    assert 0.0 <= low <= hits / (hits + more) <= high <= 1.0


def test_nothing_at_all_is_scored_without_an_error() -> None:
    empty = score_of([]).tiers[Tier.SUGGEST]
    assert (empty.precision, empty.recall, empty.emitted) == (0.0, 0.0, 0)

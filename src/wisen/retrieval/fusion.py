"""How do the scores of several lists become one? Pure functions over values by key.

A weighted sum keeps what a score says (a cosine of .2 is not one of .8); ranks alone do not, so they are for lists that
have nothing else.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean
from typing import Final, TypeVar

Key = TypeVar("Key", bound=Hashable)

RRF_K: Final = 10.0


def shares(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Return each score as a share of the best one, 0..1; what is below zero, and everything if nothing is above, 0."""
    best = max(scores.values(), default=0.0)
    return {key: max(score / best, 0.0) if best > 0 else 0.0 for key, score in scores.items()}


def spread(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Return scores between 0 for the lowest and 1 for the best (min-max); 1 for all where they are equal."""
    low, best = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (best - low) if best > low else 1.0 for key, score in scores.items()}


def weighted_sum(lists: Mapping[str, Mapping[Key, float]], weights: Mapping[str, float]) -> dict[Key, float]:
    """Return the mean of each key's scores by weight, 0..1 if they are.

    Where a list lacks a key the mean of those that it has stands in: a passage that is not embedded yet is neither
    near nor far. A list with nothing in it has no weight.
    """
    filled = {name: scores for name, scores in lists.items() if scores and weights.get(name, 0.0) > 0}
    whole = sum(weights[name] for name in filled)
    usual = {name: fmean(scores.values()) for name, scores in filled.items()}
    keys = dict.fromkeys(key for scores in filled.values() for key in scores)
    return {
        key: sum(weights[name] * scores.get(key, usual[name]) for name, scores in filled.items()) / whole
        for key in keys
    }


def reciprocal_ranks(
    rankings: Sequence[Sequence[Key]], *, k: float = RRF_K, weights: Sequence[float] = ()
) -> dict[Key, float]:
    """Return the sum over the lists of weight / (k + rank), the first having rank 1.

    Source: G. V. Cormack, C. L. A. Clarke, S. Büttcher, Reciprocal rank fusion outperforms Condorcet (2009), with
    k = 60 there. A small k lets the first of a list count more, which short lists of unlike kinds need.
    """
    fused: dict[Key, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            fused[key] = fused.get(key, 0.0) + weight / (k + rank)
    return fused

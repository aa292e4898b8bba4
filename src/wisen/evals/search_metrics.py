"""How good is a ranking, and is one way to rank better than another by more than chance?

All metrics are per query, 0..1, with every record that answers it worth the same. A query that nothing answers is not
counted. Intervals are of the mean of paired differences, from bootstrap samples of the queries.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean
from typing import Final, TypeAlias

METRICS: Final = ("recall@5", "recall@10", "hit@1", "hit@5", "hit@10", "ndcg@10", "mrr@10")
DEPTH: Final = 10  # no metric looks further
_SAMPLES: Final = 2000
_TAIL: Final = 0.025

Scores: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of paired differences and its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_noise(self) -> bool:
        """Whether the interval holds zero."""
        return self.low <= 0 <= self.high


def scores(ranked: Sequence[str], gold: Sequence[str]) -> Scores:
    """Return the metrics of one query: the ids that were found, best first, against those that answer it.

    nDCG has gain 1 for each answer and a discount of log2(rank + 1): K. Järvelin, J. Kekäläinen (2002).
    """
    wanted = frozenset(gold)
    places = [place for place, found in enumerate(dict.fromkeys(ranked), 1) if found in wanted and place <= DEPTH]
    best = sum(1 / log2(place + 1) for place in range(1, min(len(wanted), DEPTH) + 1))
    found: dict[str, float] = {
        "ndcg@10": sum(1 / log2(place + 1) for place in places) / best,
        "mrr@10": 1 / places[0] if places else 0.0,
    }
    for k in (1, 5, 10):
        found[f"hit@{k}"] = float(any(place <= k for place in places))
        found[f"recall@{k}"] = sum(place <= k for place in places) / len(wanted)
    return {name: found[name] for name in METRICS}


def means(of: Sequence[Scores]) -> Scores:
    """Return the mean of each metric, 0 for no queries."""
    return {name: fmean(one[name] for one in of) if of else 0.0 for name in METRICS}


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Difference:
    """Return how much better ours is on the same queries, with the percentile interval of a paired bootstrap.

    The same for the same values. Source: B. Efron, R. J. Tibshirani, An introduction to the bootstrap (1993), 13.
    """
    deltas = [mine - other for mine, other in zip(ours, theirs, strict=True)]
    if not deltas:
        return Difference(0.0, 0.0, 0.0)
    chance = random.Random(len(deltas))  # noqa: S311 -- no secret, and the same every time
    samples = sorted(fmean(chance.choices(deltas, k=len(deltas))) for _ in range(_SAMPLES))
    return Difference(fmean(deltas), samples[int(_SAMPLES * _TAIL)], samples[int(_SAMPLES * (1 - _TAIL)) - 1])

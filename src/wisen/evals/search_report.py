"""The figures of retrieval sets: one tree of numbers, the same for JSON and the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from wisen.evals.search_metrics import METRICS, Difference, difference, means
from wisen.evals.search_runs import Answered, Run

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

COMPARED: Final = ("recall@10", "hit@1")
_DIGITS: Final = 4


def view(runs: Sequence[Run]) -> Mapping[str, Json]:
    """Return the figures of every set as JSON-able values."""
    return {"sets": [_set_view(one) for one in runs]}


def _set_view(run: Run) -> Mapping[str, Json]:
    first, *_ = run.pipelines.values()
    return {
        "name": run.name,
        "queries": len(first),
        "pipelines": {name: _rounded(answered) for name, answered in run.pipelines.items()},
        "categories": {
            category: {
                "queries": len(next(iter(parts.values()))),
                **{name: _rounded(answered) for name, answered in parts.items()},
            }
            for category, parts in by_category(run).items()
        },
        "differences": {
            f"{ours} - {theirs}": {metric: _interval(found) for metric, found in metrics.items()}
            for (ours, theirs), metrics in differences(run).items()
        },
    }


def by_category(run: Run) -> Mapping[str, Mapping[str, tuple[Answered, ...]]]:
    """Return category -> pipeline -> the scores of its queries; nothing where there is but one category."""
    first, *_ = run.pipelines.values()
    names = sorted({one.category for one in first})
    if len(names) <= 1:
        return {}
    return {
        category: {
            name: tuple(one for one in answered if one.category == category) for name, answered in run.pipelines.items()
        }
        for category in names
    }


def differences(run: Run) -> Mapping[tuple[str, str], Mapping[str, Difference]]:
    """Return how much better the first pipeline is than each other one, on the same queries."""
    (name, ours), *others = run.pipelines.items()
    return {
        (name, other): {
            metric: difference([one.scores[metric] for one in ours], [one.scores[metric] for one in theirs])
            for metric in COMPARED
        }
        for other, theirs in others
    }


def _rounded(answered: Sequence[Answered]) -> Mapping[str, Json]:
    found = means([one.scores for one in answered])
    return {name: round(found[name], _DIGITS) for name in METRICS}


def _interval(found: Difference) -> Mapping[str, Json]:
    return {"mean": round(found.mean, _DIGITS), "interval": [round(found.low, _DIGITS), round(found.high, _DIGITS)]}

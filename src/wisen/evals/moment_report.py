"""The figures of recall moments: one tree of numbers, the same for JSON and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Final, TypeAlias

from wisen.evals.gate_score import wilson
from wisen.evals.moment_firing import Firing
from wisen.evals.moment_labels import Opportunity
from wisen.evals.moment_runs import Scored

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"

METRICS: Final = ("hit@1", "hit@5")
TYPES: Final = {
    "a": "the same failure",
    "b": "the same correction",
    "c": "the same place",
    "d": "a question about the past",
}
_DIGITS: Final = 4
_Key: TypeAlias = Callable[[Opportunity], str]


def view(scored: Sequence[Scored], firing: Mapping[str, Firing]) -> Mapping[str, Json]:
    """Return the figures as JSON-able values; `signatures` is empty where no sessions were recorded."""
    return {
        "moments": len(scored),
        "groups": {name: _group(rows) for name, rows in groups(scored).items()},
        "signatures": {name: _firing(found) for name, found in firing.items()},
        "each": [
            {
                "id": one.moment.moment_id,
                "lessons": one.lessons,
                **{name: {metric: one.scores[name][metric] for metric in METRICS} for name in one.scores},
            }
            for one in scored
        ],
    }


def groups(scored: Sequence[Scored]) -> Mapping[str, tuple[Scored, ...]]:
    """Return the moments in groups: all, by type, by timing, by what comes before; by part of the set if it has two."""
    return {"all": tuple(scored), **dict(_parts(scored))}


def hits(scored: Sequence[Scored], pipeline: str, metric: str) -> int:
    """Return at how many moments a pipeline had the lesson there."""
    return round(sum(one.scores[pipeline][metric] for one in scored))


def chance(scored: Sequence[Scored], k: int) -> float:
    """Return how often the lesson would be among k that are drawn from those that were known, 0..1."""
    return fmean(min(1.0, k / one.lessons) for one in scored) if scored else 0.0


def distinct_lessons(scored: Sequence[Scored]) -> int:
    """Return of how many lessons some moments are: those of one lesson are no independent trials."""
    return len({(one.moment.repository, one.moment.lesson) for one in scored})


def known_by_then(scored: Sequence[Scored]) -> float:
    """Return how many lessons there were to choose from at the middle moment."""
    return float(median([one.lessons for one in scored] or [0]))


def _parts(scored: Sequence[Scored]) -> Iterator[tuple[str, tuple[Scored, ...]]]:
    keys: Sequence[tuple[_Key, int]] = (
        (lambda moment: f"type {moment.kind}", 1),
        (lambda moment: moment.timing, 1),
        (lambda moment: "before a tool" if moment.is_before_a_tool else "at a prompt", 1),
        (lambda moment: f"set {moment.part}", 2),
    )
    for key, least in keys:
        names = sorted({key(one.moment) for one in scored})
        if len(names) >= least:
            yield from ((name, tuple(one for one in scored if key(one.moment) == name)) for name in names)


def _group(scored: Sequence[Scored]) -> Mapping[str, Json]:
    return {
        "moments": len(scored),
        "distinct_lessons": distinct_lessons(scored),
        "lessons_to_choose_from": known_by_then(scored),
        "chance": {"hit@1": round(chance(scored, 1), _DIGITS), "hit@5": round(chance(scored, 5), _DIGITS)},
        "pipelines": {
            name: {metric: _share(hits(scored, name, metric), len(scored)) for metric in METRICS}
            for name in scored[0].scores
        },
    }


def _share(found: int, of: int) -> Mapping[str, Json]:
    return {"share": round(found / of, _DIGITS), "interval": [round(edge, _DIGITS) for edge in wilson(found, of)]}


def _firing(found: Firing) -> Mapping[str, Json]:
    return {
        "sessions": len(found.sessions),
        "median": found.median,
        "median_of_sessions_with_any": found.median_of_some,
        "max": found.most,
        "share_of_calls": round(found.share, _DIGITS),
    }

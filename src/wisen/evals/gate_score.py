"""How right is a gate: precision and recall of its two tiers, with intervals, by repository and by language?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

from wisen.core.types import Tier

_Z: Final = 1.959964  # of a 95 % interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One labelled item and what the gate made of it.

    `is_right` says that it deserves to be learned, `is_firm` that its label is sure. `weight` is how many items of the
    natural mix it stands for; 0 when the strata do not say.
    """

    repository: str
    language: str = ""
    tier: Tier | None = None
    is_right: bool = False
    is_firm: bool = True
    weight: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TierScore:
    """The figures of one tier: shares of 0..1 with their 95 % intervals (Wilson).

    `emitted` counts what the tier gave out and whose label is sure enough to judge it, `right` those of them that
    deserve it; `wanted` counts the firm positives, `found` those of them that the tier gave out. `natural_precision`
    is the precision re-weighted to the natural mix, None where no strata are known. A part of a score has no parts.
    """

    precision: float
    recall: float
    emitted: int
    right: int
    wanted: int
    found: int
    precision_interval: tuple[float, float]
    recall_interval: tuple[float, float]
    natural_precision: float | None = None
    by_repository: Mapping[str, TierScore] = field(default_factory=dict)
    by_language: Mapping[str, TierScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateScore:
    """The score by tier; `Tier.SUGGEST` includes what was adopted."""

    tiers: Mapping[Tier, TierScore]


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share; the whole line when nothing was counted.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference (1927).
    """
    if not of:
        return 0.0, 1.0
    share, spread = hits / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / of + spread / of / 4) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def score_of(items: Iterable[Judged]) -> GateScore:
    """Return the score of both tiers over labelled items."""
    rows = tuple(items)
    return GateScore(tiers={tier: _with_parts(rows, emitting) for tier, emitting in _EMITTING.items()})


_EMITTING: Final[Mapping[Tier, frozenset[Tier]]] = {
    Tier.ADOPT: frozenset({Tier.ADOPT}),
    Tier.SUGGEST: frozenset({Tier.ADOPT, Tier.SUGGEST}),
}


def _with_parts(rows: Sequence[Judged], emitting: frozenset[Tier]) -> TierScore:
    return _scored(
        rows,
        emitting,
        by_repository=_parts(rows, emitting, lambda row: row.repository),
        by_language=_parts(rows, emitting, lambda row: row.language),
    )


def _parts(rows: Sequence[Judged], emitting: frozenset[Tier], key: Callable[[Judged], str]) -> Mapping[str, TierScore]:
    names = sorted({key(row) for row in rows} - {""})
    return {name: _scored([row for row in rows if key(row) == name], emitting) for name in names}


def _scored(
    rows: Sequence[Judged],
    emitting: frozenset[Tier],
    *,
    by_repository: Mapping[str, TierScore] | None = None,
    by_language: Mapping[str, TierScore] | None = None,
) -> TierScore:
    emitted = [row for row in rows if row.is_firm and row.tier in emitting]
    right = sum(row.is_right for row in emitted)
    wanted = [row for row in rows if row.is_firm and row.is_right]
    found = sum(row.tier in emitting for row in wanted)
    return TierScore(
        precision=_share(right, len(emitted)),
        recall=_share(found, len(wanted)),
        emitted=len(emitted),
        right=right,
        wanted=len(wanted),
        found=found,
        precision_interval=wilson(right, len(emitted)),
        recall_interval=wilson(found, len(wanted)),
        natural_precision=_natural(emitted),
        by_repository=by_repository or {},
        by_language=by_language or {},
    )


def _share(hits: int, of: int) -> float:
    return hits / of if of else 0.0


def _natural(emitted: Sequence[Judged]) -> float | None:
    """Return the precision with each item counted as often as its like occurs; None without strata."""
    total = sum(row.weight for row in emitted)
    return sum(row.weight for row in emitted if row.is_right) / total if total else None

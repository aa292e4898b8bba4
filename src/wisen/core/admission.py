"""Is what was noticed knowledge, and as which parts? The last look at a candidate before it becomes a memory.

Every candidate goes on, or comes back with the reason why not: `wisen why --not` tells it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from wisen.core.proof import unproven
from wisen.core.reasons import reasoned
from wisen.core.trust import OBSERVED
from wisen.core.types import Candidate, MemoryKind, Signal, Source, Tier
from wisen.core.unfit import leans_on_the_moment, unfit

LEAST_STRENGTH: Final = 0.5
"""What a signal is less sure of is not even suggested."""


def admitted(candidate: Candidate) -> tuple[Candidate | None, str]:
    """Return a candidate as it is to be remembered, rule and reason apart; or None, and why it is not."""
    signal = candidate.signal
    if signal.strength < LEAST_STRENGTH:
        return None, f"not sure enough: {signal.strength:.2f} is below {LEAST_STRENGTH:.2f}"
    is_said = signal.origin not in OBSERVED
    if is_said and signal.source is not Source.EXPLICIT and (why := unfit(signal.rule)):
        return None, why
    if is_said:
        candidate = replace(candidate, signal=_in_parts(_placed(signal)))
    why = unproven(candidate)
    return (None, why) if why else (candidate, "")


def _placed(signal: Signal) -> Signal:
    """Return a signal that waits for the person when it points at what only its session shows."""
    if signal.source is Source.EXPLICIT or not leans_on_the_moment(signal.rule):
        return signal
    return replace(signal, tier=Tier.SUGGEST)


def _in_parts(signal: Signal) -> Signal:
    if signal.kind is not MemoryKind.SEMANTIC or signal.why or signal.how_to_apply:
        return signal
    parts = reasoned(signal.rule)
    return replace(signal, rule=parts.rule, why=parts.why, how_to_apply=parts.how_to_apply)

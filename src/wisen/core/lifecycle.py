"""How sure we are of a memory, and when two memories are the same: pure functions of facts and a moment."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from wisen.core.types import EventRef, Memory, Origin, Source

MAX_EVIDENCE: Final = 8
"""Quotes a memory keeps: the first, which made it, and the newest ones."""

CONFIDENCE_CEILING: Final = 0.99
"""Nothing is certain: a later word of the user must be able to win."""

_STEP: Final = 0.25
"""Share of the doubt that is left which one more piece of evidence takes away."""

_BY_SOURCE: Final[Mapping[Source | None, float]] = {
    Source.EXPLICIT: 0.95,
    Source.CORRECTION: 0.80,
    Source.FAILURE_DELTA: 0.70,
    Source.MERGED: 0.70,
    Source.REPEATED_LOOKUP: 0.65,
    None: 0.50,  # from before the gate: the original's default
}
"""The original's guide: .9 and more for an explicit rule, .7 to .8 for a clear one, .5 to .6 for a plausible one."""

_CAP_BY_ORIGIN: Final[Mapping[Origin, float]] = {
    Origin.HEADLESS_PROMPT: 0.70,  # a script may speak for somebody else
    Origin.ASSISTANT_INFERRED: 0.50,
    Origin.PEER: 0.50,
    Origin.TOOL_OUTPUT: 0.50,
}


def fingerprint(text: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of the lower-cased text with runs of white space made one."""
    folded = " ".join(text.lower().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def initial_confidence(source: Source | None, origin: Origin) -> float:
    """Return how sure a new memory is, 0..1, from how it was noticed and who said it."""
    return min(_BY_SOURCE[source], _CAP_BY_ORIGIN.get(origin, CONFIDENCE_CEILING))


def reinforced(memory: Memory, evidence: Sequence[EventRef], now: datetime) -> Memory:
    """Return the memory as it stands after the same thing was seen again.

    Only events it does not hold yet count, so that promoting twice equals promoting once. Each adds one to the
    support and takes a quarter of the doubt that is left; confidence never falls and never passes the ceiling.
    """
    fresh = _unseen(memory.evidence, evidence)
    if not fresh:
        return memory
    doubt = max(0.0, CONFIDENCE_CEILING - memory.confidence) * (1 - _STEP) ** len(fresh)
    return replace(
        memory,
        support=memory.support + len(fresh),
        confidence=max(memory.confidence, CONFIDENCE_CEILING - doubt),
        evidence=_bounded((*memory.evidence, *fresh)),
        verified_at=now,
    )


def _unseen(known: Sequence[EventRef], offered: Sequence[EventRef]) -> tuple[EventRef, ...]:
    seen = {ref.event_id for ref in known}
    return tuple({ref.event_id: ref for ref in offered if ref.event_id not in seen}.values())


def _bounded(evidence: tuple[EventRef, ...]) -> tuple[EventRef, ...]:
    if len(evidence) <= MAX_EVIDENCE:
        return evidence
    return (evidence[0], *evidence[-(MAX_EVIDENCE - 1) :])

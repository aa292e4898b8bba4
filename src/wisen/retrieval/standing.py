"""How does a memory stand, whatever is asked for? Pinned, seen often, sure, recent; 0..1 each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from wisen.core.recalls import Hit
from wisen.core.repetition import is_repeated
from wisen.core.types import Memory

_RECENCY_HALF_LIFE_DAYS: Final = 30.0
_WEIGHTS: Final[Mapping[str, float]] = {
    "pinned": 2.0,
    "repeated": 1.0,
    "support": 0.4,
    "confidence": 1.0,
    "recency": 0.2,
    "own_graph": 0.1,
}
_HIGHEST: Final = sum(_WEIGHTS.values())


def standing(memory: Memory, now: datetime, order: int, worded: Hit | None) -> Hit:
    """Return a memory as a hit by its standing; one found by its words above all. `order` is that of its graph."""
    stages = standing_stages(memory, now) | {"own_graph": 1.0 / (1 + order)}
    score = sum(stages[name] * weight for name, weight in _WEIGHTS.items())
    if worded is None:
        return Hit(memory=memory, score=score, stages=stages, reasons=reasons(memory))
    # above all standing, and among one another by their words
    return replace(
        worded,
        score=_HIGHEST + worded.score,
        stages={**stages, **worded.stages},
        reasons=(*worded.reasons, *reasons(memory)),
    )


def standing_stages(memory: Memory, now: datetime) -> dict[str, float]:
    """Return a memory's standing as 0..1 scores: pinned, support (saturating), confidence, recency (half-life)."""
    age_days = max((now - memory.created_at).total_seconds() / 86400.0, 0.0)
    return {
        "pinned": 1.0 if memory.pinned else 0.0,
        "repeated": 1.0 if is_repeated(memory) else 0.0,
        "support": 1.0 - 1.0 / max(memory.support, 1),
        "confidence": memory.confidence,
        "recency": 0.5 ** (age_days / _RECENCY_HALF_LIFE_DAYS),
    }


def standing_share(memory: Memory, now: datetime) -> float:
    """Return a memory's standing as one number, 0..1."""
    stages = standing_stages(memory, now)
    return sum(score * _WEIGHTS[name] for name, score in stages.items()) / _HIGHEST


def reasons(memory: Memory) -> tuple[str, ...]:
    """Return what speaks for a memory by its standing, in words."""
    found = [f"confidence {memory.confidence:.2f}"]
    if is_repeated(memory):
        found.insert(0, "said again although it was recalled")
    if memory.pinned:
        found.insert(0, "pinned")
    if memory.support > 1:
        found.append(f"seen {memory.support} times")
    return tuple(found)

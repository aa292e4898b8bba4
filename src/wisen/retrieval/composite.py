"""ClawMem's composite score, as a profile for those who come from there: relevance, recency and confidence in one.

Constants and formulas are ClawMem 0.28's. It is not what wisen ranks by: on ClawMem's own judged set the raw search
score has a mean reciprocal rank of .848 where the composite has .415.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log2
from typing import Final

_FOREVER: Final = None
HALF_LIFE_DAYS: Final = {
    "handoff": 30.0,
    "progress": 45.0,
    "conversation": 45.0,
    "problem": 60.0,
    "milestone": 60.0,
    "note": 60.0,
    "research": 90.0,
    "project": 120.0,
    "decision": 180.0,
    "preference": _FOREVER,
    "deductive": _FOREVER,
    "hub": _FOREVER,
    "antipattern": _FOREVER,
}
BASELINE: Final = {
    "decision": 0.85,
    "deductive": 0.85,
    "preference": 0.80,
    "hub": 0.80,
    "antipattern": 0.75,
    "problem": 0.75,
    "research": 0.70,
    "milestone": 0.70,
    "project": 0.65,
    "handoff": 0.60,
    "conversation": 0.55,
    "progress": 0.50,
    "note": 0.50,
}
_LASTING: Final = frozenset({"decision", "deductive", "hub", "research", "antipattern", "preference"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What search, recency and confidence count; they add up to 1."""

    search: float
    recency: float
    confidence: float


DEFAULT: Final = Weights(search=0.50, recency=0.25, confidence=0.25)
QUERY: Final = Weights(search=0.70, recency=0.15, confidence=0.15)
LATEST: Final = Weights(search=0.10, recency=0.70, confidence=0.20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What the score is made of. Ages are in days; `since_access` None where it was never read.

    `search`, `quality`, `stored_confidence` are 0..1; `length` is in characters; `co_activations` counts how often it
    was shown together with one of the best quarter.
    """

    content_type: str
    search: float
    age: float
    since_access: float | None = None
    accesses: int = 0
    quality: float = 0.5
    stored_confidence: float = 0.5
    length: int = 500
    revisions: int = 1
    duplicates: int = 1
    co_activations: int = 0
    is_pinned: bool = False


def recency(content_type: str, age: float, *, accesses: int = 0, since_access: float | None = None) -> float:
    """Return half for each half-life of the type that has passed, 1 for a type that lasts; 1 for a date to come.

    What is used lives up to three times as long; a use counts less and less over 90 days.
    """
    half_life = HALF_LIFE_DAYS.get(content_type, HALF_LIFE_DAYS["note"])
    if half_life is None or age <= 0:
        return 1.0
    freshness = max(0.0, 1 - (age if since_access is None else since_access) / 90)
    lived = min(3 * half_life, half_life + 0.3 * half_life * log(1 + accesses * freshness))
    return float(0.5 ** (age / lived))


def confidence(document: Document) -> float:
    """Return the type's baseline, less with age and inattention and more with use, blended with the stored value."""
    half_life = HALF_LIFE_DAYS.get(document.content_type, HALF_LIFE_DAYS["note"])
    faded = 1.0 if half_life is None or document.age <= 0 else 0.5 ** (document.age / half_life)
    used = min(1.5, 1 + 0.1 * log2(1 + document.accesses))
    is_kept = document.content_type in _LASTING or document.since_access is None
    attention = 1.0 if is_kept else max(0.5, 0.95 ** ((document.since_access or 0.0) / 7))
    baseline = BASELINE.get(document.content_type, BASELINE["note"])
    computed = min(1.0, baseline * faded * used * attention)
    stored = document.stored_confidence
    return computed if stored == 0.5 else min(1.0, computed * (stored / 0.5) * 0.5 + computed * 0.5)  # noqa: PLR2004


def composite(document: Document, weights: Weights = DEFAULT) -> float:
    """Return the whole score, 0..1 but for the factors of quality and co-activation that may lift it above."""
    fresh = recency(document.content_type, document.age, accesses=document.accesses, since_access=document.since_access)
    score = weights.search * document.search + weights.recency * fresh + weights.confidence * confidence(document)
    score *= 0.7 + 0.6 * document.quality
    score *= max(0.3, 1 / (1 + 0.5 * log2(max(document.length / 500, 1))))
    again = 2 * (document.revisions - 1) + (document.duplicates - 1)
    score *= 1 + min(0.10, 0.03 * log(1 + again))
    if document.is_pinned:
        score = min(1.0, score + 0.3)
    return score * (1 + min(document.co_activations / 10, 0.15))

"""How sure we are of a memory, and when two memories are the same: pure functions of facts and a moment."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Final

from wisen.core.signals.wording import cleaned, without_lead_in
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


_KEYS_KEPT: Final = 1024
"""A new rule is compared with all of a graph, one after the other."""


def fingerprint(text: str) -> str:
    """Return the first 16 hex digits of the SHA-256 of the lower-cased text with runs of white space made one."""
    folded = " ".join(text.lower().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=_KEYS_KEPT)
def rule_key(text: str) -> str:
    """Return a normal form of a rule, equal for wordings that differ in dress only.

    Case, white space, lead-ins and courtesies ("please", "thanks"), quotes and code marks, emphasis and the final mark
    do not count. A final mark counts where it may be part of a value ("Sommer2024!").
    """
    plain = _EMPHASIS.sub(r"\2", cleaned(without_lead_in(unicodedata.normalize("NFKC", text).strip())))
    words = " ".join(_QUOTES.sub("", plain).lower().split())
    return _FINAL_MARK.sub("", words)


def same_rule(one: str, other: str) -> bool:
    """Do two wordings state one rule, but for their dress (see `rule_key`)?"""
    return rule_key(one) == rule_key(other)


_EMPHASIS: Final = re.compile(r"(?<!\w)(\*\*|__|\*|_)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_QUOTES: Final = re.compile(r"[`\"“”«»„]|(?<!\w)['‘]|['’](?!\w)")
_FINAL_MARK: Final = re.compile(r"(?:(?<=[^\W\d_]{2})[.。!?！？]+|[.。]+)$")


def initial_confidence(source: Source | None, origin: Origin) -> float:
    """Return how sure a new memory is, 0..1, from how it was noticed and who said it."""
    return min(_BY_SOURCE[source], most_sure(origin))


def most_sure(origin: Origin) -> float:
    """The most that words of this origin can make sure, however often they are repeated."""
    return _CAP_BY_ORIGIN.get(origin, CONFIDENCE_CEILING)


def reinforced(memory: Memory, evidence: Sequence[EventRef], now: datetime, *, origin: Origin | None = None) -> Memory:
    """Return the memory as it stands after the same thing was seen again, said by `origin` (default: the memory's).

    Only events it does not hold yet count, so that promoting twice equals promoting once. Each adds one to the
    support and takes a quarter of the doubt that is left; confidence never falls and never passes the origin's cap.
    """
    fresh = _unseen(memory.evidence, evidence)
    if not fresh:
        return memory
    cap = most_sure(origin or memory.origin)
    doubt = max(0.0, cap - memory.confidence) * (1 - _STEP) ** len(fresh)
    return replace(
        memory,
        support=memory.support + len(fresh),
        confidence=max(memory.confidence, cap - doubt),
        evidence=kept_evidence((*memory.evidence, *fresh)),
        verified_at=now,
    )


def raised(memory: Memory, source: Source | None, origin: Origin, now: datetime) -> Memory:
    """Return the memory after it was noticed again: an explicit ask makes an explicit memory of a weaker one.

    An origin that is trusted less than the memory's own (a script, beside the user's own words) raises nothing.
    """
    if source is not Source.EXPLICIT or most_sure(origin) < most_sure(memory.origin):
        return memory
    sure = max(memory.confidence, initial_confidence(source, origin))
    if (memory.source, memory.confidence) == (source, sure):
        return memory
    said_by = origin if most_sure(origin) > most_sure(memory.origin) else memory.origin
    return replace(memory, source=source, origin=said_by, confidence=sure, verified_at=now)


def with_usage_of(memory: Memory, held: Memory) -> Memory:
    """Return the memory with the use counts of the one held: only a recall changes them, no edit, undo or import."""
    return replace(memory, uses=held.uses, last_used_at=held.last_used_at)


def _unseen(known: Sequence[EventRef], offered: Sequence[EventRef]) -> tuple[EventRef, ...]:
    seen = {ref.event_id for ref in known}
    return tuple({ref.event_id: ref for ref in offered if ref.event_id not in seen}.values())


def kept_evidence(evidence: tuple[EventRef, ...]) -> tuple[EventRef, ...]:
    """Return what a memory keeps of its evidence: the first, which made it, and the newest."""
    if len(evidence) <= MAX_EVIDENCE:
        return evidence
    return (evidence[0], *evidence[-(MAX_EVIDENCE - 1) :])

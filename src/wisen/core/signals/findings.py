"""What a signal file says about a prompt: which of its sentences count, as what, and why."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.core.types import MemoryKind, Source, Tier

MAX_RULE_CHARS = 500
"""Longest rule that is learned by itself; more is a document, not a rule."""

MAX_ASKED_CHARS = 2_000
"""Longest rule that is learned because the user asked: as much as a memory may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A reader's word on one sentence of a prompt.

    `rule` is empty when the sentence is not to be remembered; `why` says in words what decided it, either way.
    `sentence` is its index; `until` the index behind the last sentence that belongs to it.
    """

    sentence: int
    until: int
    why: str
    rule: str = ""
    source: Source = Source.CORRECTION
    strength: float = 0.0
    personal: bool = False
    tier: Tier = Tier.ADOPT
    kind: MemoryKind = MemoryKind.SEMANTIC
    category: str = ""

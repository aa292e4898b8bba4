"""Did the user state a rule that outlives the task? Precision before recall: one clear way of saying it, or nothing.

Every sentence earns the weights of the families of cues it has (`cues`), for and against. It is a rule when what
speaks for it reaches the threshold, the sum with what speaks against it does too, and it can be understood alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wisen.core.signals.cues import Family, has
from wisen.core.signals.cues_against import AGAINST
from wisen.core.signals.cues_for import CONTRAST, EVERYWHERE, FOR, NOT_THAT, OUR_TOOL, TWO_TOOLS
from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.sentences import Sentence, spoken_chars
from wisen.core.signals.wording import (
    cleaned,
    contrast,
    folded,
    is_about_tools,
    is_personal,
    tool_of_ours,
    without_lead_in,
)
from wisen.core.types import Source

THRESHOLD: Final = 3
"""One family that suffices alone, or two or three that agree. Set on labelled prompts of real sessions."""

LONGEST_PROMPT: Final = 900
"""Characters of speech behind which a prompt is a paste or a specification, not somebody stating a rule."""

SHORTEST_SENTENCE: Final = 8


def findings(parts: Sequence[Sentence]) -> tuple[Finding, ...]:
    """Return a finding on every sentence of the user's: a rule, or why it is none."""
    spoken = [(at, part) for at, part in enumerate(parts) if not part.dropped]
    if spoken_chars(tuple(parts)) > LONGEST_PROMPT:
        return tuple(_no(at, "part of a long text: a specification or a paste") for at, _ in spoken)
    return tuple(_judged(at, part) for at, part in spoken)


def _judged(at: int, part: Sentence) -> Finding:
    rule = cleaned(without_lead_in(part.text))
    if not len(part.text) >= SHORTEST_SENTENCE or len(rule) > MAX_RULE_CHARS:
        return _no(at, "too short or too long for a rule")
    for_it, against = _weighed(part.text)
    speaks_for = sum(family.weight for family in for_it)
    total = speaks_for + sum(family.weight for family in against)
    why = _in_words(for_it, against)
    if total < THRESHOLD:
        return _no(at, why)
    return Finding(
        sentence=at,
        until=at + 1,
        why=why,
        rule=rule,
        source=Source.CORRECTION,
        strength=min(0.9, 0.5 + 0.1 * total),
        personal=is_personal(part.text),
    )


def _weighed(text: str) -> tuple[list[Family], list[Family]]:
    """The families that speak for and against the sentence."""
    whole, bare = folded(text), folded(without_lead_in(text))
    structure = _structure(bare)
    heard = [family for family in FOR if family in structure or has(family, whole) or has(family, bare)]
    if structure & {CONTRAST, TWO_TOOLS}:
        heard = [family for family in heard if family is not NOT_THAT]
    return heard, [family for family in AGAINST if has(family, whole) or has(family, bare)]


def _structure(bare: str) -> set[Family]:
    """The families that no list of words can find."""
    found: set[Family] = set()
    if names := contrast(bare):
        found.add(TWO_TOOLS if is_about_tools(names) else CONTRAST)
    if tool_of_ours(bare):
        found.add(OUR_TOOL)
    if is_personal(bare):
        found.add(EVERYWHERE)
    return found


def _in_words(for_it: Sequence[Family], against: Sequence[Family]) -> str:
    """Say what was heard, for example `heard: always, never; when it applies; but: a question`."""
    heard = "; ".join(f"{family.name}" for family in for_it) or "nothing that states a rule"
    but = "; ".join(family.name for family in against)
    return f"heard: {heard}" + (f"; but: {but}" if but else "")


def _no(at: int, why: str) -> Finding:
    return Finding(sentence=at, until=at + 1, why=why)

"""Did the user state a rule that outlives the task? Precision before recall: one clear way of saying it, or nothing.

Every sentence earns the weights of the families of cues it has (`cues`), for and against. It is a rule when what
speaks for it reaches the threshold, the sum with what speaks against it does too, and it can be understood alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from wisen.core.signals.cues import Family, has
from wisen.core.signals.cues_against import AGAINST, QUESTION
from wisen.core.signals.cues_around import (
    CONTRAST,
    FOR,
    NOT_THAT,
    OUR_TOOL,
    PAIRED,
    PERSONAL,
    RULES_FILE,
    RULES_HEADING,
    TWO_TOOLS,
)
from wisen.core.signals.cues_for import SAID_BEFORE
from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.names import contrast, is_about_tools, tool_of_ours
from wisen.core.signals.personal import is_personal
from wisen.core.signals.speech import Sentence, spoken_chars
from wisen.core.signals.wording import cleaned, folded, without_lead_in
from wisen.core.types import Source

THRESHOLD: Final = 3
"""One family that suffices alone, or two or three that agree. Set on labelled prompts of real sessions."""

LONGEST_PROMPT: Final = 900
"""Characters of speech behind which a prompt is a paste or a specification, not somebody stating a rule."""

SHORTEST_SENTENCE: Final = 8


def findings(parts: Sequence[Sentence]) -> tuple[Finding, ...]:
    """Return a finding on every sentence of the user's: a rule, or why it is none."""
    spoken = [at for at, part in enumerate(parts) if not part.dropped]
    if spoken_chars(parts) > LONGEST_PROMPT:
        return tuple(_no(at, "part of a long text: a specification or a paste") for at in spoken)
    found: list[Finding] = []
    for at in spoken:
        if not found or found[-1].until <= at:
            found.append(_pair(parts, at) or _judged(at, parts[at]))
    return tuple(found)


def _pair(parts: Sequence[Sentence], at: int) -> Finding | None:
    """Read "never use any. use unknown" as one: what is not wanted, and in the same line what is."""
    if at + 1 >= len(parts) or parts[at + 1].line != parts[at].line or parts[at + 1].dropped:
        return None
    first, second = parts[at].text, parts[at + 1].text
    if not (_unwanted().match(folded(without_lead_in(first))) and _wanted().match(folded(second))):
        return None
    found = _judged(at, replace(parts[at], text=f"{first} {second}"), structure=frozenset({PAIRED}))
    return replace(found, until=at + 2) if found.rule else None


@cache
def _unwanted() -> re.Pattern[str]:
    return re.compile(
        r"(?:please )?(?:never|do ?n'?t|do not|stop|avoid|no more|i (?:really )?hate|you keep \w+ing|no) \S"
    )


@cache
def _wanted() -> re.Pattern[str]:
    return re.compile(r"(?:use|it's|it is|its|prefer|we use|i use|always|instead|stop that,? (?:use|no|we)) .{2,60}$")


@cache
def _rules_file() -> re.Pattern[str]:
    return re.compile(
        r"(?:please |can you |could you )*(?:add|put|write|note)\b[^:]{0,40}\b(?:claude|agents)\.md\b[^:]{0,20}:\s*",
        re.IGNORECASE,
    )


@cache
def _rules_heading() -> re.Pattern[str]:
    return re.compile(
        r"(?:the|our|my|some|a few|here are (?:the|our|my)|project|coding|house|team|general|basic|\s)*"
        r"(?:rules|conventions|guidelines|preferences|standards)(?: (?:for|in|of|here)(?: [\w-]+){0,4})?:",
        re.IGNORECASE,
    )


def _judged(at: int, part: Sentence, *, structure: frozenset[Family] = frozenset()) -> Finding:
    for_file = _rules_file().match(part.text)
    text = part.text[for_file.end() :] if for_file else part.text
    rule = cleaned(without_lead_in(text))
    if len(part.text) < SHORTEST_SENTENCE or len(rule) > MAX_RULE_CHARS:
        return _no(at, "too short or too long for a rule")
    told = {RULES_FILE} if for_file else {RULES_HEADING} if _rules_heading().fullmatch(part.heading) else set[Family]()
    for_it, against = _weighed(text, structure | told)
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
        personal=is_personal(text),
    )


def _weighed(text: str, told: frozenset[Family]) -> tuple[list[Family], list[Family]]:
    """The families that speak for and against the sentence; `told` are those that its surroundings give it."""
    whole, bare = folded(text), folded(without_lead_in(text))
    structure = _structure(bare) | told
    heard = [family for family in FOR if family in structure or has(family, whole) or has(family, bare)]
    if structure & {CONTRAST, TWO_TOOLS}:
        heard = [family for family in heard if family is not NOT_THAT]
    against = [family for family in AGAINST if has(family, whole) or has(family, bare)]
    if SAID_BEFORE in heard and whole.startswith("how "):
        against = [family for family in against if family is not QUESTION]  # "how many times do I have to tell you"
    return heard, against


def _structure(bare: str) -> set[Family]:
    """The families that no list of words can find."""
    found: set[Family] = set()
    if names := contrast(bare):
        found.add(TWO_TOOLS if is_about_tools(names) else CONTRAST)
    if tool_of_ours(bare):
        found.add(OUR_TOOL)
    if is_personal(bare):
        found.add(PERSONAL)
    return found


def _in_words(for_it: Sequence[Family], against: Sequence[Family]) -> str:
    """Say what was heard, for example `heard: always, never; when it applies; but: a question`."""
    heard = "; ".join(f"{family.name}" for family in for_it) or "nothing that states a rule"
    but = "; ".join(family.name for family in against)
    return f"heard: {heard}" + (f"; but: {but}" if but else "")


def _no(at: int, why: str) -> Finding:
    return Finding(sentence=at, until=at + 1, why=why)

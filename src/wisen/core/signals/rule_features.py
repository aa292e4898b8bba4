"""What can be seen of a sentence that tells a standing rule from everything else? Named features, each there or not.

The names are what `wisen why` shows, and what the weights in `rule_weights` are kept by. Cues are families of wordings,
ideas are lists of phrases, the rest is the shape of the sentence, its prompt and the moment in which it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from wisen.core.signals.alone import alone
from wisen.core.signals.cues import has
from wisen.core.signals.cues_against import AGAINST
from wisen.core.signals.cues_around import CONTRAST, FOR, OUR_TOOL, PERSONAL, RULES_FILE, RULES_HEADING, TWO_TOOLS
from wisen.core.signals.ideas_of_form import (
    ALL_OF_THEM,
    AS_ELSEWHERE,
    BINDING,
    FORBIDDEN,
    FORM,
    FROM_NOW,
    I_AM,
    OURS,
    TO_DO_NOW,
    WISH,
)
from wisen.core.signals.ideas_of_talk import ASKS, FAULT, ORDERS_A_TASK, TALK
from wisen.core.signals.ideas_of_topic import (
    CODE_STYLE,
    GIT_WORK,
    HOW_TO_TALK,
    MADE_ELSEWHERE,
    PRODUCT,
    SURROUNDINGS,
    TOPICS,
)
from wisen.core.signals.ideas_of_work import STEPS
from wisen.core.signals.names import contrast, is_about_tools, tool_of_ours
from wisen.core.signals.personal import is_personal
from wisen.core.signals.phrases import Index, ideas_in, indexed, is_english, words_of
from wisen.core.signals.setting import Setting
from wisen.core.signals.shape import (
    A_KIND,
    ASKS_FOR_WORK,
    BEGINS_WITH_AN_ORDER,
    I_HABIT,
    NONE_THERE,
    STATES,
    WE_HABIT,
    Said,
    shape_of,
)
from wisen.core.signals.speech import Sentence, spoken_chars
from wisen.core.signals.wording import folded, without_lead_in


def cue(name: str) -> str:
    """Return the name of the feature that a family of cues is."""
    return f"cue: {name}"


def features_of(parts: Sequence[Sentence], setting: Setting) -> tuple[frozenset[str], ...]:
    """Return the features of every part of a prompt, in order; none for a part that is not the user's speech."""
    english = is_english([word for part in parts if not part.dropped for word in words_of(folded(part.text))])
    spoken = {at: _said(part, english=english) for at, part in enumerate(parts) if not part.dropped}
    index = _index(english=english)
    ideas = {at: ideas_in(index, one.whole, one.words) for at, one in spoken.items()}
    common = (*_of_prompt(parts, len(spoken)), *_of_setting(setting))
    found: dict[int, frozenset[str]] = {}
    for at, one in spoken.items():
        others = (names & _AROUND for other, names in ideas.items() if other != at)
        around = {f"elsewhere: {name}" for names in others for name in names}
        seen = {*ideas[at], *around, *common, *_cues(parts[at], one), *shape_of(parts[at], one)}
        if "from now on" in one.whole:
            seen.discard(TO_DO_NOW.name)
        if cue(RULES_HEADING.name) in seen:
            seen -= _OF_A_LIST
        plain = alone(one, seen) if len(parts) == 1 else ()
        found[at] = frozenset({*seen, *_together(seen), *plain} - _ONLY_ALONE)
    return tuple(found.get(at, frozenset()) for at in range(len(parts)))


_AROUND: Final = frozenset({FAULT.name, ASKS.name, ORDERS_A_TASK.name, PRODUCT.name})
"""Ideas that also count when another sentence of the prompt has them."""


_ONLY_ALONE: Final = frozenset({STEPS.name})
"""Counts in a prompt that is nothing but a rule; tasks speak of code and tests just as well."""

_OF_A_LIST: Final = frozenset({"an item of a list", "very short", BEGINS_WITH_AN_ORDER})
"""What says nothing about an item under "our rules:"."""


@cache
def _index(*, english: bool) -> Index:
    return indexed((*FORM, *TOPICS, STEPS, *TALK), english=english)


def _said(part: Sentence, *, english: bool) -> Said:
    text = _pull_request().sub("pr", for_the_rules_file(part.text) or part.text)
    whole = folded(text)
    bare = folded(without_lead_in(text))
    return Said(whole=whole, bare=bare, words=tuple(words_of(whole)), is_english=english)


@cache
def _pull_request() -> re.Pattern[str]:
    """What a pull request asks for is no request to a server."""
    return re.compile(r"\b(?:pull|merge) request\b|\b(?:pull|merge) request(?=s\b)", re.IGNORECASE)


# --- families of cues -------------------------------------------------------------------------------------------


def for_the_rules_file(text: str) -> str:
    """Return what stands behind "add to CLAUDE.md:"; empty when the sentence does not begin so."""
    found = _rules_file().match(text)
    return text[found.end() :] if found else ""


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


def _cues(part: Sentence, one: Said) -> Iterator[str]:
    texts = {one.whole, one.bare}
    yield from (cue(family.name) for family in (*FOR, *AGAINST) if any(has(family, text) for text in texts))
    if names := contrast(one.bare):
        yield cue((TWO_TOOLS if is_about_tools(names) else CONTRAST).name)
    if tool_of_ours(one.bare):
        yield cue(OUR_TOOL.name)
    if is_personal(one.bare):
        yield cue(PERSONAL.name)
    if for_the_rules_file(part.text):
        yield cue(RULES_FILE.name)
    if _rules_heading().fullmatch(part.heading):
        yield cue(RULES_HEADING.name)


# --- what goes together -----------------------------------------------------------------------------------------

_PLACES: Final = frozenset({SURROUNDINGS.name, MADE_ELSEWHERE.name})
_WORK: Final = _PLACES | {GIT_WORK.name, CODE_STYLE.name, HOW_TO_TALK.name}
_GENERAL: Final = frozenset({ALL_OF_THEM.name, FROM_NOW.name, AS_ELSEWHERE.name, A_KIND, WE_HABIT})
_BINDING: Final = frozenset({BINDING.name, FORBIDDEN.name, WISH.name, NONE_THERE})
_HERE: Final = frozenset({OURS.name, I_AM.name, STATES, NONE_THERE, I_HABIT})
_ORDERS: Final = frozenset({BEGINS_WITH_AN_ORDER, ASKS_FOR_WORK})

_PAIRS: Final = (
    ("how we work, in general", _WORK, _GENERAL),
    ("how we work, and binding", _WORK, _BINDING),
    ("how things are around here", _PLACES, _HERE),
    ("binding for all of a kind", _GENERAL, _BINDING),
)


def _together(found: AbstractSet[str]) -> Iterator[str]:
    """Name what says more together than each by itself, unless the sentence orders a piece of work."""
    if not found & _ORDERS:
        yield from (name for name, one, other in _PAIRS if found & one and found & other)


# --- the prompt and the moment ----------------------------------------------------------------------------------

_LONG_PROMPT_CHARS: Final = 450
_MANY_SENTENCES: Final = 6


def _of_prompt(parts: Sequence[Sentence], spoken: int) -> Iterator[str]:
    if spoken_chars(parts) > _LONG_PROMPT_CHARS:
        yield "in a long prompt"
    if spoken < len(parts):
        yield "beside a paste"
    if spoken > _MANY_SENTENCES:
        yield "among many sentences"


_MID_TURN: Final = "typed while the agent worked"
_REFUSING: Final = "said when refusing a tool"
_ANSWERING: Final = "the agent had asked"
OF_THE_MOMENT: Final = frozenset({_MID_TURN, _REFUSING, _ANSWERING})
"""What does not lie in the words."""


def _of_setting(setting: Setting) -> Iterator[str]:
    if setting.is_mid_turn:
        yield _MID_TURN
    if setting.is_refusal:
        yield _REFUSING
    if setting.said_before.rstrip().endswith(("?", "？")):
        yield _ANSWERING

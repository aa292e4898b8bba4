"""Is a prompt nothing but a rule of work? One plain sentence, and no word of it belongs to the moment.

Who types only "never push on a friday" or "tests live in tests/unit" asks for nothing: one can do nothing about it but
know it. Beside a task the same words may be a requirement, so they count for more where they stand alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Final

from wisen.core.signals.cues import Family
from wisen.core.signals.cues_against import AGAINST, ANSWER
from wisen.core.signals.cues_around import TWO_TOOLS, UNLESS, WHEN
from wisen.core.signals.cues_for import ALWAYS_NEVER, DO_NOT, HOW_WE_WORK, I_PREFER, USE, WHAT_WE_DO
from wisen.core.signals.ideas_of_form import (
    ALL_OF_THEM,
    AS_ELSEWHERE,
    BINDING,
    CONDITION,
    FORBIDDEN,
    FROM_NOW,
    I_AM,
    OURS,
    RATHER,
    REASON,
    TO_DO_NOW,
    WISH,
)
from wisen.core.signals.ideas_of_talk import APPROVES, ASKS, DOUBTS, FAULT, HAPPENED, ORDERS_A_TASK, PICKS
from wisen.core.signals.ideas_of_topic import CODE_STYLE, GIT_WORK, HOW_TO_TALK, MADE_ELSEWHERE, PRODUCT, SURROUNDINGS
from wisen.core.signals.ideas_of_work import NAMED_TOOLS, STEPS, means_the_thing_at_hand, names_a_path
from wisen.core.signals.shape import (
    A_KIND,
    ASKS_FOR_WORK,
    BEGINS_WITH_AN_ORDER,
    DEED,
    ENDS_AS_A_QUESTION,
    I_HABIT,
    LETS,
    NONE_THERE,
    OPEN_QUESTION,
    POINTS_AHEAD,
    STATES,
    WE_HABIT,
    Said,
    has_an_order_behind,
)

FOR_GOOD: Final = "nothing but: always or never"
PROHIBITION: Final = "nothing but: don't"
HOW_IT_IS: Final = "nothing but: how it is here"
A_WAY: Final = "nothing but: a way to work"


LONGEST_CHARS: Final = 100
"""A plain rule is short; behind this there is a story to it."""


def _cues(*families: Family) -> frozenset[str]:
    return frozenset(f"cue: {family.name}" for family in families)


_OF_THE_MOMENT: Final = _cues(*AGAINST, ANSWER) | {
    *(idea.name for idea in (APPROVES, ASKS, PRODUCT, TO_DO_NOW, DOUBTS, FAULT, HAPPENED, PICKS)),
    *(BEGINS_WITH_AN_ORDER, ASKS_FOR_WORK, DEED, ENDS_AS_A_QUESTION, LETS, OPEN_QUESTION, POINTS_AHEAD),
}
"""What makes a sentence a task, a question, a report or a feature: then it is not looked at here."""

_TOPICS: Final = frozenset(
    idea.name for idea in (STEPS, GIT_WORK, CODE_STYLE, SURROUNDINGS, MADE_ELSEWHERE, HOW_TO_TALK)
)
_STANDING: Final = _cues(ALWAYS_NEVER) | {FROM_NOW.name, NONE_THERE}
_LIMITED: Final = _cues(WHEN) | {ALL_OF_THEM.name}
_NOT: Final = _cues(DO_NOT) | {FORBIDDEN.name}
_SUPPORT: Final = _cues(HOW_WE_WORK, UNLESS, WHEN) | {
    *(idea.name for idea in (MADE_ELSEWHERE, ALL_OF_THEM, OURS, REASON, CONDITION, BINDING, RATHER)),
    STATES,
}
_SHORTEST: Final = 2
_HABIT: Final = _cues(WHAT_WE_DO, HOW_WE_WORK) | {WE_HABIT, I_HABIT, A_KIND}
_PLACE: Final = frozenset({MADE_ELSEWHERE.name, SURROUNDINGS.name, OURS.name, BINDING.name})
_WAY: Final = _cues(USE, I_PREFER, TWO_TOOLS) | {RATHER.name, AS_ELSEWHERE.name, WISH.name}


def alone(one: Said, found: AbstractSet[str]) -> Iterator[str]:
    """Yield what the only sentence of a prompt is, by its words and the features that were found in it."""
    if len(one.whole) > LONGEST_CHARS or has_an_order_behind(one):
        return
    is_named = names_a_path(one.whole) or not NAMED_TOOLS.isdisjoint(one.words)
    if found & _OF_THE_MOMENT or not (found & _TOPICS or is_named):
        return
    orders = not one.is_english and ORDERS_A_TASK.name in found
    general = not (one.is_english and means_the_thing_at_hand(one.whole))
    if general and (found & _STANDING or (found & _LIMITED and not orders)):
        yield FOR_GOOD
    elif general and found & _NOT and _is_for_good(one, found):
        yield PROHIBITION
    if orders:
        return
    if (general and found & _HABIT) or _says_how_it_is(one, found, general=general):
        yield HOW_IT_IS
    elif general and (found & _WAY or _limits(one) or {HOW_TO_TALK.name, I_AM.name} <= found):
        yield A_WAY


def _is_for_good(one: Said, found: AbstractSet[str]) -> bool:
    """As far as one can tell "don't run the tests" is meant for now, and "don't commit secrets" is not."""
    return bool(found & _SUPPORT) or (one.is_english and len(one.words) > _SHORTEST and "the" not in one.words)


@cache
def _limit() -> re.Pattern[str]:
    return re.compile(
        r"^(?:only )?one \w+(?: \w+)? (?:per|a|for each|for every) \w|^(?:max|at most|no more than|under|below) \w+ \w"
        r"|^(?:immer )?(?:nur )?eine?n? \w+ (?:pro|je) \w|^(?:solo )?una? (?:sol[ao] )?\w+ (?:por|per) \w"
        r"|^(?:une?|uma?|um só|uma só) (?:seule? )?\w+ (?:par|por) \w|^(?:одн[аои]н?|один) \w+ на \w|^jed\w+ \w+ na \w"
        r"|^(?:mỗi|một) \w+ (?:một|mỗi) \w|每个.{1,8}一个|ごとに(?:一|1)つ|마다 하나"
    )


def _limits(one: Said) -> bool:
    """How many of one thing go with another ("one migration per pull request")."""
    return bool(_limit().search(one.bare))


def _says_how_it_is(one: Said, found: AbstractSet[str], *, general: bool) -> bool:
    """Does it say where something is kept, or what the surroundings are? A number in it is of the moment."""
    if not one.is_english:
        return bool(found & _TOPICS) and names_a_path(one.whole)
    is_fixed = general or not any(char.isdigit() for char in one.whole)
    return is_fixed and STATES in found and bool(found & _PLACE)

"""When is a prompt worth a recall, if not every one is? What a session keeps in mind of itself, and forgets with it.

Four occasions: the first prompt, one that asks about earlier, one in so many since the last recall, and one on another
topic. Nothing of this is stored: a session that goes on in another daemon begins anew.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Final

from wisen.core.words import folded, index_words

TOPIC_WORDS: Final = 12
SAME_TOPIC: Final = 0.35  # of the words of both
MOST_IDS: Final = 200
_SHORTEST: Final = 3  # of a word in letters of an alphabet; what has no alphabet says much in two

_EARLIER: Final = r"""
    \b (?:last|previous|earlier|past) \ (?:time|session|conversation|discussion) \b
  | \b (?:as|like|what|why|how|when|where) \ (?:did|have|had) \ (?:we|i|you) \b
  | \b (?:we|you|i) \ (?:discussed|agreed|decided|talked\ about|said|did) \b
  | \b remember \ (?:when|what|how|that|the) \b
  | \b (?:do|can) \ you \ (?:remember|recall) \b | \b (?:previously|earlier|before|again) \ ?\?? $
  | \b (?:letztes\ mal|beim\ letzten|haben\ wir|erinnerst\ du|wie\ besprochen) \b
  | \b (?:la\ derniere\ fois|on\ avait|tu\ te\ souviens|comme\ convenu) \b
  | \b (?:la\ ultima\ vez|recuerdas|habiamos|como\ acordamos) \b | \b (?:da\ ultima\ vez|voce\ lembra|combinamos) \b
  | \b (?:прошлый\ раз|помнишь|мы\ решили) \b
  | 上次 | 之前 | 还记得 | 前回 | 以前 | 覚えて | 지난번 | 기억
"""


class Due(StrEnum):
    """Why a prompt is worth a recall."""

    FIRST = "first turn"
    ASKED = "asks about earlier"
    REFRESH = "a while since the last"
    TOPIC = "another topic"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingState:
    """What a session has in mind: its turns, the last one with a recall and its topic, and what was shown of late.

    `shown` are ids of memories, the latest last. The last block itself is in the context, or in a harness's plugin.
    """

    turn: int = 0
    last_recall_turn: int = 0
    topic: frozenset[str] = frozenset()
    shown: tuple[str, ...] = ()


def topic_of(text: str) -> frozenset[str]:
    """Return the words that a text is about: the most frequent of those that are long enough, the first of equals."""
    words = [word for word in index_words(text) if len(word) >= _SHORTEST or not word.isascii()]
    return frozenset(word for word, _ in Counter(words).most_common(TOPIC_WORDS))


def is_other_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two topics share too little. One without words is none, and so no other."""
    return bool(one and other) and len(one & other) < SAME_TOPIC * len(one | other)


def asks_about_earlier(text: str) -> bool:
    """Whether a text asks for what was said or done before."""
    return bool(_earlier().search(folded(text)))


def heard(state: WorkingState, text: str, *, refresh_every: int) -> tuple[WorkingState, Due | None]:
    """Return the state after a prompt, and why that is worth a recall; None where it is not."""
    state = replace(state, turn=state.turn + 1)
    if state.turn == 1:
        return state, Due.FIRST
    if asks_about_earlier(text):
        return state, Due.ASKED
    if state.turn - state.last_recall_turn >= refresh_every:
        return state, Due.REFRESH
    if is_other_topic(state.topic, topic_of(text)):
        return state, Due.TOPIC
    return state, None


def recalled(state: WorkingState, text: str, *, shown: tuple[str, ...]) -> WorkingState:
    """Return the state after a recall for a prompt: its topic counts from now on, whether or not anything came."""
    ids = dict.fromkeys((*(one for one in state.shown if one not in shown), *shown))
    return replace(state, last_recall_turn=state.turn, topic=topic_of(text), shown=tuple(ids)[-MOST_IDS:])


@cache
def _earlier() -> re.Pattern[str]:
    return re.compile(_EARLIER, re.VERBOSE)

"""What tells a turn of a conversation apart that its own words don't: the turns around it, who speaks, and when.

A turn says little by itself ("Yes, last week!"), so what stands beside it and in its conversation counts as well. None
of this is for a memory or a document's piece, which a neighbour says nothing about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from wisen.core.embeddings import Around
from wisen.core.types import Memory
from wisen.retrieval.candidates import Features
from wisen.retrieval.fusion import shares
from wisen.retrieval.lexical import Weights
from wisen.retrieval.profiles import TurnProfile

REACH: Final = 2
_SPOKEN: Final = re.compile(r"^([^\s:][^:\n]{0,29}):\s")
_ASKS: Final = re.compile(r"[?？]\s*(?:\[[^\[\]]*\]\s*)?$")  # also before a note on what is attached
_WORDS_TOO: Final = ("march", "may", "august")
_MONTHS: Final = tuple("january february march april may june july august september october november december".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """The turns that may answer, by passage, and what is known of these and of the ones around them.

    `own` is what a passage scores by itself, 0 to the whole of its profile. `tokens` and `window_tokens` are 0..1, and
    empty where no token states are kept.
    """

    turns: Mapping[int, Memory]
    around: Mapping[int, Around]
    features: Mapping[int, Features]
    own: Mapping[int, float]
    tokens: Mapping[int, float] = field(default_factory=dict)
    window_tokens: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """The relevance of a turn, 0..1, its scores by stage, and what they say in words."""

    score: float
    stages: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def windows(around: Mapping[int, Around]) -> Mapping[int, tuple[int, ...]]:
    """Return for each turn the passages of it and of those around it."""
    return {passage: (passage, *here.before, *here.after) for passage, here in around.items()}


def turn_scores(
    query: str, found: Conversations, profile: TurnProfile, *, whole: float, weights: Weights
) -> Mapping[int, TurnScore]:
    """Return the relevance of turns by passage; `whole` is the most that a passage scores by itself.

    It is a sum of scores by the profile's weights, divided by what that can be for this query.
    """
    ranking = _Ranking(query, found, profile, whole, weights)
    return {passage: ranking.scored(passage) for passage in found.turns}


class _Ranking:
    """What the turns found for a query are compared by."""

    def __init__(self, query: str, found: Conversations, profile: TurnProfile, whole: float, weights: Weights) -> None:
        self._found, self._profile, self._whole, self._weights = found, profile, whole, weights
        self._bm25 = shares({one: features.bm25 for one, features in found.features.items()})
        self._best: dict[str, float] = {}
        for passage, memory in found.turns.items():
            self._best[memory.session_id] = max(self._best.get(memory.session_id, 0.0), found.own[passage])
        self._speaker = _asked_of(query, map(_speaker, found.turns.values()))
        self._months = _months_in(query)
        self._asks_time = bool(_asks_time().match(query))
        self._most = self._most_for(profile)

    def scored(self, passage: int) -> TurnScore:
        """Return the score of one of the turns."""
        by, memory = self._profile, self._found.turns[passage]
        stages = self._stages(passage, memory)
        score = self._own(passage)
        score += by.window * stages["window"] + self._whole * by.conversation * stages["conversation"]
        score += self._whole * 2 * by.beside * stages["beside"]
        score += by.speaker * stages["speaker"] + by.month * stages["month"] + by.time * stages["time"]
        score += self._answers(passage) - by.asks * _asks(memory)
        reasons = [f"{self._speaker} says it"] if stages["speaker"] else []
        reasons += [f"said in {_MONTHS[_said_at(memory).month - 1].title()}"] if stages["month"] else []
        reasons += ["names a time"] if stages["time"] else []
        return TurnScore(score=min(max(score, 0.0) / self._most, 1.0), stages=stages, reasons=tuple(reasons))

    def _stages(self, passage: int, memory: Memory) -> dict[str, float]:
        """Return the scores by stage, 0..1."""
        found, here = self._found, self._found.around.get(passage, Around())
        beside = sum(found.own.get(one, 0.0) for one in (*here.before[:1], *here.after[:1]))
        window = {
            term
            for one in (passage, *here.before, *here.after)
            if one in found.features
            for term in found.features[one].matched
        }
        stages = {
            "beside": beside / 2 / self._whole,
            "conversation": self._best[memory.session_id] / self._whole,
            "window": self._weights.coverage(tuple(window)),
            "speaker": float(bool(self._speaker) and _speaker(memory) == self._speaker),
            "month": float(_said_at(memory).month in self._months),
            "time": float(self._asks_time and bool(_time().search(memory.text))),
        }
        if found.window_tokens:
            stages["window_tokens"] = found.window_tokens.get(passage, min(found.window_tokens.values()))
        return stages

    def _own(self, passage: int) -> float:
        """Return what a turn's own words and those of its window come to."""
        by, found = self._profile, self._found
        cosine = found.features[passage].cosine if passage in found.features else None
        score = by.cosine * max(cosine or 0.0, 0.0) + by.bm25 * self._bm25.get(passage, 0.0)
        if found.tokens:
            score += by.tokens * found.tokens.get(passage, min(found.tokens.values()))
        if found.window_tokens:
            score += by.window_tokens * found.window_tokens.get(passage, min(found.window_tokens.values()))
        return score

    def _answers(self, passage: int) -> float:
        """Return what a turn gets for the question before it: below zero if that has little to do with the query."""
        before = self._found.around.get(passage, Around()).before[:1]
        if not before or (memory := self._found.turns.get(before[0])) is None or not _asks(memory):
            return 0.0
        return self._profile.answers * (self._found.own[before[0]] - self._profile.asked)

    def _most_for(self, by: TurnProfile) -> float:
        """Return the most that a turn can get for this query, the bonus of an answer left aside."""
        most = by.bm25 + by.window + self._whole * (by.conversation + 2 * by.beside)
        most += by.cosine * any(one.cosine is not None for one in self._found.features.values())
        most += by.tokens * bool(self._found.tokens) + by.window_tokens * bool(self._found.window_tokens)
        most += by.speaker * bool(self._speaker) + by.month * bool(self._months) + by.time * self._asks_time
        return most


def _asks(memory: Memory) -> bool:
    """Whether a turn ends in a question."""
    return bool(_ASKS.search(memory.text))


def _speaker(memory: Memory) -> str:
    """Return who says a turn that begins with a name and a colon, '' for any other."""
    found = _SPOKEN.match(memory.text)
    return found[1] if found else ""


def _asked_of(query: str, speakers: Iterable[str]) -> str:
    """Return the only speaker that a query names, '' where it names none or several."""
    named = {one for one in speakers if one and re.search(rf"\b{re.escape(one)}\b", query)}
    return named.pop() if len(named) == 1 else ""


def _said_at(memory: Memory) -> datetime:
    return memory.authored_at or memory.created_at


def _months_in(query: str) -> frozenset[int]:
    """Return the months that a query names, 1..12; what is a word as well ("may") only where it must be a month."""
    return frozenset(
        _MONTHS.index((plain or after or dated).lower()) + 1 for plain, after, dated in _month().findall(query)
    )


@cache
def _month() -> re.Pattern[str]:
    plain = "|".join(name for name in _MONTHS if name not in _WORDS_TOO)
    either = "|".join(_WORDS_TOO)
    before = r"in|of|since|until|till|by|during|last|this|next|early|late|mid|before|after|from|\d+(?:st|nd|rd|th)?"
    return re.compile(rf"\b({plain})\b|\b(?:{before})[ ,]+({either})\b|\b({either})(?=,? \d)", re.IGNORECASE)


@cache
def _asks_time() -> re.Pattern[str]:
    """Return what matches the beginning of a question for a time."""
    return re.compile(
        r"(?:when|how long|since when|(?:in |on )?(?:what|which) (?:year|month|date|day|week))\b", re.IGNORECASE
    )


@cache
def _time() -> re.Pattern[str]:
    """Return what matches a time that a text names: a date, a month, a day, or one told from today on."""
    months = "|".join(name for name in _MONTHS if name != "may")
    days = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    spans = rf"night|weeks?|months?|years?|weekend|summer|spring|winter|fall|autumn|morning|evening|days|{days}"
    told = rf"yesterday|today|tonight|tomorrow|(?:last|next|this|past|few) (?:{spans})|ago|recently|since"
    return re.compile(rf"(?i:\b(?:{told}|{months}|{days}|(?:19|20)\d\d)\b)|\bMay\b")

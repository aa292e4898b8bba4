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
from math import log1p
from statistics import fmean, pstdev
from typing import Final

from wisen.core.embeddings import Around
from wisen.core.types import Memory
from wisen.retrieval.candidates import Features
from wisen.retrieval.lexical import Weights

REACH: Final = 2
# Beside the sum of a turn's own scores, as shares of what that sum can be.
_BESIDE, _CONVERSATION = 0.2, 0.3
# Scores of 0..1 by themselves.
_WINDOW, _LENGTH, _ANSWER, _SPEAKER, _MONTH = 0.4, 0.05, 0.1, 0.1, 0.2
_WIDEST: Final = 2.0  # standard deviations that a length counts for
_SPOKEN: Final = re.compile(r"^([^\s:][^:\n]{0,29}):\s")
_MONTHS: Final = tuple("january february march april may june july august september october november december".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """The relevance of a turn, 0..1, its scores by stage, and what they say in words."""

    score: float
    stages: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def turn_scores(
    query: str,
    turns: Mapping[int, Memory],
    around: Mapping[int, Around],
    features: Mapping[int, Features],
    own: Mapping[int, float],
    *,
    whole: float,
    weights: Weights,
) -> Mapping[int, TurnScore]:
    """Return the relevance of turns by passage.

    `own` holds what each passage scores by itself, 0..1, those around a turn included; `whole` is the weight of that.
    The whole is divided by what it can be at most.
    """
    best: dict[str, float] = {}
    for passage, memory in turns.items():
        best[memory.session_id] = max(best.get(memory.session_id, 0.0), own[passage])
    lengths = _lengths(turns)
    speaker = _asked_of(query, map(_speaker, turns.values()))
    months = _months_in(query)
    most = whole * (1 + 2 * _BESIDE + _CONVERSATION) + _WINDOW + _LENGTH + _SPEAKER + _MONTH
    found: dict[int, TurnScore] = {}
    for passage, memory in turns.items():
        here = around.get(passage, Around())
        beside = sum(own.get(one, 0.0) for one in (*here.before[:1], *here.after[:1]))
        window = {
            term for one in (passage, *here.before, *here.after) if one in features for term in features[one].matched
        }
        stages = {
            "beside": beside / 2,
            "conversation": best[memory.session_id],
            "window": weights.coverage(tuple(window)),
            "speaker": float(bool(speaker) and _speaker(memory) == speaker),
            "month": float(_said_at(memory).month in months),
        }
        score = whole * (own[passage] + 2 * _BESIDE * stages["beside"] + _CONVERSATION * stages["conversation"])
        score += _WINDOW * stages["window"] + _SPEAKER * stages["speaker"] + _MONTH * stages["month"]
        score += _LENGTH * lengths[passage] - _ANSWER * memory.text.rstrip().endswith(("?", "？"))
        reasons = [f"{speaker} says it"] if stages["speaker"] else []
        reasons += [f"said in {_MONTHS[_said_at(memory).month - 1].title()}"] if stages["month"] else []
        found[passage] = TurnScore(score=max(score, 0.0) / most, stages=stages, reasons=tuple(reasons))
    return found


def _lengths(turns: Mapping[int, Memory]) -> Mapping[int, float]:
    """Return how much longer than usual each turn is, -1..1: a long one says more."""
    logs = {passage: log1p(len(memory.text)) for passage, memory in turns.items()}
    usual, spread = fmean(logs.values()), pstdev(logs.values())
    return {
        passage: max(-1.0, min((value - usual) / (_WIDEST * spread), 1.0)) if spread else 0.0
        for passage, value in logs.items()
    }


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
    """Return the months that a query names, 1..12; "may" only with a capital, as it mostly is no month."""
    return frozenset(_MONTHS.index(name.lower()) + 1 for name in _month().findall(query) if name != "may")


@cache
def _month() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(_MONTHS)})\b", re.IGNORECASE)

"""Of what fits about as well, the newest first, for who asks "what did we decide last about retries?".

Age says nothing about relevance, so no other query is touched, and nothing that fits far less comes up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Final

from wisen.core.recalls import Hit
from wisen.core.words import folded

_AS_WELL: Final = 0.75  # of the best score
_ASKED: Final = r"""
    \b latest \b | \b newest \b | \b most\ recent (?:ly)? \b
  | \b last\ (?:time|decided|decision|discussed|said|changed) \b
  | \b (?:did|have|has|was|were)\ (?:we|i|you|it|they|he|she)\ last \b
  | \b zuletzt \b | \b (?:neuest|letzt)e[ns]?\ (?:mal|stand|entscheidung|version) \b
  | \b derniere\ fois \b | \b en\ dernier \b | \b le\ plus\ recent \b
  | \b ultima\ (?:vez|volta) \b | \b mas\ reciente \b
  | \b mais\ recente \b | \b piu\ recente \b | \b последний\ раз \b | \b ostatnio \b | \b son\ kez \b
  | 最新 | 最近一次 | 上次 | 前回 | 最後に | 마지막 | 지난번 | 최신
"""


def asks_latest(query: str) -> bool:
    """Whether a query asks for the latest of several."""
    return bool(_pattern().search(folded(query)))


def newest_first(ranked: Sequence[Hit]) -> list[Hit]:
    """Return hits, best first, with those that fit about as well as the best in the order of their time.

    They exchange their scores, so that the list stays in the order of its scores.
    """
    near = [hit for hit in ranked if hit.score >= _AS_WELL * ranked[0].score]
    if len(near) < 2:  # noqa: PLR2004
        return list(ranked)
    newest = sorted(near, key=_said_at, reverse=True)
    placed = [replace(hit, score=better.score) for hit, better in zip(newest, near, strict=True)]
    placed[0] = replace(placed[0], reasons=(*placed[0].reasons, "the latest of what fits"))
    return [*placed, *ranked[len(near) :]]


def _said_at(hit: Hit) -> datetime:
    return hit.memory.authored_at or hit.memory.created_at


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(_ASKED, re.VERBOSE)

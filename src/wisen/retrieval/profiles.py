"""What counts how much, by the kind of record: a memory or a document's piece is not ranked as a turn of talk is.

The weights are round, and near a flat optimum on sets they were not chosen on; `docs/design/search.md` has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The weights of a record's own scores: `cosine` -1..1, `bm25` and `coverage` 0..1."""

    cosine: float
    bm25: float
    coverage: float

    @property
    def whole(self) -> float:
        """The most that the scores can come to."""
        return self.cosine + self.bm25 + self.coverage

    def weights(self) -> Mapping[str, float]:
        """Return the weights by stage."""
        return {"cosine": self.cosine, "bm25": self.bm25, "coverage": self.coverage}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnProfile:
    """The weights of what speaks for a turn of a conversation, each a score of 0..1 unless it says otherwise.

    Its own: `cosine`, `bm25`, `tokens`. Of it and the turns within `turns.REACH` on either side together: `window`, the
    share of the query's words that they hold, and `window_tokens`. Of what others score by themselves, 0 to the whole
    of their `Profile`: `conversation` the best of its conversation, `beside` each of the two next to it, `answers` what
    the one before it has above `asked`, if that one asks. And `speaker`, `month` and `time`, where the query asks for
    these. `asks` is taken off from a turn that is a question itself.
    """

    cosine: float = 0.0
    bm25: float
    tokens: float = 0.0
    window_tokens: float = 0.0
    window: float
    conversation: float
    beside: float
    speaker: float
    month: float
    time: float = 1.0
    asks: float = 0.5
    answers: float
    asked: float = 0.0


RECORD: Final = Profile(cosine=1.0, bm25=0.25, coverage=0.2)
WORDS_ALONE: Final = Profile(cosine=0.0, bm25=1.0, coverage=0.3)

TURN_BY_MEANING: Final = TurnProfile(
    cosine=2.0, bm25=0.5, window=2.0, conversation=2.0, beside=1.0, speaker=2.0, month=2.0, answers=1.0, asked=0.5
)
TURN_BY_TOKENS: Final = TurnProfile(
    tokens=6.0,
    window_tokens=9.0,
    bm25=0.5,
    window=1.0,
    conversation=1.0,
    beside=0.5,
    speaker=2.0,
    month=2.0,
    answers=1.0,
    asked=0.5,
)
TURN_BY_WORDS: Final = TurnProfile(
    bm25=1.0, window=1.0, conversation=1.0, beside=0.5, speaker=1.0, month=2.0, asks=0.25, answers=0.5
)


def record_profile(cosine_weight: float) -> Profile:
    """Return the profile of a record when a cosine counts so much, 0..1: 0 without a model, little for a stand-in.

    Beside a model words only correct it. By themselves being the best by words counts most.
    """
    rest = 1.0 - cosine_weight
    return Profile(
        cosine=RECORD.cosine * cosine_weight,
        bm25=RECORD.bm25 * cosine_weight + WORDS_ALONE.bm25 * rest,
        coverage=RECORD.coverage * cosine_weight + WORDS_ALONE.coverage * rest,
    )

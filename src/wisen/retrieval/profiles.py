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

    def weights(self, cosine: float) -> Mapping[str, float]:
        """Return the weights by stage; `cosine` is how much the model's word counts, 0..1."""
        return {"cosine": self.cosine * cosine, "bm25": self.bm25, "coverage": self.coverage}


RECORD: Final = Profile(cosine=1.0, bm25=0.25, coverage=0.2)
# Where there is no model, covering the query counts more than being the best of a bad lot.
WORDS_ALONE: Final = Profile(cosine=0.0, bm25=0.25, coverage=0.3)

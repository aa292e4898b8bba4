"""Which hits say the same as one that ranks higher? Such go behind the others; nothing is dropped for being alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Final, TypeVar

from wisen.core.words import index_words

Key = TypeVar("Key", bound=Hashable)

_LONG_WORD: Final = 4


def shingles(text: str) -> frozenset[str]:
    """Return what two texts are compared by: pairs of neighbouring words, and words of more than three characters."""
    words = index_words(text)
    pairs = (f"{left} {right}" for left, right in pairwise(words))
    return frozenset((*pairs, *(word for word in words if len(word) >= _LONG_WORD))) or frozenset(words)


def likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the Jaccard index of two sets, 0..1; 0 for two empty ones."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def unlike_first(ranked: Sequence[Key], texts: Mapping[Key, str], *, alike: float) -> tuple[list[Key], list[Key]]:
    """Return a ranking's keys that are unlike all before them, and apart those more than `alike` to one; both in order.

    Together they are the same keys. Source of the idea: J. Carbonell, J. Goldstein, The use of MMR (1998); here the
    trade is a threshold, so that a second opinion never costs relevance.
    """
    kept: list[Key] = []
    behind: list[Key] = []
    seen: list[frozenset[str]] = []
    for key in ranked:
        said = shingles(texts[key])
        if any(likeness(said, other) > alike for other in seen):
            behind.append(key)
        else:
            kept.append(key)
            seen.append(said)
    return kept, behind


def capped(ranked: Sequence[Key], sources: Mapping[Key, str], most: int) -> tuple[list[Key], list[Key]]:
    """Return a ranking with at most `most` keys of each source, and apart the others. '' is no source."""
    counts: Counter[str] = Counter()
    kept: list[Key] = []
    behind: list[Key] = []
    for key in ranked:
        source = sources.get(key, "")
        counts[source] += bool(source)
        (behind if source and counts[source] > most else kept).append(key)
    return kept, behind

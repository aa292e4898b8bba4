"""Which memories hold which words, and how well do they match? The fake's stand-in for a full-text index.

BM25 as in SQLite's FTS5 (k1 = 1.2, b = 0.75, inverse document frequency at least 1e-6) over the same fields; where
FTS5 stems with Porter's rules, this cuts off the commonest English endings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import log
from unicodedata import combining, normalize

from wisen.core.types import Memory

_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?<=\w\w\w)(ing|ed|es|s)$")


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, folded: no case, no accents, no common endings."""
    folded = "".join(c for c in normalize("NFD", text.casefold()) if not combining(c))
    return tuple(_ENDING.sub("", word) for word in _WORD.findall(folded))


def occurring(terms: Sequence[str], memory: Memory) -> Sequence[str]:
    """Return the terms that occur in a memory; a term of several words occurs as a phrase."""
    fields = _fields(memory)
    return [term for term in terms if _count(words(term), fields)]


def ranked(terms: Sequence[str], memories: Sequence[Memory]) -> Mapping[str, float]:
    """Return memory id -> BM25 score, higher is better, of the memories in which any term occurs."""
    fields = {memory.memory_id: _fields(memory) for memory in memories}
    sizes = {key: sum(map(len, parts)) for key, parts in fields.items()}
    average = sum(sizes.values()) / len(sizes) if sizes else 0.0
    scores: dict[str, float] = {}
    for term in terms:
        phrase = words(term)
        found = {key: n for key, parts in fields.items() if (n := _count(phrase, parts))}
        idf = max(log((len(fields) - len(found) + 0.5) / (len(found) + 0.5)), _LEAST_IDF)
        for key, n in found.items():
            scores[key] = scores.get(key, 0.0) + idf * n * (_K1 + 1) / (n + _K1 * (1 - _B + _B * sizes[key] / average))
    return scores


def _fields(memory: Memory) -> tuple[tuple[str, ...], ...]:
    return tuple(map(words, (memory.title, memory.text, memory.why, memory.how_to_apply, " ".join(memory.tags))))


def _count(phrase: tuple[str, ...], fields: tuple[tuple[str, ...], ...]) -> int:
    size = len(phrase)
    if not size:
        return 0
    return sum(field[i : i + size] == phrase for field in fields for i in range(len(field) - size + 1))

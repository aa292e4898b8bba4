"""Which memories hold which words, and how well do they match? The fake's stand-in for a full-text index.

BM25 as in SQLite's FTS5 (k1 = 1.2, b = 0.75, inverse document frequency at least 1e-6) over the same words of the same
fields; where FTS5 stems with Porter's rules, this cuts off the commonest English endings.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log

from wisen.core.types import Memory
from wisen.core.words import Phrase, index_words
from wisen.store.contract import indexed_fields

_K1, _B, _LEAST_IDF = 1.2, 0.75, 1e-6
_ENDING = re.compile(r"(?<=[a-z]{3})(ing|ed|es|s)$", re.ASCII)

_Field = tuple[str, ...]


def stemmed(words: Iterable[str]) -> _Field:
    """Return words without their common endings."""
    return tuple(_ENDING.sub("", word) for word in words)


class WordIndex:
    """The words of some memories."""

    def __init__(self, memories: Iterable[Memory], *, title_weight: float = 1.0) -> None:
        self._title_weight = title_weight
        self._fields = {
            memory.memory_id: [stemmed(index_words(text)) for text in indexed_fields(memory).values()]
            for memory in memories
        }
        self._sizes = {key: sum(map(len, fields)) for key, fields in self._fields.items()}

    def words(self) -> Mapping[str, int]:
        """Return each word, and how many memories hold it."""
        return Counter(word for fields in self._fields.values() for word in {w for field in fields for w in field})

    def scores(self, terms: Mapping[str, Sequence[Phrase]]) -> Mapping[str, Mapping[str, float]]:
        """Return memory id -> BM25 of each term that occurs, higher is better; the whole score is their sum."""
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for term, phrases in terms.items():
            for phrase in phrases:
                for key, score in self._phrase_scores(phrase).items():
                    scores[key][term] = scores[key].get(term, 0.0) + score
        return scores

    def _count(self, words: _Field, phrase: Phrase, fields: Sequence[_Field]) -> float:
        title, *others = (_count(words, phrase, field) for field in fields)
        return self._title_weight * title + sum(others)

    def _phrase_scores(self, phrase: Phrase) -> Mapping[str, float]:
        wanted = stemmed(phrase.words)
        counts = {key: self._count(wanted, phrase, fields) for key, fields in self._fields.items()}
        found = {key: n for key, n in counts.items() if n}
        idf = max(log((len(counts) - len(found) + 0.5) / (len(found) + 0.5)), _LEAST_IDF)
        average = sum(self._sizes.values()) / len(self._sizes) if self._sizes else 0.0
        return {
            key: idf * n * (_K1 + 1) / (n + _K1 * (1 - _B + _B * self._sizes[key] / average))
            for key, n in found.items()
        }


def _count(words: _Field, phrase: Phrase, field: _Field) -> int:
    return sum(_stands_at(words, field[at : at + len(words)], phrase) for at in range(len(field) - len(words) + 1))


def _stands_at(words: _Field, there: _Field, phrase: Phrase) -> bool:
    if phrase.is_prefix:
        return there[:-1] == words[:-1] and there[-1].startswith(words[-1])
    return there == words

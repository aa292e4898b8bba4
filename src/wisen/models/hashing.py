"""Feature hashing: vectors without a model. They know words and spellings, and nothing of meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Final

from wisen.core.embeddings import HASHING, Space
from wisen.core.words import folded, index_words
from wisen.ports import Embedding

DIMENSION: Final = 512
_WORD, _PAIR, _TRIGRAM = 1.0, 0.5, 0.25
_GRAM: Final = 3


class HashingEmbedder:
    """Words, pairs of words and their trigrams, each added to one of 512 numbers with a sign.

    Source: K. Weinberger et al., Feature hashing for large scale multitask learning (2009).
    """

    space: Final = Space(model=HASHING, digest="words-pairs-trigrams-1", dimension=DIMENSION)
    weight: Final = 0.1

    def __init__(self) -> None:
        """Raises ImportError where numpy is missing."""
        import numpy as np  # noqa: PLC0415 - loaded on first use, and not there in every install

        self._numpy = np

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return an embedding for each text; of one without words the first number is 1."""
        return [Embedding(vector=self._vector(text)) for text in texts]

    def _vector(self, text: str) -> bytes:
        np = self._numpy
        vector = np.zeros(DIMENSION, np.float32)
        for feature, weight in _features(text):
            digest = int.from_bytes(blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest(), "big")
            vector[digest % DIMENSION] += weight if digest >> 63 else -weight
        length = float(np.linalg.norm(vector))
        if not length:
            vector[0] = length = 1.0
        return bytes((vector / length).astype("<f4").tobytes())


def _features(text: str) -> Iterator[tuple[str, float]]:
    words = index_words(text)
    for word in words:
        yield word, _WORD
        around = f" {folded(word)} "
        yield from ((around[at : at + _GRAM], _TRIGRAM) for at in range(len(around) - _GRAM + 1))
    yield from ((f"{left} {right}", _PAIR) for left, right in pairwise(words))

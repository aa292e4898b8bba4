"""An embedding model for tests: as near in meaning as it is told, and nothing is loaded."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from math import sqrt
from typing import Final

from wisen.core.embeddings import Space
from wisen.core.words import index_words
from wisen.ports import Embedder, Embedding

_DIMENSION: Final = 64


class FakeEmbedder:
    """Each word is a direction of its own; words of one set of synonyms are one direction."""

    weight: Final = 1.0

    def __init__(
        self, synonyms: Iterable[Iterable[str]] = (), *, name: str = "fake", dimension: int = _DIMENSION
    ) -> None:
        self.space: Final = Space(model=name, digest="", dimension=dimension)
        self._same = {word: min(group) for group in map(tuple, synonyms) for word in group}
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return the mean of the directions of a text's words, of length 1."""
        self.asked += texts
        return [Embedding(vector=self._vector(text)) for text in texts]

    def _vector(self, text: str) -> bytes:
        size = self.space.dimension
        vector = array("f", [0.0] * size)
        for word in index_words(text) or ("",):
            digest = blake2b(self._same.get(word, word).encode(), digest_size=size).digest()
            for place, byte in enumerate(digest):
                vector[place] += byte - 127.5
        length = sqrt(sum(value * value for value in vector)) or 1.0
        return array("f", (value / length for value in vector)).tobytes()


class FakeEmbedders:
    """A chain of one model that is there at once, or of none."""

    def __init__(self, embedder: Embedder | None = None, *, state: str = "") -> None:
        self.embedder = embedder
        self._state = state

    def space(self) -> Space | None:
        """Return the model's space."""
        return self.embedder.space if self.embedder else None

    def now(self, *, within: float) -> Embedder | None:  # noqa: ARG002
        """Return the model."""
        return self.embedder

    def query(self, text: str, *, within: float) -> tuple[Space, Embedding, float] | None:  # noqa: ARG002
        """Return what the model makes of a query."""
        if self.embedder is None:
            return None
        [found] = self.embedder.embed([text])
        return self.embedder.space, found, self.embedder.weight

    def failed(self, embedder: Embedder, error: Exception) -> None:
        """Go on without the model."""
        del embedder, error
        self.embedder = None

    def state(self) -> str:
        """Return what was given."""
        return self._state

    def described(self) -> str:
        """Return the model's space in words."""
        return str(self.embedder.space) if self.embedder else ""

    def is_loaded(self) -> bool:
        """Whether there is a model."""
        return self.embedder is not None

    def release_if_idle(self) -> bool:
        """Never let go."""
        return False

    def close(self) -> None:
        """Let go of nothing."""

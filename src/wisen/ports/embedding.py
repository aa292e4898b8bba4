"""Embedding models, as recall and the background job meet them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wisen.core.embeddings import Space
from wisen.errors import EmbeddingFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """What a model makes of a text.

    `vector` is float32, little endian, `dimension` of them, of length 1. `tokens` are its last states of each word
    piece without the special ones, float32, as many rows of `dimension`; b"" where the model gives none.
    `pieces` are those word pieces as the model's vocabulary has them.
    """

    vector: bytes
    tokens: bytes = b""
    pieces: tuple[str, ...] = ()


class Embedder(Protocol):
    """A model that is loaded. Safe to call from several threads."""

    @property
    def space(self) -> Space:
        """The space of its vectors."""
        ...

    @property
    def weight(self) -> float:
        """How much its cosine counts in the fusion, 0..1: 1 for a language model, little for feature hashing."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return an embedding for each text; a long text is cut at the model's limit, '' has an embedding too.

        Raises EmbeddingFailed.
        """
        ...


class Embedders(Protocol):
    """The way to the best model that there is: loaded on first use, let go when idle."""

    def space(self) -> Space | None:
        """Return the space of the model that would be used now, found without loading it; None where that is open.

        Cheap after the first time.
        """
        ...

    def now(self, *, within: float) -> Embedder | None:
        """Return the model, waiting at most `within` seconds for it; None where there is none (yet). Never raises.

        Loading goes on in the background, so the next one finds it.
        """
        ...

    def query(self, text: str, *, within: float) -> tuple[Space, Embedding, float] | None:
        """Return (space, embedding, weight) of a query within so many seconds, or None. Never raises."""
        ...

    def failed(self, embedder: Embedder, error: EmbeddingFailed) -> None:
        """Note that a model failed: another is tried the next time."""
        ...

    def state(self) -> str:
        """Return in a few words what is not at its best: which step is in use, and why none before it."""
        ...

    def described(self) -> str:
        """Return the model that is loaded, as a person reads it; '' for none."""
        ...

    def is_loaded(self) -> bool:
        """Whether a model is in memory."""
        ...

    def release_if_idle(self) -> bool:
        """Let go of a model that was not used for a while; return whether it did."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...

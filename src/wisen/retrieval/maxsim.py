"""How well does each word of a query find its like in a passage? Token by token, from the model's own last states.

States are projected to 128 numbers by fixed random signs, which keep angles (D. Achlioptas, Database-friendly random
projections, 2003), and kept in a byte each: 128 bytes a token, without a scale, as only angles count. A query's token
that finds its like in every candidate says nothing, and weighs accordingly. Source of the idea: O. Khattab, M. Zaharia,
ColBERT (2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeAlias

from wisen.core.embeddings import Space
from wisen.ports import Embedding
from wisen.retrieval.vocabulary import is_grammar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = "NDArray[np.float32]"

READ: Final = 50  # of the best candidates
WEIGHT: Final = 0.5  # beside the sum of a record's own scores
_WIDTH: Final = 128
_STEPS: Final = 127.0


def packed_tokens(embedding: Embedding, space: Space) -> bytes:
    """Return the states of a text's tokens as they are kept; b"" where the model gives none."""
    import numpy as np  # noqa: PLC0415

    if not embedding.tokens:
        return b""
    states = _projected(embedding, space)
    scales = np.maximum(np.abs(states).max(axis=1, keepdims=True), 1e-9) / _STEPS
    kept: bytes = np.rint(states / scales).astype(np.int8).tobytes()
    return kept


class TokenMatches:
    """For each token of a query how near its like is in each of some passages: cosines of 0..1."""

    def __init__(self, query: Embedding, space: Space, kept: Mapping[int, bytes]) -> None:
        self._rows = {passage: row for row, passage in enumerate(kept)}
        self._pieces = query.pieces
        self._best = _best(_projected(query, space), list(kept.values())) if query.tokens and kept else None

    def similarities(self) -> dict[int, float]:
        """Return for each passage the weighted mean over the query's tokens, 0..1."""
        if self._best is None:
            return {}
        return dict(zip(self._rows, map(float, self._best @ _weights(self._best)), strict=True))

    def of_windows(self, windows: Mapping[int, Iterable[int]]) -> dict[int, float]:
        """Return the same of passages taken together, by the key of each window: for each token the best of them.

        Here grammar says nothing: "what" and "the" find their like in any few turns.
        """
        import numpy as np  # noqa: PLC0415

        if self._best is None:
            return {}
        weights = _weights(self._best)
        if len(self._pieces) == len(weights):
            says = np.array([not is_grammar(piece) for piece in self._pieces])
            if (weights * says).any():
                weights = weights * says / (weights * says).sum()
        rows = {key: [self._rows[one] for one in window if one in self._rows] for key, window in windows.items()}
        return {key: float(self._best[held].max(axis=0) @ weights) for key, held in rows.items() if held}


def _weights(best: Floats) -> Floats:
    """Return the weight of each token of a query: how far its like is on average; the sum is 1."""
    import numpy as np  # noqa: PLC0415

    far = 1.0 - best.mean(axis=0)
    weights: Floats = far / far.sum() if far.sum() > 0 else np.full(len(far), 1.0 / len(far), np.float32)
    return weights


def _best(wanted: Floats, kept: Sequence[bytes]) -> Floats:
    """Return (passages, tokens of the query): the best cosine among a passage's own, 0 for one whose states are cut."""
    import numpy as np  # noqa: PLC0415

    found = np.zeros((len(kept), len(wanted)), np.float32)
    whole = [row for row, held in enumerate(kept) if held and not len(held) % _WIDTH]
    if not whole:
        return found
    values = np.frombuffer(b"".join(kept[row] for row in whole), np.int8).reshape(-1, _WIDTH).astype(np.float32)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
    starts = np.cumsum([0, *(len(kept[row]) // _WIDTH for row in whole[:-1])])
    found[whole] = np.clip(np.maximum.reduceat(values @ wanted.T, starts, axis=0), 0.0, 1.0)
    return found


def _projected(embedding: Embedding, space: Space) -> Floats:
    """Return the states of tokens (tokens, 128), each of length 1."""
    import numpy as np  # noqa: PLC0415

    states = np.frombuffer(embedding.tokens, "<f4").reshape(-1, space.dimension) @ _signs(space.dimension)
    projected: Floats = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
    return projected


@cache
def _signs(dimension: int) -> Floats:
    """Return the projection (dimension, 128): the same everywhere and for ever: what is kept was made by it."""
    import numpy as np  # noqa: PLC0415

    drawn = b"".join(
        blake2b(number.to_bytes(2, "big"), digest_size=_WIDTH // 8).digest() for number in range(dimension)
    )
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimension, _WIDTH)
    return (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(_WIDTH))

"""How well does each word of a query find its like in a passage? Token by token, from the model's own last states.

States are projected to 128 numbers by fixed random signs, which keep angles (D. Achlioptas, Database-friendly random
projections, 2003), and kept in a byte each: 128 bytes a token, without a scale, as only angles count. A query's token
that finds its like in every candidate says nothing, and weighs accordingly. Source of the idea: O. Khattab, M. Zaharia,
ColBERT (2020).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from wisen.core.embeddings import Space
from wisen.ports import Embedding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


def similarities(query: Embedding, space: Space, kept: Mapping[int, bytes]) -> dict[int, float]:
    """Return for each passage the weighted mean over the query's tokens of the best cosine among its own, 0..1."""
    import numpy as np  # noqa: PLC0415

    if not query.tokens or not kept:
        return {}
    wanted = _projected(query, space)
    best = np.stack([_best(wanted, held) for held in kept.values()])
    weights = 1.0 - best.mean(axis=0)
    weights = weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1.0 / len(weights))
    return dict(zip(kept, map(float, best @ weights), strict=True))


def _best(wanted: NDArray[np.float32], held: bytes) -> NDArray[np.float32]:
    import numpy as np  # noqa: PLC0415

    if not held or len(held) % _WIDTH:
        return np.zeros(len(wanted), np.float32)
    values = np.frombuffer(held, np.int8).reshape(-1, _WIDTH).astype(np.float32)
    values /= np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-9)
    best: NDArray[np.float32] = np.clip((wanted @ values.T).max(axis=1), 0.0, 1.0)
    return best


def _projected(embedding: Embedding, space: Space) -> NDArray[np.float32]:
    """Return the states of tokens (tokens, 128), each of length 1."""
    import numpy as np  # noqa: PLC0415

    states = np.frombuffer(embedding.tokens, "<f4").reshape(-1, space.dimension) @ _signs(space.dimension)
    projected: NDArray[np.float32] = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
    return projected


@cache
def _signs(dimension: int) -> NDArray[np.float32]:
    """Return the projection (dimension, 128): the same everywhere and for ever: what is kept was made by it."""
    import numpy as np  # noqa: PLC0415

    drawn = b"".join(
        blake2b(number.to_bytes(2, "big"), digest_size=_WIDTH // 8).digest() for number in range(dimension)
    )
    bits = np.unpackbits(np.frombuffer(drawn, np.uint8)).reshape(dimension, _WIDTH)
    return (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(_WIDTH))

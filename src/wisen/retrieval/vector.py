"""Which passages of a graph are nearest to a query, and how near?

What the filter lets through is known before anything is scored. As many as `EXACT` passages are compared exactly; of
more only the `RESCORED` whose signs differ least, which loses next to nothing and takes milliseconds for a million.
Nothing is kept between two queries, so nothing can fall out of step with the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from wisen.core.embeddings import MARK_BYTES, Passage, PassageVector, SlotBlock, Space, mark_tables, slot_bytes
from wisen.core.recalls import MemoryFilter
from wisen.ports import Embedding, GraphStore

if TYPE_CHECKING:  # numpy is a tenth of a second to import, and not there in a plain install
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = "NDArray[np.float32]"
    Numbers: TypeAlias = "NDArray[np.int64]"
    Bytes: TypeAlias = "NDArray[np.uint8]"

EXACT: Final = 4096
RESCORED: Final = 1000
_BATCH: Final = 64  # blocks that are judged at once: 65,536 passages, 3.5 MB
_SCALE: Final = 127.0
_SCALE_BYTES: Final = 4


def packed(passage: Passage, embedding: Embedding, *, tokens: bytes = b"") -> PassageVector:
    """Return the vector of a passage as the store keeps it: a bit and a byte for each dimension, and the scale.

    Of a vector of length 1 the rounding moves a cosine by about 0.002.
    """
    import numpy as np  # noqa: PLC0415

    vector = np.frombuffer(embedding.vector, "<f4")
    scale = float(np.abs(vector).max()) / _SCALE or 1.0
    rounded = np.rint(vector / scale).astype(np.int8)
    return PassageVector(
        number=passage.number,
        stamp=passage.stamp,
        code=np.packbits(vector > 0).tobytes(),
        vector=np.float32(scale).tobytes() + rounded.tobytes(),
        tokens=tokens,
    )


def cosines(store: GraphStore, space: Space, query: Embedding, passages: Sequence[int]) -> dict[int, float]:
    """Return the cosine of those passages that have a vector."""
    import numpy as np  # noqa: PLC0415

    held = {number: vector for number, vector in store.vectors(space, passages).items() if _is_whole(vector, space)}
    if not held:
        return {}
    rows = np.frombuffer(b"".join(held.values()), np.uint8).reshape(len(held), _SCALE_BYTES + space.dimension)
    scales = rows[:, :_SCALE_BYTES].copy().view("<f4")[:, 0]
    values = rows[:, _SCALE_BYTES:].view(np.int8).astype(np.float32)
    wanted = np.frombuffer(query.vector, "<f4")
    norms = np.sqrt(np.einsum("ij,ij->i", values, values)) * scales
    scores = (values @ wanted) * scales / np.where(norms > 0, norms, 1.0)
    return dict(zip(held, map(float, scores), strict=True))


def nearest(
    store: GraphStore, space: Space, query: Embedding, where: MemoryFilter, *, limit: int, rescored: int = RESCORED
) -> list[tuple[int, float]]:
    """Return up to `limit` passages whose memories pass the filter, the nearest first, each with its cosine."""
    while True:
        candidates, is_all = _candidates(store, space, query, where, rescored)
        ranked = sorted(cosines(store, space, query, candidates).items(), key=lambda one: (-one[1], one[0]))
        found = _admitted(store, ranked, where, limit)
        if is_all or len(found) >= limit:
            return found
        rescored *= 8  # what the marks can't tell (snoozed, shown before) has taken too many of them


def _admitted(
    store: GraphStore, ranked: Sequence[tuple[int, float]], where: MemoryFilter, limit: int
) -> list[tuple[int, float]]:
    found: list[tuple[int, float]] = []
    for start in range(0, len(ranked), limit):
        part = ranked[start : start + limit]
        passing = store.passing([number for number, _ in part], where)
        found += [one for one in part if one[0] in passing]
        if len(found) >= limit:
            break
    return found[:limit]


def _candidates(
    store: GraphStore, space: Space, query: Embedding, where: MemoryFilter, rescored: int
) -> tuple[list[int], bool]:
    """Return the numbers of the passages that are worth an exact comparison, and whether these are all there are."""
    import numpy as np  # noqa: PLC0415

    tables = [np.frombuffer(table, np.uint8).astype(bool) for table in mark_tables(where)]
    wanted = np.packbits(np.frombuffer(query.vector, "<f4") > 0)
    numbers = np.empty(0, np.int64)
    apart = np.empty(0, np.uint16)
    most, seen = max(EXACT, rescored), 0
    for first, slots in _batches(store.slots(space), slot_bytes(space)):
        allowed = np.flatnonzero(np.logical_and.reduce([table[slots[:, at]] for at, table in enumerate(tables)]))
        seen += len(allowed)
        numbers = np.concatenate((numbers, first[allowed]))
        apart = np.concatenate((apart, _differing(slots[allowed, MARK_BYTES:], wanted)))
        if len(numbers) > most:
            numbers, apart = _closest(numbers, apart, most)
    if seen > EXACT:
        numbers, apart = _closest(numbers, apart, rescored)
    return numbers.tolist(), len(numbers) == seen


def _batches(blocks: Iterable[SlotBlock], width: int) -> Iterator[tuple[Numbers, Bytes]]:
    """Yield passage numbers and their slots, `_BATCH` blocks at a time."""
    import numpy as np  # noqa: PLC0415

    remaining = iter(blocks)
    while batch := list(islice(remaining, _BATCH)):
        slots = np.frombuffer(b"".join(block.slots for block in batch), np.uint8).reshape(-1, width)
        first = [np.arange(block.first, block.first + len(block.slots) // width) for block in batch]
        yield np.concatenate(first), slots


def _differing(codes: Bytes, wanted: Bytes) -> NDArray[np.uint16]:
    """Return in how many signs each code differs from the one that is wanted."""
    import numpy as np  # noqa: PLC0415

    apart: NDArray[np.uint16] = np.bitwise_count(codes ^ wanted).sum(axis=1, dtype=np.uint16)
    return apart


def _closest(numbers: Numbers, apart: NDArray[np.uint16], most: int) -> tuple[Numbers, NDArray[np.uint16]]:
    """Return as many passages as are wanted, those that differ least; of equal ones those with the lower number."""
    import numpy as np  # noqa: PLC0415

    if len(numbers) <= most:
        return numbers, apart
    edge = np.partition(apart, most - 1)[most - 1]
    inside = np.flatnonzero(apart < edge)
    kept = np.concatenate((inside, np.flatnonzero(apart == edge)[: most - len(inside)]))
    return numbers[kept], apart[kept]


def _is_whole(vector: bytes, space: Space) -> bool:
    return len(vector) == _SCALE_BYTES + space.dimension

"""What do the index and an embedding model say to each other? Vectors are bytes here: who computes unpacks them.

A passage is what is indexed: the words of one memory. Each space holds the vectors of one model; vectors of two spaces
are never compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wisen.core.places import is_place
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory, MemoryKind, Source, Status

MARK_BYTES: Final = 5  # a slot begins with as many bytes that say what its passage is
HASHING: Final = "hashing"  # the name of what stands in where there is no model
TURN: Final = "turn"  # the category of a memory that is one turn of a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """Which model made a vector: its name, the digest of its files or '' where none is known, the vector's length."""

    model: str
    digest: str
    dimension: int

    def __str__(self) -> str:
        """Return the space as a person reads it."""
        return f"{self.model} ({self.dimension} dimensions)"


def reads_english_only(space: Space) -> bool:
    """Whether a model knows English alone: to such a one all texts of another language are alike."""
    return space.model.startswith("all-MiniLM-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage that is to be embedded. `stamp` tells whether its words are still those that were embedded."""

    number: int
    memory: Memory
    stamp: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageVector:
    """The vector of a passage.

    `code` has one bit a dimension, the highest bit of the first byte for the first: whether it is above zero. `vector`
    is what `retrieval.vector` packs; `tokens` may hold the packed states of its tokens, b"" where they are not kept.
    """

    number: int
    stamp: str
    code: bytes
    vector: bytes
    tokens: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotBlock:
    """The codes of passages with consecutive numbers from `first` on, `MARK_BYTES` of marks before each code.

    A slot of zero bytes is empty. The length of `slots` is a multiple of `slot_bytes`.
    """

    first: int
    slots: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A passage in which terms occur: BM25, higher is better, and which of the terms asked for, by their place."""

    passage: int
    score: float
    matched: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The best matches, best first, and how many there are with those beyond the limit."""

    rows: tuple[Match, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The passages of the turns before and after one in its conversation, the nearest first."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


def slot_bytes(space: Space) -> int:
    """Return the length of a slot of a space in bytes."""
    return MARK_BYTES + (space.dimension + 7) // 8


# --- marks: what a filter asks first, one byte each, so that many slots are judged at once ---------------------------

_STATUSES: Final = {status: number for number, status in enumerate(Status, 1)}
_KINDS: Final = {kind: number for number, kind in enumerate(MemoryKind, 1)}
_SOURCES: Final[Mapping[Source | None, int]] = {None: 1} | {source: number for number, source in enumerate(Source, 2)}
_RECIPE, _PLACE, _ANY = 1, 2, 4
_STEPS: Final = 255


def marks(memory: Memory) -> bytes:
    """Return `MARK_BYTES` bytes that say what a memory is, none of them zero."""
    flags = _ANY | (_RECIPE if memory.trigger is not None else 0) | (_PLACE if is_place(memory) else 0)
    return bytes(
        (
            _STATUSES[memory.status],
            _KINDS[memory.kind],
            _SOURCES[memory.source],
            flags,
            min(int(memory.confidence * _STEPS) + 1, _STEPS),  # rounded up: whoever passes is asked again, exactly
        )
    )


def mark_tables(where: MemoryFilter) -> tuple[bytes, ...]:
    """Return for each mark byte a table of 256 bytes: 1 where a memory with that value may pass the filter, else 0.

    No memory that passes `store.contract.admits` is stopped by a table; some that don't pass are let through (what a
    filter excludes by id, what is snoozed), so the filter itself is asked for those that are chosen.
    """
    least = min(int(where.min_confidence * _STEPS) + 1, _STEPS)
    allowed: tuple[Sequence[bool], ...] = (
        _among(_STATUSES[status] for status in where.statuses),
        _among(_KINDS.values() if where.kinds is None else (_KINDS[kind] for kind in where.kinds)),
        _among(_SOURCES.values() if where.sources is None else (_SOURCES[source] for source in where.sources)),
        [bool(flags & _ANY) and _passes(where, flags) for flags in range(256)],
        [value >= least for value in range(256)],
    )
    return tuple(bytes(table) for table in allowed)


def _passes(where: MemoryFilter, flags: int) -> bool:
    is_recipe, is_at_place = bool(flags & _RECIPE), bool(flags & _PLACE)
    return (
        (where.with_recipes or not is_recipe)
        and (where.with_places or not is_at_place)
        and (where.programs is None or is_recipe)
        and (where.names is None or is_at_place)
    )


def _among(values: Iterable[int]) -> Sequence[bool]:
    allowed = frozenset(values)
    return [value in allowed for value in range(256)]

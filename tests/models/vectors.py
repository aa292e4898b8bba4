"""Vectors of the tests: unpacked, and compared."""

from __future__ import annotations

import struct
from math import sqrt

from wisen.ports import Embedding


def numbers(vector: bytes) -> tuple[float, ...]:
    """Return the numbers of a vector."""
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def cosine(left: Embedding, right: Embedding) -> float:
    """Return the cosine of two vectors of length 1."""
    return sum(one * other for one, other in zip(numbers(left.vector), numbers(right.vector), strict=True))


def length(vector: bytes) -> float:
    """Return the length of a vector."""
    return sqrt(sum(number * number for number in numbers(vector)))

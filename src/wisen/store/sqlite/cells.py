"""Where the cells of a page of a database file are, and how long.

The format: https://www.sqlite.org/fileformat2.html#b_tree_pages. Nothing here looks at more than one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HEADER_BYTES: Final = 100  # before the tree on the first page
LEAF_INDEX, INNER_INDEX, LEAF_TABLE, INNER_TABLE = 0x0A, 0x02, 0x0D, 0x05
_KINDS: Final = frozenset({LEAF_INDEX, INNER_INDEX, LEAF_TABLE, INNER_TABLE})
_INNER: Final = frozenset({INNER_INDEX, INNER_TABLE})
_CHILD_BYTES: Final = 4
_OVERFLOW_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Tree:
    """A page of a b-tree: its kind, where on the page the tree begins, where its list of cells ends, and the cells."""

    kind: int
    start: int
    list_end: int
    cells: Sequence[int]


def tree_on(page: bytes, number: int) -> Tree | None:
    """Return the tree page with that number, None for a page of another kind."""
    start = HEADER_BYTES if number == 1 else 0
    if len(page) <= start or page[start] not in _KINDS:
        return None
    first = start + (12 if page[start] in _INNER else 8)
    count = min(big(page, start + 3, 2), (len(page) - first) // 2)
    return Tree(page[start], start, first + 2 * count, [big(page, first + 2 * n, 2) for n in range(count)])


def cell_end(page: bytes, kind: int, at: int, usable: int) -> int:
    """Return where the cell at that place ends, which may be off the page. Raises IndexError if it is cut off."""
    at += _CHILD_BYTES * (kind in _INNER)
    size, at = varint(page, at)
    if kind == INNER_TABLE:  # the number is a rowid, and all there is
        return at
    if kind == LEAF_TABLE:
        _, at = varint(page, at)
    local = local_bytes(size, usable, is_table=kind == LEAF_TABLE)
    return at + local + _OVERFLOW_BYTES * (local < size)


def local_bytes(size: int, usable: int, *, is_table: bool) -> int:
    """Return how much of a payload is on the page of its cell; the rest is on others."""
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (usable - 12) * 32 // 255 - 23
    fitting = least + (size - least) % (usable - 4)
    return fitting if fitting <= most else least


def big(content: bytes, at: int, size: int) -> int:
    """Return a big-endian number."""
    return int.from_bytes(content[at : at + size], "big")


def varint(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of 1 to 9 bytes, and where it ends. Raises IndexError if it is cut off."""
    value = 0
    for n in range(8):
        byte = content[at + n]
        value = value << 7 | byte & 0x7F
        if byte & 0x80 == 0:
            return value, at + n + 1
    value = value << 8 | content[at + 8]
    return value - (1 << 64) if value >> 63 else value, at + 9

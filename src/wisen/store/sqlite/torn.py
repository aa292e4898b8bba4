"""Was a page never written as a whole, or was it, and changed later?

A power cut leaves some sectors of a page as they were before: zeros in a log that grew, and what an earlier round left
in one that began anew. Either makes no sense where the page says that it has a cell. Damage is mostly one bit or byte,
and of one word the checksum tells that it and nothing else is wrong: the difference it makes depends on its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, TypeAlias

from wisen.store.sqlite.cells import INNER_TABLE, Tree, cell_end, tree_on

SECTOR_BYTES: Final = 512  # the least that disks write as one
_SUMMED_BYTES: Final = 8  # of the header, before the page
_WORD_BYTES: Final = 4
_MASK: Final = 0xFFFFFFFF

_Pair: TypeAlias = tuple[int, int]
_Piece: TypeAlias = tuple[int, int]


def may_be_torn(page: bytes, number: int, at: int, wrong: _Pair, *, is_reused: bool) -> bool:
    """Whether a power cut may have made a page of a log what it is, whose frame has a header in one piece.

    `at` is where in the log it begins, `wrong` what its checksum should be less what it is, each half modulo 2^32;
    `is_reused` says that the log began anew, over what an earlier round left there.
    """
    empty = [piece for piece in _pieces(at, len(page)) if not any(page[slice(*piece)])]
    changed = changed_words(len(page), wrong)
    lost = [word for word in changed if any(start <= word < end for start, end in empty)]
    tree = tree_on(page, number)
    if changed and len(lost) < len(changed):  # mostly none was lost; a beginning of a cell was
        return tree is not None and any(word <= cell < word + _WORD_BYTES for cell in tree.cells for word in lost)
    if lost or tree is None:
        return bool(empty) or is_reused
    return not _makes_sense(page, tree, empty)


def is_in_two_sectors(start: int, end: int) -> bool:
    """Whether bytes of a log lie so that a power cut may have left one half of them."""
    return start // SECTOR_BYTES < (end - 1) // SECTOR_BYTES


def _pieces(at: int, size: int) -> Iterator[_Piece]:
    """Yield what a page has of each sector, as places on the page."""
    borders = [0, *range(-at % SECTOR_BYTES or SECTOR_BYTES, size, SECTOR_BYTES), size]
    return pairwise(borders)


def changed_words(size: int, wrong: _Pair) -> list[int]:
    """Return where on the page a word is whose change alone explains the checksums: mostly one place, or none.

    It is before the page for a word of the frame's header. A difference d in the even word of a pair adds (d, d) to the
    sums, one in the odd word (0, d); every pair that follows makes (a + b, a + 2b) of (a, b):
    https://www.sqlite.org/fileformat2.html#checksum_algorithm.
    """
    one, two = wrong
    if not two:
        return [-_WORD_BYTES]  # the sum itself
    found = []
    even, odd = (1, 1), (0, 1)
    for pair in range(size // (2 * _WORD_BYTES) - 1, -_SUMMED_BYTES // (2 * _WORD_BYTES) - 1, -1):
        for half, (a, b) in ((1, odd), (0, even)):
            if (one * b - two * a) & _MASK == 0:
                found.append((2 * pair + half) * _WORD_BYTES)
        even, odd = _after_a_pair(even), _after_a_pair(odd)
    return found


def _after_a_pair(sums: _Pair) -> _Pair:
    a, b = sums
    return (a + b) & _MASK, (a + 2 * b) & _MASK


def _makes_sense(page: bytes, tree: Tree, empty: list[_Piece]) -> bool:
    """Whether every cell lies on the page, none on another, and none on a sector that was perhaps not written."""
    if any(start < tree.list_end for start, _ in empty):
        return False  # neither the header of the file nor that of the tree is of zeros alone
    end = tree.list_end
    for cell in sorted(tree.cells):
        begin, end_before = cell, end
        try:
            end = max(cell_end(page, tree.kind, cell, len(page)), cell + 1)
        except IndexError:
            return False
        has_row = tree.kind == INNER_TABLE or end > begin + 2
        if begin < end_before or end > len(page) or not has_row:
            return False
        if any(begin < stop and start < end for start, stop in empty):
            return False
    return True

"""Was a page never written as a whole, or was it, and changed later?

A power cut leaves some sectors of a page as they were before: zeros in a log that grew, and what an earlier round left
in one that began anew. Damage is mostly one bit, or a few bytes in a row; of up to four the checksum tells that nothing
else is wrong: the difference they make depends on their place. Zeros make no sense where the page says that it has a
cell; what an earlier round left often does, so of a log that began anew nothing but the checksum counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from wisen.store.sqlite.cells import INNER_TABLE, Tree, cell_end, tree_on

SECTOR_BYTES: Final = 512  # the least that disks write as one
_SUMMED_BYTES: Final = 8  # of the header, before the page
_WORD_BYTES: Final = 4
_WORD_BITS: Final = 32
_MASK: Final = 0xFFFFFFFF
_RUN_BYTES: Final = 4
"""Bytes in a row over two words that the checksum proves: any other difference looks like one in 2^19 times.

With five it is one in 2^11, and more where a word's change is small: a change of a word by d is as one of d of each of
the two words that follow.
"""

_Pair: TypeAlias = tuple[int, int]
_Piece: TypeAlias = tuple[int, int]


def may_be_torn(page: bytes, number: int, at: int, wrong: _Pair, *, order: str, is_reused: bool) -> bool:
    """Whether a power cut may have made a page of a log what it is, whose frame has a header in one piece.

    `at` is where in the log it begins, `wrong` what its checksum should be less what it is, each half modulo 2^32,
    `order` the byte order it is made in ('<' or '>'); `is_reused` says that the log began anew, over what an earlier
    round left there.
    """
    empty = [piece for piece in _pieces(at, len(page)) if not any(page[slice(*piece)])]
    changed = changed_words(len(page), wrong)
    lost = [word for word in changed if any(start <= word < end for start, end in empty)]
    tree = tree_on(page, number)
    if changed and len(lost) < len(changed):  # mostly none was lost; a beginning of a cell was
        return tree is not None and any(word <= cell < word + _WORD_BYTES for cell in tree.cells for word in lost)
    if not lost and not all(_lies_in(word, empty) for word in _changed_runs(len(page), wrong, order)):
        return False
    if lost or is_reused or tree is None:
        return bool(empty) or is_reused
    return not _makes_sense(page, tree, empty)


def _lies_in(word: int, pieces: Sequence[_Piece]) -> bool:
    """Whether a word and the one after it are on one of some pieces."""
    return any(start <= word and word + 2 * _WORD_BYTES <= end for start, end in pieces)


def is_in_two_sectors(start: int, end: int) -> bool:
    """Whether bytes of a log lie so that a power cut may have left one half of them."""
    return start // SECTOR_BYTES < (end - 1) // SECTOR_BYTES


def _pieces(at: int, size: int) -> Iterator[_Piece]:
    """Yield what a page has of each sector, as places on the page."""
    borders = [0, *range(-at % SECTOR_BYTES or SECTOR_BYTES, size, SECTOR_BYTES), size]
    return pairwise(borders)


def is_short_change(size: int, wrong: _Pair, order: str) -> bool:
    """Whether the change of a word, or of a few bytes in a row, alone explains the checksums."""
    return bool(changed_words(size, wrong)) or any(True for _ in _changed_runs(size, wrong, order))


def changed_words(size: int, wrong: _Pair) -> list[int]:
    """Return where on the page a word is whose change alone explains the checksums: mostly one place, or none.

    It is before the page for a word of the frame's header. A difference d in the even word of a pair adds (d, d) to the
    sums, one in the odd word (0, d); every pair that follows makes (a + b, a + 2b) of (a, b):
    https://www.sqlite.org/fileformat2.html#checksum_algorithm.
    """
    one, two = wrong
    if not two:
        return [-_WORD_BYTES]  # the sum itself
    return [word for word, (a, b) in _effects(size) if (one * b - two * a) & _MASK == 0]


def _changed_runs(size: int, wrong: _Pair, order: str) -> Iterator[int]:
    """Yield where two words are of which a run of a few bytes, some of each, explains the checksums by its change.

    The change of two neighbours can always be found, because the effects of their words on the two sums have a
    determinant of 1 or -1. It is such a run when only the last bytes of the one and the first of the other differ.
    """
    one, two = wrong
    for (_, (a_2, b_2)), (word, (a_1, b_1)) in pairwise(_effects(size)):
        sign = a_1 * b_2 - a_2 * b_1
        first = (one * b_2 - two * a_2) * _sign(sign) & _MASK
        second = (two * a_1 - one * b_1) * _sign(sign) & _MASK
        low, high = (first, second) if order == ">" else (second, first)
        if low and high and _low_bytes(low) + _high_bytes(high) <= _RUN_BYTES:
            yield word


def _sign(determinant: int) -> int:
    """Return 1 or -1, which a determinant is modulo 2^32."""
    return 1 if determinant & _MASK == 1 else -1


def _low_bytes(change: int) -> int:
    """Return how many of the lowest bytes of a word have to differ for a change of it, modulo 2^32."""
    size = min(change, (-change) & _MASK)
    return -(-size.bit_length() // 8)


def _high_bytes(change: int) -> int:
    """Return how many of the highest bytes of a word have to differ for a change of it, which is not 0."""
    untouched = (change & -change).bit_length() - 1
    return -(-(_WORD_BITS - untouched) // 8)


def _effects(size: int) -> Iterator[tuple[int, _Pair]]:
    """Yield each word that a frame's checksum covers, the last first, and what a change of it by 1 adds to the sums."""
    even, odd = (1, 1), (0, 1)
    for pair in range(size // (2 * _WORD_BYTES) - 1, -_SUMMED_BYTES // (2 * _WORD_BYTES) - 1, -1):
        yield (2 * pair + 1) * _WORD_BYTES, odd
        yield 2 * pair * _WORD_BYTES, even
        even, odd = _after_a_pair(even), _after_a_pair(odd)


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

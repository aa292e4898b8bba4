"""Which part of a text shows why it was found?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from wisen.core.graphemes import cut_after, cut_before
from wisen.core.scripts import UNSPACED, kind_of
from wisen.core.words import folded

_GAP: Final = "…"
_BEGINS: Final = r"(?<![^\W_])"
_ENDS: Final = r"(?![^\W_])"
_SHORTEST_STEM: Final = 3
_LONGEST_ENDING: Final = 4
_SHORTEST_PIECE: Final = 4  # of a word: what is shorter is in too many by chance
_BEFORE: Final = 4  # one part in four of a snippet stands before the match


def snippet(text: str, matched: Iterable[str], most: int) -> str:
    """Return at most `most` characters of a text in one line, with the first word that matched; gaps are marked.

    `matched` are folded terms, of which the text may hold another form. Words are kept whole where they are shorter
    than the room, and what a reader takes for one character always.
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    start = _start(line, _place(line, matched), most)
    head = _GAP if start else ""
    room = most - len(head)
    if len(line) - start <= room:
        return head + line[start:]
    end = start + room - len(_GAP)
    space = line.rfind(" ", start + room // 2, end + 1)
    return head + line[start : space if space > 0 else cut_before(line, end)].rstrip() + _GAP


def _start(line: str, place: int, most: int) -> int:
    """Return where a snippet begins: some words before a place, or as early as fills it up to the line's end."""
    start = min(place - most // _BEFORE, len(line) - most + len(_GAP))
    if start <= 0:
        return 0
    return (line.find(" ", start - 1, place) + 1) or cut_after(line, start)


def _place(line: str, terms: Iterable[str]) -> int:
    """Return where the first word stands that is one of the terms, or else most like one; 0 where none is."""
    low, origins = _folded(line)
    found = [place for term in terms if term and (place := _found(term, low))]
    return origins[min(found)[1]] if found else 0


def _folded(line: str) -> tuple[str, Sequence[int]]:
    """Return a line without differences of case and accents, and where in the line each of its characters comes from.

    They are not always as many: ß is ss.
    """
    if line.isascii():
        return folded(line), range(len(line))
    parts = [folded(char) for char in line]
    return "".join(parts), [at for at, part in enumerate(parts) for _ in part]


def _found(term: str, low: str) -> tuple[int, int] | None:
    """Return how unlike a term what stands there is, and where; None where the line holds no form of it."""
    for rank, form in enumerate(_forms(term)):
        if found := re.search(form, low):
            return rank, found.start()
    return None


def _forms(term: str) -> Iterator[str]:
    """Yield patterns for a term, the closest first: the word, one that goes on, another ending, a piece of a word."""
    whole = re.escape(term)
    yield f"{_BEGINS}{whole}{_ENDS}"
    yield f"{_BEGINS}{whole}"
    is_unspaced = kind_of(term[0]) in UNSPACED
    if not is_unspaced:
        for end in range(len(term) - 1, max(len(term) - _LONGEST_ENDING, _SHORTEST_STEM) - 1, -1):
            yield f"{_BEGINS}{re.escape(term[:end])}[^\\W_]{{0,{_LONGEST_ENDING}}}{_ENDS}"
    if is_unspaced or len(term) >= _SHORTEST_PIECE:
        yield whole

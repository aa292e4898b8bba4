"""Which part of a text shows why it was found?"""

from __future__ import annotations

from collections.abc import Iterable

from wisen.core.words import folded

_GAP = "…"


def snippet(text: str, matched: Iterable[str], most: int) -> str:
    """Return at most `most` characters of a text in one line, with the first word that matched; gaps are marked.

    Words are kept whole where they are shorter than the room.
    """
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    low = folded(line)
    places = [low.find(term) for term in matched if term in low] if len(low) == len(line) else []
    start = max(min(places, default=0) - most // 4, 0)
    start = line.rfind(" ", 0, start) + 1 if start else 0
    start = max(min(start, len(line) - most + 2), 0)
    room = most - len(_GAP) * ((start > 0) + 1)
    if start + room >= len(line) - 1:
        return _GAP + line[len(line) - most + len(_GAP) :].lstrip() if start else line[:most]
    end = line.rfind(" ", start + room // 2, start + room + 1)
    return (_GAP if start else "") + line[start : end if end > start else start + room].rstrip() + _GAP

"""How does a person name a memory or a batch? By its whole id, its last eight digits, or the beginning of either."""

from __future__ import annotations

from typing import Final

WHOLE_DIGITS: Final = 32
SHORT_DIGITS: Final = 8


def bare(ref: str) -> str:
    """Return an id, or the part of one that somebody typed, without dashes and blanks around it, in lower case."""
    return ref.strip().replace("-", "").lower()


def short(whole: str) -> str:
    """Return the last eight digits of an id: random ones, enough for a person to type."""
    return whole.replace("-", "")[-SHORT_DIGITS:]


def is_named(whole: str, ref: str) -> bool:
    """Tell whether an id is one that a reference may mean; an empty one means none."""
    wanted, full = bare(ref), bare(whole)
    return bool(wanted) and (full.startswith(wanted) or full[-SHORT_DIGITS:].startswith(wanted))


def is_whole(ref: str) -> bool:
    """Tell whether a reference has all the digits of an id."""
    return len(bare(ref)) == WHOLE_DIGITS

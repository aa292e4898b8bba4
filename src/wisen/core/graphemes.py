"""Where may a text be cut without tearing what a reader takes for one character?

The rules of UAX #29 (extended grapheme clusters) that matter to a cut, over `unicodedata`: a combining mark, joiner,
selector or skin tone stays with what it follows, flags stay pairs, Hangul letters stay syllables.
"""

from __future__ import annotations

import unicodedata
from typing import Final

ZWJ: Final = "\u200d"
# Farther back than this no border is looked for: a base with a hundred marks is no character, and a cut must end.
_LONGEST = 64
_MARKS: Final = frozenset({"Mn", "Me", "Mc"})


def cut_before(text: str, limit: int) -> int:
    """Return the last border at or before `limit` (an index into the text), or `limit` where none is near."""
    if limit >= len(text):
        return len(text)
    if limit <= 0:
        return 0
    for at in range(limit, max(limit - _LONGEST, 0), -1):
        if is_border(text, at):
            return at
    return limit if limit > _LONGEST else 0


def cut_after(text: str, start: int) -> int:
    """Return the first border at or after `start`, or `start` where none is near: where a tail may begin."""
    if start <= 0:
        return 0
    for at in range(start, min(start + _LONGEST, len(text))):
        if is_border(text, at):
            return at
    return min(start, len(text))


def is_border(text: str, at: int) -> bool:
    """Whether a cut between `text[at - 1]` and `text[at]` tears nothing."""
    before, after = text[at - 1], text[at]
    if before < "\u0300" and after < "\u0300":
        return not (before == "\r" and after == "\n")
    if after == ZWJ or _extends(after):
        return before in "\r\n"
    if before == ZWJ:  # emoji are joined by it; between letters it only shapes them, and goes with the one before
        return unicodedata.category(after) not in {"So", "Sk"}
    if is_flag_letter(before) and is_flag_letter(after):
        return _flag_letters_before(text, at) % 2 == 0
    return not _is_one_syllable(before, after)


def is_flag_letter(char: str) -> bool:
    """Whether a character is a regional indicator, two of which are a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in _MARKS
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags: the rest of a flag like Scotland's
        or char in "\u0e33\u0eb3\u200c\uff9e\uff9f"  # Thai and Lao am, half-width voicing marks
    )


def _flag_letters_before(text: str, at: int) -> int:
    start = at
    while start > 0 and at - start < _LONGEST and is_flag_letter(text[start - 1]):
        start -= 1
    return at - start


def _is_one_syllable(before: str, after: str) -> bool:
    """Whether two Hangul characters belong together: leading consonants, vowels, trailing consonants."""
    vowel, trailing = "\u1160" <= after <= "\u11a7", "\u11a8" <= after <= "\u11ff"
    if "\u1100" <= before <= "\u115f":
        return "\u1100" <= after <= "\u115f" or vowel or "\uac00" <= after <= "\ud7a3"
    is_open = "\uac00" <= before <= "\ud7a3" and (ord(before) - 0xAC00) % 28 == 0
    if is_open or "\u1160" <= before <= "\u11a7":
        return vowel or trailing
    return trailing and ("\uac00" <= before <= "\ud7a3" or "\u11a8" <= before <= "\u11ff")

"""Which script is a character of, and how much does a text say in it?"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from typing import Final

# One letter for what a character is to the words of a text.
LOWER, UPPER, DIGIT, OTHER = "L", "U", "D", "."
HAN, HIRAGANA, KATAKANA, HANGUL, THAI = "H", "R", "K", "G", "T"  # THAI: it and its neighbours
UNSPACED: Final = HAN + HIRAGANA + KATAKANA + HANGUL + THAI

# First and last code point of the blocks whose scripts put no space between words (Hangul: not between a noun and its
# particle). Unicode 16, Blocks.txt.
_BLOCKS: Final = (
    (0x0E00, 0x0EFF, THAI),  # Thai, Lao
    (0x1000, 0x109F, THAI),  # Myanmar
    (0x1100, 0x11FF, HANGUL),
    (0x1780, 0x17FF, THAI),  # Khmer
    (0x3005, 0x3007, HAN),
    (0x3041, 0x309F, HIRAGANA),
    (0x30A1, 0x30FA, KATAKANA),
    (0x30FC, 0x30FF, KATAKANA),
    (0x3130, 0x318F, HANGUL),
    (0x31F0, 0x31FF, KATAKANA),
    (0x3400, 0x4DBF, HAN),
    (0x4E00, 0x9FFF, HAN),
    (0xAC00, 0xD7AF, HANGUL),
    (0xF900, 0xFAFF, HAN),
    (0xFF66, 0xFF9F, KATAKANA),
    (0xFFA0, 0xFFDC, HANGUL),
    (0x20000, 0x3FFFF, HAN),
)
_STARTS: Final = [first for first, _, _ in _BLOCKS]

# What one character is worth in Latin letters. A prompt of 30 letters has five or six words; these say as much with
# ten ideographs, or fifteen syllables.
_LETTERS: Final = {HAN: 3, HIRAGANA: 2, KATAKANA: 2, HANGUL: 2}


@lru_cache(maxsize=4096)
def kind_of(char: str) -> str:
    """Return what a character is: a letter by case, a digit, of an unspaced script, or other (no part of a word)."""
    category = unicodedata.category(char)
    if category[0] not in "LNM":
        return OTHER
    at = bisect_right(_STARTS, ord(char)) - 1
    if at >= 0 and ord(char) <= _BLOCKS[at][1]:
        return _BLOCKS[at][2]
    if category == "Nd":
        return DIGIT
    return UPPER if category == "Lu" else LOWER


_FEW_WORDS: Final = 4  # parts of a name that says what a thing is; with more it may say what to do

A_SENTENCE: Final = 30
"""Latin letters: what five or six words have."""


def reads_like_a_sentence(name: str) -> bool:
    """Does one name of a path or a word say as much as a sentence: in more than a few parts, or in unspaced script?"""
    if len(re.findall(r"[^\W_]+", name)) > _FEW_WORDS:
        return True
    return len(name) < substance(name) >= A_SENTENCE


def substance(text: str) -> int:
    """Return how much a text says, in Latin letters: its length, but an ideograph counts three and a syllable two."""
    if text.isascii():
        return len(text)
    return sum(_LETTERS.get(kind_of(char), 1) for char in text)

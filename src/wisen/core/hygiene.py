"""What may a text hold that people and models are to read? Nothing that acts, hides, reorders or only looks alike.

`tidied` runs over words before they are judged, redacted or stored, so that a key with an invisible character inside
is still seen as one; and once more where a memory is shown. Names of files are not words: they stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from wisen.core.graphemes import ZWJ

ZWNJ: Final = "\u200c"
_TEXT_STYLE, _EMOJI_STYLE = "\ufe0e", "\ufe0f"
_BLACK_FLAG, _LAST_TAG = "\U0001f3f4", "\U000e007f"

# ECMA-48: control sequences, then strings (OSC, DCS, SOS, PM, APC) up to their end, then two-character escapes. The
# one-byte forms of C1 too. A string that nothing ends takes one line with it, no more.
_ESCAPES: Final = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c|(?=\n)|\\Z)"
    "|\x1b[ -/]*[0-~]?"
)
_ASCII_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_BREAKS: Final = re.compile("\r\n|[\r\x0c\u2029]")
# Breaks of a line for a printer or a text program; in what a person says they stand where it was wrapped.
_WRAPS: Final = re.compile("[\x0b\x85\u2028]")
# Only these need a look: everything that is neither a plain letter nor mark of the first blocks.
_SUSPECT: Final = re.compile("[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u05ff\u3000-\u3163\u3165-\ud7ff]")

# Unicode, DerivedCoreProperties.txt: Default_Ignorable_Code_Point, but for what is handled one by one below.
_IGNORABLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e0fff]"
)
# Letters that only look different: full-width, half-width, of mathematical alphabets, ligatures, Arabic shapes, hard
# spaces. Superscripts, fractions, circled digits and signs mean something else than what NFKC makes of them.
_SAME_LETTER: Final = frozenset(
    {"<wide>", "<narrow>", "<font>", "<noBreak>", "<initial>", "<medial>", "<final>", "<isolated>"}
)
_LIGATURES: Final = re.compile("[\ufb00-\ufb06]")
_INFORMATION: Final = "\u2139"  # an emoji that has the decomposition of a letter
_NONCHARACTER: Final = 0xFFFE  # the last two code points of every plane


def tidied(text: str) -> str:
    """Return text without escape sequences and hidden characters, its letters in one form (NFC); idempotent.

    Line ends become line feeds; lone surrogates become U+FFFD; joiners and selectors stay where they belong to an emoji
    or to the spelling of a script.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _WRAPS.sub(" ", _BREAKS.sub("\n", _ESCAPES.sub("", _paired(text))))
    if text.isascii():
        return _without_controls(text)
    while True:
        text = unicodedata.normalize("NFC", "".join(map(_same_letter, text)))
        kept = _visible(text)
        if kept == text:
            return text
        text = kept  # what was taken out may have stood between a letter and its accent


def _paired(text: str) -> str:
    """Return text in which halves of a character that stand together are one, and others U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _without_controls(text: str) -> str:
    return _ASCII_CONTROLS.sub("", text)


@lru_cache(maxsize=4096)
def _same_letter(char: str) -> str:
    if char < "\u00a0":
        return char
    kind, _, _ = unicodedata.decomposition(char).partition(" ")
    plain = unicodedata.normalize("NFKC", char)
    if kind == "<wide>" and not plain.isalnum():
        return char  # the punctuation of Chinese and Japanese, and `<` that must not become one
    is_same = (kind in _SAME_LETTER and char != _INFORMATION) or _LIGATURES.match(char)
    return plain if is_same else char


def _visible(text: str) -> str:
    kept: list[str] = []
    at = 0
    for suspect in _SUSPECT.finditer(text):
        start, char = suspect.start(), suspect[0]
        if start < at:  # in a flag
            continue
        if start > at:
            kept.append(text[at:start])
        at = suspect.end()
        if char == _BLACK_FLAG and (flag := _SUBDIVISION.match(text, start)):
            kept.append(flag[0])
            at = flag.end()
        elif _is_kept(kept[-1][-1] if kept else "", char, text[at : at + 1]):
            kept.append(char)
    return "".join((*kept, text[at:]))


# A flag such as Scotland's: the black flag, three to six tags, the closing tag (UTS #51).
_SUBDIVISION: Final = re.compile(f"{_BLACK_FLAG}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{3,6}}{_LAST_TAG}")


def _is_kept(before: str, char: str, after: str) -> bool:
    if char in "\t\n":
        return True
    if char == ZWJ:
        return _is_joined(before, after)
    if char == ZWNJ:
        return _is_shaped(before) and _is_shaped(after)
    if char in (_TEXT_STYLE, _EMOJI_STYLE):
        return _has_style(before)
    if "\ufe00" <= char <= "\ufe0d" or "\u180b" <= char <= "\u180d" or char == "\u180f":
        return _is_variant(before, char)
    if _IGNORABLE.match(char):
        return False
    if "\U000e0020" <= char <= _LAST_TAG or ord(char) & _NONCHARACTER == _NONCHARACTER or "\ufdd0" <= char <= "\ufdef":
        return False
    return unicodedata.category(char) not in {"Cc", "Cs"}


def _is_joined(before: str, after: str) -> bool:
    """Whether a joiner stands between two emoji, or in the spelling of a word."""
    is_emoji = _has_style(before) or before in (_TEXT_STYLE, _EMOJI_STYLE) or "\U0001f3fb" <= before <= "\U0001f3ff"
    return (is_emoji and _has_style(after)) or (_is_shaped(before) and (_is_shaped(after) or not after.strip()))


def _has_style(char: str) -> bool:
    """Whether a character may be an emoji: a symbol, or one of those that a keycap is made of."""
    return bool(char) and (
        unicodedata.category(char) in {"So", "Sk", "Sm", "Cn"} or char in "0123456789#*\u2139\u203c\u2049\u3030\u303d"
    )


def _is_shaped(char: str) -> bool:
    """Whether a character belongs to a script whose spelling knows joiners: Arabic to Mongolian, roughly."""
    return "\u0600" <= char <= "\u18ff" or "\ua840" <= char <= "\ua8ff" or "\U00011000" <= char <= "\U00011fff"


def _is_variant(before: str, char: str) -> bool:
    """Whether a selector follows what it selects a form of: an ideograph or sign, or a Mongolian letter."""
    if char < "\ufe00":
        return "\u1820" <= before <= "\u18aa"
    return bool(before) and (unicodedata.category(before) in {"Lo", "Sm", "So"} and before not in (ZWJ, ZWNJ))

"""Which words does a text hold? The one answer for what is indexed and for what is asked.

Text is folded (NFKC, case, accents) and cut where its script changes. Words that are written apart stay whole; what is
written without spaces becomes overlapping pairs of characters, so that any stretch of two or more is found as a phrase.
A compound (`src/main.py`, `handle_error`, `handleError`, `multi-agent`) is its parts in order, and a compound that is
one name also its parts in one: `handleerror`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Final

from wisen.core.scripts import OTHER, UNSPACED, kind_of

_SIGNS: Final = {"+": "p", "#": "s", ":": "o", "/": "v", "-": "j", "_": "j", ".": "c", "@": "c", "\\": "c"}
_LINK: Final = "(?:ovv|oo|[ovjc])"  # `://`, `::`, or one of : / - _ . @ \
# Over kinds, one letter a character. A compound may end in `++` or `#`: C++, C#.
_CHUNK: Final = re.compile(rf"[LUD]+(?:{_LINK}[LUD]+)*(?:pp|s(?![LUD]))?|[HRK]+|G+|T+")
_NAME: Final = re.compile(r"[LUD]+(?:j[LUD]+)*(?:pp|s)?")
_HUMP: Final = re.compile(r"U+(?=U[LD])|U?[LD]+|U+")
_SIMPLE: Final = re.compile(r"U?[LD]*|[UD]*")
_PLAIN: Final = re.compile(r"[LUD]+")
_ENDINGS: Final = {"+": "plusplus", "#": "sharp"}
_STROKES: Final = str.maketrans("ıłđøħ", "ildoh")  # letters that Unicode does not take apart
_ACCENTS: Final = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Index words that must stand beside one another; `is_prefix`: the last may go on."""

    words: tuple[str, ...]
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A piece of a compound that is a name by itself: `handle_error` in `src/handle_error.py`."""

    parts: tuple[str, ...]
    is_pascal: bool = False  # GitHub, JavaScript, UserAccount: as often a word as several, so indexed as one

    @property
    def joined(self) -> str:
        """The parts in one word."""
        return "".join(self.parts)

    @property
    def indexed(self) -> tuple[str, ...]:
        """The words that stand for it in the order of the text."""
        return (self.joined,) if self.is_pascal else self.parts


@dataclass(frozen=True)
class Chunk:
    """A stretch of text without a break: a word, a compound, or a run of an unspaced script.

    `is_next`: nothing but blanks stands between it and the one before.
    """

    text: str
    kinds: str
    is_next: bool = False

    @property
    def is_unspaced(self) -> bool:
        """Whether its script puts no spaces between words."""
        return self.kinds[0] in UNSPACED

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """The names a compound is made of; none of an unspaced run."""
        return () if self.is_unspaced else tuple(_names(self.text, self.kinds))

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The smallest words of a compound."""
        return tuple(part for name in self.names for part in name.parts)

    @property
    def indexed(self) -> tuple[str, ...]:
        """The words that stand for it in the index, those of a phrase first."""
        if self.is_unspaced:
            return (*_pairs(self.text), self.text[-1])
        in_order = tuple(word for name in self.names for word in name.indexed)
        joined = (name.joined for name in self.names if len(name.indexed) > 1)
        return (*in_order, *joined)

    @property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases by which it is found in the index, any of them."""
        if self.is_unspaced:
            return (Phrase(_pairs(self.text)) if len(self.text) > 1 else Phrase((self.text,), is_prefix=True),)
        whole = Phrase(tuple(word for name in self.names for word in name.indexed))
        if len(self.names) > 1 or len(self.parts) == 1:
            return (whole,)
        return (Phrase(self.parts), Phrase((self.names[0].joined,)))


def chunks(text: str) -> Iterator[Chunk]:
    """Yield the chunks of a text in order."""
    text = _without_accents(text)
    kinds = text.translate(_ascii_kinds()) if text.isascii() else "".join(map(_kind, text))
    last = 0
    for found in _CHUNK.finditer(kinds):
        start, end = found.span()
        yield Chunk(text[start:end], kinds[start:end], is_next=text[last:start].isspace())
        last = end


def index_words(text: str) -> tuple[str, ...]:
    """Return the words under which a text is found, in its order; letters and digits only, without upper case."""
    return tuple(word for chunk in chunks(text) for word in chunk.indexed)


def phrases_of(term: str) -> tuple[Phrase, ...]:
    """Return the phrases by which a term is found, any of them; one of several chunks is one phrase. Maybe none."""
    found = tuple(chunks(term))
    if len(found) == 1:
        return found[0].phrases
    in_order = tuple(word for chunk in found for word in chunk.indexed)
    return (Phrase(in_order),) if in_order else ()


def folded(text: str) -> str:
    """Return a text without differences of width, case and accents."""
    if text.isascii():
        return text.lower()
    return _without_accents(_without_accents(text).casefold()).translate(_STROKES)


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    # Only these marks are accents; others make a letter what it is (か, が).
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))


@cache
def _ascii_kinds() -> Mapping[int, str]:
    return {code: _kind(chr(code)) for code in range(128)}


@lru_cache(maxsize=4096)
def _kind(char: str) -> str:
    kind = kind_of(char)
    return _SIGNS.get(char, OTHER) if kind == OTHER else kind


def _names(text: str, kinds: str) -> Iterator[Name]:
    if _SIMPLE.fullmatch(kinds):
        yield Name((folded(text),))
        return
    for found in _NAME.finditer(kinds):
        parts: list[str] = []
        is_pascal = False
        for word in _PLAIN.finditer(kinds, *found.span()):
            humps = _humps(word.group())
            is_pascal = is_pascal or (len(humps) > 1 and kinds[word.start()] == "U")
            parts += [text[word.start() + start : word.start() + end] for start, end in humps]
        sign = text[found.end() - 1]
        parts[-1] += _ENDINGS.get(sign, "")
        yield Name(tuple(map(folded, parts)), is_pascal)


def _humps(kinds: str) -> list[tuple[int, int]]:
    """Return the spans of the parts of `camelCase`; a word that is all of one case, or capitalised, is one part."""
    if "LU" not in kinds:
        return [(0, len(kinds))]
    return [found.span() for found in _HUMP.finditer(kinds)]


def _pairs(text: str) -> tuple[str, ...]:
    return tuple(left + right for left, right in pairwise(text))

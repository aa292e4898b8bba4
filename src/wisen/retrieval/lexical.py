"""Which terms does a query hold, and what does it say about a memory that one of them occurs in it?

A term weighs by its kind and by how rare it is in the graph. One that is a name by its shape (`src/gen`, `stg_main`,
`handleError`) or a rare word is a topic by itself; everyday words, and words that many memories hold, only together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import log, sqrt
from typing import Final

from wisen.core.scripts import DIGIT, HAN, HANGUL, HIRAGANA, KATAKANA, THAI, kind_of
from wisen.core.words import Chunk, chunks, folded
from wisen.retrieval.vocabulary import (
    FUNCTION_CHARS,
    FUNCTION_WORDS,
    function_strings,
    function_words,
    is_everyday,
    stem,
)

MAX_TERMS = 64  # as many are looked for
_MAX_CONSIDERED = 512  # as many are weighed: enough for every word of a query that `policy` lets through

# A language's function words count where two of them stand in the query that are none in English, and no fewer of its
# words than this share are such: three in twenty.
_LANGUAGE_WORDS, _LANGUAGE_SHARE = 2, 0.15
_FEW_FOREIGN: Final = 0.1


class Kind(Enum):
    """What a term is by its look; the value is what it weighs where it is rare."""

    NAMED = 2.0  # a name by its shape: no prose holds it by chance
    WORD = 1.0
    PIECE = 0.5  # of a compound, or two or three characters of an unspaced run
    PAIR = 0.55  # two words side by side: "commit message"; with the two everyday words it holds just enough
    EVERYDAY = 0.3
    SLIVER = 0.2  # one character of an unspaced run, or an everyday piece


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a query."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Weights:
    """What the terms of a query are worth in one graph; a memory in which less than `least` occurs is no match."""

    of: Mapping[str, float]
    idf: Mapping[str, float]
    least: float

    def coverage(self, matched: Sequence[str]) -> float:
        """Return the share of the query that occurs, 0..1: each term by how rare it is; a pair is in its words."""
        whole = sum(idf for term, idf in self.idf.items() if term in self.of and " " not in term)
        return sum(self.idf[term] for term in matched if " " not in term) / whole if whole else 0.0


# As much as one rare word must occur, or most of what a short query holds. A long query (a pasted log) shares a word or
# two with anything.
_ENOUGH, _ENOUGH_OF_MANY, _MANY_WORDS, _MOST = 1.0, 1.5, 24, 0.6
# "Fix the failing test" holds nothing but everyday words: two of them together are in any graph.
_ALL, _EVERYDAY = 0.99, frozenset({Kind.EVERYDAY, Kind.PAIR})
_WORDS_IN: Final = {Kind.PAIR: 0.0, Kind.PIECE: 0.25, Kind.SLIVER: 0.25}  # pieces overlap


def query_terms(text: str) -> tuple[Term, ...]:
    """Return the distinct content terms of a query in order, folded; of a very long one those of its two ends."""
    found = tuple(chunks(text))
    stops = _function_words_of(found)
    terms: dict[str, Term] = {}
    for term in _terms(found, stops):
        held = terms.setdefault(stem(term.text), term)
        if term.kind.value > held.kind.value:
            terms[stem(term.text)] = term
    everything = tuple(terms.values())
    if not everything and len(found) == 1 and found[0].is_unspaced:
        return (Term(found[0].text, Kind.WORD),)  # nothing but grammar, and nothing else was asked
    if len(everything) <= _MAX_CONSIDERED:
        return everything
    return everything[: _MAX_CONSIDERED // 2] + everything[-_MAX_CONSIDERED // 2 :]


def query_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a query as an index has them, without function words: what BM25 counts.

    Terms overlap (a compound, its parts, a pair of words), and what is counted twice is worth no more for that.
    """
    found = tuple(chunks(text))
    stops = _function_words_of(found)
    words = tuple(dict.fromkeys(word for chunk in found for word in chunk.indexed if word not in stops))
    return words if len(words) <= _MAX_CONSIDERED else words[: _MAX_CONSIDERED // 2] + words[-_MAX_CONSIDERED // 2 :]


def _terms(found: Sequence[Chunk], stops: frozenset[str]) -> Iterator[Term]:
    before = ""
    for chunk in found:
        yield from _unspaced(chunk) if chunk.is_unspaced else _spaced(chunk, stops)
        word = folded(chunk.text) if len(chunk.parts) == 1 and chunk.parts[0] not in stops else ""
        if before and word and chunk.is_next:
            yield Term(f"{before} {word}", Kind.PAIR)
        before = word


def weigh(terms: Sequence[Term], memories: int, occurrences: Mapping[str, int]) -> Weights:
    """Return what terms are worth in a graph of so many memories, of which so many hold each; at most `MAX_TERMS`.

    The heaviest are kept, so that the end of a long query counts as much as its beginning.
    """
    weights = {term.text: _weight(term, memories, occurrences[term.text]) for term in terms if term.text in occurrences}
    idf = {term: _idf(memories, occurrences[term]) for term in weights}
    best = sorted(weights, key=lambda term: (not occurrences[term], -weights[term] * idf[term]))[:MAX_TERMS]
    single = [weights[term.text] for term in terms if term.text in weights and term.kind is not Kind.PAIR]
    words = sum(_WORDS_IN.get(term.kind, 1.0) for term in terms)
    enough = _ENOUGH if words <= _MANY_WORDS else _ENOUGH_OF_MANY
    is_everyday = all(term.kind in _EVERYDAY for term in terms)
    most = _ALL if is_everyday else _MOST
    return Weights({term: weights[term] for term in best}, idf, least=min(enough, most * sum(single)))


def _idf(memories: int, occurring: int) -> float:
    """Return the inverse document frequency in Lucene's form.

    Unlike FTS5's it stays above zero for a word in most of the memories, so it says something in a graph of three.
    """
    return log(1 + (memories - occurring + 0.5) / (occurring + 0.5))


def _weight(term: Term, memories: int, occurring: int) -> float:
    is_rare = occurring <= max(2.0, sqrt(memories))
    return term.kind.value if is_rare or term.kind is Kind.EVERYDAY else term.kind.value / 2


def _function_words_of(found: Sequence[Chunk]) -> frozenset[str]:
    """Return English's function words, and those of the language that the text seems to be written in."""
    words = {part for chunk in found for part in chunk.parts}
    english = function_words("en")
    hits = {lang: len(words & function_words(lang) - english) for lang in FUNCTION_WORDS if lang != "en"}
    needed = max(_LANGUAGE_WORDS, _LANGUAGE_SHARE * len(words), *hits.values())
    return english.union(*(function_words(lang) for lang, count in hits.items() if count >= needed))


def is_english(text: str) -> bool:
    """Whether a text may be English: hardly a letter beyond ASCII, and no other language's function words prevail."""
    found = tuple(chunks(text))
    letters = sum(char.isalpha() for char in text)
    foreign = sum(char.isalpha() and not char.isascii() for char in text)
    if any(chunk.is_unspaced for chunk in found) or foreign > _FEW_FOREIGN * letters:
        return False
    words = [part for chunk in found for part in chunk.parts]
    english = function_words("en")
    ours = sum(word in english for word in words)
    others = max(
        sum(word in function_words(lang) and word not in english for word in words)
        for lang in FUNCTION_WORDS
        if lang != "en"
    )
    return others < _LANGUAGE_WORDS or others < ours


def _spaced(chunk: Chunk, stops: frozenset[str]) -> Iterator[Term]:
    parts = [part for part in chunk.parts if part not in stops and (len(part) > 1 or not part.isascii())]
    whole = folded(chunk.text)
    if len(chunk.parts) == 1:
        if parts and whole not in stops:
            yield Term(whole, _kind_of(chunk, whole))
        return
    if any(len(part) > 1 for part in parts):
        yield Term(whole, _kind_of(chunk, whole))
        yield from (Term(place, Kind.NAMED) for place in _places(whole))
    for part in parts:
        yield Term(part, Kind.EVERYDAY if is_everyday(part) or part.isdecimal() else Kind.PIECE)


def _places(path: str) -> Iterator[str]:
    """Yield the directories above a path, but for the first, and the path's last name: it may be known by these."""
    steps = path.split("/")
    if len(steps) > 1 and "://" not in path:
        yield from ("/".join(steps[:length]) for length in range(2, len(steps)))
        if "." in steps[-1]:
            yield steps[-1]


def _kind_of(chunk: Chunk, word: str) -> Kind:
    if is_everyday(word) or word.isdecimal():
        return Kind.EVERYDAY
    return Kind.NAMED if _is_name(chunk) else Kind.WORD


def _is_name(chunk: Chunk) -> bool:
    """Whether no prose has a word of this shape: a path, a dotted or underscored name, humps, letters and digits."""
    marks = set(chunk.kinds) - set("LUDj")
    is_numbered = DIGIT in chunk.kinds and chunk.kinds[0] != DIGIT  # utf8, but not 2nd
    return bool(marks) or "_" in chunk.text or "LU" in chunk.kinds or is_numbered


# How many characters of a script say about as much as a word; fewer are found everywhere.
_SIZES: Final = {HIRAGANA: 3, KATAKANA: 3, HANGUL: 2, THAI: 4}
_SHORTEST_WORD = 2


def _unspaced(chunk: Chunk) -> Iterator[Term]:
    for run in function_strings().split(folded(chunk.text)):
        for script, piece in _by_script(run):
            if script == HAN:
                yield from _ideographs(piece)
            elif len(piece) >= _SIZES[script] or script != HIRAGANA:  # two of them are an ending
                yield from _grams(piece, _SIZES[script])


def _by_script(run: str) -> Iterator[tuple[str, str]]:
    """Yield the stretches of one script; an ideograph alone takes the syllable after it along: 書く, 動か."""
    kinds = "".join(map(kind_of, run))
    start = 0
    for at, (here, after) in enumerate(pairwise(f"{kinds}."), start=1):
        if here != after and (here == HAN or here in _SIZES):
            is_verb = here == HAN and after == HIRAGANA and at - start == 1
            yield here, run[start : at + is_verb]
        start = start if here == after else at


def _ideographs(piece: str) -> Iterator[Term]:
    if len(piece) == 1:
        if piece not in FUNCTION_CHARS:
            yield Term(piece, Kind.SLIVER)
        return
    for left, right in pairwise(piece):
        if not {left, right} & FUNCTION_CHARS:
            yield _piece(left + right)


def _grams(piece: str, size: int) -> Iterator[Term]:
    for at in range(len(piece) - size + 1):
        yield _piece(piece[at : at + size])
    if _SHORTEST_WORD <= len(piece) < size:
        yield _piece(piece)


def _piece(text: str) -> Term:
    return Term(text, Kind.SLIVER if is_everyday(text) else Kind.PIECE)

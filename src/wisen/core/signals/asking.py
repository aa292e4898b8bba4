"""Where in a sentence somebody asks to remember something, in any of the languages, and what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from wisen.core.edits import edits
from wisen.core.signals.asking_words import HEADS, JOINING, LEADS, TAILS, Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """An asking: what stands `before` it in the sentence, what `rest` is to be remembered (both may be empty).

    `rest` is in the user's wording. `asking` is the words of the asking themselves.
    """

    form: Form
    before: str
    asking: str
    rest: str


LONGEST_SENTENCE: Final = 3_000
"""Characters; a longer sentence is not worth the patterns' time."""

_MARKS: Final = "*_#/\"'“”«»([]{ \t"
_BOUNDARIES: Final = ",;:.!?…()–—-]，。、；：！？"


def ask_in(text: str) -> Ask | None:
    """Return the first asking of a sentence that stands at the start of a clause."""
    if len(text) > LONGEST_SENTENCE:
        return None
    told = _unmarked(spelled(text))
    plain = told.replace("’", "'").replace("ʼ", "'")
    found = sorted(_heads(plain), key=lambda hit: (hit[1].start(), -hit[1].end()))
    for form, head in found:
        before = _before(plain[: head.start()])
        if before is not None:
            return Ask(
                form=form,
                before=told[: len(before)].strip(),
                asking=told[len(before) : head.end()],
                rest=told[head.end() :].strip(),
            )
    return None


def asked_at_the_end(text: str) -> str:
    """Return what a sentence that ends in an asking wants remembered; empty when it does not."""
    if len(text) > LONGEST_SENTENCE:
        return ""
    found = next((found for pattern in _tails() if (found := pattern.fullmatch(text.strip()))), None)
    return found["rule"] if found else ""


def opens_with_an_ask(line: str) -> bool:
    """Does a line begin with asking to remember, behind its bullet, marks and courtesies?"""
    return bool(_opening().match(spelled(line[:200]).replace("’", "'")))


def _heads(plain: str) -> Iterator[tuple[Form, re.Match[str]]]:
    for form, pattern in _compiled():
        yield from ((form, found) for found in pattern.finditer(plain))


def _before(prefix: str) -> str | None:
    """What stands in front of an asking without its lead-in, or None where it does not begin a clause.

    "the app should remember" and "I can't remember" are no askings; nor is one inside a quotation.
    """
    lead = _lead().search(prefix)
    rest = prefix[: lead.start()] if lead else prefix
    if not rest.strip(_MARKS):
        return ""
    if rest.rstrip()[-1] in _BOUNDARIES:
        return rest
    is_joined = bool(lead and _joining().search(lead[0])) and not _what_a_thing_must_do().search(rest)
    return rest if is_joined else None


@cache
def _compiled() -> tuple[tuple[Form, re.Pattern[str]], ...]:
    return tuple((form, re.compile(pattern, re.IGNORECASE)) for form, pattern in HEADS)


@cache
def _tails() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in TAILS)


@cache
def _lead() -> re.Pattern[str]:
    return re.compile(rf"(?:(?<!\w)(?:{LEADS})(?!\w)[\s,:;.!–—-]{{0,4}}){{1,6}}$", re.IGNORECASE)


@cache
def _joining() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{JOINING})(?!\w)", re.IGNORECASE)


@cache
def _what_a_thing_must_do() -> re.Pattern[str]:
    return re.compile(
        r"(?<!\byou )\b(?:should|must|can|could|will|would|needs? to|has to|lets|so that)\b(?! you\b)", re.IGNORECASE
    )


@cache
def _opening() -> re.Pattern[str]:
    heads = "|".join(pattern for _, pattern in HEADS)
    bullet = r"\s*(?:[-*•–]\s+|\(?\d{1,2}[.)]\s+)?(?:\[[^\]]{0,12}\]\s*)?[*_#/\"'“«(]{0,3}\s?"
    return re.compile(rf"{bullet}(?:(?:{LEADS})(?![^\W\d_])[\s,:;.!–—-]{{0,4}}){{0,6}}(?:{heads})", re.IGNORECASE)


# --- marks and spelling -----------------------------------------------------------------------------------------


@cache
def _emphasis() -> re.Pattern[str]:
    return re.compile(r"^(\W{0,3}?)(\*\*|__|\*|_)(\S[^*_]{0,40})\2")


_PARTNER: Final = {"(": ")", '"': '"', "'": "'", "“": "”", "«": "»", "[": "]"}


def _unmarked(text: str) -> str:
    """Take off emphasis around the first words, and brackets or quotes around the whole."""
    text = _emphasis().sub(r"\1\3", text.strip(), count=1)
    end = text.rstrip(".!")
    if len(end) > 1 and _PARTNER.get(end[0]) == end[-1] and end.count(end[-1]) == (end[0] == end[-1]) + 1:
        return end[1:-1].strip()
    return text


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\b[a-z]{5,10}\b", re.IGNORECASE)


_REMEMBER: Final = "remember"


def spelled(text: str) -> str:
    """Return the text with the first slip of the fingers in "remember" mended."""
    for found in _word().finditer(text):
        word = found[0].lower()
        if word == _REMEMBER:
            return text
        if word[0] == "r" and not word.startswith(_REMEMBER) and _is_slip(word):
            return text[: found.start()] + _REMEMBER + text[found.end() :]
    return text


@lru_cache(maxsize=1024)
def _is_slip(word: str) -> bool:
    """One edit away, or two among the letters of the word itself ("rember", but not "renumber")."""
    slips = edits(word, _REMEMBER)
    return slips == 1 or (slips == 2 and set(word) <= set(_REMEMBER))  # noqa: PLR2004 -- two is the second case's limit

"""Which secrets does a sentence tell? "The staging password is ...", "log in as qa / ...", "Passwort: ..."."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from typing import Final

from wisen.redact.facts import facts_of, is_told
from wisen.redact.grammar import (
    addition,
    chat,
    end_of_sentence,
    end_of_statement,
    going_on,
    grammatical,
    last_copula,
    links,
    name_of_object,
    object_of_command,
    preposition,
)
from wisen.redact.said import ordinary
from wisen.redact.spans import Span, without
from wisen.redact.tongues import TONGUES, Named, Tongue, named
from wisen.redact.values import is_random, is_strong, lowered


def without_spoken(text: str) -> str:
    """Return text with `[redacted:password]` or `[redacted:secret]` for what its sentences give away."""
    low = lowered(text)
    told: list[Span] = []
    for tongue in TONGUES:
        if any(hint in low for hint in tongue.hints):
            told += _told_in(text, low, tongue)
    facts_of.cache_clear()  # it may hold secrets
    return without(text, told)


def _told_in(text: str, low: str, tongue: Tongue) -> Iterator[Span]:
    """Yield what the nouns of one language tell; a noun with the same text around it as another tells the same."""
    known: dict[int, tuple[Span, ...]] = {}  # hash of the surroundings -> spans, counted from the noun
    for noun in named(tongue, low):
        start, end = noun.found.span()
        around = text[max(0, start - _BEFORE_CHARS - 1) : end + _WINDOW_CHARS]
        key = hash((noun.found.lastgroup, around, noun.next - end, min(noun.reach - end, _AFTER_CHARS)))
        told = known.get(key)
        if told is None:
            told = tuple(span.moved(-start) for span in _told(text, tongue, noun))
            if all(span.end < _WINDOW_CHARS // 2 for span in told):  # a list may go on for longer
                known[key] = told
        yield from (span.moved(start) for span in told)


class _Link(Enum):
    """How surely what follows is the value: said by a copula, by a sign, by a preposition, or only by its place."""

    COPULA = "copula"
    SIGN = "sign"
    SOFT = "soft"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a sentence would tell a value: the noun's kind, the link, and the offset after it."""

    text: str
    noun: str
    line_start: int
    noun_start: int
    link: _Link
    at: int


def _told(text: str, tongue: Tongue, named_noun: Named) -> Iterator[Span]:
    noun = named_noun.found
    kind = noun.lastgroup or ""
    name = "password" if kind in {"chosen", "pair", "pin"} else "secret"
    line_start = max(text.rfind("\n", 0, noun.start()) + 1, noun.start() - _BEFORE_CHARS)
    for link, at in _links(text, tongue, noun.end(), named_noun.reach):
        if at == named_noun.next:  # its place is taken
            continue
        place = _Place(text, kind, line_start, noun.start(), link, at)
        found = (_of_pair(place) if kind == "pair" else None) or _value(place)
        if found:
            start, end = found[0], _whole(text, *found)
            yield Span(start, end, name)
            yield from (Span(also, _whole(text, also, until), name) for also, until in _listed(text, end))
            return
    if found := _before(text, line_start, noun):
        yield Span(*found, name)


def _whole(text: str, start: int, end: int) -> int:
    """Return the end of all of a value of which only the first characters were read."""
    rest = _rest().match(text, end) if end - start > _READ_CHARS - len(_AFTER) else None
    return rest.end() if rest else end


@cache
def _rest() -> re.Pattern[str]:
    return re.compile(rf"{_CHARS}*")


def _listed(text: str, end: int) -> Iterator[tuple[int, int]]:
    """The strong values that a list goes on with: `..., ann:S3cr3t and S3cr3t`."""
    while more := _next_of_list().match(text, end):
        value = more["value"].rstrip(_AFTER)
        if len(value) < _SHORTEST[_Link.BARE] or not is_told(value):
            return
        end = more.start("value") + len(value)
        yield more.start("value"), end


@cache
def _next_of_list() -> re.Pattern[str]:
    return re.compile(
        r"[\"'`)]{0,2}(?:[ \t]?[,/][ \t]|[ \t](?:and|or|und|oder|y|o|et|ou|e|i|и)[ \t])"
        rf"(?:[\w.@+-]{{1,60}}[:/])?[\"'`]?(?P<value>{_CHARS}{{1,128}})"
    )


_BEFORE_CHARS: Final = 120
_AFTER_CHARS: Final = 120
_WINDOW_CHARS: Final = 700
"""More than is ever read after a noun, so that nouns with the same text around them tell the same."""


# --- the way from the noun to the value --------------------------------------------------------------------------


def _links(text: str, tongue: Tongue, end: int, reach: int) -> Iterator[tuple[_Link, int]]:
    closed = _closing().match(text, end)
    end = closed.end() if closed else end
    if direct := links(tongue).match(text, end):
        yield _Link(direct.lastgroup), direct.end()
    if added := addition().match(text, end):
        until = min(reach, added.end() + _AFTER_CHARS)
        if stop := end_of_sentence().search(text, added.end(), until):
            until = stop.start()
        for later in links(tongue).finditer(text, added.end(), until):
            yield _Link(later.lastgroup), later.end()
    if before := preposition().match(text, end):
        yield _Link.SOFT, before.end()
    bare = _gap().match(text, end)
    if bare and (bare.end() > end or not tongue.is_spaced):
        yield _Link.BARE, bare.end()


@cache
def _closing() -> re.Pattern[str]:
    return re.compile(r"(?:'(?!s\b)|[\"`*_]){0,3}(?:[ \t]{0,2}[(（][^()\n]{0,40}[)）])?[*_]{0,2}")


@cache
def _gap() -> re.Pattern[str]:
    return re.compile(r"[ \t　]{0,2}")


# --- the value ---------------------------------------------------------------------------------------------------

_CHARS: Final = (
    r"[^\s\x00-\x1f\\\"'`“”‘’«»„「」『』<>，。；、：！？（）"
    r"\u0590-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""What an unquoted value is made of: no space, no quote, no script that writes words without spaces around them."""


_AFTER: Final = ".,;:)]}*_|"
_READ_CHARS: Final = 128


@cache
def _unquoted() -> re.Pattern[str]:
    return re.compile(rf"[*_]{{0,2}}((?:{_CHARS}|(?<=\w)'(?=\w)){{1,128}})")


@cache
def _quoted() -> re.Pattern[str]:
    """Return a value in quotes; the end of a line closes one whose other half was cut off."""
    end = r"(?=[ \t]*(?:[\r\n]|\Z))"
    return re.compile(
        rf"[*_]{{0,2}}(?:\"([^\"\r\n]{{1,120}})(?:\"|{end})|'([^'\r\n]{{1,120}})(?:'|{end})|`([^`\r\n]{{1,120}})(?:`|{end})"
        rf"|“([^”\r\n]{{1,120}})(?:”|{end})|‘([^’\r\n]{{1,120}})(?:’|{end})|«\s?([^»\r\n]{{1,120}}?)(?:\s?»|{end})"
        rf"|„([^“”\r\n]{{1,120}})(?:[“”]|{end})|[「『]([^」』\r\n]{{1,120}})(?:[」』]|{end}))"
    )


def _value(place: _Place) -> tuple[int, int] | None:
    """Return the span of the value that stands at a place, if it is one."""
    if quoted := _quoted().match(place.text, place.at):
        span = quoted.span(quoted.lastindex or 0)
        value = place.text[slice(*span)]
        is_secret = _is_secret(place, value, is_final=True, is_quoted=True)
        return span if is_secret or _is_pass_phrase(place, value) else None
    unquoted = _unquoted().match(place.text, place.at)
    if not unquoted:
        return None
    value = _up_to_placeholder().split(unquoted[1], maxsplit=1)[0].rstrip(_AFTER)
    start, end = unquoted.start(1), unquoted.start(1) + len(value)
    if unquoted[1].startswith("..", len(value)) and is_random(value):  # cut short: `ops_eyJzaWduSW5...`
        return None
    if place.link is _Link.BARE and last_copula().match(place.text, end):
        place = replace(place, link=_Link.COPULA)
        return (start, end) if _is_secret(place, value, is_final=True, is_quoted=False) else None
    if _is_told_in_passing(place, value, end):
        return start, end
    is_final = bool(end_of_statement().match(place.text, end))
    return (start, end) if _is_secret(place, value, is_final=is_final, is_quoted=False) else _pass_phrase(place, start)


def _is_told_in_passing(place: _Place, value: str, end: int) -> bool:
    """`the password is swordfish on staging`: a plain word, and then what goes on with a complete statement."""
    if place.noun != "chosen" or not _plain().fullmatch(value) or not _is_plain(place, value):
        return False
    if place.link is _Link.COPULA:
        return bool(going_on().match(place.text, end))
    return place.link is _Link.SIGN and bool(chat().match(place.text, end))


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]{4,40}!?|[a-z]{3,12}(?:-[a-z]{3,12}){2,7}")


@cache
def _up_to_placeholder() -> re.Pattern[str]:
    return re.compile(r"\[(?:redacted:|private\])")


_SHORTEST: Final = {_Link.COPULA: 3, _Link.SIGN: 4, _Link.SOFT: 6, _Link.BARE: 6}


def _is_secret(place: _Place, value: str, *, is_final: bool, is_quoted: bool) -> bool:
    facts = facts_of(value)
    if facts.is_other:
        return False
    if place.noun == "pin":
        return place.link in {_Link.COPULA, _Link.SIGN} and bool(re.fullmatch(r"(?!(\d)\1+$)\d{4,8}", value))
    if place.noun == "vague":
        return place.link is _Link.COPULA and (is_random(value) or bool(re.fullmatch(r"[0-9a-fA-F]{32,128}", value)))
    if len(value) < _SHORTEST[place.link] or " " in value:
        return False
    if place.link is _Link.BARE and _is_object(place, value):
        return False
    if facts.is_chosen and (is_quoted or not facts.is_code):
        return place.noun in {"chosen", "pair"} or place.link is _Link.COPULA or len(value) >= _SHORTEST_TOKEN
    return is_final and _says_so(place, is_quoted=is_quoted) and _is_plain(place, value)


def _is_object(place: _Place, value: str) -> bool:
    """Tell whether a command is given the name of a secret: `kubectl get secret NAME`."""
    is_name = bool(name_of_object().fullmatch(value))
    return is_name and bool(object_of_command().search(place.text, place.line_start, place.at))


_SHORTEST_TOKEN: Final = 10


def _says_so(place: _Place, *, is_quoted: bool) -> bool:
    """Tell whether the sentence leaves nothing else for the last token to be, even an ordinary word or a number."""
    if place.noun not in {"chosen", "issued", "either"}:
        return False
    if place.link is _Link.COPULA:
        return True
    before = place.text[place.line_start : place.noun_start]
    is_prose = bool(_words().search(before)) and not _code_marks().search(before)
    if place.link is _Link.BARE:
        return is_prose and is_quoted and place.text[place.at] in "\"'“„«"
    return place.link is _Link.SIGN and is_prose


@cache
def _words() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]{2,}[ \t:：,]")


@cache
def _code_marks() -> re.Pattern[str]:
    return re.compile(
        r"[{}()\[\]<>;=$\"|\\@#+*]|//|--|\d→|(?<!\w)'|'(?!\w)"
        r"|\A\s{0,200}(?:const|let|var|val|final|public|private|static|readonly|type|def|auto|export|return)\b"
    )


def _is_plain(place: _Place, value: str) -> bool:
    """Tell whether an ordinary word or number is nothing that is said of secrets, as "expired" or "org-wide" is."""
    if ordinary().fullmatch(value.rstrip("!?")):
        return False
    is_kind = not value.isalnum() or value[1:] != value[1:].lower() or facts_of(value).is_technical
    return place.noun != "either" or not is_kind


def _pass_phrase(place: _Place, start: int) -> tuple[int, int] | None:
    """Return the span of plain words to the end of the sentence that make none: "correct horse battery staple"."""
    phrase = _phrase().match(place.text, start)
    if not phrase or not end_of_statement().match(place.text, phrase.end()):
        return None
    return phrase.span() if _is_pass_phrase(place, phrase[0]) else None


def _is_pass_phrase(place: _Place, value: str) -> bool:
    words = value.split()
    is_phrase = len(words) >= _FEWEST_WORDS or (len(words) > 1 and is_strong(value))
    if place.noun != "chosen" or not is_phrase or not _says_so(place, is_quoted=False):
        return False
    return sum(bool(grammatical().fullmatch(word)) for word in words) * _WORDS_A_GRAMMAR_WORD < len(words)


_FEWEST_WORDS: Final = 4
_WORDS_A_GRAMMAR_WORD: Final = 5


@cache
def _phrase() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_A-Z]{3,12}(?: [^\W\d_A-Z]{3,12}){3,23}")


# --- a login with its password, and a value before its noun ------------------------------------------------------


def _of_pair(place: _Place) -> tuple[int, int] | None:
    """`tom:S3cr3t`, `admin / S3cr3t`, `qa and S3cr3t`."""
    pair = _pair().match(place.text, place.at)
    if not pair:
        return None
    value = pair["value"].rstrip(_AFTER)
    end = pair.start("value") + len(value)
    facts = facts_of(value)
    if facts.is_other or not value:
        return None
    is_sign = pair["joint"].strip() in {":", "/", "|"}
    if facts.is_chosen and not facts.is_code:
        return (pair.start("value"), end) if is_sign or len(value) >= _SHORTEST_TOKEN else None
    is_said = place.link is _Link.COPULA or (place.link is _Link.SIGN and pair["joint"] != "/")
    is_last = bool(end_of_statement().match(place.text, end)) and len(value) >= _SHORTEST[_Link.COPULA]
    is_told = is_sign and is_said and is_last and "/" not in value and _is_plain(place, value)
    return (pair.start("value"), end) if is_told else None


@cache
def _pair() -> re.Pattern[str]:
    return re.compile(
        r"[\"'`*]{0,2}[\w.@+-]{1,60}[\"'`*]{0,2}"
        r"(?P<joint>[ \t]?[:|][ \t]?|/|[ \t]/[ \t]|[ \t]{1,2}(?:and|und|y|et|e|en|i|и)[ \t]{1,2}|,[ \t]?|[ \t])"
        rf"[\"'`*]{{0,2}}(?P<value>{_CHARS}{{1,128}})"
    )


def _before(text: str, line_start: int, noun: re.Match[str]) -> tuple[int, int] | None:
    """`use S3cr3t as the password`, `S3cr3t is the password`: a strong value, of a noun that stands alone."""
    if noun.lastgroup not in {"chosen", "issued"} or not _alone().match(text, noun.end()):
        return None
    words = list(_word().finditer(text, line_start, noun.start()))[-_WORDS_BEFORE:]
    copulas = [at for at, word in enumerate(words) if at and word[0].lower() in _COPULAS_BEFORE]
    if not copulas:
        return None
    told = words[copulas[-1] - 1]
    value = told[0].strip("\"'`").rstrip(_AFTER)
    if len(value) < _SHORTEST[_Link.BARE] or not is_told(value):
        return None
    start = told.start() + told[0].index(value)
    return start, start + len(value)


_WORDS_BEFORE: Final = 6
_COPULAS_BEFORE: Final = frozenset("is as ist als es como est comme é è come jest jako".split())


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[^\s]{1,100}")


@cache
def _alone() -> re.Pattern[str]:
    return re.compile(r"[\"'`*]{0,2}(?:[.,;:!?)]|\s{0,2}(?:\Z|\n)|[ \t](?:for|of|on|to|in|and|für|de|pour|para)(?!\w))")

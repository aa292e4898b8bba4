"""What is a rule about? Its names and content words, each with whether it is wanted and in which part of the rule.

Read without a grammar: signs for negations, conditions and general verbs (`gist_words`), clauses between marks, and a
light stem for what is left. Where it errs, two wordings get different gists and stay two rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from wisen.core import gist_words as says
from wisen.core.signals.names import TOOLS, is_name
from wisen.core.signals.wording import without_lead_in

LONGEST_CHARS: Final = 600
"""What is longer is a document; it is the same as another one only word for word."""

_KEPT: Final = 1024


class Part(StrEnum):
    """The part of a rule that a word stands in."""

    MAIN = "main"
    AT = "at"  # where or when it holds, with what
    BEFORE = "before"
    AFTER = "after"
    FROM = "from"
    INTO = "into"
    EXCEPT = "except"


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing a rule is about. `word` is in lower case; a name (of a tool, a file, in code marks) has no stem."""

    word: str
    stem: str
    is_name: bool = False
    wanted: bool = True
    part: Part = Part.MAIN


@dataclass(frozen=True, slots=True)
class Gist:
    """What a rule is about, in the order said; `is_list`: its names are merely enumerated; `is_leave`: it permits."""

    marks: tuple[Mark, ...]
    is_list: bool = False
    is_leave: bool = False


@lru_cache(maxsize=_KEPT)
def gist_of(text: str) -> Gist:
    """Return what a rule is about; nothing for one that is too long to be read so."""
    if len(text) > LONGEST_CHARS:
        return Gist(marks=())
    items = list(_items(without_lead_in(unicodedata.normalize("NFKC", text).strip())))
    clauses = list(_clauses(items))
    marks = [mark for clause in _joined(clauses) for mark in _read(clause)]
    is_leave = says.MAY in items and says.NOT not in items
    return Gist(marks=_once(marks), is_list=_is_list(items), is_leave=is_leave)


def _once(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Return marks without repetitions: a verb that is denied of one thing and said of another is said."""
    said = {mark.stem for mark in marks if mark.wanted and not mark.is_name}
    kept = (mark for mark in marks if mark.wanted or mark.is_name or mark.stem not in said)
    return tuple({(mark.stem, mark.wanted, mark.part): mark for mark in reversed(tuple(kept))}.values())[::-1]


_Item = str | Mark
_BREAK: Final = "\ue000"


@cache
def _pieces() -> re.Pattern[str]:
    unspaced = "\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af"
    return re.compile(
        rf"(?P<unspaced>[{unspaced}]+)|(?P<sign>[\ue001-\ue013])|(?P<break>[,;!?()\[\]{{}}、，。；：！？…\n—–]"
        rf"|:(?!\w)|\.(?!\w)|\s-\s)"
        rf"|(?P<word>(?:(?![{unspaced}\ue000-\ue020])[\w@$#/.+*~=&<>|^%-]|(?<=\w)[:'](?=\w)|(?<=:)(?=:))+)"
    )


def _items(text: str) -> Iterator[_Item]:
    """Yield signs, breaks and bare marks in the order of the text. What stands in code marks is names, word by word."""
    for at, stretch in enumerate(re.split(r"`([^`\n]+)`", text)):
        if at % 2:
            for n, word in enumerate(stretch.lower().split()):
                if n:
                    yield says.SPAN
                yield Mark(word, word, is_name=True)
            continue
        camel = frozenset(re.findall(r"\b[a-z]+[A-Z]\w*|\b[A-Z]\w*[a-z][A-Z]\w*|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+", stretch))
        named = frozenset(word.lower() for word in camel)
        is_latin = not re.search("[\u0370-\u1cff\u3041-\u9fff\uac00-\ud7af]", text)
        yield from _spoken(stretch.lower().replace("’", "'"), named, is_latin=is_latin)


def _spoken(stretch: str, named: frozenset[str], *, is_latin: bool) -> Iterator[_Item]:
    for sign, pattern in says.phrases():
        stretch = pattern.sub(f" {sign} " if sign else " ", stretch)
    stretch = says.bare_not().sub(f" {says.NOT_BARE} ", stretch)
    for piece in _pieces().finditer(stretch):
        match piece.lastgroup:
            case "sign":
                yield piece[0]
            case "break":
                yield _BREAK
            case "unspaced":
                yield from _unspaced(piece[0])
            case _:
                yield from _word(piece[0], named, is_latin=is_latin)


@cache
def _plain_tools() -> frozenset[str]:
    """Names of tools that are words of the language as well."""
    return TOOLS & frozenset(
        "go log logging print fetch black fish less solid spring console compose hatch nose ant brew gulp"
        " zap sass "
        "attrs express sequelize react angular bootstrap play make just hub compose swift rust enzyme"
        " mockery parcel "
        "solid tabs spaces threading".split()
    )


def _word(word: str, named: frozenset[str], *, is_latin: bool) -> Iterator[Mark]:
    bare = word.strip("'\"").rstrip(".+*=-" if not word.endswith("++") else ".")
    if not re.search(r"\w", bare):
        return
    if bare in named or (bare in TOOLS and bare not in _plain_tools()):
        yield Mark(bare, bare, is_name=True)
    elif bare in says.stops():
        return
    elif _has_form_of_a_name(bare) or (not is_latin and bare.isascii()):
        yield Mark(bare, bare, is_name=True)
    else:
        parts = (part for part in re.split(r"[-/']", bare) if part and part not in says.stops())
        yield from (Mark(part, _meaning(stem_of(part))) for part in parts)


def _has_form_of_a_name(word: str) -> bool:
    """Is it a name by its marks or digits? In `pre-commit` and `force-push` each part is a word of its own."""
    is_compound = re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)+", word)
    return (word not in TOOLS and is_name(word) and not is_compound) or any(char.isdigit() for char in word)


def _meaning(stem: str) -> str:
    return says.synonyms().get(stem, stem)


def _unspaced(run: str) -> Iterator[Mark]:
    if "\uac00" <= run[0] <= "\ud7af":
        stem = says.korean_stem(run)
        if stem:
            yield Mark(run, _meaning(stem))
        return
    for stretch in says.without_unspaced_stops(run).split():
        if stretch in says.synonyms():
            yield Mark(stretch, _meaning(stretch))
        elif len(stretch) == 1 or re.fullmatch("[ァ-ー]+|[ぁ-ゖ]+", stretch):
            yield Mark(stretch, stretch)
        else:
            for left, right in pairwise(stretch):
                yield Mark(left + right, left + right)


# --- clauses ----------------------------------------------------------------------------------------------------

_STARTS: Final = frozenset({says.USE, says.NOT, says.NOT_BARE, says.WITHOUT})
_DENIALS: Final = frozenset({says.NOT, says.NOT_BARE, says.NOT_BEHIND, says.RATHER_THAN})
_PARTS: Final = {
    says.AT: Part.AT,
    says.BEFORE: Part.BEFORE,
    says.AFTER: Part.AFTER,
    says.FROM: Part.FROM,
    says.INTO: Part.INTO,
    says.EXCEPT: Part.EXCEPT,
}
_PARTS_BEHIND: Final = {says.BEFORE_THAT: Part.BEFORE, says.AFTER_THAT: Part.AFTER, says.AT_THAT: Part.AT}
_ONLY_MARK: Final = Mark("only", "only", part=Part.AT)


def _clauses(items: list[_Item]) -> Iterator[list[_Item]]:
    """Yield what stands between marks; "and" parts clauses where another verb or denial follows, "but" always."""
    clause: list[_Item] = []
    for at, item in enumerate(items):
        following = items[at + 1] if at + 1 < len(items) else _BREAK
        if item in (_BREAK, says.BUT) or (item == says.AND and following in _STARTS):
            yield clause
            clause = []
        else:
            clause.append(item)
    yield clause


def _joined(clauses: list[list[_Item]]) -> Iterator[list[_Item]]:
    """Yield clauses, a leading condition ("before committing, ...") with what it is the condition of.

    An enumeration goes on behind its comma: "no npm, yarn or bun".
    """
    held: list[_Item] = []
    for clause in filter(None, clauses):
        is_condition = _is_condition(clause)
        goes_on = bool(held) and says.AND in clause and not any(i in _STARTS | _DENIALS for i in clause)
        if held and not goes_on and not _is_condition(held):
            yield held
            held = []
        held = [*held, *([says.USE] if held and not goes_on else []), *clause]
        if is_condition and held is clause:
            continue
    if held:
        yield held


def _is_condition(clause: list[_Item]) -> bool:
    if any(item in _DENIALS or item == says.USE for item in clause):
        return False
    return clause[0] in _PARTS or clause[-1] in _PARTS_BEHIND


def _read(clause: list[_Item]) -> Iterator[Mark]:
    """Yield the marks of a clause with their part and whether they are wanted."""
    placed = _placed(clause)
    denied = _denied(clause, placed)
    without = clause.index(says.WITHOUT) if says.WITHOUT in clause else len(clause)
    is_never = without < len(clause) and any(item in (says.NOT, says.NOT_BARE) for item in clause[:without])
    for at, mark in placed.items():
        if is_never:  # "never A without B" is "before A, B"
            yield replace(mark, part=Part.BEFORE if at < without else Part.MAIN)
        else:
            yield replace(mark, wanted=(at in denied) if at > without else at not in denied)


def _placed(clause: list[_Item]) -> dict[int, Mark]:
    """Return the marks of a clause by position, each in its part."""
    placed: dict[int, Mark] = {}
    part = Part.MAIN
    for at, item in enumerate(clause):
        if isinstance(item, Mark):
            placed[at] = replace(item, part=part)
            if part is Part.FROM and item.is_name and says.SPAN not in clause[at + 1 : at + 2]:
                part = Part.INTO  # "from A to B"
        elif item in _PARTS:
            part = _PARTS[item]
        elif item in _PARTS_BEHIND:
            placed |= {
                n: replace(mark, part=_PARTS_BEHIND[item]) for n, mark in placed.items() if mark.part is Part.MAIN
            }
        elif item == says.ONLY:
            placed[at] = _ONLY_MARK
        elif item in {says.USE, says.RATHER_THAN, says.NOT, says.NOT_BARE}:
            part = Part.MAIN
    return placed


def _denied(clause: list[_Item], placed: dict[int, Mark]) -> frozenset[int]:
    """Return the positions of what a clause does not want."""
    denied: set[int] = set()
    for at, item in enumerate(clause):
        if item not in _DENIALS:
            continue
        left = [n for n in placed if n < at]
        right = [n for n in placed if n > at]
        if item == says.RATHER_THAN:
            denied.update(_next(clause, placed, right))
        elif item == says.NOT_BARE:
            denied.update(_next(clause, placed, right) if left and right else right or left)
        elif item == says.NOT_BEHIND:
            denied.update(_last(clause, placed, left) if right else left)
        elif _has_name(placed, left) and _has_name(placed, right):
            denied.update(right)
        else:
            denied.update((*left, *right))
    return frozenset(denied)


def _has_name(placed: dict[int, Mark], among: list[int]) -> bool:
    return any(placed[n].is_name for n in among)


def _next(clause: list[_Item], placed: dict[int, Mark], right: list[int]) -> list[int]:
    """What "rather than" rejects: the names that follow at once, or the words up to the next verb or condition."""
    found: list[int] = []
    for n in right:
        between = clause[found[-1] + 1 : n] if found else []
        if any(item in _STARTS or item in _PARTS for item in between):
            break
        if found and placed[found[-1]].is_name and not {says.AND, says.SPAN} & set(between):
            break
        found.append(n)
    return found


def _last(clause: list[_Item], placed: dict[int, Mark], left: list[int]) -> list[int]:
    """What a denial behind its subject rejects when something else follows: the names, else the words, before it."""
    found: list[int] = []
    for n in reversed(left):
        between = clause[n + 1 : found[-1]] if found else []
        if any(item in _STARTS or item in _PARTS for item in between):
            break
        if found and placed[found[-1]].is_name != placed[n].is_name:
            break
        found.append(n)
    return found


def _is_list(items: list[_Item]) -> bool:
    """Does every name follow another one behind "and", "or" or a comma?"""
    names = [at for at, item in enumerate(items) if isinstance(item, Mark) and item.is_name]
    between = [items[one + 1 : other] for one, other in pairwise(names)]
    return all(gap and all(item in (says.AND, _BREAK) for item in gap) for gap in between)


# --- stems ------------------------------------------------------------------------------------------------------

_LATIN_ENDINGS: Final = (
    "ations ation ating ments ment ings ing ions ion ated ates ized izes ed es en er ers ern em et te ten s"
    " e n y ies ied "
    "ando iendo endo ados adas ado ada idos idas ido ida amos emos ar ir as os a o i are ere ire ato ata ati"
    " ate iamo "
    "ons ez ée és ées é"
).split()
_CYRILLIC_ENDINGS: Final = (
    "ировать ирования ирование ированием ировании ить ать ять еть ите йте айте ами ями ами ях ах ого его ому"
    " ему ов ев "
    "ом ем ой ей ый ий ая яя ое ее ые ие ых их ам ям ы и а я у ю е о ь й ки ка ку"
).split()
_SHORTEST: Final = 3


@cache
def _endings() -> re.Pattern[str]:
    both = sorted({*_LATIN_ENDINGS, *_CYRILLIC_ENDINGS}, key=len, reverse=True)
    return re.compile(rf"(?<=\w{{{_SHORTEST}}})(?:{'|'.join(both)})$")


@lru_cache(maxsize=1024)
def stem_of(word: str) -> str:
    """Return a word without its common ending, so that "commit", "commits" and "committing" are one."""
    if len(word) <= _SHORTEST + 1 and not word.endswith("s"):
        return word
    bare = word
    for _ in range(2):  # "dependencies", "formatters"
        found = _endings().search(bare)
        if found is None or found.start() < _SHORTEST:
            break
        bare = bare[: found.start()]
    doubled = len(bare) > _SHORTEST and bare[-1] == bare[-2] and bare[-1] in "bdglmnprt"
    return bare[:-1] if doubled else bare

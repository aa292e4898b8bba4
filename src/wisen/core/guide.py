"""Does a guide that people wrote (CLAUDE.md, AGENTS.md) state a rule already, or the contrary? Compared, never stored.

The guide wins: what it states need not be learned, and what contradicts it is shown to the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from wisen.core.gist import Gist, Mark, Part, gist_of
from wisen.core.sameness import Likeness, likeness

AGAINST_GUIDE: Final = "against-guide"
"""The category of a memory that contradicts a guide: it waits for review, however often it is said."""

_FEWEST_MARKS: Final = 2
# Tools of which a repository uses one: who says to use another one of them says the contrary.
_ALIKE: Final = tuple(
    frozenset(names.split())
    for names in (
        "npm pnpm yarn bun",
        "pip uv poetry pipenv conda pdm",
        "pytest unittest nose",
        "jest vitest mocha jasmine",
        "black yapf autopep8",
        "eslint biome tslint",
        "flake8 ruff pylint",
        "mypy pyright",
        "docker podman",
        "tabs spaces",
        "snake_case camelcase kebab-case",
    )
)


class Stance(StrEnum):
    """How a guide stands to a rule."""

    STATES = "states"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence of a guide: the file it stands in, by its path below the work tree's top, and its line there."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a guide says to a rule."""

    stance: Stance
    statement: Statement

    @property
    def place(self) -> str:
        """Where it stands, in words."""
        return f"{self.statement.file}, line {self.statement.line}"


def statements(file: str, text: str) -> tuple[Statement, ...]:
    """Return the sentences of a guide in Markdown; code blocks and comments are none."""
    found: list[Statement] = []
    for line, paragraph in _paragraphs(_without_comments(text)):
        found += [Statement(file=file, line=line, text=said) for said in _sentences().split(paragraph) if said.strip()]
    return tuple(found)


def imports(text: str) -> tuple[str, ...]:
    """Return the files that a guide takes in (`@path`), as written; not those in code."""
    plain = _code_span().sub(" ", "\n".join(line for _, line in _prose(_without_comments(text))))
    return tuple(dict.fromkeys(_import().findall(plain)))


def states(guide: Sequence[Statement], rule: str) -> Match | None:
    """Return the first statement that states a rule; else the first that says the contrary; None without either."""
    against: Match | None = None
    for statement in guide:
        stance = _stance(statement.text, rule)
        if stance is Stance.STATES:
            return Match(stance=stance, statement=statement)
        if stance is not None and against is None:
            against = Match(stance=stance, statement=statement)
    return against


def _stance(statement: str, rule: str) -> Stance | None:
    match likeness(rule, statement):
        case Likeness.SAME | Likeness.NARROWER | Likeness.WIDER:
            return Stance.STATES
        case Likeness.OPPOSED:
            return Stance.CONTRADICTS
        case Likeness.OTHER:
            said, wanted = gist_of(statement), gist_of(rule)
            if _is_held_by(wanted, said):
                return Stance.STATES
            return Stance.CONTRADICTS if _is_for_another(wanted, said) else None


def _is_held_by(rule: Gist, said: Gist) -> bool:
    """Does a longer sentence say all that a rule says, and no condition that the rule does not have?"""
    if rule.is_leave != said.is_leave or not rule.marks:
        return False
    twins = [next((twin for twin in said.marks if _is_alike(mark, twin)), None) for mark in rule.marks]
    if None in twins or not (any(mark.is_name for mark in rule.marks) or len(rule.marks) >= _FEWEST_MARKS):
        return False
    return all(twin in twins or twin.part is Part.MAIN for twin in said.marks)


def _is_alike(mark: Mark, twin: Mark) -> bool:
    is_one = mark.word == twin.word or (not (mark.is_name and twin.is_name) and mark.stem == twin.stem)
    return is_one and mark.wanted is twin.wanted and mark.part is twin.part


def _is_for_another(rule: Gist, said: Gist) -> bool:
    """Do both say nothing but which tool to use, and is it another one of the same kind?"""
    ours, theirs = _wanted(rule), _wanted(said)
    if not ours or not theirs or ours & theirs:
        return False
    if not any(ours & kind and theirs & kind for kind in _ALIKE):
        return False
    mine, yours = _rest(rule), _rest(said)
    return mine == yours or not mine or not yours


def _wanted(gist: Gist) -> frozenset[str]:
    tools = frozenset().union(*_ALIKE)
    return frozenset(mark.word for mark in gist.marks if mark.wanted and mark.part is Part.MAIN and mark.word in tools)


def _rest(gist: Gist) -> frozenset[str]:
    tools = frozenset().union(*_ALIKE)
    return frozenset(mark.stem for mark in gist.marks if mark.word not in tools)


# --- Markdown ---------------------------------------------------------------------------------------------------


@cache
def _comment() -> re.Pattern[str]:
    return re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"\s{0,3}(```|~~~)")


@cache
def _head() -> re.Pattern[str]:
    return re.compile(r"\s*(?:#{1,6}\s+|(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?|>\s?|\|)+")


@cache
def _sentences() -> re.Pattern[str]:
    return re.compile(r"(?<=[.!?])\s+(?=[^a-z\s])|(?<=[。！？])|;\s+|\s\|\s?")


@cache
def _code_span() -> re.Pattern[str]:
    return re.compile(r"`[^`\n]*`")


@cache
def _import() -> re.Pattern[str]:
    return re.compile(r"(?<!\S)@((?:~/|\.{0,2}/)?[\w./~-]*\w)")


def _without_comments(text: str) -> str:
    """Return a text with its comments blanked, its lines where they were."""
    return _comment().sub(lambda found: "\n" * found[0].count("\n"), text)


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines that are in no code block."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _fence().match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif not fence:
            yield number, line


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield headings, items and paragraphs, each with the number of its first line; wrapped lines are one."""
    start, last, held = 0, 0, list[str]()
    for number, line in _prose(text):
        head = _head().match(line)
        if held and (head or not line.strip() or number > last + 1):
            yield start, " ".join(held)
            held = []
        if line.strip():
            start = start if held else number
            held.append(line[head.end() if head else 0 :].strip())
        if line.lstrip().startswith("#") and held:
            yield start, " ".join(held)
            held = []
        last = number
    if held:
        yield start, " ".join(held)

"""At which later moments would an earlier lesson have helped, and which lessons had a repository at each of them?

A file of recall opportunities is JSON Lines. Each object has `id`, `repo`, `set`, `type` (a: the same failure, b: the
same correction, c: the same place looked up, d: a question about the past), `timing` (preventive, answer, late),
`trigger` (user_prompt, pre_tool), `query` (the words of the moment), `lesson` (the words of what was learned), and
`earlier` and `later`, two places with `session`, `seq`, `session_no` and `date`; `earlier` also with the `quote` that
taught it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.errors import PayloadError
from wisen.evals.labelled import labelled
from wisen.evals.places import Place
from wisen.evals.scoring_facts import place_of
from wisen.transcripts.fields import Fields

_EXPECTED: Final = "each line is an object with repo, type, timing, trigger, query, lesson, earlier and later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Opportunity:
    """A later moment, the lesson that would have helped, and where that was learned.

    `earlier_no` and `later_no` are the numbers of the sessions in their repository, the dates are ISO or empty.
    """

    moment_id: str
    repository: str
    part: str  # of the labelled set
    kind: str
    timing: str
    trigger: str
    query: str
    lesson: str
    quote: str
    earlier: Place
    earlier_no: int
    later: Place
    later_no: int
    earlier_date: str = ""
    later_date: str = ""

    @property
    def is_before_a_tool(self) -> bool:
        """Is it the moment before a call, and not a prompt?"""
        return self.trigger == "pre_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """Something that a session taught: its words, what was said or printed then, and where that stands."""

    lesson_id: str
    text: str
    quote: str
    place: Place
    number: int  # of the session that taught it first
    date: str = ""


def opportunities_of(path: Path) -> tuple[Opportunity, ...]:
    """Return the moments of a file. Raises NotFound, and PayloadError for lines that are none and for an empty file."""
    found = tuple(_opportunity(row, f"{path}, moment {row.text('id')!r}") for row in labelled(path))
    if not found:
        raise PayloadError(f"{path} has no moments", hint=_EXPECTED)
    return found


def lessons_of(moments: Sequence[Opportunity]) -> Mapping[str, tuple[Lesson, ...]]:
    """Return the distinct lessons of each repository in the order they were learned in, each where it was first."""
    first: dict[tuple[str, str], Opportunity] = {}
    for moment in moments:
        key = (moment.repository, moment.lesson)
        held = first.get(key)
        if held is None or _learned_at(moment) < _learned_at(held):
            first[key] = moment
    lessons: dict[str, list[Lesson]] = {}
    for (repository, text), moment in sorted(first.items(), key=lambda one: _learned_at(one[1])):
        of_these = lessons.setdefault(repository, [])
        of_these.append(
            Lesson(
                lesson_id=f"{repository}#{len(of_these)}",
                text=text,
                quote=moment.quote,
                place=moment.earlier,
                number=moment.earlier_no,
                date=moment.earlier_date,
            )
        )
    return {repository: tuple(found) for repository, found in lessons.items()}


def _learned_at(moment: Opportunity) -> tuple[int, int, str]:
    return moment.earlier_no, moment.earlier.seq, moment.lesson


def _opportunity(row: Fields, where: str) -> Opportunity:
    earlier, later = row.object("earlier"), row.object("later")
    numbers = earlier.number("session_no"), later.number("session_no")
    words = row.text("repo"), row.text("query"), row.text("lesson")
    if numbers[0] is None or numbers[1] is None or not all(words):
        raise PayloadError(f"{where} lacks its words or the numbers of its sessions", hint=_EXPECTED)
    if numbers[0] >= numbers[1]:
        raise PayloadError(f"{where}: session {numbers[0]:g} is not before session {numbers[1]:g}")
    return Opportunity(
        moment_id=row.text("id"),
        repository=words[0],
        part=row.text("set"),
        kind=row.text("type"),
        timing=row.text("timing"),
        trigger=row.text("trigger"),
        query=words[1],
        lesson=words[2],
        quote=earlier.text("quote"),
        earlier=place_of(earlier),
        earlier_no=int(numbers[0]),
        later=place_of(later),
        later_no=int(numbers[1]),
        earlier_date=earlier.text("date"),
        later_date=later.text("date"),
    )

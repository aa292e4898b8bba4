"""At the moments at which an earlier lesson would have helped, was it there?

A moment is served when the block of that very moment holds a memory whose evidence includes the place where the lesson
was learned. One that the same conversation had been shown before, at its start or since, is counted apart: a block
never repeats what is in the context. Types: a (the same failure), b (the same correction), c (the same place looked up)
and d (the user asks about a past decision); moments at which the user has already said it again (`late`) are scored
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.evals.labelled import labelled
from wisen.evals.places import Atlas, Place
from wisen.evals.playing import Glimpse
from wisen.evals.scoring_facts import place_of

_LATE: Final = "late"
_ASKED: Final = "d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A later moment and where its lesson was learned."""

    moment_id: str
    kind: str  # a, b, c or d
    timing: str  # preventive, answer or late
    trigger: str
    earlier: Place
    later: Place

    @property
    def group(self) -> str:
        """The group it is scored in: `lessons` (a to c), `questions` (d), or either of them `late`."""
        name = "questions" if self.kind == _ASKED else "lessons"
        return f"{name}_late" if self.timing == _LATE else name


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentStanding:
    """How a moment fared: `seen` when it was played; an active memory held the lesson (`known`), or one in review."""

    moment: Moment
    seen: bool = False
    served: bool = False
    in_context: bool = False
    known: bool = False
    waiting: bool = False


def moments_of(path: Path, repository: str) -> tuple[Moment, ...]:
    """Return the moments of one repository. Raises NotFound, PayloadError."""
    return tuple(
        Moment(
            moment_id=row.text("id"),
            kind=row.text("type"),
            timing=row.text("timing"),
            trigger=row.text("trigger"),
            earlier=place_of(row.object("earlier")),
            later=place_of(row.object("later")),
        )
        for row in labelled(path)
        if row.text("repo") == repository
    )


def standings(moments: Sequence[Moment], glimpses: Mapping[Place, Glimpse], atlas: Atlas) -> tuple[MomentStanding, ...]:
    """Return how each moment fared."""
    return tuple(_standing(moment, glimpses.get(moment.later), atlas.same(moment.earlier)) for moment in moments)


def _standing(moment: Moment, glimpse: Glimpse | None, lesson: Place) -> MomentStanding:
    if glimpse is None:
        return MomentStanding(moment=moment)
    return MomentStanding(
        moment=moment,
        seen=True,
        served=lesson in glimpse.shown,
        in_context=lesson in glimpse.in_context,
        known=lesson in glimpse.active,
        waiting=lesson in glimpse.waiting,
    )


def counts(found: Sequence[MomentStanding]) -> Mapping[str, Mapping[str, int]]:
    """Return, by group and by kind, how many moments there are and how they fared."""
    groups = sorted({one.moment.group for one in found})
    kinds = sorted({f"{one.moment.kind}_{one.moment.timing}" for one in found})
    by_group = {name: _counted([one for one in found if one.moment.group == name]) for name in groups}
    by_kind = {
        name: _counted([one for one in found if f"{one.moment.kind}_{one.moment.timing}" == name]) for name in kinds
    }
    return by_group | by_kind


def _counted(found: Sequence[MomentStanding]) -> Mapping[str, int]:
    return {
        "moments": len(found),
        "seen": sum(one.seen for one in found),
        "served": sum(one.served for one in found),
        "in_context": sum(one.in_context and not one.served for one in found),
        "known": sum(one.known for one in found),
        "waiting": sum(one.waiting and not one.known for one in found),
    }

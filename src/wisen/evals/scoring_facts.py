"""Which facts of a hand-written guide did wisen hold, and how soon after the sessions had revealed them?

A memory holds a fact when it says no more than 400 characters, its evidence includes one of the places that show the
fact, and its words include all of the fact's key terms (without regard to case, spacing and backquotes). One that
includes at least one term but not all is counted apart, as naming the fact. Scored are the facts of strength `full`:
the sessions alone let a reader state them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from wisen.core.render import statement
from wisen.core.types import Memory, Status
from wisen.evals.labelled import labelled
from wisen.evals.places import Atlas, Place
from wisen.transcripts.fields import Fields

LONGEST_CHARS: Final = 400
_FULL: Final = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing a guide says, the places that show it, and the words by which it is known."""

    fact_id: str
    terms: tuple[str, ...]
    places: tuple[Place, ...]
    kind: str = ""  # how it can be learned: user, outcome or lookup


@dataclass(frozen=True, slots=True, kw_only=True)
class FactStanding:
    """How a fact fared. Numbers are of sessions, the first being 1; None for never.

    `held` and `held_active` say after which session a memory held it, `named` when one had at least one of its terms,
    and `touched` when one had a place of it among its evidence, whatever it said.
    """

    fact: Fact
    revealed: int | None = None
    held: int | None = None
    held_active: int | None = None
    named: int | None = None
    touched: int | None = None

    def is_timely(self, held: int | None) -> bool:
        """Tell whether something came no later than at the end of the session after the one that revealed the fact."""
        return held is not None and self.revealed is not None and held <= self.revealed + 1


@dataclass(slots=True)
class FactBook:
    """Takes the memories there are after each session, in order."""

    facts: Sequence[Fact]
    atlas: Atlas
    _standing: dict[str, FactStanding] = field(default_factory=dict)

    @property
    def standings(self) -> tuple[FactStanding, ...]:
        """How each fact fared so far."""
        return tuple(self._standing.get(fact.fact_id, FactStanding(fact=fact)) for fact in self.facts)

    def take(self, number: int, session_id: str, memories: Iterable[Memory]) -> None:
        """Look at the facts after a session with that number."""
        short = [
            (memory, text, self.atlas.places_of(memory.evidence))
            for memory in memories
            if len(text := _folded(statement(memory))) <= LONGEST_CHARS
        ]
        for fact in self.facts:
            places = {self.atlas.same(place) for place in fact.places}
            about = [(memory, text) for memory, text, shown_at in short if places & shown_at]
            before = self._standing.get(fact.fact_id, FactStanding(fact=fact))
            is_shown = any(place.session_id == session_id for place in fact.places)
            self._standing[fact.fact_id] = _after(before, number, about, is_shown=is_shown)


def _after(before: FactStanding, number: int, about: Sequence[tuple[Memory, str]], *, is_shown: bool) -> FactStanding:
    """Return how a fact stands after one session more; `about` are the memories that a place of it shows."""
    terms = [_folded(term) for term in before.fact.terms]
    whole = [memory for memory, text in about if all(term in text for term in terms)]
    is_active = any(memory.status is Status.ACTIVE for memory in whole)
    is_named = any(term in text for _, text in about for term in terms)
    return FactStanding(
        fact=before.fact,
        revealed=_first(before.revealed, number, happened=is_shown),
        held=_first(before.held, number, happened=bool(whole)),
        held_active=_first(before.held_active, number, happened=is_active),
        named=_first(before.named, number, happened=is_named),
        touched=_first(before.touched, number, happened=bool(about)),
    )


def facts_of(path: Path, repository: str) -> tuple[Fact, ...]:
    """Return the facts of strength `full` of one repository's guide. Raises NotFound, PayloadError."""
    rows = (row for row in labelled(path) if row.text("repo") == repository and row.text("strength") == _FULL)
    return tuple(map(_fact, rows))


def counts(standings: Sequence[FactStanding]) -> Mapping[str, int]:
    """Return how many facts there are, were held in time and at all, by active memories alone and by any."""
    return {
        "facts": len(standings),
        "revealed": sum(one.revealed is not None for one in standings),
        "held_in_time": sum(one.is_timely(one.held) for one in standings),
        "held_in_time_active": sum(one.is_timely(one.held_active) for one in standings),
        "held": sum(one.held is not None for one in standings),
        "held_active": sum(one.held_active is not None for one in standings),
        "named": sum(one.named is not None for one in standings),
        "touched": sum(one.touched is not None for one in standings),
    }


def _fact(row: Fields) -> Fact:
    terms = row.value("key_terms")
    return Fact(
        fact_id=row.text("id"),
        terms=tuple(term for term in terms if isinstance(term, str)) if isinstance(terms, list) else (),
        places=tuple(place_of(one) for one in row.objects("evidence")),
        kind=row.text("learnable"),
    )


def place_of(row: Fields) -> Place:
    """Return the place that a label names by `session` and `seq`."""
    return Place(row.text("session"), int(row.number("seq") or 0))


def _first(known: int | None, number: int, *, happened: bool) -> int | None:
    return number if known is None and happened else known


def _folded(text: str) -> str:
    return " ".join(text.replace("`", "").split()).casefold()

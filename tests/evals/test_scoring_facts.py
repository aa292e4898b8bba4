from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import T0, a_memory
from tests.evals.recordings import Recording, write_rows

from wisen.core.types import EventRef, Memory, MemoryKind, Status
from wisen.evals.places import Atlas, Place
from wisen.evals.scoring_facts import Fact, FactBook, FactStanding, counts, facts_of

SHOWN_AT = Place("s1", 1)
FACT = Fact(fact_id="F1", terms=("make fmt", "before committing"), places=(SHOWN_AT,), kind="user")
TEXT = "Run `make  fmt` BEFORE committing."


def remembered(text: str = TEXT, *, event_id: str = "e1", status: Status = Status.ACTIVE) -> Memory:
    ref = EventRef(event_id=event_id, session_id="s1", at=T0)
    return replace(a_memory(text), evidence=(ref,), status=status)


def book(fact: Fact = FACT) -> FactBook:
    atlas = Atlas()
    recording = Recording("s1")
    recording.run("make fmt")
    atlas.chart("s1", recording.fields)
    recording.say("something else")
    atlas._by_event["e1"] = SHOWN_AT
    return FactBook([fact], atlas)


def after(memory: Memory, fact: Fact = FACT) -> FactStanding:
    facts = book(fact)
    facts.take(1, "s1", [memory])
    return facts.standings[0]


def test_a_fact_is_held_by_a_memory_with_its_evidence_and_all_its_terms_whatever_their_dress() -> None:
    assert after(remembered()) == FactStanding(fact=FACT, revealed=1, held=1, held_active=1, named=1, touched=1)


def test_with_some_of_the_terms_it_is_named() -> None:
    standing = after(remembered("Run make fmt."))
    assert (standing.held, standing.named) == (None, 1)


def test_without_a_term_it_is_nothing() -> None:
    standing = after(remembered("Run make lint."))
    assert (standing.named, standing.touched) == (None, 1)


def test_without_the_evidence_the_words_are_worth_nothing() -> None:
    standing = after(remembered(event_id="e2"))
    assert (standing.held, standing.named, standing.touched) == (None, None, None)


@pytest.mark.parametrize(("length", "held"), [(400, 1), (401, None)])
def test_more_than_400_characters_hold_nothing(length: int, held: int | None) -> None:
    text = "Run make fmt before committing. " + "x" * (length - 32)
    assert len(text) == length
    assert after(remembered(text)).held == held


def test_the_end_of_a_call_is_as_good_as_its_beginning() -> None:
    fact = replace(FACT, places=(Place("s1", 2),))
    assert after(remembered(), fact).held == 1


def test_what_a_procedure_is_for_counts_as_its_words() -> None:
    memory = replace(remembered("make fmt"), kind=MemoryKind.PROCEDURAL, title="Before committing")
    assert after(memory).held == 1


def test_what_waits_holds_a_fact_but_not_as_an_active_memory() -> None:
    standing = after(remembered(status=Status.PENDING_REVIEW))
    assert (standing.held, standing.held_active) == (1, None)


@pytest.mark.parametrize(("held_after", "is_timely"), [(2, True), (3, True), (4, False)])
def test_a_fact_is_held_in_time_within_a_session_of_being_revealed(held_after: int, *, is_timely: bool) -> None:
    facts = book()
    for number in range(1, 5):
        facts.take(number, "s1" if number == 2 else "other", [remembered()] if number >= held_after else [])
    standing = facts.standings[0]
    assert (standing.revealed, standing.held) == (2, held_after)
    assert standing.is_timely(standing.held) is is_timely


def test_what_was_held_once_stays_so() -> None:
    facts = book()
    facts.take(1, "s1", [remembered()])
    facts.take(2, "s2", [])
    assert facts.standings[0].held == 1


def test_counts_are_of_facts() -> None:
    late = FactStanding(fact=FACT, revealed=1, held=5, held_active=None, named=1)
    soon = FactStanding(fact=FACT, revealed=1, held=2, held_active=2, named=1)
    assert counts([late, soon, FactStanding(fact=FACT)]) == {
        "facts": 3, "revealed": 2, "held_in_time": 1, "held_in_time_active": 1, "held": 2, "held_active": 1, "named": 2,
        "touched": 0,
    }  # fmt: skip


def test_only_the_repository_s_facts_that_the_sessions_fully_state_are_scored(tmp_path: Path) -> None:
    row = {
        "id": "F1",
        "repo": "acme/widgets",
        "strength": "full",
        "learnable": "user",
        "key_terms": ["make fmt", "before committing"],
        "evidence": [{"session": "s1", "seq": 1}],
    }
    others = [{**row, "strength": "partial"}, {**row, "repo": "acme/other"}]
    path = write_rows(tmp_path / "facts.jsonl.gz", [row, *others])
    assert facts_of(path, "acme/widgets") == (FACT,)

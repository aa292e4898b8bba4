from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.recordings import Recording, write_rows

from wisen.evals.places import Atlas, Place
from wisen.evals.playing import Glimpse
from wisen.evals.scoring_moments import Moment, MomentStanding, counts, moments_of, standings

EARLIER, LATER = Place("s1", 2), Place("s2", 5)
NOWHERE: frozenset[Place] = frozenset()


def a_moment(kind: str = "a", timing: str = "preventive") -> Moment:
    return Moment(moment_id="D1", kind=kind, timing=timing, trigger="pre_tool", earlier=EARLIER, later=LATER)


def atlas() -> Atlas:
    """The lesson was learned at the end of a call that began a line before."""
    recording = Recording("s1")
    recording.run("make")
    known = Atlas()
    known.chart("s1", recording.fields)
    return known


def standing(**known: Place) -> MomentStanding:
    parts = dict.fromkeys(("shown", "in_context", "active", "waiting"), NOWHERE)
    glimpse = Glimpse(**(parts | {name: frozenset({place}) for name, place in known.items()}))
    return standings([a_moment()], {LATER: glimpse}, atlas())[0]


@pytest.mark.parametrize(
    ("part", "field"), [("shown", "served"), ("in_context", "in_context"), ("active", "known"), ("waiting", "waiting")]
)
def test_a_moment_is_judged_by_the_place_where_its_lesson_was_learned(part: str, field: str) -> None:
    assert getattr(standing(**{part: Place("s1", 1)}), field) is True
    assert getattr(standing(**{part: Place("s1", 9)}), field) is False


def test_a_moment_that_was_not_played_was_not_seen() -> None:
    assert standings([a_moment()], {}, atlas()) == (MomentStanding(moment=a_moment()),)


@pytest.mark.parametrize(
    ("kind", "timing", "group"),
    [
        ("a", "preventive", "lessons"),
        ("c", "answer", "lessons"),
        ("d", "answer", "questions"),
        ("b", "late", "lessons_late"),
        ("d", "late", "questions_late"),
    ],
)
def test_questions_and_what_comes_too_late_are_scored_apart(kind: str, timing: str, group: str) -> None:
    assert a_moment(kind, timing).group == group


def test_what_was_shown_before_counts_only_where_the_block_does_not_serve() -> None:
    found = [
        MomentStanding(moment=a_moment(), seen=True, served=True, in_context=True, known=True),
        MomentStanding(moment=a_moment(), seen=True, in_context=True, known=True, waiting=True),
        MomentStanding(moment=a_moment("d", "answer")),
    ]
    one_question = {"moments": 1, "seen": 0, "served": 0, "in_context": 0, "known": 0, "waiting": 0}
    lessons = {"moments": 2, "seen": 2, "served": 1, "in_context": 1, "known": 2, "waiting": 0}
    assert counts(found) == {
        "lessons": lessons, "questions": one_question, "a_preventive": lessons, "d_answer": one_question,
    }  # fmt: skip


def test_moments_are_read_for_one_repository(tmp_path: Path) -> None:
    row = {
        "id": "D1",
        "repo": "acme/widgets",
        "type": "a",
        "timing": "preventive",
        "trigger": "pre_tool",
        "earlier": {"session": "s1", "seq": 2},
        "later": {"session": "s2", "seq": 5},
    }
    path = write_rows(tmp_path / "moments.jsonl.gz", [row, {**row, "repo": "acme/other"}])
    assert moments_of(path, "acme/widgets") == (a_moment(),)

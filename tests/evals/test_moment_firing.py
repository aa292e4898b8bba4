"""Counted is what the calls of each session bring up of what earlier sessions taught."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.moments import Home

from wisen.adapters.shell import segments
from wisen.core.types import ToolCall, Trigger
from wisen.evals.moment_firing import LABELLED, LEARNED, Fired, Firing, Signed, fired_by, firing
from wisen.evals.moment_labels import lessons_of
from wisen.evals.moment_sources import Sessions


def a_call(command: str) -> ToolCall:
    return ToolCall(call_id="c", tool="Bash", family="shell", command=command, segments=segments(command))


def test_a_lesson_counts_once_a_session_and_a_call_that_meets_two_once() -> None:
    known = {
        "commit": Signed(Trigger(program="git", subcommand="commit")),
        "git": Signed(Trigger(program="git", flags=("-C",))),
    }
    calls = [a_call("git commit -m x"), a_call("git -C /x commit"), a_call("git commit"), a_call("ls")]
    assert fired_by(calls, known) == Fired(lessons=2, calls=4, met=3)


def test_the_place_of_a_name_comes_up_before_a_search_for_that_name() -> None:
    known = {"place": Signed(None, ("RowReader",))}
    assert fired_by([a_call("rg RowReader src"), a_call("rg Reader src")], known).met == 1


def test_only_what_earlier_sessions_taught_comes_up(tmp_path: Path) -> None:
    home = Home(tmp_path)
    found = firing(lessons_of(home.moments), Sessions(home.corpus))
    assert [one.lessons for one in found[LABELLED].sessions] == [0, 0, 3]
    assert [one.lessons for one in found[LEARNED].sessions] == [0, 0, 1]
    assert [one.calls for one in found[LEARNED].sessions] == [2, 2, 4]


def test_the_middle_session_is_told_with_and_without_those_that_are_shown_nothing() -> None:
    found = Firing(tuple(Fired(lessons=count, calls=10, met=2 * count) for count in (0, 0, 1, 5)))
    assert (found.median, found.median_of_some, found.most) == (0.5, 3.0, 5)
    assert found.share == pytest.approx(12 / 40)


def test_no_session_has_no_figures_and_is_no_error() -> None:
    assert (Firing(()).median, Firing(()).most, Firing(()).share) == (0.0, 0, 0.0)

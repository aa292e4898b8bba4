"""The record of pauses, and what the hooks look for."""

from __future__ import annotations

from datetime import timedelta, timezone
from pathlib import Path

import pytest
from tests.builders import T0

from wisen.config import Paths, paths
from wisen.core.pauses import Pause, in_force
from wisen.errors import Refused, SettingsError
from wisen.state import pausing
from wisen.state.pausing import Pauses, Resumed, pause, read, resume

H = timedelta(hours=1)


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"WISEN_HOME": str(tmp_path / "w"), "HOME": str(tmp_path)})


def mark(where: Paths) -> str | None:
    file = where.state_dir / pausing.MARK
    return file.read_text() if file.exists() else None


def test_a_pause_is_read_back_and_told_to_the_hooks_until_its_end(where: Paths) -> None:
    pause(where, Pause(since=T0, until=T0 + H))
    assert read(where) == (Pause(since=T0, until=T0 + H),)
    assert mark(where) == f"{(T0 + H).timestamp()}\n"
    pause(where, Pause(since=T0 + H / 2))
    assert mark(where) == "inf\n"
    assert (where.state_dir.stat().st_mode & 0o777, (where.state_dir / pausing.FILE).stat().st_mode & 0o777) == (
        0o700,
        0o600,
    )


def test_of_a_pause_of_one_place_the_hooks_know_nothing(where: Paths) -> None:
    pause(where, Pause(since=T0, place="/repo"))
    assert mark(where) is None
    assert len(in_force(read(where), T0)) == 1


def test_after_a_resume_the_past_is_still_on_record(where: Paths) -> None:
    pause(where, Pause(since=T0))
    assert resume(where, T0 + H) == Resumed(over=(Pause(since=T0),))
    assert mark(where) is None
    assert read(where) == (Pause(since=T0, until=T0 + H),)
    assert resume(where, T0 + 2 * H) == Resumed()


@pytest.mark.parametrize(("text", "is_stray"), [("inf", True), ("?", True), ("", True), ("1.5", False)])
def test_a_mark_without_a_pause_on_record_is_told_of_and_gone_after_a_resume(
    where: Paths, text: str, *, is_stray: bool
) -> None:
    where.state_dir.mkdir(parents=True)
    (where.state_dir / pausing.MARK).write_text(text)
    assert bool(pausing.strays(where, T0)) is is_stray
    assert bool(resume(where, T0).mended) is is_stray
    assert (pausing.strays(where, T0), mark(where)) == ("", None)


def test_a_pause_that_the_hooks_are_not_told_of_is_told_of(where: Paths) -> None:
    pause(where, Pause(since=T0))
    assert pausing.strays(where, T0) == ""
    (where.state_dir / pausing.MARK).unlink()
    assert "it is paused" in pausing.strays(where, T0)


def test_nothing_to_resume_leaves_nothing_behind(where: Paths) -> None:
    assert resume(where, T0) == Resumed()
    assert not where.state_dir.exists()


@pytest.mark.parametrize("text", ["", "{", '[{"since": "yesterday"}]', "[1]", "\xff"])
def test_a_record_that_can_not_be_read_says_off_until_it_is_begun_anew(where: Paths, text: str) -> None:
    pause(where, Pause(since=T0))
    (where.state_dir / pausing.FILE).write_text(text, encoding="latin-1")
    with pytest.raises(SettingsError, match="wisen is off"):
        read(where)
    known = Pauses(where, lambda: T0)
    assert in_force(known.known, T0)
    assert "pauses.json" in known.problem
    resume(where, T0 + H)
    assert mark(where) is None
    assert read(where) == ()


@pytest.mark.parametrize("offset_h", [-12, 14])
def test_a_record_that_can_not_be_read_holds_since_a_moment_that_every_place_has_a_clock_for(
    where: Paths, offset_h: int
) -> None:
    pause(where, Pause(since=T0))
    (where.state_dir / pausing.FILE).write_text("{")
    [always] = Pauses(where, lambda: T0).known
    assert always.since.astimezone(timezone(timedelta(hours=offset_h))) == always.since


def test_a_pause_from_while_the_clock_was_ahead_is_settled_once_also_for_the_hooks(where: Paths) -> None:
    pause(where, Pause(since=T0 + 9000 * H, until=T0 + 9002 * H))
    clock = [T0]
    known = Pauses(where, lambda: clock[0])
    assert known.known == read(where) == (Pause(since=T0, until=T0 + 2 * H),)
    assert mark(where) == f"{(T0 + 2 * H).timestamp()}\n"
    clock[0] = T0 + H
    assert known.known == (Pause(since=T0, until=T0 + 2 * H),)
    clock[0] = T0 - 9000 * H  # wrong the other way
    assert in_force(known.known, T0 - 9000 * H + 3 * H) == ()


def test_where_it_may_only_be_shorter_a_pause_is_refused_and_stays(where: Paths) -> None:
    pause(where, Pause(since=T0))
    with pytest.raises(Refused):
        pause(where, Pause(since=T0 + H, until=T0 + 2 * H), may_shorten=False)
    assert read(where) == (Pause(since=T0),)
    assert mark(where) == "inf\n"


def test_a_record_that_gets_out_of_reach_says_off(where: Paths) -> None:
    known = Pauses(where, lambda: T0)
    assert known.known == ()
    where.state_dir.parent.mkdir(parents=True, exist_ok=True)
    where.state_dir.symlink_to(where.state_dir)  # a loop: not even root can look
    assert in_force(known.known, T0)
    where.state_dir.unlink()
    assert known.known == ()


def test_a_change_of_the_record_holds_at_once(where: Paths) -> None:
    known = Pauses(where, lambda: T0)
    assert not known.known
    pause(where, Pause(since=T0))
    assert in_force(known.known, T0) == (Pause(since=T0),)
    resume(where, T0 + H)
    assert in_force(known.known, T0 + H) == ()
    (where.state_dir / pausing.FILE).unlink()
    assert not known.known

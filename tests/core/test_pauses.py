from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0

from wisen.core.pauses import KEPT_FOR, Pause, begun, ended, in_force, is_paused, is_shortened, settled

H = timedelta(hours=1)
EVERYWHERE = Pause(since=T0)


def test_what_was_said_in_a_pause_stays_unheard_after_it() -> None:
    pauses = ended((EVERYWHERE,), T0 + 2 * H)
    assert [is_paused(pauses, ("/repo",), T0 + n * H, T0 + 9 * H) for n in (-1, 0, 1, 2)] == [False, True, True, False]


@pytest.mark.parametrize(
    ("directory", "is_off"),
    [("/repo", True), ("/repo/src", True), ("/repository", False), ("/", False), ("", False)],
)
def test_a_pause_of_a_place_holds_there_and_below(directory: str, is_off: bool) -> None:
    assert is_paused((Pause(since=T0, place="/repo"),), (directory,), T0, T0) is is_off
    assert is_paused((EVERYWHERE,), (directory,), T0, T0)


def test_the_root_is_a_place_too() -> None:
    assert is_paused((Pause(since=T0, place="/"),), ("/repo",), T0, T0)


def test_any_name_of_the_directory_counts() -> None:
    assert is_paused((Pause(since=T0, place="/real"),), ("/link", "/real"), T0, T0)


def test_a_pause_that_began_while_the_clock_was_ahead_holds_now_and_not_for_what_was_said_before() -> None:
    ahead = (Pause(since=T0 + 900 * H),)
    assert is_paused(ahead, ("/repo",), T0, T0)
    assert not is_paused(ahead, ("/repo",), T0 - H, T0)
    assert in_force(ended(ahead, T0), T0) == ()


def test_a_pause_from_while_the_clock_was_ahead_lasts_as_long_as_it_was_meant_to_and_no_year() -> None:
    ahead = (Pause(since=T0 + 9000 * H, until=T0 + 9002 * H), Pause(since=T0 + 9000 * H, place="/repo"))
    assert settled(ahead, T0) == (Pause(since=T0, until=T0 + 2 * H), Pause(since=T0, place="/repo"))
    assert settled(settled(ahead, T0), T0 + H) == settled(ahead, T0)
    right = (Pause(since=T0, until=T0 + 9000 * H), Pause(since=T0 - 2 * H, until=T0 - H))
    assert settled(right, T0) == right


@pytest.mark.parametrize(
    ("held", "new", "is_less"),
    [
        (Pause(since=T0), Pause(since=T0 + H, until=T0 + 2 * H), True),
        (Pause(since=T0, until=T0 + 3 * H), Pause(since=T0 + H, until=T0 + 2 * H), True),
        (Pause(since=T0, until=T0 + 3 * H), Pause(since=T0 + H, until=T0 + 3 * H), False),
        (Pause(since=T0, until=T0 + 3 * H), Pause(since=T0 + H), False),
        (Pause(since=T0, until=T0 + H / 2), Pause(since=T0 + H, until=T0 + 2 * H), False),
        (Pause(since=T0), Pause(since=T0 + H, until=T0 + 2 * H, place="/a"), False),
        (Pause(since=T0, place="/b", graph="g"), Pause(since=T0, until=T0 + H, place="/a", graph="g"), True),
    ],
)
def test_a_pause_is_shortened_by_one_of_the_same_place_that_ends_earlier(
    held: Pause, new: Pause, is_less: bool
) -> None:
    assert is_shortened((held,), new) is is_less


def test_a_pause_of_a_repository_holds_in_all_its_clones_and_is_ended_from_any() -> None:
    held = (Pause(since=T0, place="/a", graph="repo://x/acme/widgets"),)
    assert is_paused(held, ("/b",), T0, T0, is_in="repo://x/acme/widgets".__eq__)
    assert not is_paused(held, ("/b",), T0, T0, is_in="repo://x/acme/other".__eq__)
    assert in_force(ended(held, T0 + H, place="/b", graph="repo://x/acme/other"), T0 + H)
    assert in_force(ended(held, T0 + H, place="/b", graph="repo://x/acme/widgets"), T0 + H) == ()


def test_a_new_pause_of_a_place_takes_the_place_of_the_old_one() -> None:
    pauses = begun((EVERYWHERE,), Pause(since=T0 + H, until=T0 + 2 * H))
    assert len(in_force(pauses, T0 + H)) == 1
    assert in_force(pauses, T0 + 2 * H) == ()
    assert is_paused(pauses, ("/repo",), T0, T0 + 2 * H)


def test_one_place_is_resumed_without_the_others() -> None:
    both = (Pause(since=T0, place="/a"), Pause(since=T0, place="/b"))
    assert [pause.place for pause in in_force(ended(both, T0 + H, place="/a"), T0 + H)] == ["/b"]


@given(st.lists(st.integers(0, 100), max_size=8), st.integers(0, 200))
def test_after_all_are_ended_none_holds_and_what_was_off_was_off(starts: list[int], length: int) -> None:
    pauses: tuple[Pause, ...] = ()
    for start in sorted(starts):
        pauses = begun(pauses, Pause(since=T0 + start * H, until=T0 + (start + length) * H))
    end = T0 + 500 * H
    after = ended(pauses, end)
    assert in_force(after, end) == ()
    for hour in range(0, 301, 10):
        at = T0 + hour * H
        assert is_paused(pauses, ("/x",), at, end) == is_paused(after, ("/x",), at, end)


def test_long_past_pauses_are_dropped() -> None:
    assert ended(ended((EVERYWHERE,), T0 + H), T0 + H + KEPT_FOR) == ()

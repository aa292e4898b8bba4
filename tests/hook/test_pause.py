"""Paused everywhere, a hook does nothing at all: it connects to nobody, starts nothing and leaves nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.wire import a_home, a_payload, run_hook, spooled

from wisen.config import Paths
from wisen.core.pauses import Pause
from wisen.state import pausing

NOW = datetime.now(UTC)
H = timedelta(hours=1)


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"])
def test_a_pause_silences_every_event_and_its_end_ends_that(where: Paths, event: str) -> None:
    pausing.pause(where, Pause(since=NOW - H, until=NOW + H))
    run = run_hook(where, a_payload(event))
    assert (run.code, run.stdout, run.stderr, spooled(where)) == (0, b"", b"", [])
    pausing.resume(where, NOW)
    run_hook(where, a_payload(event))
    assert len(spooled(where)) == 1


@pytest.mark.parametrize(("until", "is_heard"), [(NOW - H, True), (None, False), (NOW + H, False)])
def test_the_hook_knows_when_a_pause_is_over(where: Paths, until: datetime | None, is_heard: bool) -> None:
    pausing.pause(where, Pause(since=NOW - 2 * H, until=NOW + H))
    mark = where.state_dir / pausing.MARK
    mark.write_text(f"{until.timestamp() if until else 'inf'}\n")
    run_hook(where, a_payload())
    assert bool(spooled(where)) is is_heard


def test_a_mark_from_while_the_clock_was_ahead_is_left_to_the_daemon_to_settle(where: Paths) -> None:
    pausing.pause(where, Pause(since=NOW, until=NOW + 9000 * H))
    later = (NOW + 8000 * H).timestamp()
    os.utime(where.state_dir / pausing.MARK, (later, later))
    run = run_hook(where, a_payload())
    assert (run.code, run.stdout, run.stderr, len(spooled(where))) == (0, b"", b"", 1)


@pytest.mark.parametrize(
    "make",
    [
        Path.touch,
        lambda mark: mark.write_text("soon"),
        lambda mark: mark.write_text("\0" * 64),
        Path.mkdir,
        lambda mark: mark.symlink_to(mark),
    ],
    ids=["empty", "words", "zeros", "a directory", "a loop"],
)
def test_a_mark_that_can_not_be_read_says_off(where: Paths, make: Callable[[Path], object]) -> None:
    make(where.state_dir / pausing.MARK)
    run = run_hook(where, a_payload())
    assert (run.code, run.stdout, run.stderr, spooled(where)) == (0, b"", b"", [])

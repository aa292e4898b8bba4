"""The memories were deleted and wisen was taken out: no command that only looks brings anything back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.stage import FakeDaemon, Wisen, a_memory
from wisen.errors import DaemonUnavailable


@pytest.fixture
def deleted(home: Path) -> Path:
    state = home / "wisen" / "state"
    state.mkdir(parents=True)
    (state / "memories-since").write_text("2026-01-01T00:00:00+00:00\n")
    for place in (state, state / "memories-since"):
        place.chmod(0o700)
    return state


@pytest.mark.parametrize(
    "command", [("status",), ("list",), ("recall", "x"), ("why",), ("start",), ("doctor", "--start")]
)
def test_looking_asks_no_daemon_and_says_what_begins_anew(
    daemon: FakeDaemon, wisen: Wisen, deleted: Path, command: tuple[str, ...]
) -> None:
    ran = wisen(*command)
    assert (ran.code, daemon.asked) == (3, [])
    assert "were deleted, and wisen is not installed" in ran.err
    assert "`wisen install claude-code`" in ran.err


def test_the_doctor_and_the_daemons_absence_can_be_asked_for_all_the_same(
    daemon: FakeDaemon, wisen: Wisen, deleted: Path
) -> None:
    daemon.answers["GET /v1/health"] = DaemonUnavailable("no daemon answers")
    assert wisen("doctor").code == 0
    assert wisen("daemon", "status").code == 0


def test_who_asks_to_remember_begins_anew(daemon: FakeDaemon, wisen: Wisen, deleted: Path) -> None:
    daemon.answers["POST /v1/memories"] = {"memory": a_memory(), "new": True}
    wisen("remember", "Use pnpm here.")
    assert [request.path for request in daemon.changes] == ["/v1/memories"]


def test_where_wisen_is_installed_everything_is_asked(daemon: FakeDaemon, wisen: Wisen, deleted: Path) -> None:
    (deleted / "installed.json").write_text('{"version": 9}')
    daemon.answers["GET /v1/memories"] = {"memories": []}
    assert wisen("list").code == 0

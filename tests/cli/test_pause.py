from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import T0
from tests.cli.stage import HERE, REPO, FakeDaemon, Wisen
from wisen.config import paths
from wisen.core.pauses import Pause, in_force
from wisen.errors import DaemonUnavailable
from wisen.state import pausing


def on_record(home: Path) -> tuple[Pause, ...]:
    where = paths({"HOME": str(home), "WISEN_HOME": str(home / "wisen")})
    return in_force(pausing.read(where), T0)


def test_pause_and_resume_need_no_daemon(daemon: FakeDaemon, wisen: Wisen, home: Path) -> None:
    ran = wisen("pause")
    assert (ran.code, ran.out) == (0, "Paused everywhere. `wisen resume` ends it.\n")
    assert on_record(home) == (Pause(since=T0),)
    assert wisen("resume").out == "On again.\n"
    assert on_record(home) == ()
    assert wisen("resume").out == "It was not paused.\n"
    assert daemon.started == []


def test_a_pause_may_have_an_end(wisen: Wisen, home: Path) -> None:
    assert "until 2026-11-30 14:00" in wisen("pause", "--for", "2h").out
    assert on_record(home) == (Pause(since=T0, until=T0 + timedelta(hours=2)),)
    assert wisen("pause", "--for", "soon").code == 2
    assert on_record(home) == (Pause(since=T0, until=T0 + timedelta(hours=2)),)


def test_here_is_the_whole_repository(wisen: Wisen, home: Path, tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    place = str((tmp_path / "repo").resolve())
    said = wisen("pause", "--here", "--cwd", str(inner)).out
    assert said == f"Paused in {place}, and every other clone and worktree of it. `wisen resume` ends it.\n"
    assert [(one.place, one.graph) for one in on_record(home)] == [(place, REPO)]
    assert wisen("resume", "--here", "--cwd", str(tmp_path)).out == f"On again in {place}.\n"  # another clone of it
    assert "not paused here" in wisen("resume", "--here", "--cwd", str(inner)).out


@pytest.mark.parametrize("answer", [{**HERE, "standing": "none", "write": None}, DaemonUnavailable("no daemon")])
def test_where_there_is_no_repository_or_no_daemon_to_ask_it_is_the_directory(
    daemon: FakeDaemon, wisen: Wisen, home: Path, tmp_path: Path, answer: object
) -> None:
    daemon.answers["GET /v1/repo"] = answer
    place = str(tmp_path.resolve())
    assert wisen("pause", "--here", "--cwd", str(tmp_path)).out == f"Paused in {place}. `wisen resume` ends it.\n"
    assert [(one.place, one.graph) for one in on_record(home)] == [(place, "")]
    assert "On again" in wisen("resume", "--here", "--cwd", str(tmp_path)).out


def test_as_json_both_say_what_they_did(wisen: Wisen) -> None:
    said = {"place": "", "graph": "", "since": T0.isoformat(), "until": None}
    assert json.loads(wisen("pause", "--json").out) == {"paused": [said]}
    assert json.loads(wisen("resume", "--json").out) == {"resumed": [said], "mended": ""}


def test_an_agent_may_not_end_its_users_pause(wisen: Wisen, home: Path) -> None:
    wisen("pause")
    assert wisen("resume", CLAUDECODE="1").code == 5
    assert wisen("pause", "--for", "1min", CLAUDECODE="1").code == 5
    assert on_record(home) == (Pause(since=T0),)


def test_an_agent_may_begin_a_pause_and_make_it_longer(wisen: Wisen, home: Path) -> None:
    assert "Your user can end it: `wisen resume`." in wisen("pause", "--for", "2h", CLAUDECODE="1").out
    assert wisen("pause", "--for", "3h", CLAUDECODE="1").code == 0
    assert wisen("pause", "--for", "1h", CLAUDECODE="1").code == 5
    assert on_record(home) == (Pause(since=T0, until=T0 + timedelta(hours=3)),)
    assert wisen("pause", "--for", "1h").code == 0  # its user may


def test_status_and_why_say_that_it_is_paused(daemon: FakeDaemon, wisen: Wisen) -> None:
    paused = {"place": "/repo", "since": T0.isoformat(), "until": "2026-11-30T14:00:00Z"}
    daemon.answers |= {
        "GET /v1/status": {"version": "0.1.0", "pid": 1, "repo": {**HERE, "paused": True}, "paused": [paused]},
        "GET /v1/receipts": {"receipts": []},
    }
    assert "  paused      in /repo until 2026-11-30 14:00" in wisen("status").out
    for flag in ("--last", "--learned"):
        assert "Paused by you" in wisen("why", flag).out


@pytest.mark.parametrize(
    "arguments", [["pause", "--for", "1h", "--until", "2030-01-01"], ["pause", "--until", "2020-01-01"]]
)
def test_what_makes_no_sense_pauses_nothing(wisen: Wisen, home: Path, arguments: list[str]) -> None:
    assert wisen(*arguments).code == 2
    assert not (home / "wisen").exists()

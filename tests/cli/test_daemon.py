from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, YOU, FakeDaemon, Wisen
from wisen import lockfile
from wisen.errors import DaemonUnavailable

HEALTH = {"version": "0.1.0", "pid": 4711, "ready": True, "protocol": 1}
STATUS = {
    "version": "0.1.0",
    "pid": 4711,
    "uptime_s": 7500.0,
    "peak_rss_mb": 61.4,
    "data_dir": "/home/dev/.local/share/wisen",
    "graphs": [
        {"graph": REPO, "by_status": {"active": 12, "pending_review": 2, "forgotten": 3}, "bytes_on_disk": 94208},
        {"graph": YOU, "by_status": {"active": 1}, "bytes_on_disk": 512},
    ],
    "counters": {"events_lost": 2, "bad_payloads": 1},
    "counted": ["2 events could not be kept", "1 time a hook brought what is no hook payload"],
    "jobs": {"queued": 1, "running": 0, "failed": 0},
    "sessions": 5,
    "repo": HERE,
    "waiting_review": 2,
    "problems": ["2 spooled events can't be read; they are kept in /home/dev/.local/state/wisen/spool"],
    "settings_refused": False,
}


def test_status_fits_a_small_terminal(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/status"] = STATUS
    ran = wisen("status", terminal=True)
    assert ran.out == snapshot("""\
wisen 0.1.0
  daemon      process 4711, up 2 h, at most 61 MB
  claude-code not installed (`wisen install claude-code`)
  opencode    not installed (`wisen install opencode`)
  data        /home/dev/.local/share/wisen
  here        github.com/acme/widgets (verified)
  reads also  you (dev)
  to review   2 memories: `wisen review`
  sessions    5
  jobs        1 queued, 0 running, 0 failed
  so far      2 events could not be kept; 1 time a hook brought what is no hook
              payload

graph                                       active  waiting  other     size
───────────────────────────────────────────────────────────────────────────
repo://claude-code/github.com/acme/widgets      12        2      3  94.2 kB
user://claude-code/dev                           1        0      0    512 B
! 2 spooled events can't be read; they are kept in
  /home/dev/.local/state/wisen/spool
""")
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_status_before_the_first_memory(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/status"] = {
        **STATUS,
        "graphs": [],
        "counters": {},
        "problems": [],
        "waiting_review": 0,
        "repo": {"standing": "none"},
    }
    out = wisen("status").out
    assert "no project (none)" in out
    assert "No memories yet" in out


def test_status_as_json_adds_the_harnesses(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/status"] = STATUS
    found = json.loads(wisen("status", "--json").out)
    nothing = {"standing": "not installed", "reason": ""}
    assert found.pop("harnesses") == {"claude-code": nothing, "opencode": nothing}
    assert found == STATUS


def test_status_tells_what_it_knows_when_no_daemon_can_start(daemon: FakeDaemon, wisen: Wisen, home: Path) -> None:
    daemon.answers["GET /v1/status"] = DaemonUnavailable("the daemon did not start: x is no socket", hint="move it")
    ran = wisen("status")
    assert ran.code == DaemonUnavailable.exit_code
    assert "none runs, and none can be started" in ran.out
    assert "claude-code not installed (`wisen install claude-code`)" in ran.out
    assert str(home / "wisen" / "data") in ran.out
    assert ran.err == "error: the daemon did not start: x is no socket\nhint: move it\n"
    assert wisen("status", "--json").out == ""


def test_daemon_status_never_starts_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/health"] = HEALTH
    assert wisen("daemon", "status").out.startswith("Running (process 4711, version 0.1.0).\n")
    assert wisen("daemon").out == wisen("daemon", "status").out
    assert set(daemon.started) == {False}


def test_a_daemon_that_is_alive_and_silent_is_not_said_to_be_away(daemon: FakeDaemon, wisen: Wisen, home: Path) -> None:
    daemon.answers["GET /v1/health"] = DaemonUnavailable("the daemon did not answer within 3 s")
    state = home / "wisen" / "state"
    state.mkdir(parents=True)
    lock = lockfile.take(state / "daemon.lock", "4711")
    assert lock is not None
    try:
        ran, as_json = wisen("daemon", "status"), wisen("daemon", "status", "--json")
    finally:
        os.close(lock)
    assert (ran.code, as_json.code) == (10, 10)
    assert ran.out.startswith("Process 4711 runs and does not answer: ")
    assert "`wisen daemon restart`" in ran.out
    found = json.loads(as_json.out)
    assert (found["running"], found["answers"]) == (True, False)


def test_daemon_status_without_one_says_where_its_log_is(daemon: FakeDaemon, wisen: Wisen, home: Path) -> None:
    daemon.answers["GET /v1/health"] = DaemonUnavailable("no daemon answers")
    log = home / "wisen" / "state" / "daemon.log"
    log.parent.mkdir(parents=True)
    log.write_text("one\nModuleNotFoundError: no apsw\n")
    ran = wisen("daemon", "status")
    assert ran.code == 0
    assert ran.out.startswith("Not running: no daemon answers\n")
    assert str(log) in ran.out
    assert "ModuleNotFoundError: no apsw" in ran.out
    assert json.loads(wisen("daemon", "status", "--json").out)["running"] is False


@pytest.mark.parametrize("command", ["start", "restart"])
def test_start_and_restart_start_one(daemon: FakeDaemon, wisen: Wisen, command: str) -> None:
    daemon.answers["GET /v1/health"] = HEALTH
    assert json.loads(wisen("daemon", command, "--json").out) == {**HEALTH, "settings_refused": False}
    assert set(daemon.started) == {True}
    assert daemon.stopped == (command == "restart")


REFUSED = {**STATUS, "settings_refused": True, "problems": ["no setting is called 'recal'", "another problem"]}


def test_refused_settings_are_said_first_and_in_the_exit_code(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/status"] = REFUSED
    ran = wisen("status", terminal=True)
    assert ran.code == 7
    assert ran.out.splitlines()[:4] == snapshot(
        [
            "wisen 0.1.0",
            "! settings refused: nothing is learned or recalled until mended: no setting is",
            "  called 'recal'",
            "  `wisen config path` names the file; then `wisen daemon restart`.",
        ]
    )
    assert ran.out.count("no setting is") == 1
    assert ran.out.endswith("! another problem\n")
    as_json = wisen("status", "--json")
    assert (as_json.code, json.loads(as_json.out)["settings_refused"]) == (7, True)


@pytest.mark.parametrize("command", ["start", "restart"])
def test_a_start_with_refused_settings_says_so_and_succeeds(daemon: FakeDaemon, wisen: Wisen, command: str) -> None:
    daemon.answers["GET /v1/status"] = REFUSED
    ran = wisen("daemon", command)
    assert (ran.code, ran.out.startswith("Running")) == (0, True)
    assert "! settings refused: nothing is learned or recalled until mended: no setting is called 'recal'" in ran.out
    assert json.loads(wisen("daemon", command, "--json").out)["settings_refused"] is True


def test_an_excluded_directory_is_called_so_once(daemon: FakeDaemon, wisen: Wisen) -> None:
    note = "your settings exclude this directory: nothing is learned or recalled here"
    repo = {"standing": "none", "excluded": True, "note": note}
    daemon.answers["GET /v1/status"] = {**STATUS, "repo": repo}
    out = wisen("status").out
    assert "! Excluded by your settings" in out
    assert "  here        an excluded directory\n" in out
    assert out.count("xclude") == 3


@pytest.mark.parametrize(
    ("changed", "env", "said"),
    [
        ({"learn": False}, {}, "Learning is off by your settings"),
        ({"recall": False}, {}, "Recall is off by your settings"),
        ({"repo": {**HERE, "paused": True}}, {}, "Paused by you"),
        ({}, {"WISEN_DISABLE": "1"}, "WISEN_DISABLE=1 in this shell"),
    ],
)
def test_what_is_off_is_said_first(
    daemon: FakeDaemon, wisen: Wisen, changed: dict[str, object], env: dict[str, str], said: str
) -> None:
    daemon.answers["GET /v1/status"] = {**STATUS, **changed}
    assert wisen("status", **env).out.splitlines()[1].startswith(f"! {said}")
    daemon.answers["GET /v1/receipts"] = {"receipts": [{"at": "2026-11-30T12:00:00Z", "trigger": "manual"}]}
    assert wisen("why", **env).out.startswith(f"! {said}")


def test_stop_says_whether_there_was_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("daemon", "stop").out == "Stopped.\n"
    assert wisen("daemon", "stop").out == "It was not running.\n"
    assert json.loads(wisen("daemon", "stop", "--json").out) == {"stopped": False}


def test_the_log_is_shown_from_its_end(wisen: Wisen, home: Path) -> None:
    log = home / "wisen" / "state" / "daemon.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"one\ntwo\xff\nthree\x1b[2J\n")
    assert wisen("daemon", "log", "-n", "2").out == "two\\xff\nthree\\u001b[2J\n"


def test_without_a_log_the_error_says_so(wisen: Wisen) -> None:
    ran = wisen("daemon", "log")
    assert (ran.code, ran.out) == (3, "")

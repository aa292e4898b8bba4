from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import FakeDaemon, Wisen
from wisen.cli.app import JsonObject
from wisen.errors import DaemonUnavailable

HEALTH = {"version": "0.1.0", "pid": 4711, "ready": True, "protocol": 1}


@pytest.fixture
def away(daemon: FakeDaemon) -> FakeDaemon:
    daemon.answers["GET /v1/health"] = DaemonUnavailable("no daemon answers")
    return daemon


@pytest.mark.row("H15")
def test_the_checklist_fits_a_small_terminal_and_starts_nothing(away: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("doctor", terminal=True)
    assert (ran.code, ran.err) == (0, "")
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    names = [line.split()[1] for line in ran.out.splitlines() if line[:1] not in {" ", ""} and line[0].islower()]
    assert names[:4] == ["hooks", "settings", "switches", "daemon"]
    assert ran.out.endswith("Nothing is wrong.\n1 thing is worth a look.\n")
    assert set(away.started) == {False}
    assert wisen("doctor").out == ran.out


def test_what_is_wrong_comes_with_its_next_step_and_the_exit_code(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers |= {
        "GET /v1/health": HEALTH,
        "GET /v1/troubles": {"troubles": [{"of": "work", "what": "the sweep fails: full"}]},
    }
    ran = wisen("doctor")
    assert ran.code == 1
    assert "wrong daemon" in ran.out
    assert "      - the sweep fails: full\n        next: `wisen daemon log`" in ran.out
    assert "1 thing is wrong." in ran.out
    as_json = wisen("doctor", "--json")
    found = json.loads(as_json.out)
    assert (as_json.code, found["ok"]) == (1, False)
    [daemon_check] = [check for check in found["checks"] if check["name"] == "daemon"]
    assert daemon_check["standing"] == "wrong"
    assert daemon_check["findings"][0]["severity"] == "error"


def test_a_daemon_that_hangs_is_not_waited_for_long(
    away: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    call = away.call

    def waited(method: str, path: str, body: JsonObject | None = None, timeout_s: float = 10) -> JsonObject:
        waits.append(timeout_s)
        return call(method, path, body, timeout_s)

    monkeypatch.setattr(away, "call", waited)
    wisen("doctor")
    wisen("daemon", "status")
    assert waits == [3.0, 3.0]


def test_a_daemon_is_started_only_when_asked(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/troubles"] = {}
    wisen("doctor", "--start")
    assert daemon.started[0] is True
    assert set(daemon.started[1:]) == {False}


def test_it_mends_only_when_asked(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers |= {"GET /v1/troubles": {}, "POST /v1/mend": {}}
    wisen("doctor")
    assert daemon.changes == []
    wisen("doctor", "--mend")
    assert [request.path for request in daemon.changes] == ["/v1/mend"]


def test_a_long_path_stands_on_a_line_of_its_own_and_no_mark_stands_alone(
    away: FakeDaemon, wisen: Wisen, home: Path
) -> None:
    config = home / "wisen" / ("d" * 60) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("recal = true\n")
    ran = wisen("doctor", terminal=True, WISEN_HOME=str(config.parent))
    lines = ran.out.splitlines()
    assert f"        {config}" in lines
    assert not {line.strip() for line in lines} & {"-", "!"}

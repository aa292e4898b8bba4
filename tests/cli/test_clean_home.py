"""The commands around the daemon, each as a process of its own, on a home where nothing is yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.wire import a_home
from wisen.client import stop_daemon
from wisen.config import Paths

pytestmark = pytest.mark.slow


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def wisen(where: Paths, *arguments: str) -> tuple[int, str]:
    home = where.config_file.parent
    around = {"WISEN_HOME": str(home), "HOME": str(home), "PATH": os.environ["PATH"]}
    command = Path(sys.executable).with_name("wisen")
    done = subprocess.run([command, *arguments], env=around, capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout


def as_json(where: Paths, *arguments: str) -> Any:
    code, out = wisen(where, *arguments, "--json")
    assert code == 0, (arguments, out)
    return json.loads(out)


@pytest.mark.row("H14")
def test_init_start_stop_restart_status_logs_and_health_work(where: Paths) -> None:
    for file in where.state_dir.glob("installed.json"):
        file.unlink()
    assert as_json(where, "init")["applied"] is True
    assert as_json(where, "health")["running"] is False
    first = as_json(where, "start")
    assert as_json(where, "health") == {
        "running": True,
        **{k: first[k] for k in ("version", "pid", "ready", "protocol")},
    }
    second = as_json(where, "restart")
    assert second["pid"] != first["pid"]
    status = as_json(where, "status")
    assert (status["pid"], status["harnesses"]["claude-code"]["standing"]) == (second["pid"], "installed")
    assert any("ready" in line for line in as_json(where, "logs")["lines"])
    assert as_json(where, "doctor")["ok"] is True
    assert as_json(where, "graphs") == []
    assert as_json(where, "stop") == {"stopped": True}
    assert as_json(where, "doctor")["ok"] is True
    assert wisen(where, "health")[1].startswith("Not running")


def test_hooks_that_are_not_heard_are_in_the_exit_code_of_status(where: Paths) -> None:
    assert wisen(where, "init")[0] == 0
    (where.state_dir / "installed.json").unlink()
    code, out = wisen(where, "status")
    assert (code, "installed.json is gone" in out) == (8, True)

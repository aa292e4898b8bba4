from __future__ import annotations

import json
import plistlib
import sys
from pathlib import Path

import pytest

from tests.cli.stage import FakeDaemon, Wisen
from wisen.errors import DaemonUnavailable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what it writes there is tested in install/")


@pytest.mark.row("H15")
def test_a_service_is_shown_installed_and_taken_away(wisen: Wisen, home: Path) -> None:
    home.mkdir()
    file = home / ".config" / "systemd" / "user" / "wisen.service"
    shown = wisen("service").out
    assert "not installed" in shown
    assert "runs, process 4711" in shown
    assert "`idle_exit_minutes` does not count" in shown
    printed = wisen("service", "show", "--print").out
    said = wisen("service", "install")
    assert (said.code, file.read_text()) == (0, printed)
    assert "systemctl --user daemon-reload" in said.out
    assert (file.parent / "default.target.wants" / "wisen.service").resolve() == file
    assert "It is there already" in wisen("service", "install").out
    assert json.loads(wisen("service", "--json").out)["standing"] == "installed"
    assert json.loads(wisen("service", "uninstall", "--json").out)["removed"] == [str(file)]
    assert list(home.iterdir()) == []
    assert "There was no service." in wisen("service", "uninstall").out


def test_a_unit_that_was_changed_is_left(wisen: Wisen, home: Path) -> None:
    home.mkdir()
    wisen("service", "install")
    file = home / ".config" / "systemd" / "user" / "wisen.service"
    file.write_text("changed")
    said = wisen("service", "uninstall")
    assert (said.code, said.out, file.read_text()) == (4, "", "changed")
    assert "was changed since wisen wrote it" in said.err


def test_without_a_daemon_it_says_so_and_starts_none(daemon: FakeDaemon, wisen: Wisen, home: Path) -> None:
    home.mkdir()
    daemon.answers["GET /v1/health"] = DaemonUnavailable("no daemon")
    assert "does not run" in wisen("service").out
    assert daemon.started == [False]


def test_the_unit_of_another_system_is_printed(wisen: Wisen) -> None:
    printed = wisen("service", "show", "--print", "--platform", "macos").out
    assert plistlib.loads(printed.encode())["Label"] == "wisen.daemon"


def test_uninstalling_the_harness_takes_the_service_with_it(wisen: Wisen, home: Path) -> None:
    home.mkdir()
    wisen("install", "claude-code")
    wisen("service", "install")
    said = wisen("uninstall", "claude-code")
    assert "wisen.service: deleted" in said.out
    assert not (home / ".config").exists()

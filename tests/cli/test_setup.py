from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.stage import FakeDaemon, Wisen

BEFORE = b'{\n  "model": "opus"\n}\n'


@pytest.fixture
def settings(home: Path) -> Path:
    file = home / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(BEFORE)
    return file


def test_install_shows_the_plan_does_it_and_says_what_next(wisen: Wisen, settings: Path) -> None:
    ran = wisen("install", "claude-code")
    assert (ran.code, ran.err) == (0, "")
    assert str(settings) in ran.out
    assert "SessionStart" in ran.out
    assert "\nNext\n" in ran.out
    assert "SessionStart" in json.loads(settings.read_bytes())["hooks"]


def test_a_dry_run_changes_nothing(wisen: Wisen, settings: Path, home: Path) -> None:
    ran = wisen("install", "claude-code", "--dry-run")
    assert ran.out.endswith("Nothing was changed.\n")
    assert settings.read_bytes() == BEFORE
    assert [path for path in home.rglob("*") if path.is_file()] == [settings]
    assert json.loads(wisen("install", "claude-code", "--dry-run", "--json").out)["applied"] is False


def test_install_then_uninstall_leaves_every_byte_as_before(wisen: Wisen, settings: Path, home: Path) -> None:
    assert json.loads(wisen("install", "claude-code", "--json").out)["applied"] is True
    ran = wisen("uninstall", "claude-code")
    assert ran.code == 0
    assert "as before wisen" in ran.out
    assert settings.read_bytes() == BEFORE
    assert [path for path in home.rglob("*") if path.is_file()] == [settings]


def test_uninstall_stops_the_daemon(daemon: FakeDaemon, wisen: Wisen, settings: Path) -> None:
    wisen("install", "claude-code")
    assert json.loads(wisen("uninstall", "claude-code", "--json").out)["daemon_stopped"] is True
    assert daemon.stopped == 1


def test_uninstall_keeps_memories_and_says_where(wisen: Wisen, settings: Path, home: Path) -> None:
    control = home / "wisen" / "data" / "control.db"
    control.parent.mkdir(parents=True)
    control.write_text("x")
    ran = wisen("uninstall", "claude-code")
    assert "wisen was not installed there." in ran.out
    assert f"Your memories are still in {control.parent}" in ran.out
    assert control.exists()


def test_purge_asks_before_anything_happens(daemon: FakeDaemon, wisen: Wisen, settings: Path, home: Path) -> None:
    control = home / "wisen" / "data" / "control.db"
    control.parent.mkdir(parents=True)
    control.write_text("x")
    wisen("install", "claude-code")
    installed = settings.read_bytes()
    assert wisen("uninstall", "claude-code", "--purge").code == 2
    refused = wisen("uninstall", "claude-code", "--purge", terminal=True, types="n\n")
    assert refused.code == 1
    assert str(control.parent) in refused.out
    assert (settings.read_bytes(), control.exists(), daemon.stopped) == (installed, True, 0)
    done = wisen("uninstall", "claude-code", "--purge", terminal=True, types="y\n")
    assert "all memories, logs and backups" in done.out
    assert not control.exists()
    assert settings.read_bytes() == BEFORE


def test_purge_says_what_it_left_alone(wisen: Wisen, settings: Path, home: Path) -> None:
    mine = home / "wisen" / "data" / "notes.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("x")
    wisen("config", "set", "debug", "true")
    ran = wisen("uninstall", "claude-code", "--purge", "--yes")
    assert f"Left alone, as it is not known to be wisen's: {mine}" in ran.out
    assert f"Your settings are still in {home / 'wisen' / 'config.toml'}" in ran.out
    assert mine.exists()


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_an_unknown_harness_names_the_known_ones(wisen: Wisen, command: str) -> None:
    ran = wisen(command, "emacs")
    assert (ran.code, ran.out) == (3, "")
    assert "claude-code" in ran.err


def test_settings_that_cannot_be_edited_are_an_install_error(wisen: Wisen, settings: Path) -> None:
    settings.write_bytes(b'{"model": }')
    ran = wisen("install", "claude-code")
    assert (ran.code, ran.out) == (8, "")
    assert settings.read_bytes() == b'{"model": }'


def test_the_help_of_completion_has_a_line_for_each_shell(wisen: Wisen) -> None:
    lines = [line.split() for line in wisen("completion", "--help").out.splitlines()]
    for shell in ("bash", "zsh", "fish"):
        assert [f"{shell}:", "wisen", "completion", shell, ">"] in [line[:5] for line in lines]


ON_WINDOWS = """
import sys
import shutil, subprocess, tempfile, traceback  # what looks at the platform to see which modules there are
import click, rich.console, rich.table, rich.text, tomlkit
for missing in ("pwd", "fcntl", "grp", "resource", "termios"):
    sys.modules[missing] = None
sys.platform = "win32"
from wisen.cli.main import main
sys.argv = ["wisen", *sys.argv[1:]]
main()
"""


def on_windows(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command where the modules of POSIX are not."""
    command = [sys.executable, "-I", "-c", ON_WINDOWS, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_on_windows_the_help_is_there() -> None:
    assert on_windows("--help").returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        ["install", "claude-code"],
        ["uninstall", "claude-code"],
        ["status"],
        ["list"],
        ["remember", "x"],
        ["daemon", "status"],
        ["config"],
        ["try"],
    ],
    ids=" ".join,
)
def test_on_windows_a_command_says_where_wisen_runs(command: list[str]) -> None:
    ran = on_windows(*command)
    assert (ran.returncode, ran.stdout) == (11, "")
    assert "WSL" in ran.stderr

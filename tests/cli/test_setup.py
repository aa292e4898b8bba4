from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tests.builders import a_memory
from tests.cli.stage import FakeDaemon, Wisen
from wisen.core.gate import Verdict
from wisen.core.recalls import RecallBlock
from wisen.core.types import Source
from wisen.errors import DaemonUnavailable
from wisen.evals.tryout import Said, Tryout, show

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


@pytest.mark.parametrize("version", ["0.0.9", "99.0"])
def test_install_replaces_a_daemon_of_another_version(
    daemon: FakeDaemon, wisen: Wisen, settings: Path, version: str
) -> None:
    daemon.answers["GET /v1/health"] = {"version": version, "pid": 4711, "ready": True, "protocol": 1}
    assert wisen("install", "claude-code", "--dry-run").code == 0
    assert daemon.stopped == 0
    assert f"The daemon of wisen {version} was replaced." in wisen("install", "claude-code").out
    assert (daemon.stopped, daemon.started) == (1, [False, True])


@pytest.mark.parametrize("is_up", [True, False])
def test_install_leaves_a_daemon_of_its_own_version_and_starts_none(
    daemon: FakeDaemon, wisen: Wisen, settings: Path, is_up: bool
) -> None:
    if not is_up:
        daemon.answers["GET /v1/health"] = DaemonUnavailable("nobody there")
    assert json.loads(wisen("install", "claude-code", "--json").out)["daemon_replaced"] == ""
    assert (daemon.stopped, daemon.started) == (0, [False])


def test_a_dry_run_changes_nothing(wisen: Wisen, settings: Path, home: Path) -> None:
    ran = wisen("install", "claude-code", "--dry-run")
    assert ran.out.endswith("Nothing was changed.\n")
    assert "Next" not in ran.out
    assert settings.read_bytes() == BEFORE
    assert [path for path in home.rglob("*") if path.is_file()] == [settings]
    assert json.loads(wisen("install", "claude-code", "--dry-run", "--json").out)["applied"] is False


def test_a_dry_run_shows_the_exact_change(wisen: Wisen, settings: Path) -> None:
    shown = wisen("install", "claude-code", "--dry-run").out
    diff = json.loads(wisen("install", "claude-code", "--dry-run", "--json").out)["diff"]
    rows = [row for row in diff.splitlines() if "wisen-hook" not in row]
    assert [row for row in shown.splitlines() if row[:1] in {"+", "-", "@"} and "wisen-hook" not in row] == [
        row for row in rows if row[:1] != " "
    ]
    assert shown.count('": wisen-hook; …"') == diff.count("wisen-hook") > 1
    wisen("install", "claude-code")
    head, rows = diff.splitlines()[:2], diff.splitlines()[3:]
    assert head == [f"--- {settings}", f"+++ {settings}"]
    assert [row[1:] for row in rows if row[0] in " +"] == settings.read_text().split("\n")
    assert [row[1:] for row in rows if row[0] in " -"] == BEFORE.decode().split("\n")


@pytest.mark.parametrize("option", [(), ("--dry-run",)])
def test_the_line_that_hooks_run_is_shown_once_in_rows(wisen: Wisen, settings: Path, option: tuple[str, ...]) -> None:
    whole = json.loads(wisen("install", "claude-code", "--dry-run", "--json").out)["command"]
    rows = wisen("install", "claude-code", *option).out.splitlines()
    at, until = rows.index("  each of them runs this line:") + 1, rows.index("    exit 0") + 1
    assert " ".join(row.strip() for row in rows[at:until]) == whole
    assert sum("exit 0" in row for row in rows) == 2, "the trap and the end"
    assert len(max(rows, key=len)) < len(whole)


def test_an_agent_does_not_put_it_in_again_where_its_user_took_it_out(wisen: Wisen, settings: Path, home: Path) -> None:
    (home / "wisen" / "state").mkdir(parents=True)
    assert wisen("install", "claude-code", CLAUDECODE="1").code == 0, "nobody has said no yet"
    assert wisen("uninstall", "claude-code").code == 0
    for command in (("install", "claude-code"), ("init",)):
        refused = wisen(*command, CLAUDECODE="1")
        assert (refused.code, settings.read_bytes()) == (5, BEFORE)
        assert "its user took it out" in refused.err
    assert wisen("install", "claude-code", "--dry-run", CLAUDECODE="1").code == 0
    assert wisen("install", "claude-code").code == 0
    assert wisen("install", "claude-code", CLAUDECODE="1").code == 0
    assert not (home / "wisen" / "state" / "taken-out").exists()


def test_a_dry_run_shows_no_character_that_acts(wisen: Wisen, settings: Path) -> None:
    settings.write_text('{"model": "\u202eopus"}')
    out = wisen("install", "claude-code", "--dry-run").out
    assert "\u202e" not in out
    assert '-{"model": "\\u202eopus"}' in out


def test_install_says_how_to_see_the_exact_change(wisen: Wisen, settings: Path) -> None:
    said = wisen("install", "claude-code").out
    [command] = [row.partition(": ")[2] for row in said.splitlines() if row.startswith("The exact change: ")]
    ran = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert '"SessionStart"' in ran.stdout
    assert "The exact change" not in wisen("install", "claude-code").out


def test_the_list_of_hooks_is_wrapped_between_words(wisen: Wisen, settings: Path) -> None:
    whole = wisen("install", "claude-code", "--dry-run").out
    [hooks] = [row for row in whole.splitlines() if row.startswith("  add hooks for ")]
    rows = wisen("install", "claude-code", "--dry-run", terminal=True, width=40).out.splitlines()
    at = rows.index(next(row for row in rows if row.startswith("  add hooks for ")))
    until = next(n for n in range(at + 1, len(rows)) if not rows[n].startswith("    "))
    assert until > at + 1
    assert all(len(row) <= 40 for row in rows[at:until])
    assert " ".join(rows[at:until]).split() == hooks.split()


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


def test_a_settings_file_that_broke_is_named_in_the_end_and_the_rest_is_done(
    daemon: FakeDaemon, wisen: Wisen, settings: Path, home: Path
) -> None:
    control = home / "wisen" / "data" / "control.db"
    control.parent.mkdir(parents=True)
    control.write_text("x")
    broken = home / "alt" / "settings.json"
    wisen("install", "claude-code", CLAUDE_CONFIG_DIR=str(broken.parent))
    wisen("install", "claude-code")
    registered = broken.read_bytes()
    broken.write_bytes(registered + b"// broken")
    ran = wisen("uninstall", "claude-code", "--purge", "--yes")
    assert ran.code == 8
    assert str(broken) in ran.err
    assert "Nothing was erased" in ran.err
    assert (settings.read_bytes(), daemon.stopped, control.exists()) == (BEFORE, 1, True)
    asked = wisen("uninstall", "claude-code", "--json")
    assert (asked.code, len(json.loads(asked.out)["failed"])) == (8, 1)
    broken.write_bytes(registered)
    assert wisen("uninstall", "claude-code", "--purge", "--yes").code == 0
    assert not broken.parent.exists()
    assert not control.exists()


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
    said = wisen("completion", "--help").out
    lines = [line.split() for line in said.splitlines()]
    for shell in ("bash", "zsh", "fish"):
        assert [f"{shell}:", "wisen", "completion", shell, ">"] in [line[:5] for line in lines]
    assert "mkdir -p ~/.local/share/bash-completion/completions" in said


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


def tried() -> Tryout:
    """What a replay shows, with words that a narrow terminal has no room for."""
    sentence = "Never call the payments provider from a test, since each call costs us real money and their patience."
    block = "<wisen-memory> - [3f2a91bc] " + sentence + " </wisen-memory>"
    memory = a_memory(text=sentence, source=Source.CORRECTION)
    return Tryout(
        titles={"try-1": "A session about something that takes a long title to tell what it was about, at length"},
        learned=(memory,),
        waiting=(),
        said=(Said(session="try-1", verdict=Verdict(sentence=sentence, reason=f"a reason: {sentence}")),),
        block=RecallBlock(text=block, shown=(), left_out=()),
        later_block=RecallBlock(text="", shown=(), left_out=()),
        hook_calls=12,
        cpu_ms_per_call=1.5,
    )


@pytest.mark.parametrize("width", [80, 60])
def test_what_try_shows_is_wrapped_between_words_and_only_the_block_is_not(width: int) -> None:
    found = tried()
    narrow, wide = (
        Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)
        for terminal in (True, False)
    )
    show(narrow, found)
    show(wide, found)
    shown, whole = (console.file.getvalue() for console in (narrow, wide))  # type: ignore[attr-defined]
    assert found.block.text in shown.splitlines()
    assert [row for row in shown.splitlines() if len(row) > width] == [found.block.text]
    assert shown.split() == whole.split()
    assert "  rule, confidence" in shown


# --- what is left of the way ------------------------------------------------------------------------------------


@pytest.mark.parametrize("begin", [["install", "claude-code"], ["pause"]], ids=["installed first", "paused first"])
def test_after_a_purge_the_directories_are_gone_that_were_not_there_before(
    wisen: Wisen, home: Path, begin: list[str]
) -> None:
    xdg = {"WISEN_HOME": "", "HOME": str(home)}
    (home / ".config").mkdir(parents=True)
    for command in (begin, ["install", "claude-code"], ["config", "set", "learn", "false"], ["pause"]):
        assert wisen(*command, **xdg).code == 0
    (home / ".local" / "share" / "wisen" / "graphs").mkdir(parents=True, mode=0o700)
    assert wisen("config", "unset", "learn", **xdg).code == 0
    assert wisen("uninstall", "claude-code", "--purge", "--yes", **xdg).code == 0
    left = {str(path.relative_to(home)) for path in home.rglob("*")}
    assert left == {".config", ".config/wisen", ".config/wisen/config.toml"}


def test_a_directory_that_holds_something_else_by_then_stays(wisen: Wisen, home: Path) -> None:
    xdg = {"WISEN_HOME": "", "HOME": str(home)}
    assert wisen("install", "claude-code", **xdg).code == 0
    other = home / ".local" / "state" / "other"
    other.mkdir()
    assert wisen("uninstall", "claude-code", "--purge", "--yes", **xdg).code == 0
    assert [str(path.relative_to(home)) for path in sorted(home.rglob("*"))] == [
        ".local",
        ".local/state",
        ".local/state/other",
    ]

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from wisen import spawn
from wisen.config import paths
from wisen.install import claude_code


def test_secrets_of_the_shell_stay_there() -> None:
    env = {
        "HOME": "/h",
        "USER": "u",
        "LOGNAME": "u",
        "PATH": "/bin",
        "LANG": "C",
        "LC_ALL": "C",
        "TMPDIR": "/t",
        "XDG_DATA_HOME": "/d",
        "WISEN_HOME": "/w",
        "ANTHROPIC_API_KEY": "secret",
        "CLAUDE_CODE_MESSAGING_TOKEN": "secret",
        "PYTHONPATH": "/evil",
        "LD_PRELOAD": "/evil.so",
        "MY_WISEN_HOME": "/x",
    }
    assert set(env) - set(spawn.kept_environment(env)) == {
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "PYTHONPATH",
        "LD_PRELOAD",
        "MY_WISEN_HOME",
    }


def test_a_daemon_has_a_session_of_its_own_and_nothing_of_our_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    report = tmp_path / "report"
    script = (
        "import os; os.rename((open({0!r} + '~', 'w').write("
        "f'{{os.getsid(0) == os.getpid()}} {{os.path.samefile(\"/dev/fd/0\", os.devnull)}} {{sorted(os.environ)}}'), "
        "{0!r} + '~')[1], {0!r})"
    ).format(str(report))
    monkeypatch.setattr(spawn, "DAEMON_ARGV", (sys.executable, "-I", "-S", "-c", script))
    pid = spawn.spawn_daemon({"HOME": "/h", "SECRET": "s"})
    deadline = time.monotonic() + 10
    os.waitpid(pid, 0)
    assert time.monotonic() < deadline
    assert report.read_text().startswith("True True ['HOME'")
    assert "SECRET" not in report.read_text()
    assert "MALLOC_ARENA_MAX" in report.read_text()


def test_the_command_line_and_the_hooks_start_the_same_daemon_and_say_for_what(tmp_path: Path) -> None:
    where = paths({"WISEN_HOME": str(tmp_path)})
    command = claude_code.plan({"HOME": str(tmp_path)}, where).after.decode()
    *daemon, asked = spawn.DAEMON_ARGV
    assert " ".join([*daemon, "--for", "claude-code;"]) in command
    assert asked == "--asked"


def test_what_a_daemon_says_before_it_is_up_can_be_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import os; print('nobody hears this', flush=True); os.write(2, b'the disk is full')"
    monkeypatch.setattr(spawn, "DAEMON_ARGV", (sys.executable, "-I", "-S", "-c", script))
    said, writing = os.pipe()
    pid = spawn.spawn_daemon({}, stderr=writing)
    os.close(writing)
    with os.fdopen(said, "rb") as heard:
        assert heard.read() == b"the disk is full"
    os.waitpid(pid, 0)

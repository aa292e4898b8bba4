from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.config import paths
from wisen.errors import InstallError
from wisen.install.command import MARK, guarded_command, is_ours, program_of

PYTHON = Path(sys.executable)
SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh") if shutil.which(shell)]

PLACES = ("WISEN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
REPORT = f"""
import json, os, sys
places = {{name: os.environ.get(name) for name in {PLACES!r}}}
print(json.dumps({{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "places": places}}))
print("noise", file=sys.stderr)
sys.exit(2)
"""


def command(hook: Path, python: Path = PYTHON, **env: str) -> str:
    return guarded_command(
        python, hook, hook.parent / "run" / "s.sock", hook.parent / "spool", [str(python), "-m", "x"], env=env
    )


def run(line: str, shell: str = "sh", **env: str) -> subprocess.CompletedProcess[str]:
    kept = {"PATH": os.environ["PATH"], **env}
    return subprocess.run([shell, "-c", line], input="in", capture_output=True, text=True, env=kept, check=False)


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """A hook in the kind of directory that breaks what is not quoted."""
    place = tmp_path / 'it\'s a "home" $(x) `y` é日本;&'
    place.mkdir()
    file = place / "hook.py"
    file.write_text(REPORT)
    return file


@pytest.mark.parametrize("shell", SHELLS)
def test_the_hook_gets_its_arguments_and_stdin_and_its_output_arrives(hook: Path, shell: str) -> None:
    done = run(command(hook), shell)
    assert json.loads(done.stdout) == {
        "argv": [str(hook.parent / "run" / "s.sock"), str(hook.parent / "spool"), str(PYTHON), "-m", "x"],
        "stdin": "in",
        "places": dict.fromkeys(PLACES, ""),
    }
    assert done.returncode == 0  # although the hook exits with 2


@pytest.mark.row("K3")
@pytest.mark.parametrize(("value", "is_heard"), [("1", True), ("", False), (None, False)])
def test_stderr_is_silent_unless_debugging(hook: Path, value: str | None, is_heard: bool) -> None:
    env = {} if value is None else {"WISEN_DEBUG": value}
    assert ("noise" in run(command(hook), **env).stderr) is is_heard
    assert is_heard or run(command(hook), **env).stderr == ""


def test_the_directories_of_the_installation_are_fixed(hook: Path) -> None:
    chosen = dict.fromkeys(PLACES, "/a b/c")
    done = run(command(hook, PYTHON, **chosen), **dict.fromkeys(PLACES, "/elsewhere"))
    assert json.loads(done.stdout)["places"] == chosen


def test_directories_chosen_later_in_some_terminal_do_not_part_hook_and_daemon(hook: Path) -> None:
    """What was not set is fixed as empty, and empty means not set."""
    found = json.loads(run(command(hook), **dict.fromkeys(PLACES, "/elsewhere")).stdout)["places"]
    assert found == dict.fromkeys(PLACES, "")
    assert paths({"HOME": "/h", **found}) == paths({"HOME": "/h"})


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("gone", ["python", "hook", "environment", "broken python", "killed"])
def test_whatever_happens_to_the_interpreter_is_silence_and_success(hook: Path, shell: str, gone: str) -> None:
    """A Python without its script exits with 2, which Claude Code takes as an order to block the prompt."""
    python = PYTHON
    if gone in {"python", "environment"}:
        python = hook.parent / "no" / "python"
    if gone in {"hook", "environment"}:
        hook.unlink()
    if gone == "broken python":
        python = hook.parent / "python"
        python.write_bytes(b"\x7fELF no program\n")
        python.chmod(0o755)
    if gone == "killed":
        hook.write_text("import os; os.kill(os.getpid(), 9)")
    done = run(command(hook, python), shell)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("text", ["/a\nb", "/a\rb", "/a\0b", "/a\udcffb"])
def test_a_path_that_no_settings_file_can_hold_is_refused(text: str) -> None:
    with pytest.raises(InstallError) as caught:
        command(Path(text) / "hook.py")
    assert "WISEN_HOME" in caught.value.hint


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r/")).map(lambda name: Path(f"/x{name}/hook.py")))
def test_every_command_is_known_as_ours_and_names_its_programs(hook: Path) -> None:
    line = command(hook)
    assert "\n" not in line
    assert is_ours(line)
    assert program_of(line) == (PYTHON, hook)


@pytest.mark.parametrize("line", ["", "echo hi", f"echo '{MARK}'", "wisen-hook", f"time {MARK} x"])
def test_other_commands_are_not_ours(line: str) -> None:
    assert not is_ours(line)
    assert program_of(f"{MARK} something later 'unclosed") is None


@pytest.mark.bench
def test_the_guard_costs_little_beside_the_interpreter(tmp_path: Path) -> None:
    """Claude Code runs `/bin/sh -c COMMAND`. Here the hook does nothing: what is measured is the guard."""
    hook = tmp_path / "hook.py"
    hook.write_text("pass\n")
    waiting = command(hook)
    handing_over = waiting.replace(f" {PYTHON} -I", f" exec {PYTHON} -I")
    bare = _cpu_ms([str(PYTHON), "-I", "-S", "-c", "pass"])
    costs = {
        name: _cpu_ms(["/bin/sh", "-c", line]) / bare
        for name, line in (("a shell that waits", waiting), ("exec", handing_over))
    }
    print(
        f"\nbare Python {bare:.2f} ms of CPU; " + "; ".join(f"{name} {cost:.2f} times" for name, cost in costs.items())
    )
    assert costs["a shell that waits"] <= 1.5


def _cpu_ms(argv: list[str], runs: int = 50) -> float:
    """Return the CPU time of a child, user and system, on average."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        subprocess.run(argv, stdin=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / runs * 1000

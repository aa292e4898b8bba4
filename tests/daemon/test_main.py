"""`python -I -m wisen.daemon`, the real one, as a process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.wire import a_home, a_payload, is_running, run_hook, spooled

from wisen.client import Client, ensure_daemon, stop_daemon
from wisen.config import Paths, paths
from wisen.errors import DaemonUnavailable, Refused
from wisen.install import manifest
from wisen.spawn import GIVEN
from wisen.store.migrate import newest_version
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, create_file

pytestmark = pytest.mark.slow


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def env(where: Paths, **more: str) -> dict[str, str]:
    return {"WISEN_HOME": str(where.config_file.parent), **more}


@pytest.mark.fault("B29")
def test_it_keeps_little_of_what_started_it(where: Paths, tmp_path: Path) -> None:
    for name in ("json", "msgspec", "uvicorn", "wisen"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('evil')")
    evil = env(where, PYTHONPATH=str(tmp_path), ANTHROPIC_API_KEY="secret", HOME="/nowhere", LANG="C")
    process = psutil.Process(ensure_daemon(where, wait_s=20, env=evil).pid)
    assert set(process.environ()) == {"WISEN_HOME", "HOME", "LANG", *GIVEN}
    assert process.cwd() == "/"
    assert os.getsid(process.pid) == process.pid
    assert process.children() == []
    outside = {file.path for file in process.open_files() if not file.path.startswith(evil["WISEN_HOME"])}
    assert outside == set()
    assert where.log_file.stat().st_mode & 0o777 == 0o600


def test_settings_that_can_not_be_read_are_shown_and_nothing_is_learned(where: Paths) -> None:
    where.config_file.write_text("learn = 'perhaps'\n")
    ensure_daemon(where, wait_s=20, env=env(where))
    problems = Client(where).call("GET", "/v1/status")["problems"]
    assert any("learn" in problem for problem in problems)


@pytest.mark.fault("B05")
def test_a_session_start_brings_it_up_inside_the_deadline(where: Paths) -> None:
    """On a fresh home; what comes back is one JSON document or nothing."""
    daemon = ("/usr/bin/env", f"WISEN_HOME={where.config_file.parent}", sys.executable, "-I", "-m", "wisen.daemon")
    payload = a_payload("SessionStart", source="startup", cwd=str(where.data_dir.parent))
    run = run_hook(where, payload, daemon=daemon)
    assert (run.code, run.stderr) == (0, b"")
    assert run.stdout == b"" or run.stdout.startswith(b"{")
    assert ensure_daemon(where, wait_s=20, env=env(where)).ready


def test_it_answers_again_after_it_was_killed(where: Paths) -> None:
    first = ensure_daemon(where, wait_s=20, env=env(where))
    psutil.Process(first.pid).kill()
    second = ensure_daemon(where, wait_s=20, env=env(where))
    assert second.pid != first.pid


@pytest.mark.row("E2")
def test_what_one_hook_process_hears_another_finishes(where: Paths, tmp_path: Path) -> None:
    """The rule is stated in one process, the session ends in another, a third one asks: they share the daemon."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    ensure_daemon(where, wait_s=20, env=env(where))
    said = {"prompt": "remember that we deploy with make ship", "prompt_id": "p-1", "cwd": str(tmp_path)}
    typed = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
    run_hook(where, a_payload("UserPromptSubmit", **said), env=typed)
    run_hook(where, a_payload("SessionEnd", reason="other", cwd=str(tmp_path)), env=typed)
    query = f"/v1/memories?cwd={tmp_path}&harness=claude-code"
    deadline = time.monotonic() + 10
    while not (found := Client(where).call("GET", query)["memories"]):
        assert time.monotonic() < deadline
    assert "make ship" in found[0]["text"]


@pytest.mark.row("E4")
def test_fifty_hooks_at_once_lose_no_record(where: Paths) -> None:
    """A machine too slow for the deadline finds the rest in the spool."""
    ensure_daemon(where, wait_s=20, env=env(where))
    sessions = {f"s-{number}" for number in range(50)}
    ran: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "", "stderr": ""},
    }
    payloads = [a_payload(tool_use_id=f"t-{session}", session_id=session, **ran) for session in sessions]
    with ThreadPoolExecutor(50) as pool:
        runs = list(pool.map(lambda payload: run_hook(where, payload), payloads))
    assert {(run.code, run.stdout, run.stderr) for run in runs} == {(0, b"", b"")}
    stop_daemon(where)
    control = SqliteControl(where.control_file)
    kept = {session for session in sessions if control.events("claude-code", session)}
    control.close()
    assert kept
    assert kept | {entry["session_id"] for entry in spooled(where)} == sessions


# --- wisen was taken out, and sessions that were open then go on calling ------------------------------------------


FOR_HOOKS = ((), ("--for", "claude-code"), ("--for", "another"), ("--unknown",))


def tree(where: Paths) -> dict[str, int]:
    root = where.config_file.parent
    return {str(path.relative_to(root)): path.lstat().st_mtime_ns for path in sorted(root.rglob("*"))}


def daemon_of_hooks(where: Paths, *reason: str) -> tuple[str, ...]:
    return (
        "/usr/bin/env",
        f"WISEN_HOME={where.config_file.parent}",
        sys.executable,
        "-I",
        "-m",
        "wisen.daemon",
        *reason,
    )


@pytest.mark.parametrize("reason", FOR_HOOKS)
def test_a_daemon_that_hooks_start_makes_nothing_where_wisen_was_taken_out(where: Paths, reason: tuple[str]) -> None:
    """Neither where everything was erased, nor where the memories were kept."""
    manifest.path(where).unlink()
    before = tree(where)
    for _ in range(2):
        ran = subprocess.run(daemon_of_hooks(where, *reason), capture_output=True, timeout=30, check=False)
        assert ran.returncode == Refused.exit_code
        assert b"not installed" in ran.stderr
        assert tree(where) == before
        shutil.rmtree(where.state_dir, ignore_errors=True)
        before = tree(where)


def test_a_daemon_that_was_starting_while_wisen_was_taken_out_opens_no_memories(where: Paths) -> None:
    script = """
import sys
from wisen.daemon import __main__ as daemon

def claim(where, **options):
    daemon.manifest.path(where).unlink()
    return claimed(where, **options)

claimed, daemon.claim = daemon.claim, claim
sys.argv = ["daemon", "--for", "claude-code"]
sys.exit(daemon.main())
"""
    ran = subprocess.run(
        [sys.executable, "-I", "-c", script], env=env(where), capture_output=True, timeout=30, check=False
    )
    assert ran.returncode == Refused.exit_code
    assert b"not installed" in ran.stderr
    assert not where.control_file.exists()
    assert not where.socket.exists()
    assert not is_running(where)


@pytest.mark.parametrize("reason", [(), ("--for", "claude-code")])
def test_a_daemon_that_hooks_start_comes_up_where_wisen_is_installed(where: Paths, reason: tuple[str]) -> None:
    """Hooks that an older wisen registered give no reason."""
    with subprocess.Popen(daemon_of_hooks(where, *reason), stdin=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 20
        while not stop_daemon(where):
            assert time.monotonic() < deadline
            assert process.poll() is None
        assert process.wait(timeout=10) == 0


def test_a_command_may_have_a_daemon_without_an_installation(where: Paths) -> None:
    """Its memories are heard and shown; what a session says that is still open is not."""
    manifest.path(where).unlink()
    ensure_daemon(where, wait_s=20, env=env(where))
    memory = Client(where).call("POST", "/v1/memories", {"text": "we deploy with make ship", "everywhere": True})
    assert memory["new"]
    said = a_payload("UserPromptSubmit", prompt="remember that we use pnpm here", cwd=str(where.data_dir.parent))
    run = run_hook(where, said, env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    status = Client(where).call("GET", "/v1/status")
    assert (status["sessions"], spooled(where)) == (0, [])


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "SessionEnd"])
@pytest.mark.parametrize("purge", [True, False])
def test_uninstalled_the_home_is_left_alone_by_the_hooks_that_sessions_have_loaded(
    tmp_path: Path, event: str, purge: bool
) -> None:
    around = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    where = paths(around, platform="linux")
    wisen = (str(Path(sys.executable).with_name("wisen")),)
    subprocess.run([*wisen, "install", "claude-code"], env=around, check=True, capture_output=True)
    registered = json.loads((tmp_path / ".claude" / "settings.json").read_text())["hooks"][event][0]["hooks"][0]
    line = ["/bin/sh", "-c", registered["command"]]
    run = partial(subprocess.run, line, env=around, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    run(input=a_payload("SessionStart", source="startup", cwd=str(tmp_path)))
    ensure_daemon(where, wait_s=20, env=around)
    taken_out = ["uninstall", "claude-code", *(["--purge", "--yes"] if purge else [])]
    subprocess.run([*wisen, *taken_out], env=around, check=True, capture_output=True)
    before = {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = run(input=a_payload(event, prompt="We use pnpm here, not npm.", cwd=str(tmp_path)))
    assert not done.stdout
    assert {path: path.lstat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert not purge or not any(path.is_file() for path in before)


# --- why it can't start ---------------------------------------------------------------------------------------------


def _open_to_others(where: Paths) -> None:
    where.state_dir.chmod(0o755)


def _a_directory_for_a_log(where: Paths) -> None:
    where.log_file.mkdir()


def _a_file_for_a_socket(where: Paths) -> None:
    where.socket.write_text("precious")


def _a_link_for_a_lock(where: Paths) -> None:
    where.lock_file.symlink_to("/nonexistent")


def _a_file_for_a_home(where: Paths) -> None:
    shutil.rmtree(where.config_file.parent)
    where.config_file.parent.touch()


def _memories_of_a_newer_wisen(where: Paths) -> None:
    create_file(where.control_file, CONTROL, lambda database: database.run("PRAGMA user_version = 99"))


@pytest.mark.parametrize(
    ("spoil", "said", "helps"),
    [
        (_open_to_others, "/state is open to other users", "chmod 700 "),
        (_a_directory_for_a_log, "/state/daemon.log: Is a directory", "move it out of the way"),
        (_a_file_for_a_socket, "/state/run/wisen.sock is not a socket", "moves it out of the way"),
        (_a_link_for_a_lock, "/state/daemon.lock: Too many levels of symbolic links", "move it out of the way"),
        (_a_file_for_a_home, "/state can't be made: Not a directory", "WISEN_HOME"),
        (_memories_of_a_newer_wisen, f", this wisen knows {newest_version(CONTROL.migrations)}", "upgrade wisen"),
    ],
)
def test_what_keeps_it_from_starting_reaches_whoever_starts_it(
    where: Paths, spoil: Callable[[Paths], None], said: str, helps: str
) -> None:
    where.log_file.write_text("an older story\n")
    if spoil is _a_directory_for_a_log:
        where.log_file.unlink()
    spoil(where)
    with pytest.raises(DaemonUnavailable) as raised:
        ensure_daemon(where, wait_s=20, env=env(where))
    assert raised.value.message.startswith("the daemon did not start: /")
    assert raised.value.message.endswith(said)
    assert helps in raised.value.hint


# --- a directory whose name is no UTF-8 -----------------------------------------------------------------------------


def test_commands_work_in_a_directory_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xe9"))
    subprocess.run(["git", "init", "-q", str(odd)], check=True)
    with a_home() as where:
        around = {"WISEN_HOME": str(where.config_file.parent), "HOME": str(tmp_path), "PATH": os.environ["PATH"]}

        def wisen(*arguments: str) -> str:
            ran = subprocess.run(
                [str(Path(sys.executable).with_name("wisen")), *arguments],
                cwd=odd,
                env=around,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
            assert (ran.returncode, ran.stderr) == (0, ""), arguments
            return ran.stdout

        try:
            wisen("remember", "we use pnpm here, not npm")
            for command in ("list", "recall pnpm", "log", "review", "why --last", "status", "repo"):
                said = wisen(*command.split())
                assert "pnpm" in said or command in {"review", "why --last", "status", "repo"}
            assert "nothing is remembered" in wisen("list", "--cwd", str(tmp_path)).lower()
        finally:
            stop_daemon(where)

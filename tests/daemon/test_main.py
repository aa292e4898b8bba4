"""`python -I -m wisen.daemon`, the real one, as a process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.wire import a_home, a_payload, run_hook, spooled

from wisen.client import Client, ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.store.sqlite.control import SqliteControl

pytestmark = pytest.mark.slow


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def env(where: Paths, **more: str) -> dict[str, str]:
    return {"WISEN_HOME": str(where.config_file.parent), **more}


def test_it_keeps_little_of_what_started_it(where: Paths, tmp_path: Path) -> None:
    for name in ("json", "msgspec", "uvicorn", "wisen"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('evil')")
    evil = env(where, PYTHONPATH=str(tmp_path), ANTHROPIC_API_KEY="secret", HOME="/nowhere", LANG="C")
    process = psutil.Process(ensure_daemon(where, wait_s=20, env=evil).pid)
    assert set(process.environ()) == {"WISEN_HOME", "HOME", "LANG"}
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

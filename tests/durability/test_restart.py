"""Fifty hook processes at once, and the daemon is killed and started again in the middle."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from tests.durability.daemons import a_daemon, a_prompt_line, daemon_argv, environment, started, wait_for
from tests.wire import HookRun, a_home, a_payload, run_hook, spooled

from wisen.client import Client, stop_daemon
from wisen.config import Paths
from wisen.core.types import UserPrompt
from wisen.store.sqlite.control import SqliteControl

pytestmark = pytest.mark.slow

HOOKS = 50
LONG_ROUNDS = 20


def prompts(where: Paths, around: Path, sessions: Sequence[str]) -> list[HookRun]:
    """Say something in every session at once, while the daemon dies and another comes up."""
    starts = ("/usr/bin/env", *(f"{name}={value}" for name, value in environment(where).items()), *daemon_argv())

    def say(session: str) -> HookRun:
        file = around / f"{session}.jsonl"
        file.write_text(a_prompt_line(session, f"hello from {session}", "p", around))
        fields = {"session_id": session, "transcript_path": str(file), "cwd": str(around)}
        payload = a_payload("UserPromptSubmit", prompt=f"hello from {session}", prompt_id="p", **fields)
        return run_hook(where, payload, env={"CLAUDE_CODE_ENTRYPOINT": "cli"}, daemon=starts)

    with started(where) as first, ThreadPoolExecutor(HOOKS) as pool:
        wait_for(where, first)
        running = [pool.submit(say, session) for session in sessions]
        running[len(running) // 4].result()
        first.kill()
        return [run.result() for run in running]


def daemons(where: Paths) -> list[psutil.Process]:
    """The processes that are a daemon over this home."""
    home = str(where.config_file.parent)
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if "wisen.daemon" in (process.info["cmdline"] or []):
            try:
                if process.environ().get("WISEN_HOME") == home:
                    found.append(process)
            except psutil.Error:
                continue
    return found


def settle(where: Paths, around: Path) -> None:
    """Start a session until nothing waits in the spool."""
    start = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "last", "cwd": str(around)}
    until = time.monotonic() + 30
    while any(where.spool_dir.glob("*.json")):
        assert time.monotonic() < until
        Client(where).call("POST", "/v1/hook/claude-code", start)


def complete(where: Paths, around: Path, sessions: Sequence[str]) -> None:
    """End every session: what only its file holds is read then."""
    for session in sessions:
        fields = {"session_id": session, "cwd": str(around), "transcript_path": str(around / f"{session}.jsonl")}
        end = {"hook_event_name": "SessionEnd", "reason": "other", **fields}
        Client(where).call("POST", "/v1/hook/claude-code", end)
    until = time.monotonic() + 30
    while (jobs := Client(where).call("GET", "/v1/status")["jobs"]).get("queued") or jobs.get("running"):
        assert time.monotonic() < until


def one_round(around: Path) -> int:
    """Return how many of the events went by the spool."""
    subprocess.run(["git", "init", "-q", str(around)], check=True)
    sessions = [f"s{n}" for n in range(HOOKS)]
    with a_home() as where:
        try:
            runs = prompts(where, around, sessions)
            assert {(run.code, run.stderr) for run in runs} == {(0, b"")}
            assert {run.stdout for run in runs} == {b""}, "nothing is known yet"
            by_spool = len(spooled(where))
            assert len(daemons(where)) <= 1
        finally:
            stop_daemon(where)
        with a_daemon(where):
            settle(where, around)
            complete(where, around, sessions)
            assert len(daemons(where)) == 1
        control = SqliteControl(where.control_file)
        events = {session: control.events("claude-code", session) for session in sessions}
        lost = control.counters().get("events_lost", 0)
        control.close()
    said = {
        session: [e.body.text for e in found if isinstance(e.body, UserPrompt)] for session, found in events.items()
    }
    assert said == {session: [f"hello from {session}"] for session in sessions}
    assert lost == 0
    return by_spool


def test_fifty_hooks_lose_and_double_nothing_when_the_daemon_dies_under_them(tmp_path: Path) -> None:
    one_round(tmp_path)


@pytest.mark.stress
def test_fifty_hooks_lose_and_double_nothing_in_many_rounds(tmp_path: Path) -> None:
    by_spool = 0
    for n in range(LONG_ROUNDS):
        (tmp_path / str(n)).mkdir()
        by_spool += one_round(tmp_path / str(n))
    events = LONG_ROUNDS * HOOKS
    print(f"\nrestart under {HOOKS} hooks: {events:,} events, {by_spool:,} by the spool: 0 lost, 0 twice")

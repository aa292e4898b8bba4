"""Fifty hook processes at once, and the daemon is killed and started again in the middle."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from tests.durability.daemons import a_prompt_line, daemon_argv, environment, started, wait_for
from tests.wire import HookRun, a_home, a_payload, run_hook, spooled

from wisen.client import Client, ensure_daemon, stop_daemon
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


def until_there_is_one_daemon(where: Paths) -> None:
    """Of those that hooks have started, all but one see that they are not needed, and leave."""
    until = time.monotonic() + 20
    while len(daemons(where)) != 1:
        assert time.monotonic() < until
        time.sleep(0.02)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What became of what fifty sessions said at once."""

    kept: dict[str, list[str]]  # session -> prompts
    by_spool: int
    lost: int  # as the daemon counts it

    @property
    def is_complete(self) -> bool:
        """Whether every prompt is there, once."""
        return self.lost == 0 and self.kept == {session: [f"hello from {session}"] for session in self.kept}


def one_round(around: Path, *, is_broken: bool = False) -> Round:
    """Say fifty things. In the broken build the spool is not the daemon's, and no transcript makes up for it."""
    subprocess.run(["git", "init", "-q", str(around)], check=True)
    sessions = [f"s{n}" for n in range(HOOKS)]
    with a_home() as where:
        hooks = replace(where, spool_dir=around / "nowhere") if is_broken else where
        try:
            runs = prompts(hooks, around, sessions)
            assert {(run.code, run.stdout, run.stderr) for run in runs} == {(0, b"", b"")}
            by_spool = len(spooled(where))
            ensure_daemon(where, wait_s=20, env=environment(where))
            settle(where, around)
            if not is_broken:
                complete(where, around, sessions)
            until_there_is_one_daemon(where)
        finally:
            stop_daemon(where)
        control = SqliteControl(where.control_file)
        bodies = {session: [event.body for event in control.events("claude-code", session)] for session in sessions}
        lost = control.counters().get("events_lost", 0)
        control.close()
    kept = {session: [body.text for body in found if isinstance(body, UserPrompt)] for session, found in bodies.items()}
    return Round(kept=kept, by_spool=by_spool, lost=lost)


def test_fifty_hooks_lose_and_double_nothing_when_the_daemon_dies_under_them(tmp_path: Path) -> None:
    assert one_round(tmp_path).is_complete


def test_the_harness_finds_the_losses_of_hooks_that_leave_no_pointer(tmp_path: Path) -> None:
    assert not one_round(tmp_path, is_broken=True).is_complete


@pytest.mark.stress
def test_fifty_hooks_lose_and_double_nothing_in_many_rounds(tmp_path: Path) -> None:
    by_spool = 0
    for n in range(LONG_ROUNDS):
        (tmp_path / str(n)).mkdir()
        found = one_round(tmp_path / str(n))
        assert found.is_complete
        by_spool += found.by_spool
    events = LONG_ROUNDS * HOOKS
    print(f"\nrestart under {HOOKS} hooks: {events:,} events, {by_spool:,} by the spool: 0 lost, 0 twice")

"""What waits in the spool is learned once, whoever is killed while it is written or read. Real processes and files."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.wire import a_home, a_payload, hook_argv, is_running, run_hook, spooled

from wisen.client import ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.core.types import UserPrompt
from wisen.daemon import spool
from wisen.errors import DaemonUnavailable
from wisen.store.sqlite.control import SqliteControl

TYPED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def env(where: Paths) -> dict[str, str]:
    return {"WISEN_HOME": str(where.config_file.parent), "PATH": os.environ["PATH"]}


def transcript(place: Path, session: str) -> Path:
    """A session file in which a person said one thing."""
    file = place / f"{session}.jsonl"
    line = {
        "type": "user",
        "message": {"role": "user", "content": f"please look at the parser, this is {session}"},
        "uuid": f"u-{session}",
        "timestamp": "2026-11-30T12:00:00Z",
        "cwd": str(place),
        "sessionId": session,
        "entrypoint": "cli",
        "promptId": f"p-{session}",
    }
    file.write_text(json.dumps(line) + "\n")
    return file


def prompts(where: Paths, sessions: set[str]) -> Counter[str]:
    """How often each session's prompt is kept."""
    control = SqliteControl(where.control_file)
    try:
        return Counter(
            {
                session: sum(isinstance(event.body, UserPrompt) for event in control.events("claude-code", session))
                for session in sessions
            }
        )
    finally:
        control.close()


def leave_pointers(where: Paths, place: Path, sessions: int) -> set[str]:
    """Have real hooks leave pointers, two a session: the same moment arrives twice, and out of order."""
    names = {f"s-{number}" for number in range(sessions)}
    for name in sorted(names, reverse=True):
        payload = a_payload("PreCompact", session_id=name, transcript_path=str(transcript(place, name)), cwd=str(place))
        for _ in range(2):
            run_hook(where, payload, env=TYPED)
    assert len(spooled(where)) == 2 * sessions
    return names


def drain(where: Paths, *, kills: int, seed: int) -> None:
    """Run daemons over the spool; kill so many with -9, each a moment after it was ready."""
    moment = random.Random(seed)
    for _ in range(kills):
        daemon = psutil.Process(ensure_daemon(where, wait_s=30, env=env(where)).pid)
        deadline = time.monotonic() + moment.uniform(0, 0.1)
        while time.monotonic() < deadline and spooled_names(where):
            pass
        daemon.kill()
        daemon.wait(timeout=10)
    ensure_daemon(where, wait_s=30, env=env(where))
    deadline = time.monotonic() + 30
    while spooled_names(where):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    stop_daemon(where)


def spooled_names(where: Paths) -> list[Path]:
    return list(where.spool_dir.glob("*.json"))


@pytest.mark.slow
@pytest.mark.row("E4")
def test_a_daemon_killed_between_reading_and_acknowledging_takes_each_event_once(where: Paths, tmp_path: Path) -> None:
    sessions = leave_pointers(where, tmp_path, 6)
    drain(where, kills=1, seed=1)
    assert prompts(where, sessions) == dict.fromkeys(sessions, 1)
    assert spool.damaged(where.spool_dir) == 0


@pytest.mark.stress
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(8))
def test_daemons_killed_again_and_again_take_each_event_once(where: Paths, tmp_path: Path, seed: int) -> None:
    sessions = leave_pointers(where, tmp_path, 40)
    drain(where, kills=6, seed=seed)
    assert prompts(where, sessions) == dict.fromkeys(sessions, 1)


def killed_hook(where: Paths, payload: bytes, after_s: float) -> None:
    """Run a hook and kill it with -9 at some moment of its life."""
    with subprocess.Popen(hook_argv(where), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=TYPED) as process:
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.close()
        try:
            process.wait(timeout=after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)


def kill_hooks(where: Paths, rounds: int, seed: int) -> None:
    moment = random.Random(seed)
    for number in range(rounds):
        killed_hook(where, a_payload("PreCompact", session_id=f"s-{number}"), moment.uniform(0.005, 0.05))


def test_a_hook_killed_while_it_writes_leaves_a_whole_pointer_or_none(where: Paths) -> None:
    kill_hooks(where, 12, seed=1)
    names = [entry.session_id for entry in spool.pending(where.spool_dir)]
    assert spool.damaged(where.spool_dir) == 0
    assert len(names) == len(set(names)) == len(spooled_names(where))


@pytest.mark.stress
@pytest.mark.timeout(600)
def test_hooks_killed_at_any_moment_leave_whole_pointers_or_none(where: Paths) -> None:
    kill_hooks(where, 1500, seed=2)
    read = 0
    while entries := spool.pending(where.spool_dir):
        for entry in entries:
            spool.acknowledge(entry)
        read += len(entries)
    print(f"\n  1500 hooks killed: {read} whole pointers, {len(list(where.spool_dir.glob('*.tmp')))} crumbs")
    assert spool.damaged(where.spool_dir) == 0
    assert read


@pytest.mark.fault("B39")
@pytest.mark.stress
@pytest.mark.timeout(600)
def test_a_hundred_thousand_pointers_do_not_hold_up_the_start(where: Paths, tmp_path: Path) -> None:
    for number in range(100_000):
        entry = {
            "v": 1, "harness": "claude-code", "delivery": f"{number:032x}", "at_ns": number, "event": "SessionEnd",
            "session_id": f"s-{number % 50}", "transcript_path": "", "transcript_bytes": -1, "cwd": str(tmp_path),
            "entrypoint": "cli",
        }  # fmt: skip
        (where.spool_dir / f"{number:020d}-{number:032x}.json").write_text(json.dumps(entry))
    started = time.monotonic()
    ensure_daemon(where, wait_s=30, env=env(where))
    seconds = time.monotonic() - started
    print(f"\n  ready after {seconds:.2f} s with 100,000 pointers in the spool")
    assert seconds < 2
    assert is_running(where)


def test_a_daemon_that_never_comes_up_loses_no_pointer(where: Paths, tmp_path: Path) -> None:
    leave_pointers(where, tmp_path, 1)
    where.data_dir.write_text("not a directory")
    with pytest.raises(DaemonUnavailable):
        ensure_daemon(where, wait_s=10, env=env(where))
    assert len(spooled(where)) == 2

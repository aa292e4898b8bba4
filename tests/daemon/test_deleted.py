"""Somebody deletes the memories by hand: what was off stays off, and what was on begins anew. Real processes."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.wire import HookRun, a_home, a_payload, is_running, run_hook, spooled

from wisen.client import Client, ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.core.pauses import Pause
from wisen.errors import DaemonUnavailable
from wisen.state import failed_start, pausing

pytestmark = pytest.mark.slow

RULE = "We use pnpm here, not npm."


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def env(where: Paths, **more: str) -> dict[str, str]:
    return {"WISEN_HOME": str(where.config_file.parent), **more}


def fire(where: Paths, event: str, *, cwd: str = "/nowhere/project", **fields: object) -> HookRun:
    starter = ("/usr/bin/env", f"WISEN_HOME={where.config_file.parent}", sys.executable, "-I", "-m", "wisen.daemon")
    payload = a_payload(event, cwd=cwd, **fields)
    return run_hook(where, payload, env={"CLAUDE_CODE_ENTRYPOINT": "cli"}, daemon=(*starter, "--for", "claude-code"))


def status(where: Paths) -> dict[str, object]:
    found = Client(where).call("GET", "/v1/status")
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd", "Stop"])
@pytest.mark.fault("B30")
def test_with_a_pause_no_hook_and_no_start_brings_deleted_memories_back(where: Paths, event: str) -> None:
    """Known fault B30."""
    ensure_daemon(where, wait_s=20, env=env(where))
    stop_daemon(where)
    assert where.control_file.exists()
    shutil.rmtree(where.data_dir)
    pausing.pause(where, Pause(since=datetime.now(UTC)))
    run = fire(where, event, prompt=RULE, source="startup")
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert not is_running(where)
    assert spooled(where) == []
    with pytest.raises(DaemonUnavailable, match="paused, and the memories were deleted") as raised:
        ensure_daemon(where, wait_s=20, env=env(where))
    assert "wisen resume" in raised.value.hint
    assert not where.data_dir.exists()
    pausing.resume(where, datetime.now(UTC))
    assert ensure_daemon(where, wait_s=20, env=env(where)).ready


def test_a_pause_holds_over_restarts_while_people_go_on_working(where: Paths) -> None:
    pausing.pause(where, Pause(since=datetime.now(UTC)))
    where.data_dir.mkdir(mode=0o700)
    for _ in range(2):
        ensure_daemon(where, wait_s=20, env=env(where))
        fire(where, "UserPromptSubmit", prompt=RULE)
        found = status(where)
        assert (found["sessions"], len(found["paused"])) == (0, 1)  # type: ignore[arg-type]
        stop_daemon(where)


@pytest.mark.parametrize("is_deleted", [True, False])
@pytest.mark.fault("B30")
def test_without_a_pause_it_starts_clean_and_reads_no_old_transcript(
    where: Paths, tmp_path: Path, is_deleted: bool
) -> None:
    """Known fault B30: the session that is open goes on, and its file still has what was said before."""
    project = a_project(tmp_path)
    transcript = tmp_path / "s-1.jsonl"
    transcript.write_text(json.dumps(typed(RULE, project)) + "\n")
    ensure_daemon(where, wait_s=20, env=env(where))
    stop_daemon(where)
    if is_deleted:
        shutil.rmtree(where.data_dir)
    ensure_daemon(where, wait_s=20, env=env(where))
    for event, fields in (("SessionStart", {"source": "resume"}), ("SessionEnd", {"reason": "other"})):
        fire(where, event, cwd=str(project), transcript_path=str(transcript), **fields)
    wait_for_the_job(where)
    found = status(where)
    assert found["sessions"] == 1
    assert bool(found["graphs"]) is not is_deleted


@pytest.mark.fault("B30")
def test_what_is_deleted_under_a_daemon_is_neither_answered_nor_written_to_any_more(where: Paths) -> None:
    """Known fault B30: until it looked round, a daemon went on with files that have no name."""
    ensure_daemon(where, wait_s=20, env=env(where))
    client = Client(where)
    client.call("POST", "/v1/memories", {"text": RULE, "everywhere": True})
    shutil.rmtree(where.data_dir)
    with pytest.raises(DaemonUnavailable):
        client.call("POST", "/v1/memories", {"text": "We use tabs.", "everywhere": True})
    with pytest.raises(DaemonUnavailable):
        client.call("GET", "/v1/memories")
    run = fire(where, "SessionStart", source="startup")
    assert (run.code, b"pnpm" in run.stdout) == (0, False)
    ensure_daemon(where, wait_s=20, env=env(where))
    assert client.call("GET", "/v1/memories")["memories"] == []
    assert f"{where.data_dir} was deleted or replaced while it was in use" in where.log_file.read_text()


def test_what_kept_daemons_from_starting_is_told_by_the_next_one(where: Paths) -> None:
    ensure_daemon(where, wait_s=20, env=env(where))
    stop_daemon(where)
    version(where, 99)
    with pytest.raises(DaemonUnavailable, match="version 99"):
        ensure_daemon(where, wait_s=20, env=env(where))
    version(where, 2)
    ensure_daemon(where, wait_s=20, env=env(where))
    told = [fire(where, "SessionStart", source="startup", session_id=name).stdout for name in ("s-1", "s-2")]
    assert b"wisen runs again, and could not start since " in told[0]
    assert b"version 99" in told[0]
    assert b"could not start" not in told[1]
    assert failed_start.read(where) is None


def version(where: Paths, number: int) -> None:
    with closing(sqlite3.connect(where.control_file)) as file:
        file.execute(f"PRAGMA user_version = {number}")
        file.commit()


def a_project(tmp_path: Path) -> Path:
    """A repository with a commit and a remote, where rules are learned."""
    project = tmp_path / "project"
    project.mkdir()
    who = ("-c", "user.name=Dev", "-c", "user.email=dev@example.org")
    for command in (
        ("init", "--quiet"),
        ("remote", "add", "origin", "https://github.com/acme/widgets"),
        (*who, "commit", "--quiet", "--allow-empty", "--message", "start"),
    ):
        subprocess.run(("git", *command), cwd=project, check=True)
    return project


def typed(text: str, project: Path) -> dict[str, object]:
    """A line of a session file: what a person typed a moment ago."""
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": "u1",
        "timestamp": datetime.now(UTC).isoformat(),
        "cwd": str(project),
        "sessionId": "s-1",
        "entrypoint": "cli",
        "promptId": "p1",
    }


def wait_for_the_job(where: Paths) -> None:
    """Return when the promotion of the session is done; a daemon that starts does what waits."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        jobs = status(where)["jobs"]
        assert isinstance(jobs, dict)
        if jobs["done"] and not jobs["queued"] and not jobs["running"]:
            return
        time.sleep(0.05)
    raise AssertionError("the job is not done")

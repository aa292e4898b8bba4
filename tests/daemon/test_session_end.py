"""What was accepted is on disk: a session's end, however slow learning is, and memories, however the daemon ends."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.asgi import call
from tests.durability.daemons import a_daemon, broken
from tests.wire import a_home, a_payload, run_hook
from tests.worlds import World

from wisen.client import Client
from wisen.config import Paths
from wisen.core.types import PostTool
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.store.sqlite.control import SqliteControl

HARNESS_KILLS_AFTER_S = 1.5
SLOW = """
    import time
    from wisen.engine.promote import Promote

    def promote(self, harness, session_id, *, batch=""):
        time.sleep(600)

    Promote.promote = promote
"""


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def memories(where: Paths, repo: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = Client(where).call("GET", f"/v1/memories?cwd={repo}&harness=claude-code")["memories"]
    return found


@pytest.mark.fault("B10")
@pytest.mark.slow
def test_a_sessions_end_only_queues_and_what_was_slow_is_done_once_by_the_next_daemon(where: Paths, repo: Path) -> None:
    """B10. The harness gives all its hooks of a session's end 1.5 s; learning takes ten minutes here, and is killed."""
    typed = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
    said = {"prompt": "remember that we deploy with make ship", "prompt_id": "p-1", "cwd": str(repo)}
    with a_daemon(where, broken(SLOW)) as daemon:
        run_hook(where, a_payload("UserPromptSubmit", **said), env=typed)
        ended = run_hook(where, a_payload("SessionEnd", reason="other", cwd=str(repo)), env=typed)
        assert (ended.code, ended.stdout, ended.stderr) == (0, b"", b"")
        assert ended.seconds < HARNESS_KILLS_AFTER_S
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(timeout=10)
    control = SqliteControl(where.control_file)
    assert sum(control.job_counts().values()) == 1
    control.close()
    with a_daemon(where):
        start = a_payload("SessionStart", source="startup", session_id="s-2", cwd=str(repo))
        assert run_hook(where, start, env=typed).code == 0
        (memory,) = memories(where, repo)
    assert (memory["text"], memory["support"]) == ("we deploy with make ship", 1)


@pytest.mark.fault("B31")
@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_five_memories_that_were_saved_are_five_after_the_daemon_was_told_to_stop_or_killed(
    where: Paths, repo: Path, end: signal.Signals
) -> None:
    """B31."""
    rules = {f"always run step {number} before a release" for number in range(5)}
    with a_daemon(where) as daemon:
        for rule in rules:
            Client(where).call("POST", "/v1/memories", {"text": rule, "cwd": str(repo), "harness": "claude-code"})
        daemon.send_signal(end)
        daemon.wait(timeout=20)
    with a_daemon(where):
        assert {memory["text"] for memory in memories(where, repo)} == rules


@pytest.mark.fault("B15")
def test_a_failure_its_fix_and_the_success_after_it_are_kept_with_their_outcomes() -> None:
    """B15."""
    world = World()
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
    tested = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    told: list[dict[str, Any]] = [
        {"hook_event_name": "PreToolUse", "tool_use_id": "t1", **tested},
        {
            "hook_event_name": "PostToolUseFailure",
            "tool_use_id": "t1",
            "error": "Exit code 1\r\nE  OSError: no fixtures, run make fixtures",
            **tested,
        },
        {
            "hook_event_name": "PostToolUse",
            "tool_use_id": "t2",
            "tool_name": "Bash",
            "tool_input": {"command": "make fixtures"},
            "tool_response": {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False},
        },
        {
            "hook_event_name": "PostToolUse",
            "tool_use_id": "t3",
            "tool_response": {"stdout": "12 passed", "stderr": "", "interrupted": False, "isImage": False},
            **tested,
        },
    ]
    for payload in [*told, *told]:
        raw = json.dumps({"session_id": "s1", "cwd": "/repo", **payload}).encode()
        assert call(app.asgi, "POST", "/v1/hook/claude-code", raw=raw).status == 204
    kept = world.control.events("claude-code", "s1")
    app.close()
    assert [event.event_id for event in kept] == ["pre_tool:t1", "post_tool:t1", "post_tool:t2", "post_tool:t3"]
    ends = [event.body for event in kept if isinstance(event.body, PostTool)]
    assert [(end.call.command, end.outcome.value, end.excerpt) for end in ends] == [
        ("pytest -q", "failure", "Exit code 1\nE  OSError: no fixtures, run make fixtures"),
        ("make fixtures", "success", "ok"),
        ("pytest -q", "success", "12 passed"),
    ]

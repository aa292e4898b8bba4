"""`kill -9` in a loop, under eight clients: all that was acknowledged is there, once, and so is all that was said."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from tests.durability.daemons import a_prompt_line, broken, started, wait_for
from tests.wire import a_home, a_payload, run_hook, spooled

from wisen.client import Client, stop_daemon
from wisen.config import Paths
from wisen.core.types import UserPrompt
from wisen.daemon import spool
from wisen.errors import WisenError
from wisen.store.sqlite.control import SqliteControl

pytestmark = pytest.mark.slow

CLIENTS = 8
KILLS, LONG_KILLS = 2, 60
MOST, LONG_MOST = 4, 25  # commands and prompts of one client: then it only runs tools, of which nothing is learned
BETWEEN = 10  # things done before the next kill
TYPED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}


@dataclass(slots=True)
class Done:
    """What the clients did."""

    acknowledged: list[str] = field(default_factory=list)  # user commands that were answered 2xx
    said: dict[str, list[str]] = field(default_factory=dict)  # session -> prompts, in the session's file as well
    hooks: int = 0

    @property
    def count(self) -> int:
        return len(self.acknowledged) + self.hooks


def client(number: int, where: Paths, project: Path, done: Done, over: threading.Event, most: int) -> None:
    """A session of the harness beside a terminal, until it is over."""
    session, step, commands = f"session-{number}", 0, 0
    said = done.said[session] = []
    while not over.is_set():
        step += 1
        name = f"tool{number}x{step}"
        if step % 2 and commands < most:
            text = f"we count with {name} here"
            try:
                Client(where).call("POST", "/v1/memories", {"text": text, "cwd": str(project)})
            except WisenError:
                continue  # not acknowledged: it may be there or not
            done.acknowledged.append(text)
            commands += 1
        elif len(said) < most:
            prompt(where, project, session, f"remember that we build with {name} here", f"p-{name}")
            said.append(name)
            done.hooks += 1
        else:
            ran = a_payload(tool_use_id=name, session_id=session, cwd=str(project), tool_name="Read", tool_input={})
            run_hook(where, ran)
            done.hooks += 1


def prompt(where: Paths, project: Path, session: str, text: str, prompt_id: str) -> None:
    """Say something: the harness writes it into its session file and runs the hook."""
    file = project.parent / f"{session}.jsonl"
    with file.open("a") as transcript:
        transcript.write(a_prompt_line(session, text, prompt_id, project))
    fields = {"session_id": session, "transcript_path": str(file), "cwd": str(project)}
    ran = run_hook(where, a_payload("UserPromptSubmit", prompt=text, prompt_id=prompt_id, **fields), env=TYPED)
    assert (ran.code, ran.stderr) == (0, b"")


def under_kills(where: Paths, project: Path, kills: int, *, most: int = MOST, script: str = "") -> Done:
    """Let the clients work while the daemon is killed and started again."""
    done, over = Done(), threading.Event()
    with ThreadPoolExecutor(CLIENTS) as pool:
        working = [pool.submit(client, n, where, project, done, over, most) for n in range(CLIENTS)]
        try:
            for _ in range(kills):
                with started(where, script) as process:
                    wait_for(where, process)
                    eventually(partial(has_done, done, done.count + BETWEEN))
                    process.kill()
        finally:
            over.set()
        for one in working:
            one.result()
    return done


def has_done(done: Done, enough: int) -> bool:
    return done.count >= enough


def eventually(holds: Callable[[], bool], within_s: float = 50.0) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.01)


def texts(where: Paths, project: Path) -> Sequence[str]:
    found = Client(where).call("GET", f"/v1/memories?cwd={project}&status=all&limit=100000")["memories"]
    return [memory["text"] for memory in found]


def settle(where: Paths, project: Path, done: Done) -> Sequence[str]:
    """Start the daemon once more, end every session, and return the memories when all work is done."""
    with started(where) as process:
        try:
            wait_for(where, process)
            for session in done.said:
                fields = {"session_id": session, "cwd": str(project)}
                fields["transcript_path"] = str(project.parent / f"{session}.jsonl")
                run_hook(where, a_payload("SessionEnd", reason="other", **fields), env=TYPED)
            said = [name for names in done.said.values() for name in names]

            def is_settled() -> bool:
                start = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "next"}
                Client(where).call("POST", "/v1/hook/claude-code", {**start, "cwd": str(project)})
                jobs = Client(where).call("GET", "/v1/status")["jobs"]
                return not any(where.spool_dir.glob("*.json")) and not jobs.get("queued") and not jobs.get("running")

            eventually(is_settled)
            eventually(lambda: all(any(name in text for text in texts(where, project)) for name in said))
            return texts(where, project)
        finally:
            stop_daemon(where)


def a_project(root: Path) -> Path:
    project = root / "project"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    return project


def assert_all_there_once(where: Paths, project: Path, done: Done) -> None:
    found = settle(where, project, done)
    assert [text for text in done.acknowledged if text not in found] == []
    assert [text for text, times in Counter(found).items() if times > 1] == []
    control = SqliteControl(where.control_file)
    try:
        for session, names in done.said.items():
            bodies = [event.body for event in control.events("claude-code", session, limit=10_000)]
            kept = Counter(body.text for body in bodies if isinstance(body, UserPrompt))
            assert kept == Counter(f"remember that we build with {name} here" for name in names)
        assert control.problems() == ()
        assert control.counters().get("events_lost", 0) == 0
    finally:
        control.close()
    for names in done.said.values():
        assert all(sum(f" {name} " in f"{text} " for text in found) == 1 for name in names)
    assert (spooled(where), spool.damaged(where.spool_dir)) == ([], 0)


def test_all_that_was_acknowledged_and_said_is_there_once_after_each_kill(tmp_path: Path) -> None:
    project = a_project(tmp_path)
    with a_home() as where:
        assert_all_there_once(where, project, under_kills(where, project, KILLS))


LAZY = broken(
    """
    from contextlib import contextmanager
    from wisen.store.sqlite.pool import Pool

    @contextmanager
    def write(self):
        with self._writing:
            database = self._opened()
            if not database.in_transaction:
                database.run("BEGIN IMMEDIATE")
            yield database

    @contextmanager
    def read(self):
        with self._writing:  # it sees what it has not committed: what it answers is what it was asked to keep
            yield self._opened()

    Pool.write, Pool.read = write, read
    """
)


def test_the_harness_finds_the_losses_of_a_daemon_that_answers_before_it_commits(tmp_path: Path) -> None:
    project = a_project(tmp_path)
    with a_home() as where:
        done = under_kills(where, project, 1, script=LAZY)
        with started(where) as process:
            wait_for(where, process)
            found = texts(where, project)
            stop_daemon(where)
        assert [text for text in done.acknowledged if text not in found]


@pytest.mark.stress
def test_sixty_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    project = a_project(tmp_path)
    with a_home() as where:
        began = time.monotonic()
        done = under_kills(where, project, LONG_KILLS, most=LONG_MOST)
        assert_all_there_once(where, project, done)
        took = time.monotonic() - began
    counts = f"{len(done.acknowledged):,} commands, {done.hooks:,} hooks"
    print(f"\nkill -9: {LONG_KILLS} kills under {CLIENTS} clients ({counts}, {took:.0f} s): 0 lost, 0 twice")

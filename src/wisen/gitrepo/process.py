"""How is git run? Bounded in time, in its own process group, unable to write, prompt, fetch or run a hook."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wisen.core.remotes import displayable

_SAFE_CONFIG = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_ENV = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone may not fetch what is missing, whatever its config names as the way
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "LC_ALL": "C",
}


class NoAnswer(Exception):
    """Git could not be run or did not answer in time; `problem` is `RepoFacts`'s word for it."""

    def __init__(self, problem: str, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Answer:
    """What a git process said."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        """Git's complaint in one short line."""
        lines = self.err.strip().splitlines() or [f"exit {self.code}"]
        reason = next((line for line in lines if line.startswith("fatal: ")), lines[-1])
        return displayable(reason.removeprefix("fatal: "))[:200]


class Git:
    """The git program. Safe to call from several threads."""

    def __init__(self, program: str, env: Mapping[str, str]) -> None:
        """Set up. `env` keeps all but its GIT_* variables: they would point git at another repository."""
        self._program = program
        self._env = {k: v for k, v in env.items() if not k.startswith("GIT_")} | _ENV
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = threading.Event()

    def run(self, place: Path, deadline: float, *args: str) -> Answer:
        """Run git in its own process group, in the directory `place`, and return what it said.

        At the deadline (`time.monotonic`) the whole group is killed. Raises NoAnswer.
        """
        if self._closed.is_set() or time.monotonic() >= deadline:
            raise NoAnswer("timeout", f"no time left for `git {args[0]}`")
        command = [self._program, "-C", str(place), *_SAFE_CONFIG, *args]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._env,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise NoAnswer("no-git", f"{self._program}: {error.strerror}") from error
        with self._lock:
            self._running.add(process)
            is_late = self._closed.is_set()
        try:
            out, err = process.communicate(timeout=0 if is_late else max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _kill_group(process)
            _let_go(process)
            raise NoAnswer("timeout", f"`git {args[0]}` did not answer in time") from None
        finally:
            with self._lock:
                self._running.discard(process)
        if process.returncode == -signal.SIGKILL:
            raise NoAnswer("timeout", f"`git {args[0]}` was stopped")
        return Answer(process.returncode, os.fsdecode(out), os.fsdecode(err))

    def close(self) -> None:
        """Stop every git process started here; none outlives this call."""
        with self._lock:
            self._closed.set()
            running = tuple(self._running)
        for process in running:
            _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its children."""
    if process.returncode is None:  # not reaped, so the number is still this group's
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Reap a killed process and close its pipes; one stuck in the kernel is left to it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=0.2)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()

"""Claude Code without a terminal: one `claude -p` run, and what its hooks did as the harness itself reports it."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tests.e2e.home import Home

RUN_TIMEOUT_S = 120
# The scripted tools run without a question, and nothing is written into the settings for it.
ALLOWED = ("--permission-mode", "default", "--allowedTools", "Bash,Read,Agent")
FLAGS = (*ALLOWED, "--output-format", "stream-json", "--verbose", "--include-hook-events")


class HookRun(msgspec.Struct, frozen=True, kw_only=True):
    """One hook call as the harness saw it. The end-of-session hook is not reported."""

    hook_event: str
    hook_name: str
    stdout: str
    stderr: str
    outcome: str
    exit_code: int | None = None


class _Event(msgspec.Struct, frozen=True, kw_only=True):
    type: str
    subtype: str = ""
    session_id: str = ""
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run. `reply`: the model's last answer; `session_id`: of the conversation it ended in."""

    code: int
    stderr: str
    session_id: str
    reply: str
    hooks: tuple[HookRun, ...]
    seconds: float

    def hook(self, event: str) -> HookRun:
        """Return the first call of an event's hook."""
        return next(h for h in self.hooks if h.hook_event == event)


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """The harness in one repository of a home."""

    home: Home
    repo: Path

    def ask(self, prompt: str, *flags: str) -> Run:
        """Run one prompt to its end: `-c` continues the last conversation, `--resume ID` another one."""
        return self._run([*flags, "-p", prompt], ())

    def feed(self, prompts: Sequence[str], *flags: str) -> Run:
        """Run several prompts, slash commands among them, in one process, each after the answer to the one before."""
        return self._run([*flags, "-p", "--input-format", "stream-json"], prompts)

    def _run(self, args: Sequence[str], prompts: Sequence[str]) -> Run:
        began = time.monotonic()
        process = subprocess.Popen(
            [str(self.home.harness), *args, *FLAGS],
            cwd=self.repo,
            env=self.home.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        watchdog = threading.Timer(RUN_TIMEOUT_S, process.kill)
        watchdog.start()
        try:
            lines = [line for prompt in prompts for line in _exchange(process, prompt)]
            rest, stderr = process.communicate()
        finally:
            watchdog.cancel()
            process.kill()
        return _parsed([*lines, *rest.splitlines()], process.returncode, stderr, time.monotonic() - began)


def _exchange(process: subprocess.Popen[str], prompt: str) -> Iterator[str]:
    """Send a prompt; yield the harness's lines up to the result. Prompts sent at once would become one."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": prompt}}) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        yield line
        if line.startswith("{") and msgspec.json.decode(line, type=_Event).type == "result":
            return


def _parsed(lines: Sequence[str], code: int, stderr: str, seconds: float) -> Run:
    events = [line.encode() for line in lines if line.startswith("{")]
    heads = [msgspec.json.decode(event, type=_Event) for event in events]
    results = [head for head in heads if head.type == "result"]
    assert results, "\n".join([f"exit {code}, no result", *lines, stderr])
    return Run(
        code=code,
        stderr=stderr,
        session_id=results[-1].session_id,
        reply=results[-1].result,
        hooks=tuple(
            msgspec.json.decode(event, type=HookRun)
            for head, event in zip(heads, events, strict=True)
            if head.subtype == "hook_response"
        ),
        seconds=seconds,
    )

"""Real daemons, sound ones and ones broken on purpose, and the harness's session files they read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import dedent
from typing import Final

from wisen.client import Client, stop_daemon
from wisen.config import Paths
from wisen.errors import WisenError

NOTHING: Final[Mapping[str, str]] = {}


def daemon_argv(script: str = "") -> list[str]:
    """Return the command that is the daemon, or that runs a script instead."""
    return [sys.executable, "-I", *(("-c", script) if script else ("-m", "wisen.daemon", "--asked"))]


def broken(change: str) -> str:
    """Return a script that changes something and then is the daemon."""
    return f"{dedent(change)}\nimport sys\nfrom wisen.daemon import __main__ as daemon\n{_RUN}"


_RUN = 'sys.argv = ["daemon", "--asked"]\nsys.exit(daemon.main())\n'


def environment(where: Paths) -> dict[str, str]:
    """Return the environment of a daemon over these files."""
    return {
        "WISEN_HOME": str(where.config_file.parent),
        "HOME": "/nowhere",
        "WISEN_EMBEDDING": "off",
        "PATH": os.environ["PATH"],
    }


@contextmanager
def a_daemon(where: Paths, script: str = "", more: Mapping[str, str] = NOTHING) -> Iterator[subprocess.Popen[bytes]]:
    """Run a daemon until the block ends; it answers when the block begins, and may be killed in it."""
    with started(where, script, more) as process:
        try:
            wait_for(where, process)
            yield process
        finally:
            if process.poll() is None and not stop_daemon(where):
                process.kill()


def started(where: Paths, script: str = "", more: Mapping[str, str] = NOTHING) -> subprocess.Popen[bytes]:
    """Start a daemon process, with more in its environment."""
    return subprocess.Popen(daemon_argv(script), env={**environment(where), **more}, stdin=subprocess.DEVNULL)


def wait_for(where: Paths, process: subprocess.Popen[bytes], *, within_s: float = 30.0) -> None:
    """Return when a daemon process answers."""
    until = time.monotonic() + within_s
    while True:
        with suppress(WisenError):
            if Client(where).call("GET", "/v1/health")["pid"] == process.pid:
                return
        assert process.poll() is None, "the daemon ended"
        assert time.monotonic() < until, "the daemon does not answer"
        time.sleep(0.02)


def a_prompt_line(session: str, text: str, prompt_id: str, cwd: Path) -> str:
    """A line of a session file: a prompt that a person typed."""
    line = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"u-{prompt_id}",
        "timestamp": "2026-11-30T12:00:00Z",
        "cwd": str(cwd),
        "sessionId": session,
        "entrypoint": "cli",
        "promptId": prompt_id,
    }
    return json.dumps(line) + "\n"


def a_transcript(directory: Path, session: str, text: str) -> Path:
    """A session file with one prompt that a person typed."""
    file = directory / f"{session}.jsonl"
    file.write_text(a_prompt_line(session, text, f"p-{session}", directory))
    return file

"""wisen as it is installed: the registered hook command, the daemon it starts, the command line; no harness."""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from tests.e2e.home import Done, Home

from wisen.config import paths

SHOP = "https://github.com/acme/shop.git"


@dataclass(slots=True)
class Live:
    """One user's home with wisen installed, and a repository. `wrapper` runs before every process, as strace does."""

    home: Home
    wrapper: tuple[str, ...] = ()
    umask: int = 0o022
    entrypoint: str = "cli"  # of the program whose events are delivered
    _calls: int = field(default=0)
    repo: Path = field(init=False)

    def __post_init__(self) -> None:
        self.repo = self.home.repo("shop", SHOP)

    @property
    def transcript(self) -> Path:
        """Where the harness keeps the session's own file."""
        return self.home.path / ".claude" / "projects" / "shop" / "s-1.jsonl"

    def wisen(self, *arguments: str, code: int = 0) -> Done:
        """Run a command in the repository; it has to end with `code`."""
        done = self._run([*self.home.command, *arguments])
        assert done.returncode == code, f"wisen {' '.join(arguments)}: exit {done.returncode}\n{done.stderr!r}"
        return Done(code=done.returncode, stdout=done.stdout.decode(), stderr=done.stderr.decode())

    def hook(self, event: str, **fields: object) -> bytes:
        """Run the command that is registered for an event, as the harness does; return what it printed."""
        payload = self._payload(event, fields)
        done = self._run(["sh", "-c", self._registered(event)], payload, CLAUDE_CODE_ENTRYPOINT="cli")
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def deliver(self, event: str, **fields: object) -> bytes:
        """Give the daemon an event from this process: a hook that reaches one does no more than pass it on.

        Returns what it answers.
        """
        body = self._payload(event, fields)
        head = (
            "POST /v1/hook/claude-code HTTP/1.1",
            "host: wisen",
            "connection: close",
            f"x-wisen-entrypoint: {self.entrypoint}",
            f"x-wisen-delivery: {uuid4().hex}",
            f"x-wisen-deadline: {time.monotonic() + 10}",
            f"content-length: {len(body)}",
        )
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(paths(self.home.env).socket))
            connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
            answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 204")), answer
        return answer.partition(b"\r\n\r\n")[2]

    def _payload(self, event: str, fields: Mapping[str, object]) -> bytes:
        self._calls += 1
        said = {
            "session_id": "s-1",
            "transcript_path": str(self.transcript),
            "cwd": str(self.repo),
            "hook_event_name": event,
            "prompt_id": f"p-{self._calls}",
            "tool_use_id": f"t-{self._calls}",
            **fields,
        }
        return json.dumps(said).encode()

    def _registered(self, event: str) -> str:
        groups = json.loads(self.home.settings.read_text())["hooks"][event]
        command: str = groups[0]["hooks"][0]["command"]
        return command

    def _run(self, argv: list[str], stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
        # Into files: a daemon's tracer keeps a pipe open, and one would wait for it.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            done = subprocess.run(
                [*self.wrapper, *argv],
                input=stdin,
                cwd=self.repo,
                env={**self.home.env, **env},
                stdout=out,
                stderr=err,
                timeout=60,
                check=False,
                umask=self.umask,
            )
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, out.read(), err.read())

    def session(self, *prompts: str) -> None:
        """Play a session in which the user says these things and the agent runs a command after each."""
        self.hook("SessionStart", source="startup")
        for prompt in prompts:
            self.hook("UserPromptSubmit", prompt=prompt)
            call = {"tool_name": "Bash", "tool_input": {"command": "make test", "description": prompt}}
            self.hook("PreToolUse", **call)
            self.hook("PostToolUse", **call, tool_response={"stdout": "ok", "stderr": "", "interrupted": False})
        self.hook("SessionEnd", reason="other")


@contextmanager
def living(*, install: bool = True) -> Iterator[Live]:
    """Make a home and end whatever was started in it. It lies directly in /tmp, as socket paths must be short."""
    with tempfile.TemporaryDirectory(prefix="live-", dir="/tmp", ignore_cleanup_errors=True) as root:
        home = Home(root=Path(root), harness=Path("/nowhere"), model_url="")
        home.prepare()
        live = Live(home)
        try:
            if install:
                live.wisen("install", "claude-code")
            yield live
        finally:
            home.end()

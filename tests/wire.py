"""Both ends of the hook's wire: the hook as a real process, and a stand-in daemon that keeps what it was sent."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from wisen import lockfile
from wisen.config import Paths, paths
from wisen.connection import Connection
from wisen.errors import DaemonUnavailable
from wisen.install import manifest
from wisen.install.manifest import Entry, Manifest

HOOK = Path(__file__).parents[1] / "src" / "wisen" / "hook.py"
TINY_DAEMON = Path(__file__).parent / "daemon" / "tiny.py"
NO_DAEMON = ("/bin/false",)  # what starts the daemon, where none may start


@contextmanager
def a_home() -> Iterator[Paths]:
    """A home of its own where wisen is installed, with a name short enough for a socket; its directories are there."""
    root = tempfile.mkdtemp(prefix="wisen-t-", dir="/tmp")
    try:
        where = paths({"WISEN_HOME": root})
        for directory in (where.run_dir, where.spool_dir):
            directory.mkdir(mode=0o700, parents=True)
        where.state_dir.chmod(0o700)
        register(where)
        yield where
    finally:
        shutil.rmtree(root, ignore_errors=True)


def is_running(where: Paths) -> bool:
    """Whether a daemon process is alive, listening or not; one whose lock file was deleted is known by its socket."""
    if lockfile.holder(where.lock_file) is not None:
        return True
    try:
        with Connection.open(where.socket, timeout_s=1):
            return True
    except DaemonUnavailable:
        return False


def register(where: Paths) -> None:
    """Say that wisen is installed: without that no hook starts the daemon or is heard."""
    entry = Entry(harness="claude-code", file="/nowhere", was_made=True, sha256_before="", sha256_after="")
    manifest.save(where, Manifest(entries=(entry,)))


def a_payload(event: str = "PostToolUse", **fields: object) -> bytes:
    """A hook payload with the field order of the harness."""
    common = {"session_id": "s-1", "transcript_path": "/nowhere/s-1.jsonl", "cwd": "/repo", "hook_event_name": event}
    return json.dumps({**common, **fields}).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRun:
    """What a hook process did."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float


def hook_argv(where: Paths, daemon: tuple[str, ...] = NO_DAEMON) -> list[str]:
    """The command that is registered, without its guard."""
    return [sys.executable, "-I", "-S", str(HOOK), str(where.socket), str(where.spool_dir), *daemon]


def run_hook(
    where: Paths, payload: bytes, *, env: Mapping[str, str] | None = None, daemon: tuple[str, ...] = NO_DAEMON
) -> HookRun:
    """Run the hook as the harness does."""
    started = time.monotonic()
    done = subprocess.run(
        hook_argv(where, daemon), input=payload, env=dict(env or {}), capture_output=True, timeout=30, check=False
    )
    return HookRun(code=done.returncode, stdout=done.stdout, stderr=done.stderr, seconds=time.monotonic() - started)


def spooled(where: Paths) -> list[dict[str, object]]:
    """The pointers in the spool, oldest first."""
    return [json.loads(file.read_text()) for file in sorted(where.spool_dir.glob("*.json"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request."""

    line: str
    headers: Mapping[str, str]
    body: bytes


def http(body: bytes = b"", *, status: str = "200 OK") -> bytes:
    """An answer."""
    return b"HTTP/1.1 %b\r\ncontent-length: %d\r\n\r\n%b" % (status.encode(), len(body), body)


NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"  # the event is taken, and nothing is to be said
SILENCE = b""  # the daemon accepts and never answers


@dataclass(slots=True, kw_only=True)
class Recorder:
    """A daemon that answers the same to everything."""

    answer: bytes
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    @classmethod
    @contextmanager
    def listening(cls, path: Path, *, answer: bytes = NOTHING) -> Iterator[Recorder]:
        """Listen until the block ends."""
        self = cls(answer=answer)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(os.fspath(path))
            listener.listen(128)
            thread = threading.Thread(target=self._accept, args=(listener,))
            thread.start()
            try:
                yield self
            finally:
                self.released.set()
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as waker, suppress(OSError):
                    waker.connect(os.fspath(path))
                thread.join()
                path.unlink(missing_ok=True)

    def _accept(self, listener: socket.socket) -> None:
        threads = []
        while True:
            connection, _ = listener.accept()
            if self.released.is_set():
                connection.close()
                break
            self.connections += 1
            threads.append(threading.Thread(target=self._serve, args=(connection,)))
            threads[-1].start()
        for thread in threads:
            thread.join()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as stream:
            line = stream.readline().decode().strip()
            headers = {}
            while text := stream.readline().decode().strip():
                name, _, value = text.partition(":")
                headers[name.lower()] = value.strip()
            if not line:
                return
            body = stream.read(int(headers.get("content-length", 0)))
            self.received.append(Received(line=line, headers=headers, body=body))
            if self.answer == SILENCE:
                self.released.wait(timeout=30)
            connection.sendall(self.answer)

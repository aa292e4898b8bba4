"""HTTP over the unix socket, standard library only: how the command line and the MCP relay reach the daemon.

Written out instead of `http.client`, whose import alone costs 29 ms because it loads TLS.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from wisen import __version__
from wisen.config import Paths
from wisen.errors import DaemonUnavailable, InvalidValue, Refused, WisenError
from wisen.peer import is_ours
from wisen.spawn import spawn_daemon

_POLL_S: Final = 0.02
_LINE_MAX: Final = 65536  # bytes
_STAGES: Final = {"dev": -4, "a": -3, "b": -2, "rc": -1, "": 0, "post": 1}
_VERSION: Final = re.compile(r"(\d+(?:\.\d+)*)(?:[.-]?(dev|a|b|rc|post)\.?(\d*))?")


# --- requests ---------------------------------------------------------------------------------------------------


class Client:
    """The daemon of one user."""

    def __init__(self, paths: Paths) -> None:
        self._socket = paths.socket

    def call(self, method: str, path: str, body: Mapping[str, object] | None = None, timeout_s: float = 10) -> Any:
        """Return the answer's JSON (None for an empty one). `timeout_s` is the longest silence that is borne.

        Raises the WisenError that the answer names, DaemonUnavailable without one, Refused for another user's socket.
        """
        with Connection.open(self._socket, timeout_s=timeout_s) as connection:
            return connection.ask(method, path, body)


class Connection:
    """One connection to a daemon that was verified to be this user's: all requests on it reach the same process."""

    def __init__(self, sock: socket.socket, answers: BinaryIO) -> None:
        self._sock = sock
        self._answers = answers

    @classmethod
    @contextmanager
    def open(cls, path: Path, *, timeout_s: float) -> Iterator[Connection]:
        """Connect, and close at the end. Raises Refused, and DaemonUnavailable also for OSErrors inside."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(timeout_s)
            try:
                sock.connect(os.fspath(path))
                if not is_ours(sock):
                    raise Refused(f"another user listens at {path}", hint="nothing was sent to it")
                with sock.makefile("rb") as answers:
                    yield cls(sock, answers)
            except TimeoutError as error:
                raise DaemonUnavailable(f"the daemon at {path} did not answer within {timeout_s:g} s") from error
            except OSError as error:
                raise DaemonUnavailable(f"no daemon answers at {path}: {error.strerror or error}") from error

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Send one request and return the answer's JSON. Raises as `Client.call`, and OSError."""
        if not path.isascii() or not path.isprintable() or " " in path:
            raise InvalidValue(f"not a request path: {path!r}")
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: wisen\r\nx-wisen-version: {__version__}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        self._sock.sendall(head.encode() + content)
        status, answer = self._answer()
        if status >= 400:  # noqa: PLR2004 - what HTTP calls an error
            raise _error(answer)
        return answer

    def _answer(self) -> tuple[int, Any]:
        """Return the status and the decoded body of the next answer."""
        try:
            status = int(self._answers.readline(_LINE_MAX).split()[1])
            length = 0
            while line := self._answers.readline(_LINE_MAX).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            content = self._answers.read(length)
            return status, json.loads(content) if content else None
        except (IndexError, ValueError) as error:
            raise DaemonUnavailable("the answer is cut, or not from wisen") from error


def _error(problem: object) -> WisenError:
    """Return the error that a problem document names."""
    said = problem if isinstance(problem, dict) else {}
    kind = _kinds().get(str(said.get("code", "")), WisenError)
    return kind(str(said.get("detail") or said.get("title") or ""), hint=str(said.get("hint") or ""))


def _kinds() -> dict[str, type[WisenError]]:
    """Return the errors of the tree by their codes."""
    found, todo = {}, [WisenError]
    while todo:
        kind = todo.pop()
        found[kind.code] = kind
        todo += kind.__subclasses__()
    return found


# --- the daemon's presence --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What a daemon says about itself."""

    version: str
    pid: int
    ready: bool

    @property
    def is_older(self) -> bool:
        """Whether this installation would replace it."""
        return version_key(self.version) < version_key(__version__)


def health(connection: Connection) -> Health:
    """Ask a daemon who it is. Raises as `Connection.ask`."""
    said = connection.ask("GET", "/v1/health")
    if not isinstance(said, dict):
        raise DaemonUnavailable("the answer is not from wisen")
    return Health(version=str(said.get("version")), pid=int(said.get("pid", 0)), ready=bool(said.get("ready")))


def version_key(version: str) -> tuple[tuple[int, ...], int, int]:
    """Return what orders versions as PEP 440 does, for the forms we publish: 1.9 < 1.10.dev1 < 1.10rc1 < 1.10."""
    parts = _VERSION.match(version)
    if not parts:
        return (), 0, 0
    release = re.sub(r"(\.0+)+$", "", parts[1])
    return tuple(map(int, release.split("."))), _STAGES[parts[2] or ""], int(parts[3] or 0)


def ensure_daemon(paths: Paths, wait_s: float = 5, env: Mapping[str, str] | None = None) -> Health:
    """Return the health of a daemon that is ready and not older than we are; start one (once) when there is none.

    Raises DaemonUnavailable with the last line of its log when none is there after `wait_s`.
    """
    deadline = time.monotonic() + wait_s
    pid, why = 0, ""
    while (left_s := deadline - time.monotonic()) > 0:
        try:
            with Connection.open(paths.socket, timeout_s=left_s) as connection:
                found = health(connection)
            if found.ready and not found.is_older:
                return found
        except DaemonUnavailable as error:
            why = error.message
        if not pid:
            pid = spawn_daemon(os.environ if env is None else env)
        elif _has_failed(pid):
            why = "it stopped at once"
            break
        time.sleep(_POLL_S)
    raise DaemonUnavailable(f"the daemon did not start: {''.join(log_tail(paths, 1)) or why}")


def is_running(paths: Paths) -> bool:
    """Return whether a daemon process is alive, listening or not: it holds the lock for as long as it lives."""
    import fcntl  # noqa: PLC0415 - there is none on Windows, where `config.paths` has to come to word

    try:
        fd = os.open(paths.lock_file, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def stop_daemon(paths: Paths, wait_s: float = 8) -> bool:
    """Stop the daemon and return, once its process is gone, whether there was one.

    One that does not go within `wait_s`, or within a quarter of it after being silent that long, is killed. That loses
    nothing that was acknowledged: the store is synced before it says yes.
    """
    if not is_running(paths):
        return False
    pid = _pid(paths)
    patience = wait_s
    try:
        Client(paths).call("POST", "/v1/shutdown", timeout_s=wait_s / 4)
    except DaemonUnavailable:
        patience = wait_s / 4
        _signal(paths, signal.SIGTERM)
    if not _is_gone(paths, patience):
        _signal(paths, signal.SIGKILL)
        if not _is_gone(paths, 1):
            raise DaemonUnavailable("the daemon does not stop")
    _outlive(pid)
    return True


def _outlive(pid: int) -> None:
    """Wait until a process that has let go of its lock has ended too; it has only the interpreter's farewell to say."""
    deadline = time.monotonic() + 1
    while pid and time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
        except ChildProcessError:
            pass  # another process's child, as it is when a hook or an earlier command has started it
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(_POLL_S)


def _is_gone(paths: Paths, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while is_running(paths):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _signal(paths: Paths, number: signal.Signals) -> None:
    """Send a signal to the process that holds the lock; it wrote its pid there."""
    pid = _pid(paths)
    if pid and is_running(paths):
        os.kill(pid, number)


def _pid(paths: Paths) -> int:
    """Return the pid in the lock file, 0 when there is none."""
    try:
        text = paths.lock_file.read_text().strip()
    except OSError:
        return 0
    return int(text) if text.isdigit() else 0


def _has_failed(pid: int) -> bool:
    """Return whether a process that we started ended with an error; a daemon that found another one ends without."""
    try:
        done, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return False
    return done == pid and status != 0


def log_tail(paths: Paths, lines: int) -> list[str]:
    """Return the last lines of the daemon's log; none when there is no log yet. Raises OSError when it can't be read.

    It is read whole: the daemon keeps it at 1 MB.
    """
    try:
        text = paths.log_file.read_text(encoding="utf-8", errors="backslashreplace")
    except FileNotFoundError:
        return []
    return text.splitlines()[-lines:]

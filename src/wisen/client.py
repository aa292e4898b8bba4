"""How the command line reaches the daemon, and sees that there is one: HTTP over the unix socket (`connection`)."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wisen import __version__, lockfile
from wisen.config import Paths
from wisen.connection import LINE_MAX, Connection
from wisen.errors import DaemonUnavailable, WisenError
from wisen.ownfiles import refusal
from wisen.peer import PeerProcess
from wisen.spawn import spawn_daemon

PROTOCOL: Final = 1  # of the HTTP API: what the daemon says it speaks, and every command expects
_POLL_S: Final = 0.02
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A living daemon process, as it names itself in the lock it holds. `socket` is None in the state directory's."""

    pid: int
    socket: Path | None = None

    @classmethod
    def holding(cls, lock: Path) -> Place | None:
        """Return who holds a lock, None when nobody does."""
        words = lockfile.holder(lock)
        if words is None:
            return None
        pid, _, socket = words.partition("\n")
        return cls(pid=int(pid) if pid.isdigit() else 0, socket=Path(socket) if socket else None)


def ensure_daemon(paths: Paths, wait_s: float = 5, env: Mapping[str, str] | None = None) -> Health:
    """Return the health of a daemon that is ready and not older than we are; start one (once) when there is none.

    Raises DaemonUnavailable when none is there after `wait_s`, in the words of the one that could not start.
    """
    deadline = time.monotonic() + wait_s
    why = ""
    with ExitStack() as open_files:
        start: _Start | None = None
        while (left_s := deadline - time.monotonic()) > 0:
            try:
                with Connection.open(paths.socket, timeout_s=left_s) as connection:
                    found = health(connection)
                if found.ready and not found.is_older:
                    return found
            except DaemonUnavailable as error:
                why = error.message
            if start is None:
                start = _Start(paths, os.environ if env is None else env)
                open_files.callback(start.close)
            elif start.has_failed():
                raise start.failure()
            time.sleep(_POLL_S)
    raise DaemonUnavailable(why or f"no daemon was ready within {wait_s:g} s")


class _Start:
    """A daemon that we start. Until it is up, what it writes to its standard error is for us."""

    def __init__(self, paths: Paths, env: Mapping[str, str]) -> None:
        self._log = paths.log_file
        self._log_length = self._length()
        self._said, writing = os.pipe()
        try:
            self._pid = spawn_daemon(env, stderr=writing)
        finally:
            os.close(writing)

    def close(self) -> None:
        """Hear it no more."""
        os.close(self._said)

    def has_failed(self) -> bool:
        """Return whether it ended with an error; one that found another daemon ends without."""
        try:
            done, status = os.waitpid(self._pid, os.WNOHANG)
        except ChildProcessError:
            return False
        return done == self._pid and status != 0

    def failure(self) -> DaemonUnavailable:
        """Return why it failed: as it told us, or as this start's last line in the log has it. Call it once."""
        os.set_blocking(self._said, False)
        try:
            said = os.read(self._said, LINE_MAX).decode(errors="backslashreplace").strip()
        except BlockingIOError:
            said = ""
        message, _, hint = said.partition("\nhint: ")
        lines = (message or self._logged()).splitlines() or ["it stopped at once"]
        return DaemonUnavailable(f"the daemon did not start: {lines[-1]}", hint=hint)

    def _length(self) -> int:
        try:
            return self._log.stat().st_size
        except OSError:
            return 0

    def _logged(self) -> str:
        """Return what was logged since the start; the log may have been begun anew."""
        begin = self._log_length if self._log_length <= self._length() else 0
        try:
            with self._log.open("rb") as log:
                log.seek(begin)
                return log.read().decode(errors="backslashreplace").strip()
        except OSError:
            return ""


def stop_daemon(paths: Paths, wait_s: float = 8) -> bool:
    """Stop the daemon and return, once its process is gone, whether there was one.

    So is a daemon of another state directory that has the same memories open. One that does not go within `wait_s`,
    or within a quarter of it after being silent that long, is killed. That loses nothing that was acknowledged: the
    store is synced before it says yes. Raises DaemonUnavailable for what is in the way and not known to be wisen's.
    """
    was_here = _stop(paths.lock_file, paths.socket, wait_s)
    elsewhere = Place.holding(paths.data_lock_file)
    return bool(elsewhere and elsewhere.socket and _stop(paths.data_lock_file, elsewhere.socket, wait_s)) or was_here


def _stop(lock: Path, socket: Path, wait_s: float) -> bool:
    """Stop the daemon that listens at a socket; one that holds the lock and does not listen yet is waited for."""
    deadline = time.monotonic() + wait_s
    was_locked = False
    while True:
        with ExitStack() as stack:
            found = _ask_to_stop(lock, socket, wait_s / 4, stack)
            if found:
                _see_off(found, wait_s)
                return True
        place = Place.holding(lock)
        if place is None:
            return was_locked
        was_locked = True
        if time.monotonic() > deadline:
            raise _not_ours(f"process {place.pid} is named in {lock}, which is locked", place.pid)
        time.sleep(_POLL_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A process that listens at our socket. It may be signalled only when it is proven to be a daemon of wisen."""

    process: PeerProcess
    is_proven: bool
    has_heard: bool


def _ask_to_stop(lock: Path, socket: Path, timeout_s: float, stack: ExitStack) -> _Found | None:
    """Ask whoever listens to stop; None when nobody does.

    The kernel says which process that is. It is wisen's when it says so itself, or our lock names it.
    """
    try:
        with Connection.open(socket, timeout_s=timeout_s) as connection:
            process = connection.process()
            stack.callback(process.close)
            place = Place.holding(lock)
            is_proven, has_heard = bool(place and place.pid == process.pid), False
            with suppress(WisenError, OSError):
                is_proven |= health(connection).pid == process.pid
                connection.ask("POST", "/v1/shutdown")
                has_heard = True
    except DaemonUnavailable:
        return None
    return _Found(process=process, is_proven=is_proven and process.pid > 0, has_heard=has_heard)


def _see_off(found: _Found, wait_s: float) -> None:
    """Wait until a process that was asked has ended; end it when it does not."""
    if not found.has_heard and found.is_proven:
        found.process.send(signal.SIGTERM)
    if _has_ended(found.process, wait_s if found.has_heard else wait_s / 4):
        return
    if not found.is_proven:
        raise _not_ours(f"process {found.process.pid} listens at the socket and does not answer", found.process.pid)
    found.process.send(signal.SIGKILL)
    if not _has_ended(found.process, 1):
        raise DaemonUnavailable(f"the daemon (process {found.process.pid}) does not stop")


def _has_ended(process: PeerProcess, wait_s: float) -> bool:
    deadline = time.monotonic() + wait_s
    while not process.has_ended():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def _not_ours(what: str, pid: int) -> DaemonUnavailable:
    return DaemonUnavailable(
        f"{what}; nothing shows that it is wisen's, so it was left alone",
        hint=f"see what it is with `ps -p {pid}`; if it is `wisen.daemon`, end it with `kill {pid}`",
    )


def log_tail(paths: Paths, lines: int) -> list[str]:
    """Return the last lines of the daemon's log; none when there is no log yet. Raises Refused when it can't be read.

    It is read whole: the daemon keeps it at 1 MB.
    """
    try:
        text = paths.log_file.read_text(encoding="utf-8", errors="backslashreplace")
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise refusal(error) from error
    return text.splitlines()[-lines:]

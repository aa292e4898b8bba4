"""When does a daemon start, make room for a newer one, and stop? One a user, in any number of starts at once.

A daemon holds the lock for as long as it lives and the kernel lets go of it when it dies, however it dies: who has the
lock is the daemon, and whatever lies at the socket's path then is stale.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
import stat
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from wisen import __version__
from wisen.client import Connection, health, version_key
from wisen.config import Paths, make_private_dir
from wisen.daemon.stop import Stop, nothing
from wisen.errors import Conflict, DaemonUnavailable

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log = logging.getLogger(__name__)

STOP_LIMIT_S: Final = 10.0  # a daemon that can't close its parts by then ends all the same
TAKEOVER_WAIT_S: Final = 15.0  # so this is enough for an older one to go
START_MARK: Final = "started"  # in the spool; the hooks leave it when they start a daemon, see hotpath.py
_BACKLOG: Final = 1024  # hooks that may wait while the application is imported
_POLL_S: Final = 0.02


class App(Protocol):
    """What the server runs."""

    @property
    def asgi(self) -> ASGIApp:
        """The HTTP application."""
        ...

    def close(self) -> None:
        """Let go of everything, each part even if another fails."""
        ...


# Makes the application, importing it only when it is called: the socket is open by then. The application calls the
# function it is given when it is asked to stop, from any thread.
BuildApp = Callable[[Callable[[], None]], App]


# --- one daemon -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The place of the daemon: the lock, the listening socket, and the hooks' mark that they have started one."""

    path: Path
    start_mark: Path
    lock_fd: int
    listener: socket.socket
    inode: int

    def is_held(self) -> bool:
        """Return whether the socket can still be found; without it nobody reaches us and another may start."""
        try:
            return self.path.stat().st_ino == self.inode
        except OSError:
            return False

    def leave(self) -> None:
        """Remove the socket, then let go of the lock."""
        with ExitStack() as stack:
            stack.callback(os.close, self.lock_fd)
            stack.callback(self.listener.close)
            if self.is_held():
                self.path.unlink()


class _Standing(Enum):
    """What is at the socket, seen from a daemon that wants to start."""

    NOBODY = "nobody listens"
    CURRENT = "a daemon of this version or a newer one"
    LEAVING = "an older daemon, which was told to stop"
    SILENT = "somebody listens and does not answer"


def claim(paths: Paths, *, stop: Stop, version: str = __version__, wait_s: float = TAKEOVER_WAIT_S) -> Claim | None:
    """Become this user's daemon: lock, bind and listen. None when one as new as we are is there, or `stop` was asked.

    An older one is told to stop first. Raises DaemonUnavailable when it does not go within `wait_s`, Refused for
    directories that are not ours alone, Conflict when something else lies at the socket's path.
    """
    for directory in (paths.state_dir, paths.run_dir, paths.spool_dir):
        make_private_dir(directory)
    deadline = time.monotonic() + wait_s
    while not stop.is_asked:
        standing = _standing(paths.socket, version, timeout_s=max(0.1, deadline - time.monotonic()))
        match standing:
            case _Standing.CURRENT:
                return None
            case _Standing.NOBODY:
                lock_fd = _try_lock(paths.lock_file)
                if lock_fd is not None:
                    return _listen(paths, lock_fd)
            case _Standing.LEAVING | _Standing.SILENT:
                pass
            case _:
                assert_never(standing)
        if time.monotonic() > deadline:
            raise DaemonUnavailable(f"another daemon holds {paths.lock_file}, and does not answer or stop")
        time.sleep(_POLL_S)
    return None


def _standing(path: Path, version: str, *, timeout_s: float) -> _Standing:
    """Ask who is there, and tell an older daemon to stop: on one connection, so that no other can be meant."""
    try:
        with Connection.open(path, timeout_s=timeout_s) as connection:
            if version_key(health(connection).version) >= version_key(version):
                return _Standing.CURRENT
            connection.ask("POST", "/v1/shutdown")
            return _Standing.LEAVING
    except DaemonUnavailable as error:
        is_absent = isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError)
        return _Standing.NOBODY if is_absent else _Standing.SILENT


def _try_lock(path: Path) -> int | None:
    """Return the locked file with our pid in it, or None while another process holds it."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_ino == path.stat().st_ino:
            os.ftruncate(fd, 0)
            os.pwrite(fd, str(os.getpid()).encode(), 0)
            return fd
    except (BlockingIOError, FileNotFoundError):
        pass  # held, or deleted since we opened it
    os.close(fd)
    return None


def _listen(paths: Paths, lock_fd: int) -> Claim:
    """Bind and listen, for the holder of the lock."""
    path = paths.socket
    with ExitStack() as undo:
        undo.callback(os.close, lock_fd)
        with suppress(FileNotFoundError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                raise Conflict(f"{path} is not a socket", hint="move it out of the way")
            path.unlink()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        undo.callback(listener.close)
        listener.bind(os.fspath(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        undo.pop_all()
    return Claim(
        path=path,
        start_mark=paths.spool_dir / START_MARK,
        lock_fd=lock_fd,
        listener=listener,
        inode=path.stat().st_ino,
    )


# --- its life ---------------------------------------------------------------------------------------------------


def live(
    place: Claim,
    build: BuildApp,
    *,
    stop: Stop,
    idle_exit_s: float,
    upkeep: Callable[[], None] = nothing,
    tick_s: float = 5.0,
) -> None:
    """Serve until told to stop, idle for too long, or out of reach; then close each part, even if another fails.

    `stop` ends it at once, whoever asks; every `tick_s` seconds it looks for the other reasons and calls `upkeep`.
    Raises what `build` raises: no mark of the hooks is taken away then, and for a while they start no other.
    """
    with ExitStack() as parts:
        parts.callback(place.leave)
        from wisen.daemon.server import serve  # noqa: PLC0415 - the socket is open before this takes its time

        app = build(stop.ask)
        parts.callback(app.close)
        place.start_mark.unlink(missing_ok=True)
        why = serve(
            place.listener,
            app.asgi,
            stop=stop,
            is_reachable=place.is_held,
            idle_exit_s=idle_exit_s,
            upkeep=upkeep,
            tick_s=tick_s,
        )
        log.info("stopping", extra={"why": why})
        last_resort = threading.Timer(STOP_LIMIT_S, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        parts.callback(last_resort.cancel)

"""When does a daemon start, make room for a newer one, and stop? One a user, in any number of starts at once.

A daemon holds two locks for as long as it lives, and the kernel lets go of them when it dies, however it dies. That of
the state directory makes it the one daemon at its socket: whatever lies at the socket's path before is stale. That of
the data directory makes it the one that has these memories open, also where two terminals name different state
directories (XDG_STATE_HOME): the daemon that was asked for last sends the other one off.
"""

from __future__ import annotations

import logging
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, assert_never

from wisen import __version__, lockfile
from wisen.client import Place, health, version_key
from wisen.config import Paths
from wisen.connection import Connection
from wisen.daemon.stop import Stop, nothing
from wisen.errors import Conflict, DaemonUnavailable
from wisen.ownfiles import make_dir, make_private_dir

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
    """The place of the daemon: its locks, the listening socket, and the hooks' mark that they have started one."""

    path: Path
    start_mark: Path
    locks: Mapping[Path, int]  # their files and descriptors
    listener: socket.socket
    inode: int

    def loss(self) -> str:
        """Return which of socket and locks can't be found any more, '' for none: another may start beside us then."""
        gone = [path for path, fd in self.locks.items() if not lockfile.is_in_place(path, fd)]
        if not self._is_bound():
            gone.append(self.path)
        return f"{gone[0]} is gone, or another's" if gone else ""

    def holds(self, path: Path) -> bool:
        """Return whether a lock can still be found where it was taken."""
        return lockfile.is_in_place(path, self.locks[path])

    def _is_bound(self) -> bool:
        try:
            return self.path.stat().st_ino == self.inode
        except OSError:
            return False

    def leave(self) -> None:
        """Remove the socket, then let go of the locks."""
        with ExitStack() as stack:
            for fd in self.locks.values():
                stack.callback(os.close, fd)
            stack.callback(self.listener.close)
            if self._is_bound():
                self.path.unlink()


class _Standing(Enum):
    """What is at the socket, seen from a daemon that wants to start."""

    NOBODY = "nobody listens"
    CURRENT = "a daemon of this version or a newer one"
    LEAVING = "an older daemon, which was told to stop"
    SILENT = "somebody listens and does not answer"


def claim(paths: Paths, *, stop: Stop, version: str = __version__, wait_s: float = TAKEOVER_WAIT_S) -> Claim | None:
    """Become this user's daemon: lock, bind and listen. None when one as new as we are is there, or `stop` was asked.

    An older one is told to stop first, and so is one that has our memories open at another socket. Raises
    DaemonUnavailable when it does not go within `wait_s`, Refused for directories that are not ours alone, Conflict
    when something else lies at the socket's path, or a newer wisen has the memories open.
    """
    for directory in (paths.state_dir, paths.run_dir, paths.spool_dir):
        make_private_dir(directory)
    make_dir(paths.data_dir)
    deadline = time.monotonic() + wait_s
    while not stop.is_asked:
        standing = _standing(paths.socket, version, timeout_s=max(0.1, deadline - time.monotonic()))
        match standing:
            case _Standing.CURRENT:
                return None
            case _Standing.NOBODY:
                locks = _try_locks(paths, version, timeout_s=max(0.1, deadline - time.monotonic()))
                if locks:
                    return _listen(paths, locks)
            case _Standing.LEAVING | _Standing.SILENT:
                pass
            case _:
                assert_never(standing)
        if time.monotonic() > deadline:
            raise DaemonUnavailable(f"another daemon{_whose(paths)} does not answer or stop", hint=_HANGS)
        time.sleep(_POLL_S)
    return None


_HANGS: Final = "`wisen daemon stop` ends it, also when it hangs"


def _whose(paths: Paths) -> str:
    """Return in words which process is in the way."""
    found = Place.holding(paths.lock_file) or Place.holding(paths.data_lock_file)
    return f" (process {found.pid})" if found else ""


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


def _try_locks(paths: Paths, version: str, *, timeout_s: float) -> Mapping[Path, int]:
    """Return both locks, or none while another process holds one; it is told to stop where it is at another socket."""
    own = lockfile.take(paths.lock_file, str(os.getpid()))
    if own is None:
        return {}
    with ExitStack() as undo:
        undo.callback(os.close, own)
        data = lockfile.take(paths.data_lock_file, f"{os.getpid()}\n{paths.socket}")
        if data is None:
            _send_off(paths, version, timeout_s=timeout_s)
            return {}
        undo.pop_all()
        return {paths.lock_file: own, paths.data_lock_file: data}


def _send_off(paths: Paths, version: str, *, timeout_s: float) -> None:
    """Tell the daemon to stop that has these memories open at another socket. Raises Conflict for a newer one."""
    other = Place.holding(paths.data_lock_file)
    if other is None or other.socket is None:
        return
    with suppress(DaemonUnavailable), Connection.open(other.socket, timeout_s=timeout_s) as connection:
        found = health(connection)
        if version_key(found.version) > version_key(version):
            raise Conflict(
                f"wisen {found.version} has the memories in {paths.data_dir} open (process {found.pid})",
                hint="upgrade this wisen, or set WISEN_HOME to a directory of its own",
            )
        connection.ask("POST", "/v1/shutdown")


def _listen(paths: Paths, locks: Mapping[Path, int]) -> Claim:
    """Bind and listen, for the holder of the locks."""
    path = paths.socket
    with ExitStack() as undo:
        for fd in locks.values():
            undo.callback(os.close, fd)
        with suppress(FileNotFoundError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                from wisen import steps  # noqa: PLC0415 - a fault that most never meet

                raise Conflict(f"{path} is not a socket", hint=steps.move_aside(path))
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
        locks=locks,
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
    tick_s: float = 30.0,
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
            is_lost=place.loss,
            idle_exit_s=idle_exit_s,
            upkeep=upkeep,
            tick_s=tick_s,
        )
        log.info("stopping", extra={"why": why})
        last_resort = threading.Timer(STOP_LIMIT_S, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        parts.callback(last_resort.cancel)

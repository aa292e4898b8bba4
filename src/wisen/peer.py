"""Who is at the other end of a unix socket? Daemon and client ask before they say anything."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Protocol


class AsksPeer(Protocol):
    """The part of a socket that is needed; asyncio's transports have it too."""

    def getsockopt(self, level: int, optname: int, buflen: int, /) -> bytes:
        """Return a socket option of at most `buflen` bytes."""
        ...


def peer_uid(sock: AsksPeer, *, platform: str = sys.platform) -> int:
    """Return the user id of the process at the other end, as the kernel knows it. Raises OSError.

    Linux answers with `struct ucred {pid, uid, gid}` (unix(7)), macOS with `struct xucred {version, uid, ...}`
    (sys/ucred.h); the uid is the second 32-bit word of both.
    """
    if platform == "darwin":
        credentials = sock.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED, sizeof(struct xucred)
    else:
        credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder)


def peer_pid(sock: AsksPeer, *, platform: str = sys.platform) -> int:
    """Return the process at the other end: of a listening socket, the one that called listen(). Raises OSError.

    It may have ended since; while the connection stands, its number is not another's.
    """
    if platform == "darwin":
        credentials = sock.getsockopt(0, 2, 4)  # SOL_LOCAL, LOCAL_PEERPID, sizeof(pid_t)
    else:
        credentials = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[:4], sys.byteorder)


def is_ours(sock: AsksPeer) -> bool:
    """Return whether the process at the other end runs as this user."""
    return peer_uid(sock) == os.getuid()


class PeerProcess:
    """The process at the other end, held fast where the system can (Linux): a signal reaches no later one."""

    def __init__(self, sock: AsksPeer) -> None:
        self.pid = peer_pid(sock)
        self._fd = -1
        with suppress(AttributeError, OSError):  # macOS has none; a process of another container has no pid here
            self._fd = os.pidfd_open(self.pid)

    def close(self) -> None:
        """Let go of it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; none when it has ended."""
        with suppress(ProcessLookupError):
            if self._fd >= 0:
                signal.pidfd_send_signal(self._fd, number)
            elif self.pid > 0:
                os.kill(self.pid, number)

    def has_ended(self) -> bool:
        """Return whether it has ended; one that its parent did not take note of yet has."""
        if self._fd >= 0:
            return bool(select.select([self._fd], [], [], 0)[0])
        try:
            os.kill(self.pid, 0)
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return False  # it lives, and another process has started it
        except (ProcessLookupError, PermissionError):
            return True

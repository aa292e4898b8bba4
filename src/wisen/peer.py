"""Who is at the other end of a unix socket? Daemon and client ask before they say anything."""

from __future__ import annotations

import os
import socket
import sys
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


def is_ours(sock: AsksPeer) -> bool:
    """Return whether the process at the other end runs as this user."""
    return peer_uid(sock) == os.getuid()

"""Who may listen where the daemon should: one that is well, and everything that can be wrong with one."""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.faults.firing import TAKES_CONTEXT
from tests.wire import NOTHING, http

# Serves one connection; the event tells it to come to an end.
Behaviour = Callable[[socket.socket, threading.Event], None]


@contextmanager
def listening(path: Path, behave: Behaviour) -> Iterator[None]:
    """Listen at a path until the block ends."""
    ends = threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(os.fspath(path))
        listener.listen(64)
        path.chmod(0o777)
        thread = threading.Thread(target=_accept, args=(listener, behave, ends))
        thread.start()
        try:
            yield
        finally:
            ends.set()
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as waker, suppress(OSError):
                waker.connect(os.fspath(path))
            thread.join()
            path.unlink(missing_ok=True)


def _accept(listener: socket.socket, behave: Behaviour, ends: threading.Event) -> None:
    threads = []
    while True:
        connection, _ = listener.accept()
        if ends.is_set():
            connection.close()
            break
        threads.append(threading.Thread(target=_serve, args=(connection, behave, ends)))
        threads[-1].start()
    for thread in threads:
        thread.join()


def _serve(connection: socket.socket, behave: Behaviour, ends: threading.Event) -> None:
    with connection, suppress(OSError):
        behave(connection, ends)


def event_in(connection: socket.socket) -> str:
    """Read a request and return the event in it, empty when there is none."""
    data = b""
    while b"\r\n\r\n" not in data and (chunk := connection.recv(65536)):
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", head)
    length = int(found[1]) if found else 0
    while len(body) < length and (chunk := connection.recv(65536)):
        body += chunk
    name = re.search(rb'"hook_event_name": ?"(\w+)"', body)
    return name[1].decode() if name else ""


def document(event: str, text: object = "we use pnpm here") -> bytes:
    """The answer of a daemon that is well."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).encode()


def well(connection: socket.socket, _: threading.Event) -> None:
    """Answer as a daemon does."""
    event = event_in(connection)
    takes = event in TAKES_CONTEXT - {"Stop"}
    connection.sendall(http(document(event)) if takes else NOTHING)
    connection.recv(1)  # the hook's word


def says(*parts: bytes) -> Behaviour:
    """Read the request and answer these bytes, then close."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        event_in(connection)
        for part in parts:
            connection.sendall(part)

    return behave


def answers(make: Callable[[str], bytes]) -> Behaviour:
    """Read the request and answer what is made of its event, then close."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(make(event_in(connection)))

    return behave


def silent(connection: socket.socket, ends: threading.Event) -> None:
    """Accept and never answer."""
    ends.wait(timeout=60)


def late(connection: socket.socket, ends: threading.Event) -> None:
    """Answer well, after the longest deadline."""
    event = event_in(connection)
    ends.wait(timeout=1.7)
    connection.sendall(http(document(event)))


def dripping(connection: socket.socket, ends: threading.Event) -> None:
    """Answer well, one byte at a time and too slowly."""
    for byte in http(document(event_in(connection))):
        connection.sendall(bytes([byte]))
        if ends.wait(timeout=0.02):
            return


def endless(connection: socket.socket, ends: threading.Event) -> None:
    """Answer 100 MB."""
    event_in(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n")
    for _ in range(100):
        connection.sendall(b"{" + b" " * (1 << 20))


def endless_head(connection: socket.socket, ends: threading.Event) -> None:
    """Never come to the end of the head."""
    event_in(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not ends.is_set():
        connection.sendall(b"x-filler: " + b"x" * 1000 + b"\r\n")


def resetting(connection: socket.socket, _: threading.Event) -> None:
    """Break the connection with the request unread."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def deaf(connection: socket.socket, ends: threading.Event) -> None:
    """Answer well and at once, without reading the request."""
    connection.sendall(http(b"{}"))
    ends.wait(timeout=3)


def chunked(event: str) -> bytes:
    """A well-formed answer in an encoding that the hook does not ask for."""
    body = document(event)
    return b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def not_kept(event: str) -> bytes:
    """An answer for the person, from a daemon that could not keep the event."""
    return http(document(event)).replace(b"\r\n", b"\r\nx-wisen-kept: no\r\n", 1)


def with_length(length: bytes) -> Callable[[str], bytes]:
    """A good document under a wrong length."""
    return lambda event: b"HTTP/1.1 200 OK\r\ncontent-length: %b\r\n\r\n%b" % (length, document(event))

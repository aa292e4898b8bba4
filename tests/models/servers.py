"""A server on loopback that answers what a test says, byte for byte."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final

OK: Final = "200 OK"


@dataclass(kw_only=True)
class Asked:
    """A request: its first line, its headers in lower case, and its JSON."""

    line: str
    headers: dict[str, str]
    body: Any


@dataclass(kw_only=True)
class Server:
    """What was asked, and how it answers: `answer` gets the request and the connection."""

    port: int
    answer: Callable[[Asked, socket.socket], None]
    asked: list[Asked] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/v1"


def says(body: object, *, status: str = OK, headers: Sequence[str] = ()) -> Callable[[Asked, socket.socket], None]:
    """Return an answer: JSON, or the bytes as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers, "", ""]

    def answer(_: Asked, connection: socket.socket) -> None:
        connection.sendall("\r\n".join(lines).encode() + content)

    return answer


def vectors(*rows: Sequence[object]) -> dict[str, object]:
    """Return the answer that holds these vectors, as OpenAI writes it."""
    data = [{"object": "embedding", "index": at, "embedding": list(row)} for at, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def embeds(dimension: int = 8) -> Callable[[Asked, socket.socket], None]:
    """Return an answer with a vector for each text: its length beside ones. The rows come last first."""

    def answer(asked: Asked, connection: socket.socket) -> None:
        rows = [[len(text), *([1] * (dimension - 1))] for text in asked.body["input"]]
        whole = vectors(*rows)
        whole["data"].reverse()  # type: ignore[attr-defined]
        says(whole)(asked, connection)

    return answer


@contextmanager
def serving(answer: Callable[[Asked, socket.socket], None]) -> Iterator[Server]:
    """Serve one connection after another until the end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Server(port=listening.getsockname()[1], answer=answer)
        thread = threading.Thread(target=_serve, args=(listening, server), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop.set()
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=10)


def _serve(listening: socket.socket, server: Server) -> None:
    while not server.stop.is_set():
        with suppress(OSError):
            connection, _ = listening.accept()
            with connection:
                if (asked := _read(connection)) is not None:
                    server.asked.append(asked)
                    server.answer(asked, connection)


def _read(connection: socket.socket) -> Asked | None:
    with connection.makefile("rb") as stream:
        line = stream.readline().decode().strip()
        headers: dict[str, str] = {}
        while field_line := stream.readline().decode().strip():
            name, _, value = field_line.partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
    return Asked(line=line, headers=headers, body=json.loads(body)) if line else None

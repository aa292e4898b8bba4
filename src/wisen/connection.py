"""One verified HTTP connection over the unix socket, standard library only: what the client and the MCP relay share.

Written out instead of `http.client`, whose import alone costs 29 ms because it loads TLS.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from wisen import __version__
from wisen.errors import DaemonUnavailable, InvalidValue, Refused, WisenError
from wisen.peer import PeerProcess, is_ours

if TYPE_CHECKING:
    from pathlib import Path

LINE_MAX: Final = 65536  # bytes
_CUT: Final = "the answer is cut, or not from wisen"


class Connection:
    """One connection to a daemon that was verified to be this user's: all requests on it reach the same process."""

    def __init__(self, sock: socket.socket, answers: BinaryIO) -> None:
        self._sock = sock
        self._answers = answers

    @classmethod
    @contextmanager
    def open(cls, path: Path | str, *, timeout_s: float) -> Iterator[Connection]:
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
                raise DaemonUnavailable(
                    f"the daemon at {path} did not answer within {round(timeout_s, 1):g} s"
                ) from error
            except OSError as error:
                raise DaemonUnavailable(f"no daemon answers at {path}: {error.strerror or error}") from error

    def process(self) -> PeerProcess:
        """Return the process that listens. The caller closes it."""
        return PeerProcess(self._sock)

    def ask(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:
        """Send one request and return the answer's JSON. Raises as `Client.call`, and OSError."""
        status, content = self.send(method, path, b"" if body is None else json.dumps(body).encode())
        try:
            answer = json.loads(content) if content else None
        except ValueError as error:
            raise DaemonUnavailable(_CUT) from error
        if status >= 400:  # noqa: PLR2004 - what HTTP calls an error
            raise error_of(answer)
        return answer

    def send(
        self, method: str, path: str, content: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Send one request and return the answer's status and body. Raises DaemonUnavailable, and OSError.

        `headers` are those beside the usual ones; their values are plain ASCII.
        """
        if not path.isascii() or not path.isprintable() or " " in path:
            raise InvalidValue(f"not a request path: {path!r}")
        head = f"{method} {path} HTTP/1.1\r\nhost: wisen\r\nx-wisen-version: {__version__}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
        self._sock.sendall(head.encode() + content)
        return self._answer()

    def _answer(self) -> tuple[int, bytes]:
        """Return the status and the body of the next answer."""
        try:
            status = int(self._answers.readline(LINE_MAX).split()[1])
            length = 0
            while line := self._answers.readline(LINE_MAX).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            content = self._answers.read(length)
        except (IndexError, ValueError) as error:
            raise DaemonUnavailable(_CUT) from error
        if len(content) < length:
            raise DaemonUnavailable(_CUT)
        return status, content


def error_of(problem: object) -> WisenError:
    """Return the error that a problem document names."""
    said = problem if isinstance(problem, dict) else {}
    kind = _kinds().get(str(said.get("code", "")), WisenError)
    return kind(str(said.get("detail") or said.get("title") or ""), hint=str(said.get("hint") or ""))


def _kinds() -> dict[str, type[WisenError]]:
    """Return the errors of the tree by their codes."""
    found: dict[str, type[WisenError]] = {}
    todo = [WisenError]
    while todo:
        kind = todo.pop()
        found.setdefault(kind.code, kind)  # a parent comes before its children: what they share is its code
        todo += kind.__subclasses__()
    return found

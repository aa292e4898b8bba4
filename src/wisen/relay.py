"""`python -I -m wisen.relay --harness NAME`: carries MCP messages, a line each, between a harness and the daemon.

It is there as long as a session of the harness is, so it is small: standard library only, 12 MB where what starts the
daemon takes 22. That is done by another process (`relaystart`), which says where the daemon listens. Nothing is kept
here: each message is one HTTP request, so a daemon that stops or is replaced is found again with the next message.

Standard output carries JSON-RPC and nothing else: what anything else would print goes nowhere. The relay ends when its
input does, or with the process that started it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Final
from urllib.parse import quote_from_bytes

from wisen.connection import Connection, error_of
from wisen.errors import DaemonUnavailable, WisenError

LONGEST_LINE: Final = 1_000_000  # bytes; as the daemon takes
MOST_WAITING: Final = 32  # messages; no more is read until there is room
ANSWER_LIMIT_S: Final = 15.0  # the longest silence of the daemon that is borne
START_LIMIT_S: Final = 10.0
LAST_ANSWERS_S: Final = 3.0  # for what was asked before the input ended
_START_AGAIN_S: Final = 3.0  # after a start that failed
_LOOK_S: Final = 2.0  # how often the parent is looked for where the system does not tell of its end
_CHUNK: Final = 65536

INVALID_REQUEST: Final = -32600
INTERNAL_ERROR: Final = -32603
_OK, _NO_CONTENT = 200, 204

# Under which name a harness tells the servers that it starts which session they serve.
_SESSION_OF: Final[Mapping[str, str]] = {"claude-code": "CLAUDE_CODE_SESSION_ID"}

MessageId = str | int | float | None


# --- the daemon -------------------------------------------------------------------------------------------------


class Daemon:
    """The way to the daemon, which is looked for with the first message and again when it is gone."""

    def __init__(self, harness: str, headers: Mapping[str, str]) -> None:
        self._harness = harness
        self._headers = headers
        self._socket = ""
        self._failure: tuple[float, WisenError] | None = None

    def answer(self, message: bytes) -> bytes:
        """Return the answer to a message, b'' for one that takes none. Raises WisenError; nothing is sent twice."""
        with ExitStack() as stack:
            connection = self._connected(stack)
            status, content = connection.send("POST", "/v1/mcp", message, self._headers)
        if status in {_OK, _NO_CONTENT}:
            return content
        raise _problem(status, content)

    def _connected(self, stack: ExitStack) -> Connection:
        """Return a connection. One that fails has sent nothing, so another daemon may be tried."""
        if self._socket:
            with suppress(DaemonUnavailable):
                return stack.enter_context(Connection.open(self._socket, timeout_s=ANSWER_LIMIT_S))
        self._socket = self._started()
        return stack.enter_context(Connection.open(self._socket, timeout_s=ANSWER_LIMIT_S))

    def _started(self) -> str:
        """Return where a daemon listens, starting one if there is none. Raises what `relaystart` says."""
        if self._failure and time.monotonic() < self._failure[0]:
            raise self._failure[1]
        try:
            return _start(self._harness)
        except WisenError as error:
            self._failure = time.monotonic() + _START_AGAIN_S, error
            raise


def _problem(status: int, content: bytes) -> WisenError:
    """Return the error that the daemon answers with."""
    try:
        return error_of(json.loads(content))
    except (ValueError, RecursionError):
        return DaemonUnavailable(f"the daemon answers with status {status}")


def _start(harness: str) -> str:
    """Run `relaystart` and return where the daemon listens. Raises DaemonUnavailable, in its words if it has any."""
    reading, writing = os.pipe()
    try:
        try:
            actions = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ]
            argv = (sys.executable, "-I", "-m", "wisen.relaystart", harness)
            pid = os.posix_spawn(argv[0], argv, os.environ, file_actions=actions)
        finally:
            os.close(writing)
        said = _read_all(reading, until=time.monotonic() + START_LIMIT_S)
        if said is None:
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except OSError as error:
        raise DaemonUnavailable(f"the daemon can't be started: {error.strerror or error}") from error
    finally:
        os.close(reading)
    return _socket_of(said)


def _read_all(reading: int, *, until: float) -> bytes | None:
    """Return what comes out of a pipe to its end; None when that takes too long."""
    found = b""
    while (left_s := until - time.monotonic()) > 0:
        if select.select([reading], [], [], left_s)[0]:
            chunk = os.read(reading, _CHUNK)
            if not chunk:
                return found
            found += chunk
    return None


def _socket_of(said: bytes | None) -> str:
    try:
        told = json.loads(said or b"{}")
    except ValueError:
        told = {}
    if socket := told.get("socket"):
        return os.fsdecode(str(socket).encode("utf-8", "surrogateescape"))
    raise DaemonUnavailable(str(told.get("error") or "no daemon could be started"), hint=str(told.get("hint") or ""))


# --- the lines --------------------------------------------------------------------------------------------------


class Lines:
    """Bytes -> lines. Of a line that is too long only that it came is told, as None."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._is_too_long = False

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """Take bytes in and return the lines that they end."""
        *ended, rest = chunk.split(b"\n")
        found = [self._end(part) for part in ended]
        self._add(rest)
        return [line for line in found if line is None or line.strip()]

    def _end(self, part: bytes) -> bytes | None:
        self._add(part)
        line = None if self._is_too_long else bytes(self._begun)
        self._begun.clear()
        self._is_too_long = False
        return line

    def _add(self, part: bytes) -> None:
        self._is_too_long = self._is_too_long or len(self._begun) + len(part) > LONGEST_LINE
        if self._is_too_long:
            self._begun.clear()
        else:
            self._begun += part


class Relay:
    """Messages wait here for their answers, one after the other; one that was cancelled is answered no more."""

    def __init__(self, daemon: Daemon, out: int) -> None:
        self._daemon = daemon
        self._out = out
        self._waiting: deque[bytes | None] = deque()
        self._open: list[MessageId] = []
        self._cancelled: list[MessageId] = []
        self._changed = threading.Condition()
        self._is_ended = False
        self.wake, self._waker = os.pipe()  # something is to be read there when a reader that waits should look again
        self.is_broken = False  # nobody reads our answers any more
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def has_room(self) -> bool:
        """Whether another message may be taken."""
        return len(self._waiting) < MOST_WAITING

    def take(self, line: bytes | None) -> None:
        """Take one message; None stands for one that is too long to be read."""
        parsed = _parsed(line)
        with self._changed:
            if parsed.get("method") == "notifications/cancelled":
                self._cancel(parsed)
                return
            if "id" in parsed:
                self._open.append(_id_of(parsed))
            self._waiting.append(line)
            self._changed.notify()

    def finish(self, within_s: float) -> None:
        """Answer what was asked, within a time."""
        with self._changed:
            self._is_ended = True
            self._changed.notify()
        self._thread.join(within_s)

    def _cancel(self, parsed: Mapping[str, object]) -> None:
        params = parsed.get("params")
        wanted = params.get("requestId") if isinstance(params, dict) else None
        if wanted in self._open and wanted not in self._cancelled:
            self._cancelled.append(wanted)

    def _work(self) -> None:
        while not self.is_broken:
            with self._changed:
                while not self._waiting:
                    if self._is_ended:
                        return
                    self._changed.wait()
                line = self._waiting.popleft()
            self._serve(line)
            os.write(self._waker, b".")

    def _serve(self, line: bytes | None) -> None:
        parsed = _parsed(line)
        is_request, message_id = "id" in parsed or line is None, _id_of(parsed)
        answer = b"" if self._is_cancelled(message_id) else self._answer(line, message_id, is_request=is_request)
        with self._changed:
            was_cancelled = is_request and message_id in self._cancelled
            for known in (self._open, self._cancelled):
                if message_id in known:
                    known.remove(message_id)
        if answer and not was_cancelled:
            self._write(answer)

    def _is_cancelled(self, message_id: MessageId) -> bool:
        with self._changed:
            return message_id in self._cancelled

    def _answer(self, line: bytes | None, message_id: MessageId, *, is_request: bool) -> bytes:
        if line is None:
            return _error(None, INVALID_REQUEST, f"the message has more than {LONGEST_LINE} bytes")
        try:
            return self._daemon.answer(line)
        except WisenError as error:
            said = error.message + (f" ({error.hint})" if error.hint else "")
            return _error(message_id, INTERNAL_ERROR, said) if is_request else b""

    def _write(self, answer: bytes) -> None:
        left = memoryview(answer.replace(b"\n", b" ") + b"\n")
        try:
            while left:
                left = left[os.write(self._out, left) :]
        except OSError:
            self.is_broken = True


def _parsed(line: bytes | None) -> Mapping[str, object]:
    """Return a message as far as it can be read; what is wrong with it, the daemon says."""
    try:
        said = json.loads(line or b"{}")
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _id_of(parsed: Mapping[str, object]) -> MessageId:
    found = parsed.get("id")
    return found if isinstance(found, str | int | float) and not isinstance(found, bool) else None


def _error(message_id: MessageId, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message_id, "error": {"code": code, "message": message}}).encode()


# --- the process ------------------------------------------------------------------------------------------------


class Parent:
    """The process that started us: how to wait for its end."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self.fd = -1
        with suppress(AttributeError, OSError):  # macOS has none; a parent in another container has no pid here
            self.fd = os.pidfd_open(self._pid)

    def is_gone(self) -> bool:
        """Whether it has ended."""
        if self.fd >= 0 and select.select([self.fd], [], [], 0)[0]:
            return True
        return os.getppid() != self._pid


def run(relay: Relay, parent: Parent, source: int) -> None:
    """Carry messages until the input ends, the parent is gone, or nobody reads the answers."""
    lines = Lines()
    told = [relay.wake, *([parent.fd] if parent.fd >= 0 else [])]
    patience = None if parent.fd >= 0 else _LOOK_S
    while not (relay.is_broken or parent.is_gone()):
        ready = select.select([*([source] if relay.has_room else []), *told], [], [], patience)[0]
        if relay.wake in ready:
            os.read(relay.wake, _CHUNK)
        if source not in ready:
            continue
        chunk = os.read(source, _CHUNK)
        for line in lines.feed(chunk or b"\n"):
            relay.take(line)
        if not chunk:
            relay.finish(LAST_ANSWERS_S)
            return


def headers_of(harness: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return what tells the daemon where the agent works. Bytes that HTTP can't carry are percent-encoded."""
    try:
        cwd = os.getcwd()  # noqa: PTH109 - pathlib is not loaded for it
    except OSError:  # it was deleted
        cwd = ""
    said = {"harness": harness, "cwd": cwd, "session": env.get(_SESSION_OF.get(harness, ""), "")}
    return {f"x-wisen-{name}": quote_from_bytes(os.fsencode(value)) for name, value in said.items() if value}


def main(arguments: Sequence[str]) -> int:
    """Run as a process of its own. Returns the exit code."""
    harness = arguments[arguments.index("--harness") + 1] if "--harness" in arguments[:-1] else "claude-code"
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    relay = Relay(Daemon(harness, headers_of(harness, os.environ)), out)
    run(relay, Parent(), 0)
    return 0


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))  # whatever is still being asked

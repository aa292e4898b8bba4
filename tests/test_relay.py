"""`wisen mcp` as a process: lines in, lines out, and an end whenever one is due."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire import SILENCE, Recorder, a_home, http, is_running
from wisen import __version__, relay
from wisen.client import ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.install import manifest, taken_out

LIMIT_S = 30  # of what must happen at all
ARGV = (sys.executable, "-I", "-m", "wisen.relay", "--harness", "claude-code")
COMMAND = (sys.executable, "-c", "from wisen.cli.main import main; main()", "mcp")
HEALTH = json.dumps({"version": __version__, "pid": 1, "ready": True, "protocol": 1}).encode()


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def env(where: Paths, **more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "WISEN_HOME": str(where.config_file.parent), "WISEN_EMBEDDING": "off", **more}


@dataclass
class Process:
    """A relay and the harness's ends of its pipes."""

    popen: subprocess.Popen[bytes]
    _read: bytearray = field(default_factory=bytearray)

    def say(self, raw: bytes) -> Self:
        assert self.popen.stdin is not None
        self.popen.stdin.write(raw)
        self.popen.stdin.flush()
        return self

    def send(self, method: str, params: object = None, message_id: object = 1) -> Self:
        message = {"jsonrpc": "2.0", "id": message_id, "method": method}
        return self.say(json.dumps(message | ({} if params is None else {"params": params})).encode() + b"\n")

    def hear(self) -> dict[str, Any]:
        """Return the next answer."""
        assert self.popen.stdout is not None
        deadline = time.monotonic() + LIMIT_S
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.popen.stdout], [], [], max(deadline - time.monotonic(), 0))
            assert ready, "no answer"
            chunk = os.read(self.popen.stdout.fileno(), 65536)
            assert chunk, "the relay is gone"
            self._read += chunk
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read[:] = rest
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, method: str, params: object = None, message_id: object = 1) -> dict[str, Any]:
        answer = self.send(method, params, message_id).hear()
        assert answer["id"] == message_id
        return answer

    def use(self, tool: str, **arguments: object) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        return found

    def end(self) -> tuple[int, bytes, bytes]:
        """End its input; return its exit code and what it said that was not heard yet, on both streams."""
        out, err = self.popen.communicate(timeout=LIMIT_S)
        return self.popen.returncode, bytes(self._read) + out, err


@contextmanager
def started(
    where: Paths, argv: Sequence[str] = ARGV, *, cwd: Path | bytes | None = None, **more: str
) -> Iterator[Process]:
    pipe = subprocess.PIPE
    popen = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env=env(where, **more), cwd=cwd or "/")
    try:
        yield Process(popen)
    finally:
        popen.kill()
        popen.communicate()


# --- with a daemon ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("argv", [ARGV, COMMAND])
def test_it_starts_the_daemon_and_carries_a_session(where: Paths, argv: Sequence[str]) -> None:
    with started(where, argv) as process:
        answer = process.ask("initialize", {"protocolVersion": "2025-11-25"}, "a")
        assert answer["result"]["serverInfo"]["name"] == "wisen"
        process.say(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        assert len(process.ask("tools/list")["result"]["tools"]) == 5
        assert process.use("status")["isError"] is False
        assert process.end() == (0, b"", b"")
    assert is_running(where)


@pytest.mark.slow
def test_what_was_asked_before_the_input_ended_is_answered(where: Paths) -> None:
    with started(where) as process:
        for number in range(5):
            process.send("ping", message_id=number)
        code, out, err = process.end()
    assert (code, err) == (0, b"")
    assert [json.loads(line)["id"] for line in out.splitlines()] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_a_daemon_that_was_killed_is_found_again(where: Paths) -> None:
    with started(where) as process:
        process.ask("ping")
        for _ in range(2):
            daemon = psutil.Process(ensure_daemon(where).pid)
            daemon.kill()
            daemon.wait(LIMIT_S)
            assert process.ask("ping")["result"] == {}
            assert process.use("status")["isError"] is False


@pytest.mark.slow
def test_what_is_no_message_is_told_and_the_relay_goes_on(where: Paths) -> None:
    with started(where) as process:
        said = {
            b"nonsense\n": (-32700, None),
            b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n': (-32700, None),
            b"[]\n": (-32600, None),
            b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n': (-32600, None),
            b"7\n": (-32600, None),
            b"[" * 100_000 + b"\n": (-32700, None),
            b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n': (-32600, None),
            b'{"jsonrpc":"2.0","id":4,"method":7}\n': (-32600, 4),
            b'{"jsonrpc":"2.0","id":"' + b"x" * relay.LONGEST_LINE + b'"}\n': (-32600, None),
            b"y" * (3 * relay.LONGEST_LINE) + b"\n": (-32600, None),
        }
        for raw, (code, message_id) in said.items():
            answer = process.say(raw).hear()
            assert (answer["error"]["code"], answer["id"]) == (code, message_id), raw[:50]
        process.say(b"\n \n\r\n")
        assert process.ask("ping", message_id="after")["result"] == {}


@pytest.mark.slow
def test_a_long_text_arrives_whole_in_small_pieces(where: Paths) -> None:
    with started(where) as process:
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "nope", "params": {"x": "y" * 500_000}}).encode()
        for at in range(0, len(message), 100_000):
            process.say(message[at : at + 100_000])
        assert process.say(b"\n").hear()["error"]["code"] == -32601


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"plain", b"two words", "naïve".encode(), b"not\xffutf8", b"a\nb\r"])
def test_the_place_is_the_directory_it_was_started_in_whatever_its_name(
    where: Paths, tmp_path: Path, name: bytes
) -> None:
    place = os.fsencode(tmp_path) + b"/" + name
    os.mkdir(place)  # noqa: PTH102 - no text names it
    for command in (
        ["init", "-q"],
        ["-c", "user.name=D", "-c", "user.email=d@e", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(["git", *command], cwd=place, check=True, capture_output=True)
    with started(where, cwd=place) as process:
        found = process.use("remember", text="We use pnpm here, not npm.")
        assert found["structuredContent"]["standing"] == "waits for review"
        assert process.use("status")["structuredContent"]["waiting"] == 1
    with started(where, cwd=tmp_path) as process:
        assert process.use("status")["structuredContent"]["waiting"] == 0


@pytest.mark.slow
def test_no_daemon_is_started_where_its_user_took_wisen_out(where: Paths) -> None:
    taken_out.note(where, "claude-code")
    with started(where) as process:
        error = process.ask("ping")["error"]
        assert (error["code"], "was taken out of claude-code" in error["message"]) == (-32603, True)
    assert not is_running(where)


@pytest.mark.slow
def test_nothing_begins_anew_what_was_deleted_after_wisen_was_taken_out(where: Paths) -> None:
    ensure_daemon(where, env=env(where))
    stop_daemon(where)
    for file in where.data_dir.glob("control.db*"):
        file.unlink()
    manifest.path(where).unlink()
    with started(where) as process:
        assert "the memories were deleted" in process.ask("ping")["error"]["message"]
    assert not where.control_file.exists()


@pytest.mark.slow
def test_a_daemon_that_does_not_start_is_told_and_tried_again(where: Paths) -> None:
    where.data_dir.write_text("in the way")
    with started(where) as process:
        assert process.ask("ping")["error"]["code"] == -32603
        assert process.ask("ping")["error"]["code"] == -32603
        where.data_dir.unlink()
        deadline = time.monotonic() + LIMIT_S
        while "result" not in process.ask("ping"):
            assert time.monotonic() < deadline
            time.sleep(0.2)


# --- with a stand-in for the daemon -----------------------------------------------------------------------------


def test_it_says_where_the_agent_works_and_sends_the_message_as_it_came(where: Paths, tmp_path: Path) -> None:
    message = b'{ "jsonrpc":"2.0",  "id":1, "method":"ping" }'
    with Recorder.listening(where.socket, answer=http(HEALTH)) as daemon:
        with started(where, cwd=tmp_path, CLAUDE_CODE_SESSION_ID="s 1\r\nx-evil: 1") as process:
            assert process.say(message + b"\n").hear()["version"] == __version__
        (sent,) = [one for one in daemon.received if one.line.startswith("POST")]
    assert (sent.line, sent.body) == ("POST /v1/mcp HTTP/1.1", message)
    assert sent.headers["x-wisen-harness"] == "claude-code"
    assert sent.headers["x-wisen-cwd"] == str(tmp_path)
    assert sent.headers["x-wisen-session"] == "s%201%0D%0Ax-evil%3A%201"
    assert "x-evil" not in sent.headers


def test_a_session_is_named_to_the_harness_whose_it_is_alone(where: Paths) -> None:
    argv = (*ARGV[:-1], "opencode")
    with Recorder.listening(where.socket, answer=http(HEALTH)) as daemon:
        with started(where, argv, CLAUDE_CODE_SESSION_ID="s1") as process:
            process.send("ping").hear()
        (sent,) = [one for one in daemon.received if one.line.startswith("POST")]
    assert (sent.headers["x-wisen-harness"], "x-wisen-session" in sent.headers) == ("opencode", False)


def test_an_answer_of_several_lines_is_one_line(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http(HEALTH.replace(b", ", b",\n"))), started(where) as process:
        assert process.send("ping").hear()["version"] == __version__
        assert process.end()[1] == b""


def test_what_the_daemon_refuses_is_an_error_by_the_id(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http(HEALTH)) as daemon, started(where) as process:
        process.send("ping").hear()
        daemon.answer = http(b'{"detail": "nothing was kept", "hint": "try again"}', status="503 Unavailable")
        said = {"code": -32603, "message": "nothing was kept (try again)"}
        assert process.ask("ping", message_id="b")["error"] == said
        daemon.answer = b"garbage\r\n\r\n"
        assert process.ask("ping", message_id="c")["error"]["code"] == -32603
        daemon.answer = b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\ncut"
        assert process.ask("ping", message_id="d")["error"]["code"] == -32603


def _is_silent(process: Process, daemon: Recorder) -> None:
    """Have the daemon take a request and never answer it."""
    process.send("ping").hear()
    before = len(daemon.received)
    daemon.answer = SILENCE
    process.send("tools/call", {"name": "status"}, "hangs")
    deadline = time.monotonic() + LIMIT_S
    while len(daemon.received) == before:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.slow
def test_it_ends_with_its_input_also_while_the_daemon_hangs(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http(HEALTH)) as daemon, started(where) as process:
        _is_silent(process, daemon)
        assert process.end()[:2] == (0, b"")


def test_what_was_cancelled_is_not_answered(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http(HEALTH)) as daemon, started(where) as process:
        _is_silent(process, daemon)
        process.send("ping", message_id="waits").send("ping", message_id="next")
        for message_id in ("hangs", "waits", "unknown"):
            params = {"requestId": message_id, "reason": "enough"}
            process.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).encode())
            process.say(b"\n")
        daemon.answer = http(HEALTH)
        daemon.released.set()  # now it answers what hung
        code, out, _ = process.end()
        posts = [json.loads(one.body)["id"] for one in daemon.received if one.line.startswith("POST")]
    assert code == 0
    assert len(out.splitlines()) <= 1  # that of `next`, unless the stand-in was gone before
    assert "waits" not in posts


@pytest.mark.slow
def test_it_ends_when_nobody_reads_its_answers(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http(HEALTH)), started(where) as process:
        process.send("ping").hear()
        assert process.popen.stdout is not None
        process.popen.stdout.close()
        process.send("ping").send("ping")
        assert process.popen.wait(LIMIT_S) == 0


def _lives(process: psutil.Process) -> bool:
    """Whether a process has not ended; one that nobody took note of has."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_with_the_process_that_started_it(where: Paths, how: signal.Signals) -> None:
    """Whose end closes no pipe: another process holds it open."""
    taken_out.note(where, "claude-code")  # no daemon is needed
    reading, writing = os.pipe()
    starter = "import subprocess,sys,time; p=subprocess.Popen(sys.argv[1:]); print(p.pid, flush=True); time.sleep(60)"
    parent = subprocess.Popen(
        [sys.executable, "-c", starter, *ARGV], stdin=reading, stdout=subprocess.PIPE, env=env(where)
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    os.write(writing, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert json.loads(parent.stdout.readline())["id"] == 1
    parent.send_signal(how)
    parent.wait(LIMIT_S)
    deadline = time.monotonic() + LIMIT_S
    while _lives(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    parent.stdout.close()
    os.close(reading)
    os.close(writing)


# --- lines ------------------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=20)), st.integers(min_value=1, max_value=7))
def test_lines_are_the_same_in_whatever_pieces_they_come(parts: list[bytes], size: int) -> None:
    data = b"\n".join(parts) + b"\n"
    lines = relay.Lines()
    found = [line for at in range(0, len(data), size) for line in lines.feed(data[at : at + size])]
    assert found == [line for line in data.split(b"\n") if line.strip()]


@pytest.mark.parametrize("over", [0, 1, relay.LONGEST_LINE])
def test_of_a_line_that_is_too_long_only_that_it_came_is_kept(over: int) -> None:
    lines = relay.Lines()
    long = b"x" * (relay.LONGEST_LINE + over)
    assert lines.feed(long) == []
    assert lines.feed(b"\nnext\n") == [long if not over else None, b"next"]


def test_it_loads_little() -> None:
    shown = "import sys, wisen.relay; print('\\n'.join(sorted(name.partition('.')[0] for name in sys.modules)))"
    done = subprocess.run([sys.executable, "-I", "-c", shown], capture_output=True, text=True, check=True)
    known = set(sys.stdlib_module_names) | {"wisen", "__editable___wisen_finder", "_distutils_hack"}
    foreign = {name for name in done.stdout.split() if name not in known and not name.startswith(("_", "sitecustom"))}
    assert foreign == set()
    assert not {"subprocess", "asyncio", "pathlib", "http", "ssl", "logging"} & set(done.stdout.split())

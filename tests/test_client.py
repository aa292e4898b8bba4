from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire import SILENCE, TINY_DAEMON, Recorder, a_home, http, is_running
from wisen import __version__, client, connection, lockfile, spawn
from wisen.client import Client, ensure_daemon, stop_daemon, version_key
from wisen.config import Paths, paths
from wisen.errors import (
    Conflict,
    DaemonUnavailable,
    InvalidValue,
    NotFound,
    Refused,
    StoreDamaged,
    UsageError,
    WisenError,
)


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "DAEMON_ARGV", (sys.executable, "-I", str(TINY_DAEMON)))


def env(where: Paths, **more: str) -> dict[str, str]:
    return {"WISEN_HOME": str(where.config_file.parent), **more}


# --- calls ------------------------------------------------------------------------------------------------------


def test_a_call_sends_json_and_returns_what_was_answered(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=http('{"memories":["é"]}'.encode())) as daemon:
        assert Client(where).call("POST", "/v1/recall?cwd=%2Fr", {"query": "naïve \N{GRINNING FACE}"}) == {
            "memories": ["é"]
        }
        assert Client(where).call("GET", "/v1/status") is not None
    post, get = daemon.received
    assert post.line == "POST /v1/recall?cwd=%2Fr HTTP/1.1"
    assert json.loads(post.body) == {"query": "naïve \N{GRINNING FACE}"}
    assert post.headers["x-wisen-version"] == __version__
    assert get.body == b""


def test_an_empty_answer_is_none(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=b"HTTP/1.1 204 No Content\r\n\r\n"):
        assert Client(where).call("POST", "/v1/shutdown") is None


@pytest.mark.parametrize(
    "kind", [WisenError, NotFound, Conflict, Refused, InvalidValue, UsageError, StoreDamaged, DaemonUnavailable]
)
def test_an_error_comes_back_as_what_it_was_raised_as(where: Paths, kind: type[WisenError]) -> None:
    problem = {"title": "t", "status": 500, "code": kind.code, "detail": "what happened", "hint": "what to do"}
    answer = http(json.dumps(problem).encode(), status=f"{kind.http_status} Problem")
    with Recorder.listening(where.socket, answer=answer), pytest.raises(WisenError) as raised:
        Client(where).call("GET", "/v1/status")
    assert type(raised.value) is kind
    assert (raised.value.message, raised.value.hint) == ("what happened", "what to do")


@pytest.mark.parametrize("body", [b'{"code":"from-the-future","detail":"d"}', b'"text"', b"[]", b""])
def test_an_error_that_is_not_known_is_still_one_of_ours(where: Paths, body: bytes) -> None:
    with Recorder.listening(where.socket, answer=http(body, status="418 Teapot")), pytest.raises(WisenError) as raised:
        Client(where).call("GET", "/v1/status")
    assert type(raised.value) is WisenError


@pytest.mark.parametrize(
    "answer",
    [b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", http(b"<html>"), http(b"{}")[:-1], b"\r\n"],
    ids=["not http", "no number", "not json", "cut", "empty"],
)
def test_an_answer_that_is_not_wisens_is_an_unavailable_daemon(where: Paths, answer: bytes) -> None:
    with Recorder.listening(where.socket, answer=answer), pytest.raises(DaemonUnavailable):
        Client(where).call("GET", "/v1/status")


def test_without_a_daemon_the_socket_is_named(where: Paths) -> None:
    with pytest.raises(DaemonUnavailable, match=str(where.socket)):
        Client(where).call("GET", "/v1/status")


def test_silence_ends_after_the_time_that_was_given(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=SILENCE), pytest.raises(DaemonUnavailable, match=r"0\.1 s"):
        Client(where).call("GET", "/v1/status", timeout_s=0.1)


@pytest.mark.fault("B25")
def test_a_stranger_who_answers_well_is_sent_nothing(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "is_ours", lambda _: False)
    with Recorder.listening(where.socket, answer=http(b'{"status":"ok"}')) as stranger, pytest.raises(Refused):
        Client(where).call("POST", "/v1/memories", {"text": "private"})
    assert not stranger.received


@pytest.mark.parametrize("path", ["/v1/x y", "/v1/x\r\nevil: 1", "/v1/é", "/v1/\x00"])
def test_a_path_can_not_smuggle_a_header(where: Paths, path: str) -> None:
    with Recorder.listening(where.socket) as daemon, pytest.raises(InvalidValue):
        Client(where).call("GET", path)
    assert not daemon.received


# --- versions ---------------------------------------------------------------------------------------------------


@pytest.mark.fault("B23")
def test_versions_are_compared_as_versions() -> None:
    rising = ["junk", "0.1.0.dev1", "0.1.0.dev2", "0.1.0a1", "0.1.0b1", "0.1.0rc1", "0.1.0", "0.1.0.post1", "0.1.1"]
    rising += ["0.9", "0.10", "1.9.0", "1.10.0", "2"]
    assert sorted(rising, key=version_key) == rising
    assert version_key("1.10") == version_key("1.10.0")


@given(st.lists(st.integers(0, 99), min_size=1, max_size=4), st.lists(st.integers(0, 99), min_size=1, max_size=4))
def test_releases_are_ordered_by_their_numbers(one: list[int], other: list[int]) -> None:
    padded_one, padded_other = ([*numbers, 0, 0, 0][:4] for numbers in (one, other))
    keys = [version_key(".".join(map(str, numbers))) for numbers in (one, other)]
    assert (keys[0] < keys[1]) == (padded_one < padded_other)


# --- presence ---------------------------------------------------------------------------------------------------


def test_a_daemon_is_started_once_and_then_found(where: Paths, tiny: None) -> None:
    first = ensure_daemon(where, wait_s=20, env=env(where))
    assert first.version == __version__
    assert ensure_daemon(where, env=env(where)) == first
    assert is_running(where)
    assert stop_daemon(where)
    assert not is_running(where)
    assert not stop_daemon(where)


@pytest.mark.slow
def test_an_older_daemon_is_replaced_and_a_newer_one_is_used(where: Paths, tiny: None) -> None:
    argv = [sys.executable, "-I", str(TINY_DAEMON)]
    with subprocess.Popen([*argv, "0.0.9"], env=env(where)) as older:
        _until_healthy(where, "0.0.9")
        assert ensure_daemon(where, wait_s=20, env=env(where)).version == __version__
        assert older.wait(timeout=10) == 0
    stop_daemon(where)
    with subprocess.Popen([*argv, "99.0"], env=env(where)) as newer:
        _until_healthy(where, "99.0")
        assert ensure_daemon(where, wait_s=20, env=env(where)).pid == newer.pid
        stop_daemon(where)


def failing(monkeypatch: pytest.MonkeyPatch, where: Paths, script: str) -> DaemonUnavailable:
    """Return how a daemon is missed that is this script."""
    monkeypatch.setattr(spawn, "DAEMON_ARGV", (sys.executable, "-I", "-S", "-c", script))
    with pytest.raises(DaemonUnavailable) as raised:
        ensure_daemon(where, wait_s=20, env=env(where))
    return raised.value


def test_a_daemon_that_can_not_start_says_why_and_what_helps(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    where.log_file.write_text("an older story\n")
    script = "import sys; sys.stderr.write('the disk is full\\nhint: make room\\n'); raise SystemExit(1)"
    error = failing(monkeypatch, where, script)
    assert (error.message, error.hint) == ("the daemon did not start: the disk is full", "make room")


def test_a_daemon_that_dies_of_its_interpreter_is_explained_by_the_error(
    where: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = failing(monkeypatch, where, "import no_such_module")
    assert error.message.endswith("ModuleNotFoundError: No module named 'no_such_module'")
    assert error.hint == DaemonUnavailable.default_hint


@pytest.mark.parametrize(("how", "said"), [("a", "this start's"), ("w", "this start's")], ids=["goes on", "anew"])
def test_a_daemon_that_fails_later_is_explained_by_its_log(
    where: Paths, monkeypatch: pytest.MonkeyPatch, how: str, said: str
) -> None:
    where.log_file.write_text("an older story, longer than the new one\n")
    script = f"open({str(where.log_file)!r}, {how!r}).write('begins\\nthis start\\'s\\n'); raise SystemExit(1)"
    assert failing(monkeypatch, where, script).message == f"the daemon did not start: {said}"


def test_an_older_story_in_the_log_explains_nothing(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    where.log_file.write_text("an older story\n")
    error = failing(monkeypatch, where, "raise SystemExit(1)")
    assert error.message == "the daemon did not start: it stopped at once"


def test_a_daemon_that_hangs_is_what_is_wrong_not_what_it_logged(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "DAEMON_ARGV", ("/bin/sleep", "1"))  # a real one would outwait the test, and stay
    where.log_file.write_text("an older story\n")
    with Recorder.listening(where.socket, answer=SILENCE), pytest.raises(DaemonUnavailable) as raised:
        ensure_daemon(where, wait_s=0.2, env=env(where))
    assert raised.value.message == f"the daemon at {where.socket} did not answer within 0.2 s"


def test_a_home_that_is_a_file_has_no_daemon_and_no_log(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = paths({"WISEN_HOME": str(tmp_path / "file")})
    assert not is_running(nowhere)
    assert client.log_tail(nowhere, 1) == []


def test_a_log_that_is_a_directory_is_an_error_of_ours(where: Paths) -> None:
    where.log_file.mkdir()
    with pytest.raises(Refused, match=r"daemon\.log: Is a directory"):
        client.log_tail(where, 1)


def test_a_daemon_of_another_state_directory_is_stopped_with_ours(where: Paths, tiny: None) -> None:
    """Both have the same memories: who erases them must know that nobody has them open."""
    with a_home() as other:
        pid = ensure_daemon(other, wait_s=20, env=env(other)).pid
        shared = replace(where, data_dir=other.data_dir)
        assert not is_running(shared)
        assert client.Place.holding(shared.data_lock_file) == client.Place(pid=pid, socket=other.socket)
        assert stop_daemon(shared)
        assert not is_running(other)
        assert not stop_daemon(shared)


def test_the_end_of_the_log_is_what_was_said_last(where: Paths) -> None:
    assert client.log_tail(where, 2) == []
    where.log_file.write_bytes(b"one\ntwo\nthr\xffee\n")
    assert client.log_tail(where, 2) == ["two", "thr\\xffee"]


def test_a_daemon_that_does_not_come_is_not_waited_for_forever(where: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "DAEMON_ARGV", ("/bin/true",))
    with pytest.raises(DaemonUnavailable):
        ensure_daemon(where, wait_s=0.2, env=env(where))


def test_a_daemon_that_hangs_is_killed_when_it_is_stopped(where: Paths, tiny: None) -> None:
    pid = ensure_daemon(where, wait_s=20, env=env(where)).pid
    os.kill(pid, signal.SIGSTOP)
    assert stop_daemon(where, wait_s=0.4)
    assert not is_running(where)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def test_without_a_home_nothing_runs(where: Paths) -> None:
    assert not is_running(where)
    assert not stop_daemon(where)


# --- whose process is it? -----------------------------------------------------------------------------------------


def test_a_daemon_whose_lock_files_were_deleted_is_found_by_its_socket(where: Paths, tiny: None) -> None:
    pid = ensure_daemon(where, wait_s=20, env=env(where)).pid
    where.lock_file.unlink()
    where.data_lock_file.unlink()
    assert is_running(where)
    assert stop_daemon(where)
    assert not is_running(where)
    assert os.waitpid(pid, 0)[1] == 0


@contextmanager
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with wisen, and must live."""
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        try:
            yield process
            assert process.poll() is None, "a stranger's process was ended"
        finally:
            process.kill()


@contextmanager
def locked(lock: Path, words: str) -> Iterator[None]:
    """Somebody holds a lock, with whatever words in it."""
    fd = lockfile.take(lock, words)
    assert fd is not None
    try:
        yield
    finally:
        os.close(fd)


def test_a_process_that_a_strangers_lock_names_is_left_alone(where: Paths) -> None:
    with (
        bystander() as process,
        locked(where.lock_file, str(process.pid)),
        pytest.raises(DaemonUnavailable, match=f"process {process.pid}.*left alone") as raised,
    ):
        stop_daemon(where, wait_s=0.2)
    assert f"ps -p {process.pid}" in raised.value.hint


def test_the_lock_of_the_memories_is_no_proof_either(where: Paths) -> None:
    where.data_dir.mkdir(exist_ok=True)
    with (
        bystander() as process,
        locked(where.data_lock_file, f"{process.pid}\n{where.socket}"),
        pytest.raises(DaemonUnavailable, match="left alone"),
    ):
        stop_daemon(where, wait_s=0.2)


def test_the_daemon_that_listens_is_stopped_whoever_the_lock_names(where: Paths, tiny: None) -> None:
    ensure_daemon(where, wait_s=20, env=env(where))
    where.lock_file.unlink()
    with bystander() as process, locked(where.lock_file, str(process.pid)):
        assert stop_daemon(where)
        with pytest.raises(DaemonUnavailable):
            Client(where).call("GET", "/v1/health")


@pytest.mark.parametrize("answer", [SILENCE, http(b'{"status":"ok"}')], ids=["silent", "friendly"])
def test_a_program_of_the_same_user_that_is_not_wisen_is_not_ended(where: Paths, answer: bytes) -> None:
    """It is this very process that listens: were it signalled, there would be no result."""
    with Recorder.listening(where.socket, answer=answer), pytest.raises(DaemonUnavailable, match="left alone"):
        stop_daemon(where, wait_s=0.2)


def test_a_daemon_that_hangs_and_can_not_be_proven_is_named_and_left(where: Paths, tiny: None) -> None:
    pid = ensure_daemon(where, wait_s=20, env=env(where)).pid
    where.lock_file.unlink()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(DaemonUnavailable, match=f"process {pid}"):
        stop_daemon(where, wait_s=0.4)
    os.kill(pid, signal.SIGCONT)
    assert stop_daemon(where)


def _until_healthy(where: Paths, version: str) -> None:
    """Wait until a daemon of that version answers."""
    for _ in range(1000):
        try:
            if Client(where).call("GET", "/v1/health")["version"] == version:
                return
        except DaemonUnavailable:
            client.time.sleep(0.01)  # type: ignore[attr-defined]
    raise AssertionError(version)

"""The daemon as a process: one a user, newest wins, and it goes cleanly. Its application is the one of tiny.py."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from tests.wire import SILENCE, TINY_DAEMON, Recorder, a_home, a_payload, http, is_running, run_hook, spooled

from wisen import hotpath
from wisen.client import Client, stop_daemon
from wisen.config import Paths
from wisen.daemon import lifecycle
from wisen.daemon.stop import Stop
from wisen.errors import Conflict, DaemonUnavailable, Refused

TINY = (sys.executable, "-I", str(TINY_DAEMON))


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def test_the_first_start_binds_a_private_socket(where: Paths) -> None:
    with a_daemon(where):
        assert where.socket.stat().st_mode & 0o777 == 0o600
        assert where.run_dir.stat().st_mode & 0o777 == 0o700
        assert where.lock_file.read_text() == str(health(where)["pid"])


@pytest.mark.fault("B23")
@pytest.mark.slow
def test_of_twenty_starts_at_once_one_becomes_the_daemon(where: Paths) -> None:
    processes = [start(where) for _ in range(20)]
    wait_for(lambda: len(starts(where)) == 20)
    assert sorted(starts(where)) == ["0.1.0 lost"] * 19 + ["0.1.0 won"]
    assert len(set(pids(where))) == 1
    stop_daemon(where)
    assert [process.wait(timeout=10) for process in processes] == [0] * 20


@pytest.mark.fault("B23")
@pytest.mark.slow
def test_twenty_sessions_that_start_at_once_share_one_daemon(where: Paths) -> None:
    home = where.config_file.parent
    script = f'echo >>"{home}/spawned"; WISEN_TEST_IDLE_S=20 exec "$@"'
    daemon = ("/usr/bin/env", f"WISEN_HOME={home}", "/bin/sh", "-c", script, "sh", *TINY)
    with ThreadPoolExecutor(20) as pool:
        runs = list(pool.map(lambda _: run_hook(where, a_payload("SessionStart"), daemon=daemon), range(20)))
    wait_for(lambda: len(starts(where)) == len(_lines(where, "spawned")) > 0)
    assert starts(where).count("0.1.0 won") == 1
    assert len({pid_in(run.stdout) for run in runs if run.stdout}) <= 1
    stop_daemon(where)


@pytest.mark.parametrize(("running", "starting"), [("1.10.0", "1.9.0"), ("1.10.0", "1.10.0"), ("2.0", "2.0rc1")])
def test_a_daemon_that_is_as_new_stays(where: Paths, running: str, starting: str) -> None:
    with a_daemon(where, running):
        pid = health(where)["pid"]
        assert start(where, starting).wait(timeout=10) == 0
        assert health(where) == {"version": running, "pid": pid, "ready": True, "protocol": 1}


@pytest.mark.fault("B23")
@pytest.mark.slow
def test_a_newer_daemon_takes_over_from_an_older_one_once(where: Paths) -> None:
    with a_daemon(where, "1.9.0") as older:
        newer = [start(where, "1.10.0") for _ in range(5)]
        assert older.wait(timeout=10) == 0
        wait_for(lambda: len(starts(where)) == 6)
        assert sorted(starts(where))[-2:] == ["1.10.0 won", "1.9.0 won"]
        assert starts(where).count("1.10.0 won") == 1
        assert health(where)["version"] == "1.10.0"
        assert closed(where) == ["1.9.0"]
        stop_daemon(where)
        assert [process.wait(timeout=10) for process in newer] == [0] * 5


@pytest.mark.fault("B27")
def test_a_killed_daemon_leaves_nothing_in_the_way(where: Paths) -> None:
    with a_daemon(where) as first:
        first.kill()
        first.wait()
        assert where.socket.exists()
        assert not is_running(where)
    with a_daemon(where):
        assert health(where)["ready"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly(where: Paths, number: signal.Signals) -> None:
    with a_daemon(where) as daemon:
        daemon.send_signal(number)
        assert daemon.wait(timeout=10) == 0
    assert closed(where) == ["0.1.0"]
    assert not where.socket.exists()
    assert not is_running(where)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_before_anything_is_there_is_heard(where: Paths, number: signal.Signals) -> None:
    """Sent as soon as the handlers are there: before the place is claimed, and before the application is built."""
    with start(where, env={"WISEN_TEST_SIGNAL": str(int(number))}) as daemon:
        assert daemon.wait(timeout=10) == 0
    assert starts(where) == ["0.1.0 lost"]
    assert not where.socket.exists()


@pytest.mark.fault("B27")
def test_each_part_is_closed_even_if_one_fails(where: Paths) -> None:
    with a_daemon(where, env={"WISEN_TEST_FAIL_CLOSE": "1"}) as daemon:
        daemon.terminate()
        assert daemon.wait(timeout=10) == 1
    assert closed(where) == ["0.1.0"]
    assert not where.socket.exists()
    assert not is_running(where)
    assert where.log_file.read_text().splitlines()[-1] == "RuntimeError: this part does not close"


def test_without_requests_it_leaves(where: Paths) -> None:
    with a_daemon(where, env={"WISEN_TEST_IDLE_S": "0.3"}) as daemon:
        assert daemon.wait(timeout=10) == 0
    assert closed(where) == ["0.1.0"]


def test_a_daemon_whose_socket_was_deleted_leaves(where: Paths) -> None:
    with a_daemon(where) as daemon:
        where.socket.unlink()
        assert daemon.wait(timeout=10) == 0
    assert closed(where) == ["0.1.0"]


@pytest.mark.parametrize("name", ["lock_file", "data_lock_file"])
def test_a_daemon_whose_lock_was_deleted_leaves(where: Paths, name: str) -> None:
    """Another might start beside it and have the same memories open."""
    with a_daemon(where) as daemon:
        getattr(where, name).unlink()
        assert daemon.wait(timeout=10) == 0
    assert closed(where) == ["0.1.0"]
    assert not where.socket.exists()


@pytest.mark.fault("B22")
def test_the_end_of_a_child_session_leaves_the_daemon_alone(where: Paths) -> None:
    with a_daemon(where) as daemon:
        for event in ("SessionStart", "SessionEnd"):
            run_hook(where, a_payload(event, reason="other"), env={"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"})
        assert health(where)["pid"] == daemon.pid
        assert pid_in(run_hook(where, a_payload("SessionStart")).stdout) == daemon.pid


def test_a_session_start_waits_for_the_daemon_that_it_starts(where: Paths) -> None:
    daemon = ("/usr/bin/env", f"WISEN_HOME={where.config_file.parent}", *TINY)
    run = run_hook(where, a_payload("SessionStart"), daemon=daemon)
    assert (run.code, run.stderr) == (0, b"")
    assert pid_in(run.stdout) == health(where)["pid"]
    assert run_hook(where, a_payload("SessionStart"), daemon=daemon).stdout == run.stdout
    stop_daemon(where)


def test_a_prompt_starts_it_for_the_next_one_and_does_not_wait(where: Paths) -> None:
    daemon = ("/usr/bin/env", f"WISEN_HOME={where.config_file.parent}", *TINY)
    run = run_hook(where, a_payload("UserPromptSubmit"), daemon=daemon)
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert [entry["event"] for entry in spooled(where)] == ["UserPromptSubmit"]
    wait_for(lambda: starts(where) == ["0.1.0 won"])
    assert pid_in(run_hook(where, a_payload("UserPromptSubmit"), daemon=daemon).stdout) == health(where)["pid"]
    stop_daemon(where)


def test_a_daemon_that_cannot_be_built_is_not_started_again_at_every_prompt(where: Paths) -> None:
    home = where.config_file.parent
    script = f'echo >>"{home}/spawned"; WISEN_TEST_FAIL_BUILD=1 exec "$@"'
    daemon = ("/usr/bin/env", f"WISEN_HOME={home}", "/bin/sh", "-c", script, "sh", *TINY)
    mark = where.spool_dir / lifecycle.START_MARK
    run_hook(where, a_payload("SessionStart"), daemon=daemon)
    wait_for(lambda: "this one can't be built" in where.log_file.read_text() and not is_running(where))
    long_ago = time.time() - hotpath.DEADLINES_S[b"SessionStart"] - 1
    os.utime(mark, (long_ago, long_ago))
    for event in ("UserPromptSubmit", "SessionStart", "UserPromptSubmit"):
        run = run_hook(where, a_payload(event), daemon=daemon)
        assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
        assert run.seconds < hotpath.DEADLINES_S[b"SessionStart"], "a session start does not wait for it either"
    assert len(_lines(where, "spawned")) == 1
    os.utime(mark, (long_ago - hotpath.REST_S, long_ago - hotpath.REST_S))
    run_hook(where, a_payload("UserPromptSubmit"), daemon=daemon)
    wait_for(lambda: len(_lines(where, "spawned")) == 2)
    assert len(spooled(where)) == 5


def test_a_daemon_that_came_up_and_was_killed_is_started_again_at_once(where: Paths) -> None:
    daemon = ("/usr/bin/env", f"WISEN_HOME={where.config_file.parent}", *TINY)
    first = run_hook(where, a_payload("SessionStart"), daemon=daemon)
    assert not (where.spool_dir / lifecycle.START_MARK).exists()
    os.kill(int(str(health(where)["pid"])), signal.SIGKILL)
    wait_for(lambda: not is_running(where))
    second = run_hook(where, a_payload("SessionStart"), daemon=daemon)
    assert pid_in(second.stdout) == health(where)["pid"] != pid_in(first.stdout)


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "PreCompact", "SessionEnd"])
def test_other_events_start_nothing(where: Paths, event: str) -> None:
    mark = where.state_dir / "started"
    run_hook(where, a_payload(event), daemon=("/usr/bin/touch", str(mark)))
    assert not mark.exists()


# --- two state directories, one data directory: a terminal that exports XDG_STATE_HOME -------------------------------


@pytest.fixture
def two() -> Iterator[tuple[Paths, Paths]]:
    """The places of two terminals that agree about the memories and not about the socket."""
    with a_home() as one, a_home() as other:
        (one.config_file.parent / "data").mkdir()
        (other.config_file.parent / "data").symlink_to(one.config_file.parent / "data")
        yield one, other
        for where in (one, other):
            stop_daemon(where)


def test_never_do_two_daemons_have_the_same_memories_open(two: tuple[Paths, Paths]) -> None:
    """The one that was asked for last has them; the other one has closed everything before."""
    one, other = two
    with a_daemon(one) as first, a_daemon(other) as second:
        assert first.wait(timeout=10) == 0
        assert closed(one) == ["0.1.0"]
        assert health(other)["pid"] == second.pid
        assert not is_running(one)
        with a_daemon(one) as third:
            assert second.wait(timeout=10) == 0
            assert health(one)["pid"] == third.pid


def test_a_newer_wisen_is_not_sent_off(two: tuple[Paths, Paths]) -> None:
    one, other = two
    with a_daemon(one, "99.0") as newer, pytest.raises(Conflict, match=r"99\.0.*process"):
        lifecycle.claim(other, stop=Stop())
    assert newer.poll() is not None
    assert not is_running(other)


def test_one_that_hangs_elsewhere_is_named(two: tuple[Paths, Paths]) -> None:
    one, other = two
    with a_daemon(one) as hangs:
        hangs.send_signal(signal.SIGSTOP)
        with pytest.raises(DaemonUnavailable, match=f"process {hangs.pid}") as raised:
            lifecycle.claim(other, stop=Stop(), wait_s=0.3)
        assert "daemon stop" in raised.value.hint
        assert stop_daemon(other, wait_s=0.4)
        assert hangs.wait(timeout=10) == -signal.SIGKILL


# --- claim ------------------------------------------------------------------------------------------------------


def test_a_claim_is_held_until_it_is_left(where: Paths) -> None:
    place = lifecycle.claim(where, stop=Stop())
    assert place
    assert not place.loss()
    assert is_running(where)
    place.leave()
    assert not where.socket.exists()
    assert not is_running(where)


def test_leaving_does_not_remove_a_successors_socket(where: Paths) -> None:
    place = lifecycle.claim(where, stop=Stop())
    assert place
    where.socket.unlink()
    where.socket.write_text("another's")
    assert place.loss().endswith("is gone, or another's")
    place.leave()
    assert where.socket.exists()


def test_a_start_that_was_told_to_stop_claims_nothing(where: Paths) -> None:
    stop = Stop()
    stop.ask()
    assert lifecycle.claim(where, stop=stop) is None
    assert not where.socket.exists()


@pytest.mark.fault("B27")
def test_a_file_in_the_sockets_place_is_left_there(where: Paths) -> None:
    where.socket.write_text("precious")
    with pytest.raises(Conflict):
        lifecycle.claim(where, stop=Stop())
    assert where.socket.read_text() == "precious"
    assert not is_running(where)


@pytest.mark.parametrize("open_to", [0o755, 0o770, 0o777])
def test_a_directory_that_is_open_to_others_is_refused(where: Paths, open_to: int) -> None:
    where.run_dir.chmod(open_to)
    with pytest.raises(Refused):
        lifecycle.claim(where, stop=Stop())


def test_a_link_in_the_directorys_place_is_refused(where: Paths) -> None:
    elsewhere = where.state_dir / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    where.run_dir.rmdir()
    where.run_dir.symlink_to(elsewhere)
    with pytest.raises(Refused):
        lifecycle.claim(where, stop=Stop())


def test_a_daemon_that_does_not_answer_is_not_pushed_aside(where: Paths) -> None:
    with Recorder.listening(where.socket, answer=SILENCE), pytest.raises(DaemonUnavailable):
        lifecycle.claim(where, stop=Stop(), wait_s=0.2)


def test_a_program_that_is_not_wisen_is_not_taken_for_a_daemon(where: Paths) -> None:
    answer = http(b'{"status":"ok"}')
    with Recorder.listening(where.socket, answer=answer), pytest.raises(DaemonUnavailable):
        lifecycle.claim(where, stop=Stop(), wait_s=0.2)


def test_a_start_waits_for_one_that_is_leaving(where: Paths) -> None:
    fd = os.open(where.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX)
    timer = threading.Timer(0.2, os.close, (fd,))
    timer.start()
    place = lifecycle.claim(where, stop=Stop())
    timer.join()
    assert place
    place.leave()


def test_a_lock_file_that_was_deleted_does_not_count(where: Paths) -> None:
    fd = os.open(where.lock_file, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_EX)
    where.lock_file.unlink()
    place = lifecycle.claim(where, stop=Stop())
    assert place
    place.leave()
    os.close(fd)


# --- what these tests are made of ---------------------------------------------------------------------------------


def start(where: Paths, version: str = "0.1.0", env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*TINY, version], env={"WISEN_HOME": str(where.config_file.parent), **(env or {})}, stdin=subprocess.DEVNULL
    )


@contextmanager
def a_daemon(
    where: Paths, version: str = "0.1.0", env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a daemon that listens, and end it."""
    before = len(starts(where))
    with start(where, version, env) as process:
        wait_for(lambda: len(starts(where)) > before)
        yield process
        if process.poll() is None:
            process.kill()


def pid_in(answer: bytes) -> int:
    """The daemon that gave a hook this answer."""
    return int(json.loads(answer)["hookSpecificOutput"]["additionalContext"].removeprefix("process "))


def health(where: Paths) -> Mapping[str, object]:
    found: Mapping[str, object] = Client(where).call("GET", "/v1/health")
    return found


def pids(where: Paths) -> list[object]:
    return [health(where)["pid"] for _ in range(3)]


def starts(where: Paths) -> list[str]:
    return _lines(where, "starts")


def closed(where: Paths) -> list[str]:
    return _lines(where, "closed")


def _lines(where: Paths, name: str) -> list[str]:
    file = where.config_file.parent / name
    return file.read_text().splitlines() if file.exists() else []


def wait_for(is_so: Callable[[], bool], limit_s: float = 20) -> None:
    """Return when it is so; fail after the limit."""
    deadline = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)

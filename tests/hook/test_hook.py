"""The hook as a process: what the harness sees of it, whatever the daemon does."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.wire import HOOK, SILENCE, Recorder, a_home, a_payload, hook_argv, http, run_hook, spooled

from wisen import __version__
from wisen.config import Paths
from wisen.install import manifest

CONTEXT = b'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}'
DEADLINES_S = {"PostToolUse": 0.25, "UserPromptSubmit": 0.4, "SessionStart": 1.5, "SessionEnd": 0.25}
START_S = 0.7  # what a loaded machine may need to get a Python process going and out


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found


def test_an_event_arrives_unchanged_and_its_answer_is_printed(where: Paths) -> None:
    payload = a_payload("UserPromptSubmit", prompt='naïve \N{GRINNING FACE} " \\ \x00') + b"\n"
    before = time.monotonic()
    with Recorder.listening(where.socket, answer=http(CONTEXT)) as daemon:
        run = run_hook(where, payload, env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
    assert (run.code, run.stdout, run.stderr) == (0, CONTEXT, b"")
    (request,) = daemon.received
    assert request.line == "POST /v1/hook/claude-code HTTP/1.1"
    assert request.body == payload
    assert request.headers["x-wisen-entrypoint"] == "cli"
    assert request.headers["x-wisen-version"] == __version__
    assert len(bytes.fromhex(request.headers["x-wisen-delivery"])) == 16
    assert before + 0.4 < float(request.headers["x-wisen-deadline"]) < time.monotonic() + 0.4
    assert spooled(where) == []


@pytest.mark.fault("B05")
@pytest.mark.parametrize(
    ("answer", "is_spooled"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", False),
        (http(b'{"code":"bad-payload"}', status="400 Bad Request"), True),
        (http(b'{"code":"store"}', status="500 Internal Server Error"), True),
        (http(b"plain text"), True),
        (http(b"{}"), True),
        (http(b""), False),
        (http(CONTEXT)[:-1], True),
        (b"HTTP/1.1 200 OK\r\n\r\n" + CONTEXT, True),
        (http(b"{" + b" " * 100_000), True),
        (b"not http at all", True),
        (b"\x00" * 200_000, True),
    ],
    ids=[
        "204",
        "400",
        "500",
        "not json",
        "says nothing",
        "empty",
        "cut",
        "no length",
        "too long",
        "not http",
        "endless",
    ],
)
def test_anything_but_a_whole_json_document_prints_nothing(where: Paths, answer: bytes, is_spooled: bool) -> None:
    with Recorder.listening(where.socket, answer=answer):
        run = run_hook(where, a_payload("UserPromptSubmit"))
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert bool(spooled(where)) == is_spooled


@pytest.mark.parametrize(("kept", "pointers"), [(b"no", 1), (b"yes", 0)])
def test_an_answer_of_a_daemon_that_could_not_keep_the_event_is_printed_and_the_event_is_spooled(
    where: Paths, kept: bytes, pointers: int
) -> None:
    notice = b'{"systemMessage":"wisen could not learn"}'
    answer = http(notice).replace(b"\r\n", b"\r\nx-wisen-kept: %b\r\n" % kept, 1)
    with Recorder.listening(where.socket, answer=answer):
        run = run_hook(where, a_payload("SessionStart"))
    assert (run.code, run.stdout, run.stderr) == (0, notice, b"")
    assert len(spooled(where)) == pointers
    answer = b"HTTP/1.1 204 No Content\r\nx-wisen-kept: %b\r\n\r\n" % kept
    with Recorder.listening(where.socket, answer=answer):
        run = run_hook(where, a_payload("PostToolUse"))
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert len(spooled(where)) == 2 * pointers


@pytest.mark.fault("B01")
@pytest.mark.row("F2")
@pytest.mark.parametrize("event", [*DEADLINES_S, "PreCompact", "NoSuchEvent"])
def test_without_a_daemon_an_event_ends_at_once_and_in_silence(where: Paths, event: str) -> None:
    runs = [run_hook(where, a_payload(event)) for _ in range(5 if event != "SessionStart" else 1)]
    assert {(run.code, run.stdout, run.stderr) for run in runs} == {(0, b"", b"")}
    assert min(run.seconds for run in runs) < (0.3 if event != "SessionStart" else 1.5 + START_S)
    assert {entry["event"] for entry in spooled(where)} == {event}


@pytest.mark.row("F2")
@pytest.mark.parametrize(
    "payload", [b"", b"\n", b"{", b"[]", b"null", b"\xff\xfe", b'{"hook_event_name":', b"x" * 70_000]
)
def test_a_payload_that_is_no_event_leaves_no_trace_without_a_daemon(where: Paths, payload: bytes) -> None:
    run = run_hook(where, payload)
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert spooled(where) == []


@pytest.mark.fault("B02")
@pytest.mark.parametrize("event", DEADLINES_S)
def test_a_daemon_that_never_answers_holds_an_event_up_to_its_deadline(where: Paths, event: str) -> None:
    with Recorder.listening(where.socket, answer=SILENCE) as daemon:
        run = run_hook(where, a_payload(event))
        assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
        assert DEADLINES_S[event] <= run.seconds < DEADLINES_S[event] + START_S
    (entry,) = spooled(where)
    assert entry["delivery"] == daemon.received[0].headers["x-wisen-delivery"], "so that it is kept once"


@pytest.mark.fault("B03")
def test_every_step_at_its_slowest_stays_inside_the_one_deadline(where: Paths) -> None:
    """Stdin that drips, and then a daemon that does not answer: the waits do not add up."""
    payload = a_payload("UserPromptSubmit", prompt="p" * 200)
    with Recorder.listening(where.socket, answer=SILENCE):
        started = time.monotonic()
        with _open_hook(where) as process:
            assert process.stdin
            for at in range(0, len(payload), 40):
                process.stdin.write(payload[at : at + 40])
                process.stdin.flush()
                time.sleep(0.03)  # the drip is what is tested
            process.stdin.close()
            assert process.wait(timeout=10) == 0
        assert time.monotonic() - started < 0.4 + START_S


@pytest.mark.fault("B03")
@pytest.mark.parametrize("given", [b"", a_payload(prompt="half")[:-5], a_payload()], ids=["nothing", "half", "all"])
def test_stdin_that_is_held_open_ends_at_the_deadline(where: Paths, given: bytes) -> None:
    with Recorder.listening(where.socket) as daemon:
        started = time.monotonic()
        with _open_hook(where) as process:
            assert process.stdin
            process.stdin.write(given)
            process.stdin.flush()
            assert process.wait(timeout=10) == 0
            assert 0.25 <= time.monotonic() - started < 0.25 + START_S
            assert process.stdout
            assert process.stdout.read() == b""
        assert not daemon.received
    assert [entry["event"] for entry in spooled(where)] == (["PostToolUse"] if given else [])


def test_a_huge_payload_becomes_a_pointer_and_memory_stays_bounded(where: Paths) -> None:
    with Recorder.listening(where.socket) as daemon:
        run = run_hook(where, a_payload(tool_response="x" * (12 << 20)))
        assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
        assert not daemon.received
    assert [entry["session_id"] for entry in spooled(where)] == ["s-1"]


def test_a_large_payload_is_sent_whole(where: Paths) -> None:
    payload = a_payload(tool_response="x" * (2 << 20))
    with Recorder.listening(where.socket) as daemon:
        run_hook(where, payload)
        assert [len(request.body) for request in daemon.received] in ([len(payload)], [])
    assert len(daemon.received) + len(spooled(where)) == 1, "on a machine too slow for it, the spool has it"


@pytest.mark.fault("B21")
@pytest.mark.row("F11")
@pytest.mark.parametrize("switch", ["WISEN_INTERNAL", "WISEN_DISABLE"])
def test_a_kill_switch_sends_and_leaves_nothing(where: Paths, switch: str) -> None:
    with Recorder.listening(where.socket) as daemon:
        run = run_hook(where, a_payload("SessionStart"), env={switch: "1"})
        assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
        assert daemon.connections == 0
    assert spooled(where) == []


@pytest.mark.row("F11")
def test_without_a_socket_to_talk_to_it_does_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK)], input=a_payload(), capture_output=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.row("K3")
def test_errors_are_told_only_when_debugging(where: Paths) -> None:
    assert run_hook(where, a_payload()).stderr == b""
    told = run_hook(where, a_payload(), env={"WISEN_DEBUG": "1"})
    assert told.code == 0
    assert told.stdout == b""
    assert told.stderr.startswith(b"wisen: FileNotFoundError")


@pytest.mark.parametrize("payload", [b"{x", b"[1]", b'{"session_id": "s1"}'])
def test_a_payload_that_names_no_event_is_told_when_debugging(where: Paths, payload: bytes) -> None:
    with Recorder.listening(where.socket) as daemon:
        assert run_hook(where, payload).stderr == b""
        told = run_hook(where, payload, env={"WISEN_DEBUG": "1"})
        assert daemon.connections == 2, "the daemon counts it"
    assert (told.code, told.stdout) == (0, b"")
    assert told.stderr == b"wisen: Undelivered: the payload is not all there, or names no event\n"


def test_a_pointer_holds_where_the_content_is_and_none_of_it(where: Paths, tmp_path: Path) -> None:
    transcript = tmp_path / 'odd "näme"\\.jsonl'
    transcript.write_bytes(b"x" * 321)
    before = time.time_ns()
    run_hook(
        where,
        a_payload("UserPromptSubmit", transcript_path=str(transcript), prompt="hunter2 is my password"),
        env={"CLAUDE_CODE_ENTRYPOINT": "cli", "AWS_SECRET_ACCESS_KEY": "hunter2"},
    )
    (file,) = where.spool_dir.glob("*.json")
    assert file.stat().st_mode & 0o777 == 0o600
    entry = json.loads(file.read_text())
    assert len(bytes.fromhex(entry.pop("delivery"))) == 16
    assert before <= entry.pop("at_ns") <= time.time_ns()
    assert entry == {
        "v": 1,
        "harness": "claude-code",
        "event": "UserPromptSubmit",
        "session_id": "s-1",
        "transcript_path": str(transcript),
        "transcript_bytes": 321,
        "cwd": "/repo",
        "entrypoint": "cli",
    }
    assert "hunter2" not in file.read_text()


def test_a_payload_without_session_id_or_transcript_is_still_pointed_at(where: Paths) -> None:
    run_hook(where, b'{"hook_event_name":"UserPromptSubmit","prompt":[{"type":"image","source":{}}]}')
    (entry,) = spooled(where)
    assert (entry["session_id"], entry["transcript_path"], entry["transcript_bytes"]) == ("", "", -1)


def test_a_spool_that_is_not_there_is_made_but_never_the_home_around_it(where: Paths) -> None:
    where.spool_dir.rmdir()
    run_hook(where, a_payload())
    assert where.spool_dir.stat().st_mode & 0o777 == 0o700
    assert len(spooled(where)) == 1
    gone = Path(f"{where.state_dir}-gone")
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(HOOK), str(gone / "s"), str(gone / "spool"), "/bin/false"],
        input=a_payload(),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not gone.exists()


@pytest.mark.fault("B30")
@pytest.mark.parametrize("event", [*DEADLINES_S, "PreCompact"])
def test_where_wisen_is_installed_no_more_a_hook_leaves_nothing_and_waits_for_nothing(where: Paths, event: str) -> None:
    """A session that was open when it was taken out goes on calling the hooks it has loaded."""
    manifest.path(where).unlink()
    where.spool_dir.rmdir()
    mark = where.config_file.parent / "started"
    run = run_hook(where, a_payload(event), daemon=("/usr/bin/touch", str(mark)))
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")
    assert run.seconds < START_S
    assert [path.name for path in where.state_dir.iterdir()] == ["run"]
    assert not mark.exists()


def test_a_spool_that_can_not_be_written_is_borne_in_silence(where: Paths) -> None:
    where.spool_dir.rmdir()
    where.spool_dir.write_text("a file")
    run = run_hook(where, a_payload())
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"")


def test_closed_standard_files_do_no_harm(where: Paths) -> None:
    command = "exec " + " ".join(hook_argv(where))
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        with Recorder.listening(where.socket, answer=http(CONTEXT)):
            code = subprocess.run(
                ["/bin/sh", "-c", f"{command} {closed}"], input=a_payload("UserPromptSubmit"), timeout=30, check=False
            )
        assert code.returncode == 0


def test_stdin_blocks_again_afterwards(where: Paths) -> None:
    """The shell and the harness share the open file with us."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(a_payload())
        theirs.shutdown(socket.SHUT_WR)
        subprocess.run(hook_argv(where), stdin=ours.fileno(), timeout=30, check=True)
        assert os.get_blocking(ours.fileno())


def test_a_full_backlog_is_waited_for(where: Paths) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(where.socket))
        listener.listen(0)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as first:
            first.connect(str(where.socket))
            run = run_hook(where, a_payload())
    assert run.seconds >= 0.25
    assert len(spooled(where)) == 1


@pytest.mark.slow
@pytest.mark.row("E4")
@pytest.mark.parametrize("is_up", [True, False], ids=["daemon up", "daemon away"])
def test_fifty_hooks_at_once_lose_nothing(where: Paths, is_up: bool) -> None:
    payloads = [a_payload(tool_use_id=f"t-{number}", session_id=f"s-{number}") for number in range(50)]
    if is_up:
        with Recorder.listening(where.socket) as daemon:
            _all_at_once(where, payloads)
            arrived = {str(json.loads(request.body)["session_id"]) for request in daemon.received}
    else:
        _all_at_once(where, payloads)
        arrived = set()
    arrived |= {str(entry["session_id"]) for entry in spooled(where)}
    assert arrived == {f"s-{number}" for number in range(50)}


@pytest.mark.fault("B29")
@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"])
def test_the_hosts_python_variables_do_not_reach_the_hook(where: Paths, tmp_path: Path, variable: str) -> None:
    for name in ("json", "posix", "time", "_socket", "hotpath", "encodings"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('evil')")
    with Recorder.listening(where.socket, answer=http(CONTEXT)):
        run = run_hook(where, a_payload("UserPromptSubmit"), env={variable: str(tmp_path)})
    assert (run.code, run.stdout, run.stderr) == (0, CONTEXT, b"")


@pytest.mark.fault("B29")
def test_it_runs_from_any_directory(where: Paths, tmp_path: Path) -> None:
    home = tmp_path / "a b 'é'"
    home.mkdir()
    for name in ("hook.py", "hotpath.py"):
        shutil.copy(HOOK.with_name(name), home)
    argv = [sys.executable, "-I", "-S", str(home / "hook.py"), *hook_argv(where)[4:]]
    with Recorder.listening(where.socket, answer=http(CONTEXT)):
        done = subprocess.run(argv, input=a_payload("UserPromptSubmit"), capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, CONTEXT, b"")


def test_the_hook_imports_next_to_nothing(where: Paths) -> None:
    """After an event was sent and another spooled, so that what is imported on the way counts as well."""
    script = f"""
import sys
before = set(sys.modules)
sys.path.append({str(HOOK.parent)!r})
import hotpath
sys.argv = ["hook.py", {str(where.socket)!r}, {str(where.spool_dir)!r}, "/bin/false"]
hotpath.main(sys.argv, {{}}, hotpath.time.monotonic())
hotpath.spool(sys.argv[2], b"0" * 32, b"", {{b"hook_event_name": b"Stop", b"cwd": b"\\\\ud83d\\\\ude00"}})
print("", *sorted(set(sys.modules) - before - {{"posix", "sys", "time"}}))
"""
    with Recorder.listening(where.socket, answer=http(CONTEXT)) as daemon:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", script],
            input=a_payload("UserPromptSubmit"),
            capture_output=True,
            timeout=30,
            check=True,
        )
        assert len(daemon.received) == 1
    assert done.stdout.decode().removeprefix(CONTEXT.decode()).split() == ["_json", "_socket", "hotpath"]


def _all_at_once(where: Paths, payloads: list[bytes]) -> None:
    with ThreadPoolExecutor(50) as pool:
        runs = list(pool.map(lambda payload: run_hook(where, payload), payloads))
    assert {(run.code, run.stdout, run.stderr) for run in runs} <= {(0, b"", b""), (0, b"{}", b"")}


def _open_hook(where: Paths) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        hook_argv(where), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}
    )

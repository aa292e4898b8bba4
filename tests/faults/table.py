"""The faults, one row each: how it comes about, what may be printed under it, and whether the event is kept."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from tests.faults import strangers
from tests.faults.firing import PYTHON, Way, registered_line
from tests.faults.grounds import Stage, limited, shell_is_dash
from tests.faults.strangers import Behaviour, document, listening, well
from tests.wire import HOOK, TINY_DAEMON, http

Play = Callable[[Stage], AbstractContextManager[Way]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault. None: either may be, so that nothing is promised.

    `answered`: context is printed for the events that take it. `kept`: a pointer to the event is in the spool.
    `noise`: what the shell itself says before it reads our line.
    """

    name: str
    play: Play
    answered: bool | None = False
    kept: bool | None = True
    noise: str = ""

    def __str__(self) -> str:
        return self.name


# --- the daemon ---------------------------------------------------------------------------------------------------


def _nobody(stage: Stage) -> AbstractContextManager[Way]:
    return _just(stage.way())


@contextmanager
def _just(way: Way) -> Iterator[Way]:
    yield way


def _behind(behave: Behaviour) -> Play:
    """Return a play in which this listens at the socket."""

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        with listening(stage.where.socket, behave):
            yield stage.way()

    return play


@contextmanager
def _dead(stage: Stage) -> Iterator[Way]:
    """The socket of a daemon that was killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as gone:
        gone.bind(str(stage.where.socket))
    yield stage.way()


@contextmanager
def _stopped(stage: Stage) -> Iterator[Way]:
    """A daemon process that was stopped with a signal."""
    with _tiny(stage) as process:
        process.send_signal(signal.SIGSTOP)
        yield stage.way()


@contextmanager
def _tiny(stage: Stage, version: str = "0.1.0") -> Iterator[subprocess.Popen[bytes]]:
    argv = [sys.executable, "-I", str(TINY_DAEMON), version]
    with subprocess.Popen(
        argv, env={"WISEN_HOME": str(stage.home), "WISEN_EMBEDDING": "off"}, stdin=subprocess.DEVNULL
    ) as process:
        try:
            while not (stage.home / "starts").exists() and process.poll() is None:
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


@contextmanager
def _two_racing(stage: Stage) -> Iterator[Way]:
    argv = [sys.executable, "-I", str(TINY_DAEMON)]
    env = {"WISEN_HOME": str(stage.home), "WISEN_EMBEDDING": "off"}
    racing = [subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL) for _ in range(2)]
    try:
        yield stage.way()
    finally:
        for process in racing:
            process.kill()
            process.wait()


@contextmanager
def _full_backlog(stage: Stage) -> Iterator[Way]:
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as first,
    ):
        listener.bind(str(stage.where.socket))
        listener.listen(0)
        first.connect(str(stage.where.socket))
        yield stage.way()


@contextmanager
def _cannot_start(stage: Stage) -> Iterator[Way]:
    """No daemon, and what should start one is not there."""
    yield stage.way(line=registered_line(stage.where, daemon=("/no/such/python", "-m", "wisen.daemon")))


def _status(status: str) -> Play:
    return _behind(strangers.says(http(b'{"code":"store"}', status=status)))


def _document(make: Callable[[str], object]) -> Play:
    """Return a play in which the daemon answers 200 with this document, under the right length."""
    return _behind(strangers.answers(lambda event: http(json.dumps(make(event)).encode())))


def _body(make: Callable[[str], bytes]) -> Play:
    return _behind(strangers.answers(lambda event: http(make(event))))


def _context(event: str, **more: object) -> dict[str, object]:
    return {"hookEventName": event, "additionalContext": "x", **more}


THE_DAEMON: Final = (
    Fault(name="no daemon", play=_nobody),
    Fault(name="daemon dead", play=_dead),
    Fault(name="daemon stopped", play=_stopped),
    Fault(name="daemon hung", play=_behind(strangers.silent)),
    Fault(name="daemon late", play=_behind(strangers.late)),
    Fault(name="daemon dripping", play=_behind(strangers.dripping)),
    Fault(name="daemon can't start", play=_cannot_start),
    Fault(name="two daemons racing", play=_two_racing, answered=None, kept=None),
    Fault(name="backlog full", play=_full_backlog),
    Fault(name="connection reset", play=_behind(strangers.resetting)),
    Fault(name="closed at once", play=_behind(lambda *_: None)),
    Fault(name="closed unanswered", play=_behind(strangers.says())),
    Fault(name="answers unasked", play=_behind(strangers.deaf)),
    Fault(name="cut in the head", play=_behind(strangers.says(b"HTTP/1.1 200 OK\r\ncontent-le"))),
    Fault(name="cut in the body", play=_behind(strangers.answers(lambda event: http(document(event))[:-1]))),
    Fault(name="status 500", play=_status("500 Internal Server Error")),
    Fault(name="status 503", play=_status("503 Service Unavailable")),
    Fault(name="status 404", play=_status("404 Not Found")),
    Fault(name="status 426", play=_status("426 Upgrade Required")),
    Fault(name="status 302", play=_status("302 Found")),
    Fault(name="garbage", play=_behind(strangers.says(b"\x00\xff" * 5000))),
    Fault(name="another protocol", play=_behind(strangers.says(b"SSH-2.0-server\r\n\r\n"))),
    Fault(name="another HTTP", play=_behind(strangers.answers(lambda e: b"HTTP/2 200\r\n\r\n" + document(e)))),
    Fault(name="100 MB", play=_behind(strangers.endless)),
    Fault(name="endless head", play=_behind(strangers.endless_head)),
    Fault(name="chunked", play=_behind(strangers.answers(strangers.chunked))),
    Fault(name="length too small", play=_behind(strangers.answers(strangers.with_length(b"20")))),
    Fault(name="length too large", play=_behind(strangers.answers(strangers.with_length(b"9999")))),
    Fault(name="length no number", play=_behind(strangers.answers(strangers.with_length(b"many")))),
    Fault(name="length negative", play=_behind(strangers.answers(strangers.with_length(b"-5")))),
    Fault(name="a web page", play=_body(lambda _: b"<html>hello</html>")),
    Fault(name="plain text", play=_body(lambda _: b"we use pnpm here")),
    Fault(name="a stranger's 200", play=_document(lambda _: {"status": "ok"})),
    Fault(name="no document", play=_document(lambda _: [])),
    Fault(name="two documents", play=_body(lambda event: document(event) * 2)),
    Fault(name="half a document", play=_body(lambda event: document(event)[:-2])),
    Fault(name="deep document", play=_body(lambda _: b'{"a":' * 10_000)),
    Fault(name="another event's", play=_document(lambda _: {"hookSpecificOutput": _context("Elicitation")})),
    Fault(name="blocks", play=_document(lambda e: {"decision": "block", "hookSpecificOutput": _context(e)})),
    Fault(name="stops", play=_document(lambda e: {"continue": False, "hookSpecificOutput": _context(e)})),
    Fault(name="denies", play=_document(lambda e: {"hookSpecificOutput": _context(e, permissionDecision="deny")})),
    Fault(name="no name in it", play=_document(lambda _: {"hookSpecificOutput": {"additionalContext": "x"}})),
    Fault(name="context no text", play=_body(lambda event: document(event, 7))),
    Fault(name="half a surrogate pair", play=_body(lambda event: document(event, "\ud800"))),
    Fault(name="not UTF-8", play=_body(lambda event: document(event, "PLACE").replace(b"PLACE", b"\xff\xfe"))),
    Fault(name="UTF-16", play=_body(lambda event: document(event).decode().encode("utf-16"))),
    Fault(name="not a number", play=_document(lambda e: {"systemMessage": float("nan"), "x": _context(e)})),
    Fault(name="older daemon", play=_behind(strangers.answers(lambda e: http(document(e)))), answered=True, kept=False),
    Fault(name="daemon can't keep it", play=_behind(strangers.answers(strangers.not_kept)), answered=True),
)

# --- the socket ---------------------------------------------------------------------------------------------------


def _at_the_socket(make: Callable[[Path], object]) -> Play:
    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        make(stage.where.socket)
        yield stage.way()

    return play


@contextmanager
def _long_path(stage: Stage) -> Iterator[Way]:
    line = registered_line(stage.where).replace(str(stage.where.socket), f"{stage.home}/{'x' * 120}/s")
    yield stage.way(line=line)


@contextmanager
def _strangers_socket(stage: Stage) -> Iterator[Way]:
    """Another user's server that answers well, at our path."""
    way = stage.as_nobody(probe=_fails(f'[ -O "{stage.where.socket}" ]'))
    with listening(stage.where.socket, well):
        yield way


@contextmanager
def _stranger_behind_our_socket(stage: Stage) -> Iterator[Way]:
    """The file is ours; who listens is not."""
    with listening(stage.where.socket, well):
        yield stage.as_nobody()


@contextmanager
def _closed_socket_directory(stage: Stage) -> Iterator[Way]:
    way = stage.as_nobody(probe=_fails(f'ls "{stage.where.run_dir}"'))
    with listening(stage.where.socket, well):
        stage.where.run_dir.chmod(0)
        yield way


THE_SOCKET: Final = (
    Fault(name="socket a file", play=_at_the_socket(Path.touch)),
    Fault(name="socket a directory", play=_at_the_socket(Path.mkdir)),
    Fault(name="socket a fifo", play=_at_the_socket(os.mkfifo)),
    Fault(name="socket a dangling link", play=_at_the_socket(lambda path: path.symlink_to("nowhere"))),
    Fault(name="socket a loop", play=_at_the_socket(lambda path: path.symlink_to(path))),
    Fault(name="socket path too long", play=_long_path),
    Fault(name="socket another user's", play=_strangers_socket),
    Fault(name="another user listens", play=_stranger_behind_our_socket),
    Fault(name="socket out of reach", play=_closed_socket_directory),
)

# --- files --------------------------------------------------------------------------------------------------------


def _instead_of_the_spool(make: Callable[[Path], object]) -> Play:
    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        stage.where.spool_dir.rmdir()
        make(stage.where.spool_dir)
        yield stage.way()

    return play


@contextmanager
def _unwritable_spool(stage: Stage) -> Iterator[Way]:
    way = stage.as_nobody(probe=_fails(f': >"{stage.where.spool_dir}/probe"'))
    stage.where.spool_dir.chmod(0o500)
    yield way


def _mounted(script: str, probe: str = ': > "$SPOOL/probe"') -> Play:
    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        yield stage.in_mounts(script, probe=_fails(probe))

    return play


@contextmanager
def _full_spool(stage: Stage) -> Iterator[Way]:
    (stage.where.spool_dir / "full").touch()
    yield stage.way()


@contextmanager
def _no_state(stage: Stage) -> Iterator[Way]:
    shutil.rmtree(stage.where.state_dir)
    yield stage.way()


@contextmanager
def _unreadable_pause(stage: Stage) -> Iterator[Way]:
    mark = stage.where.state_dir / "paused"
    mark.write_text("0\n")  # long over
    way = stage.as_nobody(probe=_fails(f'cat "{mark}"'))
    mark.chmod(0)
    with listening(stage.where.socket, well):
        yield way


_FULL_DISK: Final = 'mount -t tmpfs -o size=16k none "$SPOOL"; cat /dev/zero >"$SPOOL/filler" 2>/dev/null'
_FULL_INODES: Final = 'mount -t tmpfs -o nr_inodes=2 none "$SPOOL"; : >"$SPOOL/one"'
_READ_ONLY_HOME: Final = 'mount --bind "$HOME_DIR" "$HOME_DIR" && mount -o remount,ro,bind "$HOME_DIR"'
_READ_ONLY_DISK: Final = 'mount -t tmpfs -o ro none "$SPOOL"'

THE_FILES: Final = (
    Fault(name="spool missing", play=_instead_of_the_spool(lambda _: None)),
    Fault(name="spool a file", play=_instead_of_the_spool(Path.touch), kept=None),
    Fault(name="spool a dangling link", play=_instead_of_the_spool(lambda p: p.symlink_to("nowhere")), kept=None),
    Fault(name="spool unwritable", play=_unwritable_spool, kept=False),
    Fault(name="spool full", play=_full_spool, kept=False),
    Fault(name="spool read-only", play=_mounted(_READ_ONLY_DISK), kept=None),
    Fault(name="disk full", play=_mounted(_FULL_DISK, 'echo x >"$SPOOL/probe"'), kept=None),
    Fault(name="no inodes left", play=_mounted(_FULL_INODES), kept=None),
    Fault(name="home read-only", play=_mounted(_READ_ONLY_HOME), kept=False),
    Fault(name="state directory missing", play=_no_state, kept=None),
    Fault(name="pause unreadable", play=_unreadable_pause, kept=False),
)


def _fails(command: str) -> str:
    """Return a probe that ends with 1 when the command fails, however it does."""
    return f"({command}) >/dev/null 2>&1 && exit 0; exit 1"


# --- standard input -----------------------------------------------------------------------------------------------


def _real(payload: Callable[[bytes], bytes] = bytes, **over: object) -> Play:
    """Return a play with the real daemon, and a payload made of the good one."""

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        yield stage.real_way(payload=payload, **over)

    return play


def _well(**over: object) -> Play:
    """Return a play with a daemon that is well, and something else that is not."""

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        with listening(stage.where.socket, well):
            yield stage.way(**over)

    return play


def _with_fields(**fields: object) -> Callable[[bytes], bytes]:
    return lambda payload: json.dumps({**json.loads(payload), **fields}).encode()


def _without(*names: str) -> Callable[[bytes], bytes]:
    return lambda payload: json.dumps(
        {name: value for name, value in json.loads(payload).items() if name not in names}
    ).encode()


def _wrongly_typed(payload: bytes) -> bytes:
    event = json.loads(payload)["hook_event_name"]
    return json.dumps(
        {"session_id": 7, "transcript_path": [], "cwd": {}, "hook_event_name": event, "prompt": 1.5, "source": None}
    ).encode()


def _redirected(redirection: str) -> Play:
    return _well(before=("/bin/sh", "-c", f'exec "$@" {redirection}', "sh"))


_HUGE: Final = "x" * (50 << 20)
_DEEP: Final = b'{"hook_event_name":"%b","session_id":"s","cwd":"/","prompt":' + b"[" * 200_000

STANDARD_INPUT: Final = (
    Fault(name="stdin empty", play=_real(lambda _: b""), kept=False),
    Fault(name="stdin blank", play=_real(lambda _: b" \r\n\t\n"), kept=False),
    Fault(name="stdin closed", play=_redirected("<&-"), kept=False),
    Fault(name="stdin a directory", play=_well(stdin="/"), kept=False),
    Fault(name="stdin endless", play=_well(stdin="/dev/zero"), kept=False),
    Fault(name="stdin huge", play=_well(payload=_with_fields(tool_response=_HUGE))),
    Fault(name="stdin held open", play=_well(payload=lambda _: b"", is_held_open=True), kept=False),
    Fault(name="stdin held open after all", play=_well(is_held_open=True)),
    Fault(name="stdin held open after half", play=_well(payload=lambda p: p[:-5], is_held_open=True)),
    Fault(name="payload not JSON", play=_real(lambda _: b"hello, I am a hook"), kept=False),
    Fault(name="payload cut", play=_real(lambda payload: payload[:-2]), kept=False),
    Fault(name="payload deep", play=_real(lambda p: _DEEP % json.loads(p)["hook_event_name"].encode()), kept=False),
    Fault(name="payload a list", play=_real(lambda payload: b"[" + payload + b"]"), kept=False),
    Fault(name="payload null", play=_real(lambda _: b"null"), kept=False),
    Fault(name="fields of wrong types", play=_real(_wrongly_typed), answered=None, kept=False),
    Fault(
        name="fields missing", play=_real(_without("session_id", "cwd", "transcript_path")), answered=None, kept=False
    ),
    Fault(name="event missing", play=_real(_without("hook_event_name")), kept=False),
    Fault(name="event unknown", play=_real(_with_fields(hook_event_name="FromTheFuture")), kept=False),
    Fault(name="NUL in a text", play=_real(_with_fields(prompt="a\0b", cwd="/a\0b")), answered=None, kept=False),
    Fault(name="NUL bytes", play=_real(lambda payload: payload.replace(b"/repo", b"/re\0po")), kept=None),
    Fault(name="payload not UTF-8", play=_real(lambda p: p.replace(b"/repo", b"/\xff\xfe")), answered=None, kept=None),
    Fault(name="payload in UTF-16", play=_real(lambda p: p.decode().encode("utf-16")), answered=None, kept=False),
    Fault(name="payload with a BOM", play=_real(lambda p: b"\xef\xbb\xbf" + p), answered=None, kept=False),
    Fault(name="half a pair in it", play=_real(_with_fields(prompt="\ud800", cwd="/\udc80")), answered=None, kept=None),
)

# --- the process --------------------------------------------------------------------------------------------------

_AT_ODDS: Final = """
import sys, time
time.time, time.time_ns = (lambda: {seconds}), (lambda: {seconds} * 10**9)
sys.path.append({place!r})
import hotpath
hotpath.run()
"""
_OLD: Final = """
import sys
sys.path.append({place!r})
import hotpath
new, hotpath.VERSION = hotpath.request, "0.0.1"
hotpath.request = lambda *given: new(*given).replace(b"x-wisen-confirms: printed", b"x-from-another-time: 1")
hotpath.run()
"""


def _script(text: str, behind: Behaviour = well) -> Play:
    """Return a play in which the hook is this script around the hot path."""

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        hook = stage.program(text.replace("{place!r}", repr(str(HOOK.parent))))
        with listening(stage.where.socket, behind):
            yield stage.way(line=registered_line(stage.where, hook=hook))

    return play


@contextmanager
def _clock_at_odds(stage: Stage, seconds: int) -> Iterator[Way]:
    hook = stage.program(_AT_ODDS.format(seconds=seconds, place=str(HOOK.parent)))
    yield stage.way(line=registered_line(stage.where, hook=hook))


def _spoilt(spoil: Callable[[Path], object]) -> Play:
    """Return a play in which the installed script was changed."""

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        hook = stage.copied_program()
        spoil(hook)
        with listening(stage.where.socket, well):
            yield stage.way(line=registered_line(stage.where, hook=hook))

    return play


@contextmanager
def _unreadable_hook(stage: Stage) -> Iterator[Way]:
    hook = stage.home / "program" / "hook.py"
    way = stage.as_nobody(probe=_fails(f'cat "{hook}"'))
    hook.chmod(0)
    yield way


@contextmanager
def _no_interpreter(stage: Stage) -> Iterator[Way]:
    yield stage.way(line=registered_line(stage.where, python=Path("/no/such/python")))


@contextmanager
def _process_table_full(stage: Stage) -> Iterator[Way]:
    if not shell_is_dash():
        pytest.skip("this shell goes on trying to fork until the harness ends it")
    yield stage.as_nobody(limit=limited(resource.RLIMIT_NPROC, 0), probe="trap 'exit $r' EXIT; r=1; /bin/true; r=0")


@contextmanager
def _no_tmp(stage: Stage) -> Iterator[Way]:
    """The home is elsewhere, the program with it, and nothing is in /tmp nor can be made there."""
    python = PYTHON.resolve()  # a checkout may be there, and its environment
    if python.is_relative_to("/tmp"):
        pytest.skip("the interpreter itself is in /tmp")
    line = registered_line(stage.where, python=python, hook=stage.copied_program()).replace(str(stage.home), "/mnt")
    script = 'mount --bind "$HOME_DIR" /mnt && mount -t tmpfs -o ro none /tmp'
    with listening(stage.where.socket, well):
        yield stage.in_mounts(script, line=line, probe=_fails(": >/tmp/probe"))


@contextmanager
def _no_devices(stage: Stage) -> Iterator[Way]:
    with listening(stage.where.socket, well):
        yield stage.in_mounts("mount -t tmpfs -o ro none /dev", probe=_fails("[ -e /dev/null ]"))


@contextmanager
def _deleted_directory(stage: Stage) -> Iterator[Way]:
    gone = f"{stage.home}/gone-$$"
    script = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && exec "$@"'
    with listening(stage.where.socket, well):
        yield stage.way(before=("/bin/sh", "-c", script, "sh"))


@contextmanager
def _evil_modules(stage: Stage) -> Iterator[Way]:
    evil = stage.home / "evil"
    evil.mkdir()
    for name in ("json", "_json", "posix", "time", "_socket", "hotpath", "encodings", "site", "sitecustomize"):
        (evil / f"{name}.py").write_text("import os; os._exit(2)")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(evil), "PYTHONHOME": str(evil), "PYTHONSTARTUP": str(evil)}
    with listening(stage.where.socket, well):
        yield stage.way(env=env, cwd=evil)


def _signalled(number: signal.Signals) -> Play:
    """Return a play in which the interpreter gets a signal while it waits for the daemon."""

    def send(process: subprocess.Popen[bytes]) -> None:
        for _ in range(2000):
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(int(child), number)
                return
            time.sleep(0.001)

    @contextmanager
    def play(stage: Stage) -> Iterator[Way]:
        if not Path("/proc/self/task").exists():
            pytest.skip("the children of a process are looked up in /proc")
        with listening(stage.where.socket, strangers.silent):
            yield stage.way(meanwhile=send)

    return play


def _close_stdout(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout
    process.stdout.close()


THE_PROCESS: Final = (
    Fault(name="clock before 1970", play=lambda stage: _clock_at_odds(stage, -86_400)),
    Fault(name="clock in 2200", play=lambda stage: _clock_at_odds(stage, 7_258_118_400)),
    Fault(name="interpreter gone", play=_no_interpreter, kept=False),
    Fault(name="hook.py gone", play=_spoilt(Path.unlink), kept=False),
    Fault(name="hook.py unreadable", play=_unreadable_hook, kept=False),
    Fault(name="hook.py damaged", play=_spoilt(lambda hook: hook.write_bytes(b"\0import (")), kept=False),
    Fault(name="hotpath.py gone", play=_spoilt(lambda hook: (hook.parent / "hotpath.py").unlink()), kept=False),
    Fault(
        name="hotpath.py damaged", play=_spoilt(lambda hook: (hook.parent / "hotpath.py").write_text("(")), kept=False
    ),
    Fault(name="older hook", play=_script(_OLD), answered=True, kept=False),
    Fault(name="few descriptors", play=_well(limit=limited(resource.RLIMIT_NOFILE, 5)), answered=None, kept=None),
    Fault(name="little memory", play=_well(limit=limited(resource.RLIMIT_AS, 12 << 20)), answered=None, kept=None),
    Fault(name="no file may grow", play=lambda s: _just(s.way(limit=limited(resource.RLIMIT_FSIZE, 0))), kept=False),
    Fault(name="process table full", play=_process_table_full, kept=False),
    Fault(name="no /tmp", play=_no_tmp, answered=True, kept=False),
    Fault(name="no devices", play=_no_devices, answered=True, kept=False),
    Fault(name="directory deleted", play=_deleted_directory, answered=True, kept=False, noise="getcwd"),
    Fault(name="environment empty", play=_well(env={}), answered=True, kept=False),
    Fault(name="HOME unset", play=_well(env={"PATH": "/usr/bin:/bin"}), answered=True, kept=False),
    Fault(name="evil modules", play=_evil_modules, answered=True, kept=False),
    Fault(
        name="odd locale",
        play=_well(env={"LANG": "xx_YY.KOI8", "LC_CTYPE": "C", "PATH": "/bin"}),
        answered=True,
        kept=False,
    ),
    Fault(name="SIGTERM", play=_signalled(signal.SIGTERM), kept=None),
    Fault(name="SIGINT", play=_signalled(signal.SIGINT), kept=None),
    Fault(name="SIGKILL", play=_signalled(signal.SIGKILL), kept=None),
    Fault(name="reader of stdout gone", play=_well(meanwhile=_close_stdout), kept=False),
    Fault(name="stdout closed", play=_redirected(">&-"), kept=False),
    Fault(name="stdout full", play=_well(stdout="/dev/full"), kept=False),
    Fault(name="stdout read-only", play=_redirected("1</dev/null"), kept=False),
    Fault(name="stderr closed", play=_redirected("2>&-"), answered=True, kept=False),
    Fault(name="stderr full", play=_redirected("2>/dev/full"), answered=True, kept=False),
)

HEALTHY: Final = Fault(name="no fault", play=_real(), answered=None, kept=False)  # what the others are measured by
FAULTS: Final = (*THE_DAEMON, *THE_SOCKET, *THE_FILES, *STANDARD_INPUT, *THE_PROCESS)

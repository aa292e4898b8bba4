"""What wisen leaves on the machine: files nobody else can read, only where they belong, and no word to anybody."""

from __future__ import annotations

import re
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress

import pytest
from tests.security.live import Live, living

_WRITES = (
    "openat,open,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate"
)
_CHANGES = "chmod,fchmodat,chown,fchownat,lchown,utimensat"
_TALKS = "socket,connect,bind,sendto"
_CALLS = f"{_WRITES},{_CHANGES},{_TALKS}"


def a_use(live: Live) -> None:
    """Install, learn in one session, recall in the next, use the commands, uninstall."""
    live.wisen("install", "claude-code")
    live.session("remember: run make lint before every commit", "No, don't use npm here. Use pnpm.")
    live.wisen("remember", "Answer in German.", "--everywhere")
    live.session("how do I commit?")
    for command in (
        ["list"],
        ["status"],
        ["recall", "commit"],
        ["why", "--last"],
        ["log"],
        ["config", "set", "learn", "true"],
    ):
        live.wisen(*command)
    live.wisen("daemon", "stop")
    live.hook("UserPromptSubmit", prompt="said while no daemon listens")
    live.wisen("uninstall", "claude-code")


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_nobody_else_can_read_what_wisen_writes_even_with_an_open_umask() -> None:
    with living(install=False) as live:
        live.umask = 0
        live.wisen("install", "claude-code")
        live.session("remember: run make lint before every commit")
        live.wisen("remember", "Answer in German.", "--everywhere")
        live.wisen("config", "set", "learn", "true")
        open_ones = list(readable_by_others(live))
        live.wisen("daemon", "stop")
        live.hook("UserPromptSubmit", prompt="said while no daemon listens")
        assert [*open_ones, *readable_by_others(live)] == []
        plain = live.home.path / "plain"
        subprocess.run(["touch", plain], check=True, umask=0)
        assert plain.stat().st_mode & 0o077, "the umask of the test does not let others in"


def readable_by_others(live: Live) -> Iterator[str]:
    """Yield wisen's files and directories with a bit for the group or for others."""
    homes = [path for path in live.home.path.rglob("*") if "wisen" in path.relative_to(live.home.path).parts]
    assert len(homes) > 8
    for path in homes:
        found = path.lstat()
        if found.st_mode & 0o077 and not stat.S_ISLNK(found.st_mode):
            yield f"{stat.filemode(found.st_mode)} {path.relative_to(live.home.path)}"


def a_tracer() -> tuple[str, ...]:
    """Return an strace that works here: where it can, one that stops a process at the traced calls and at no other."""
    for tracer in (("strace", "--seccomp-bpf"), ("strace",)):
        with suppress(FileNotFoundError):
            tried = subprocess.run([*tracer, "-f", "-qq", "-e", "trace=none", "true"], capture_output=True, check=False)
            if (tried.returncode, tried.stderr) == (0, b""):
                return tracer
    pytest.skip("there is no strace that works here")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, str]]:
    """Everything that wisen's processes asked of the kernel about files and sockets, in a use from end to end."""
    strace = a_tracer()
    logs = tmp_path_factory.mktemp("trace")
    with living(install=False) as live:
        options = ("-D", "-ff", "-qq", "-y", "-s", "512", "-o", str(logs / "log"), "-e", f"trace={_CALLS}")
        live.wrapper = (*strace, *options)
        a_use(live)
        live.home.wait_for_quiet()
        # One file a process: what two tracers write into one is mixed up now and then.
        yield live, "\n".join(log.read_text(errors="replace") for log in sorted(logs.iterdir()))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_outside_wisens_directories_and_the_harnesss_settings_is_touched(trace: tuple[Live, str]) -> None:
    live, log = trace
    home = live.home.path
    own = tuple(str(home / part / "wisen") for part in (".config", ".local/share", ".local/state"))
    made_for_own = {str(home / part) for part in (".config", ".local", ".local/share", ".local/state")}
    settings = (home / ".claude" / "settings.json", home / ".claude" / ".settings.json")
    allowed = (*own, *map(str, settings), str(home / ".claude.json"))  # with its lock, and a draft beside it
    touched = {path for path in touched_paths(log) if not path.startswith((*allowed, "/dev/", "/proc/"))}
    # Python's own cache, of what is used from a checkout or not compiled yet.
    touched = {path for path in touched if "__pycache__" not in path}
    assert touched - made_for_own == set()
    assert any(path.startswith(own) for path in touched_paths(log)), "the trace saw nothing"
    assert f"{home}/.claude/settings.json" in log
    assert f"{home}/.claude.json" in log


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.fault("B75")
def test_no_connection_leaves_the_machine_or_is_even_tried(trace: tuple[Live, str]) -> None:
    _, log = trace
    families = set(re.findall(r"\bsocket\((\w+)", log))
    assert families == {"AF_UNIX"}


_CALL = re.compile(r"^(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)", re.MULTILINE)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_RELATIVE = re.compile(r'(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, "((?:[^"\\]|\\.)*)"')


def touched_paths(log: str) -> Iterator[str]:
    """Yield each path that was opened for writing, made, renamed, changed or removed, with success."""
    for call in _CALL.finditer(log):
        if call["result"].startswith(("-", "?")) or call["name"] in {"socket", "connect", "sendto", "bind"}:
            continue
        if call["name"].startswith("open") and not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", call["arguments"]):
            continue
        if found := _RELATIVE.findall(call["arguments"]):
            yield from (path if path.startswith("/") else f"{directory}/{path}" for directory, path in found)
        else:
            yield from _TEXT.findall(call["arguments"])

"""How does a daemon process come to be? In a session of its own, with little of its parent."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

# The whole list of what the daemon may see. API keys and tokens of the shell that happened to start it are not in it.
KEPT: Final = frozenset({"HOME", "USER", "LOGNAME", "PATH", "LANG", "TMPDIR"})
KEPT_PREFIXES: Final = ("LC_", "XDG_", "WISEN_")

# glibc gives threads arenas of their own, and what is free in one serves no other: with short threads for hooks the
# daemon grew by 1.3 MB in ten busy minutes. With one arena it is 3 MB smaller and stays so. numpy's products of small
# matrices are slower on two threads than on one, and many times slower while others use the cores.
GIVEN: Final[Mapping[str, str]] = {"MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}

# Why a daemon is started. For a harness's hook it comes up only while wisen is registered with that harness: sessions
# that were open when it was taken out go on calling. Hooks registered by older versions give no reason at all.
FOR_HARNESS: Final = "--for"
ASKED: Final = "--asked"


def daemon_argv(python: str, harness: str = "") -> tuple[str, ...]:
    """Return the command that is the daemon under an interpreter, for a harness's hooks or because it is asked for."""
    return (python, "-I", "-m", "wisen.daemon", *((FOR_HARNESS, harness) if harness else (ASKED,)))


DAEMON_ARGV: Final = daemon_argv(sys.executable)


def kept_environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return the part of an environment that the daemon may see."""
    return {name: value for name, value in env.items() if name in KEPT or name.startswith(KEPT_PREFIXES)}


def spawn_daemon(env: Mapping[str, str], *, stderr: int | None = None) -> int:
    """Start a daemon process, tied to nothing of this one but `stderr` if given, and return its pid. Raises OSError."""
    heard = () if stderr is None else ((os.POSIX_SPAWN_DUP2, stderr, 2),)
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)[: 3 - len(heard)]]
    kept = {**kept_environment(env), **GIVEN}
    return os.posix_spawn(DAEMON_ARGV[0], DAEMON_ARGV, kept, file_actions=[*heard, *null], setsid=True)

"""What does code leave behind that is killed with -9 at any of its steps?

A step is a change of a directory, a flush to the disk, or, where they are asked for, an SQL statement.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

from tests.store.sqlite.processes import PREAMBLE, ROOT

_KILLER = """
import os
import shutil
import signal

from wisen.store.sqlite.connection import Database

start, remains, most = Path(sys.argv[1]), Path(sys.argv[2]), 600


def kill_at(last):
    steps = 0

    def step(*_):
        nonlocal steps
        steps += 1
        if steps > last:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    def stepping(call):
        return lambda *args, **kwargs: step() and call(*args, **kwargs)

    for name in ("rename", "replace", "link", "unlink", "fsync", "mkdir", "rmdir"):
        setattr(os, name, stepping(getattr(os, name)))

    opened = Database.__init__

    def open_tracing(self, *args, **kwargs):
        opened(self, *args, **kwargs)
        self._connection.exec_trace = step

    if sys.argv[3] == "statements":
        Database.__init__ = open_tracing


for last in range(0, most, int(sys.argv[4])):
    path = shutil.copytree(start, remains / f"{last:03}") if start.exists() else remains / f"{last:03}"
    child = os.fork()
    if child == 0:
        try:
            kill_at(last)
            run(path)
        except BaseException as error:
            print(last, repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != signal.SIGKILL:
        sys.exit(os.waitstatus_to_exitcode(status))
sys.exit("not at its end")
"""


def remains_of(code: str, start: Path, remains: Path, *, statements: bool = False, every: int = 1) -> Sequence[Path]:
    """Run the function `run(path)` that `code` defines on copies of `start`, killed `every` steps later each time.

    Returns the copies in this order; in the last one it came to its end.
    """
    remains.mkdir()
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            PREAMBLE + dedent(code) + _KILLER,
            str(start),
            str(remains),
            "statements" * statements,
            str(every),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return sorted(remains.iterdir())

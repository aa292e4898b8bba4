"""Other processes that use the same files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[3]
PREAMBLE = """
import sys
from pathlib import Path

from tests.builders import *
from wisen.core.records import Actor
from wisen.core.recalls import MemoryFilter
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

path = Path(sys.argv[1])
"""


def started(code: str, path: Path) -> subprocess.Popen[str]:
    """Start a process that runs `code`, which finds the builders, the stores and `path`."""
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + dedent(code), str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def together(*processes: subprocess.Popen[str]) -> list[str]:
    """Return what each process printed; all must end well."""
    printed = [process.communicate(timeout=50)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return printed


def line_of(process: subprocess.Popen[str]) -> str:
    """Return the next line a process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()

"""`wisen learn` on a repository's real sessions, as its developer would run it: all are read, in time, and once.

The texts stay where they are; only figures are printed.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.data import shared
from tests.wire import a_home

from wisen.client import Client, stop_daemon
from wisen.config import Paths

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(900)]

MOST_CPU_SECONDS = 60.0  # of the daemon: on two free cores it takes no longer by the clock
MOST_PEAK_MB = 150.0
REPO = "https://example.invalid/acme/widgets"


def places(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the Claude Code sessions of a repository with the directory in which each began."""
    for packed in sorted((folder / "raw").glob("*.jsonl.gz")):
        with gzip.open(packed, "rt", errors="replace") as file:
            cwds = (found[1] for line in file if (found := re.search(r'"cwd": ?"([^"]+)"', line)))
            if cwd := next(cwds, ""):
                yield cwd, packed


def most_sessions() -> Path:
    """Return the folder of the repository with most sessions."""
    folders = [folder for folder in shared("corpus").iterdir() if (folder / "raw").is_dir()]
    return max(folders, key=lambda folder: len(list((folder / "raw").glob("*.jsonl.gz"))))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which the sessions lie where Claude Code would have put them."""
    for cwd, packed in places(most_sessions()):
        project = tmp_path / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", cwd)
        project.mkdir(parents=True, exist_ok=True)
        (project / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return tmp_path


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as where:
        yield where
        stop_daemon(where)


def learn(home: Path, where: Paths, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-c", "from wisen.cli.main import main; main()"]
    env = {"HOME": str(home), "WISEN_HOME": str(where.config_file.parent), "PATH": os.environ["PATH"]}
    asked = ["learn", "claude-code", "--repo", REPO, "--json", *arguments]
    done = subprocess.run([*command, *asked], env=env, capture_output=True, check=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def cpu_seconds(pid: int) -> float:
    """Return how much CPU a process has used (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def state(where: Paths) -> object:
    """Return all that a run might have changed."""
    client = Client(where)
    graph = "repo://claude-code/example.invalid/acme/widgets"
    memories = client.call("GET", f"/v1/memories?graph={graph}&status=all")["memories"]
    journal = client.call("GET", f"/v1/journal?graph={graph}&limit=10000")["entries"]
    status = client.call("GET", "/v1/status")
    return memories, journal, status["sessions"], status["jobs"], status["counters"]


def test_all_sessions_are_read_in_a_minute_and_a_second_run_changes_nothing(home: Path, where: Paths) -> None:
    files = len(list(home.glob(".claude/projects/*/*.jsonl")))
    told = learn(home, where)
    figures = {name: told[name] for name in ("sessions", "events", "prompts", "signals", "active", "waiting")}
    cpu_s = cpu_seconds(Client(where).call("GET", "/v1/health")["pid"])
    print(f"\n{figures}\n{told['seconds']} s by the clock, {cpu_s:.1f} s of CPU, peak {told['peak_rss_mb']} MB")
    assert told["sessions"] == {"read": files, "known": 0, "empty": 0, "gone": 0, "stayed_out": 0, "unreadable": 0}
    assert told["lines_skipped"] == 0
    assert told["peak_rss_mb"] < MOST_PEAK_MB
    before = state(where)
    again = learn(home, where)
    assert (again["sessions"]["known"], again["events"], again["memories"]) == (files, 0, [])
    assert state(where) == before
    assert cpu_s < MOST_CPU_SECONDS


def test_a_dry_run_finds_the_same_memories(home: Path, where: Paths) -> None:
    dry, real = (learn(home, where, *arguments) for arguments in (["--dry-run"], []))
    for name in ("sessions", "events", "prompts", "signals", "active", "waiting", "dropped"):
        assert dry[name] == real[name], name
    assert sorted(one["text"] for one in dry["memories"]) == sorted(one["text"] for one in real["memories"])

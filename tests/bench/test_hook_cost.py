"""What one hook costs: CPU of the whole registered command, guard included, against a Python that does nothing."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.wire import HOOK, a_home, a_payload, spooled

from wisen.client import ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.install.command import guarded_command
from wisen.spawn import DAEMON_ARGV

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

RUNS = 60
BARE = (sys.executable, "-I", "-S", "-c", "pass")
UP_MAX, SPOOLING_MAX = 1.5, 2.0  # times bare Python


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command that is measured."""

    name: str
    argv: tuple[str, ...]
    stdin: bytes


@pytest.fixture
def up() -> Iterator[Paths]:
    with a_home() as where:
        ensure_daemon(where, wait_s=20, env={"WISEN_HOME": str(where.config_file.parent)})
        yield where
        stop_daemon(where)


@pytest.fixture
def away() -> Iterator[Paths]:
    with a_home() as where:
        yield where


def test_a_hook_costs_little_more_than_a_bare_python(up: Paths, away: Paths) -> None:
    prompt = a_payload("UserPromptSubmit", prompt="please make the parser of the settings file accept comments")
    tool = a_payload(
        tool_name="Bash", tool_use_id="t", tool_input={"command": "ls"}, tool_response={"stdout": "x" * 4000}
    )
    bare = Job(name="python -I -S -c pass", argv=BARE, stdin=b"")
    tool_up = Job(name="tool event, daemon up", argv=_registered(up), stdin=tool)
    prompt_up = Job(name="prompt, daemon up", argv=_registered(up), stdin=prompt)
    spooling = Job(name="tool event, spooling", argv=_registered(away), stdin=tool)
    cost = _measured([bare, tool_up, prompt_up, spooling])
    print(f"\n  CPU of a hook, ms ({RUNS} runs each, taken in turns)   min  median  times bare")
    for job, taken in cost.items():
        ratio = statistics.median(taken) / statistics.median(cost[bare.name])
        print(f"  {job:48} {min(taken):7.2f} {statistics.median(taken):7.2f} {ratio:11.2f}")
    assert not spooled(up)
    assert len(spooled(away)) == RUNS
    assert statistics.median(cost[tool_up.name]) <= UP_MAX * statistics.median(cost[bare.name])
    assert statistics.median(cost[prompt_up.name]) <= UP_MAX * statistics.median(cost[bare.name])
    assert statistics.median(cost[spooling.name]) <= SPOOLING_MAX * statistics.median(cost[bare.name])


def _registered(where: Paths) -> tuple[str, ...]:
    env = {"WISEN_HOME": str(where.config_file.parent)}
    line = guarded_command(Path(sys.executable), HOOK, where.socket, where.spool_dir, DAEMON_ARGV, env=env)
    return ("/bin/sh", "-c", line)


def _measured(jobs: Sequence[Job]) -> Mapping[str, list[float]]:
    """Return the CPU milliseconds of each run; in turns, so that a busy machine is busy for all."""
    taken: dict[str, list[float]] = {job.name: [] for job in jobs}
    for _ in range(RUNS):
        for job in jobs:
            taken[job.name].append(_cpu_ms(job))
    return taken


def _cpu_ms(job: Job) -> float:
    """Run once; the kernel adds what the shell's children used to what it used itself."""
    reading, writing = os.pipe()
    os.write(writing, job.stdin)
    os.close(writing)
    pid = os.posix_spawn(job.argv[0], job.argv, {}, file_actions=[(os.POSIX_SPAWN_DUP2, reading, 0)])
    os.close(reading)
    _, status, used = os.wait4(pid, 0)
    assert status == 0
    return (used.ru_utime + used.ru_stime) * 1000

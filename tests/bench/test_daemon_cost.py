"""What the daemon costs: CPU until it listens, memory and CPU while nobody asks."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.wire import a_home, a_payload, run_hook

from wisen.client import ensure_daemon, stop_daemon
from wisen.config import Paths
from wisen.spawn import spawn_daemon

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

LISTENING_MAX_MS = 600
IDLE_RSS_MAX_MB = 80
IDLE_CPU_MAX_PERCENT = 0.5  # of one core
IDLE_S = 60


@pytest.fixture
def where() -> Iterator[Paths]:
    with a_home() as found:
        yield found
        stop_daemon(found)


def test_it_listens_soon_and_idles_cheaply(where: Paths) -> None:
    env = {"WISEN_HOME": str(where.config_file.parent)}
    began = time.monotonic()
    process = psutil.Process(spawn_daemon(env))
    _wait_until_listening(where.socket)
    listening_ms, listening_wall_ms = _cpu_ms(process), (time.monotonic() - began) * 1000
    ensure_daemon(where, wait_s=20, env=env)
    ready_ms, ready_wall_ms = _cpu_ms(process), (time.monotonic() - began) * 1000
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"):
        run_hook(where, a_payload(event, prompt="a prompt that is long enough to look for memories", source="startup"))
    time.sleep(3)  # what they set going is done
    before = _cpu_ms(process)
    time.sleep(IDLE_S)
    idle_percent = (_cpu_ms(process) - before) / (IDLE_S * 1000) * 100
    rss_mb = process.memory_info().rss / 1e6
    print(f"\n  daemon listening: {listening_ms:.0f} ms CPU, {listening_wall_ms:.0f} ms")
    print(f"  daemon answering: {ready_ms:.0f} ms CPU, {ready_wall_ms:.0f} ms")
    print(f"  idle for {IDLE_S} s after a session: {rss_mb:.1f} MB RSS, {idle_percent:.3f} % of a core")
    assert listening_ms <= LISTENING_MAX_MS
    assert ready_ms <= LISTENING_MAX_MS
    assert rss_mb <= IDLE_RSS_MAX_MB
    assert idle_percent < IDLE_CPU_MAX_PERCENT
    assert process.children() == []


def _wait_until_listening(path: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock, suppress(OSError):
            sock.connect(str(path))
            return
        time.sleep(0.002)
    raise AssertionError(path)


def _cpu_ms(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system) * 1000

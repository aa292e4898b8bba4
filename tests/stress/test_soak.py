"""A daemon at work for a long time: what it holds must not grow with the hours, only its database with what is kept."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, cycle, islice

import psutil
import pytest
from tests.security.live import Live, living

EVENTS_PER_S = 20
MINUTES = 10
SAMPLE_S = 10
# Sent at full speed before anything is measured: until some 14,000 events with words of their own the page caches of
# the databases and the memories of texts fill; the 36,000 after them added 24 kB.
WARM_UP_EVENTS = 20_000
WAL_MAX_BYTES = 1 << 20
LOG_MAX_BYTES = 4 << 20

PROMPTS = (
    "remember: run make lint before every commit",
    "how do I commit here?",
    "No, don't use npm in this repository. Use pnpm.",
    "the build fails with a missing module, please look at it",
    "thanks, go on",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What the daemon held at one moment."""

    at_s: float
    rss_kb: int
    descriptors: int
    threads: int
    children: int
    wal_bytes: int
    log_bytes: int


def sample(live: Live, daemon: psutil.Process, at_s: float) -> Sample:
    files = [path for path in live.home.path.rglob("*") if path.is_file()]
    return Sample(
        at_s=at_s,
        rss_kb=daemon.memory_info().rss // 1024,
        descriptors=daemon.num_fds(),
        threads=daemon.num_threads(),
        children=len(daemon.children(recursive=True)),
        wal_bytes=max((path.stat().st_size for path in files if path.name.endswith("-wal")), default=0),
        log_bytes=sum(path.stat().st_size for path in files if path.name.startswith("daemon.log")),
    )


def payloads(live: Live, prefix: str, *, first: int = 0) -> Iterator[Mapping[str, object]]:
    """Yield what hooks are given, session after session; each has a number, the commands of no two are the same."""
    prompts = cycle(PROMPTS)
    for number in count(first):
        who = {"session_id": f"{prefix}-{number}", "transcript_path": "", "cwd": str(live.repo)}
        yield {"hook_event_name": "SessionStart", "source": "startup", **who}
        for turn in range(5):
            yield {
                "hook_event_name": "UserPromptSubmit",
                "prompt": next(prompts),
                "prompt_id": f"p-{number}-{turn}",
                **who,
            }
            call = {
                "tool_name": "Bash",
                "tool_input": {"command": f"make step-{number}"},
                "tool_use_id": f"t-{number}-{turn}",
            }
            yield {"hook_event_name": "PreToolUse", **call, **who}
            yield {
                "hook_event_name": "PostToolUse",
                **call,
                **who,
                "tool_response": {"stdout": "ok\n" * 200, "stderr": ""},
            }
        yield {"hook_event_name": "SessionEnd", "reason": "other", **who}


def deliveries(live: Live) -> Iterator[bytes]:
    """Send one event a step; every hook is a process of its own, as in life."""
    for payload in payloads(live, "soak", first=WARM_UP_EVENTS):
        yield live.hook(str(payload["hook_event_name"]), **payload)


def warm_up(live: Live) -> None:
    """Send many events over the socket, one after the other, with no process for each."""
    for payload in islice(payloads(live, "warm-up"), WARM_UP_EVENTS):
        live.deliver(str(payload["hook_event_name"]), **payload)


def steadily(work: Iterator[bytes], seconds: float) -> Iterator[float]:
    """Send events at the measured pace; after each, yield the seconds passed."""
    started = time.monotonic()
    sent = 0
    while (passed := time.monotonic() - started) < seconds:
        if sent < passed * EVENTS_PER_S:
            next(work)
            sent += 1
            yield passed
        else:
            time.sleep(0.005)


def slope_kb_per_minute(samples: Sequence[Sample]) -> float:
    """Return the slope of the least-squares line through the resident sizes."""
    return 60 * statistics.linear_regression([s.at_s for s in samples], [s.rss_kb for s in samples]).slope


def assert_flat(first: Sample, last: Sample) -> None:
    assert last.descriptors <= first.descriptors + 2
    assert last.threads <= first.threads + 2
    assert last.children == 0
    assert last.wal_bytes <= WAL_MAX_BYTES
    assert last.log_bytes <= LOG_MAX_BYTES


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_descriptors_threads_and_children_stay_the_same_over_two_hundred_events() -> None:
    with living() as live:
        next(deliveries(live))  # starts the daemon
        work = payloads(live, "short")
        for payload in islice(work, 40):
            live.deliver(str(payload["hook_event_name"]), **payload)
        daemon = live.home.daemon()
        first = sample(live, daemon, 0)
        for payload in islice(work, 160):
            live.deliver(str(payload["hook_event_name"]), **payload)
        assert_flat(first, sample(live, daemon, 1))


@pytest.mark.stress
@pytest.mark.timeout(60 * (MINUTES + 5))
def test_ten_minutes_of_a_soak_leave_everything_flat() -> None:
    with living() as live:
        work, passed, sent = deliveries(live), 0.0, 0
        samples: list[Sample] = []
        next(work)
        warm_up(live)
        daemon = live.home.daemon()
        for passed in steadily(work, 60 * MINUTES):
            sent += 1
            if not samples or passed - samples[-1].at_s >= SAMPLE_S:
                samples.append(sample(live, daemon, passed))
        samples.append(sample(live, daemon, passed))
        slope = slope_kb_per_minute(samples)
        first, last = samples[0], samples[-1]
        print(
            f"\nsoak: {sent} events in {passed:.0f} s ({sent / passed:.1f}/s); RSS {first.rss_kb} -> {last.rss_kb} kB,"
            f" slope {slope:+.1f} kB/min; descriptors {first.descriptors} -> {last.descriptors};"
            f" threads {first.threads} -> {last.threads}; largest WAL {max(s.wal_bytes for s in samples)} B;"
            f" log {last.log_bytes} B"
        )
        assert sent >= 0.9 * EVENTS_PER_S * passed
        assert_flat(first, last)
        assert slope < 100, "the daemon's memory grows"
        assert len({p.pid for p in live.home.processes()}) == 1

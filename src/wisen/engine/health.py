"""Does what is kept hold together, and is anything still heard? Invariants, not liveness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from wisen.core.counters import in_words
from wisen.core.findings import Finding, Severity
from wisen.core.records import Job, JobState, Session
from wisen.errors import StoreError
from wisen.ports import ControlStore, GraphStores

STUCK_AFTER: Final = timedelta(hours=1)  # a job that is due is run within seconds of a daemon's start
_CLOCK_SLACK: Final = timedelta(minutes=5)
_JOBS_SEEN: Final = 1000
_SESSIONS_SEEN: Final = 1000
_LOG: Final = "`wisen daemon log` says why"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """What the stores tell of themselves: findings about the data, findings about the work, and what was last heard.

    `heard` has the time of the last event by harness; `oldest_event_at` is how far back raw events are kept.
    """

    data: tuple[Finding, ...] = ()
    work: tuple[Finding, ...] = ()
    memories: Mapping[str, int] = field(default_factory=dict)
    graphs: int = 0
    sessions: int = 0
    jobs: Mapping[str, int] = field(default_factory=dict)
    heard: Mapping[str, datetime] = field(default_factory=dict)
    oldest_event_at: datetime | None = None


def examine(control: ControlStore, graphs: GraphStores, now: datetime) -> Health:
    """Go through all that is kept. Takes as long as reading it.

    A store mends what it can of what it meets, so whoever only looks gives copies.
    """
    sessions = control.sessions(limit=_SESSIONS_SEEN)
    jobs = control.jobs(limit=_JOBS_SEEN)
    known = graphs.graphs()
    return Health(
        data=(*control.check(), *graphs.check()),
        work=(*_of_jobs(jobs, now), *_of_counters(control.counters()), *_of_clock(sessions, now)),
        memories=_memories(graphs),
        graphs=len(known),
        sessions=control.session_count(),
        jobs=control.job_counts(),
        heard=last_heard(sessions),
        oldest_event_at=control.oldest_event_at(),
    )


def last_heard(sessions: Sequence[Session]) -> Mapping[str, datetime]:
    """Return when something was last heard from each harness."""
    heard: dict[str, datetime] = {}
    for session in sessions:
        heard[session.harness] = max(session.last_event_at, heard.get(session.harness, session.last_event_at))
    return heard


def _memories(graphs: GraphStores) -> Mapping[str, int]:
    """Return the number of memories by status, over all graphs that can be read."""
    total: dict[str, int] = {}
    for graph in graphs.graphs():
        with suppress(StoreError):  # it is among the findings
            store = graphs.existing(graph)
            for status, count in (store.counts() if store else {}).items():
                total[status] = total.get(status, 0) + count
    return total


def _of_jobs(jobs: Sequence[Job], now: datetime) -> Sequence[Finding]:
    """Return what is wrong with the work queue; jobs come newest first."""
    failed = [job for job in jobs if job.state is JobState.FAILED]
    waiting = [job for job in jobs if job.state in {JobState.QUEUED, JobState.RUNNING}]
    stuck = [job for job in waiting if job.due_at < now - STUCK_AFTER]
    found = []
    if failed:
        found.append(
            _warning(
                f"{len(failed)} failed for good, the last with: {failed[0].error or 'no word'}",
                f"{_LOG}; what they were to learn from is kept, and is tried again at the next session start",
            )
        )
    if stuck:
        found.append(
            _warning(
                f"{len(stuck)} due since {min(job.due_at for job in stuck):%Y-%m-%d %H:%M} UTC and not done",
                "`wisen daemon restart` takes them up again",
            )
        )
    return found


def _of_counters(counters: Mapping[str, int]) -> Sequence[Finding]:
    """Return what was lost, by the counters that are never reset: worth knowing, nothing to be done any more."""
    return [
        Finding(what=in_words(name, count), where="", severity=Severity.NOTE, next_step="")
        for name, count in sorted(counters.items())
        if count
    ]


def _of_clock(sessions: Sequence[Session], now: datetime) -> Sequence[Finding]:
    ahead = [session for session in sessions if session.last_event_at > now + _CLOCK_SLACK]
    if not ahead:
        return ()
    return (
        _warning(
            f"{len(ahead)} of the sessions were last active after now: the clock is behind, or was ahead then",
            "`date` shows what the computer takes for now; with the clock right, this passes by itself",
        ),
    )


def _warning(what: str, next_step: str) -> Finding:
    return Finding(what=what, where="", severity=Severity.WARNING, next_step=next_step)

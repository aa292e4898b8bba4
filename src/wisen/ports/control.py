"""The control store: what is kept beside the graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from wisen.core.findings import Finding
from wisen.core.records import (
    Job,
    Lookup,
    Receipt,
    RootClaim,
    Session,
)
from wisen.core.types import Event, EventRef, GraphId, Signal


class ControlStore(Protocol):
    """The control file: sessions, events, signals, jobs, receipts, root claims, counters.

    Writes are visible to every later read of the same store at once and durable within 50 ms;
    `flush` returns when everything written so far is on disk.
    A row that is damaged is as if it were not there: it is set aside, and `problems` tells. Only a damaged root claim
    stays claimed, by nobody, so that no other clone can take its graph over.
    """

    # events and sessions
    def record(self, event: Event, *, seen_at: datetime, signals: Sequence[Signal] = ()) -> bool:
        """Keep an event and what was noticed in it, both or neither, whatever stops the process.

        False, and nothing is kept, when its natural key (harness, event_id) is known already.
        """
        ...

    def events(self, harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        """Return the newest `limit` events of a session, oldest first."""
        ...

    def events_of(
        self, harness: str, session_id: str, *, after: str = "", limit: int = 500
    ) -> tuple[Sequence[Event], str]:
        """Return at most `limit` events of a session in the order of their times, and where to go on: '' at the end.

        `after` is what the call before returned, '' to begin. What is damaged is left out; a page may be short for it.
        """
        ...

    def events_near(self, harness: str, session_id: str, at: datetime, *, within: timedelta) -> Sequence[Event]:
        """Return the events of a session that happened at most `within` before or after a moment, oldest first."""
        ...

    def oldest_event_at(self) -> datetime | None:
        """Return when the oldest event that is still kept happened, None when none is kept."""
        ...

    def session(self, harness: str, session_id: str) -> Session | None:
        """Return a session, or None."""
        ...

    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, last active first."""
        ...

    def save_session(self, session: Session) -> None:
        """Insert or replace a session; its `promoted_seq` never goes back, whatever the given value says."""
        ...

    def advance_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Set a session's `promoted_seq` and nothing else, if `seq` is larger; an unknown session stays unknown."""
        ...

    def last_activity(self, until: datetime) -> datetime | None:
        """Return when a session was last active, of all that were last active by `until`; None when there are none."""
        ...

    def session_count(self) -> int:
        """Return how many sessions there are."""
        ...

    def sessions_with_signals(
        self, before: datetime, *, now: datetime | None = None, limit: int = 200
    ) -> Sequence[Session]:
        """Return sessions last active before `before` with signals that no job was given, longest silent first.

        Those last active after `now` are silent too: the clock was ahead when they were.
        """
        ...

    def prune(self, at: datetime, *, lookups_at: datetime | None = None) -> int:
        """Delete what is older than `at` and needed no more; return how many rows.

        Lookups are to be kept for longer: those older than `lookups_at` go, and of each graph all but the newest 5,000.

        Events, handed-over signals and receipts of sessions that were last active before `at` and have no signals
        left to hand over, and finished jobs. The newest 10,000 sessions stay: they say what was read and promoted.
        """
        ...

    def erase(self, texts: Sequence[str], refs: Sequence[EventRef]) -> int:
        """Erase texts for good, down to the bytes of the file; return how many rows changed.

        Blanks the words of the events that `refs` name and of every event and receipt that holds one of the texts,
        whatever its case and spacing; deletes their signals, but for those that wait to be promoted and hold none, and
        what was looked up there.
        Keys stay, so nothing is learned a second time. Raises StoreError when old bytes could not be overwritten yet:
        it may be repeated.
        """
        ...

    # signals
    def add_signals(self, harness: str, signals: Sequence[Signal]) -> None:
        """Append signals; the same (session, source, evidence event, rule) is kept once."""
        ...

    def signals_after(self, harness: str, session_id: str, seq: int) -> Sequence[tuple[int, Signal]]:
        """Return (sequence number, signal) of a session beyond `seq`, in order."""
        ...

    # lookups
    def note_lookups(self, lookups: Sequence[Lookup]) -> None:
        """Keep what was looked up: the first of a session for a name in a graph, and no copy of another one's call."""
        ...

    def lookups(self, graph: GraphId, symbol: str) -> Sequence[Lookup]:
        """Return the looks at a name in a graph, oldest first: one of each session, the newest 50 sessions."""
        ...

    # jobs
    def enqueue(self, job: Job) -> bool:
        """Queue a job, durable on return. False when a queued or running job has the same (kind, key).

        False too when 10,000 wait; the counter `jobs_put_off` tells. What was to be done waits in the store as well.

        One that waits for longer than LONGEST_WAIT beyond this one's time is due at this one's time then.
        """
        ...

    def claim_job(self, now: datetime) -> Job | None:
        """Take the oldest due queued job and mark it running, or None. One due after LONGEST_WAIT counts as due."""
        ...

    def finish_job(self, job_id: str, *, error: str = "", retry_at: datetime | None = None) -> None:
        """Mark a job done; or failed with an error; or queued again for `retry_at`."""
        ...

    def requeue_running(self) -> int:
        """At start: put jobs that a dead daemon left running back into the queue; return how many."""
        ...

    def jobs(self, *, limit: int = 50) -> Sequence[Job]:
        """Return jobs, newest first."""
        ...

    def job_counts(self) -> Mapping[str, int]:
        """Return the number of jobs by state value; a state without jobs is not there."""
        ...

    def next_job_due(self) -> datetime | None:
        """Return when the next queued job is due, or None when none waits."""
        ...

    # receipts
    def add_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        ...

    def receipts(
        self, *, harness: str = "", session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first: of one session, of one graph, or of all."""
        ...

    def injected(self, harness: str, session_id: str, epoch: int) -> Mapping[str, str]:
        """Return memory id -> digest of all that was shown in this session since its last compaction."""
        ...

    # identity
    def root_claim(self, graph: GraphId) -> RootClaim | None:
        """Return the root commit a remote's graph belongs to, if one was seen."""
        ...

    def save_root_claim(self, claim: RootClaim) -> None:
        """Insert or replace a root claim."""
        ...

    def aliases(self) -> Mapping[str, str]:
        """Return graph id -> graph id it is now known by."""
        ...

    def save_alias(self, old: GraphId, new: GraphId) -> None:
        """Record that `old` is now known as `new`."""
        ...

    # the rest
    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter (lost events, bad payloads ...)."""
        ...

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        ...

    def problems(self) -> Sequence[str]:
        """Return a sentence for each row that was damaged and each file that was set aside, naming it."""
        ...

    def check(self) -> Sequence[Finding]:
        """Go through the whole file and return what is wrong with it. Takes as long as reading it."""
        ...

    def flush(self) -> None:
        """Return when everything written so far is on disk."""
        ...

    def close(self) -> None:
        """Flush and let go of the file."""
        ...

"""What would the control store do, without any file? The in-memory fake, held to the same contract suite as SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import RLock
from typing import TypeVar

from wisen.core.findings import Finding
from wisen.core.records import Job, JobState, Lookup, Receipt, RootClaim, Session
from wisen.core.types import Event, EventRef, GraphId, Signal
from wisen.errors import NotFound
from wisen.store import contract
from wisen.store.erasing import event_without, purged, receipt_without

K = TypeVar("K")
V = TypeVar("V")
_Key = tuple[str, str]  # harness, session id or event id


class InMemoryControl:
    """The control store in dictionaries. Implements `ports.ControlStore`."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._events: dict[_Key, Event] = {}
        self._sessions: dict[_Key, Session] = {}
        self._signals: dict[int, tuple[_Key, str, Signal]] = {}
        self._last_seq = 0
        self._jobs: dict[str, Job] = {}
        self._receipts: dict[str, Receipt] = {}
        self._claims: dict[str, RootClaim] = {}
        self._aliases: dict[str, str] = {}
        self._counters: Counter[str] = Counter()
        self._lookups: list[Lookup] = []

    def record(self, event: Event, *, seen_at: datetime, signals: Sequence[Signal] = ()) -> bool:
        """Keep an event and its signals; False when its natural key is known already."""
        event = contract.storable(event)
        contract.storable(seen_at)
        signals = [contract.storable(signal) for signal in signals]
        with self._lock:
            is_new = self._events.setdefault((event.harness, event.event_id), event) is event
            if is_new:
                self.add_signals(event.harness, signals)
        return is_new

    def events(self, harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        """Return the newest `limit` events of a session, oldest first."""
        with self._lock:
            found = [e for e in self._events.values() if (e.harness, e.session_id) == (harness, session_id)]
        return tuple(sorted(found, key=lambda e: e.at)[max(0, len(found) - limit) :])

    def events_of(
        self, harness: str, session_id: str, *, after: str = "", limit: int = 500
    ) -> tuple[Sequence[Event], str]:
        """Return at most `limit` events of a session in the order of their times, and where to go on: '' at the end."""
        with self._lock:
            numbered = enumerate(self._events.values(), start=1)
            own = [(n, e) for n, e in numbered if (e.harness, e.session_id) == (harness, session_id)]
        places = {contract.place_of(event.at, number): event for number, event in own}
        start = contract.marked(after)
        rest = [place for place in sorted(places) if start is None or place > start]
        more = contract.as_mark(rest[limit - 1]) if len(rest) >= limit > 0 else ""
        return tuple(places[place] for place in rest[: max(limit, 0)]), more

    def events_near(self, harness: str, session_id: str, at: datetime, *, within: timedelta) -> Sequence[Event]:
        """Return the events of a session that happened at most `within` before or after a moment, oldest first."""
        known = self.events(harness, session_id, limit=len(self._events))
        return tuple(event for event in known if abs(event.at - at) <= within)

    def oldest_event_at(self) -> datetime | None:
        """Return when the oldest event that is still kept happened."""
        with self._lock:
            return min((event.at for event in self._events.values()), default=None)

    def session(self, harness: str, session_id: str) -> Session | None:
        """Return a session, or None."""
        with self._lock:
            return self._sessions.get((harness, session_id))

    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, last active first."""
        with self._lock:
            return tuple(sorted(self._sessions.values(), key=lambda s: s.last_event_at, reverse=True)[:limit])

    def save_session(self, session: Session) -> None:
        """Insert or replace a session; its `promoted_seq` never goes back."""
        session = contract.storable(session)
        key = (session.harness, session.session_id)
        with self._lock:
            self._sessions[key] = replace(session, promoted_seq=max(session.promoted_seq, self._promoted(key)))

    def advance_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Set a session's `promoted_seq` and nothing else, if `seq` is larger."""
        with self._lock:
            if (held := self._sessions.get((harness, session_id))) is not None:
                self.save_session(replace(held, promoted_seq=seq))

    def last_activity(self, until: datetime) -> datetime | None:
        """Return when a session was last active, of all that were last active by `until`."""
        with self._lock:
            times = [held.last_event_at for held in self._sessions.values() if held.last_event_at <= until]
        return max(times, default=None)

    def session_count(self) -> int:
        """Return how many sessions there are."""
        with self._lock:
            return len(self._sessions)

    def sessions_with_signals(
        self, before: datetime, *, now: datetime | None = None, limit: int = 200
    ) -> Sequence[Session]:
        """Return sessions last active before `before`, or after `now`, with signals that no job was given."""
        with self._lock:
            waiting = [s for key, s in self._sessions.items() if key in self._with_signals()]
        found = [s for s in waiting if s.last_event_at < before or (now is not None and s.last_event_at > now)]
        return tuple(sorted(found, key=lambda s: s.last_event_at)[:limit])

    def prune(self, at: datetime, *, lookups_at: datetime | None = None) -> int:
        """Delete what is older than `at` and needed no more; return how many values."""
        finished = {JobState.DONE, JobState.FAILED}
        with self._lock:
            kept = self._with_signals() | {key for key, s in self._sessions.items() if s.last_event_at >= at}
            return (
                _drop(self._events, lambda e: e.at < at and (e.harness, e.session_id) not in kept)
                + _drop(self._receipts, lambda r: r.at < at and (r.harness, r.session_id) not in kept)
                + _drop(self._signals, lambda held: held[2].at < at and held[0] not in kept)
                + self._drop_sessions(at)
                + _drop(self._jobs, lambda j: j.state in finished and max(j.created_at, j.due_at) < at)
                + self._drop_lookups(lookups_at)
            )

    def erase(self, texts: Sequence[str], refs: Sequence[EventRef]) -> int:
        """Erase texts for good; return how many values changed."""
        gone = purged(map(contract.storable, texts), contract.storable(tuple(refs)))
        with self._lock:
            events = {key: event_without(event, gone) for key, event in self._events.items()}
            receipts = {key: receipt_without(receipt, gone) for key, receipt in self._receipts.items()}
            changed = sum(events[key] != event for key, event in self._events.items())
            changed += sum(receipts[key] != receipt for key, receipt in self._receipts.items())
            self._events, self._receipts = events, receipts
            dropped = [
                seq
                for seq, (key, _, signal) in self._signals.items()
                if gone.is_in(signal) or (gone.is_noticed_in(signal) and seq <= self._promoted(key))
            ]
            for seq in dropped:
                del self._signals[seq]
            kept = [one for one in self._lookups if not gone.is_of(one)]
            changed += len(self._lookups) - len(kept)
            self._lookups = kept
            return changed + len(dropped)

    def add_signals(self, harness: str, signals: Sequence[Signal]) -> None:
        """Append signals, each once."""
        with self._lock:
            known = {natural for _, natural, _ in self._signals.values()}
            for signal in map(contract.storable, signals):
                natural = contract.signal_key(harness, signal)
                if natural not in known:
                    known.add(natural)
                    self._last_seq += 1
                    self._signals[self._last_seq] = ((harness, signal.session_id), natural, signal)

    def signals_after(self, harness: str, session_id: str, seq: int) -> Sequence[tuple[int, Signal]]:
        """Return (sequence number, signal) of a session beyond `seq`, in order."""
        with self._lock:
            return tuple(
                (number, signal)
                for number, (key, _, signal) in self._signals.items()
                if number > seq and key == (harness, session_id)
            )

    def note_lookups(self, lookups: Sequence[Lookup]) -> None:
        """Keep what was looked up: the first of a session for a name in a graph."""
        with self._lock:
            for lookup in map(contract.storable, lookups):
                about = (lookup.graph, lookup.symbol, lookup.harness)
                same = [one for one in self._lookups if (one.graph, one.symbol, one.harness) == about]
                if all(lookup.session_id != one.session_id and lookup.event_id != one.event_id for one in same):
                    self._lookups.append(lookup)

    def lookups(self, graph: GraphId, symbol: str) -> Sequence[Lookup]:
        """Return the looks at a name in a graph, oldest first."""
        with self._lock:
            found = [one for one in self._lookups if (one.graph, one.symbol) == (str(graph), symbol)]
        return tuple(sorted(found, key=lambda one: one.at)[-contract.ASKED_LOOKUPS :])

    def enqueue(self, job: Job) -> bool:
        """Queue a job; False when a queued or running job has the same (kind, key)."""
        job = contract.storable(job)
        with self._lock:
            for other in self._jobs.values():
                is_waiting = other.state in {JobState.QUEUED, JobState.RUNNING}
                if is_waiting and (other.kind, other.key) == (job.kind, job.key):
                    self._jobs[other.job_id] = contract.pulled_forward(other, job.due_at)
                    return False
            if sum(other.state is JobState.QUEUED for other in self._jobs.values()) >= contract.MOST_QUEUED:
                self.count(contract.PUT_OFF)
                return False
            return self._jobs.setdefault(job.job_id, job) is job

    def claim_job(self, now: datetime) -> Job | None:
        """Take the oldest due queued job and mark it running, or None."""
        with self._lock:
            due = [j for j in self._jobs.values() if j.state is JobState.QUEUED and contract.is_due(j, now)]
            if not due:
                return None
            job = min(due, key=lambda j: j.due_at)
            self._jobs[job.job_id] = replace(job, state=JobState.RUNNING, attempts=job.attempts + 1)
            return self._jobs[job.job_id]

    def finish_job(self, job_id: str, *, error: str = "", retry_at: datetime | None = None) -> None:
        """Mark a job done; or failed with an error; or queued again for `retry_at`."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is None:
                raise NotFound(f"there is no job {job_id}")
            self._jobs[job_id] = contract.finished(job, error=error, retry_at=retry_at)

    def requeue_running(self) -> int:
        """Put jobs that a dead daemon left running back into the queue; return how many."""
        with self._lock:
            running = [j for j in self._jobs.values() if j.state is JobState.RUNNING]
            for job in running:
                self._jobs[job.job_id] = replace(job, state=JobState.QUEUED)
            return len(running)

    def jobs(self, *, limit: int = 50) -> Sequence[Job]:
        """Return jobs, newest first."""
        with self._lock:
            newest_first = reversed(self._jobs.values())
            return tuple(sorted(newest_first, key=lambda j: j.created_at, reverse=True)[:limit])

    def job_counts(self) -> Mapping[str, int]:
        """Return the number of jobs by state value."""
        with self._lock:
            return dict(Counter(job.state.value for job in self._jobs.values()))

    def next_job_due(self) -> datetime | None:
        """Return when the next queued job is due, or None when none waits."""
        with self._lock:
            return min((job.due_at for job in self._jobs.values() if job.state is JobState.QUEUED), default=None)

    def add_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        receipt = contract.storable(receipt)
        with self._lock:
            self._receipts.setdefault(receipt.receipt_id, receipt)

    def receipts(
        self, *, harness: str = "", session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first: of one session, of one graph, or of all."""
        with self._lock:
            found = [
                r
                for r in reversed(self._receipts.values())
                if harness in {"", r.harness} and session_id in {"", r.session_id} and (not graph or graph in r.graphs)
            ]
        return tuple(sorted(found, key=lambda r: r.at, reverse=True)[:limit])

    def injected(self, harness: str, session_id: str, epoch: int) -> Mapping[str, str]:
        """Return memory id -> digest of all that was shown in this session since its last compaction."""
        newest_first = self.receipts(harness=harness, session_id=session_id, limit=len(self._receipts))
        return {
            item.memory_id: item.digest
            for receipt in reversed(newest_first)
            if (receipt.harness, receipt.session_id, receipt.epoch) == (harness, session_id, epoch)
            for item in receipt.shown
        }

    def root_claim(self, graph: GraphId) -> RootClaim | None:
        """Return the root commit a remote's graph belongs to, if one was seen."""
        with self._lock:
            return self._claims.get(str(graph))

    def save_root_claim(self, claim: RootClaim) -> None:
        """Insert or replace a root claim."""
        with self._lock:
            self._claims[claim.graph] = contract.storable(claim)

    def aliases(self) -> Mapping[str, str]:
        """Return graph id -> graph id it is now known by."""
        with self._lock:
            return dict(self._aliases)

    def save_alias(self, old: GraphId, new: GraphId) -> None:
        """Record that `old` is now known as `new`, and so is what was known as `old`."""
        with self._lock:
            chained = {key: str(new) if value == str(old) else value for key, value in self._aliases.items()}
            self._aliases = {k: v for k, v in (chained | {str(old): str(new)}).items() if k != str(new)}

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        with self._lock:
            self._counters[name] += by

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        with self._lock:
            return dict(self._counters)

    def problems(self) -> Sequence[str]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def check(self) -> Sequence[Finding]:
        """Return nothing: there is no file to go wrong."""
        return ()

    def flush(self) -> None:
        """Return at once: there is no disk."""

    def close(self) -> None:
        """Let go of nothing: what is here lives as long as the object."""

    def _promoted(self, key: _Key) -> int:
        session = self._sessions.get(key)
        return session.promoted_seq if session else 0

    def _drop_lookups(self, at: datetime | None) -> int:
        before = len(self._lookups)
        newest = sorted(self._lookups, key=lambda one: one.at, reverse=True)
        places: Counter[str] = Counter()
        kept: list[Lookup] = []
        for one in newest:
            places[one.graph] += 1
            if places[one.graph] <= contract.KEPT_LOOKUPS and (at is None or one.at >= at):
                kept.append(one)
        self._lookups = [one for one in self._lookups if one in kept]
        return before - len(self._lookups)

    def _drop_sessions(self, at: datetime) -> int:
        newest = sorted(self._sessions.items(), key=lambda item: item[1].last_event_at, reverse=True)
        kept = {key for key, _, _ in self._signals.values()} | {key for key, _ in newest[: contract.KEPT_SESSIONS]}
        old = [key for key, session in newest if session.last_event_at < at and key not in kept]
        for key in old:
            del self._sessions[key]
        return len(old)

    def _with_signals(self) -> set[_Key]:
        return {key for seq, (key, _, _) in self._signals.items() if seq > self._promoted(key)}


def _drop(held: dict[K, V], is_old: Callable[[V], bool]) -> int:
    old = [key for key, value in held.items() if is_old(value)]
    for key in old:
        del held[key]
    return len(old)

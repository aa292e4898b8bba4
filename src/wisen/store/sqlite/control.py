"""What do we know beside memories: sessions, events, signals, jobs, receipts, root claims, aliases, counters?

One SQLite file; writes are visible at once and grouped into one commit within 50 ms, jobs are durable on return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from wisen.core.findings import Finding
from wisen.core.records import LONGEST_WAIT, Job, JobState, Lookup, Receipt, RootClaim, Session
from wisen.core.types import Event, EventRef, GraphId, Signal
from wisen.errors import NotFound, StoreError
from wisen.store import contract
from wisen.store.erasing import purged
from wisen.store.queries import load
from wisen.store.sqlite import paging, rows, wiping
from wisen.store.sqlite.aside import finish_replacing, problem, set_aside
from wisen.store.sqlite.checks import check_control, check_set_aside
from wisen.store.sqlite.connection import Database, FileDamaged, Row, Value
from wisen.store.sqlite.files import CONTROL
from wisen.store.sqlite.group import GroupedWriter
from wisen.store.sqlite.keeping import KeptFile, Upkeep
from wisen.store.sqlite.place import is_in_place, is_taken
from wisen.store.sqlite.retrying import mending
from wisen.store.sqlite.soundness import (
    ALIASES,
    CLAIMS,
    EVENTS,
    JOBS,
    LOOKUPS,
    RECEIPTS,
    SESSIONS,
    SIGNALS,
    SoundRows,
)

_SQL = load(Path(__file__).with_name("queries") / "control.sql")


class SqliteControl:
    """The control file. Implements `ports.ControlStore`; may be used from many threads."""

    def __init__(self, path: Path, upkeep: Upkeep | None = None) -> None:
        """Open the file, made when it is not there. Raises StoreTooNew or StoreError."""
        self._kept = KeptFile(path, CONTROL, upkeep or Upkeep())
        finish_replacing(path.parent)
        if not is_taken(path):
            self._kept.make()
        database, self._inode = self._kept.open()
        self._file = GroupedWriter(database, self._sound_file, self._file_in_place)
        self._sound = SoundRows(self._file)

    def mend(self, error: FileDamaged) -> None:
        """Go on with what can be read, after SQLite could not read the file or a page of it."""
        self._file.mend(error)

    def _file_in_place(self) -> Database | None:
        """Return a connection to the file that has our name now, None for the one that is open. Raises StoreError."""
        if is_in_place(self._kept.path, self._inode):
            return None
        database, self._inode = self._kept.open()
        return database

    def _sound_file(self, error: FileDamaged) -> Database:
        self._kept.mend(error, self._inode)
        database, self._inode = self._kept.open()
        return database

    # events and sessions

    @mending
    def record(self, event: Event, *, seen_at: datetime, signals: Sequence[Signal] = ()) -> bool:
        """Keep an event and its signals; False when its natural key (harness, event_id) is known already."""
        row = rows.event_row(contract.storable(event), contract.storable(seen_at))
        prepared = [rows.signal_row(contract.storable(event.harness), contract.storable(signal)) for signal in signals]
        with self._file.write() as database:
            is_new = database.run(_SQL["put_event"], row) == 1
            for signal_row in prepared if is_new else ():
                database.run(_SQL["put_signal"], signal_row)
        return is_new

    @mending
    def events(self, harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        """Return the newest `limit` events of a session, oldest first."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id, "limit": limit}
        return tuple(reversed(self._sound.all(EVENTS, "newest_events", which)))

    @mending
    def events_of(
        self, harness: str, session_id: str, *, after: str = "", limit: int = 500
    ) -> tuple[Sequence[Event], str]:
        """Return at most `limit` events of a session in the order of their times, and where to go on: '' at the end."""
        return paging.events_of(self._sound, self._file, harness, session_id, after=after, limit=limit)

    @mending
    def events_near(self, harness: str, session_id: str, at: datetime, *, within: timedelta) -> Sequence[Event]:
        """Return the events of a session that happened at most `within` before or after a moment, oldest first."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id}
        span = {"at_us": rows.microseconds(at), "within_us": within // timedelta(microseconds=1)}
        return self._sound.all(EVENTS, "events_near", {**which, **span})

    @mending
    def oldest_event_at(self) -> datetime | None:
        """Return when the oldest event that is still kept happened."""
        [(oldest_us,)] = self._all("oldest_event")
        return None if oldest_us is None else rows.moment(oldest_us)

    @mending
    def session(self, harness: str, session_id: str) -> Session | None:
        """Return a session, or None."""
        return self._sound.first(SESSIONS, "session_by_id", {"harness": harness, "session_id": session_id})

    @mending
    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, last active first."""
        return tuple(self._sound.all(SESSIONS, "sessions_by_activity", {"limit": limit}))

    @mending
    def save_session(self, session: Session) -> None:
        """Insert or replace a session; its `promoted_seq` never goes back."""
        session = contract.storable(session)
        with self._file.write() as database:
            held = self.session(session.harness, session.session_id)
            if held is not None:
                session = replace(session, promoted_seq=max(session.promoted_seq, held.promoted_seq))
            database.run(_SQL["put_session"], rows.session_row(session))

    @mending
    def advance_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Set a session's `promoted_seq` and nothing else, if `seq` is larger."""
        with self._file.write() as database:
            held = self.session(harness, session_id)
            if held is not None and seq > held.promoted_seq:
                database.run(_SQL["put_session"], rows.session_row(replace(held, promoted_seq=seq)))

    @mending
    def last_activity(self, until: datetime) -> datetime | None:
        """Return when a session was last active, of all that were last active by `until`."""
        [(last,)] = self._all("last_activity", {"until_us": rows.microseconds(until)})
        return None if last is None else rows.moment(last)

    @mending
    def session_count(self) -> int:
        """Return how many sessions there are."""
        return rows.whole(self._all("session_count")[0][0])

    @mending
    def sessions_with_signals(
        self, before: datetime, *, now: datetime | None = None, limit: int = 200
    ) -> Sequence[Session]:
        """Return sessions last active before `before`, or after `now`, with signals that no job was given.

        A damaged one begins anew: its signals must not wait for it to come back.
        """
        until = {"before_us": rows.microseconds(before), "now_us": rows.microseconds(now)}
        found = self._all("sessions_with_signals", {**until, "limit": limit})
        return tuple(self._sound.value(SESSIONS, row) or self._begun_anew(row, before) for row in found)

    def _begun_anew(self, row: Row, at: datetime) -> Session:
        _, harness, session_id, *_ = row
        session = Session(harness=str(harness), session_id=str(session_id), started_at=at, last_event_at=at)
        self.save_session(session)
        return session

    @mending
    def prune(self, at: datetime, *, lookups_at: datetime | None = None) -> int:
        """Delete what is older than `at` and needed no more; return how many rows."""
        before: dict[str, Value] = {"before_us": rows.microseconds(at), "kept": contract.KEPT_SESSIONS}
        before |= {"lookups_us": rows.microseconds(lookups_at), "kept_lookups": contract.KEPT_LOOKUPS}
        with self._file.write() as database:
            # signals after what asks them which sessions are in use, and sessions after what asks what they promoted
            queries = ("drop_events", "drop_receipts", "drop_signals", "drop_sessions", "drop_jobs", "drop_damaged")
            return sum(database.run(_SQL[query], before) for query in (*queries, "drop_lookups"))

    @mending
    def erase(self, texts: Sequence[str], refs: Sequence[EventRef]) -> int:
        """Erase texts for good, down to the bytes of the file; return how many rows changed.

        Raises StoreError when a reader keeps old bytes in use: it may be repeated.
        """
        gone = purged(map(contract.storable, texts), contract.storable(tuple(refs)))
        with self._file.write() as database, database.function("mentions", gone.may_be_in):
            changed = wiping.wipe(self._sound, database, gone)
        try:
            self._file.checkpoint()
        except StoreError as error:
            raise StoreError(
                f"the words are gone, but their old bytes are still in the write-ahead log: {error.message}",
                hint="purge it again when nothing else reads the file, or restart the daemon",
            ) from error
        return changed

    # signals

    @mending
    def add_signals(self, harness: str, signals: Sequence[Signal]) -> None:
        """Append signals; the same (session, source, evidence event, rule) is kept once."""
        prepared = [rows.signal_row(contract.storable(harness), contract.storable(signal)) for signal in signals]
        with self._file.write() as database:
            for row in prepared:
                database.run(_SQL["put_signal"], row)

    @mending
    def signals_after(self, harness: str, session_id: str, seq: int) -> Sequence[tuple[int, Signal]]:
        """Return (sequence number, signal) of a session beyond `seq`, in order."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id, "seq": seq}
        found = self._sound.with_rows(SIGNALS, "signals_after", which)
        return tuple((rows.whole(row[0]), signal) for row, signal in found)

    # lookups

    @mending
    def note_lookups(self, lookups: Sequence[Lookup]) -> None:
        """Keep what was looked up: the first of a session for a name in a graph."""
        prepared = [rows.lookup_row(contract.storable(lookup)) for lookup in lookups]
        with self._file.write() as database:
            for row in prepared:
                database.run(_SQL["put_lookup"], row)

    @mending
    def lookups(self, graph: GraphId, symbol: str) -> Sequence[Lookup]:
        """Return the looks at a name in a graph, oldest first."""
        which: dict[str, Value] = {"graph": str(graph), "symbol": symbol, "limit": contract.ASKED_LOOKUPS}
        return tuple(reversed(self._sound.all(LOOKUPS, "lookups_of_symbol", which)))

    # jobs

    @mending
    def enqueue(self, job: Job) -> bool:
        """Queue a job, durable on return; False when a queued or running job has the same (kind, key)."""
        job = contract.storable(job)
        with self._file.write() as database:
            waiting = self._sound.first(JOBS, "waiting_job", {"kind": job.kind, "key": job.key})
            is_full = database.first(_SQL["is_queue_full"], {"most": contract.MOST_QUEUED}) is not None
            if is_full and waiting is None:
                self.count(contract.PUT_OFF)
            queued = not is_full and database.run(_SQL["put_job"], rows.job_row(job)) == 1
            if waiting is not None and (sooner := contract.pulled_forward(waiting, job.due_at)) != waiting:
                database.run(_SQL["change_job"], rows.job_row(sooner))
        self._file.flush()
        return queued

    @mending
    def claim_job(self, now: datetime) -> Job | None:
        """Take the oldest due queued job and mark it running, or None."""
        due = {"now_us": rows.microseconds(now), "far_us": rows.microseconds(now + LONGEST_WAIT)}
        with self._file.write() as database:
            while (row := database.first(_SQL["oldest_due_job"], due)) is not None:
                if (job := self._sound.value(JOBS, row)) is not None:
                    claimed = replace(job, state=JobState.RUNNING, attempts=job.attempts + 1)
                    database.run(_SQL["change_job"], rows.job_row(claimed))
                    return claimed
        return None

    @mending
    def finish_job(self, job_id: str, *, error: str = "", retry_at: datetime | None = None) -> None:
        """Mark a job done; or failed with an error; or queued again for `retry_at`. Raises NotFound."""
        with self._file.write() as database:
            row = database.first(_SQL["job_by_id"], {"job_id": job_id})
            if row is None:
                raise NotFound(f"there is no job {job_id}")
            if (job := self._sound.value(JOBS, row)) is not None:
                job = contract.finished(job, error=error, retry_at=retry_at)
                database.run(_SQL["change_job"], rows.job_row(job))

    @mending
    def requeue_running(self) -> int:
        """Put jobs that a dead daemon left running back into the queue; return how many."""
        with self._file.write() as database:
            running = self._sound.all(JOBS, "running_jobs")
            for job in running:
                database.run(_SQL["change_job"], rows.job_row(replace(job, state=JobState.QUEUED)))
            return len(running)

    @mending
    def jobs(self, *, limit: int = 50) -> Sequence[Job]:
        """Return jobs, newest first."""
        return tuple(self._sound.all(JOBS, "newest_jobs", {"limit": limit}))

    @mending
    def job_counts(self) -> Mapping[str, int]:
        """Return the number of jobs by state value."""
        return {str(state): rows.whole(count) for state, count in self._all("job_counts")}

    @mending
    def next_job_due(self) -> datetime | None:
        """Return when the next queued job is due, or None when none waits."""
        while found := self._all("next_job"):
            if (job := self._sound.value(JOBS, found[0])) is not None:
                return job.due_at
        return None

    # receipts

    @mending
    def add_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        self._change("put_receipt", rows.receipt_row(contract.storable(receipt)))

    @mending
    def receipts(
        self, *, harness: str = "", session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first: of one session, of one graph, or of all."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id, "limit": limit}
        which["graph"] = str(graph) if graph else None
        return tuple(self._sound.all(RECEIPTS, "newest_receipts", which))

    @mending
    def injected(self, harness: str, session_id: str, epoch: int) -> Mapping[str, str]:
        """Return memory id -> digest of all that was shown in this session since its last compaction."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id, "epoch": epoch}
        found = self._sound.all(RECEIPTS, "receipts_of_epoch", which)
        return {item.memory_id: item.digest for receipt in found for item in receipt.shown}

    # identity

    @mending
    def root_claim(self, graph: GraphId) -> RootClaim | None:
        """Return the root commit a remote's graph belongs to, if one was seen.

        A damaged claim becomes one that nothing proves: whose graph it is, is the user's to say.
        """
        found = self._all("claim_by_graph", {"graph": str(graph)})
        return (self._sound.value(CLAIMS, found[0]) or self._claimed_by_nobody(graph)) if found else None

    def _claimed_by_nobody(self, graph: GraphId) -> RootClaim:
        claim = RootClaim(graph=str(graph), root="", first_seen=rows.moment(0))
        self.save_root_claim(claim)
        return claim

    @mending
    def save_root_claim(self, claim: RootClaim) -> None:
        """Insert or replace a root claim."""
        self._change("put_claim", rows.claim_row(contract.storable(claim)))

    @mending
    def aliases(self) -> Mapping[str, str]:
        """Return graph id -> graph id it is now known by."""
        return dict(self._sound.all(ALIASES, "aliases"))

    @mending
    def save_alias(self, old: GraphId, new: GraphId) -> None:
        """Record that `old` is now known as `new`, and so is what was known as `old`; `new` itself is no alias."""
        with self._file.write() as database:
            for alias in (str(old), *(name for name, target in self.aliases().items() if target == str(old))):
                database.run(_SQL["put_alias"], rows.alias_row(alias, str(new)))
            database.run(_SQL["drop_alias"], {"old": str(new)})

    # the rest

    @mending
    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self._change("add_count", {"name": contract.storable(name), "by": by})

    @mending
    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        return {str(name): rows.whole(count) for name, count in self._all("counters")}

    @mending
    def problems(self) -> Sequence[str]:
        """Return a sentence for each row that was damaged, naming file, table and row."""
        asides = set_aside(self._kept.path.parent, self._kept.path.name)
        return (*(problem(*aside) for aside in asides), *self._sound.problems())

    @mending
    def check(self) -> Sequence[Finding]:
        """Go through everything and return what is wrong."""
        self.aliases()  # what they say is looked at when they are read
        path = self._kept.path
        found = check_control(path, self._file, self._sound.problems())
        return (*found, *check_set_aside(path.parent, path.name))

    def flush(self) -> None:
        """Return when everything written so far is on disk. Raises StoreError when it could not be written."""
        self._file.flush()

    def close(self) -> None:
        """Flush and let go of the file."""
        self._file.close()

    def _all(self, query: str, parameters: Mapping[str, Value] | None = None) -> Sequence[Row]:
        with self._file.read() as database:
            return database.all(_SQL[query], contract.storable(parameters))

    def _change(self, query: str, parameters: Mapping[str, Value]) -> int:
        with self._file.write() as database:
            return database.run(_SQL[query], parameters)

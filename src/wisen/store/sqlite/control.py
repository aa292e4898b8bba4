"""What do we know beside memories: sessions, events, signals, jobs, receipts, root claims, aliases, counters?

One SQLite file; writes are visible at once and grouped into one commit within 50 ms, jobs are durable on return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from wisen.core.records import Job, JobState, Receipt, RootClaim, Session
from wisen.core.types import Event, EventRef, GraphId, Signal
from wisen.errors import NotFound, StoreError
from wisen.store import contract
from wisen.store.codec import encode
from wisen.store.erasing import Purged, event_without, purged, receipt_without
from wisen.store.queries import load
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import Database, Row, Value
from wisen.store.sqlite.files import CONTROL, create_file, open_file
from wisen.store.sqlite.group import GroupedWriter

_SQL = load(Path(__file__).with_name("queries") / "control.sql")


class SqliteControl:
    """The control file. Implements `ports.ControlStore`; may be used from many threads."""

    def __init__(self, path: Path) -> None:
        """Open the file, made when it is not there. Raises StoreDamaged, StoreTooNew or StoreError."""
        if not path.exists():
            create_file(path, CONTROL)
        self._file = GroupedWriter(open_file(path, CONTROL))

    # events and sessions

    def record(self, event: Event, *, seen_at: datetime) -> bool:
        """Keep an event; False when its natural key (harness, event_id) is known already."""
        row = rows.event_row(contract.storable(event), contract.storable(seen_at))
        return self._change("put_event", row) == 1

    def events(self, harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        """Return the newest `limit` events of a session, oldest first."""
        found = self._all("newest_events", {"harness": harness, "session_id": session_id, "limit": limit})
        return tuple(rows.event_of(row) for row in reversed(found))

    def session(self, harness: str, session_id: str) -> Session | None:
        """Return a session, or None."""
        with self._file.read() as database:
            return self._session(database, harness, session_id)

    def sessions(self, *, limit: int = 100) -> Sequence[Session]:
        """Return sessions, last active first."""
        return tuple(map(rows.session_of, self._all("sessions_by_activity", {"limit": limit})))

    def save_session(self, session: Session) -> None:
        """Insert or replace a session; its `promoted_seq` never goes back."""
        session = contract.storable(session)
        with self._file.write() as database:
            held = self._session(database, session.harness, session.session_id)
            if held is not None:
                session = replace(session, promoted_seq=max(session.promoted_seq, held.promoted_seq))
            database.run(_SQL["put_session"], rows.session_row(session))

    def advance_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Set a session's `promoted_seq` and nothing else, if `seq` is larger."""
        with self._file.write() as database:
            held = self._session(database, harness, session_id)
            if held is not None and seq > held.promoted_seq:
                database.run(_SQL["put_session"], rows.session_row(replace(held, promoted_seq=seq)))

    def session_count(self) -> int:
        """Return how many sessions there are."""
        return rows.whole(self._all("session_count")[0][0])

    def sessions_with_signals(self, before: datetime, *, limit: int = 200) -> Sequence[Session]:
        """Return sessions last active before `before` with signals that no job was given, longest silent first."""
        found = self._all("sessions_with_signals", {"before_us": rows.microseconds(before), "limit": limit})
        return tuple(map(rows.session_of, found))

    def prune(self, at: datetime) -> int:
        """Delete what is older than `at` and needed no more; return how many rows."""
        before: dict[str, Value] = {"before_us": rows.microseconds(at)}
        with self._file.write() as database:
            # signals after what asks them which sessions are in use
            tables = ("drop_events", "drop_receipts", "drop_signals", "drop_jobs")
            return sum(database.run(_SQL[query], before) for query in tables)

    drop_events_before = prune

    def erase(self, texts: Sequence[str], refs: Sequence[EventRef]) -> int:
        """Erase texts for good, down to the bytes of the file; return how many rows changed.

        Raises StoreError when a reader keeps old bytes in use: it may be repeated.
        """
        gone = purged(map(contract.storable, texts), contract.storable(tuple(refs)))
        with self._file.write() as database:
            changed = self._erased(database, gone)
        try:
            self._file.checkpoint()
        except StoreError as error:
            raise StoreError(
                f"the words are gone, but their old bytes are still in the write-ahead log: {error.message}",
                hint="purge it again when nothing else reads the file, or restart the daemon",
            ) from error
        return changed

    # signals

    def add_signals(self, harness: str, signals: Sequence[Signal]) -> None:
        """Append signals; the same (session, source, evidence event, rule) is kept once."""
        prepared = [rows.signal_row(contract.storable(harness), contract.storable(signal)) for signal in signals]
        with self._file.write() as database:
            for row in prepared:
                database.run(_SQL["put_signal"], row)

    def signals_after(self, harness: str, session_id: str, seq: int) -> Sequence[tuple[int, Signal]]:
        """Return (sequence number, signal) of a session beyond `seq`, in order."""
        found = self._all("signals_after", {"harness": harness, "session_id": session_id, "seq": seq})
        return tuple(map(rows.signal_of, found))

    # jobs

    def enqueue(self, job: Job) -> bool:
        """Queue a job, durable on return; False when a queued or running job has the same (kind, key)."""
        queued = self._change("put_job", rows.job_row(contract.storable(job))) == 1
        self._file.flush()
        return queued

    def claim_job(self, now: datetime) -> Job | None:
        """Take the oldest due queued job and mark it running, or None."""
        with self._file.write() as database:
            row = database.first(_SQL["oldest_due_job"], {"now_us": rows.microseconds(now)})
            if row is None:
                return None
            job = rows.job_of(row)
            claimed = replace(job, state=JobState.RUNNING, attempts=job.attempts + 1)
            database.run(_SQL["change_job"], rows.job_row(claimed))
            return claimed

    def finish_job(self, job_id: str, *, error: str = "", retry_at: datetime | None = None) -> None:
        """Mark a job done; or failed with an error; or queued again for `retry_at`. Raises NotFound."""
        with self._file.write() as database:
            row = database.first(_SQL["job_by_id"], {"job_id": job_id})
            if row is None:
                raise NotFound(f"there is no job {job_id}")
            job = contract.finished(rows.job_of(row), error=error, retry_at=retry_at)
            database.run(_SQL["change_job"], rows.job_row(job))

    def requeue_running(self) -> int:
        """Put jobs that a dead daemon left running back into the queue; return how many."""
        with self._file.write() as database:
            running = [rows.job_of(row) for row in database.all(_SQL["running_jobs"])]
            for job in running:
                database.run(_SQL["change_job"], rows.job_row(replace(job, state=JobState.QUEUED)))
            return len(running)

    def jobs(self, *, limit: int = 50) -> Sequence[Job]:
        """Return jobs, newest first."""
        return tuple(map(rows.job_of, self._all("newest_jobs", {"limit": limit})))

    def job_counts(self) -> Mapping[str, int]:
        """Return the number of jobs by state value."""
        return {str(state): rows.whole(count) for state, count in self._all("job_counts")}

    def next_job_due(self) -> datetime | None:
        """Return when the next queued job is due, or None when none waits."""
        [(due_us,)] = self._all("next_job_due")
        return None if due_us is None else rows.moment(due_us)

    # receipts

    def add_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt."""
        self._change("put_receipt", rows.receipt_row(contract.storable(receipt)))

    def receipts(
        self, *, harness: str = "", session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> Sequence[Receipt]:
        """Return receipts, newest first: of one session, of one graph, or of all."""
        which: dict[str, Value] = {"harness": harness, "session_id": session_id, "limit": limit}
        found = self._all("newest_receipts", {**which, "graph": str(graph) if graph else None})
        return tuple(map(rows.receipt_of, found))

    def injected(self, harness: str, session_id: str, epoch: int) -> Mapping[str, str]:
        """Return memory id -> digest of all that was shown in this session since its last compaction."""
        found = self._all("receipts_of_epoch", {"harness": harness, "session_id": session_id, "epoch": epoch})
        return {item.memory_id: item.digest for row in found for item in rows.receipt_of(row).shown}

    # identity

    def root_claim(self, graph: GraphId) -> RootClaim | None:
        """Return the root commit a remote's graph belongs to, if one was seen."""
        found = self._all("claim_by_graph", {"graph": str(graph)})
        return rows.claim_of(found[0]) if found else None

    def save_root_claim(self, claim: RootClaim) -> None:
        """Insert or replace a root claim."""
        self._change("put_claim", rows.claim_row(contract.storable(claim)))

    def aliases(self) -> Mapping[str, str]:
        """Return graph id -> graph id it is now known by."""
        return dict(map(rows.alias_of, self._all("aliases")))

    def save_alias(self, old: GraphId, new: GraphId) -> None:
        """Record that `old` is now known as `new`, and so is what was known as `old`; `new` itself is no alias."""
        with self._file.write() as database:
            known = dict(map(rows.alias_of, database.all(_SQL["aliases"])))
            for alias in (str(old), *(name for name, target in known.items() if target == str(old))):
                database.run(_SQL["put_alias"], rows.alias_row(alias, str(new)))
            database.run(_SQL["drop_alias"], {"old": str(new)})

    # the rest

    def count(self, name: str, by: int = 1) -> None:
        """Add to a counter."""
        self._change("add_count", {"name": contract.storable(name), "by": by})

    def counters(self) -> Mapping[str, int]:
        """Return all counters."""
        return {str(name): rows.whole(count) for name, count in self._all("counters")}

    def flush(self) -> None:
        """Return when everything written so far is on disk. Raises StoreError when it could not be written."""
        self._file.flush()

    def close(self) -> None:
        """Flush and let go of the file."""
        self._file.close()

    @staticmethod
    def _session(database: Database, harness: str, session_id: str) -> Session | None:
        key = contract.storable({"harness": harness, "session_id": session_id})
        row = database.first(_SQL["session_by_id"], key)
        return rows.session_of(row) if row else None

    def _erased(self, database: Database, gone: Purged) -> int:
        where: dict[str, Value] = {"words": encode(sorted(gone.words)), "refs": encode(sorted(gone.said_in))}
        changed = 0
        for row in database.all(_SQL["events_holding"], where):
            event = rows.event_of(row)
            if (blank := event_without(event, gone)) != event:
                changed += database.run(_SQL["blank_event"], rows.event_row(blank, rows.moment(row[4])))
        for row in database.all(_SQL["receipts_holding"], where):
            receipt = rows.receipt_of(row)
            if (bare := receipt_without(receipt, gone)) != receipt:
                changed += database.run(_SQL["blank_receipt"], rows.receipt_row(bare))
        for row in database.all(_SQL["signals_holding"], where):
            seq, signal = rows.signal_of(row)
            if gone.is_in(signal) or (gone.is_noticed_in(signal) and self._is_promoted(database, row, seq)):
                changed += database.run(_SQL["drop_signal"], {"seq": seq})
        return changed

    def _is_promoted(self, database: Database, signal: Row, seq: int) -> bool:
        session = self._session(database, str(signal[1]), str(signal[2]))
        return session is not None and seq <= session.promoted_seq

    def _all(self, query: str, parameters: Mapping[str, Value] | None = None) -> Sequence[Row]:
        with self._file.read() as database:
            return database.all(_SQL[query], contract.storable(parameters))

    def _change(self, query: str, parameters: Mapping[str, Value]) -> int:
        with self._file.write() as database:
            return database.run(_SQL[query], parameters)

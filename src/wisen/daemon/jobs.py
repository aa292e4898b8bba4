"""The daemon's own work: durable jobs, the spool, the sweep. One thread that sleeps until there is something to do."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from wisen.adapters.registry import adapter
from wisen.compose import Wisen
from wisen.core.counters import SPOOL_FULL
from wisen.core.past import Learned
from wisen.core.records import Job
from wisen.daemon import spool
from wisen.daemon.in_force import Fixed, InForce
from wisen.daemon.logfile import in_words, is_told, told
from wisen.daemon.notices import LEARNS_NOTHING, Trouble
from wisen.daemon.spool import SpoolEntry
from wisen.engine.capture import PROMOTE
from wisen.engine.catch_up import Missed
from wisen.engine.learn import Wanted
from wisen.errors import StoreError

log = logging.getLogger(__name__)

TICK_S = 600.0
_PAUSED_S = 60.0  # until it is looked again whether the pause is over
MAX_ATTEMPTS = 8  # of one job; what a session said waits in the store, and the sweep queues another job for it
_RETRY_S = 5.0
_EVERY_SESSION = 10_000
_DAY = timedelta(days=1)
# It reads through all events, under the lock that hooks write with: a third of the daemon's work when done each time.
_PRUNE_EVERY = timedelta(hours=1)
_LOOKUPS_LAST = 6  # times as long as events: three sessions may be far apart
_BEFORE_WISEN = datetime(2000, 1, 1, tzinfo=UTC)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A session start that waits for what was said in the others; `but_not` is its own session."""

    but_not: str
    done: threading.Event = field(default_factory=threading.Event)


class Worker:
    """Runs jobs. `settle` does what is due at once, for a session start that wants the latest."""

    def __init__(self, in_force: InForce | Fixed) -> None:
        self._in_force = in_force
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._asked: deque[_Asked] = deque()
        self._thread = threading.Thread(target=self._run, name="wisen-jobs", daemon=True)
        self._is_started = False
        self._pruned: tuple[datetime, int] | None = None  # when, and for how many days things were kept
        self._failing: dict[str, str] = {}  # what failed when it was tried last, and how
        self._failing_since: dict[str, datetime] = {}
        self._past = threading.Lock()  # held while a session of the past is read, of which nothing may be deleted
        self._learning = ("", "")  # harness and id of that session

    @property
    def _wisen(self) -> Wisen:
        return self._in_force.wisen

    def start(self) -> None:
        """Begin with what waits."""
        self._wake.set()
        self._thread.start()
        self._is_started = True

    def wake(self) -> None:
        """Say that there is work."""
        self._wake.set()

    def close(self) -> None:
        """Stop after the job at hand."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def troubles(self) -> tuple[Trouble, ...]:
        """Return what keeps the work from getting done, and since when: the worst first."""
        since = self._failing_since.copy()
        failing = tuple(
            Trouble(kind=what, why=f"{what} fails: {error}", since=since.get(what))
            for what, error in sorted(self._failing.copy().items())
        )
        if not self._is_started or self._stop.is_set() or self._thread.is_alive():
            return failing
        why = "the worker has stopped: `wisen daemon restart` starts another"
        return (Trouble(kind="worker", why=why, says=LEARNS_NOTHING), *failing)

    def settle(self, *, within_s: float, but_not: str = "") -> None:
        """Have the spool read, all other sessions swept and due jobs run; return when that is done, or `within_s` over.

        The thread does it, and goes on when nobody waits any more: one session's file can take longer than that.
        """
        if not self._thread.is_alive():
            return
        asked = _Asked(but_not=but_not)
        self._asked.append(asked)
        self._wake.set()
        asked.done.wait(timeout=within_s)

    def learn(self, wanted: Wanted) -> Learned:
        """Learn from a session of the past, in the caller's thread: the work on living sessions goes on meanwhile.

        One at a time. What is read of an old session is kept until it has been promoted, however old it is.
        """
        with self._past:
            self._learning = (wanted.harness, wanted.session_id)
            try:
                return self._wisen.learn.learn(wanted)
            finally:
                self._learning = ("", "")

    def _run(self) -> None:
        while not self._stop.is_set():
            if isinstance(self._attempt("a round of work", self._turn), Exception):
                self._stop.wait(_RETRY_S)

    def _turn(self) -> None:
        """Sleep until there is work, and do it."""
        self._wake.wait(timeout=self._until_next())
        self._wake.clear()
        if self._stop.is_set() or self._is_paused():
            return
        asked = [self._asked.popleft() for _ in range(len(self._asked))]
        try:
            # A dead daemon, or a store that failed in the middle, has left them: only this thread runs any.
            self._wisen.control.requeue_running()
            self._work(asked)
        finally:
            for one in asked:
                one.done.set()
        self._prune()

    def _prune(self) -> None:
        """Delete what is older than the retention time.

        The days since the last activity count as one: a clock that jumped ahead looks like a long absence, and what it
        makes old is not. Who really was away is active again, and a day later all of the days count.
        """
        now, days = self._wisen.clock.now(), self._wisen.settings.retention_days
        if self._pruned and days == self._pruned[1] and abs(now - self._pruned[0]) < _PRUNE_EVERY:
            return
        if not self._past.acquire(blocking=False):
            return
        try:
            self._prune_before(now, days)
        finally:
            self._past.release()

    def _prune_before(self, now: datetime, days: int) -> None:
        last = self._wisen.control.last_activity(now - _DAY) or _BEFORE_WISEN
        until = min(now, last + _DAY)
        lookups_at = until - _LOOKUPS_LAST * timedelta(days=days)
        self._wisen.control.prune(until - timedelta(days=days), lookups_at=lookups_at)
        self._pruned = now, days

    def _is_paused(self) -> bool:
        """Whether the user has paused wisen everywhere: then nothing is learned, not even from before the pause."""
        return self._wisen.locator.is_paused("", self._wisen.clock.now())

    def _until_next(self) -> float:
        """Seconds until a deferred job is due, at most one tick."""
        if self._is_paused():
            return _PAUSED_S
        due = self._wisen.control.next_job_due()
        soonest = (due - self._wisen.clock.now()).total_seconds() if due else TICK_S
        return min(max(soonest, 0.1), TICK_S)

    def _work(self, asked: Sequence[_Asked] = ()) -> None:
        """Do what waits; a part that fails is not in the others' way."""
        self._attempt("reading the spool", self._drain_spool)
        self._attempt("the sweep", partial(self._sweep, asked))
        self._attempt("running jobs", self._run_due)

    def _sweep(self, asked: Sequence[_Asked]) -> None:
        patience = self._wisen.settings.sweep_after_minutes
        self._wisen.sweep.sweep(idle_minutes=patience, limit=_EVERY_SESSION)
        for one in asked:
            self._wisen.sweep.sweep(idle_minutes=0, but_not=one.but_not)

    def _attempt(self, what: str, work: Callable[[], T]) -> T | Exception:
        """Do a piece of work and return its result, or what it raised.

        This is the worker's edge, where any exception is caught: there is nobody above to hear it, and a thread that
        died of one transcript or one row would learn from no other.
        """
        try:
            done = work()
        except Exception as error:
            log.warning("work_failed", extra={"work": what, "error": told(error)}, exc_info=not is_told(error))
            self._failing[what] = in_words(error)
            self._failing_since.setdefault(what, self._wisen.clock.now())
            return error
        self._failing.pop(what, None)
        self._failing_since.pop(what, None)
        return done

    # --- the spool

    def _drain_spool(self) -> None:
        if (self._wisen.paths.spool_dir / "full").exists():  # hooks had to drop what they brought
            self._wisen.control.count(SPOOL_FULL)
        while not self._stop.is_set() and (entries := spool.pending(self._wisen.paths.spool_dir)):
            for pointers in self._by_session(entries):
                if self._stop.is_set() or not self._read(pointers):
                    return

    def _by_session(self, entries: Sequence[SpoolEntry]) -> Iterable[Sequence[SpoolEntry]]:
        """Return the pointers of each session together, as all lead to one file; those of excluded places are gone."""
        sessions: dict[tuple[str, str, str], list[SpoolEntry]] = {}
        for entry in entries:
            if self._wisen.locator.is_excluded(entry.cwd):
                spool.acknowledge(entry)
            else:
                sessions.setdefault((entry.harness, entry.session_id, entry.transcript), []).append(entry)
        return sessions.values()

    def _read(self, pointers: Sequence[SpoolEntry]) -> bool:
        """Read what one session's pointers lead to. Return False when the disk has no room for it now."""
        match self._attempt("reading a transcript", partial(self._catch_up, pointers)):
            case StoreError() | OSError():
                return False  # the disk's fault and not the pointers': they stay
            case Exception():
                done_with = spool.set_aside
            case _:
                done_with = spool.acknowledge
        for entry in pointers:
            done_with(entry)
        return True

    def _catch_up(self, pointers: Sequence[SpoolEntry]) -> None:
        first, harness = pointers[0], adapter(pointers[0].harness)
        missed = Missed(
            harness=first.harness,
            session_id=first.session_id,
            transcript=first.transcript,
            # One pointer of a script is enough to take nobody's word for a person's.
            interactive=all(harness.is_interactive(entry.entrypoint) for entry in pointers),
            ends=any(harness.ends_context(entry.event_name) for entry in pointers),
            events=len(pointers),
            was_there=any(entry.was_there for entry in pointers),
        )
        self._wisen.catch_up.catch_up(missed)
        self._wisen.control.flush()

    # --- jobs

    def _run_due(self) -> None:
        while not self._stop.is_set():
            job = self._wisen.control.claim_job(self._wisen.clock.now())
            if job is None:
                return
            self._run_one(job)

    def _run_one(self, job: Job) -> None:
        """Run a claimed job; `claim_job` has counted this attempt."""
        outcome = self._attempt(f"the job {job.kind}", partial(self._do, job))
        is_last = job.attempts >= MAX_ATTEMPTS
        later = None if is_last else self._wisen.clock.now() + timedelta(seconds=_RETRY_S * 2**job.attempts)
        if isinstance(outcome, Exception):
            self._wisen.control.finish_job(job.job_id, error=in_words(outcome), retry_at=later)
        else:
            # A deferred job that is done all the same leaves its signals: the sweep queues another one for them.
            self._wisen.control.finish_job(job.job_id, retry_at=later if outcome else None)

    def _do(self, job: Job) -> bool:
        """Return whether there is something left for a later attempt."""
        if job.kind != PROMOTE:
            log.warning("job_unknown", extra={"job": job.kind})
            return False
        harness, session_id = job.payload["harness"], job.payload["session_id"]
        if (harness, session_id) == self._learning:
            return True  # half a session shows other things than a whole one
        # What was heard live must not wait for what is only in the transcript.
        self._attempt("completing a session", partial(self._wisen.catch_up.complete, harness, session_id))
        done = self._wisen.promote.promote(harness, session_id, batch=job.job_id)
        counts = {"added": len(done.added), "reinforced": len(done.reinforced), "dropped": len(done.dropped)}
        log.info("promoted", extra={**counts, "deferred": done.deferred})
        return done.deferred

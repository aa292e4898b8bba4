"""The daemon's own work: durable jobs, the spool, the sweep. One thread that sleeps until there is something to do."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

from wisen.adapters.registry import adapter
from wisen.compose import Wisen
from wisen.core.records import Job, JobState
from wisen.daemon import spool
from wisen.daemon.spool import SpoolEntry
from wisen.engine.capture import PROMOTE
from wisen.engine.catch_up import Missed
from wisen.errors import StoreError, WisenError

log = logging.getLogger(__name__)

TICK_S = 600.0
MAX_ATTEMPTS = 8  # of one job; what a session said waits in the store, and the sweep queues another job for it
_RETRY_S = 5.0
T = TypeVar("T")


class Worker:
    """Runs jobs. `settle` does what is due at once, for a session start that wants the latest."""

    def __init__(self, wisen: Wisen) -> None:
        self._wisen = wisen
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._busy = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="wisen-jobs", daemon=True)
        self._is_started = False
        self._failing: dict[str, str] = {}  # what failed when it was tried last, and how

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

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each kind of work that does not get done."""
        failing = tuple(f"{what} fails: {error}" for what, error in sorted(self._failing.copy().items()))
        if not self._is_started or self._stop.is_set() or self._thread.is_alive():
            return failing
        return ("nothing is learned any more, the worker has stopped: `wisen daemon restart`", *failing)

    def settle(self, *, within_s: float, but_not: str = "") -> None:
        """Read the spool, sweep other sessions and run due jobs, giving up when `within_s` has passed."""
        until = time.monotonic() + within_s
        if not self._busy.acquire(timeout=within_s):
            return
        try:
            self._work(until, idle_minutes=0, but_not=but_not)
        finally:
            self._busy.release()

    def _run(self) -> None:
        while not self._stop.is_set():
            if isinstance(self._attempt("work", self._turn), Exception):
                self._stop.wait(_RETRY_S)

    def _turn(self) -> None:
        """Sleep until there is work, and do it."""
        self._wake.wait(timeout=self._until_next())
        self._wake.clear()
        if self._stop.is_set():
            return
        with self._busy:
            # A dead daemon, or a store that failed in the middle, has left them: only the holder of the lock runs any.
            self._wisen.control.requeue_running()
            self._work(None, idle_minutes=self._wisen.settings.sweep_after_minutes)
            before = self._wisen.clock.now() - timedelta(days=self._wisen.settings.retention_days)
            self._wisen.control.drop_events_before(before)

    def _until_next(self) -> float:
        """Seconds until a deferred job is due, at most one tick."""
        now = self._wisen.clock.now()
        waiting = [job.due_at for job in self._wisen.control.jobs(limit=100) if job.state is JobState.QUEUED]
        soonest = min(((due - now).total_seconds() for due in waiting), default=TICK_S)
        return min(max(soonest, 0.1), TICK_S)

    def _work(self, until: float | None, *, idle_minutes: float, but_not: str = "") -> None:
        """Do what waits; a part that fails is not in the others' way."""
        self._attempt("reading the spool", lambda: self._drain_spool(until))
        self._attempt("the sweep", lambda: self._wisen.sweep.sweep(idle_minutes=idle_minutes, but_not=but_not))
        self._attempt("running jobs", lambda: self._run_due(until))

    def _attempt(self, what: str, work: Callable[[], T]) -> T | Exception:
        """Do a piece of work and return its result, or what it raised.

        This is the worker's edge, where any exception is caught: there is nobody above to hear it, and a thread that
        died of one transcript or one row would learn from no other.
        """
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - see above
            log.warning("work_failed", extra={"work": what}, exc_info=not isinstance(error, WisenError))
            is_worded = isinstance(error, WisenError | OSError)
            self._failing[what] = f"{type(error).__name__}: {error}" if is_worded else type(error).__name__
            return error
        self._failing.pop(what, None)
        return done

    # --- the spool

    def _drain_spool(self, until: float | None) -> None:
        while entries := spool.pending(self._wisen.paths.spool_dir):
            for missed, pointers in self._sessions(entries).items():
                if self._is_over(until):
                    return
                match self._attempt("reading a transcript", lambda missed=missed: self._catch_up(missed)):
                    case StoreError() | OSError() as error:
                        raise error  # the disk's fault and not the pointers': they stay
                    case Exception():
                        _for_each(spool.set_aside, pointers)
                    case _:
                        _for_each(spool.acknowledge, pointers)

"""The daemon's own work: durable jobs, the spool, the sweep. One thread that sleeps until there is something to do."""

from __future__ import annotations

import logging
import threading
import time
from datetime import timedelta

from wisen.compose import Wisen
from wisen.core.records import Job, JobState
from wisen.daemon import spool
from wisen.engine.capture import PROMOTE
from wisen.engine.catch_up import Missed
from wisen.errors import WisenError

log = logging.getLogger(__name__)

TICK_S = 600.0
MAX_ATTEMPTS = 8
_RETRY_S = 5.0
_SPOOLED_HARNESS = "claude-code"


class Worker:
    """Runs jobs. `settle` does what is due at once, for a session start that wants the latest."""

    def __init__(self, wisen: Wisen) -> None:
        self._wisen = wisen
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._busy = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="wisen-jobs", daemon=True)

    def start(self) -> None:
        """Put back what a dead daemon left running, then begin."""
        self._wisen.control.requeue_running()
        self._wake.set()
        self._thread.start()

    def wake(self) -> None:
        """Say that there is work."""
        self._wake.set()

    def close(self) -> None:
        """Stop after the job at hand."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def settle(self, *, within_s: float, but_not: str = "") -> None:
        """Read the spool, sweep other sessions and run due jobs, giving up when `within_s` has passed."""
        until = time.monotonic() + within_s
        if not self._busy.acquire(timeout=within_s):
            return
        try:
            self._drain_spool(until)
            self._wisen.sweep.sweep(idle_minutes=0, but_not=but_not)
            self._run_due(until)
        finally:
            self._busy.release()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.wait(timeout=self._until_next())
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                with self._busy:
                    self._round()
            except (WisenError, OSError):
                log.exception("job round failed")

    def _until_next(self) -> float:
        """Seconds until a deferred job is due, at most one tick."""
        now = self._wisen.clock.now()
        waiting = [job.due_at for job in self._wisen.control.jobs(limit=100) if job.state is JobState.QUEUED]
        soonest = min(((due - now).total_seconds() for due in waiting), default=TICK_S)
        return min(max(soonest, 0.1), TICK_S)

    def _round(self) -> None:
        settings = self._wisen.settings
        self._drain_spool(None)
        self._wisen.sweep.sweep(idle_minutes=settings.sweep_after_minutes)
        self._run_due(None)
        before = self._wisen.clock.now() - timedelta(days=settings.retention_days)
        self._wisen.control.drop_events_before(before)

    def _drain_spool(self, until: float | None) -> None:
        for entry in spool.pending(self._wisen.paths.spool_dir):
            if self._stop.is_set() or _is_over(until):
                return
            self._wisen.catch_up.catch_up(
                Missed(
                    harness=_SPOOLED_HARNESS,
                    event_name=entry.event_name,
                    session_id=entry.session_id,
                    transcript=entry.transcript,
                    entrypoint=entry.entrypoint,
                )
            )
            self._wisen.control.flush()
            spool.acknowledge(entry)

    def _run_due(self, until: float | None) -> None:
        while not self._stop.is_set() and not _is_over(until):
            job = self._wisen.control.claim_job(self._wisen.clock.now())
            if job is None:
                return
            self._run_one(job)

    def _run_one(self, job: Job) -> None:
        control, now = self._wisen.control, self._wisen.clock.now()
        retry_at = now + timedelta(seconds=_RETRY_S * 2**job.attempts)
        try:
            deferred = self._do(job)
        except (WisenError, OSError) as error:
            log.warning("job failed", extra={"job": job.kind, "error": str(error)})
            last = job.attempts + 1 >= MAX_ATTEMPTS
            control.finish_job(job.job_id, error=str(error), retry_at=None if last else retry_at)
            return
        control.finish_job(job.job_id, retry_at=retry_at if deferred and job.attempts < MAX_ATTEMPTS else None)

    def _do(self, job: Job) -> bool:
        if job.kind == PROMOTE:
            self._wisen.catch_up.complete(job.payload["harness"], job.payload["session_id"])
            done = self._wisen.promote.promote(job.payload["harness"], job.payload["session_id"])
            log.info(
                "promoted",
                extra={"added": len(done.added), "reinforced": len(done.reinforced), "dropped": len(done.dropped)},
            )
            return done.deferred
        log.warning("unknown job kind", extra={"job": job.kind})
        return False


def _is_over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until

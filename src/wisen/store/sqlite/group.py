"""When does a grouped write reach the disk? At most 50 ms after it was made, together with what came meanwhile.

A commit costs a disk flush; one for each hook event would make the harness wait for the disk. So writes collect in an
open transaction, which every read of the same store sees, and a timer that lives only while something waits commits.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock, Timer

from wisen.errors import StoreError
from wisen.store.sqlite.connection import Database, FileDamaged

log = logging.getLogger(__name__)

COMMIT_WITHIN_S = 0.05
_RETRY_AFTER_S = 1.0


class GroupedWriter:
    """One connection, used by one thread at a time."""

    def __init__(
        self,
        database: Database,
        mend: Callable[[FileDamaged], Database] | None = None,
        moved_to: Callable[[], Database | None] = lambda: None,
    ) -> None:
        """Take the connection, and what returns one to a sound file when this one turns out to be damaged.

        `moved_to` returns one to the file that has the name now, None while that is ours, and raises StoreError when
        none has it.
        """
        self._database = database
        self._mend = mend
        self._moved_to = moved_to
        self._lock = RLock()
        self._timer: Timer | None = None
        self._lost: StoreError | None = None  # a failure that took waiting writes with it
        self._damage: FileDamaged | None = None  # what made us give up the connection: the file is still to be mended
        self._closed = False
        self._uses = 0

    @contextmanager
    def read(self) -> Iterator[Database]:
        """Lend the connection for reading; it sees what waits to be committed."""
        with self._lent():
            yield self._database

    @contextmanager
    def write(self) -> Iterator[Database]:
        """Lend the connection for writing; all or nothing of it is on disk within 50 ms."""
        with self._lent():
            if not self._database.in_transaction:
                self._database.run("BEGIN IMMEDIATE")
            self._commit_after(COMMIT_WITHIN_S)
            try:
                with self._database.savepoint():
                    yield self._database
            except StoreError as error:
                self._note_loss(error)
                raise

    def flush(self) -> None:
        """Return when everything written so far is on disk. Raises StoreError when it can't be, or was lost."""
        with self._lock:
            if self._damage is None:  # else nothing waits
                self._commit()
            if self._lost is not None:
                lost, self._lost = self._lost, None
                raise lost

    def checkpoint(self) -> None:
        """Flush, and move everything out of the write-ahead log. Raises StoreError when a reader is in the way."""
        with self._lock:
            self.flush()
            self._go_on()
            self._database.checkpoint()

    def mend(self, error: FileDamaged) -> None:
        """Go on with a sound file; what waits to be committed goes into the damaged one first, if it can."""
        with self._lock:
            if self._mend is None or self._uses:  # whoever uses it, further up in this thread, comes here as well
                raise error
            damaged = self._database
            if self._damage is None:
                try:
                    self._commit()
                except StoreError as failure:
                    self._lost = StoreError(f"writes were lost: {failure.message}", hint=failure.hint)
                if self._database is not damaged:  # somebody else has mended it
                    return
                self._stop_timer()
                with suppress(StoreError):
                    self._database.abandon()
            self._damage = error
            self._go_on()

    def close(self) -> None:
        """Flush and close; the file is closed even if the flush fails."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            try:
                self.flush()
            finally:
                self._stop_timer()
                self._database.close()

    @contextmanager
    def _lent(self) -> Iterator[None]:
        with self._lock:
            self._go_on()
            self._uses += 1
            try:
                yield
            finally:
                self._uses -= 1

    def _go_on(self) -> None:
        """Get a connection again where a mend has failed: the disk may have room by now. Raises StoreError."""
        if self._damage is not None and self._mend is not None:
            self._database = self._mend(self._damage)
            self._damage = None
        elif not self._uses:
            self._follow()

    def _follow(self) -> bool:
        """Go over to the file that has the name now; False while that is ours. Raises StoreError when none has it."""
        try:
            there = self._moved_to()
        except StoreError as error:
            self._drop(error)
            raise
        if there is None:
            return False
        self._drop(self._replaced())
        with suppress(StoreError):
            self._database.abandon()
        self._database = there
        return True

    def _drop(self, error: StoreError) -> None:
        """Give up what waits to be committed: nobody would find it."""
        self._stop_timer()
        if self._database.in_transaction:
            with suppress(StoreError):
                self._database.run("ROLLBACK")
            self._lost = StoreError(f"writes were lost: {error.message}", hint=error.hint)

    def _replaced(self) -> StoreError:
        return StoreError(
            f"{self._database.path}: another file took its place", hint="try again: it goes into that one"
        )

    def _commit(self) -> None:
        self._stop_timer()
        if not self._database.in_transaction:
            return
        try:
            self._database.run("COMMIT")
        except StoreError:
            if self._database.in_transaction:  # nothing is lost yet: a full disk may have room again
                self._commit_after(_RETRY_AFTER_S)
            raise
        if self._follow():
            raise self._replaced()

    def _commit_late(self) -> None:
        with self._lock:
            if self._closed:
                return
            try:
                self._commit()
            except StoreError as error:
                log.error("commit_failed", extra={"reason": error.message})  # noqa: TRY400 - nothing to trace here
                self._note_loss(error)

    def _note_loss(self, error: StoreError) -> None:
        if not self._database.in_transaction:  # SQLite rolled back by itself
            self._lost = StoreError(f"writes were lost: {error.message}", hint=error.hint)

    def _commit_after(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = Timer(seconds, self._commit_late)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

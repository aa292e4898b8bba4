"""Who may use a graph's file right now? One writer, several readers that never wait for it, all closed when idle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, RLock
from time import monotonic

from wisen.errors import StoreError
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.keeping import KeptFile
from wisen.store.sqlite.place import is_in_place, verify_in_place

_IDLE_READERS = 2
_WAIT_S = 2.0  # for readers to come back: a question takes milliseconds, the longest a few hundred


class Pool:
    """The connections to one file, opened at first use. `close` may come at any time: the next use opens afresh."""

    def __init__(self, file: KeptFile, *, tell: Callable[[], None] = lambda: None) -> None:
        """Take the file, which opens with all checks; readers then open it without repeating them.

        `tell` is called after each write.
        """
        self._tell = tell
        self.path = file.path
        self._file = file
        self._inode = 0
        self._writing = RLock()
        self._lock = Condition()  # told when the last reader came back
        self._lent = 0
        self._writer: Database | None = None
        self._idle: list[Database] = []
        self._generation = 0  # counts closes: a reader lent out before a close is not kept after it

    def open(self) -> None:
        """Open and check the file now. Raises StoreDamaged, StoreTooNew or StoreError."""
        with self._writing:
            self._opened()

    @contextmanager
    def write(self) -> Iterator[Database]:
        """Lend the writer inside a transaction; what was done is on disk when the block ends.

        Raises StoreError when the file is gone by then, or another has its name.
        """
        with self._writing:
            database = self._opened()
            with database.transaction():
                yield database
            verify_in_place(self.path, self._inode)
        self._tell()

    @contextmanager
    def read(self) -> Iterator[Database]:
        """Lend a reader: it sees the last committed state, waits for no write and holds none up."""
        reader, generation = self._borrow()
        try:
            yield reader
        finally:
            self._give_back(reader, generation)

    def checkpoint(self) -> None:
        """Move everything out of the write-ahead log into the file. Raises StoreError when a reader is in the way."""
        with self._writing:
            self._opened().checkpoint()

    def mend(self, error: FileDamaged) -> None:
        """Close the file, and put what can be read of it in its place, unless that was done since it was opened."""
        with self._writing:
            inode = self._inode
            self._abandon()
            self._file.mend(error, inode)

    def close(self) -> None:
        """Close every connection but those lent out, which close when they come back."""
        with self._writing:
            if self._writer is not None and self._is_replaced():
                self._abandon()  # the log may be another's by now
            else:
                self._close()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Let no thread have a connection while the block runs: waits for those lent out, and others wait for it.

        Raises StoreError when one does not come back in time.
        """
        until = monotonic() + _WAIT_S
        while True:
            with self._writing:
                if self._close():
                    yield
                    return
            # waited for without the lock: whoever reads may ask for another reader, and must get it
            with self._lock:
                if not self._lock.wait_for(lambda: not self._lent, until - monotonic()):
                    raise StoreError(f"{self.path}: somebody reads the file", hint="try again in a moment")

    def _close(self) -> bool:
        """Close what is not lent out; return whether that is everything."""
        with self._lock:
            idle, self._idle = self._idle, []
            writer, self._writer = self._writer, None
            self._generation += 1
            is_everything = not self._lent
        for database in (*idle, writer):
            if database is not None:
                database.close()
        return is_everything

    def _abandon(self) -> None:
        writer, self._writer = self._writer, None
        self.close()
        if writer is not None:
            writer.abandon()

    def _is_replaced(self) -> bool:
        """Whether the file that is open is no longer the one under its name: mended by somebody else, or deleted."""
        return not is_in_place(self.path, self._inode)

    def _opened(self) -> Database:
        if self._writer is not None and self._is_replaced():
            self._abandon()
        if self._writer is None:
            self._writer, self._inode = self._file.open()
        return self._writer

    def _borrow(self) -> tuple[Database, int]:
        with self._lock:
            self._lent += 1  # before it is one: from here on `closed` waits for it
        try:
            if self._writer is None or self._is_replaced():
                self.open()
            with self._lock:
                generation = self._generation
                if self._idle:
                    return self._idle.pop(), generation
            return Database(self.path, read_only=True), generation
        except BaseException:
            self._count_back()
            raise

    def _give_back(self, reader: Database, generation: int) -> None:
        try:
            with self._lock:
                if generation == self._generation and len(self._idle) < _IDLE_READERS:
                    self._idle.append(reader)
                    return
            reader.close()
        finally:
            self._count_back()

    def _count_back(self) -> None:
        with self._lock:
            self._lent -= 1
            if not self._lent:
                self._lock.notify_all()

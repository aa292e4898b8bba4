"""How is a SQLite file opened, used and closed, and what do its errors mean?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self, TypeAlias
from urllib.parse import quote

import apsw

from wisen.errors import InvalidValue, StoreDamaged, StoreError
from wisen.store.queries import load

_SQL = load(Path(__file__).with_name("queries") / "reading.sql")

Value: TypeAlias = int | float | str | None
Row: TypeAlias = tuple[Value, ...]
Blobs: TypeAlias = Sequence[tuple[int, bytes]]

BUSY_TIMEOUT_MS = 5000
_CLOSE_TIMEOUT_MS = 100
_WRITABLE = True
WAL_LIMIT_BYTES = 1024 * 1024
_CHECKPOINT_PAGES = 200  # of 4 KiB: below WAL_LIMIT_BYTES


class FileDamaged(StoreDamaged):
    """SQLite can't read the file, or a part of it."""


_DAMAGED_HINT = "the file was left as it is; restore it from a backup, or move it away and wisen starts a new one"
_ERRORS: Mapping[type[apsw.Error], tuple[type[StoreError], str]] = {
    apsw.CorruptError: (FileDamaged, _DAMAGED_HINT),
    apsw.NotADBError: (FileDamaged, _DAMAGED_HINT),
    apsw.FormatError: (FileDamaged, _DAMAGED_HINT),
    apsw.FullError: (StoreError, "the disk is full: make room and try again"),
    apsw.BusyError: (StoreError, "another process holds the file: try again, or stop that process"),
    apsw.LockedError: (StoreError, "another process holds the file: try again, or stop that process"),
    apsw.ReadOnlyError: (StoreError, "the file or its directory is not writable"),
    apsw.CantOpenError: (StoreError, "the directory is missing or not accessible"),
    apsw.PermissionsError: (StoreError, "the file or its directory is not accessible"),
    apsw.IOError: (StoreError, "the disk reported an error"),
}


class Database:
    """One connection to one file. Not for two threads at once: callers hold a lock or own it."""

    def __init__(self, path: Path, *, read_only: bool = False, untouched: bool = False) -> None:
        """Open a file that exists. Raises FileDamaged or StoreError.

        `untouched` is for a file that nobody writes to: nothing is made beside it and nothing in it can change.
        """
        self.path = path
        self._read_only = read_only or untouched
        with self._translated():
            if untouched:
                where, flags = f"file:{quote(str(path))}?immutable=1", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            else:
                where, flags = str(path), apsw.SQLITE_OPEN_READWRITE
            self._connection = apsw.Connection(where, flags=flags)
            try:
                self._configure()
            except BaseException:
                self._connection.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def all(self, sql: str, parameters: Mapping[str, Value] | None = None) -> Sequence[Row]:
        """Run a statement and return its rows. What is no UTF-8 any more comes with U+FFFD in it: no seal fits that."""
        with self._translated():
            cursor = self._connection.execute(sql, parameters)
            try:
                return cursor.fetchall()
            except UnicodeDecodeError:
                width = len(cursor.description)
                return [tuple(map(_text, row)) for row in self._connection.execute(_undecoded(sql, width), parameters)]

    def first(self, sql: str, parameters: Mapping[str, Value] | None = None) -> Row | None:
        """Run a statement and return its first row, or None."""
        rows = self.all(sql, parameters)
        return rows[0] if rows else None

    def blobs(self, sql: str, parameters: Mapping[str, Value]) -> Blobs:
        """Run a statement for a number and a BLOB a row, and return the rows; b"" for what is no BLOB."""
        with self._translated():
            found = self._connection.execute(sql, parameters).fetchall()
        return [(int(number or 0), blob if isinstance(blob, bytes) else b"") for number, blob in found]

    def run(self, sql: str, parameters: Mapping[str, Value | bytes] | None = None) -> int:
        """Run one or more statements and return how many rows the last one changed."""
        with self._translated():
            self._connection.execute(sql, parameters).fetchall()
            return self._connection.changes()

    def patch(self, table: str, column: str, number: int, at: int, data: bytes) -> None:
        """Write over some bytes of a BLOB in place: a page or two, however long it is."""
        with self._translated(), self._connection.blob_open("main", table, column, number, _WRITABLE) as blob:
            blob.seek(at)
            blob.write(data)

    @contextmanager
    def function(self, name: str, call: Callable[..., bool]) -> Iterator[None]:
        """Let statements call a function of one value while the block runs."""
        self._connection.create_scalar_function(name, call, 1)
        try:
            yield
        finally:
            self._connection.create_scalar_function(name, None, 1)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        with self._translated():
            return self._connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all or nothing of what is done inside; on disk when it ends."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        except BaseException:
            if self.in_transaction:
                self.run("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let every question inside see the file as it is at the first one."""
        self.run("BEGIN")
        try:
            yield
        finally:
            if self.in_transaction:
                self.run("ROLLBACK")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Make all or nothing of what is done inside, within an open transaction."""
        self.run("SAVEPOINT step")
        try:
            yield
        except BaseException:
            if self.in_transaction:
                self.run("ROLLBACK TO step; RELEASE step")
            raise
        self.run("RELEASE step")

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and empty it. Raises StoreError when a reader holds it for long."""
        busy, *_ = self.all("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        if busy:
            raise StoreError(f"{self.path}: a reader keeps the write-ahead log from being emptied")

    def keep_log(self) -> None:
        """Write by way of a write-ahead log from now on. Raises StoreError when somebody else has the file open."""
        self._be_in("wal")

    def give_up_log(self) -> None:
        """Move the log into the file and do without: the file alone holds everything, and may be renamed.

        Raises StoreError when somebody else has it open, in whichever process: all is as it was then.
        """
        self._be_in("delete")

    def _be_in(self, mode: str) -> None:
        [(now,)] = self.all("PRAGMA journal_mode")
        if now != mode:
            [(now,)] = self.all(f"PRAGMA journal_mode = {mode}")
        if now != mode:
            raise StoreError(f"{self.path}: somebody else has the file open", hint=_ERRORS[apsw.BusyError][1])

    def copy_to(self, path: Path) -> None:
        """Copy the last commit into an empty file, whoever writes meanwhile; it is not flushed."""
        with self._translated():
            copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                copy.execute("PRAGMA synchronous = OFF").fetchall()
                with copy.backup("main", self._connection, "main") as backup:
                    backup.step(-1)  # in one read transaction: nobody waits for it, and no write makes it start again
            finally:
                copy.close()

    def close(self) -> None:
        """Close; a writer empties the write-ahead log first, when nobody else reads it."""
        if not self._read_only:
            with suppress(StoreError):  # the log stays then, and whoever opens the file next reads it
                self.all(f"PRAGMA busy_timeout = {_CLOSE_TIMEOUT_MS}")
                self.checkpoint()
        with self._translated():
            self._connection.close()

    def abandon(self) -> None:
        """Close and change nothing, not even by moving the write-ahead log into the file."""
        with self._translated():
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()

    def _configure(self) -> None:
        run = self._connection.execute
        self._connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        run("PRAGMA journal_mode").fetchall()  # reads the header: a foreign file fails here, before any change
        run(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY"
        )
        run(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}").fetchall()
        run(f"PRAGMA journal_size_limit = {WAL_LIMIT_BYTES}").fetchall()
        run(f"PRAGMA query_only = {int(self._read_only)}")

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            kind, hint = _ERRORS.get(type(error), (StoreError, ""))
            raise kind(f"{self.path}: {error}", hint=hint) from error
        except OverflowError as error:
            raise InvalidValue("a number is beyond 64 bits: no file can hold it") from error


def _undecoded(sql: str, width: int) -> str:
    """Return a query for the same rows in the same order with their texts as bytes."""
    names = [f"c{n}" for n in range(width)]
    as_bytes = ", ".join(_SQL["as_bytes"].replace(":column", name) for name in names)
    outer = _SQL["undecoded"].replace(":columns", ", ".join(names)).replace(":as_bytes", as_bytes)
    return outer.replace(":query", sql)


def _text(value: Value | bytes) -> Value:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

"""How does a database file come to be, and which files are refused?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wisen.errors import StoreError
from wisen.ownfiles import draft_name, helps, make_dir, publish, sync_dir
from wisen.store.migrate import migrate, missing, newest_version, version_of
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.pages import log_damage
from wisen.store.sqlite.place import inode_or_none

_HERE = Path(__file__).parent
_MAGIC = b"SQLite format 3\0"
_HEAD_BYTES = 100  # https://www.sqlite.org/fileformat2.html#the_database_header
_MARK = slice(68, 72)
SUFFIXES = ("-wal", "-shm", "-journal")  # the last while a file begins or ceases to have a log
_SET_ASIDE = "the daemon sets such a file aside, carries over what can be read, and keeps it"


@dataclass(frozen=True, slots=True)
class FileKind:
    """One of the two kinds of file: its name, its mark in the header and its migrations."""

    name: str
    application_id: int
    migrations: Path


CONTROL = FileKind("control", 0x77736E63, _HERE / "migrations" / "control")
GRAPH = FileKind("graph", 0x77736E67, _HERE / "migrations" / "graph")


def open_file(path: Path, kind: FileKind, before_migration: Callable[[int], object] = lambda _: None) -> Database:
    """Open a file that exists, migrated to this version, readable by its owner only.

    `before_migration` is called with the version of a file that is going to change. Raises FileDamaged for an empty,
    foreign or broken file, or one with a damaged log, StoreTooNew for one of a newer wisen; it stays as it is.
    """
    verify_mark(path, kind)
    verify_log(path)
    with os_errors(path):
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    database = Database(path)
    try:
        database.keep_log()  # one that was on the move has none
        migrate(database, kind.migrations, before_migration)
    except BaseException:
        database.abandon()
        raise
    return database


def create_file(path: Path, kind: FileKind, fill: Callable[[Database], object] | None = None) -> None:
    """Make a file with its first content if there is none: it appears whole or not at all."""
    with os_errors(path):
        make_dir(path.parent)
    with draft_of(path, kind, fill) as draft, os_errors(path), suppress(FileExistsError):
        publish(draft, path, replace=False)  # else another process was faster, with the same content


@contextmanager
def draft_of(path: Path, kind: FileKind, fill: Callable[[Database], object] | None = None) -> Iterator[Path]:
    """Lend a complete file beside a place, not flushed; it is gone afterwards unless it was renamed."""
    draft = draft_name(path)
    with os_errors(path):
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
    try:
        with Database(draft) as database:
            database.run("PRAGMA synchronous = OFF")  # one flush of the whole, later, instead of one a statement
            migrate(database, kind.migrations)
            if fill is not None:
                with database.transaction():
                    fill(database)
            database.keep_log()
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def sidecars(path: Path) -> tuple[Path, ...]:
    """Return the file and what SQLite keeps beside it."""
    return (path, *(path.with_name(path.name + suffix) for suffix in SUFFIXES))


def remove_database(path: Path) -> None:
    """Delete a database and what belongs to it, the log before the file: a log alone would be taken for another's.

    May be repeated: it then deletes what is left. Raises OSError.
    """
    for part in reversed(sidecars(path)):
        part.unlink(missing_ok=True)
        if part.parent.is_dir():
            sync_dir(part.parent)


def missing_tables(path: Path, kind: FileKind) -> Sequence[str]:
    """Return which tables a file has lost; none for one that is not whole, or of a later version."""
    with suppress(StoreError):
        verify_mark(path, kind)
        verify_log(path)
        with Database(path, read_only=True) as database:
            if version_of(database) <= newest_version(kind.migrations):
                return sorted(part.name for part in missing(database, kind.migrations) if part.kind == "table")
    return ()


def verify_mark(path: Path, kind: FileKind) -> None:
    """Raise FileDamaged for a file that is not of this kind. SQLite is not asked: it might change what is not ours."""
    with os_errors(path), path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise FileDamaged(f"{path}: the file is empty", hint=_SET_ASIDE)
    if len(head) < _HEAD_BYTES or not head.startswith(_MAGIC):
        raise FileDamaged(f"{path}: no database, or its first bytes are lost", hint=_SET_ASIDE)
    if int.from_bytes(head[_MARK], "big") != kind.application_id:
        raise FileDamaged(f"{path}: not a {kind.name} file of wisen", hint=_SET_ASIDE)


def verify_log(path: Path) -> None:
    """Raise FileDamaged for a file whose log is not what was written to it. SQLite would drop the rest of it.

    Raises StoreError for one that can't be read.
    """
    log = sidecars(path)[1]
    inode_or_none(log)  # there may be none, and it may go at any moment: whoever closes the file last deletes it
    with os_errors(log):
        damage = log_damage(path, log)
    if damage:
        raise FileDamaged(f"{path}: {damage}", hint=_SET_ASIDE)


@contextmanager
def os_errors(path: Path) -> Iterator[None]:
    """Let what the system says about a file be a StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}", hint=helps(error)) from error

"""How does a database file come to be, and which files are refused?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import get_ident

from wisen.errors import StoreDamaged, StoreError
from wisen.store.migrate import migrate
from wisen.store.sqlite.connection import Database

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class FileKind:
    """One of the two kinds of file: its name, its mark in the header and its migrations."""

    name: str
    application_id: int
    migrations: Path


CONTROL = FileKind("control", 0x77736E63, _HERE / "migrations" / "control")
GRAPH = FileKind("graph", 0x77736E67, _HERE / "migrations" / "graph")


def open_file(path: Path, kind: FileKind) -> Database:
    """Open a file that exists, migrated to this version, readable by its owner only.

    Raises StoreDamaged for an empty, foreign or broken file, StoreTooNew for one of a newer wisen; it stays as it is.
    """
    with _translated(path):
        if path.stat().st_size == 0:
            raise StoreDamaged(f"{path}: the file is empty", hint="restore it from a backup, or remove it")
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    database = Database(path)
    try:
        _verify_mark(database, kind)
        migrate(database, kind.migrations)
    except BaseException:
        database.close()
        raise
    return database


def create_file(path: Path, kind: FileKind, fill: Callable[[Database], object] | None = None) -> None:
    """Make a file with its first content if there is none: it appears whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}.new")
    with _translated(path):
        make_directory(path.parent)
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
    try:
        with Database(draft) as database:
            database.run("PRAGMA synchronous = OFF")  # one flush of the whole, below, instead of one a statement
            migrate(database, kind.migrations)
            if fill is not None:
                with database.transaction():
                    fill(database)
            database.all("PRAGMA journal_mode = WAL")
        with _translated(path):
            _publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def make_directory(path: Path) -> None:
    """Make a directory and its parents, private to the owner where they are new."""
    if not path.is_dir():
        make_directory(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def sync(path: Path) -> None:
    """Return when a file's content, or a directory's entries, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sidecars(path: Path) -> tuple[Path, ...]:
    """Return the file and what SQLite keeps beside it."""
    return (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm"))


def _verify_mark(database: Database, kind: FileKind) -> None:
    [(mark,)] = database.all("PRAGMA application_id")
    if mark != kind.application_id:
        raise StoreDamaged(
            f"{database.path}: not a {kind.name} file of wisen",
            hint="the file was left as it is; move it away and wisen starts a new one",
        )


def _publish(draft: Path, path: Path) -> None:
    sync(draft)
    try:
        os.link(draft, path)  # unlike a rename it never replaces a file
    except FileExistsError:
        pass  # another process was faster, with the same content
    except OSError:  # a file system without hard links
        if not path.exists():
            draft.rename(path)
    sync(path.parent)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error

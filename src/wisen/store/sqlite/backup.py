"""How is everything copied while it is in use, and how is it verified that a copy is whole?

A backup is a directory laid out like the data directory, with a manifest. It appears whole, on disk and verified, or
not at all. Each file is as one commit left it; nothing spans two files, so the files need not be of one moment.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from hashlib import file_digest
from pathlib import Path
from threading import get_ident
from typing import Final

from wisen import __version__
from wisen.core.backups import BackupFile, BackupManifest
from wisen.errors import Conflict, NotFound, StoreDamaged, StoreError, StoreTooNew
from wisen.ownfiles import make_dir, replace_file, sync_dir, sync_file
from wisen.store.codec import decode, encode
from wisen.store.migrate import newest_version, version_of
from wisen.store.queries import load
from wisen.store.sqlite.aside import alone_in
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.files import (
    CONTROL,
    GRAPH,
    FileKind,
    os_errors,
    sidecars,
    verify_log,
    verify_mark,
)
from wisen.store.sqlite.rows import whole

MANIFEST: Final = "manifest.json"
_FORMAT: Final = 1
_DRAFT: Final = ".wisen-draft"
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMES = re.compile(r"(control|graphs/[0-9a-f]{24})\.db(-wal)?")
_SQL = load(Path(__file__).with_name("queries") / "schema.sql")


def backup_all(data_dir: Path, target: Path, *, at: datetime) -> BackupManifest:
    """Copy the control file and every graph into a new directory, while others go on reading and writing.

    What is not committed yet is not in it: flush first. A file that SQLite can't read is copied byte by byte, and the
    manifest says why. One that a newer wisen wrote is copied too, for that one to put back. Raises Conflict when
    `target` is there, StoreError when it can't be written; nothing is left then.
    """
    with new_directory(target) as draft:
        files: list[BackupFile] = []
        for path in database_files(data_dir):
            name = path.relative_to(data_dir).as_posix()
            with os_errors(draft):
                make_dir((draft / name).parent)
            files += _copied(path, name, draft)
        manifest = BackupManifest(made_at=at, made_by=__version__, files=tuple(files))
        with os_errors(draft):
            replace_file(draft / MANIFEST, encode(manifest).encode())
        _verify_bytes(draft, manifest)
    return manifest


def verify_backup(directory: Path) -> BackupManifest:
    """Return what is in a backup, counted in its files, when every file of it is what was written. Changes nothing.

    Raises NotFound where there is no backup, StoreDamaged when a file is missing, another or no database of ours,
    StoreTooNew when a newer wisen made it. A file that was damaged when it was copied is taken as it is.
    """
    manifest = read_manifest(directory)
    _verify_bytes(directory, manifest)
    return replace(manifest, files=tuple(_as_found(directory, file) for file in manifest.files))


def _as_found(directory: Path, file: BackupFile) -> BackupFile:
    """Return the entry of a file with what is really in it."""
    if file.problem:
        return file
    path, kind = directory / file.name, kind_of(file.name)
    try:
        verify_mark(path, kind)
    except StoreDamaged as error:
        raise _broken(path, error.message.removeprefix(f"{path}: ")) from error
    version, counts, problem = _contents(path)
    if problem:
        raise _broken(path, problem.removeprefix(f"{path.name}: "))
    version, known = max(version, file.version), newest_version(kind.migrations)
    if version > known:
        raise StoreTooNew(f"{path}: version {version}, this wisen knows {known}")
    return replace(file, version=version, counts=counts)


def _verify_bytes(directory: Path, manifest: BackupManifest) -> None:
    for file in manifest.files:
        path = directory / file.name
        with os_errors(path):
            if not path.is_file() or path.is_symlink():
                raise _broken(path, "the file is missing")
            if path.stat().st_size != file.size or digest_of(path) != file.sha256:
                raise _broken(path, "the file is not the one that was copied")


def database_files(data_dir: Path) -> list[Path]:
    """Return the files of a data directory that hold what is remembered."""
    control = data_dir / "control.db"
    graphs = sorted((data_dir / "graphs").glob("*.db"))
    there = [*([control] if control.exists() else ()), *graphs]
    return [path for path in there if _NAMES.fullmatch(path.relative_to(data_dir).as_posix())]


def kind_of(name: str) -> FileKind:
    """Return which kind of file stands under a name of a manifest."""
    return CONTROL if name.startswith("control.") else GRAPH


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@contextmanager
def new_directory(target: Path) -> Iterator[Path]:
    """Lend a directory beside `target` that becomes it, on disk, when the block ends well, and else goes away.

    What earlier processes left of this, because they were killed, is deleted. A draft is locked by who is at work in
    it, and one comes to be or is looked at by one process at a time: none is without its lock but a left one.
    """
    with os_errors(target):
        make_dir(target.parent)
        if target.exists() or target.is_symlink():
            raise Conflict(f"{target} exists already", hint="name a directory that does not exist yet")
        draft = target.with_name(f".{target.name}.{os.getpid()}-{get_ident()}{_DRAFT}")
        with alone_in(target.parent):
            _drop_stale(target.parent)
            draft.mkdir(mode=0o700)
            lock = os.open(draft, _DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield draft
        with os_errors(target):
            for path in sorted(draft.rglob("*"), reverse=True):
                (sync_dir if path.is_dir() else sync_file)(path)
            sync_dir(draft)
            draft.rename(target)
            sync_dir(target.parent)
    except StoreError as error:  # the draft is gone when this is read
        raise type(error)(error.message.replace(str(draft), str(target)), hint=error.hint) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        os.close(lock)


def _drop_stale(directory: Path) -> None:
    """Delete drafts that nobody is at work in. What is no draft but named like one, or out of reach, is left."""
    for draft in directory.glob(f".*{_DRAFT}"):
        try:
            lock = os.open(draft, _DIRECTORY)
        except OSError:  # or it has just become a backup
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(draft, ignore_errors=True)
        except BlockingIOError:
            pass  # somebody is still at it
        finally:
            os.close(lock)


def _copied(path: Path, name: str, draft: Path) -> list[BackupFile]:
    copy = draft / name
    try:
        verify_mark(path, kind_of(name))
        verify_log(path)
        copy_database(path, copy)
        return [_entry(name, copy, *_contents(copy))]
    except StoreDamaged as error:
        return [
            _plain_copy(part, draft / f"{name}{part.name.removeprefix(path.name)}", draft, error.message)
            for part in sidecars(path)[:2]
            if part.exists()
        ]


def copy_database(path: Path, copy: Path) -> None:
    """Copy a database as its last commit left it, whoever is writing to it. The copy is not flushed."""
    with os_errors(copy):
        copy.touch(mode=0o600)
    with Database(path, read_only=True) as database:
        database.copy_to(copy)


def _plain_copy(path: Path, copy: Path, draft: Path, problem: str) -> BackupFile:
    with os_errors(path):
        copy.unlink(missing_ok=True)
        copy.touch(mode=0o600)
        shutil.copyfile(path, copy)
    return _entry(copy.relative_to(draft).as_posix(), copy, 0, {}, problem)


def _entry(name: str, copy: Path, version: int, counts: Mapping[str, int], problem: str) -> BackupFile:
    with os_errors(copy):
        size, digest = copy.stat().st_size, digest_of(copy)
    return BackupFile(name=name, size=size, sha256=digest, version=version, counts=counts, problem=problem)


def _contents(copy: Path) -> tuple[int, Mapping[str, int], str]:
    """Return the version of a file nobody uses, how many rows its tables have, and what is wrong with it."""
    version = 0
    try:
        with Database(copy, untouched=True) as database:
            version = version_of(database)
            [(said,), *_] = database.all("PRAGMA integrity_check(1)")
            tables = [str(name) for (name,) in database.all(_SQL["tables"])]
            counts = {table: whole(database.all(_SQL["row_count"].replace(":table", table))[0][0]) for table in tables}
            return version, counts, "" if said == "ok" else f"{copy.name}: {said}"
    except StoreDamaged as error:
        return version, {}, error.message.replace(str(copy), copy.name)


def read_manifest(directory: Path) -> BackupManifest:
    """Return what a backup says it holds. Raises NotFound, StoreDamaged, StoreTooNew or StoreError."""
    path = directory / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(
            f"{directory} holds no backup: there is no {MANIFEST}", hint="`wisen backup` makes one"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: {error}") from error
    manifest = decode(text, BackupManifest, str(path))
    if manifest.format > _FORMAT:
        raise StoreTooNew(f"{path}: format {manifest.format}, this wisen knows {_FORMAT}")
    if odd := [file.name for file in manifest.files if not _NAMES.fullmatch(file.name)]:
        raise StoreDamaged(f"{path}: a backup has no file {odd[0]!r}")
    return manifest


def _broken(path: Path, what: str) -> StoreDamaged:
    return StoreDamaged(f"{path}: {what}", hint="this backup is not whole; use another one")

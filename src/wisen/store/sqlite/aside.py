"""Which files were set aside because they were damaged, and how does a sound one take their place?

A damaged file is renamed with its log, kept, and told of until its user deletes it. The file that takes its place is
complete, under a name that says what it is for, before anything is renamed: a process that is killed between two
renames leaves the rest of them to the next one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final

from wisen.errors import StoreDamaged
from wisen.ownfiles import replace_file, sync_dir, sync_file
from wisen.store.codec import decode, encode
from wisen.store.sqlite.files import os_errors, sidecars

_DAMAGED: Final = ".damaged-"
_SUCCESSOR: Final = ".salvaged-"
_NOTE: Final = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Why a file was set aside, how many rows went into the new one, and how many were there but unsound."""

    why: str
    at: datetime
    carried: Mapping[str, int] = field(default_factory=dict)
    unsound: int = 0


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Let one thread of one process at a time set files of a directory aside."""
    with os_errors(directory):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os_errors(directory):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def replace_damaged(path: Path, successor: Path, note: Note) -> Path:
    """Set a file aside and put a complete one, beside it, in its place; return where it is kept. Held `alone_in`."""
    aside = _free_name(path, note.at)
    with os_errors(path):
        sync_file(successor)
        replace_file(aside.with_name(aside.name + _NOTE), encode(note).encode())
        successor.rename(path.with_name(path.name + _SUCCESSOR + aside.name.rpartition(_DAMAGED)[2]))
        sync_dir(path.parent)
    _finish(path.parent)
    return aside


def finish_replacing(directory: Path) -> None:
    """Do what a killed process left to be done. To be called before a file of the directory is looked for."""
    if next(directory.glob(f"*{_SUCCESSOR}*"), None) is not None:
        with alone_in(directory):
            _finish(directory)


def set_log_aside(path: Path, at: datetime) -> None:
    """Set aside the log of a file that is gone: SQLite would take it for that of the next one of this name."""
    left = [part for part in sidecars(path)[1:] if part.exists()]
    if left and not path.exists():
        _rename(left, path, _free_name(path, at))


def set_aside(directory: Path, pattern: str) -> Sequence[tuple[Path, Note | None]]:
    """Return the files that were set aside and are still there, and what is known of each."""
    found = sorted(directory.glob(pattern + _DAMAGED + "*"))
    return [(path, _note_of(path)) for path in found if not path.name.endswith((_NOTE, "-wal", "-shm"))]


def problem(aside: Path, note: Note | None) -> str:
    """Return the sentence that tells of a file that was set aside."""
    if note is None:
        return f"{aside}: a damaged file that was set aside; it is kept until you delete it"
    names = {"memories": "memories", "journal": "changes", "sessions": "sessions", "events": "events"}
    parts = [f"{note.carried[table]} {name}" for table, name in names.items() if note.carried.get(table)]
    carried = f"{', '.join(parts)} could be read and are in use" if parts else "nothing in it could be read"
    return f"{aside}: set aside because it was damaged ({note.why}); {carried}; it is kept until you delete it"


def _note_of(aside: Path) -> Note | None:
    with suppress(OSError, UnicodeDecodeError, StoreDamaged):
        return decode(aside.with_name(aside.name + _NOTE).read_text(encoding="utf-8"), Note, str(aside))
    return None


def _free_name(path: Path, at: datetime) -> Path:
    """Return a name that no file was set aside under yet."""
    stem = f"{path.name}{_DAMAGED}{at:%Y%m%dT%H%M%SZ}"
    names = chain([path.with_name(stem)], (path.with_name(f"{stem}-{n}") for n in count(2)))
    return next(name for name in names if not any(part.exists() for part in sidecars(name)))


def _finish(directory: Path) -> None:
    with os_errors(directory):
        for successor in sorted(directory.glob(f"*{_SUCCESSOR}*")):
            name, _, stamp = successor.name.rpartition(_SUCCESSOR)
            path = directory / name
            _rename([part for part in sidecars(path) if part.exists()], path, directory / f"{name}{_DAMAGED}{stamp}")
            successor.rename(path)
            sync_dir(directory)


def _rename(parts: Sequence[Path], path: Path, aside: Path) -> None:
    with os_errors(path):
        for part in parts:
            part.chmod(0o600)
            part.rename(aside.with_name(aside.name + part.name.removeprefix(path.name)))
        sync_dir(path.parent)

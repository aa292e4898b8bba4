"""Which files were set aside because they were damaged, and how does a sound one take their place?

A damaged file is renamed with its log, kept, and told of until its user deletes it. The file that takes its place is
complete, under a name that says what it is for, before anything is renamed: a process that is killed between two
renames leaves the rest of them to the next one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final

from wisen.errors import StoreDamaged
from wisen.ownfiles import replace_file, sync_dir, sync_file
from wisen.store.codec import decode, encode
from wisen.store.sqlite.files import SUFFIXES, os_errors, sidecars

_DAMAGED: Final = ".damaged-"
_SUCCESSOR: Final = ".salvaged-"
_NOTE: Final = ".json"
_LOGS: Final = ("-wal", "-journal")  # of what SQLite keeps beside a file, what holds changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Why a file was set aside, how many rows went into the new one, and how many were there but unsound.

    `graph` is the one whose file it was, '' for the control file and for one that an earlier wisen set aside.
    """

    why: str
    at: datetime
    carried: Mapping[str, int] = field(default_factory=dict)
    unsound: int = 0
    graph: str = ""


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
    if path.exists():
        return
    if _holds_changes(path):
        _rename(left, path, _free_name(path, at))
    else:  # nothing is in them
        with os_errors(path):
            for part in left:
                part.unlink(missing_ok=True)


def settle_logs(directory: Path, home_of: Callable[[Path], Path | None], at: datetime) -> Sequence[Path]:
    """Bring each log that is alone to its file, if that was renamed without it, or set it aside.

    Returns where the logs were that have their file again. `home_of` returns under which name a file belongs that is
    under another's. Nobody has written to such a file since it was renamed, because it does not open; to any other its
    old log would be poison.
    """
    if not _left_alone(directory):
        return ()
    joined = []
    with alone_in(directory):
        for path in _left_alone(directory):
            files = [file for file in sorted(directory.glob("*.db")) if home_of(file) == path]
            if len(files) == 1 and not _holds_changes(files[0]):
                _rename([part for part in sidecars(path)[1:] if part.exists()], path, files[0])
                joined.append(path)
            else:
                set_log_aside(path, at)
    return joined


def set_aside(directory: Path, pattern: str) -> Sequence[tuple[Path, Note | None]]:
    """Return what was set aside and is still there, and what is known of each: files, and logs without one."""
    parts = {part for part in directory.glob(pattern + _DAMAGED + "*") if not part.name.endswith(_NOTE)}
    files = {part for part in parts if part == _file_of(part)}
    logs = {part for part in parts if part.name.endswith(_LOGS) and _file_of(part) not in files}
    return [(path, _note_of(path)) for path in sorted(files | logs)]


def problem(aside: Path, note: Note | None) -> str:
    """Return the sentence that tells of a file that was set aside."""
    if aside.name.endswith(_LOGS):
        return f"{aside}: the last changes to a file that is gone, without which they can't be read; set aside and kept"
    if note is None:
        return f"{aside}: a damaged file that was set aside; it is kept until you delete it"
    carried = f"{parts} could be read and are in use" if (parts := carried_in_words(note)) else _NOTHING_READ
    whose = f"the file of {note.graph} was set" if note.graph else "set"
    return f"{aside}: {whose} aside because it was damaged ({note.why}); {carried}; it is kept until you delete it"


def carried_in_words(note: Note) -> str:
    """Return what of a damaged file could be read, '' when nothing could."""
    names = {"memories": "memories", "journal": "changes", "sessions": "sessions", "events": "events"}
    return ", ".join(f"{note.carried[table]} {name}" for table, name in names.items() if note.carried.get(table))


_NOTHING_READ: Final = "nothing in it could be read"


def _left_alone(directory: Path) -> Sequence[Path]:
    """Return the files that are gone and whose log is not."""
    return [path for path in map(_file_of, sorted(directory.glob("*.db-wal"))) if not path.exists()]


def _holds_changes(path: Path) -> bool:
    """Whether what SQLite keeps beside a file has more in it than the file."""
    logs = [part for part in sidecars(path)[1:] if part.name.endswith(_LOGS)]
    return any(part.exists() and part.stat().st_size for part in logs)


def _file_of(part: Path) -> Path:
    """Return the database that a file beside it belongs to."""
    suffix = next((suffix for suffix in SUFFIXES if part.name.endswith(suffix)), "")
    return part.with_name(part.name.removesuffix(suffix))


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

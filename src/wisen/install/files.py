"""How is a file of the user's read and replaced so that no crash, no race and no link can lose anything?

A file is replaced by a complete new one beside it (written, flushed to the disk, renamed), with its mode and owner,
at the place its link leads to; and only if it still holds what was read before.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from wisen.errors import Conflict, InstallError
from wisen.ownfiles import draft_name, make_dir, new_draft, publish, sync_dir

_PRIVATE_FILE: Final = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A file as it was read. `target` is where links lead; `data` is None when there is no file."""

    path: Path
    target: Path
    data: bytes | None
    mode: int = _PRIVATE_FILE
    uid: int = -1
    gid: int = -1


def read(path: Path) -> Snapshot:
    """Read a file. Raises InstallError when it is no regular file or can't be read."""
    with _explained(path, "can't be read"):
        target = path.resolve()
        try:
            found = target.stat()
            if not stat.S_ISREG(found.st_mode):
                raise InstallError(f"{path} is not a regular file", hint="nothing was written; move it out of the way")
            data = target.read_bytes()
        except FileNotFoundError:
            return Snapshot(path=path, target=target, data=None)
    mode = stat.S_IMODE(found.st_mode)
    return Snapshot(path=path, target=target, data=data, mode=mode, uid=found.st_uid, gid=found.st_gid)


def write(before: Snapshot, data: bytes) -> None:
    """Replace a file by `data`, or make it (0600). Its directory must be there.

    Raises Conflict when the file is not as it was read, InstallError when it can't be replaced; it is whole either way.
    """
    check_unchanged(before)
    target = before.target
    with _explained(before.path, "can't be written"):
        if before.data is not None and not os.access(target, os.W_OK):
            raise InstallError(f"{before.path} is write-protected", hint="nothing was written; is it managed for you?")
        draft = draft_name(target)
        try:
            with new_draft(draft) as file:
                _dress(file.fileno(), before)
                file.write(data)
            check_unchanged(before)
            publish(draft, target)
        finally:
            draft.unlink(missing_ok=True)


def delete(before: Snapshot) -> None:
    """Delete a file that is as it was read. Raises as `write`."""
    check_unchanged(before)
    with _explained(before.path, "can't be deleted"):
        before.target.unlink(missing_ok=True)
        sync_dir(before.target.parent)


def check_unchanged(before: Snapshot) -> None:
    """Raise Conflict when a file does not hold what it held when it was read."""
    if read(before.path) != before:
        raise Conflict(
            f"{before.path} was changed while wisen was editing it", hint="nothing was written; run the command again"
        )


def missing_dirs(directory: Path) -> tuple[Path, ...]:
    """Return the directories, outermost first, that must be made for `directory` to be there."""
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    return tuple(reversed(missing))


def make_dirs(directories: Iterable[Path]) -> None:
    """Make directories that only their owner may enter; those that are there stay as they are."""
    for directory in directories:
        with _explained(directory, "can't be made"):
            make_dir(directory)


def remove_empty_dirs(directories: Iterable[Path]) -> None:
    """Remove those of the directories that are empty, the innermost first."""
    for directory in sorted(directories, key=lambda place: len(place.parts), reverse=True):
        with suppress(OSError):
            directory.rmdir()


def digest(data: bytes | None) -> str:
    """Return the SHA-256 of a file's bytes in hex, or "" for no file."""
    return "" if data is None else sha256(data).hexdigest()


def _dress(descriptor: int, before: Snapshot) -> None:
    """Give the new file the mode and owner of the old one."""
    os.fchmod(descriptor, before.mode)
    if before.data is None:
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (before.uid, before.gid):
        os.fchown(descriptor, before.uid, before.gid)
        os.fchmod(descriptor, before.mode)


@contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    """Translate what the operating system says. A loop of links is a RuntimeError of pathlib before Python 3.13."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise InstallError(f"{path} {what}: {reason}", hint="nothing was written") from error

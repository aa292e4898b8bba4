"""Which backups are there, and how does one come, go, or take the place of what is there now?

A backup is a directory of its own below the state directory, named by its moment; any other place will do as well.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from wisen.core.backups import BackupManifest
from wisen.errors import Conflict, InvalidValue, NotFound, StoreError, WisenError
from wisen.ports import Clock

_NAME: Final = re.compile(r"\d{8}-\d{6}(-[a-z0-9-]+)?")
BEFORE_RESTORE: Final = "before-restore"


class Copy(Protocol):
    """Copies everything that is remembered into a new directory, while it is in use."""

    def __call__(self, data_dir: Path, target: Path, *, at: datetime) -> BackupManifest:
        """Return what was copied. Raises Conflict when `target` is there, StoreError when it can't be written."""
        ...


class Swap(Protocol):
    """Puts a backup in the place of what is there, which it keeps as a backup in `keep`."""

    def __call__(self, backup: Path, data_dir: Path, *, keep: Path, at: datetime) -> BackupManifest:
        """Return what was kept. For the holder of the data directory's lock."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the store can do with whole data directories. `verify` raises when a backup is not what was written."""

    copy: Copy
    read: Callable[[Path], BackupManifest]
    verify: Callable[[Path], BackupManifest]
    swap: Swap


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup. `problem` says why its table of contents can't be read; `manifest` is None then."""

    path: Path
    manifest: BackupManifest | None
    problem: str = ""


class Backups:
    """The backups of one data directory. Needs no daemon."""

    def __init__(self, *, data_dir: Path, backups_dir: Path, means: Means, clock: Clock, own: Sequence[Path]) -> None:
        """Take the places, and which directories are wisen's `own`: no backup of the user's choice goes there."""
        self._own = own
        self._data_dir = data_dir
        self._dir = backups_dir
        self._means = means
        self._clock = clock

    def make(self, target: Path | None = None) -> Backup:
        """Make a backup, in a directory that does not exist yet or in one of ours. Raises Conflict, StoreError.

        Raises InvalidValue for one in a directory that is wisen's own: it goes with the memories it is to outlive.
        """
        if target and (inside := next((own for own in self._own if _is_in(target, own)), None)):
            raise InvalidValue(
                f"{target} is in {inside}, which is wisen's own", hint="name another place, or leave --to away"
            )
        if not self._data_dir.is_dir():
            raise NotFound(
                f"there is nothing to back up: {self._data_dir} does not exist", hint="nothing was learned yet"
            )
        path = target or self._new()
        return Backup(path=path, manifest=self._means.copy(self._data_dir, path, at=self._clock.now()))

    def all(self) -> Sequence[Backup]:
        """Return our own backups, newest first."""
        try:
            found = [path for path in self._dir.iterdir() if _is_ours(path)]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        return tuple(self._read(path) for path in sorted(found, key=lambda path: path.name, reverse=True))

    def find(self, name: str) -> Path:
        """Return the directory of one of our backups by its name, or of any by its path.

        `latest` is the newest one that somebody made: what a restore kept is the state that was left, and to go back
        to it, it is named. Raises NotFound.
        """
        if name == "latest":
            newest = next((one for one in self.all() if one.manifest and BEFORE_RESTORE not in one.path.name), None)
            if newest is None:
                raise NotFound(f"there is no backup in {self._dir}", hint=_MAKE)
            return newest.path
        path = self._dir / name if _NAME.fullmatch(name) else Path(name)
        if not path.is_dir():
            raise NotFound(f"there is no backup {name!r}", hint="`wisen backup list` shows those there are")
        return path.absolute()

    def verify(self, path: Path) -> Backup:
        """Return a backup whose every file is what was written. Raises NotFound, StoreDamaged or StoreTooNew."""
        return Backup(path=path, manifest=self._means.verify(path))

    def remove(self, name: str) -> Path:
        """Delete one of our own backups, by its name. Raises InvalidValue for any other place, NotFound."""
        path = self._dir / name
        if not _NAME.fullmatch(name):
            raise InvalidValue(
                f"{name!r} is not the name of a backup in {self._dir}", hint="`wisen backup list` shows them"
            )
        if not _is_ours(path):
            raise NotFound(f"there is no backup {name!r}", hint="`wisen backup list` shows those there are")
        try:
            shutil.rmtree(path)
        except OSError as error:
            raise StoreError(f"{path} can't be deleted: {error.strerror or error}") from error
        return path

    def prune(self, keep: int) -> Sequence[Path]:
        """Delete all of our own backups but the newest `keep`; one that can't be read counts as none and stays."""
        readable = [one for one in self.all() if one.manifest]
        return tuple(self.remove(one.path.name) for one in readable[keep:])

    def restore(self, path: Path) -> Backup:
        """Put a backup in the place of what is there now; return what is there now, which is a backup from then on.

        For the holder of the data directory's lock. Nothing has changed when it raises; killed in the middle, it is
        finished by whoever opens the data next.
        """
        keep = self._new(f"-{BEFORE_RESTORE}")
        self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept = self._means.swap(path, self._data_dir, keep=keep, at=self._clock.now())
        return Backup(path=keep, manifest=kept)

    def _new(self, suffix: str = "") -> Path:
        stem = f"{self._clock.now():%Y%m%d-%H%M%S}{suffix}"
        for n in range(1, 100):
            path = self._dir / (stem if n == 1 else f"{stem}-{n}")
            if not path.exists():
                return path
        raise Conflict(f"there are too many backups of this second in {self._dir}", hint="try again")

    def _read(self, path: Path) -> Backup:
        try:
            return Backup(path=path, manifest=self._means.read(path))
        except WisenError as error:
            return Backup(path=path, manifest=None, problem=error.message)


def _is_in(place: Path, directory: Path) -> bool:
    return place.resolve().is_relative_to(directory.resolve())


def _is_ours(path: Path) -> bool:
    return bool(_NAME.fullmatch(path.name)) and path.is_dir() and not path.is_symlink()


_MAKE: Final = "`wisen backup` makes one; `wisen backup list` shows what restores kept, to be named"

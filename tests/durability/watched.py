"""SQLite over a VFS that logs what it asks of the disk, and lets the disk fail when a test says so."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

import apsw
from tests.durability.disk import (
    Acknowledged,
    DirectorySynced,
    Disk,
    Named,
    Op,
    Resized,
    Synced,
    SyncFailed,
    Unnamed,
    Wrote,
)

SYSTEM: Final = "unix"  # the VFS below
SHARED_MEMORY: Final = "-shm"  # not a file's content: SQLite makes it anew from the write-ahead log
_NUMBERS = count(1)

Fault = Callable[[str, str], apsw.Error | None]  # (what is asked, of which file) -> how it fails


@dataclass(slots=True)
class Watch:
    """What was asked of the disk since the watch began.

    `deaf_to` names files whose sync is never carried out, which is a broken build's disk. `fault` may fail a request.
    """

    log: list[Op] = field(default_factory=list)
    deaf_to: Callable[[str], bool] = lambda _: False
    fault: Fault = lambda _, __: None
    on_sync: Callable[[str], None] = lambda _: None
    asked: int = 0  # writes, changes of size and syncs, failed ones too
    _files: dict[str, int] = field(default_factory=dict)
    _next: Iterator[int] = field(default_factory=lambda: count(1))

    def begins_with(self, files: Mapping[str, bytes]) -> Disk:
        """Return a disk on which these files are safe; call it once, before anything is logged."""
        disk = Disk()
        for path, content in files.items():
            self._files[path] = next(self._next)
            disk.names[path] = self._files[path]
            disk.contents[self._files[path]] = bytearray(content)
        return disk

    def acknowledge(self, what: str) -> None:
        """Note that a caller was told that this is done."""
        self.log.append(Acknowledged(what))

    def opened(self, path: str) -> None:
        """Note a file that SQLite makes."""
        if path not in self._files:
            self._files[path] = next(self._next)
            self.log.append(Named(path, self._files[path]))

    def deleted(self, path: str, *, for_good: bool) -> None:
        """Note a file that is gone, `for_good` when its directory was synced."""
        if self._files.pop(path, None) is not None:
            self.log.append(Unnamed(path))
            if for_good:
                self._directory(path)

    def wrote(self, path: str, at: int, data: bytes) -> None:
        """Note a write."""
        self.log.append(Wrote(self._files[path], at, data))

    def resized(self, path: str, size: int) -> None:
        """Note a change of size."""
        self.log.append(Resized(self._files[path], size))

    def synced(self, path: str, since: int) -> None:
        """Note a sync. With that of a file it made, SQLite's own VFS syncs the directory too."""
        if not self.deaf_to(path):
            self.log.append(Synced(self._files[path], since))
            self._directory(path)
            self.on_sync(path)

    def fail(self, what: str, path: str) -> None:
        """Raise the fault that is due, if one is."""
        self.asked += 1
        if (error := self.fault(what, path)) is not None:
            if what == "sync":
                self.log.append(SyncFailed(self._files[path]))
            raise error

    def _directory(self, path: str) -> None:
        self.log.append(DirectorySynced(os.path.dirname(path), len(self.log)))  # noqa: PTH120 - a text, as in the log


class _File(apsw.VFSFile):
    def __init__(self, watch: Watch, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        super().__init__(SYSTEM, name, flags)
        self._watch = watch
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name, as those below
        self._watch.fail("write", self._path)
        super().xWrite(data, offset)
        self._watch.wrote(self._path, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._watch.fail("truncate", self._path)
        super().xTruncate(newsize)
        self._watch.resized(self._path, newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._watch.fail("sync", self._path)
        since = len(self._watch.log)
        super().xSync(flags)
        self._watch.synced(self._path, since)

    def excepthook(self, *_: object) -> bool:
        """Say nothing: SQLite makes an error code of it."""
        return True


class _Vfs(apsw.VFS):
    def __init__(self, watch: Watch) -> None:
        super().__init__(f"watched-{next(_NUMBERS)}", SYSTEM, makedefault=True)
        self._watch = watch

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> _File:  # noqa: N802
        file = _File(self._watch, name, flags)
        self._watch.opened(file._path)
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self._watch.fail("delete", filename)
        super().xDelete(filename, syncdir)
        self._watch.deleted(filename, for_good=syncdir)

    def excepthook(self, *_: object) -> bool:
        """Say nothing: SQLite makes an error code of it."""
        return True


@contextmanager
def watched(watch: Watch) -> Iterator[Watch]:
    """Let every file that SQLite opens inside be watched. What was opened inside must be closed inside."""
    vfs = _Vfs(watch)
    try:
        yield watch
    finally:
        vfs.unregister()


def files_below(directory: Path) -> dict[str, bytes]:
    """Return the files that SQLite keeps there, as the log names them."""
    found = (path for path in directory.rglob("*.db*") if not path.name.endswith(SHARED_MEMORY))
    return {str(path): path.read_bytes() for path in found}

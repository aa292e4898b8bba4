"""How much room does wisen take, part by part, and how fast does that grow? One line a day in the state directory."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

import msgspec

from wisen.config import Paths
from wisen.errors import WisenError
from wisen.install import files

log = logging.getLogger(__name__)

NAME: Final = "sizes.json"
DAYS_KEPT: Final = 90
_WAL: Final = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Bytes on disk by part. `wal` are the write-ahead logs of all databases, `other` is what is none of the others."""

    control: int = 0
    graphs: int = 0
    wal: int = 0
    spool: int = 0
    log: int = 0
    backups: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.parts.values())

    @property
    def parts(self) -> Mapping[str, int]:
        """The parts by name."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How much more there is now than on the first of `days` days, in bytes a day; less is negative."""

    bytes_a_day: float
    days: int


def measure(paths: Paths) -> Sizes:
    """Return what is on disk now. What can't be read, or goes meanwhile, counts as nothing."""
    found = dict.fromkeys(Sizes().parts, 0)
    for root in (paths.data_dir, paths.state_dir):
        for file in _files(root):
            found[_part(paths, file)] += _size(file)
    return Sizes(**found)


def note(paths: Paths, now: datetime) -> None:
    """Write down what is on disk, once a day and only where wisen keeps anything. What fails is logged."""
    today = now.date()
    known = _read(paths)
    if today in known or not paths.data_dir.is_dir():
        return
    kept = sorted([*known, today])[-DAYS_KEPT:]
    total = measure(paths).total
    rows = {day.isoformat(): known.get(day, total) for day in kept}
    try:
        files.write(files.read(paths.state_dir / NAME), msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    except WisenError as error:
        log.warning("sizes_not_noted", extra={"error": error.message})


def growth(paths: Paths, now: datetime, *, total: int) -> Growth | None:
    """Return the growth since the oldest day that is on record; None before there is one."""
    past = [(day, size) for day, size in sorted(_read(paths).items()) if day < now.date()]
    if not past:
        return None
    first, size = past[0]
    days = (now.date() - first).days
    return Growth(bytes_a_day=(total - size) / days, days=days)


def _read(paths: Paths) -> dict[date, int]:
    """Return the bytes of each day; none where the record can't be read."""
    try:
        return msgspec.json.decode((paths.state_dir / NAME).read_bytes(), type=dict[date, int])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _files(directory: Path) -> Iterator[Path]:
    """Yield the regular files below a directory; links are not followed."""
    try:
        entries = sorted(directory.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
        else:
            yield entry


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:
        return 0


def _part(paths: Paths, file: Path) -> str:
    if file.is_relative_to(paths.backups_dir):
        return "backups"
    if file.is_relative_to(paths.spool_dir):
        return "spool"
    if file.name.endswith(_WAL):
        return "wal"
    if file.is_relative_to(paths.graphs_dir):
        return "graphs"
    if file.parent == paths.data_dir and file.name.startswith(paths.control_file.name):
        return "control"
    if file.name.startswith(paths.log_file.name):
        return "log"
    return "other"

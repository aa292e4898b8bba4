"""How much room does wisen take, part by part, and how fast does that grow? One line a day in the state directory."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Final

import msgspec

from wisen.config import Paths
from wisen.ownfiles import replace_file

log = logging.getLogger(__name__)

NAME: Final = "sizes.json"
DAYS_KEPT: Final = 90
_DAY: Final = timedelta(days=1)
_DAY_CHARS: Final = len("2026-11-30")
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
    """How much more there is now than at the oldest measurement, in bytes a day; less is negative.

    `days` are the whole days between the two.
    """

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
    known = _read(paths)
    if now.date() in {at.date() for at in known} or not paths.data_dir.is_dir():
        return
    known[now] = measure(paths).total
    rows = {at.isoformat(): known[at] for at in sorted(known)[-DAYS_KEPT:]}
    try:
        replace_file(paths.state_dir / NAME, msgspec.json.format(msgspec.json.encode(rows)) + b"\n")
    except OSError as error:
        log.warning("sizes_not_noted", extra={"error": str(error)})


def growth(paths: Paths, now: datetime, *, total: int) -> Growth | None:
    """Return the growth since the oldest measurement; None before that is a whole day ago."""
    known = _read(paths)
    first = min(known, default=now)
    if now - first < _DAY:
        return None
    return Growth(bytes_a_day=(total - known[first]) / ((now - first) / _DAY), days=(now - first).days)


def _read(paths: Paths) -> dict[datetime, int]:
    """Return the bytes at each moment; none where the record can't be read."""
    try:
        said = msgspec.json.decode((paths.state_dir / NAME).read_bytes(), type=dict[str, int])
        return {_moment(at): size for at, size in said.items()}
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return {}


def _moment(said: str) -> datetime:
    """Return when it was measured; of an earlier wisen's record only the day is known, so at the end of it."""
    at = datetime.fromisoformat(said)
    if at.tzinfo is not None:
        return at
    return datetime.combine(at, time.max if len(said) == _DAY_CHARS else at.time(), UTC)


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

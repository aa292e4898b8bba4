"""What is in a backup of everything that is remembered?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupFile:
    """One file of a backup; `name` is its path below the data directory, `size` is in bytes.

    `version` is the schema it was written by, `counts` its rows by table. `problem` says why the file could not be
    read: it is then a plain copy of the bytes that were there.
    """

    name: str
    size: int
    sha256: str
    version: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupManifest:
    """The table of contents of a backup, written last: a directory without one is no backup."""

    made_at: datetime
    made_by: str  # the version of wisen
    files: tuple[BackupFile, ...]
    format: int = 1

    @property
    def counts(self) -> Mapping[str, int]:
        """The rows of all files, by table."""
        total: Counter[str] = Counter()
        for file in self.files:
            total.update(file.counts)
        return dict(total)

    @property
    def size(self) -> int:
        """The size of all files, in bytes."""
        return sum(file.size for file in self.files)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why files could not be read when the backup was made; there are plain copies of them."""
        return tuple(file.problem for file in self.files if file.problem)

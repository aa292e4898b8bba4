"""How is a file opened that may be of an earlier version, or damaged, so that nothing in it is lost?"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from wisen.core.types import GraphId
from wisen.ownfiles import draft_name, make_dir, publish
from wisen.store.sqlite.aside import Note, alone_in, replace_damaged, set_log_aside
from wisen.store.sqlite.backup import copy_database
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.files import (
    FileKind,
    create_file,
    draft_of,
    open_file,
    os_errors,
    sidecars,
)
from wisen.store.sqlite.pages import image_of
from wisen.store.sqlite.place import inode_of
from wisen.store.sqlite.salvage import Salvaged, salvage

log = logging.getLogger(__name__)

KEPT_COPIES: Final = 3  # of one file, from before its migrations


def _system_time() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """What a store needs to look after its files: what time it is, and where a copy goes before a migration."""

    now: Callable[[], datetime] = _system_time
    copies: Path | None = None


def _nothing(_: Database) -> None:
    pass


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A database file, and what makes it this one: what a new one begins with, and what an old one is asked."""

    path: Path
    kind: FileKind
    upkeep: Upkeep
    graph: GraphId | None = None
    begin: Callable[[Database], None] = _nothing
    verify: Callable[[Database], None] = _nothing

    def make(self) -> None:
        """Make the file if there is none."""
        set_log_aside(self.path, self.upkeep.now())
        create_file(self.path, self.kind, self.begin)

    def open(self) -> tuple[Database, int]:
        """Return the file, migrated, and its inode. One that is damaged is mended first.

        Raises StoreTooNew for one of a newer wisen, StoreError for one that can't be reached, StoreDamaged for one
        that belongs to somebody else: those are left alone.
        """
        inode = self._inode()
        try:
            return self._open(), inode
        except FileDamaged as error:
            self.mend(error, inode)
        return self._open(), self._inode()

    def mend(self, error: FileDamaged, inode: int) -> None:
        """Set the file aside and put what can be read of it in its place, unless somebody did so meanwhile."""
        with alone_in(self.path.parent):
            if self._inode() != inode:
                return
            with os_errors(self.path):
                for stale in self.path.parent.glob(f"{self.path.name}.*.new"):  # of a process that was killed here
                    stale.unlink()
                image = image_of(*sidecars(self.path)[:2])
            told: list[Salvaged] = []

            def fill(database: Database) -> None:
                self.begin(database)
                told.append(salvage(image, self.kind, database, self.graph))

            with draft_of(self.path, self.kind, fill) as draft:
                [salvaged] = told
                why = error.message.removeprefix(f"{self.path}: ")
                graph, carried = str(self.graph or ""), salvaged.carried
                note = Note(why=why, at=self.upkeep.now(), carried=carried, unsound=salvaged.unsound, graph=graph)
                aside = replace_damaged(self.path, draft, note)
        log.error("file_set_aside", extra={"path": str(self.path), "aside": str(aside), "reason": why})

    def _open(self) -> Database:
        database = open_file(self.path, self.kind, self._keep_copy)
        try:
            self.verify(database)
        except BaseException:
            database.abandon()
            raise
        return database

    def _inode(self) -> int:
        return inode_of(self.path)

    def _keep_copy(self, version: int) -> None:
        """Copy the file as it is to where copies are kept: on disk and complete, or StoreError. Older ones go."""
        directory = self.upkeep.copies
        if directory is None:
            return
        copy = directory / f"{self.path.name}.v{version}-{self.upkeep.now():%Y%m%dT%H%M%SZ}"
        draft = draft_name(copy)
        with os_errors(directory):
            make_dir(directory)
        with alone_in(directory), os_errors(copy):
            for stale in directory.glob(f"{self.path.name}.v*.new"):  # of a process that was killed here
                stale.unlink()
            try:
                copy_database(self.path, draft)
                publish(draft, copy)
            finally:
                draft.unlink(missing_ok=True)
            for older in sorted(directory.glob(f"{self.path.name}.v*Z"), key=_age)[:-KEPT_COPIES]:
                older.unlink()


def _age(copy: Path) -> str:
    return copy.name.rpartition("-")[2]

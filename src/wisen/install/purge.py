"""How does everything that wisen keeps leave the disk, and nothing else with it?

WISEN_HOME may name a directory that holds other things, so files are deleted by what they are called in the places
where wisen makes them, and a directory goes only when that left it empty. Links are not followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from wisen import lockfile
from wisen.config import Paths
from wisen.errors import Conflict, InstallError
from wisen.install import files, made, plugin, taken_out

# What stands beside the log: pauses, since when there are memories, sizes by day, what the person was told, tokens.
_STATE: Final = (
    "pauses.json",
    "paused",
    "memories-since",
    "sizes.json",
    "notices.json",
    "start-failed.json",
    "mcp-token-*",
    made.NAME,
    taken_out.NAME,
)
_DRAFTS: Final = ("{}.*.new", ".{}.*.wisen")  # of what a killed process was writing; see ownfiles.py, install/files.py
_EXAMINATION: Final = "examination-*"  # the copy that a killed doctor left; see doctor/
_DATABASE: Final = ("*.db", "*.db-wal", "*.db-shm", "*.db-journal", "*.db.*.new", "*.db*.damaged-*", "*.db*.salvaged-*")
_LEDGER: Final = "graphs.json*"  # which graphs have a file; see store/sqlite/lost.py

_RESTORING: Final = "restoring"  # what a restore that was killed left; see store/sqlite/restore.py


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What was deleted, and what is still there because it is not known to be ours."""

    removed: tuple[Path, ...]
    left: tuple[Path, ...]


def remove_wisen_dirs(paths: Paths, *, made_dirs: Iterable[Path] = ()) -> Purged:
    """Delete memories, state, spool, log and backups. The user's own settings file stays, and so does every stranger.

    Then the directories go that were not there before wisen, if they are empty: `made_dirs`, and those on record.

    Raises InstallError for a directory that is no directory of this user's (a link, somebody else's), Conflict while a
    daemon runs: nothing is deleted then.
    """
    if any(lockfile.holder(lock) is not None for lock in (paths.lock_file, paths.data_lock_file)):
        raise Conflict("a daemon has the memories open", hint="`wisen daemon stop` ends it; then try again")
    deep = {
        paths.graphs_dir,
        paths.backups_dir,
        paths.data_dir / _RESTORING,
        plugin.folder(paths),
        *(place for place in paths.state_dir.glob(_EXAMINATION) if place.is_dir()),
    }
    state = (paths.lock_file.name, paths.roots_file.name, *_STATE)
    drafts = [pattern.format(name) for name in state for pattern in _DRAFTS]
    places: tuple[tuple[Path, Iterable[str]], ...] = (
        (paths.data_dir, (f"{paths.control_file.name}*", paths.data_lock_file.name)),
        (paths.graphs_dir, (*_DATABASE, _LEDGER)),
        (paths.state_dir, (*state, *drafts, f"{paths.log_file.name}*", f"{paths.roots_file.name}*")),
        *((place, ("*",)) for place in (paths.run_dir, paths.spool_dir, *sorted(deep - {paths.graphs_dir}))),
    )
    around = (*made_dirs, *made.noted(paths))
    roots = [directory for directory, _ in places if os.path.lexists(directory)]
    for directory in roots:
        _check_ours(directory)
    removed = []
    for directory, patterns in places:
        for file in sorted(_files(directory, is_deep=directory in deep)):
            if any(fnmatchcase(file.name, pattern) for pattern in patterns):
                file.unlink()
                removed.append(file)
    inner = [Path(place) for directory in deep for place, _, _ in os.walk(directory)]
    files.remove_empty_dirs({*inner, *roots, *around})
    left = [one for root in (paths.data_dir, paths.state_dir) for one in _files(root, is_deep=True)]
    return Purged(removed=tuple(removed), left=tuple(sorted(left)))


def _files(directory: Path, *, is_deep: bool) -> Iterator[Path]:
    """Yield what is in a directory and is none itself; a link counts as a file."""
    for place, directories, names in os.walk(directory):
        yield from (Path(place, name) for name in names)
        yield from (link for name in directories if (link := Path(place, name)).is_symlink())
        if not is_deep:
            return


def _check_ours(directory: Path) -> None:
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise InstallError(
            f"{directory} is not a directory of yours", hint="nothing was deleted; look at it and remove it by hand"
        )

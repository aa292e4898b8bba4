"""Is everything of wisen's a file where it keeps a file, and a directory where it keeps a directory?"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from wisen import steps
from wisen.config import Paths
from wisen.core.findings import Finding
from wisen.doctor.report import wrong
from wisen.install import manifest
from wisen.state import pausing


def kind_wrong(place: Path, *, is_directory: bool) -> Finding | None:
    """Return what is wrong when something else has the name of a file, or of a directory, of ours."""
    try:
        found = place.lstat().st_mode
    except OSError:
        return None  # there is none, or what it is in is no directory: told of that
    is_link = stat.S_ISLNK(found)
    if place.is_dir() if is_directory else place.is_file():
        return None
    there = "a link that leads nowhere" if is_link and not place.exists() else _kind(place)
    wanted = "a directory" if is_directory else "a file"
    return wrong(f"this is {there}, and wisen keeps {wanted} there", steps.move_aside(place), str(place))


def _kind(place: Path) -> str:
    return "a directory" if place.is_dir() else "a file" if place.is_file() else "no file"


def in_the_way(paths: Paths) -> Iterator[Finding]:
    """Yield what is in the way of a daemon, or of what it notes; what is in the way of memories is told with them."""
    directories = (paths.run_dir, paths.spool_dir, paths.backups_dir)
    files = (paths.lock_file, paths.data_lock_file, *pausing.files(paths), manifest.path(paths), paths.roots_file)
    for place, is_directory in (*((one, True) for one in directories), *((one, False) for one in files)):
        if finding := kind_wrong(place, is_directory=is_directory):
            yield finding

"""Is everything of wisen's a file where it keeps a file, and a directory where it keeps a directory?"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.config import Paths
from wisen.core.findings import Finding
from wisen.doctor.report import wrong
from wisen.install import manifest
from wisen.state import pausing
from wisen.state.failed_start import FailedStart


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
    for place, is_directory in _kept(paths):
        if finding := kind_wrong(place, is_directory=is_directory):
            yield finding


def _kept(paths: Paths) -> Iterator[tuple[Path, bool]]:
    """Yield where wisen keeps something beside the memories, and whether that is a directory."""
    yield from ((one, True) for one in (paths.run_dir, paths.spool_dir, paths.backups_dir))
    files = (paths.lock_file, paths.data_lock_file, *pausing.files(paths), manifest.path(paths), paths.roots_file)
    yield from ((one, False) for one in files)


def socket_wrong(paths: Paths) -> Finding | None:
    """Return what is wrong when something that is no socket has the name of the daemon's: none can start then."""
    try:
        found = paths.socket.lstat().st_mode
    except OSError:
        return None  # there is none, which is as it should be without a daemon
    if stat.S_ISSOCK(found):
        return None
    there = "a link" if stat.S_ISLNK(found) else _kind(paths.socket)
    what = f"this is {there}, and wisen keeps a socket there: no daemon can start, so nothing is learned or recalled"
    return wrong(what, steps.move_aside(paths.socket), str(paths.socket))


_OUT_OF_THE_WAY: Final = "out of the way"  # what every hint says of such a thing


def is_cleared(paths: Paths, failed: FailedStart) -> bool:
    """Whether a start failed for something that had the name of a file of ours, and has it no more."""
    kept = ((paths.state_dir, True), (paths.data_dir, True), (paths.log_file, False), *_kept(paths))
    named = [(place, is_directory) for place, is_directory in kept if str(place) in failed.message]
    is_socket = str(paths.socket) in failed.message
    if _OUT_OF_THE_WAY not in failed.hint or not (named or is_socket):
        return False
    return not (is_socket and socket_wrong(paths)) and not any(
        kind_wrong(place, is_directory=is_directory) for place, is_directory in named
    )

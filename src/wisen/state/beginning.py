"""Since when are there memories? Where some were deleted, nothing from before that is learned again from transcripts.

One line in the state directory, beside the memories: the moment before which nothing may be learned. It is written
when the memories begin. Found without memories, it tells that there were some, and that somebody took them away.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from wisen.config import Paths
from wisen.ownfiles import make_dir, replace_file

log = logging.getLogger(__name__)

NAME: Final = "memories-since"
_EVER: Final = datetime.min.replace(tzinfo=UTC)


def not_before(paths: Paths, now: datetime) -> datetime:
    """Return the moment before which nothing is learned; to be asked before the control file is made."""
    file = paths.state_dir / NAME
    known = _read(file)
    if known is not None and paths.control_file.exists():
        return known
    begins = _EVER if known is None else now
    try:
        make_dir(file.parent)
        replace_file(file, f"{begins.isoformat()}\n".encode())
    except OSError as error:
        log.warning("beginning_not_noted", extra={"error": str(error)})
    if known is not None:
        log.warning("memories_were_deleted", extra={"learning_from": begins.isoformat()})
    return begins


def noted(paths: Paths, now: datetime) -> datetime | None:
    """Return what `not_before` would return, and write nothing."""
    return now if were_deleted(paths) else _read(paths.state_dir / NAME)


def were_deleted(paths: Paths) -> bool:
    """Return whether there were memories, and somebody took them away."""
    return (paths.state_dir / NAME).exists() and not paths.control_file.exists()


def _read(file: Path) -> datetime | None:
    """Return the moment that stands there; None without a file. One that can't be read tells of no moment."""
    try:
        said = datetime.fromisoformat(file.read_text(encoding="ascii").strip())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return _EVER
    return said if said.tzinfo else _EVER

"""How does a directory come to be, ours alone and for good, and what helps when the system says no?"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from wisen.errors import Refused

_ELSEWHERE: Final = "set WISEN_HOME to a directory of your own"
_OUT_OF_THE_WAY: Final = "move it out of the way"
_ROOM: Final = "the disk is full: make room and try again"
_HINTS: Final[Mapping[int, str]] = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EISDIR: _OUT_OF_THE_WAY,
    errno.ELOOP: _OUT_OF_THE_WAY,  # a link, where we follow none
}


def refusal(error: OSError, what: str = "") -> Refused:
    """Return what the system refused as an error of ours that names what helps. `what` begins the sentence."""
    said = error.strerror or str(error)
    about = what or (os.fsdecode(error.filename) if error.filename else "")
    return Refused(f"{about}: {said}" if about else said, hint=_HINTS.get(error.errno or 0, _ELSEWHERE))


def make_private_dir(path: Path) -> None:
    """Make a directory that only its owner can enter, or verify the one that is there.

    Raises Refused when it is a link, not a directory, another user's, or open to others: in a shared /tmp
    somebody else may have been there first.
    """
    try:
        make_dir(path)
    except FileExistsError:
        pass  # something else has its name: said below
    except OSError as error:
        raise refusal(error, f"{path} can't be made") from error
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise Refused(f"{path} is not a directory of ours", hint=_OUT_OF_THE_WAY)
    if found.st_uid != os.getuid():
        raise Refused(f"{path} belongs to user {found.st_uid}", hint=_ELSEWHERE)
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise Refused(f"{path} is open to other users", hint=f"chmod 700 {path}")


def make_dir(path: Path) -> None:
    """Make a directory and those above it where there are none, private to their owner; on disk on return.

    Raises OSError, FileExistsError among them when something else has the name.
    """
    if path.is_dir():
        return
    if not path.parent.exists():
        make_dir(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    sync_dir(path.parent)


def sync_dir(directory: Path) -> None:
    """Make the names in a directory durable: a file's own sync does not promise that it can be found. Raises OSError.

    In a directory where we may write and not read, that is left to the system.
    """
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

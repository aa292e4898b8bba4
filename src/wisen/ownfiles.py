"""How does a file or a directory come to be, ours alone, whole and for good, and what helps when the system says no?"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from threading import get_ident
from typing import BinaryIO, Final

from wisen.errors import Refused

_ELSEWHERE: Final = "set WISEN_HOME to a directory of your own"
_OUT_OF_THE_WAY: Final = "move it out of the way"
_ROOM: Final = "the disk is full: make room and try again"
_HINTS: Final[Mapping[int, str]] = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EISDIR: _OUT_OF_THE_WAY,
    errno.EEXIST: _OUT_OF_THE_WAY,
    errno.ELOOP: _OUT_OF_THE_WAY,  # a link, where we follow none
}


def refusal(error: OSError, what: str = "") -> Refused:
    """Return what the system refused as an error of ours that names what helps. `what` begins the sentence."""
    said = error.strerror or str(error)
    name = error.filename2 or error.filename  # of a rename it is the second that a person knows
    about = what or (os.fsdecode(name) if name else "")
    return Refused(f"{about}: {said}" if about else said, hint=_HINTS.get(error.errno or 0, _ELSEWHERE))


def helps(error: OSError) -> str:
    """Return what helps when the system said this of a file of ours, '' when that is not known."""
    return _HINTS.get(error.errno or 0, "")


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
        import shlex  # noqa: PLC0415 - a fault that most never meet; every command pays for what is above

        raise Refused(f"{path} is open to other users", hint=f"`chmod 700 {shlex.quote(str(path))}`")


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


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Make a file hold `data`, whatever it held: on disk on return, and as it was if that fails or the power goes.

    Its directory must be there. Raises OSError.
    """
    draft = draft_name(path)
    try:
        with new_draft(draft, mode) as file:
            file.write(data)
        publish(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def draft_name(path: Path) -> Path:
    """Return a name beside a file that is this thread's alone, for what is to become the file."""
    return path.with_name(f"{path.name}.{os.getpid()}-{get_ident()}.new")


def new_draft(draft: Path, mode: int = 0o600) -> BinaryIO:
    """Open what is to become a file, for writing; nothing is at its name before. Raises OSError."""
    draft.unlink(missing_ok=True)  # of a process that was killed and had our number
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    return open(handle, "wb")  # noqa: PTH123 - a descriptor has no path; the caller closes it


def publish(draft: Path, path: Path, *, replace: bool = True) -> None:
    """Give a complete file beside its place its name: content and name are on disk on return. Raises OSError.

    Unless it may `replace` what is there, that raises FileExistsError, and the draft is the caller's to delete.
    """
    sync_file(draft)
    if replace:
        draft.replace(path)
    else:
        try:
            os.link(draft, path)  # unlike a rename it never replaces a file
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
            draft.rename(path)
    sync_dir(path.parent)


def sync_file(path: Path) -> None:
    """Return when a file's content is on disk. Its name may not be: see `sync_dir`. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_dir(directory: Path) -> None:
    """Make the names in a directory durable: a file's own sync does not promise that it can be found. Raises OSError.

    In a directory where we may write and not read, and on a file system that has no such thing, that is left to the
    system.
    """
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:
            raise
    finally:
        os.close(descriptor)

"""Who holds a lock file? The kernel lets go of a lock when its process ends, however it ends, so it can't be stale."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_WORDS_MAX: Final = 4096  # bytes


def take(path: Path, words: str) -> int | None:
    """Lock a file, made if need be, leave `words` in it and return its descriptor, which is the lock.

    None while another process holds it. Raises OSError.
    """
    import fcntl  # noqa: PLC0415 - there is none on Windows, where `config.paths` has to come to word

    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_ino == path.stat().st_ino:
            os.ftruncate(fd, 0)
            os.pwrite(fd, os.fsencode(words), 0)
            return fd
    except (BlockingIOError, FileNotFoundError):
        pass  # held, or deleted since we opened it
    except OSError as error:
        os.close(fd)
        raise OSError(error.errno, error.strerror, str(path)) from error  # what works on a descriptor names no file
    os.close(fd)
    return None


def is_in_place(path: Path, fd: int) -> bool:
    """Return whether the file of a lock we hold is still the one that others find at its path."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


def holder(path: Path) -> str | None:
    """Return the words of the process that holds a lock, None when nobody does. Raises OSError."""
    import fcntl  # noqa: PLC0415 - as above

    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.fsdecode(os.pread(fd, _WORDS_MAX, 0))
    finally:
        os.close(fd)
    return None

"""Where does what the daemon and its libraries say go? Into one private file of bounded size."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 1 << 20  # of the file, and of the one before it


class LogFile:
    """Standard output and error of this process, sent to a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._redirect()

    def keep_small(self) -> None:
        """Set the file aside when it has grown too large, in place of the one set aside before."""
        with suppress(FileNotFoundError):
            if self._path.stat().st_size <= MAX_BYTES:
                return
        self._redirect()

    def _redirect(self) -> None:
        with suppress(FileNotFoundError):
            if self._path.stat().st_size > MAX_BYTES:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(fd, 1)
        os.dup2(fd, 2)
        os.close(fd)


def log_to_stderr(level: int) -> None:
    """Send log records to standard error, one line each."""
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s %(message)s", force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)

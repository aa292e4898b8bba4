"""Why could no daemon start? Left by the one that could not, for the next one and for the doctor to tell.

It stands in the state directory; where nothing can be written there, in a private directory of this user's below /tmp.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec

from wisen.config import Paths, fallback_dir
from wisen.errors import WisenError
from wisen.ownfiles import make_private_dir, replace_file

NAME: Final = "start-failed.json"

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStart:
    """What was in the way: since when no start has come through, when it was tried last, and what helps."""

    since: _Moment
    at: _Moment
    message: str
    hint: str = ""


def note(paths: Paths, error: WisenError, now: datetime) -> None:
    """Write down why a start failed. Where nothing can be written at all, nobody will know."""
    before = read(paths)
    since = before.since if before and before.since <= now else now
    content = msgspec.json.encode(FailedStart(since=since, at=now, message=error.message, hint=error.hint))
    for directory in _places(paths):
        with suppress(OSError, WisenError):
            if directory != paths.state_dir:
                make_private_dir(directory)
            replace_file(directory / NAME, content + b"\n")
            return


def read(paths: Paths) -> FailedStart | None:
    """Return why the last starts failed; None when the last one did not, or nothing of it can be read."""
    found = [said for directory in _places(paths) if (said := _read(directory))]
    return max(found, key=lambda said: said.at, default=None)


def clear(paths: Paths) -> None:
    """Forget it: somebody was told, or wisen is taken out."""
    for directory in _places(paths):
        with suppress(OSError):
            (directory / NAME).unlink()
    with suppress(OSError):
        fallback_dir(paths.state_dir).rmdir()  # unless the socket is there


def _places(paths: Paths) -> Iterator[Path]:
    yield paths.state_dir
    yield fallback_dir(paths.state_dir)


def _read(directory: Path) -> FailedStart | None:
    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        if _is_ours(directory):
            return msgspec.json.decode((directory / NAME).read_bytes(), type=FailedStart)
    return None


def _is_ours(directory: Path) -> bool:
    """Whether nobody else can have written there."""
    found = directory.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022

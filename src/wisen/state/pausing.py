"""Where does it stand that wisen is paused? In the state directory, so that it outlives the memories and every daemon.

`pauses.json` holds every pause, the past ones too. `paused` is for the hooks, which read no JSON: while wisen is
paused everywhere it says until when (seconds since 1970, or `inf`), and a hook that finds it does nothing at all.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from wisen.config import Paths
from wisen.core import pauses as core
from wisen.core.pauses import Pause
from wisen.errors import Refused, SettingsError, WisenError
from wisen.install import made
from wisen.ownfiles import make_dir, refusal, replace_file, sync_dir

log = logging.getLogger(__name__)

FILE: Final = "pauses.json"
MARK: Final = "paused"
_READ: Final = 32  # bytes of it that a hook reads

_Stamp = tuple[int, int, int] | None


def files(paths: Paths) -> tuple[Path, Path]:
    """Return the record and the mark."""
    return paths.state_dir / FILE, paths.state_dir / MARK


def strays(paths: Paths, now: datetime) -> str:
    """Return what is wrong when the hooks go by another word than the record, '' when they do not.

    Raises SettingsError for a record that can't be read: then both say no.
    """
    mark = paths.state_dir / MARK
    is_paused = any(one.is_everywhere for one in core.in_force(core.settled(read(paths), now), now))
    is_silent = _silences(mark, now)
    if is_silent and not is_paused:
        return f"{mark} keeps the hooks from everything, and no pause is on record: nothing is learned or recalled"
    if is_paused and not is_silent:
        return f"it is paused, and {mark} does not tell the hooks so: they go on asking, and are told nothing"
    return ""


def _silences(mark: Path, now: datetime) -> bool:
    """Whether a hook that finds the mark does nothing: see `is_paused` in hotpath.py, which asks the same."""
    if not os.path.lexists(mark):
        return False
    try:
        return not mark.is_file() or now.timestamp() < float(mark.read_bytes()[:_READ])
    except (OSError, ValueError):  # it may say no
        return True


def read(paths: Paths) -> tuple[Pause, ...]:
    """Return every pause that is on record. Raises SettingsError for a file that can't be read: it may say no."""
    file = paths.state_dir / FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=tuple[Pause, ...])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(
            f"{file} can't be read, so wisen is off: {error}", hint="`wisen resume` begins it anew"
        ) from error


def settle(paths: Paths, now: datetime) -> tuple[Pause, ...]:
    """Return every pause, as it holds by a clock that was put right, also on record. Raises SettingsError."""
    before = read(paths)
    after = core.settled(before, now)
    if after != before:
        try:
            _write(paths, after)
            _mark(paths, after, now)
        except WisenError as error:  # somebody else is at it, or may write here
            log.warning("pauses_not_settled", extra={"error": error.message})
    return after


def pause(paths: Paths, new: Pause, *, may_shorten: bool = True) -> None:
    """Put a pause on record, then tell the hooks. Raises SettingsError, Refused when it can't be written.

    Raises Refused also for one that ends what holds earlier, unless it may.
    """
    before = core.settled(read(paths), new.since)
    if not may_shorten and core.is_shortened(before, new):
        raise Refused("it is paused for longer, and only you can shorten that", hint="run it in a terminal of your own")
    after = core.begun(before, new)
    _write(paths, after)
    _mark(paths, after, new.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """Which pauses were ended, and what was wrong with what said so, '' for nothing: it is mended."""

    over: tuple[Pause, ...] = ()
    mended: str = ""


def resume(paths: Paths, at: datetime, *, place: str | None = None, graph: str = "") -> Resumed:
    """End the pauses that hold: all, or those of one place and its repository.

    A file that can't be read begins anew, and the hooks are told what is on record from now on.
    """
    try:
        before, mended = read(paths), strays(paths, at)
    except SettingsError as error:
        before, mended = (), error.message
    after = core.ended(before, at, place=place, graph=graph)
    _mark(paths, after, at)  # first, so that no crash leaves the hooks silent with nothing on record
    if after or (paths.state_dir / FILE).exists():
        _write(paths, after)
    over = tuple(one for one in core.in_force(before, at) if one not in core.in_force(after, at))
    return Resumed(over=over, mended=mended)


def _mark(paths: Paths, pauses: Sequence[Pause], at: datetime) -> None:
    """Make or delete what the hooks look for."""
    mark = paths.state_dir / MARK
    everywhere = [one for one in core.in_force(pauses, at) if one.is_everywhere]
    try:
        if everywhere:
            end = max(math.inf if one.until is None else one.until.timestamp() for one in everywhere)
            replace_file(mark, f"{end}\n".encode())
        elif os.path.lexists(mark):
            mark.unlink()
            sync_dir(mark.parent)
    except OSError as error:
        raise refusal(error) from error


def _write(paths: Paths, pauses: Sequence[Pause]) -> None:
    around = made.missing(paths)
    content = msgspec.json.format(msgspec.json.encode(pauses), indent=2) + b"\n"
    try:
        make_dir(paths.state_dir)
        made.note(paths, around)
        replace_file(paths.state_dir / FILE, content)
    except OSError as error:
        raise refusal(error) from error


class Pauses:
    """The pauses on record, read again when the file has changed; a look costs some microseconds."""

    def __init__(self, paths: Paths, now: Callable[[], datetime]) -> None:
        self._paths = paths
        self._now = now
        self._stamp: _Stamp | str = "never looked"
        self._known: tuple[Pause, ...] = ()
        self._problem = ""

    @property
    def known(self) -> tuple[Pause, ...]:
        """Every pause on record; while the record can't be read, one that began before all time."""
        self._look()
        return self._known

    @property
    def problem(self) -> str:
        """What is wrong with the record, '' when nothing is."""
        self._look()
        return self._problem

    def _look(self) -> None:
        file = self._paths.state_dir / FILE
        stamp = _stamp(file)
        now = self._now() if stamp else None  # where nothing is on record, no clock is needed
        if stamp == self._stamp and not (now and any(one.since > now for one in self._known)):
            return
        try:
            known, problem = settle(self._paths, now) if now else (), ""
            stamp = _stamp(file) if now else stamp
        except SettingsError as error:
            known, problem = (Pause(since=_BEFORE_ALL),), error.message
        self._known, self._problem, self._stamp = known, problem, stamp


_BEFORE_ALL: Final = datetime.fromisoformat("0001-01-02T00:00:00+00:00")  # and a local time everywhere


def _stamp(file: Path) -> _Stamp:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return -1, -1, -1  # there may be one, and it may say no
    return found.st_mtime_ns, found.st_size, found.st_ino

"""Are the files where they belong, this user's alone, and is there room for more?"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from wisen import steps
from wisen.client import log_tail
from wisen.config import Paths
from wisen.core.findings import Finding
from wisen.doctor import kinds
from wisen.doctor.patient import Patient
from wisen.doctor.report import Check, look, note, wrong
from wisen.errors import WisenError
from wisen.state import sizes

ROOM_WRONG: Final = 50 * 10**6  # bytes
ROOM_LOOK: Final = 500 * 10**6
RECENT: Final = timedelta(days=1)
BACKLOG_AGE_S: Final = 1800  # a daemon that runs reads the spool within minutes
_AHEAD_S: Final = 300
_NAMED: Final = 3  # files that are named one by one
_LINES_READ: Final = 2000


def private(patient: Patient) -> Check:
    """Are all files this user's, and closed to others?"""
    roots = _roots(patient.paths)
    places = {place: None for root in roots for place in _below(root)}
    findings = (*kinds.in_the_way(patient.paths), *_of_access(list(places), roots))
    return Check(name="files", said=f"{len(places)} looked at", findings=findings)


def _roots(paths: Paths) -> Sequence[Path]:
    """Return the directories that are wisen's alone, none of them in another."""
    every = (paths.data_dir, paths.state_dir, paths.run_dir)
    return [
        one for one in dict.fromkeys(every) if not any(one.is_relative_to(other) for other in every if one != other)
    ]


def _below(root: Path) -> Iterator[Path]:
    if not os.path.lexists(root):
        return
    yield root
    for place, directories, names in os.walk(root):
        yield from (Path(place, name) for name in (*directories, *names))


def _of_access(places: Sequence[Path], roots: Sequence[Path]) -> Iterator[Finding]:
    is_open, foreign, ahead = [], [], []
    for place in places:
        try:
            found = place.lstat()
        except OSError:
            continue  # gone meanwhile
        if stat.S_IMODE(found.st_mode) & 0o077 and not stat.S_ISLNK(found.st_mode):
            is_open.append(place)
        if found.st_uid != os.getuid():
            foreign.append(place)
        if found.st_mtime > time.time() + _AHEAD_S:
            ahead.append(place)
    if is_open:
        yield wrong(f"open to other users: {_some(is_open)}", f"`chmod {_which(is_open, roots, 'go=')}`")
    if foreign:
        step = f"was wisen run with sudo? `sudo chown {_which(foreign, roots, str(os.getuid()))}` makes them yours"
        yield wrong(f"of another user: {_some(foreign)}", step)
    if ahead:
        step = "the clock was ahead, or is behind: `date` shows it; when it is right, this passes with the time"
        yield look(f"written after now: {_some(ahead)}", step)


def _some(places: Sequence[Path]) -> str:
    named = ", ".join(str(place) for place in places[:_NAMED])
    more = len(places) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def _which(places: Sequence[Path], roots: Sequence[Path], change: str) -> str:
    """Return a change and what is to be changed: the places, or those of wisen's own directories that they are in."""
    if len(places) <= _NAMED:
        return f"{change} {steps.paths(places)}"
    return f"-R {change} {steps.paths(root for root in roots if any(one.is_relative_to(root) for one in places))}"


def spool(patient: Patient) -> Check:
    """Is what the hooks left while no daemon ran read and gone?"""
    directory = patient.paths.spool_dir
    waiting, damaged = sorted(directory.glob("*.json")), sorted(directory.glob("*.damaged"))
    findings: list[Finding] = []
    if damaged:
        findings.append(
            look(
                f"{len(damaged)} can't be read and are kept",
                f"`rm {steps.paths([directory])}/*.damaged` deletes them when you don't need them",
                str(directory),
            )
        )
    if (directory / "full").exists():
        findings.append(wrong("it is full: what hooks bring now is lost", _START, str(directory)))
    if waiting and patient.running is not None and time.time() - _age_mark(waiting[0]) > BACKLOG_AGE_S:
        findings.append(wrong("what waits is not read, though a daemon runs", "`wisen daemon restart`", str(directory)))
    return Check(name="spool", said=f"{len(waiting)} wait", findings=tuple(findings))


_START: Final = "`wisen daemon start` reads it"


def _age_mark(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return time.time()


def log(patient: Patient) -> Check:
    """Did the daemon have anything to complain of lately?"""
    try:
        lines = log_tail(patient.paths, _LINES_READ)
    except WisenError as error:
        finding = kinds.kind_wrong(patient.paths.log_file, is_directory=False) or wrong(error.message, error.hint)
        return Check(name="log", findings=(finding,))
    last = next((line for line in reversed(lines) if " ERROR " in line), "")
    if not last:
        return Check(name="log", said="no error" if lines else "none yet")
    at = _moment(last)
    finding = (look if at and patient.now - at < RECENT else note)(
        f"last error: {last}", "`wisen daemon log` shows what was around it", str(patient.paths.log_file)
    )
    return Check(name="log", said=f"last error {at:%Y-%m-%d %H:%M} UTC" if at else "an error", findings=(finding,))


def _moment(line: str) -> datetime | None:
    """Return the time of a log line, which is written in the daemon's time zone."""
    try:
        return datetime.strptime(line[:19], "%Y-%m-%d %H:%M:%S").astimezone(UTC)
    except ValueError:
        return None


def room(patient: Patient) -> Check:
    """Is there room on the disk, and how much does wisen take?"""
    taken = sizes.measure(patient.paths)
    grown = sizes.growth(patient.paths, patient.now, total=taken.total)
    said = f"{_mb(taken.total)} taken"
    if grown:
        days = f"{grown.days} day{'' if grown.days == 1 else 's'}"
        said += f", {'-' if grown.bytes_a_day < 0 else '+'}{_mb(abs(grown.bytes_a_day))} a day over {days}"
    findings = []
    for place in dict.fromkeys((_existing(patient.paths.data_dir), _existing(patient.paths.state_dir))):
        free = shutil.disk_usage(place).free
        if free < ROOM_WRONG:
            findings.append(wrong(f"the disk is all but full: {_mb(free)} left", "make room", str(place)))
        elif free < ROOM_LOOK:
            findings.append(look(f"the disk has {_mb(free)} left", "make room before it is full", str(place)))
        if not os.access(place, os.W_OK):
            findings.append(
                wrong("nothing can be written here", "give yourself the right to write, or set WISEN_HOME", str(place))
            )
    return Check(name="room", said=said, findings=tuple(findings))


def _mb(count_bytes: float) -> str:
    return f"{count_bytes / 1e6:.1f} MB"


def _existing(place: Path) -> Path:
    """Return the place, or the nearest one above it that is there."""
    return next(one for one in (place, *place.parents) if one.exists())

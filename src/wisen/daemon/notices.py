"""What must the person hear at a session start? That nothing is learned, and since when: one line, once a day each.

It goes to the person by the harness's own channel and never into the model's context, and no memory is in it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from wisen.engine.catch_up import LOST
from wisen.errors import WisenError
from wisen.install import files

log = logging.getLogger(__name__)

NAME: Final = "notices.json"
SPOOL_FULL: Final = "spool_overflows"
AGAIN_AFTER: Final = timedelta(days=1)
_WHY_CHARS: Final = 160
_LOSSES: Final = {
    LOST: "events came while no daemon ran, and had no transcript",
    SPOOL_FULL: "the spool was full, and what hooks brought then is lost",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something because of which nothing is learned, or not all. `kind` tells whether it is the same as yesterday's."""

    kind: str
    why: str
    since: datetime | None = None


class _Told(msgspec.Struct, kw_only=True):
    """What the person was told: when, by kind of trouble, and how much had been lost by then."""

    at: dict[str, datetime] = {}
    losses: dict[str, int] = {}


class Notices:
    """Which troubles there are, and which of them the person was told of."""

    def __init__(self, file: Path | None = None) -> None:
        """Take the file that outlives the daemon. What can't be written there is remembered until the daemon ends."""
        self._file = file
        self._lock = threading.Lock()
        self._told = _read(file)
        self._capture: Trouble | None = None

    def capture_failed(self, error: WisenError, at: datetime) -> None:
        """Note that an event could not be kept."""
        with self._lock:
            since = self._capture.since if self._capture else at
            self._capture = Trouble(kind="capture", why=error.message, since=since)

    def capture_worked(self) -> None:
        """Note that an event was kept."""
        self._capture = None

    def line(self, troubles: Sequence[Trouble], counters: Mapping[str, int], now: datetime) -> str:
        """Return what to tell now, '' for nothing; it counts as told.

        `troubles` are those that others found, the worst first; what was lost is read from `counters`.
        """
        with self._lock:
            for trouble in (*([self._capture] if self._capture else []), *troubles, *self._lost(counters)):
                last = self._told.at.get(trouble.kind)
                if last is None or not timedelta() <= now - last < AGAIN_AFTER:
                    self._told.at[trouble.kind] = now
                    self._told.losses |= {name: counters.get(name, 0) for name in _LOSSES if name == trouble.kind}
                    self._write()
                    return _in_words(trouble, now)
        return ""

    def _lost(self, counters: Mapping[str, int]) -> Iterator[Trouble]:
        """Yield what was lost since the person was last told."""
        for name, why in _LOSSES.items():
            more = counters.get(name, 0) - self._told.losses.get(name, 0)
            if more > 0:
                yield Trouble(kind=name, why=f"{more} {why}" if name == LOST else why)

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            files.write(files.read(self._file), msgspec.json.encode(self._told) + b"\n")
        except WisenError as error:
            log.warning("notice_not_noted", extra={"error": error.message})


def _in_words(trouble: Trouble, now: datetime) -> str:
    why = " ".join(trouble.why.split())
    why = why if len(why) <= _WHY_CHARS else f"{why[:_WHY_CHARS]}..."
    if trouble.since is None:
        return f"wisen could not learn everything: {why}. `wisen doctor` says more."
    since = trouble.since.astimezone()
    when = f"{since:%H:%M}" if now - trouble.since < AGAIN_AFTER else f"{since:%Y-%m-%d %H:%M}"
    return f"wisen could not learn since {when}: {why}. `wisen doctor` says more."


def _read(file: Path | None) -> _Told:
    """Return what was told before; nothing where that can't be read."""
    if file is None:
        return _Told()
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Told)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return _Told()

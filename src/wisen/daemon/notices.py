"""What must the person hear at a session start? That nothing is learned, and since when: one line, once a day each.

It goes to the person by the harness's own channel and never into the model's context, and no memory is in it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import msgspec

from wisen.core.counters import LOST, SPOOL_FULL, in_words
from wisen.core.graphemes import cut_before
from wisen.errors import WisenError
from wisen.ownfiles import replace_file

log = logging.getLogger(__name__)

NAME: Final = "notices.json"
AGAIN_AFTER: Final = timedelta(days=1)
LEARNS_NOTHING: Final = "learns nothing"
_LOST_SOME: Final = "could not learn everything"
_WHY_CHARS: Final = 160
_LOSSES: Final = (LOST, SPOOL_FULL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something because of which nothing is learned, or not all; `says` is what wisen does or can't do by it.

    `kind` tells whether it is the same as yesterday's.
    """

    kind: str
    why: str
    since: datetime | None = None
    says: str = "could not learn"


class _Told(msgspec.Struct, kw_only=True):
    """What the person was told: when, by kind of trouble, and how much had been lost by then."""

    at: dict[str, Annotated[datetime, msgspec.Meta(tz=True)]] = {}
    losses: dict[str, int] = {}


class Notices:
    """Which troubles there are, and which of them the person was told of."""

    def __init__(
        self, file: Path | None = None, *, over: Trouble | None = None, when_told: Callable[[], None] = lambda: None
    ) -> None:
        """Take the file that outlives the daemon. What can't be written there is remembered until the daemon ends.

        `over` is a trouble that has passed and that nobody could tell of; `when_told` is called once that was done.
        """
        self._file = file
        self._lock = threading.Lock()
        self._told = _read(file)
        self._capture: Trouble | None = None
        self._over = over
        self._when_told = when_told

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
                    return _sentence(trouble, now)
            over, self._over = self._over, None
        if over is None:
            return ""
        self._when_told()
        return _sentence(over, now)

    def _lost(self, counters: Mapping[str, int]) -> Iterator[Trouble]:
        """Yield what was lost since the person was last told."""
        for name in _LOSSES:
            more = counters.get(name, 0) - self._told.losses.get(name, 0)
            if more > 0:
                yield Trouble(kind=name, why=in_words(name, more), says=_LOST_SOME)

    def _write(self) -> None:
        if self._file is None:
            return
        try:
            replace_file(self._file, msgspec.json.encode(self._told) + b"\n")
        except OSError as error:
            log.warning("notice_not_noted", extra={"error": str(error)})


def _sentence(trouble: Trouble, now: datetime) -> str:
    why = " ".join(trouble.why.split())
    why = why if len(why) <= _WHY_CHARS else f"{why[: cut_before(why, _WHY_CHARS)]}..."
    if trouble.since is None:
        return f"wisen {trouble.says}: {why}. `wisen doctor` says more."
    since = trouble.since.astimezone()
    when = f"{since:%H:%M}" if now - trouble.since < AGAIN_AFTER else f"{since:%Y-%m-%d %H:%M}"
    return f"wisen {trouble.says} since {when}: {why}. `wisen doctor` says more."


def _read(file: Path | None) -> _Told:
    """Return what was told before; nothing where that can't be read."""
    if file is None:
        return _Told()
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Told)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Told()

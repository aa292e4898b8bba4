"""When was wisen off, and where? A pause is a span of time: what was said in one is never learned, not even later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

KEPT_FOR = timedelta(days=365)  # after its end; no transcript of a session that old is read again


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One pause, from `since` (included) to `until` (not included). `until` None: until it is taken back.

    `place` is a directory, with all below it; '' is everywhere.
    """

    since: datetime
    until: datetime | None = None
    place: str = ""

    @property
    def is_everywhere(self) -> bool:
        """Whether it holds in every directory."""
        return not self.place

    def is_over(self, at: datetime) -> bool:
        """Return whether it has ended by a moment."""
        return self.until is not None and self.until <= at

    def held_at(self, at: datetime, now: datetime) -> bool:
        """Return whether a moment up to now is in it. One that begins after now began while the clock was ahead."""
        return min(self.since, now) <= at and not self.is_over(at)

    def covers(self, directory: str) -> bool:
        """Return whether a directory is its place, or below it."""
        return not self.place or directory == self.place or directory.startswith(f"{self.place.rstrip('/')}/")


def in_force(pauses: Iterable[Pause], now: datetime) -> tuple[Pause, ...]:
    """Return the pauses that hold now."""
    return tuple(pause for pause in pauses if not pause.is_over(now))


def is_paused(pauses: Iterable[Pause], directories: Iterable[str], at: datetime, now: datetime) -> bool:
    """Return whether wisen was off at a moment in a directory, which may go by several names."""
    names = tuple(directories)
    return any(pause.held_at(at, now) and any(map(pause.covers, names)) for pause in pauses)


def begun(pauses: Sequence[Pause], new: Pause) -> tuple[Pause, ...]:
    """Return the pauses with a new one, which takes the place of the one of the same place that holds."""
    return (*ended(pauses, new.since, place=new.place), new)


def ended(pauses: Sequence[Pause], now: datetime, *, place: str | None = None) -> tuple[Pause, ...]:
    """Return the pauses with those ended that hold now: all, or those of one place. Long past ones are gone."""
    return tuple(
        _ended(pause, now) if not pause.is_over(now) and place in {None, pause.place} else pause
        for pause in pauses
        if not pause.is_over(now - KEPT_FOR)
    )


def _ended(pause: Pause, now: datetime) -> Pause:
    return replace(pause, since=min(pause.since, now), until=now)

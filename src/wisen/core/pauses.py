"""When was wisen off, and where? A pause is a span of time: what was said in one is never learned, not even later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

KEPT_FOR = timedelta(days=365)  # after its end; no transcript of a session that old is read again


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """One pause, from `since` (included) to `until` (not included). `until` None: until it is taken back.

    `place` is a directory, with all below it; '' is everywhere. `graph` is the id of the repository there, if it is
    one: the pause then holds in all its worktrees and clones.
    """

    since: datetime
    until: datetime | None = None
    place: str = ""
    graph: str = ""

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

    def is_of(self, place: str, graph: str) -> bool:
        """Return whether it is the pause of a place, or of the repository there."""
        return self.place == place or bool(graph and graph == self.graph)

    def covers(self, directory: str) -> bool:
        """Return whether a directory is its place, or below it."""
        return not self.place or directory == self.place or directory.startswith(f"{self.place.rstrip('/')}/")


def in_force(pauses: Iterable[Pause], now: datetime) -> tuple[Pause, ...]:
    """Return the pauses that hold now."""
    return tuple(pause for pause in pauses if not pause.is_over(now))


def settled(pauses: Sequence[Pause], now: datetime) -> tuple[Pause, ...]:
    """Return the pauses as they hold by a clock that was put right: one that begins after now begins now.

    It keeps its length. One from while the clock was a year ahead would else hold for that year.
    """
    return tuple(_shifted(pause, now) if pause.since > now and not pause.is_over(now) else pause for pause in pauses)


def _shifted(pause: Pause, now: datetime) -> Pause:
    return replace(pause, since=now, until=pause.until and now + (pause.until - pause.since))


def is_paused(
    pauses: Iterable[Pause],
    directories: Iterable[str],
    at: datetime,
    now: datetime,
    *,
    is_in: Callable[[str], bool] = lambda _: False,
) -> bool:
    """Return whether wisen was off at a moment in a directory, which may go by several names.

    `is_in` tells whether it is one of a repository's, and is asked only where the directory does not settle it.
    """
    names = tuple(directories)
    held = [pause for pause in pauses if pause.held_at(at, now)]
    if any(pause.covers(name) for pause in held for name in names):
        return True
    return any(is_in(graph) for graph in dict.fromkeys(pause.graph for pause in held if pause.graph))


def is_shortened(pauses: Iterable[Pause], new: Pause) -> bool:
    """Return whether a new pause would end one of the same place earlier."""
    held = [pause for pause in in_force(pauses, new.since) if pause.is_of(new.place, new.graph)]
    return new.until is not None and any(pause.until is None or new.until < pause.until for pause in held)


def begun(pauses: Sequence[Pause], new: Pause) -> tuple[Pause, ...]:
    """Return the pauses with a new one, which takes the place of the one of the same place that holds."""
    return (*ended(pauses, new.since, place=new.place, graph=new.graph), new)


def ended(pauses: Sequence[Pause], now: datetime, *, place: str | None = None, graph: str = "") -> tuple[Pause, ...]:
    """Return the pauses with those ended that hold now: all, or those of one place and its repository.

    Long past ones are gone.
    """
    return tuple(
        _ended(pause, now) if not pause.is_over(now) and (place is None or pause.is_of(place, graph)) else pause
        for pause in pauses
        if not pause.is_over(now - KEPT_FOR)
    )


def _ended(pause: Pause, now: datetime) -> Pause:
    return replace(pause, since=min(pause.since, now), until=now)

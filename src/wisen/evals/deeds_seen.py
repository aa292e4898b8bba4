"""What did the agents do again that a memory knew of, or could have known of? Failures and lookups across sessions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wisen.core.signals.error_classes import Kind
from wisen.core.signals.failures import Failure, failure_of
from wisen.core.signals.repeated_lookup import ENOUGH, Looks
from wisen.core.triggers import is_met
from wisen.core.types import Event, Memory, Outcome, PostTool, Source, Status

# What anybody's code, a mistyped line or a bad moment gives: no memory would have prevented it.
_NOT_PREVENTABLE: Final = frozenset({Kind.CODE, Kind.PLAIN, Kind.TRANSIENT, Kind.OTHER})

_Signature: TypeAlias = "tuple[str, str, Kind]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """How often something was done in a session, and how much of it was not new.

    `repeated` could have been spared by what earlier sessions showed; of `known` an active memory told, and `shown` is
    how often this session had been shown that memory before.
    """

    done: int = 0
    repeated: int = 0
    known: int = 0
    shown: int = 0

    def __add__(self, other: Again) -> Again:
        """Return both together."""
        return Again(
            done=self.done + other.done,
            repeated=self.repeated + other.repeated,
            known=self.known + other.known,
            shown=self.shown + other.shown,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a session's agent did.

    Failures are failed commands that say something about the repository or the machine: repeated where the same
    program, sub-command and class of error failed in an earlier session that found a way out. Lookups are names that
    were searched for and found: repeated where three earlier sessions or more did that.
    """

    failures: Again
    lookups: Again


@dataclass(slots=True)
class Deeds:
    """Takes the events of sessions, one session after the other."""

    _resolved: set[_Signature] = field(default_factory=set)
    _looked_up: dict[str, int] = field(default_factory=dict)

    def session(self) -> SessionDeeds:
        """Begin a session: what earlier ones showed is fixed with it."""
        return SessionDeeds(resolved=frozenset(self._resolved), looked_up=dict(self._looked_up))

    def add(self, ended: SessionDeeds) -> None:
        """Count what a session did for the later ones."""
        self._resolved |= ended.has_resolved
        for name in ended.has_looked_up:
            self._looked_up[name] = self._looked_up.get(name, 0) + 1


@dataclass(slots=True, kw_only=True)
class SessionDeeds:
    """Takes one session's events in order."""

    resolved: frozenset[_Signature]
    looked_up: Mapping[str, int]
    has_resolved: set[_Signature] = field(default_factory=set)
    has_looked_up: set[str] = field(default_factory=set)
    _open: set[_Signature] = field(default_factory=set)
    _looks: Looks = field(default_factory=Looks)
    _failures: Again = field(default_factory=Again)
    _lookups: Again = field(default_factory=Again)

    @property
    def seen(self) -> Seen:
        """What the agent did so far."""
        return Seen(failures=self._failures, lookups=self._lookups)

    def take(self, event: Event, memories: Sequence[Memory], shown: Collection[str]) -> None:
        """Look at an event; `memories` are those there are, `shown` the ids of those that the session was shown."""
        if not isinstance(event.body, PostTool):
            return
        if failure := failure_of(event):
            self._failed(failure, memories, shown)
        elif event.body.outcome is Outcome.SUCCESS:
            done = {(segment.program, segment.subcommand) for segment in event.body.call.segments}
            worked = {one for one in self._open if one[:2] in done}
            self._open -= worked
            self.has_resolved |= worked
        for look in self._looks.take(event):
            if look.symbol not in self.has_looked_up:
                self._looked(look.symbol, memories, shown)

    def _failed(self, failure: Failure, memories: Sequence[Memory], shown: Collection[str]) -> None:
        if failure.kind in _NOT_PREVENTABLE:
            return
        signature = (failure.segment.program, failure.segment.subcommand, failure.kind)
        self._open.add(signature)
        recipes = [(memory, memory.trigger) for memory in _active(memories) if memory.trigger is not None]
        telling = [memory for memory, trigger in recipes if is_met(trigger, failure.segments)]
        self._failures += _counted(telling, shown, is_repeated=signature in self.resolved)

    def _looked(self, symbol: str, memories: Sequence[Memory], shown: Collection[str]) -> None:
        self.has_looked_up.add(symbol)
        pins = [memory for memory in _active(memories) if memory.source is Source.REPEATED_LOOKUP]
        telling = [memory for memory in pins if any(anchor.symbol == symbol for anchor in memory.anchors)]
        self._lookups += _counted(telling, shown, is_repeated=self.looked_up.get(symbol, 0) >= ENOUGH)


def _active(memories: Sequence[Memory]) -> list[Memory]:
    return [memory for memory in memories if memory.status is Status.ACTIVE]


def _counted(telling: Sequence[Memory], shown: Collection[str], *, is_repeated: bool) -> Again:
    is_shown = any(memory.memory_id in shown for memory in telling)
    return Again(done=1, repeated=int(is_repeated), known=int(bool(telling)), shown=int(is_shown))

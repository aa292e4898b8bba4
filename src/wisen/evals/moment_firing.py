"""How many lessons would the calls of a session bring up? Those of every recorded session, against what was known then.

A lesson comes up where its signature is met, once a session. Two kinds are counted: the labelled lessons, and the
recipes that wisen itself learns from the sessions and that need no review.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from wisen.core.signals.failure_delta import recipes
from wisen.core.signals.repeated_lookup import sought_in
from wisen.core.triggers import is_met
from wisen.core.types import Event, PreTool, Signal, Tier, ToolCall, Trigger
from wisen.evals.moment_labels import Lesson
from wisen.evals.moment_sources import Session, Sessions, folder_of, read_session
from wisen.evals.recorded import sessions_in

LABELLED: Final = "labelled lessons"
LEARNED: Final = "recipes that wisen learns"


@dataclass(frozen=True, slots=True)
class Signed:
    """What brings a lesson up: its trigger, or the names that it tells the place of."""

    trigger: Trigger | None = None
    names: Collection[str] = ()

    def is_met_by(self, call: ToolCall) -> bool:
        """Tell whether the lesson comes before a call."""
        if self.trigger is not None and is_met(self.trigger, call.segments):
            return True
        return bool(self.names) and not set(self.names).isdisjoint(sought_in(call))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """What the calls of one session brought up: distinct lessons; how many calls there were, and how many met any."""

    lessons: int
    calls: int
    met: int


@dataclass(frozen=True, slots=True)
class Firing:
    """The sessions of all repositories, for one kind of lesson."""

    sessions: tuple[Fired, ...]

    @property
    def median(self) -> float:
        """Distinct lessons of the middle session."""
        return float(median([one.lessons for one in self.sessions] or [0]))

    @property
    def median_of_some(self) -> float:
        """Distinct lessons of the middle one of the sessions that have any."""
        return float(median([one.lessons for one in self.sessions if one.lessons] or [0]))

    @property
    def most(self) -> int:
        """Distinct lessons of the session with the most."""
        return max((one.lessons for one in self.sessions), default=0)

    @property
    def share(self) -> float:
        """The share of all calls that meet a lesson, shown before or not, 0..1."""
        calls = sum(one.calls for one in self.sessions)
        return sum(one.met for one in self.sessions) / calls if calls else 0.0


def firing(
    lessons: Mapping[str, Sequence[Lesson]], sessions: Sessions, *, progress: Callable[[str], None] = lambda _: None
) -> Mapping[str, Firing]:
    """Return what each recorded session of the lessons' repositories would have been shown, by the kind of lesson.

    Raises NotFound, PayloadError.
    """
    fired: dict[str, list[Fired]] = {LABELLED: [], LEARNED: []}
    for repository, of_these in lessons.items():
        progress(f"{repository}: the calls of every session")
        known = _Known(lessons=of_these)
        for recorded in sessions_in(folder_of(sessions.corpus, repository), raw=False):
            assert recorded.stream is not None  # noqa: S101 -- told as abstract events, as asked for
            session = read_session(recorded.session_id, recorded.stream)
            calls = _calls(session.events)
            fired[LABELLED].append(fired_by(calls, known.labelled))
            fired[LEARNED].append(fired_by(calls, known.learned))
            known.take(recorded.session_id, session)
    return {name: Firing(tuple(found)) for name, found in fired.items()}


def fired_by(calls: Sequence[ToolCall], known: Mapping[str, Signed]) -> Fired:
    """Return which of the known lessons some calls bring up."""
    met = [[key for key, signed in known.items() if signed.is_met_by(call)] for call in calls]
    return Fired(lessons=len({key for keys in met for key in keys}), calls=len(calls), met=sum(map(bool, met)))


def _calls(events: Iterable[Event]) -> list[ToolCall]:
    return [event.body.call for event in events if isinstance(event.body, PreTool)]


@dataclass(slots=True, kw_only=True)
class _Known:
    """What the sessions up to one moment have taught, by its words."""

    lessons: Sequence[Lesson]
    labelled: dict[str, Signed] = field(default_factory=dict)
    learned: dict[str, Signed] = field(default_factory=dict)

    def take(self, session_id: str, session: Session) -> None:
        """Learn from a session."""
        for lesson in self.lessons:
            if lesson.place.session_id == session_id:
                origin = session.origin(lesson.place, quote=lesson.quote)
                self.labelled[lesson.text] = Signed(origin.trigger, () if origin.trigger else origin.names[:1])
        for signal in recipes(session.events):
            self._learn(signal)

    def _learn(self, signal: Signal) -> None:
        if signal.tier is Tier.ADOPT:
            self.learned.setdefault(signal.rule, Signed(signal.trigger))

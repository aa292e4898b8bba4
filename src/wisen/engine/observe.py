"""What does a whole session show that no single event of it does? Its events, read in order -> more signals.

Recipes, what the user approved of, and names that were looked up again and again. Reading twice changes nothing: a
signal's natural key is in the store, and is made of the events that show it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from wisen.core.gate import session_signals, signals_of
from wisen.core.records import Lookup, Session, Standing
from wisen.core.signals.confirmation import confirmed, is_approval
from wisen.core.signals.repeated_lookup import Look, Looks, pinned
from wisen.core.signals.setting import Setting
from wisen.core.types import Event, GraphId, PostTool, PromptChannel, Signal, UserPrompt
from wisen.engine.locate import Locator
from wisen.ports import ControlStore, WorkTree

_PAGE = 200  # events that are in memory at once
_AT_ONCE = 50  # signals that are written at once
_MOST_LOOKS = 500  # of one session
_MOST_MID_TURN = 200  # prompts of one session
_MOST_REFUSALS = 200  # of one session


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where something happened: what capture would have noted in a signal, and the top of the work tree."""

    graph: GraphId | None
    branch: str = ""
    top: str = ""


class Observe:
    """Looks at sessions as a whole, before what was noticed in them is promoted."""

    def __init__(self, *, control: ControlStore, locator: Locator, tree: WorkTree, learn: bool) -> None:
        self._control = control
        self._locator = locator
        self._tree = tree
        self._learn = learn

    def observe(self, session: Session) -> int:
        """Add the signals that a session's events give together; return how many they are, known ones among them."""
        if not self._learn:
            return 0
        reading = _Reading(control=self._control, session=session)
        places = _Places(self._locator, session)
        found = self._add(session, (self._placed(one, reading, places) for one in session_signals(iter(reading))))
        found += self._add(session, (self._placed(one, reading, places) for one in reading.said_mid_turn()))
        found += self._add(session, (self._placed(one, reading, places) for one in reading.said_in_refusals()))
        stated = [signal for _, signal in self._control.signals_after(session.harness, session.session_id, 0)]
        found += self._add(session, confirmed(reading.approvals, stated))
        return found + self._add(session, self._pins(session, reading, places))

    def _add(self, session: Session, signals: Iterator[Signal]) -> int:
        found = 0
        while batch := tuple(islice(signals, _AT_ONCE)):
            self._control.add_signals(session.harness, batch)
            found += len(batch)
        return found

    @staticmethod
    def _placed(signal: Signal, reading: _Reading, places: _Places) -> Signal:
        """Return a signal with where it happened: at the last event of its evidence."""
        cwd = next((cwd for ref in reversed(signal.evidence) if (cwd := reading.cwds.get(ref.event_id))), "")
        place = places.of(cwd)
        is_dated = reading.undated.isdisjoint(ref.event_id for ref in signal.evidence)
        return replace(signal, cwd=cwd, graph=place.graph, branch=place.branch, is_dated=is_dated)

    def _pins(self, session: Session, reading: _Reading, places: _Places) -> Iterator[Signal]:
        """Keep what the session looked up, and yield what is known by now to be looked up again and again."""
        noted: dict[tuple[str, str], tuple[Lookup, Place, str]] = {}
        for look in reading.looks:
            place = places.of(look.event.cwd)
            lookup = _lookup(look, place)
            if lookup is not None and place.graph is not None:
                key = lookup.graph, lookup.symbol
                if key not in noted or lookup.is_definition > noted[key][0].is_definition:
                    noted[key] = (lookup, place, look.event.cwd)
        if noted:
            self._control.note_lookups([lookup for lookup, _, _ in noted.values()])
        for lookup, place, cwd in noted.values():
            if place.graph is None:
                continue
            known = self._control.lookups(place.graph, lookup.symbol)
            own = next((one for one in known if one.session_id == session.session_id), lookup)
            signal = pinned(known, session.session_id, is_there=self._tree.holds(place.top, own.path))
            if signal is not None:
                yield replace(signal, cwd=cwd, graph=place.graph, branch=place.branch)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """A session's events in order, a page at a time. What is kept of them is little: where each happened, and looks."""

    control: ControlStore
    session: Session
    cwds: dict[str, str] = field(default_factory=dict)
    undated: set[str] = field(default_factory=set)
    approvals: list[Event] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)
    _mid_turn: list[Event] = field(default_factory=list)
    _refusals: list[tuple[str, Event]] = field(default_factory=list)  # each with the call that is said to be refused
    _ran: set[str] = field(default_factory=set)

    def said_mid_turn(self) -> Iterator[Signal]:
        """Yield what prompts that were typed while the agent worked state: more of it stands than words alone show."""
        for event in self._mid_turn:
            yield from signals_of(event, setting=Setting(is_mid_turn=True))

    def said_in_refusals(self) -> Iterator[Signal]:
        """Yield what the user said when refusing calls. One that ran was not refused: its tool gave that back."""
        for call_id, event in self._refusals:
            if not call_id or call_id not in self._ran:
                yield from signals_of(event)

    def __iter__(self) -> Iterator[Event]:
        looks = Looks()
        running = ""
        for event in self._events():
            if isinstance(event.body, UserPrompt) and event.body.channel is PromptChannel.TYPED:
                # One that is typed while the agent works carries the id of the prompt it works at.
                is_mid_turn = event.body.prompt_id and event.body.prompt_id == running and not event.body.is_in_a_call
                if is_mid_turn and len(self._mid_turn) < _MOST_MID_TURN:
                    self._mid_turn.append(event)
                running = event.body.prompt_id
            self._note_end(event)
            if not event.is_dated:
                self.undated.add(event.event_id)
            self.cwds[event.event_id] = self._names.setdefault(event.cwd, event.cwd)
            if is_approval(event):
                self.approvals.append(event)
            if len(self.looks) < _MOST_LOOKS:
                self.looks.extend(looks.take(event))
            yield event

    def _note_end(self, event: Event) -> None:
        match event.body:
            case PostTool(call=call):
                self._ran.add(call.call_id)
            case UserPrompt() as body if body.is_in_a_call and len(self._refusals) < _MOST_REFUSALS:
                self._refusals.append((body.call_id, event))
            case _:
                pass

    def _events(self) -> Iterable[Event]:
        key, after = (self.session.harness, self.session.session_id), ""
        while True:
            page, after = self.control.events_of(*key, after=after, limit=_PAGE)
            yield from page
            if not after:
                return


class _Places:
    """The repositories of a session's directories, each asked for once."""

    def __init__(self, locator: Locator, session: Session) -> None:
        self._locator = locator
        self._session = session
        self._known: dict[str, Place] = {}

    def of(self, cwd: str) -> Place:
        """Return where a directory is; no graph while that is not known, or where wisen stays out."""
        if cwd not in self._known:
            self._known[cwd] = self._found(cwd)
        return self._known[cwd]

    def _found(self, cwd: str) -> Place:
        if not cwd or self._locator.is_excluded(cwd):
            return Place(graph=None)
        facts = self._locator.facts(cwd)
        identity = self._locator.judge(self._session.harness, facts)
        if facts.is_gone or (identity.standing is Standing.NONE and cwd == self._session.cwd):
            return Place(graph=self._session.graph)  # a worktree that is gone, and with it what git could say
        return Place(graph=identity.write, branch=facts.branch, top=facts.top)


def _lookup(look: Look, place: Place) -> Lookup | None:
    """Return a look as it is kept, None for a file outside of the work tree."""
    event = look.event
    top = place.top or event.cwd
    path = posixpath.relpath(posixpath.join(event.cwd, look.path), top) if top.startswith("/") else look.path
    if place.graph is None or path.startswith(("../", "/")) or path == "..":
        return None
    return Lookup(
        graph=str(place.graph),
        symbol=look.symbol,
        path=path,
        harness=event.harness,
        session_id=event.session_id,
        event_id=event.event_id,
        at=event.at,
        is_definition=look.is_definition,
    )

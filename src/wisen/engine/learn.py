"""Sessions from before wisen was there -> memories, by the live path: reader, capture, promotion. One file at a time.

Everything may be stopped and begun again at any point: events have natural keys, promoting twice equals once, and how
far a file was read is noted when all before that is in the graphs. Where a session's directory is gone, it is filed
where its repository is known to be, and nothing is claimed of it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from wisen.core import graphids
from wisen.core.counters import SKIPPED
from wisen.core.past import Fate, Learned
from wisen.core.records import RepoIdentity, Session, Standing
from wisen.core.remotes import parse_repository, url_without_credentials
from wisen.core.types import Event, GraphId, Memory
from wisen.engine.capture import Capture
from wisen.engine.catch_up import KNOWN_MAX, Known, mark_of
from wisen.engine.locate import EXCLUDE_HINT, Locator, excluded_graph
from wisen.engine.promote import Promote
from wisen.errors import InvalidValue, NotFound, Refused
from wisen.ports import Clock, ControlStore, PastReader, PastReading, Redactor, TranscriptSize

log = logging.getLogger(__name__)

_ASKED_MOST = 30  # times: git is waited for at most a second each time, and a large history is read in the background


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A session file to learn from.

    `cwd` is where the session began, `beside` where other sessions of the same project did. `repo` is what a directory
    that is gone was, in the user's word: a repository's URL, or a path. `batch` names the act in the journals.
    """

    harness: str
    path: str
    session_id: str
    cwd: str
    beside: tuple[str, ...] = ()
    repo: str = ""
    batch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """What a directory that is gone is taken for: a repository, and the directory (if any) that shows it."""

    identity: RepoIdentity
    shown_by: str


@dataclass(slots=True)
class _Tally:
    """What is counted while a file is read."""

    events: int = 0
    copies: int = 0
    signals: int = 0
    stayed_out: int = 0
    sessions: dict[str, None] = field(default_factory=dict)
    stood_in: str = ""


class Learn:
    """Learns from session files. Not for two threads at once: the caller sees to that."""

    def __init__(
        self,
        *,
        control: ControlStore,
        capture: Capture,
        promote: Promote,
        locator: Locator,
        readers: Mapping[str, PastReader],
        sizes: Mapping[str, TranscriptSize],
        redactor: Redactor,
        clock: Clock,
    ) -> None:
        self._control = control
        self._capture = capture
        self._promote = promote
        self._locator = locator
        self._readers = readers
        self._sizes = sizes
        self._redactor = redactor
        self._clock = clock

    def learn(self, wanted: Wanted) -> Learned:
        """Read one session to its end and promote what it says. Raises StoreError, Refused for a `repo` kept out."""
        session = self._control.session(wanted.harness, wanted.session_id)
        size = self._sizes[wanted.harness](wanted.path)
        if size is None:
            return Learned(fate=Fate.UNREADABLE, why="the file can't be read")
        mark = mark_of(session, wanted.path)
        if mark.offset and mark.size == size:
            return Learned(fate=Fate.KNOWN)
        if not wanted.cwd:
            return Learned(fate=Fate.EMPTY)
        if self._locator.is_excluded(wanted.cwd):
            return Learned(fate=Fate.STAYED_OUT, why="an excluded directory")
        places = _Places(wanted, self._locator)
        if places.is_lost(wanted.cwd):
            return Learned(fate=Fate.GONE, why=wanted.cwd)
        return self._learned(wanted, session, places)

    def _learned(self, wanted: Wanted, session: Session | None, places: _Places) -> Learned:
        known = Known(partial(self._control.events, wanted.harness, wanted.session_id, limit=KNOWN_MAX), self._redactor)
        reading = self._readers[wanted.harness](
            wanted.path,
            mark_of(session, wanted.path),
            assume_interactive=session.interactive if session else None,
            known=known,
            redact=self._redactor.redact,
        )
        tally = _Tally()
        try:
            self._keep(reading, known, places, tally)
        except OSError as error:
            log.warning("transcript_unreadable", extra={"session": wanted.session_id, "error": str(error)})
            return Learned(fate=Fate.UNREADABLE, why=str(error))
        self._control.flush()  # what the file holds is on disk before anything says that it was read
        promoted = self._promoted(wanted, tally)
        self._note(wanted, reading, tally)
        return replace(
            promoted,
            fate=_fate(tally),
            events=tally.events,
            copies=tally.copies,
            lines_skipped=reading.skipped,
            split=dict(reading.split),
            stood_in=tally.stood_in,
        )

    def _keep(self, reading: PastReading, known: Known, places: _Places, tally: _Tally) -> None:
        for event in reading:
            if known.has_words_of(event):
                continue
            stand_in = places.stand_in(event.cwd)
            if stand_in is not None and self._stays_out(stand_in, event):
                tally.stayed_out += 1
                continue
            # The file is named when it has been read: until then no sweep must take it for one of a living session.
            captured = self._capture.capture(
                replace(event, transcript=""), stand_in=stand_in.identity if stand_in else None
            )
            if captured is None:
                tally.stayed_out += 1
                continue
            if captured.lost:
                raise captured.lost
            tally.events += captured.new
            tally.copies += not captured.new
            tally.signals += len(captured.signals)
            tally.sessions[event.session_id] = None
            if stand_in is not None and stand_in.identity.write is not None:
                tally.stood_in = str(stand_in.identity.write)

    def _stays_out(self, stand_in: StandIn, event: Event) -> bool:
        """Say whether wisen was off where a directory that is gone belonged."""
        if stand_in.shown_by and self._locator.stays_out(stand_in.shown_by, event.at):
            return True
        graph = str(stand_in.identity.write)
        now = self._clock.now()
        return any(pause.graph == graph and pause.held_at(event.at, now) for pause in self._locator.pauses())

    def _promoted(self, wanted: Wanted, tally: _Tally) -> Learned:
        """Promote what the sessions in the file gave; also what a reading that was stopped left behind."""
        added: list[Memory] = []
        again: list[Memory] = []
        dropped: Counter[str] = Counter()
        waits = False
        for session_id in dict.fromkeys((wanted.session_id, *tally.sessions)):
            done = self._promote.promote(wanted.harness, session_id, batch=wanted.batch)
            added += done.added
            again += done.reinforced
            dropped.update(reason for _, reason in done.dropped)
            waits = waits or done.deferred
        signals = len(added) + len(again) + dropped.total()
        return Learned(
            fate=Fate.READ,
            signals=max(signals, tally.signals),
            added=tuple(added),
            reinforced=tuple(again),
            dropped=dict(dropped),
            waits=waits,
        )

    def _note(self, wanted: Wanted, reading: PastReading, tally: _Tally) -> None:
        """Note how far the file was read; of one that the user wants no trace of, nothing."""
        is_ours = self._control.session(wanted.harness, wanted.session_id) is not None
        if not is_ours or (tally.stayed_out and not (tally.events or tally.copies)):
            return
        if reading.skipped:
            self._control.count(SKIPPED, reading.skipped)
        self._capture.note_transcript(wanted.harness, wanted.session_id, wanted.path, reading.mark)
        self._control.flush()


def _fate(tally: _Tally) -> Fate:
    if tally.events or tally.copies:
        return Fate.READ
    return Fate.STAYED_OUT if tally.stayed_out else Fate.EMPTY


class _Places:
    """What the directories of one session are, each asked for once."""

    def __init__(self, wanted: Wanted, locator: Locator) -> None:
        self._wanted = wanted
        self._locator = locator
        self._found: dict[str, StandIn | None] = {}

    def is_lost(self, cwd: str) -> bool:
        """Say whether a directory is gone, and nothing tells which repository it was in."""
        return self._facts_are_gone(cwd) and self.stand_in(cwd) is None

    def stand_in(self, cwd: str) -> StandIn | None:
        """Return what a directory that is gone is taken for; None for one that is there, or of which nothing is known.

        In this order: a repository it lay in, one that other sessions of the project were in, what the user says.
        """
        if cwd not in self._found:
            self._found[cwd] = self._asked(cwd)
        return self._found[cwd]

    def _facts_are_gone(self, cwd: str) -> bool:
        return bool(cwd) and self._locator.facts(cwd).is_gone

    def _asked(self, cwd: str) -> StandIn | None:
        if not self._facts_are_gone(cwd):
            self._settle(cwd)
            return None
        candidates = (self._above(cwd), self._wanted.cwd, *self._wanted.beside)
        shown = (self._of_directory(place) for place in candidates if place and place != cwd)
        found = next((stand_in for stand_in in shown if stand_in), None)
        return found or of_user_s_word(self._wanted, self._locator)

    def _settle(self, cwd: str) -> None:
        """Wait for git, within bounds: what is filed before it has answered waits for a later promotion."""
        for _ in range(_ASKED_MOST):
            if self._locator.locate(self._wanted.harness, cwd).standing is not Standing.PENDING:
                return

    def _above(self, cwd: str) -> str:
        """Return the nearest directory above one that is gone; '' if there is none."""
        return next((place for place in _parents(cwd) if not self._locator.facts(place).is_gone), "")

    def _of_directory(self, place: str) -> StandIn | None:
        if self._locator.is_excluded(place) or self._facts_are_gone(place):
            return None
        self._settle(place)
        identity = self._locator.locate(self._wanted.harness, place)
        return StandIn(identity=identity, shown_by=place) if identity.write is not None else None


def _parents(path: str) -> Iterator[str]:
    while path.rstrip("/"):
        path = path.rstrip("/").rpartition("/")[0]
        if path:
            yield path


def of_user_s_word(wanted: Wanted, locator: Locator) -> StandIn | None:
    """Return what the user says a directory that is gone was; None where nothing is said.

    A URL names a graph and claims nothing: which commits are the repository's, its first clone will show.
    Raises Refused for a repository that is excluded, NotFound for a path without one, InvalidValue for neither.
    """
    if not wanted.repo:
        return None
    if wanted.repo.startswith("/"):
        return _of_path(wanted, locator)
    remote = parse_repository(wanted.repo)
    if remote is None:
        raise InvalidValue(
            f"{url_without_credentials(wanted.repo)!r} is no repository",
            hint="--repo takes a path, a URL, or host/owner/name",
        )
    graph = graphids.repo_graph(wanted.harness, remote)
    if str(graph) in locator.excluded_graphs():
        raise Refused(excluded_graph(graph), hint=EXCLUDE_HINT)
    user: GraphId = locator.user_graph(wanted.harness)
    return StandIn(identity=RepoIdentity(standing=Standing.UNVERIFIED, write=graph, reads=(graph, user)), shown_by="")


def _of_path(wanted: Wanted, locator: Locator) -> StandIn:
    if locator.is_excluded(wanted.repo):
        raise Refused(f"{wanted.repo} is excluded", hint=EXCLUDE_HINT)
    identity = locator.locate(wanted.harness, wanted.repo)
    if identity.write is None:
        raise NotFound(f"{wanted.repo} is no repository: {identity.note}")
    return StandIn(identity=identity, shown_by=wanted.repo)

"""An event -> kept once, redacted, counted into its session, and read for signals. Nothing here decides to remember."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import assert_never

from wisen.core.erased import Erased
from wisen.core.gate import signals_of
from wisen.core.records import Job, JobState, ReadMark, RepoIdentity, Session, Standing
from wisen.core.types import (
    Event,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    SessionEnd,
    SessionStart,
    Signal,
    StartSource,
    ToolCall,
    UserPrompt,
)
from wisen.engine.cleaning import clean_words
from wisen.engine.erasing import erased_since, without_erased
from wisen.engine.locate import Locator
from wisen.errors import StoreError
from wisen.ports import Clock, ControlStore, GraphStores, Ids, Redactor

PROMOTE = "promote"
# Hook and transcript tell the time of one compaction some milliseconds apart; two of them are minutes apart.
_SAME_COMPACTION = timedelta(seconds=10)
_MOST_PLACES = 256  # directories of sessions whose repository is remembered


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What became of an event. `new` is False for one seen before; `identity` is None where wisen stays out.

    `lost` is why it is not on disk although it had to be: it may be answered, and has to come again.
    """

    event: Event
    session: Session
    identity: RepoIdentity | None
    new: bool
    signals: tuple[Signal, ...] = ()
    lost: StoreError | None = None


class Capture:
    """Keeps events, and is the only one to change a session: one at a time, so that nothing is overwritten unseen."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        locator: Locator,
        redactor: Redactor,
        clock: Clock,
        ids: Ids,
        learn: bool,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._locator = locator
        self._redactor = redactor
        self._clock = clock
        self._ids = ids
        self._learn = learn
        self._lock = threading.Lock()
        self._places: OrderedDict[tuple[str, str, str], RepoIdentity] = OrderedDict()

    def capture(self, event: Event, *, stand_in: RepoIdentity | None = None) -> Captured | None:
        """Keep an event; None where the user or wisen itself wants no trace (excluded or internal place, a pause).

        `stand_in` is what a directory that is gone was, for an event that is read long after.
        """
        if self._locator.stays_out(event.cwd, event.at):
            return None
        identity, branch = (stand_in, "") if stand_in is not None else self._identified(event)
        branch = event.branch or branch
        event = redacted(event, self._redactor)
        signals = tuple(
            replace(
                signal,
                cwd=event.cwd,
                graph=identity.write if identity else None,
                branch=branch,
                is_dated=event.is_dated,
            )
            for signal in self._noticed(event)
        )
        event, signals = without_erased(event, signals, self._erased_since(event, identity))
        with self._lock:
            now = self._clock.now()
            before = self._control.session(event.harness, event.session_id)
            new = not self._is_told(event) and self._control.record(event, seen_at=now, signals=signals)
            session = self._session_after(event, before, identity, is_new=new)
        # What is lost of a session is read again from its transcript: where that lies must not be lost itself.
        is_known = before is not None and before.transcript == session.transcript
        lost = None if is_known else self._flushed()
        if new and isinstance(event.body, PreCompact | SessionEnd):
            self.enqueue_promotion(event.harness, event.session_id)
        signals = signals if new else ()
        return Captured(event=event, session=session, identity=identity, new=new, signals=signals, lost=lost)

    def _noticed(self, event: Event) -> tuple[Signal, ...]:
        """Return what an event gives to remember. Whether a call was refused is known at the session's end."""
        is_in_a_call = isinstance(event.body, UserPrompt) and event.body.is_in_a_call
        return signals_of(event) if self._learn and not is_in_a_call else ()

    def _identified(self, event: Event) -> tuple[RepoIdentity | None, str]:
        """Return what an event's directory is and its branch, as far as they are needed."""
        if _needs_identity(event):
            facts = self._locator.facts(event.cwd)
            return self._noted(event, self._locator.judge(event.harness, facts)), facts.branch
        if _is_before_a_call(event):
            known = self._places.get(_place(event))
            return known or self._noted(event, self._locator.locate(event.harness, event.cwd)), ""
        return None, ""

    def _noted(self, event: Event, identity: RepoIdentity) -> RepoIdentity:
        """Remember what a session's directory is, until its next prompt: git is not asked again for each command."""
        with self._lock:
            self._places.pop(_place(event), None)
            if identity.standing is not Standing.PENDING:
                self._places[_place(event)] = identity
            if len(self._places) > _MOST_PLACES:
                self._places.popitem(last=False)
        return identity

    def _flushed(self) -> StoreError | None:
        """Return why what was written is not on disk, None when it is."""
        try:
            self._control.flush()
        except StoreError as error:
            return error
        return None

    def _erased_since(self, event: Event, identity: RepoIdentity | None) -> Sequence[Erased]:
        """Return what the user erased after an event, where its words would be learned."""
        if isinstance(event.body, SessionStart | PreCompact | SessionEnd):
            return ()
        if identity is not None:
            graphs = [identity.write, *identity.reads]
        else:
            session = self._control.session(event.harness, event.session_id)
            graphs = [session.graph if session else None]
        known = [graph for graph in graphs if graph is not None]
        everywhere = [*known, self._locator.user_graph(event.harness)]
        return erased_since(self._graphs, everywhere, event.at if event.is_dated else None, self._clock.now())

    def enqueue_promotion(self, harness: str, session_id: str) -> bool:
        """Queue the promotion of a session's signals, durable on return; False when it waits already."""
        now = self._clock.now()
        job = Job(
            job_id=self._ids.new_id(),
            kind=PROMOTE,
            key=f"{harness}/{session_id}",
            payload={"harness": harness, "session_id": session_id},
            state=JobState.QUEUED,
            created_at=now,
            due_at=now,
        )
        return self._control.enqueue(job)

    def mark_start_delivered(self, harness: str, session_id: str) -> None:
        """Note that this context has had its session-start block, or that there was none to give."""
        with self._lock:
            session = self._control.session(harness, session_id)
            if session is not None and not session.start_delivered:
                self._control.save_session(replace(session, start_delivered=True))

    def note_transcript(self, harness: str, session_id: str, transcript: str, mark: ReadMark) -> None:
        """Remember how far a session's transcript has been read, also of one that is known by nothing else."""
        now = self._clock.now()
        with self._lock:
            session = self._control.session(harness, session_id) or Session(
                harness=harness, session_id=session_id, started_at=now, last_event_at=now
            )
            noted = replace(
                session,
                transcript=transcript,
                transcript_offset=mark.offset,
                transcript_size=mark.size,
                transcript_before=mark.before,
            )
            if noted != session:
                self._control.save_session(noted)

    def note_promoted(self, harness: str, session_id: str, seq: int) -> None:
        """Remember up to which signal a session has been promoted; durable on return."""
        self._control.advance_promoted(harness, session_id, seq)
        self._control.flush()

    def _is_told(self, event: Event) -> bool:
        """Say whether a compaction is known from the other one of hook and transcript, which share no key for it."""
        if not _is_compaction(event):
            return False
        around = self._control.events_near(event.harness, event.session_id, event.at, within=_SAME_COMPACTION)
        return any(_is_compaction(other) and bool(other.delivery_id) != bool(event.delivery_id) for other in around)

    def _session_after(
        self, event: Event, known: Session | None, identity: RepoIdentity | None, *, is_new: bool
    ) -> Session:
        session = known or Session(
            harness=event.harness, session_id=event.session_id, started_at=event.at, last_event_at=event.at
        )
        if not is_new and known is not None:
            return known
        graph = identity.write if identity is not None else None
        if event.at >= session.last_event_at:
            session = replace(
                session,
                last_event_at=event.at,
                cwd=event.cwd or session.cwd,
                transcript=event.transcript or session.transcript,
                graph=graph or session.graph,
            )
        else:  # told late: it fills what is empty
            session = replace(
                session,
                started_at=min(session.started_at, event.at),
                cwd=session.cwd or event.cwd,
                transcript=session.transcript or event.transcript,
                graph=session.graph or graph,
            )
        session = _stepped(session, event)
        self._control.save_session(session)
        return session


def _stepped(session: Session, event: Event) -> Session:
    """Return the session after an event, which may be told late."""
    match event.body:
        case SessionStart(source=source):
            if session.ended_at is not None and event.at >= session.ended_at:
                session = replace(session, ended_at=None, end_reason="")
            if source in {StartSource.COMPACT, StartSource.CLEAR}:  # what the context held is gone
                return replace(session, epoch=session.epoch + 1, start_delivered=False)
            return session
        case UserPrompt(channel=channel):
            is_latest = event.at >= session.last_event_at or session.interactive is None
            return replace(session, interactive=channel is not PromptChannel.HEADLESS) if is_latest else session
        case SessionEnd(reason=reason):
            return replace(session, ended_at=event.at, end_reason=reason)
        case PreTool() | PostTool() | PreCompact():
            return session
        case _:
            assert_never(event.body)


def _is_compaction(event: Event) -> bool:
    return isinstance(event.body, SessionStart) and event.body.source is StartSource.COMPACT


def _needs_identity(event: Event) -> bool:
    """Git is asked only where the answer is used: to recall, or to file what the user said."""
    match event.body:
        case SessionStart() | UserPrompt():
            return True
        case PreTool(call=call):
            return call.family == "task"
        case _:
            return False


def _is_before_a_call(event: Event) -> bool:
    return isinstance(event.body, PreTool) and event.body.call.family in {"shell", "search"} and not event.agent_id


def _place(event: Event) -> tuple[str, str, str]:
    return event.harness, event.session_id, event.cwd


def redacted(event: Event, redactor: Redactor) -> Event:
    """Return the event without secrets and private spans; runs before anything is stored, logged or matched.

    A live event comes in clean; one read from a transcript does not.
    """
    event = replace(event, cwd=redactor.redact(event.cwd), transcript=redactor.redact(event.transcript))
    match event.body:
        case UserPrompt() as body:
            return replace(event, body=replace(body, text=clean_words(body.text, redactor)))
        case PreTool(call=call) as body:
            return replace(event, body=replace(body, call=_redacted_call(call, redactor)))
        case PostTool(call=call) as body:
            excerpt = clean_words(body.excerpt, redactor)
            return replace(event, body=replace(body, call=_redacted_call(call, redactor), excerpt=excerpt))
        case SessionEnd(reason=reason):
            return replace(event, body=SessionEnd(reason=clean_words(reason, redactor)))
        case SessionStart() | PreCompact():
            return event
        case _:
            assert_never(event.body)


def _redacted_call(call: ToolCall, redactor: Redactor) -> ToolCall:
    command = clean_words(call.command, redactor)
    # Segments are parsed from the raw command: where redaction bites, they would carry the secret along.
    segments = call.segments if command == call.command else ()
    path, summary = redactor.redact(call.path), clean_words(call.summary, redactor)
    return replace(call, command=command, path=path, summary=summary, segments=segments)

"""What was missed while the daemon was away: pointers -> the harness's transcript -> events, each kept once."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from wisen.core.counters import LOST, SKIPPED, UNREADABLE
from wisen.core.records import ReadMark, Session
from wisen.core.types import Event, SessionStart, UserPrompt
from wisen.engine.capture import Capture
from wisen.engine.cleaning import clean_words
from wisen.ports import ControlStore, Redactor, TranscriptReader, TranscriptReading

log = logging.getLogger(__name__)

KNOWN_MAX = 10_000  # events of a session among which one that a transcript holds is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Events of one session that no hook delivered, and where their content can be read.

    `interactive`: a person sat at the harness. `ends`: the session, or its context, ended with one of them.
    `was_there`: the transcript was a file by then.
    """

    harness: str
    session_id: str
    transcript: str
    interactive: bool
    ends: bool
    events: int = 1
    was_there: bool = False


@dataclass(slots=True)
class CaughtUp:
    """What came of a reading. `new` events were not known before; `stayed_out` were where the user wants no trace."""

    new: int = 0
    stayed_out: int = 0
    compacted: bool = False


class CatchUp:
    """Reads transcripts for what no hook delivered."""

    def __init__(
        self, *, control: ControlStore, capture: Capture, readers: Mapping[str, TranscriptReader], redactor: Redactor
    ) -> None:
        self._control = control
        self._capture = capture
        self._readers = readers
        self._redactor = redactor

    def catch_up(self, missed: Missed) -> CaughtUp:
        """Capture what a session's transcript holds beyond what is known; events without a transcript are counted."""
        if not missed.transcript:
            self._control.count(LOST, missed.events)
            return CaughtUp()
        caught = self._read(
            missed.harness,
            missed.session_id,
            missed.transcript,
            interactive=missed.interactive,
            was_there=missed.was_there,
        )
        if missed.ends or caught.compacted:
            self._capture.enqueue_promotion(missed.harness, missed.session_id)
        return caught

    def complete(self, harness: str, session_id: str) -> CaughtUp:
        """Capture what no hook told, before a session is promoted: lost events, words typed when allowing a call."""
        session = self._control.session(harness, session_id)
        if session is None or not session.transcript:
            return CaughtUp()
        return self._read(harness, session_id, session.transcript, interactive=bool(session.interactive))

    def _read(
        self, harness: str, session_id: str, transcript: str, *, interactive: bool, was_there: bool = False
    ) -> CaughtUp:
        caught = CaughtUp()
        reader = self._readers.get(harness)
        if reader is None:
            return caught
        session = self._control.session(harness, session_id)
        known = Known(partial(self._control.events, harness, session_id, limit=KNOWN_MAX), self._redactor)
        reading = reader(
            transcript,
            mark_of(session, transcript),
            assume_interactive=interactive,
            known=known,
            redact=self._redactor.redact,
        )
        try:
            self._keep(reading, known, caught)
        except FileNotFoundError as error:
            if was_there or (session and session.transcript_offset):  # else it never got as far as a prompt
                self._tell(harness, session_id, error)
            return caught
        except OSError as error:
            self._tell(harness, session_id, error)
            return caught
        if session_id and (session or caught.new or not caught.stayed_out):  # else the user wants no trace of it
            if reading.skipped:
                self._control.count(SKIPPED, reading.skipped)
            self._capture.note_transcript(harness, session_id, transcript, reading.mark)
        return caught

    def _tell(self, harness: str, session_id: str, error: OSError) -> None:
        said = {"harness": harness, "session": session_id, "error": str(error)}
        log.warning("transcript_unreadable", extra=said)
        self._control.count(UNREADABLE)

    def _keep(self, reading: TranscriptReading, known: Known, caught: CaughtUp) -> None:
        for event in reading:
            if known.has_words_of(event):
                continue
            captured = self._capture.capture(event)
            if captured is not None and captured.lost:
                raise captured.lost
            if captured is None:
                caught.stayed_out += 1
            elif captured.new:
                caught.new += 1
                caught.compacted |= isinstance(event.body, SessionStart)


class Known:
    """What is known of a session: read once, and only when its transcript has anything to ask about.

    Events go by their keys. Older versions of a harness mark prompts with no id: those go by their words, too. Where
    both deliveries carry an id their keys tell, and the same words are said twice.
    """

    def __init__(self, events: Callable[[], Sequence[Event]], redactor: Redactor) -> None:
        self._read = events
        self._redactor = redactor

    def __contains__(self, event_id: object) -> bool:
        return event_id in self._ids

    def has_words_of(self, event: Event) -> bool:
        """Say whether an event is a prompt that arrived under another key."""
        if not isinstance(event.body, UserPrompt):
            return False
        words = clean_words(event.body.text, self._redactor)
        return words in (self._words_without_id if event.body.prompt_id else self._words)

    @cached_property
    def _events(self) -> Sequence[Event]:
        return self._read()

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(event.event_id for event in self._events)

    @cached_property
    def _prompts(self) -> Sequence[UserPrompt]:
        return [event.body for event in self._events if isinstance(event.body, UserPrompt)]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(prompt.text for prompt in self._prompts)

    @cached_property
    def _words_without_id(self) -> frozenset[str]:
        return frozenset(prompt.text for prompt in self._prompts if not prompt.prompt_id)


def mark_of(session: Session | None, transcript: str) -> ReadMark:
    """Return how far a session's transcript was read; another one has not been read at all."""
    if session is None or session.transcript != transcript:
        return ReadMark()
    return ReadMark(offset=session.transcript_offset, size=session.transcript_size, before=session.transcript_before)

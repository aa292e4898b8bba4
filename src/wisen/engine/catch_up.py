"""What was missed while the daemon was away: pointers -> the harness's transcript -> events, each kept once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wisen.core.types import Event, UserPrompt
from wisen.engine.capture import Capture, Captured
from wisen.ports import ControlStore, Redactor, TranscriptReader

LOST = "events_lost"
UNREADABLE = "transcripts_unreadable"
_KNOWN_MAX = 10_000  # events of a session among which a prompt is looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Events of one session that no hook delivered, and where their content can be read.

    `interactive`: a person sat at the harness. `ends`: the session, or its context, ended with one of them.
    """

    harness: str
    session_id: str
    transcript: str
    interactive: bool
    ends: bool
    events: int = 1


class CatchUp:
    """Reads transcripts for what no hook delivered."""

    def __init__(
        self, *, control: ControlStore, capture: Capture, readers: Mapping[str, TranscriptReader], redactor: Redactor
    ) -> None:
        self._control = control
        self._capture = capture
        self._readers = readers
        self._redactor = redactor

    def catch_up(self, missed: Missed) -> tuple[Captured, ...]:
        """Capture what a session's transcript holds beyond what is known; events without a transcript are counted."""
        if not missed.transcript:
            self._control.count(LOST, missed.events)
            return ()
        captured = self._read(missed.harness, missed.session_id, missed.transcript, interactive=missed.interactive)
        if missed.ends:
            self._capture.enqueue_promotion(missed.harness, missed.session_id)
        return captured

    def complete(self, harness: str, session_id: str) -> tuple[Captured, ...]:
        """Capture what no hook ever tells, before a session is promoted: words typed when allowing a tool call."""
        session = self._control.session(harness, session_id)
        if session is None or not session.transcript:
            return ()
        return self._read(harness, session_id, session.transcript, interactive=bool(session.interactive))

    def _read(self, harness: str, session_id: str, transcript: str, *, interactive: bool) -> tuple[Captured, ...]:
        reader = self._readers.get(harness)
        session = self._control.session(harness, session_id)
        offset = session.transcript_offset if session and session.transcript == transcript else 0
        try:
            events, end = reader(transcript, offset, assume_interactive=interactive) if reader else ((), offset)
        except OSError:
            # A session that never got as far as a prompt has no file.
            self._control.count(UNREADABLE)
            return ()
        known = self._prompts(harness, session_id) if events else frozenset()
        fresh = [event for event in events if self._prompt(event) not in known]
        captured = tuple(kept for event in fresh if (kept := self._capture.capture(event)) is not None)
        if session_id and (captured or not events):  # else all of it was said where the user wants no trace
            self._capture.note_transcript(harness, session_id, transcript, end)
        return captured

    def _prompts(self, harness: str, session_id: str) -> frozenset[str | None]:
        """Return what the user is known to have said: a prompt may have arrived live under another key.

        Older versions of a harness mark prompts with no id, so that only the words tell.
        """
        events = self._control.events(harness, session_id, limit=_KNOWN_MAX)
        return frozenset(event.body.text for event in events if isinstance(event.body, UserPrompt))

    def _prompt(self, event: Event) -> str | None:
        """Return a prompt's words as they are kept, None for another event."""
        return self._redactor.redact(event.body.text) if isinstance(event.body, UserPrompt) else None

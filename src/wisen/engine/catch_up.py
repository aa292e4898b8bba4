"""What was missed while the daemon was away: pointers -> the harness's transcript -> events, each kept once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wisen.core.types import Event, UserPrompt
from wisen.engine.capture import Capture, Captured
from wisen.ports import ControlStore, Redactor, TranscriptReader

LOST = "events_lost"
UNREADABLE = "transcripts_unreadable"
TYPED = "cli"  # the entrypoint of an interactive session


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """One event that was spooled: where its content can be read, and how its session was driven."""

    harness: str
    event_name: str
    session_id: str
    transcript: str
    entrypoint: str


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
        """Capture what a session's transcript holds beyond what is known; a lost event is counted."""
        if not missed.transcript:
            self._control.count(LOST)
            return ()
        captured = self._read(missed.harness, missed.session_id, missed.transcript, typed=missed.entrypoint == TYPED)
        if missed.event_name in {"SessionEnd", "PreCompact"}:
            self._capture.enqueue_promotion(missed.harness, missed.session_id)
        return captured

    def complete(self, harness: str, session_id: str) -> tuple[Captured, ...]:
        """Capture what no hook ever tells, before a session is promoted: words typed when allowing a tool call."""
        session = self._control.session(harness, session_id)
        if session is None or not session.transcript:
            return ()
        return self._read(harness, session_id, session.transcript, typed=bool(session.interactive))

    def _read(self, harness: str, session_id: str, transcript: str, *, typed: bool) -> tuple[Captured, ...]:
        reader = self._readers.get(harness)
        session = self._control.session(harness, session_id)
        offset = session.transcript_offset if session and session.transcript == transcript else 0
        try:
            events, end = reader(transcript, offset, assume_interactive=typed) if reader else ((), offset)
        except OSError:
            # A session that never got as far as a prompt has no file.
            self._control.count(UNREADABLE)
            return ()
        fresh = [event for event in events if not self._is_known(event)]
        captured = tuple(kept for event in fresh if (kept := self._capture.capture(event)) is not None)
        self._capture.note_transcript(harness, session_id, transcript, end)
        return captured

    def _is_known(self, event: Event) -> bool:
        """Tell whether a prompt arrived live under another key: older versions mark prompts with no id."""
        if not isinstance(event.body, UserPrompt):
            return False
        text = self._redactor.redact(event.body.text)
        known = self._control.events(event.harness, event.session_id)
        return any(isinstance(other.body, UserPrompt) and other.body.text == text for other in known)

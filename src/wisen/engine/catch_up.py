"""What was missed while the daemon was away: pointers -> the harness's transcript -> events, each kept once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wisen.core.types import Event
from wisen.engine.capture import Capture, Captured
from wisen.ports import ControlStore


class TranscriptReader(Protocol):
    """Reads a session file from an offset: the events after it, and the offset after them. Raises OSError."""

    def __call__(self, transcript: str, offset: int, /, *, assume_interactive: bool) -> tuple[Sequence[Event], int]:
        """Return the events; prompts without a mark count as typed where `assume_interactive` says so."""
        ...


LOST = "events_lost"


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

    def __init__(self, *, control: ControlStore, capture: Capture, readers: Mapping[str, TranscriptReader]) -> None:
        self._control = control
        self._capture = capture
        self._readers = readers

    def catch_up(self, missed: Missed) -> tuple[Captured, ...]:
        """Capture what a session's transcript holds beyond what is known; a lost event is counted."""
        reader = self._readers.get(missed.harness)
        if reader is None or not missed.transcript:
            self._control.count(LOST)
            return ()
        session = self._control.session(missed.harness, missed.session_id)
        offset = session.transcript_offset if session and session.transcript == missed.transcript else 0
        try:
            events, end = reader(missed.transcript, offset, assume_interactive=missed.entrypoint == "cli")
            captured = tuple(kept for event in events if (kept := self._capture.capture(event)) is not None)
        except OSError:
            self._control.count(LOST)
            return ()
        self._capture.note_transcript(missed.harness, missed.session_id, missed.transcript, end)
        if missed.event_name in {"SessionEnd", "PreCompact"}:
            self._capture.enqueue_promotion(missed.harness, missed.session_id)
        return captured

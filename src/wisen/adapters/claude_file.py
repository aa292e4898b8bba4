"""Which events does a Claude Code session file hold? The same, under the same keys, as its hooks told or did not.

A tool's facts are put into the payload that its hook would have had, and read by the one reader of payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import assert_never

from wisen.adapters.claude_code import events_of
from wisen.adapters.scrub import Redact, scrub_text
from wisen.core.past import Said
from wisen.core.records import ReadMark
from wisen.core.types import Event, EventBody, SessionStart, StartSource, UserPrompt
from wisen.errors import PayloadError
from wisen.transcripts.claude_code import Fact, Reading
from wisen.transcripts.claude_prompts import Prompt
from wisen.transcripts.claude_tools import Compaction, ToolResult, ToolUse
from wisen.transcripts.claude_words import HARNESS, is_never_run, tool_key
from wisen.transcripts.fields import Fields, JsonValue


class FileEvents:
    """The events of one reading. Implements `ports.TranscriptReading`."""

    def __init__(self, reading: Reading, *, known: Container[str], redact: Redact) -> None:
        """Leave out events whose key is in `known`."""
        self._reading = reading
        self._known = known
        self._redact = redact
        self._unusable = 0

    @property
    def mark(self) -> ReadMark:
        """How far the file has been read."""
        return self._reading.mark

    @property
    def skipped(self) -> int:
        """How many lines could not be used."""
        return self._reading.skipped + self._unusable

    @property
    def split(self) -> Mapping[Said, int]:
        """How many prompts beyond the mark came in which way."""
        return self._reading.split

    def __iter__(self) -> Iterator[Event]:
        """Yield the events. Raises OSError."""
        for fact in self._reading:
            key = _key(fact)
            if key in self._known:
                continue
            try:
                yield from self._events(fact, key)
            except PayloadError:  # nested too deeply
                self._unusable += 1

    def _events(self, fact: Fact, key: str) -> tuple[Event, ...]:
        match fact:
            case Prompt():
                text = scrub_text(fact.text, self._redact)
                said = UserPrompt(text=text, channel=fact.channel, prompt_id=fact.prompt_id, call_id=fact.call_id)
                return (replace(self._event(key, fact.session_id, fact.cwd, fact.at, said), branch=fact.branch),)
            case Compaction(place=place):
                start = SessionStart(source=StartSource.COMPACT)
                return (self._event(key, place.session_id, place.cwd, place.at, start),)
            case ToolUse():
                return self._told("PreToolUse", fact, fact)
            case ToolResult(use=use):
                if not fact.is_error:
                    response = fact.record if isinstance(fact.record, Mapping) else fact.text
                    return self._told("PostToolUse", use, fact, tool_response=response)
                if is_never_run(fact.text):
                    return ()
                return self._told("PostToolUseFailure", use, fact, error=fact.text)
            case _:
                assert_never(fact)

    def _told(self, hook: str, use: ToolUse, fact: ToolUse | ToolResult, **result: JsonValue) -> tuple[Event, ...]:
        """Return what the adapter makes of a tool's hook."""
        place = fact.place
        payload: Mapping[str, JsonValue] = {
            "session_id": place.session_id or self._reading.path.stem,
            "transcript_path": str(self._reading.path),
            "cwd": place.cwd,
            "hook_event_name": hook,
            "tool_name": use.tool,
            "tool_input": use.tool_input,
            **result,
            "tool_use_id": use.call_id,
        }
        at = place.at or self._reading.modified
        told = events_of(Fields(payload), entrypoint="", delivery_id="", received_at=at, redact=self._redact)
        return tuple(replace(event, branch=place.branch, is_dated=place.at is not None) for event in told)

    def _event(self, key: str, session_id: str, cwd: str, at: datetime | None, body: EventBody) -> Event:
        return Event(
            event_id=key,
            delivery_id="",
            harness=HARNESS,
            session_id=session_id or self._reading.path.stem,
            at=at or self._reading.modified,
            is_dated=at is not None,
            cwd=cwd,
            body=body,
            transcript=str(self._reading.path),
        )


def read(
    path: str,
    mark: ReadMark,
    /,
    *,
    assume_interactive: bool | None,
    known: Container[str],
    redact: Callable[[str], str],
) -> FileEvents:
    """Return the events of a session file beyond `mark`; see `ports.TranscriptReader`."""
    reading = Reading(Path(path), mark=mark, assume_interactive=assume_interactive)
    return FileEvents(reading, known=known, redact=redact)


def _key(fact: Fact) -> str:
    """Return an event's natural key before the event is made."""
    match fact:
        case Prompt(key=key):
            return key
        case Compaction(uuid=uuid):
            return f"compaction:{uuid}"
        case ToolUse(call_id=call_id):
            return tool_key("pre_tool", call_id)
        case ToolResult(use=use):
            return tool_key("post_tool", use.call_id)
        case _:
            assert_never(fact)

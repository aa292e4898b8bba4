"""Which events does a session told as abstract events hold? One JSON object a line, made what a hook would have told.

Such a stream has each session's own history once and comes from any agent: what no reader of ours knows can be played
all the same. A tool's facts are put into the payload that a hook would have had, and read by the one reader of
payloads. A line's fields are in `docs/howto/measure.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from wisen.adapters.claude_code import events_of
from wisen.adapters.scrub import Redact, scrub_text
from wisen.core.types import (
    Event,
    EventBody,
    PreCompact,
    PromptChannel,
    SessionEnd,
    SessionStart,
    StartSource,
    UserPrompt,
)
from wisen.errors import PayloadError
from wisen.evals.labelled import labelled
from wisen.evals.places import Place, Told
from wisen.transcripts.claude_prompts import timestamp
from wisen.transcripts.claude_words import HARNESS, INTERACTIVE_ENTRYPOINT, is_harness_prompt, is_never_run, is_plan
from wisen.transcripts.fields import Fields, JsonValue, decode

_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_TICK: Final = timedelta(microseconds=1)
_A_CONVERSATION: Final = 2  # who comes back with a second prompt is a person: the rule for session files, too
_SCRIPTED: Final = frozenset({"codex_exec"})  # programs that say of themselves that nobody sits there


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What the first line of a session says. `program` is the one that ran it, where it names itself."""

    session_id: str
    at: datetime
    agent: str = ""
    cwd: str = ""
    branch: str = ""
    program: str = ""


def rows_of(path: Path) -> tuple[Fields, ...]:
    """Return a session's lines in order; each has `session` and `seq`. Raises NotFound, PayloadError."""
    return tuple(sorted(labelled(path), key=seq_of))


def seq_of(row: Fields) -> int:
    """Return where a line stands in its session; -1 for one that does not say."""
    number = row.number("seq")
    return -1 if number is None else int(number)


def beginning_of(rows: Sequence[Fields]) -> Beginning | None:
    """Return what is known of a session from its first line; None for no session."""
    first = next((row for row in rows if row.text("event") == "session_start"), None)
    if first is None:
        return None
    said = _object(first.text("text"))
    return Beginning(
        session_id=first.text("session"),
        at=timestamp(first.value("t")) or _EPOCH,
        agent=said.text("agent"),
        cwd=said.text("cwd"),
        branch=said.text("branch"),
        program=said.text("originator"),
    )


def told(rows: Sequence[Fields], *, redact: Redact) -> Iterator[Told]:
    """Yield a session's events, each with its place; times never go back, and no two are the same.

    Lines that no hook would have told of (a call that was refused or not valid) are left out.
    """
    beginning = beginning_of(rows)
    if beginning is None:
        return
    stream = _Stream(beginning=beginning, is_conversation=_is_conversation(rows, beginning), redact=redact)
    for row in rows:
        for event in stream.events(row):
            yield Told(event=event, place=Place(beginning.session_id, seq_of(row)))


@dataclass(slots=True, kw_only=True)
class _Stream:
    """Turns lines into events, and knows what time it was last."""

    beginning: Beginning
    is_conversation: bool
    redact: Redact
    _at: datetime = field(default=_EPOCH)

    def events(self, row: Fields) -> Iterator[Event]:
        try:
            found = tuple(self._read(row))
        except PayloadError:  # nested too deeply
            return
        for event in found:
            self._at = max(timestamp(row.value("t")) or self._at, self._at + _TICK)
            yield replace(event, at=self._at, branch=self.beginning.branch)

    def _read(self, row: Fields) -> Iterator[Event]:
        match row.text("event"):
            case "session_start":
                yield self._event(row, SessionStart(source=StartSource.STARTUP))
            case "user_prompt":
                yield from self._prompt(row)
            case "pre_tool":
                yield from self._tool(row, "PreToolUse")
            case "post_tool":
                yield from self._result(row)
            case "pre_compact":
                yield self._event(row, PreCompact(automatic=_object(row.text("text")).text("trigger") != "manual"))
                yield self._event(row, SessionStart(source=StartSource.COMPACT), key="compacted")
            case "session_end":
                yield self._event(row, SessionEnd(reason="other"))
            case _:
                return

    def _prompt(self, row: Fields) -> Iterator[Event]:
        text, kind = row.text("text"), row.text("kind")
        if is_harness_prompt(text):
            return
        channel = PromptChannel.REFUSAL if kind == "tool_rejection" else PromptChannel.TYPED
        if kind == "plan" or is_plan(text) or not (row.text("source") in _BY_HAND or self.is_conversation):
            channel = PromptChannel.HEADLESS
        said = UserPrompt(text=scrub_text(text, self.redact), channel=channel)
        event = self._event(row, said)
        yield replace(event, is_answerable=False) if kind == "tool_rejection" else event

    def _result(self, row: Fields) -> Iterator[Event]:
        output = row.text("output")
        match row.text("outcome"):
            case "failure":
                if not is_never_run(output):
                    yield from self._tool(row, "PostToolUseFailure", error=output)
            case "success":
                yield from self._tool(row, "PostToolUse", tool_response=output)
            case _:
                yield from self._tool(row, "PostToolUse", tool_response={"stdout": output, "interrupted": True})

    def _tool(self, row: Fields, hook: str, **result: JsonValue) -> Iterator[Event]:
        payload: Mapping[str, JsonValue] = {
            "session_id": self.beginning.session_id,
            "cwd": self._cwd(row),
            "hook_event_name": hook,
            "tool_name": row.text("tool_canon") or row.text("tool"),
            "tool_input": row.value("input"),
            **result,
            "tool_use_id": row.text("call_id"),
        }
        for event in events_of(
            Fields(payload),
            entrypoint=INTERACTIVE_ENTRYPOINT,
            delivery_id="",
            received_at=self._at,
            redact=self.redact,
        ):
            yield replace(event, event_id=self._key(row))

    def _cwd(self, row: Fields) -> str:
        """Return where a call ran: below the session's directory where it says so, else there."""
        place = row.object("input").text("workdir")
        return place if place.startswith(f"{self.beginning.cwd}/") else self.beginning.cwd

    def _event(self, row: Fields, body: EventBody, *, key: str = "") -> Event:
        return Event(
            event_id=self._key(row) + key,
            delivery_id="",
            harness=HARNESS,
            session_id=self.beginning.session_id,
            at=self._at,
            cwd=self.beginning.cwd,
            body=body,
        )

    def _key(self, row: Fields) -> str:
        return f"stream:{self.beginning.session_id}:{seq_of(row)}"


_BY_HAND: Final = frozenset({"typed", "queued"})


def _is_conversation(rows: Sequence[Fields], beginning: Beginning) -> bool:
    """Tell whether prompts without a mark were typed: the program says so, or there are two or more of them."""
    if beginning.program:
        return beginning.program not in _SCRIPTED
    unmarked = [
        row
        for row in rows
        if row.text("event") == "user_prompt" and not row.text("source") and not is_plan(row.text("text"))
    ]
    return len(unmarked) >= _A_CONVERSATION


def _object(text: str) -> Fields:
    """Return the JSON object in a text, an empty one for anything else."""
    try:
        return decode(text.encode("utf-8", "replace"))
    except PayloadError:
        return Fields()

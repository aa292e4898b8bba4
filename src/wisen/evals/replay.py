"""Which hook payloads would a recorded Claude Code session have sent? A transcript, turned back into its live path.

Two passes over the file: the first finds what the user said (`transcripts.claude_prompts`), the second walks the lines
and puts the tools between. What a transcript can't tell stays away: durations, permission dialogs, other hooks.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

from wisen.core.types import PromptChannel
from wisen.transcripts.claude_prompts import Prompt, PromptFinder, timestamp
from wisen.transcripts.claude_words import INTERACTIVE_ENTRYPOINT, is_never_run, is_refusal, refusal_words
from wisen.transcripts.fields import Fields, JsonValue, objects_in, text_in
from wisen.transcripts.lines import Line, LineReader

_HEADLESS_ENTRYPOINT = "sdk-cli"
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """One hook call: its event, the bytes on the hook's stdin, CLAUDE_CODE_ENTRYPOINT and when it happened."""

    event_name: str
    body: bytes
    entrypoint: str
    at: datetime


def payloads(transcript: Path, *, cwd: str | None = None, transcript_path: str | None = None) -> Iterator[HookCall]:
    """Yield a session's hook calls in order, from SessionStart to SessionEnd. Raises OSError.

    `transcript` may be gzipped. `cwd` and `transcript_path` replace what the payloads say about where the session ran
    and where its file is. Lines without any mark of how they came count as typed.
    """
    finder = PromptFinder(assume_interactive=True)
    with _opened(transcript) as file:
        for line in LineReader(file):
            finder.take(line)
    session = _Session(
        session_id=transcript.name.partition(".")[0],
        transcript=transcript_path or str(transcript),
        fixed_cwd=cwd,
        prompts=list(finder.prompts()),
    )
    with _opened(transcript) as file:
        for line in LineReader(file):
            yield from session.take(line)
    yield from session.close()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as unpacked:
                yield cast("BinaryIO", unpacked)
        else:
            yield file


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A tool call of the model."""

    call_id: str
    tool: str
    tool_input: JsonValue

    def fields(self) -> dict[str, JsonValue]:
        return {"tool_name": self.tool, "tool_input": self.tool_input, "tool_use_id": self.call_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """What came back for it: the text that the model saw, and the harness's own record."""

    text: str
    record: JsonValue
    is_error: bool


@dataclass(slots=True, kw_only=True)
class _Session:
    """Walks the lines. A call and its result find each other in either order; an unanswered call has no end."""

    session_id: str
    transcript: str
    fixed_cwd: str | None
    prompts: list[Prompt]
    _started: bool = False
    _cwd: str = ""
    _at: datetime = _EPOCH
    _entrypoint: str = INTERACTIVE_ENTRYPOINT
    _turn: str = ""
    _uuids: set[str] = field(default_factory=set)
    _open: dict[str, _Call] = field(default_factory=dict)
    _early: dict[str, _Result] = field(default_factory=dict)
    _batch: list[JsonValue] = field(default_factory=list)

    def take(self, line: Line) -> Iterator[HookCall]:
        """Yield the calls that a line stands for."""
        fields = line.fields
        uuid = fields.text("uuid")
        if uuid in self._uuids or fields.flag("isSidechain"):
            return
        if uuid:
            self._uuids.add(uuid)
        self._note(fields)
        if not self._started and fields.text("cwd"):
            self._started = True
            yield self._call("SessionStart", source="startup")
        while self.prompts and self.prompts[0].offset <= line.offset:
            yield from self._prompt(self.prompts.pop(0))
        match fields.text("type"):
            case "assistant":
                yield from self._assistant(fields)
            case "user":
                yield from self._user(fields)
            case "system" if fields.text("subtype") == "compact_boundary":
                trigger = fields.object("compactMetadata").text("trigger") or "auto"
                yield self._call("PreCompact", trigger=trigger, custom_instructions=None)
                yield self._call("SessionStart", source="compact")
            case _:
                pass

    def close(self) -> Iterator[HookCall]:
        """Yield the session's end, nothing for a file without a session."""
        if self._started:
            for prompt in self.prompts:
                yield from self._prompt(prompt)
            yield from self._end_batch()
            yield self._call("SessionEnd", reason="other")

    def _note(self, fields: Fields) -> None:
        self.session_id = fields.text("sessionId") or self.session_id
        self._cwd = fields.text("cwd") or self._cwd
        self._at = timestamp(fields.value("timestamp")) or self._at
        self._entrypoint = fields.text("entrypoint") or self._entrypoint
        self._turn = fields.text("promptId") or self._turn

    def _prompt(self, prompt: Prompt) -> Iterator[HookCall]:
        if not prompt.has_hook:
            return
        headless = prompt.channel is PromptChannel.HEADLESS and self._entrypoint == INTERACTIVE_ENTRYPOINT
        call = self._call("UserPromptSubmit", prompt=prompt.text, prompt_id=prompt.prompt_id or None)
        yield HookCall(
            event_name=call.event_name,
            body=call.body,
            entrypoint=_HEADLESS_ENTRYPOINT if headless else call.entrypoint,
            at=prompt.at or call.at,
        )

    def _assistant(self, fields: Fields) -> Iterator[HookCall]:
        for block in fields.object("message").objects("content"):
            if block.text("type") != "tool_use":
                continue
            call = _Call(call_id=block.text("id"), tool=block.text("name"), tool_input=block.value("input"))
            self._open[call.call_id] = call
            yield self._call("PreToolUse", **call.fields())
            if early := self._early.pop(call.call_id, None):
                yield from self._result(call.call_id, early)

    def _user(self, fields: Fields) -> Iterator[HookCall]:
        for block in objects_in(fields.object("message").value("content")):
            if block.text("type") == "tool_result":
                result = _Result(
                    text=text_in(block.value("content")),
                    record=fields.value("toolUseResult"),
                    is_error=block.flag("is_error"),
                )
                yield from self._result(block.text("tool_use_id"), result)

    def _result(self, call_id: str, result: _Result) -> Iterator[HookCall]:
        call = self._open.pop(call_id, None)
        if call is None:
            self._early[call_id] = result
            return
        if not result.is_error:
            response = result.record if isinstance(result.record, Mapping) else result.text
            yield self._call("PostToolUse", **call.fields(), tool_response=response)
        elif not is_never_run(result.text):
            yield self._call("PostToolUseFailure", **call.fields(), error=result.text, is_interrupt=False)
        if is_refusal(result.text) and not refusal_words(result.text):  # ends the turn: the batch is never told
            self._batch.clear()
            return
        self._batch.append({**call.fields(), "tool_response": result.text})
        if not self._open:
            yield from self._end_batch()

    def _end_batch(self) -> Iterator[HookCall]:
        if self._batch:
            batch, self._batch = self._batch, []
            yield self._call("PostToolBatch", tool_calls=batch)

    def _call(self, event_name: str, **extra: JsonValue) -> HookCall:
        cwd = self.fixed_cwd if self.fixed_cwd is not None else self._cwd
        payload = {
            "session_id": self.session_id,
            "transcript_path": self.transcript,
            "cwd": cwd,
            "hook_event_name": event_name,
            "prompt_id": self._turn or None,
            **extra,
        }
        body = json.dumps({name: value for name, value in payload.items() if value is not None or name in extra})
        return HookCall(event_name=event_name, body=body.encode(), entrypoint=self._entrypoint, at=self._at)

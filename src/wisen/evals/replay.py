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
from typing import BinaryIO, assert_never, cast

from wisen.core.types import PromptChannel
from wisen.transcripts.claude_prompts import Prompt, PromptFinder, timestamp
from wisen.transcripts.claude_tools import Compaction, ToolFinder, ToolResult, ToolUse
from wisen.transcripts.claude_words import INTERACTIVE_ENTRYPOINT, is_never_run, is_refusal, refusal_words
from wisen.transcripts.fields import Fields, JsonValue
from wisen.transcripts.lines import Line, LineReader

_HEADLESS_ENTRYPOINT = "sdk-cli"
_EPOCH = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """One hook call: its event, the bytes on the hook's stdin, CLAUDE_CODE_ENTRYPOINT and when it happened.

    `branch` was checked out then: a live hook leaves it to git.
    """

    event_name: str
    body: bytes
    entrypoint: str
    at: datetime
    branch: str = ""


def payloads(
    transcript: Path,
    *,
    cwd: str | None = None,
    transcript_path: str | None = None,
    assume_interactive: bool | None = True,
) -> Iterator[HookCall]:
    """Yield a session's hook calls in order, from SessionStart to SessionEnd. Raises OSError.

    `transcript` may be gzipped. `cwd` and `transcript_path` replace what the payloads say about where the session ran
    and where its file is. `assume_interactive` says whether prompts without any mark of how they came count as typed;
    None: if there are two or more, as `wisen learn` has it.
    """
    finder = PromptFinder(assume_interactive=assume_interactive)
    with opened(transcript) as file:
        for line in LineReader(file):
            finder.take(line)
    session = _Session(
        session_id=transcript.name.partition(".")[0],
        transcript=transcript_path or str(transcript),
        fixed_cwd=cwd,
        prompts=list(finder.prompts()),
    )
    with opened(transcript) as file:
        for line in LineReader(file):
            yield from session.take(line)
    yield from session.close()


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Lend a file's bytes, unpacked. Raises OSError."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            with gzip.open(file) as unpacked:
                yield cast("BinaryIO", unpacked)
        else:
            yield file


@dataclass(slots=True, kw_only=True)
class _Session:
    """Walks the lines. An unanswered call has no end, and what a fork copied from another session has no hooks."""

    session_id: str
    transcript: str
    fixed_cwd: str | None
    prompts: list[Prompt]
    _started: bool = False
    _cwd: str = ""
    _at: datetime = _EPOCH
    _entrypoint: str = INTERACTIVE_ENTRYPOINT
    _branch: str = ""
    _turn: str = ""
    _uuids: set[str] = field(default_factory=set)
    _tools: ToolFinder = field(default_factory=ToolFinder)
    _open: set[str] = field(default_factory=set)
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
        for fact in self._tools.take(line):
            match fact:
                case ToolUse():
                    self._open.add(fact.call_id)
                    yield self._call("PreToolUse", **_of_call(fact))
                case ToolResult():
                    yield from self._result(fact)
                case Compaction():
                    trigger = "auto" if fact.automatic else "manual"
                    yield self._call("PreCompact", trigger=trigger, custom_instructions=None)
                    yield self._call("SessionStart", source="compact")
                case _:
                    assert_never(fact)

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
        self._branch = fields.text("gitBranch") or self._branch
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
            branch=prompt.branch or call.branch,
        )

    def _result(self, result: ToolResult) -> Iterator[HookCall]:
        call = _of_call(result.use)
        self._open.discard(result.use.call_id)
        if not result.is_error:
            response = result.record if isinstance(result.record, Mapping) else result.text
            yield self._call("PostToolUse", **call, tool_response=response)
        elif not is_never_run(result.text):
            yield self._call("PostToolUseFailure", **call, error=result.text, is_interrupt=False)
        if is_refusal(result.text) and not refusal_words(result.text):  # ends the turn: the batch is never told
            self._batch.clear()
            return
        self._batch.append({**call, "tool_response": result.text})
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
        return HookCall(
            event_name=event_name, body=body.encode(), entrypoint=self._entrypoint, at=self._at, branch=self._branch
        )


def _of_call(use: ToolUse) -> dict[str, JsonValue]:
    return {"tool_name": use.tool, "tool_input": use.tool_input, "tool_use_id": use.call_id}

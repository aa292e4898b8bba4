"""Which tools did the agent call in a Claude Code transcript, what came back, and where was the context compacted?

A call is a block of an `assistant` line, its result a block of a later `user` line; some versions wrote the result
first. Both wait for each other in bounded memory: of calls without an answer the newest are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Generic, TypeAlias, TypeVar

from wisen.transcripts.claude_prompts import timestamp
from wisen.transcripts.fields import JsonValue, objects_in, text_in
from wisen.transcripts.lines import Line

# Calls that still wait for their result, and results for their call; a line has at most 8 MB (`lines`).
MOST_WAITING_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a session something stands. `at` is None where the line has no time of its own."""

    offset: int
    at: datetime | None
    cwd: str
    session_id: str
    turn: str  # the prompt id of the turn
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool call of the model."""

    call_id: str
    tool: str
    tool_input: JsonValue
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came back for a call: the text that the model saw, and the harness's own record, None when there is none."""

    use: ToolUse
    text: str
    record: JsonValue
    is_error: bool
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The context was made a summary."""

    uuid: str
    automatic: bool
    place: Place


ToolFact: TypeAlias = ToolUse | ToolResult | Compaction
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Returned:
    """A result before its call is known."""

    text: str
    record: JsonValue
    is_error: bool
    place: Place

    def result(self, use: ToolUse) -> ToolResult:
        # Told where the later of the two stands: a read that begins between them must not miss it.
        place = self.place if self.place.offset >= use.place.offset else use.place
        return ToolResult(use=use, text=self.text, record=self.record, is_error=self.is_error, place=place)


class _Waiting(Generic[T]):
    """Values by call id, each with the size of its line; the oldest go when there are too many bytes."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[T, int]] = {}
        self._bytes = 0

    def put(self, call_id: str, value: T, size: int) -> None:
        self.pop(call_id)
        self._held[call_id] = (value, size)
        self._bytes += size
        while self._bytes > MOST_WAITING_BYTES and len(self._held) > 1:
            self.pop(next(iter(self._held)))

    def pop(self, call_id: str) -> T | None:
        value, size = self._held.pop(call_id, (None, 0))
        self._bytes -= size
        return value


@dataclass(slots=True, kw_only=True)
class ToolFinder:
    """Takes a transcript's lines from its start, in order. What a fork copied from another session is left out."""

    _turn: str = ""
    _cwd: str = ""
    _branch: str = ""
    _session_id: str = ""
    _uses: _Waiting[ToolUse] = field(default_factory=_Waiting[ToolUse])
    _early: _Waiting[_Returned] = field(default_factory=_Waiting[_Returned])

    def take(self, line: Line) -> Iterator[ToolFact]:
        """Yield what a line stands for. A line that stands twice is told twice, under the same ids."""
        fields = line.fields
        if fields.flag("isSidechain"):
            return
        self._cwd = fields.text("cwd") or self._cwd
        self._branch = fields.text("gitBranch") or self._branch
        self._session_id = fields.text("sessionId") or self._session_id
        self._turn = fields.text("promptId") or self._turn
        if fields.text("session_id") not in {"", self._session_id}:
            return
        match fields.text("type"):
            case "assistant":
                yield from self._assistant(line)
            case "user":
                yield from self._user(line)
            case "system" if fields.text("subtype") == "compact_boundary":
                trigger = fields.object("compactMetadata").text("trigger")
                place = self._place(line)
                yield Compaction(uuid=fields.text("uuid"), automatic=trigger != "manual", place=place)
            case _:
                pass

    def _assistant(self, line: Line) -> Iterator[ToolFact]:
        for block in line.fields.object("message").objects("content"):
            if block.text("type") != "tool_use" or not (call_id := block.text("id")):
                continue
            use = ToolUse(
                call_id=call_id, tool=block.text("name"), tool_input=block.value("input"), place=self._place(line)
            )
            yield use
            if early := self._early.pop(call_id):
                yield early.result(use)
            else:
                self._uses.put(call_id, use, line.size)

    def _user(self, line: Line) -> Iterator[ToolFact]:
        results = [
            block
            for block in objects_in(line.fields.object("message").value("content"))
            if block.text("type") == "tool_result" and block.text("tool_use_id")
        ]
        for block in results:
            # One record for several results does not say whose it is.
            record = line.fields.value("toolUseResult") if len(results) == 1 else None
            call_id = block.text("tool_use_id")
            returned = _Returned(
                text=text_in(block.value("content")),
                record=record,
                is_error=block.flag("is_error"),
                place=self._place(line),
            )
            if use := self._uses.pop(call_id):
                yield returned.result(use)
            else:
                self._early.put(call_id, returned, line.size)

    def _place(self, line: Line) -> Place:
        at = timestamp(line.fields.value("timestamp"))
        return Place(
            offset=line.offset,
            at=at,
            cwd=self._cwd,
            session_id=self._session_id,
            turn=self._turn,
            branch=self._branch,
        )

"""What does our plugin for OpenCode tell, and how is it answered? Facts about the harness are those of 1.18.33.

The plugin (`install/assets/opencode.js`) sends what OpenCode's own hooks and events hold, named as in `_READERS`. A
subagent is a session of its own in OpenCode; here it is its root session's, with an `agent_id`, as everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from wisen.adapters.payload import EXCERPT_CHARS, result_text, tool_call
from wisen.adapters.scrub import Redact, scrubbed
from wisen.core.excerpts import excerpt
from wisen.core.types import (
    Event,
    EventBody,
    Outcome,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    SessionEnd,
    SessionStart,
    StartSource,
    ToolCall,
    UserPrompt,
)
from wisen.errors import PayloadError
from wisen.transcripts.fields import Fields, JsonValue, decode, text_in

HARNESS = "opencode"
INTERACTIVE_ENTRYPOINT = "tui"  # the plugin runs in the worker of the terminal program
ANSWERED = frozenset({"session_start", "user_prompt", "pre_tool"})

# OpenCode's tools under the names that the core knows them by.
_TOOLS: Mapping[str, str] = {
    "bash": "Bash",
    "read": "Read",
    "grep": "Grep",
    "glob": "Glob",
    "list": "LS",
    "edit": "Edit",
    "multiedit": "MultiEdit",
    "patch": "Edit",
    "apply_patch": "Edit",
    "write": "Write",
    "task": "Task",
}


@dataclass(frozen=True, slots=True)
class OpenCode:
    """The adapter. It holds no state."""

    @property
    def name(self) -> str:
        """The harness segment of graph ids."""
        return HARNESS

    def events(
        self, payload: bytes, *, entrypoint: str, delivery_id: str, received_at: datetime, redact: Redact
    ) -> tuple[Event, ...]:
        """Return the events in what the plugin sent, none for an event wisen does not use. Raises PayloadError."""
        raw = decode(payload)
        hook = raw.text("hook_event_name")
        if not hook:
            raise PayloadError("a payload without hook_event_name")
        read = _READERS.get(hook)
        if read is None:
            return ()
        try:
            fields = scrubbed(raw, redact)
        except RecursionError as error:
            raise PayloadError("a payload nested too deeply") from error
        if not fields.text("session_id"):
            raise PayloadError("a payload without session_id")
        return read(_Delivery(fields=fields, entrypoint=entrypoint, delivery_id=delivery_id, received_at=received_at))

    def is_interactive(self, entrypoint: str) -> bool:
        """Say whether a person sits at OpenCode's own terminal program; `opencode run` and its server have none."""
        return entrypoint == INTERACTIVE_ENTRYPOINT

    def ends_context(self, hook: str) -> bool:
        """Say whether an event ends a session or empties its context."""
        return hook in {"session.end", "experimental.session.compacting"}

    def reply(self, event_name: str, text: str, *, notice: str = "") -> bytes:
        """Return the plugin's JSON answer, ASCII only: `context` for the model, `notice` for the person."""
        said = {"context": text if event_name in ANSWERED else "", "notice": notice}
        answer = {name: words for name, words in said.items() if words}
        return json.dumps(answer).encode("ascii") if answer else b""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    """One payload on its way in; its fields hold no secret."""

    fields: Fields
    entrypoint: str
    delivery_id: str
    received_at: datetime

    def event(self, key: str, body: EventBody) -> Event:
        """Return the event around a body; '' as key for one that is known by its delivery alone."""
        return Event(
            event_id=key or f"delivery:{self.delivery_id}",
            delivery_id=self.delivery_id,
            harness=HARNESS,
            session_id=self.fields.text("session_id"),
            at=self.received_at,
            cwd=self.fields.text("cwd"),
            body=body,
            transcript="",
            agent_id=self.fields.text("agent_id"),
        )

    def tool_event(self, kind: str, call: ToolCall, body: EventBody) -> tuple[Event, ...]:
        """Return a tool's event, keyed by the call: a failed one may be told twice."""
        return (self.event(f"{kind}:{call.call_id}" if call.call_id else "", body),)


def _session_start(delivery: _Delivery) -> tuple[Event, ...]:
    source = delivery.fields.text("source")
    known = StartSource(source) if source in set(StartSource) else StartSource.STARTUP
    # No history keeps what was recalled: a session that goes on in another process has none of it.
    known = StartSource.CLEAR if known is StartSource.RESUME else known
    return (delivery.event("", SessionStart(source=known)),)


def _chat_message(delivery: _Delivery) -> tuple[Event, ...]:
    fields = delivery.fields
    text = "\n".join(words for part in fields.objects("parts") if (words := text_in(part.value("text")))).strip()
    prompt_id = fields.text("prompt_id")
    is_typed = delivery.entrypoint == INTERACTIVE_ENTRYPOINT and not fields.text("agent_id")
    text = text if is_typed else _unquoted(text)
    channel = PromptChannel.TYPED if is_typed else PromptChannel.HEADLESS
    key = f"prompt:{prompt_id}" if prompt_id else ""
    return (delivery.event(key, UserPrompt(text=text, channel=channel, prompt_id=prompt_id)),)


def _unquoted(text: str) -> str:
    """Return a prompt without the quotation marks that `opencode run` puts around an argument with spaces."""
    inner = text[1:-1]
    is_quoted = text.startswith('"') and text.endswith('"') and '"' not in inner.replace('\\"', "")
    return inner.replace('\\"', '"') if len(text) > 1 and is_quoted else text


def _pre_tool(delivery: _Delivery) -> tuple[Event, ...]:
    call = _call(delivery.fields)
    return delivery.tool_event("pre_tool", call, PreTool(call=call))


def _post_tool(delivery: _Delivery) -> tuple[Event, ...]:
    """Return the end of a call: one that threw has an `error`, a shell's exit status is a number."""
    fields = delivery.fields
    call = _call(fields)
    error = fields.text("error")
    status = fields.value("exit")
    outcome = Outcome.SUCCESS
    if error:
        outcome = Outcome.UNKNOWN if error in _NEVER_ENDED else Outcome.FAILURE
    elif call.family == "shell":
        # Without a status the command was stopped, by its time limit or by the user.
        outcome = Outcome.UNKNOWN if not isinstance(status, int) else Outcome.FAILURE if status else Outcome.SUCCESS
    text = excerpt(error or result_text(fields.value("output")), EXCERPT_CHARS)
    return delivery.tool_event("post_tool", call, PostTool(call=call, outcome=outcome, excerpt=text))


_NEVER_ENDED = frozenset({"Tool execution aborted"})


def _compacting(delivery: _Delivery) -> tuple[Event, ...]:
    return (delivery.event("", PreCompact(automatic=True)),)


def _session_end(delivery: _Delivery) -> tuple[Event, ...]:
    return (delivery.event("", SessionEnd(reason=delivery.fields.text("reason"))),)


def _call(fields: Fields) -> ToolCall:
    tool = fields.text("tool_name")
    return tool_call(
        call_id=fields.text("tool_use_id"), tool=_TOOLS.get(tool, tool), tool_input=_input(fields.value("tool_input"))
    )


def _input(given: JsonValue) -> JsonValue:
    """Return a tool's input with the path under the name that the other harnesses give it."""
    if not isinstance(given, Mapping) or "filePath" not in given:
        return given
    return {("file_path" if name == "filePath" else name): value for name, value in given.items()}


_READERS: Mapping[str, Callable[[_Delivery], tuple[Event, ...]]] = {
    "session.start": _session_start,
    "chat.message": _chat_message,
    "tool.execute.before": _pre_tool,
    "tool.execute.after": _post_tool,
    "experimental.session.compacting": _compacting,
    "session.end": _session_end,
}

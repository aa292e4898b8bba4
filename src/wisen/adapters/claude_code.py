"""What does a Claude Code hook payload say, and how is it answered? Field names as of Claude Code 2.1.332.

A failing tool fires PostToolUseFailure instead of PostToolUse, never both. A call that was refused fires neither: the
user's words are only in PostToolBatch, in the text that the model sees.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import PurePosixPath

from wisen.adapters.payload import EXCERPT_CHARS, result_text, says_failure, tool_call
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
from wisen.transcripts.claude_words import (
    HARNESS,
    INTERACTIVE_ENTRYPOINT,
    digest,
    is_harness_prompt,
    is_plan,
    is_unfinished,
    prompt_key,
    refusal_key,
    refusal_words,
    tool_key,
)
from wisen.transcripts.fields import Fields, decode, text_in

# The events whose additionalContext provably reaches the model and whose moment wisen recalls at.
ANSWERED: Mapping[str, str] = {
    "session_start": "SessionStart",
    "user_prompt": "UserPromptSubmit",
    "pre_tool": "PreToolUse",
}


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """The adapter. It holds no state."""

    @property
    def name(self) -> str:
        """The harness segment of graph ids."""
        return HARNESS

    def events(
        self, payload: bytes, *, entrypoint: str, delivery_id: str, received_at: datetime, redact: Redact
    ) -> tuple[Event, ...]:
        """Return the events in a hook payload, none for an event wisen does not use. Raises PayloadError."""
        return events_of(
            decode(payload), entrypoint=entrypoint, delivery_id=delivery_id, received_at=received_at, redact=redact
        )

    def is_interactive(self, entrypoint: str) -> bool:
        """Say whether a person sits at the harness's own terminal."""
        return entrypoint == INTERACTIVE_ENTRYPOINT

    def ends_context(self, hook: str) -> bool:
        """Say whether an event ends a session or empties its context."""
        return hook in {"SessionEnd", "PreCompact"}

    def reply(self, event_name: str, text: str, *, notice: str = "") -> bytes:
        """Return the hook's JSON answer, ASCII only; empty for empty texts and for events that take none.

        The `notice` is shown to the person and never reaches the model (`systemMessage`); the text is the other way
        round.
        """
        hook = ANSWERED.get(event_name)
        if hook is None:
            return b""
        context = {"hookSpecificOutput": {"hookEventName": hook, "additionalContext": text}} if text else {}
        answer = {**({"systemMessage": notice} if notice else {}), **context}
        return json.dumps(answer).encode("ascii") if answer else b""


def events_of(
    raw: Fields, *, entrypoint: str, delivery_id: str, received_at: datetime, redact: Redact
) -> tuple[Event, ...]:
    """Return the events in a decoded payload; see `ClaudeCode.events`. Raises PayloadError."""
    hook = raw.text("hook_event_name")
    if not hook:
        raise PayloadError("a payload without hook_event_name")
    read = _READERS.get(hook)
    if read is None:
        return ()
    try:
        fields = scrubbed(raw, redact)
        return read(
            _Delivery(raw=raw, fields=fields, entrypoint=entrypoint, delivery_id=delivery_id, received_at=received_at)
        )
    except RecursionError as error:
        raise PayloadError("a payload nested too deeply") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    """One hook payload on its way in. `fields` hold no secret; `raw` is for nothing but the digest in a key."""

    raw: Fields
    fields: Fields
    entrypoint: str
    delivery_id: str
    received_at: datetime

    @property
    def is_interactive(self) -> bool:
        """Say whether a person sits at the harness's own terminal."""
        return self.entrypoint == INTERACTIVE_ENTRYPOINT

    def event(self, key: str, body: EventBody) -> Event:
        """Return the event around a body."""
        fields = self.fields
        return Event(
            event_id=key or f"delivery:{self.delivery_id}",
            delivery_id=self.delivery_id,
            harness=HARNESS,
            session_id=_session_id(fields),
            at=self.received_at,
            cwd=fields.text("cwd"),
            body=body,
            transcript=fields.text("transcript_path"),
            agent_id=fields.text("agent_id"),
        )

    def tool_event(self, kind: str, call: ToolCall, body: EventBody) -> tuple[Event, ...]:
        """Return a tool's event, keyed by the tool-use id, the only one both deliveries of it share."""
        return (self.event(tool_key(kind, call.call_id) if call.call_id else "", body),)


def _session_id(fields: Fields) -> str:
    """Return the session's id; without one, what the transcript is named after, else one for the directory."""
    if session := fields.text("session_id"):
        return session
    if stem := PurePosixPath(fields.text("transcript_path")).stem:
        return stem
    if cwd := fields.text("cwd"):
        return f"cwd-{digest(cwd)}"
    raise PayloadError("a payload without session_id, transcript_path and cwd")


def _session_start(delivery: _Delivery) -> tuple[Event, ...]:
    source = delivery.fields.text("source")
    known = StartSource(source) if source in set(StartSource) else StartSource.STARTUP
    body = SessionStart(source=known, last_reply_at=_last_reply_at(delivery))
    return (delivery.event("", body),)


def _last_reply_at(delivery: _Delivery) -> datetime | None:
    seconds = delivery.fields.number("seconds_since_last_response")
    if seconds is None:
        return None
    try:
        return delivery.received_at - timedelta(seconds=seconds)
    except OverflowError:
        return None


def _user_prompt(delivery: _Delivery) -> tuple[Event, ...]:
    fields = delivery.fields
    text = text_in(fields.value("prompt"))
    if is_harness_prompt(text):
        return ()
    prompt_id = fields.text("prompt_id")
    # Inside a subagent the "user" is the agent that started it; wake-ups and plans are not a person's words either.
    by_person = fields.text("source") in {"", "user"} and not fields.text("agent_id") and not is_plan(text)
    channel = PromptChannel.TYPED if by_person and delivery.is_interactive else PromptChannel.HEADLESS
    key = prompt_key(prompt_id, text_in(delivery.raw.value("prompt"))) if prompt_id else ""
    return (delivery.event(key, UserPrompt(text=text, channel=channel, prompt_id=prompt_id)),)


def _pre_tool(delivery: _Delivery) -> tuple[Event, ...]:
    call = _call(delivery.fields)
    return delivery.tool_event("pre_tool", call, PreTool(call=call))


def _post_tool(delivery: _Delivery) -> tuple[Event, ...]:
    fields = delivery.fields
    call = _call(fields)
    response = fields.object("tool_response")
    # A command sent to the background, or stopped by the user, has no outcome yet.
    unfinished = response.flag("interrupted") or "backgroundTaskId" in response
    failed = says_failure(fields.value("tool_response"), is_shell=call.family == "shell")
    outcome = Outcome.UNKNOWN if unfinished else Outcome.FAILURE if failed else Outcome.SUCCESS
    text = excerpt(result_text(fields.value("tool_response")), EXCERPT_CHARS)
    return delivery.tool_event("post_tool", call, PostTool(call=call, outcome=outcome, excerpt=text))


def _post_tool_failure(delivery: _Delivery) -> tuple[Event, ...]:
    fields = delivery.fields
    call = _call(fields)
    error = result_text(fields.value("error"))
    outcome = Outcome.UNKNOWN if fields.flag("is_interrupt") or is_unfinished(error) else Outcome.FAILURE
    return delivery.tool_event(
        "post_tool", call, PostTool(call=call, outcome=outcome, excerpt=excerpt(error, EXCERPT_CHARS))
    )


def _post_tool_batch(delivery: _Delivery) -> tuple[Event, ...]:
    """Return what the user typed when refusing calls of the batch; the calls themselves came one by one before.

    Of a call that ran this is what its tool gave back, which may read like a refusal: whether the words are the user's
    is only known when the whole session is.
    """
    # Where nobody sits at the terminal, a script refused.
    channel = PromptChannel.REFUSAL if delivery.is_interactive else PromptChannel.HEADLESS
    events: list[Event] = []
    for index, call in enumerate(delivery.fields.objects("tool_calls")):
        words = refusal_words(text_in(call.value("tool_response")))
        if not words:
            continue
        call_id = call.text("tool_use_id")
        key = refusal_key(call_id or f"{delivery.delivery_id}:{index}")
        body = UserPrompt(text=words, channel=channel, prompt_id=delivery.fields.text("prompt_id"), call_id=call_id)
        events.append(replace(delivery.event(key, body), is_answerable=False))
    return tuple(events)


def _pre_compact(delivery: _Delivery) -> tuple[Event, ...]:
    return (delivery.event("", PreCompact(automatic=delivery.fields.text("trigger") == "auto")),)


def _session_end(delivery: _Delivery) -> tuple[Event, ...]:
    return (delivery.event("", SessionEnd(reason=delivery.fields.text("reason"))),)


def _call(fields: Fields) -> ToolCall:
    return tool_call(
        call_id=fields.text("tool_use_id"),
        tool=fields.text("tool_name"),
        tool_input=fields.value("tool_input"),
    )


_READERS: Mapping[str, Callable[[_Delivery], tuple[Event, ...]]] = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _user_prompt,
    "PreToolUse": _pre_tool,
    "PostToolUse": _post_tool,
    "PostToolUseFailure": _post_tool_failure,
    "PostToolBatch": _post_tool_batch,
    "PreCompact": _pre_compact,
    "SessionEnd": _session_end,
}

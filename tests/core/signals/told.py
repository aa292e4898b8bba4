"""A session told in a few words, through the adapter of live hooks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from tests.builders import T0

from wisen.adapters.claude_code import events_of
from wisen.core.signals.failure_delta import recipes
from wisen.core.types import Event, Signal
from wisen.transcripts.fields import Fields

CWD = "/repo"


def failed(command: str, error: str, **over: Any) -> dict[str, Any]:
    """A shell call that failed; `error` is what it printed, exit code 1 unless it begins with its own."""
    text = error if error.startswith(("Exit code", "<", "[", "The user")) else f"Exit code 1\n{error}"
    return {"hook_event_name": "PostToolUseFailure", "error": text, **_call(command), **over}


def worked(command: str, output: str = "ok", **over: Any) -> dict[str, Any]:
    """A shell call that worked."""
    response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return {"hook_event_name": "PostToolUse", "tool_response": response, **_call(command), **over}


def edited(path: str = "/repo/src/a.py") -> dict[str, Any]:
    """A file that the agent changed."""
    given = {"tool_name": "Edit", "tool_input": {"file_path": path, "old_string": "a", "new_string": "b"}}
    return {"hook_event_name": "PostToolUse", "tool_response": {"filePath": path}, **given}


def said(prompt: str) -> dict[str, Any]:
    """A prompt of the user."""
    return {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "prompt_id": "p"}


def events(*payloads: dict[str, Any]) -> Iterator[Event]:
    """The events of a session, ten seconds apart unless a payload says `after` (minutes)."""
    at = T0
    for number, payload in enumerate(payloads):
        fields = {"session_id": "s1", "cwd": CWD, "tool_use_id": f"t{number}", **payload}
        at += timedelta(minutes=fields.pop("after", 0), seconds=10)
        yield from events_of(
            Fields(fields), entrypoint="cli", delivery_id=f"d{number}", received_at=at, redact=lambda text: text
        )


def learned(*payloads: dict[str, Any]) -> list[Signal]:
    """What a session teaches."""
    return list(recipes(events(*payloads)))


def _call(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}

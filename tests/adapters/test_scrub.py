"""No secret survives by its place in a payload, nor by being cut in two."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from wisen.adapters.claude_code import ClaudeCode
from wisen.adapters.scrub import LONGEST, MOST, scrub_text, scrubbed
from wisen.core.types import Event, PostTool, PreTool
from wisen.errors import PayloadError
from wisen.redact import FloorRedactor
from wisen.transcripts.fields import Fields

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
REDACT = FloorRedactor().redact


def events(payload: dict[str, Any]) -> tuple[Event, ...]:
    base = {"session_id": "s", "cwd": "/repo", "transcript_path": "/t.jsonl"}
    return ClaudeCode().events(
        json.dumps(base | payload).encode(),
        entrypoint="cli",
        delivery_id="d",
        received_at=datetime(2026, 11, 30, tzinfo=UTC),
        redact=REDACT,
    )


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "UserPromptSubmit", "prompt": f"use {TOKEN}", "prompt_id": "p"},
        {"hook_event_name": "SessionEnd", "reason": TOKEN},
        {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": f"curl -H 'X: {TOKEN}' x"}},
        {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": f"/tmp/{TOKEN}"}},
        {"hook_event_name": "PreToolUse", "tool_name": "Task", "tool_input": {"prompt": f"log in with {TOKEN}"}},
        {"hook_event_name": "PreToolUse", "tool_name": "X", "tool_input": {"deep": [{"er": [TOKEN]}]}},
        {
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "x " * 2500 + TOKEN + " y" * 2500},
        },
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": TOKEN}},
        {
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {},
            "error": f"Exit code 1\n{TOKEN}",
        },
    ],
)
def test_no_part_of_an_event_holds_the_secret(payload: dict[str, Any]) -> None:
    made = events({"tool_use_id": "t1"} | payload)
    assert made
    assert TOKEN not in repr(made)
    assert TOKEN[:20] not in repr(made)


def test_a_key_block_whose_beginning_is_cut_away_is_gone() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(
        f"canary{n:04}" + hashlib.sha256(bytes([n])).hexdigest()[:54] for n in range(40)
    )
    key += "\n-----END RSA PRIVATE KEY-----"
    text = "x " * 1800 + key
    payload = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {},
        "tool_response": {"stdout": text},
    }
    (event,) = events(payload | {"tool_use_id": "t"})
    assert isinstance(event.body, PostTool)
    assert "canary" not in event.body.excerpt


@pytest.mark.parametrize("closing", ["</private>", "</ PRIVATE >", "&lt;/private&gt;", "\\u003c/Private\\u003e"])
def test_a_private_span_that_opens_in_what_is_left_out_is_private_to_its_end(closing: str) -> None:
    text = "a " * LONGEST + "<private>" + "b " * LONGEST + "canary " + closing + " and after"
    cleaned = scrub_text(text, REDACT)
    assert "canary" not in cleaned
    assert cleaned.endswith("[private] and after")


def test_a_token_is_never_cut_in_two() -> None:
    half = LONGEST // 2
    text = "a " * (half // 2 - 5) + TOKEN + " b" * LONGEST
    assert TOKEN[:12] not in scrub_text(text, REDACT)


def test_segments_are_parsed_from_what_is_left() -> None:
    command = "curl -u bob:Sup3rS3cretPass https://example.invalid && pytest -q"
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    (event,) = events(payload | {"tool_use_id": "t"})
    assert isinstance(event.body, PreTool)
    assert "Sup3rS3cretPass" not in repr(event.body.call)
    assert [segment.program for segment in event.body.call.segments] == ["curl", "pytest"]


def test_names_of_the_harness_stay_as_they_are() -> None:
    (event,) = events({"hook_event_name": "SessionStart", "source": "startup", "session_id": TOKEN})
    assert event.session_id == TOKEN


def test_nesting_that_no_walk_survives_is_a_bad_payload() -> None:
    deep = b'{"hook_event_name":"PreToolUse","session_id":"s","tool_input":' + b"[" * 900 + b"]" * 900 + b"}"
    try:
        made = ClaudeCode().events(
            deep, entrypoint="cli", delivery_id="d", received_at=datetime(2026, 11, 30, tzinfo=UTC), redact=REDACT
        )
    except PayloadError:
        return
    assert len(made) == 1


def test_a_payload_costs_no_more_than_its_budget_however_much_it_holds() -> None:
    seen: list[int] = []

    def counted(text: str) -> str:
        seen.append(len(text))
        return text

    many = Fields({"tool_input": {f"file{n}": "password: " * 10_000 for n in range(50)}, "prompt": "short"})
    scrubbed(many, counted)
    assert sum(seen) <= MOST + 50 * len("short")

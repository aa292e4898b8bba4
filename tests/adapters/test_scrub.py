"""No secret survives by its place in a payload, nor by being cut in two."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from wisen.adapters.claude_code import ClaudeCode
from wisen.adapters.scrub import LEAST, LONGEST, MOST, scrub_text, scrubbed
from wisen.core.types import Event, PostTool, PreTool, PromptChannel, UserPrompt
from wisen.errors import PayloadError
from wisen.redact import FloorRedactor
from wisen.transcripts.fields import Fields, JsonValue

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


LONG = "word " * (LONGEST // 5)


@pytest.mark.parametrize(
    "text",
    [
        f"<private> {LONG}{LONG} canary",
        f"{LONG}<private> {LONG}{LONG} canary",
        f"{LONG}<private><private>{LONG}</private>{LONG} canary</private>",
        f"{LONG}<private>{LONG} canary <private>x</private> canary</private>",
        f"{LONG}<private>{LONG} canary, see `<private>`</private> end",
    ],
)
def test_what_is_private_of_a_long_text_goes_before_it_is_cut(text: str) -> None:
    assert "canary" not in scrub_text(text, REDACT)


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----\nand after", ""])
def test_the_rest_of_a_key_that_begins_in_what_is_left_out_goes_too(end: str) -> None:
    lines = "MIIEabc9ZxMIIEabc9Zx\n" * (LONGEST // 15)
    cleaned = scrub_text(f"{LONG}-----BEGIN RSA PRIVATE KEY-----\n{lines}canaryAbc9Zx\n{end}", REDACT)
    assert "canary" not in cleaned
    assert cleaned.endswith("[redacted:private-key]\n" + end.partition("\n")[2])


def test_a_long_text_that_only_names_a_key_block_keeps_its_tail() -> None:
    text = f"{LONG}if '-----BEGIN PRIVATE KEY-----' in text:\n{LONG}the end"
    assert scrub_text(text, REDACT).endswith("the end")


@pytest.mark.parametrize(
    "payload",
    [
        {"tool_response": {"stdout": "<private>canary", "stderr": "canary</private> after"}},
        {"tool_response": [{"type": "text", "text": "<private>canary"}, {"type": "text", "text": "canary</private>"}]},
        {"tool_input": {"command": "x <private>"}, "tool_response": {"stdout": "canary"}},
        {"tool_response": {"content": [["<private>"], {"file_path": "canary", "lines": ["canary"]}]}},
        {"tool_response": {"session_id": "<private>canary"}},
    ],
)
def test_a_private_span_may_run_across_the_strings_of_a_payload(payload: dict[str, Any]) -> None:
    """Nothing of a span is kept because a harness cut it into pieces."""
    base = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t", "tool_input": {}}
    made = events(base | payload)
    assert made
    assert "canary" not in repr(made)


def test_a_prompt_of_blocks_keeps_what_stands_after_a_span_and_whose_words_it_is() -> None:
    blocks = [{"type": "text", "text": text} for text in ("<private>canary", "canary</private> use bun", "always")]
    (event,) = events({"hook_event_name": "UserPromptSubmit", "prompt": blocks, "prompt_id": "p", "source": "user"})
    assert isinstance(event.body, UserPrompt)
    assert event.body.text == "[private]\n[private] use bun\nalways"
    open_one = {"hook_event_name": "UserPromptSubmit", "prompt": "never <private>canary", "source": "user"}
    (event,) = events(open_one)
    assert isinstance(event.body, UserPrompt)
    assert (event.body.text, event.body.channel) == ("never [private]", PromptChannel.TYPED)


def test_a_span_that_no_text_closes_ends_with_its_payload() -> None:
    scrubbed(Fields({"prompt": "<private>"}), REDACT)
    assert scrubbed(Fields({"prompt": "a"}), REDACT).raw == {"prompt": "a"}


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


def test_a_payload_of_a_million_small_strings_is_read_no_further_than_its_budget() -> None:
    seen: list[str] = []

    def counted(text: str) -> str:
        seen.append(text)
        return text

    paths: list[JsonValue] = [{"path": "ab"}] * 10_000
    scrubbed(Fields({"tool_response": [["ab"] * 10_000, paths, {str(n): "" for n in range(10_000)}]}), counted)
    assert len(seen) <= MOST // LEAST

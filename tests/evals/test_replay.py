from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tests.recorded import RECEIVED_AT, hooks, session_file

from wisen.adapters.registry import adapter
from wisen.core.types import Event, UserPrompt
from wisen.evals.replay import HookCall, payloads

T = "2026-11-30T12:00:00Z"
HOOKS = {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"}


def told(run: str, session: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the recorded hook calls of one session that wisen registers for, without the volatile fields."""
    rows = [(hook.name, json.loads(hook.body)) for hook in hooks(run)]
    return [(name, payload) for name, payload in rows if name in HOOKS and payload["session_id"].startswith(session)]


def replayed(path: Path) -> list[tuple[str, dict[str, Any]]]:
    return [(call.event_name, json.loads(call.body)) for call in payloads(path)]


def same(name: str, recorded: dict[str, Any], again: dict[str, Any]) -> bool:
    fields: tuple[str, ...] = (
        "tool_use_id",
        "tool_input",
        "tool_response",
        "error",
        "prompt",
        "prompt_id",
        "tool_calls",
    )
    if name == "SessionStart":  # after a compaction it has an id of its own, which the file does not hold
        fields = ("source",)
    return all(recorded[field] == again.get(field) for field in fields if field in recorded)


@pytest.mark.parametrize(
    ("run", "session"),
    [("typed-refused-forked", "636d"), ("queued-resumed-cleared", "892b"), ("allowed-with-words", "29b2")],
)
def test_a_session_file_gives_back_the_hook_calls_that_were_recorded_with_it(run: str, session: str) -> None:
    recorded = [row for row in told(run, session) if row[1].get("source") != "resume"]
    again = [row for row in replayed(session_file(run, session)) if row[0] in HOOKS]
    assert sorted(name for name, _ in recorded) == sorted(name for name, _ in again)
    for kind in HOOKS:
        pairs = zip([p for n, p in recorded if n == kind], [p for n, p in again if n == kind], strict=True)
        assert all(same(kind, one, other) for one, other in pairs), kind


def test_compaction_comes_back_as_its_two_hooks() -> None:
    names = [name for name, _ in replayed(session_file("typed-refused-forked", "636d"))]
    at = names.index("PreCompact")
    assert names[at : at + 2] == ["PreCompact", "SessionStart"]
    assert names[0] == "SessionStart"
    assert names[-1] == "SessionEnd"


def test_a_replayed_prompt_comes_from_the_same_kind_of_program() -> None:
    scripted = list(payloads(session_file("session-fail-fix", "ee28")))
    typed = list(payloads(session_file("typed-refused-forked", "636d")))
    assert {call.entrypoint for call in scripted} == {"sdk-cli"}
    assert {call.entrypoint for call in typed} == {"cli"}


def line(kind: str, content: object, **fields: object) -> dict[str, object]:
    return {"type": kind, "message": {"content": content}, "timestamp": T, "cwd": "/r", "sessionId": "s1", **fields}


def tool_use(call_id: str) -> dict[str, object]:
    return line("assistant", [{"type": "tool_use", "id": call_id, "name": "Bash", "input": {"command": "make"}}])


def tool_result(call_id: str, text: str = "ok", *, is_error: bool = False) -> dict[str, object]:
    return line("user", [{"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}])


def names(path: Path, *lines: object) -> list[str]:
    path.write_text("".join(json.dumps(item) + "\n" for item in lines))
    return [call.event_name for call in payloads(path)]


def test_a_result_that_comes_before_its_call_finds_it(tmp_path: Path) -> None:
    assert names(tmp_path / "s.jsonl", tool_result("t1"), tool_use("t1")) == [
        "SessionStart", "PreToolUse", "PostToolUse", "PostToolBatch", "SessionEnd",
    ]  # fmt: skip


def test_a_batch_ends_with_its_last_result(tmp_path: Path) -> None:
    lines = [tool_use("t1"), tool_use("t2"), tool_result("t2"), tool_result("t1")]
    assert names(tmp_path / "s.jsonl", *lines)[3:] == ["PostToolUse", "PostToolUse", "PostToolBatch", "SessionEnd"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Exit code 1\nboom", ["PostToolUseFailure", "PostToolBatch"]),
        ("<tool_use_error>No such tool</tool_use_error>", ["PostToolBatch"]),
        ("The user doesn't want to proceed with this. To go on, the user said:\nuse make", ["PostToolBatch"]),
        ("The user doesn't want to proceed with this tool use. STOP", []),
    ],
)
def test_an_error_comes_back_by_the_hook_that_tells_it(tmp_path: Path, text: str, expected: list[str]) -> None:
    lines = [tool_use("t1"), tool_result("t1", text, is_error=True)]
    assert names(tmp_path / "s.jsonl", *lines)[2:-1] == expected


def test_a_session_killed_in_a_call_ends_without_its_result(tmp_path: Path) -> None:
    assert names(tmp_path / "s.jsonl", tool_use("t1")) == ["SessionStart", "PreToolUse", "SessionEnd"]


def test_a_file_without_a_session_gives_nothing(tmp_path: Path) -> None:
    assert names(tmp_path / "s.jsonl", {"type": "summary"}, [], None) == []


def test_a_packed_file_replays_like_the_plain_one_and_where_it_is_told_to(tmp_path: Path) -> None:
    plain = session_file("allowed-with-words", "29b2")
    packed = tmp_path / f"{plain.name}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    def calls(path: Path) -> list[HookCall]:
        return list(payloads(path, cwd="/elsewhere", transcript_path="/t.jsonl"))

    assert calls(packed) == calls(plain)
    assert {json.loads(call.body)["cwd"] for call in calls(packed)} == {"/elsewhere"}


def test_what_is_replayed_has_the_keys_that_the_live_hooks_had() -> None:
    def keys(bodies: list[tuple[bytes, str]]) -> set[str]:
        made: list[Event] = []
        for body, entrypoint in bodies:
            made += adapter("claude-code").events(
                body, entrypoint=entrypoint, delivery_id="d", received_at=RECEIVED_AT, redact=str
            )
        return {event.event_id for event in made if isinstance(event.body, UserPrompt)}

    live = [(hook.body, hook.entrypoint) for hook in hooks("typed-refused-forked") if b"636d38fb" in hook.body]
    again = [(call.body, call.entrypoint) for call in payloads(session_file("typed-refused-forked", "636d"))]
    assert keys(again) == keys(live)
    assert len(keys(live)) == 5

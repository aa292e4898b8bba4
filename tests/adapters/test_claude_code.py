from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.recorded import RECEIVED_AT, RUNS, events_of, hooks

from wisen.adapters.claude_code import ClaudeCode
from wisen.core.types import (
    Event,
    Outcome,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    SessionEnd,
    SessionStart,
    StartSource,
    UserPrompt,
)
from wisen.errors import PayloadError

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)

# What each hook is to wisen, in the architecture's own names. A refused batch and a typed prompt vary: tested below.
ABSTRACT_EVENTS = {
    "SessionStart": ("session_start",),
    "UserPromptSubmit": ("user_prompt",),
    "PreToolUse": ("pre_tool",),
    "PostToolUse": ("post_tool",),
    "PostToolUseFailure": ("post_tool",),
    "PreCompact": ("pre_compact",),
    "SessionEnd": ("session_end",),
}


def events(payload: object, *, entrypoint: str = "cli", delivery_id: str = "d1") -> tuple[Event, ...]:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return ClaudeCode().events(
        body, entrypoint=entrypoint, delivery_id=delivery_id, received_at=RECEIVED_AT, redact=str
    )


def hook(name: str, **fields: object) -> dict[str, object]:
    return {"hook_event_name": name, "session_id": "s1", "cwd": "/r", **fields}


def one(payload: object, **how: str) -> Event:
    (event,) = events(payload, **how)
    return event


def prompt_of(event: Event) -> UserPrompt:
    assert isinstance(event.body, UserPrompt)
    return event.body


def result_of(event: Event) -> PostTool:
    assert isinstance(event.body, PostTool)
    return event.body


# --- the recorded payloads --------------------------------------------------------------------------------------------


@pytest.mark.row("F1")
@pytest.mark.parametrize("run", RUNS)
def test_every_recorded_hook_maps_to_its_abstract_event_or_to_none(run: str) -> None:
    for recorded in hooks(run):
        made = events_of(recorded)
        payload = json.loads(recorded.body)
        expected: tuple[str, ...] = ABSTRACT_EVENTS.get(recorded.name, ())
        if str(payload.get("prompt", "")).startswith("<task-notification>"):
            expected = ()
        if recorded.name == "PostToolBatch":
            said = [call for call in payload["tool_calls"] if "the user said:" in call["tool_response"]]
            expected = ("user_prompt",) * len(said)
        assert tuple(event.name for event in made) == expected
        for event in made:
            assert event.harness == "claude-code"
            assert event.session_id == payload["session_id"]
            assert event.cwd == payload["cwd"]
            assert event.transcript == payload["transcript_path"]
            assert event.agent_id == payload.get("agent_id", "")
            assert event.at == RECEIVED_AT


def test_the_recordings_hold_every_hook_that_is_registered() -> None:
    names = {recorded.name for run in RUNS for recorded in hooks(run)}
    assert names >= {*ABSTRACT_EVENTS, "PostToolBatch"}


@pytest.mark.row("F3")
@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "Notification", "MessageDisplay", "SomethingNew"])
def test_a_hook_wisen_does_not_use_is_no_event_and_gets_no_answer(name: str) -> None:
    assert events({"hook_event_name": name, "session_id": "s1", "stop_hook_active": True}) == ()
    assert ClaudeCode().reply(name, "text") == b""


@pytest.mark.fault("B15")
def test_a_failed_command_is_one_event_with_its_exit_code_and_text() -> None:
    """B15."""
    (recorded,) = [h for h in hooks("session-fail-fix") if h.name == "PostToolUseFailure"]
    (event,) = events_of(recorded)
    result = result_of(event)
    assert result.outcome is Outcome.FAILURE
    assert result.excerpt.startswith("Exit code 1\nTraceback")
    assert result.call.command == "python3 check.py"
    assert [segment.program for segment in result.call.segments] == ["python3"]
    assert event.event_id == f"post_tool:{result.call.call_id}"


def test_a_tool_call_and_its_end_have_different_keys_and_the_same_call() -> None:
    made = [event for recorded in hooks("session-fail-fix") for event in events_of(recorded)]
    before = {e.body.call.call_id: e for e in made if isinstance(e.body, PreTool)}
    after = {e.body.call.call_id: e for e in made if isinstance(e.body, PostTool)}
    assert before.keys() == after.keys()
    assert len({e.event_id for e in (*before.values(), *after.values())}) == 2 * len(before)


def test_what_happens_inside_a_subagent_carries_its_id() -> None:
    made = [event for recorded in hooks("injection-subagent-compact") for event in events_of(recorded)]
    inside = [event for event in made if event.agent_id]
    assert {event.name for event in inside} == {"pre_tool", "post_tool"}


def test_the_task_handed_to_a_subagent_is_the_calls_summary() -> None:
    made = [event for recorded in hooks("injection-subagent-compact") for event in events_of(recorded)]
    (task,) = [e.body.call for e in made if isinstance(e.body, PreTool) and e.body.call.family == "task"]
    assert task.summary == "sub work\nSUBPROMPT list the files"


def test_a_prompt_typed_mid_turn_has_a_key_of_its_own_though_it_carries_the_turns_id() -> None:
    made = [event for recorded in hooks("typed-refused-forked") for event in events_of(recorded)]
    first, second = [event for event in made if isinstance(event.body, UserPrompt)][:2]
    assert prompt_of(first).prompt_id == prompt_of(second).prompt_id
    assert first.event_id != second.event_id
    assert prompt_of(second).text == "and never push to main"


def test_words_typed_when_refusing_a_call_are_a_refusal_and_only_those_words() -> None:
    made = [event for recorded in hooks("typed-refused-forked") for event in events_of(recorded)]
    (refusal,) = [event for event in made if event.event_id.startswith("refusal:")]
    assert prompt_of(refusal).text == "no, put files under build/ only"
    assert prompt_of(refusal).channel is PromptChannel.REFUSAL
    assert refusal.event_id == "refusal:toolu_014d15efa36a4f768eae"


def test_a_fork_tells_when_the_copied_history_was_last_answered() -> None:
    made = [event for recorded in hooks("typed-refused-forked") for event in events_of(recorded)]
    (fork,) = [e for e in made if isinstance(e.body, SessionStart) and e.body.source is StartSource.FORK]
    assert isinstance(fork.body, SessionStart)
    assert fork.body.last_reply_at == RECEIVED_AT - timedelta(seconds=9)


def test_compaction_says_whether_it_came_by_itself() -> None:
    automatic = [e.body for h in hooks("autocompact") for e in events_of(h) if isinstance(e.body, PreCompact)]
    manual = [e.body for h in hooks("typed-refused-forked") for e in events_of(h) if isinstance(e.body, PreCompact)]
    assert automatic == [PreCompact(automatic=True)] * 2
    assert manual == [PreCompact(automatic=False)]


def test_clearing_ends_one_session_and_starts_another() -> None:
    made = [event for recorded in hooks("clear") for event in events_of(recorded)]
    ended = next(event for event in made if event.body == SessionEnd(reason="clear"))
    cleared = next(event for event in made if isinstance(event.body, SessionStart) and event.body.source == "clear")
    assert ended.session_id != cleared.session_id


@pytest.mark.parametrize("run", RUNS)
def test_two_deliveries_of_one_hook_have_one_key_wherever_the_harness_gives_one(run: str) -> None:
    for recorded in hooks(run):
        first = events_of(recorded, delivery_id="d1")
        second = events_of(recorded, delivery_id="d2")
        for one_, other in zip(first, second, strict=True):
            has_key = one_.name in {"user_prompt", "pre_tool", "post_tool"}
            assert (one_.event_id == other.event_id) is has_key


# --- the harness segment ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["harness", "adapter", "agent_type"])
def test_no_payload_and_no_entrypoint_changes_the_harness(field: str) -> None:
    event = one(hook("SessionStart", source="startup", **{field: "opencode"}), entrypoint="opencode")
    assert event.harness == "claude-code"


# --- who said it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "entrypoint", "channel"),
    [
        ({}, "cli", PromptChannel.TYPED),
        ({"source": "user"}, "cli", PromptChannel.TYPED),
        ({}, "sdk-cli", PromptChannel.HEADLESS),
        ({}, "", PromptChannel.HEADLESS),
        ({"source": "loop_wakeup"}, "cli", PromptChannel.HEADLESS),
        ({"agent_id": "a1"}, "cli", PromptChannel.HEADLESS),
        ({"prompt": "Implement the following plan:\n\n# Plan\nalways use tabs"}, "cli", PromptChannel.HEADLESS),
    ],
)
def test_only_what_a_person_typed_at_the_terminal_counts_as_typed(
    fields: dict[str, object], entrypoint: str, channel: PromptChannel
) -> None:
    payload = hook("UserPromptSubmit", prompt_id="p1", **{"prompt": "use tabs", **fields})
    assert prompt_of(one(payload, entrypoint=entrypoint)).channel is channel


def test_a_scripts_refusal_is_no_persons_words() -> None:
    call = {"tool_use_id": "t1", "tool_response": REFUSED + "use make"}
    assert (
        prompt_of(one(hook("PostToolBatch", tool_calls=[call]), entrypoint="sdk-py")).channel is PromptChannel.HEADLESS
    )


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>\n<task-id>a1</task-id>",
        "<bash-input>ls</bash-input>",
        "[Request interrupted by user for tool use]",
        '{"task_id":"a1","description":"x"}',
    ],
)
def test_the_harnesss_own_messages_are_no_prompts(text: str) -> None:
    assert events(hook("UserPromptSubmit", prompt=text, prompt_id="p1")) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (REFUSED + "use make", "use make"),
        (REFUSED + "first\n\nsecond", "first\n\nsecond"),
        (REFUSED + "use make\n\nNote: The user's next message may contain a correction or preference. Pay", "use make"),
        (
            (
                "Permission for this tool use was denied. The tool use was rejected (eg. if it was a file edit, the "
                "new_string was NOT written to the file). The user said:\nuse make"
            ),
            "use make",
        ),
    ],
)
def test_a_refusal_gives_the_users_words_without_the_harnesss(text: str, words: str) -> None:
    batch = hook("PostToolBatch", tool_calls=[{"tool_use_id": "t1", "tool_response": text}])
    assert prompt_of(one(batch)).text == words


@pytest.mark.parametrize(
    "text",
    [
        REFUSED.partition(" To tell you")[0]
        + " STOP what you are doing and wait for the user to tell you how to proceed.",
        REFUSED + "  ",
        REFUSED + "The user wants to clarify these questions.\n    This means they may have additional information",
        "cat: notes.txt\nthe user said:\nuse make",
        "log line: The user doesn't want to proceed. the user said:\nuse make",
    ],
)
def test_a_result_that_is_no_refusal_with_words_says_nothing(text: str) -> None:
    assert events(hook("PostToolBatch", tool_calls=[{"tool_use_id": "t1", "tool_response": text}])) == ()


def test_refusals_without_a_call_id_are_told_apart_by_their_place() -> None:
    batch = hook("PostToolBatch", tool_calls=[{"tool_response": REFUSED + "a"}, {"tool_response": REFUSED + "b"}])
    assert [event.event_id for event in events(batch)] == ["refusal:d1:0", "refusal:d1:1"]


# --- outcomes ---------------------------------------------------------------------------------------------------------


@pytest.mark.fault("B15")
@pytest.mark.row("F5")
@pytest.mark.parametrize(
    ("name", "fields", "outcome"),
    [
        ("PostToolUse", {"tool_response": {"stdout": "ok", "stderr": "", "interrupted": False}}, Outcome.SUCCESS),
        ("PostToolUse", {"tool_response": {"stdout": "", "interrupted": True}}, Outcome.UNKNOWN),
        ("PostToolUse", {"tool_response": {"stdout": "", "backgroundTaskId": "b1"}}, Outcome.UNKNOWN),
        ("PostToolUse", {}, Outcome.SUCCESS),
        ("PostToolUse", {"tool_response": {"stdout": "", "exit_code": 2}}, Outcome.FAILURE),
        ("PostToolUse", {"tool_response": [{"type": "tool_result", "is_error": True}]}, Outcome.FAILURE),
        ("PostToolUse", {"tool_response": "Exit code 1\nboom"}, Outcome.FAILURE),
        ("PostToolUseFailure", {"error": "Exit code 2\r\nboom", "is_interrupt": False}, Outcome.FAILURE),
        ("PostToolUseFailure", {"error": "Exit code 137", "is_interrupt": True}, Outcome.UNKNOWN),
        (
            "PostToolUseFailure",
            {"error": "<tool_use_error>Sibling tool call errored</tool_use_error>"},
            Outcome.UNKNOWN,
        ),
        ("PostToolUseFailure", {"error": "[Request interrupted by user for tool use]"}, Outcome.UNKNOWN),
    ],
)
def test_the_event_says_how_a_call_ended_and_an_unfinished_one_ended_in_no_way(
    name: str, fields: dict[str, object], outcome: Outcome
) -> None:
    """B15."""
    event = one(hook(name, tool_name="Bash", tool_use_id="t1", tool_input={"command": "make"}, **fields))
    assert result_of(event).outcome is outcome


@pytest.mark.fault("B15")
def test_line_ends_of_an_error_are_the_same_on_every_system() -> None:
    """B15."""
    event = one(hook("PostToolUseFailure", tool_name="Bash", tool_use_id="t1", error="Exit code 1\r\nE  OSError"))
    assert result_of(event).excerpt == "Exit code 1\nE  OSError"


def test_a_long_output_keeps_its_head_and_its_tail() -> None:
    text = "first\n" + "x" * 100_000 + "\nlast"
    event = one(hook("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_response={"stdout": text}))
    excerpt = result_of(event).excerpt
    assert len(excerpt) <= 2_000
    assert excerpt.startswith("first\n")
    assert excerpt.endswith("\nlast")


# --- bad payloads -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [b"", b"  ", b"{", b"[]", b"null", b'"x"', b"{}", b'{"hook_event_name":7}', b"[" * 100_000]
)
def test_bytes_that_are_no_hook_payload_are_refused_as_such(body: bytes) -> None:
    """B102."""
    with pytest.raises(PayloadError):
        events(body)


@pytest.mark.parametrize(
    ("fields", "session"),
    [
        ({"transcript_path": "/h/projects/p/abc-1.jsonl"}, "abc-1"),
        ({"cwd": "/r"}, "cwd-"),
    ],
)
def test_a_payload_without_a_session_gets_one_derived(fields: dict[str, str], session: str) -> None:
    """B102."""
    made = [one({"hook_event_name": "UserPromptSubmit", "prompt": text, **fields}) for text in ("a", "b")]
    assert made[0].session_id.startswith(session)
    assert made[0].session_id == made[1].session_id


def test_a_payload_with_nothing_to_tell_its_session_by_is_refused() -> None:
    with pytest.raises(PayloadError):
        events({"hook_event_name": "UserPromptSubmit", "prompt": "x"})


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ([{"type": "image", "source": {"data": "iVBOR"}}], ""),
        ([{"type": "text", "text": "look"}, {"type": "image"}, {"type": "text", "text": "here"}], "look\nhere"),
        (None, ""),
        (7, ""),
    ],
)
def test_a_prompt_of_images_keeps_its_words(prompt: object, text: str) -> None:
    """B102."""
    assert prompt_of(one(hook("UserPromptSubmit", prompt=prompt, prompt_id="p1"))).text == text


def test_a_prompt_without_an_id_is_known_by_its_delivery() -> None:
    payload = hook("UserPromptSubmit", prompt="continue")
    assert one(payload, delivery_id="d1").event_id != one(payload, delivery_id="d2").event_id


def test_an_unknown_way_to_start_is_a_start() -> None:
    assert one(hook("SessionStart", source="teleport")).body == SessionStart(source=StartSource.STARTUP)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1e300, 10**400, "9", True, None])
def test_a_nonsense_age_of_the_last_reply_is_no_age(seconds: object) -> None:
    body = one(hook("SessionStart", source="fork", seconds_since_last_response=seconds)).body
    assert body == SessionStart(source=StartSource.FORK)


def test_lone_surrogates_and_nuls_become_text_that_can_be_stored() -> None:
    event = one(
        b'{"hook_event_name":"UserPromptSubmit","session_id":"s\\ud800","cwd":"/r\\u0000x","prompt":"\\udfff\\ud83d\\ude00"}'
    )
    assert (event.session_id, event.cwd, prompt_of(event).text) == ("s\ufffd", "/r\ufffdx", "\ufffd\N{GRINNING FACE}")


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    "session_id", "transcript_path", "cwd", "prompt", "prompt_id", "agent_id", "source", "tool_name", "tool_use_id",
    "tool_input", "tool_response", "tool_calls", "error", "is_interrupt", "trigger", "reason",
    "seconds_since_last_response",
)  # fmt: skip


@given(
    name=st.sampled_from([*ABSTRACT_EVENTS, "PostToolBatch", "Stop"]),
    fields=st.dictionaries(st.sampled_from(FIELDS), json_values),
)
def test_whatever_the_fields_hold_there_are_encodable_events_or_a_payload_error(
    name: str, fields: dict[str, Any]
) -> None:
    body = json.dumps({"hook_event_name": name, **fields}).encode()
    try:
        made = events(body)
    except PayloadError:
        return
    for event in made:
        assert event.event_id
        repr(event).encode()


@given(st.binary(max_size=200))
def test_any_bytes_are_events_or_a_payload_error(body: bytes) -> None:
    try:
        events(body)
    except PayloadError:
        return


# --- the answer -------------------------------------------------------------------------------------------------------


@pytest.mark.row("F4")
@pytest.mark.parametrize(
    ("event_name", "hook_name"),
    [("session_start", "SessionStart"), ("user_prompt", "UserPromptSubmit"), ("pre_tool", "PreToolUse")],
)
def test_the_answer_is_the_one_document_that_reaches_the_model(event_name: str, hook_name: str) -> None:
    answer = ClaudeCode().reply(event_name, "remember: naïve \u2028 \ud800 </x>")
    assert answer.isascii()
    assert json.loads(answer) == {
        "hookSpecificOutput": {
            "hookEventName": hook_name,
            "additionalContext": "remember: naïve \u2028 \ud800 </x>",
        }
    }


@pytest.mark.row("F4")
@pytest.mark.parametrize("event_name", ["session_start", "user_prompt", "pre_tool"])
def test_nothing_to_inject_is_no_answer(event_name: str) -> None:
    assert ClaudeCode().reply(event_name, "") == b""


@pytest.mark.row("F4")
@pytest.mark.parametrize("event_name", ["post_tool", "pre_compact", "session_end", "", "Stop"])
def test_an_event_that_takes_no_context_gets_no_answer(event_name: str) -> None:
    assert ClaudeCode().reply(event_name, "text") == b""


@given(st.text(st.characters(), min_size=1))
def test_any_text_comes_back_as_it_went_in(text: str) -> None:
    answer = json.loads(ClaudeCode().reply("user_prompt", text))
    assert answer["hookSpecificOutput"]["additionalContext"] == text

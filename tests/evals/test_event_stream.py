from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tests.evals.recordings import CWD, Recording, write_rows

from wisen.core.types import (
    Event,
    Outcome,
    PostTool,
    PreTool,
    PromptChannel,
    SessionStart,
    StartSource,
    UserPrompt,
)
from wisen.evals.event_stream import beginning_of, rows_of, told
from wisen.redact import FloorRedactor


def events(recording: Recording) -> list[Event]:
    return [one.event for one in told(recording.fields, redact=FloorRedactor().redact)]


def prompts(recording: Recording) -> list[tuple[str, PromptChannel]]:
    bodies = [event.body for event in events(recording)]
    return [(body.text, body.channel) for body in bodies if isinstance(body, UserPrompt)]


def test_what_the_user_says_comes_by_the_channel_it_came_by() -> None:
    recording = Recording("s1")
    recording.say("add a field")
    recording.say("no, not in that file", kind="tool_rejection")
    recording.say("and use tabs", kind="queued")
    recording.say("Implement the following plan:\n1. go", kind="plan")
    recording.say("a stack trace", kind="paste")
    assert prompts(recording) == [
        ("add a field", PromptChannel.TYPED),
        ("no, not in that file", PromptChannel.REFUSAL),
        ("and use tabs", PromptChannel.TYPED),
        ("Implement the following plan:\n1. go", PromptChannel.HEADLESS),
        ("a stack trace", PromptChannel.TYPED),
    ]


def test_words_of_a_refusal_are_not_to_be_answered() -> None:
    recording = Recording("s1")
    recording.say("add a field")
    recording.say("no", kind="tool_rejection")
    assert [event.is_answerable for event in events(recording)] == [True, True, False]


def test_the_harness_own_messages_are_not_the_user() -> None:
    recording = Recording("s1")
    recording.say("begin")
    recording.say("<task-notification>done</task-notification>")
    recording.say("go on")
    assert [text for text, _ in prompts(recording)] == ["begin", "go on"]


@pytest.mark.parametrize(
    ("program", "fields", "channel"),
    [
        ("", {}, PromptChannel.HEADLESS),
        ("", {"source": "typed"}, PromptChannel.TYPED),
        ("codex-tui", {}, PromptChannel.TYPED),
        ("codex_exec", {}, PromptChannel.HEADLESS),
    ],
)
def test_a_prompt_that_stands_alone_was_typed_only_if_a_mark_says_so(
    program: str, fields: dict[str, str], channel: PromptChannel
) -> None:
    recording = Recording("s1", program=program)
    recording.say("add a field", **fields)
    assert prompts(recording) == [("add a field", channel)]


def test_a_plan_beside_it_makes_no_conversation_of_a_prompt() -> None:
    recording = Recording("s1")
    recording.say("Implement the following plan:\n1. go", kind="plan")
    recording.say("add a field")
    assert [channel for _, channel in prompts(recording)] == [PromptChannel.HEADLESS] * 2


def test_a_call_is_what_a_hook_would_have_told() -> None:
    recording = Recording("s1")
    recording.run("cd web && FOO=1 npx vitest run", output="2 passed")
    before, after = events(recording)[1:]
    assert isinstance(before.body, PreTool)
    assert isinstance(after.body, PostTool)
    assert before.body.call == after.body.call
    assert [segment.program for segment in before.body.call.segments] == ["cd", "vitest"]
    assert before.body.call.family == "shell"
    assert (after.body.outcome, after.body.excerpt) == (Outcome.SUCCESS, "2 passed")


@pytest.mark.parametrize(
    ("outcome", "output", "expected"),
    [
        ("failure", "Exit code 2\nno rule", [Outcome.FAILURE]),
        ("unknown", "still running", [Outcome.UNKNOWN]),
        ("failure", "The user doesn't want to proceed with this tool use.", []),
        ("failure", "<tool_use_error>File has not been read yet</tool_use_error>", []),
    ],
)
def test_a_call_ends_as_its_hook_would_have_told(outcome: str, output: str, expected: list[Outcome]) -> None:
    recording = Recording("s1")
    recording.run("make", output, outcome)
    bodies = [event.body for event in events(recording)]
    assert [body.outcome for body in bodies if isinstance(body, PostTool)] == expected


def test_times_never_go_back_and_no_two_are_the_same() -> None:
    recording = Recording("s1")
    recording.say("begin")
    recording.run("make")
    recording.compact()
    for row in recording.rows[2:]:
        row["t"] = recording.rows[0]["t"]
    times = [event.at for event in events(recording)]
    assert len(times) == 6
    assert all(one < other for one, other in pairwise(times))


def test_a_compaction_is_its_two_hooks() -> None:
    recording = Recording("s1")
    recording.compact()
    found = events(recording)
    assert [event.name for event in found] == ["session_start", "pre_compact", "session_start"]
    assert found[2].body == SessionStart(source=StartSource.COMPACT)
    assert len({event.event_id for event in found}) == 3


def test_a_command_ran_in_its_own_directory_only_if_that_is_below_the_session_s() -> None:
    recording = Recording("s1")
    recording.call("Bash", {"command": "make", "workdir": f"{CWD}/web"})
    recording.call("Bash", {"command": "make", "workdir": "/home/dev/other"})
    assert [event.cwd for event in events(recording)] == [CWD, f"{CWD}/web", f"{CWD}/web", CWD, CWD]


def test_a_secret_in_a_command_is_gone_before_the_command_is_taken_apart() -> None:
    recording = Recording("s1")
    recording.run("curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' https://api.github.com")
    assert "ghp_" not in repr(events(recording))


def test_lines_are_ordered_by_their_number(tmp_path: Path) -> None:
    recording = Recording("s1")
    recording.say("begin")
    recording.say("go on")
    path = write_rows(tmp_path / "s1.jsonl.gz", [recording.rows[2], recording.rows[0], recording.rows[1]])
    assert [row.text("text") for row in rows_of(path)][1:] == ["begin", "go on"]


def test_a_session_without_a_beginning_tells_nothing() -> None:
    recording = Recording("s1")
    recording.say("begin")
    assert list(told(recording.fields[1:], redact=str)) == []
    assert beginning_of(recording.fields[1:]) is None


def test_a_beginning_that_is_no_json_is_one_without_a_place() -> None:
    recording = Recording("s1")
    recording.rows[0]["text"] = "not json"
    beginning = beginning_of(recording.fields)
    assert beginning is not None
    assert (beginning.session_id, beginning.cwd, beginning.agent) == ("s1", "", "")

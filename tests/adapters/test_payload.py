from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.adapters.payload import COMMAND_CHARS, SUMMARY_CHARS, result_text, says_failure, tool_call
from wisen.core.excerpts import excerpt
from wisen.core.types import ToolCall
from wisen.transcripts.fields import JsonValue


def call(tool: str, tool_input: JsonValue) -> ToolCall:
    return tool_call(call_id="t1", tool=tool, tool_input=tool_input)


@pytest.mark.parametrize(
    ("tool", "family"),
    [
        ("Bash", "shell"),
        ("Read", "read"),
        ("Grep", "search"),
        ("Glob", "search"),
        ("LS", "search"),
        ("Edit", "edit"),
        ("Write", "edit"),
        ("MultiEdit", "edit"),
        ("NotebookEdit", "edit"),
        ("Agent", "task"),
        ("Task", "task"),
        ("TaskCreate", "task"),
        ("mcp__x__y", "other"),
        ("", "other"),
    ],
)
def test_a_tool_belongs_to_one_family(tool: str, family: str) -> None:
    assert call(tool, {}).family == family


@pytest.mark.parametrize(
    ("tool_input", "command"),
    [
        ("ls", "ls"),
        ({"command": "ls"}, "ls"),
        ({"command": ["a", "b c"]}, "a 'b c'"),
        (["a", "b"], "a b"),
        (None, ""),
        ([], ""),
        ({}, ""),
        ({"command": None}, ""),
        ({"command": {"x": 1}}, ""),
        (7, ""),
    ],
)
def test_a_shell_input_of_any_shape_gives_its_command(tool_input: JsonValue, command: str) -> None:
    """B101."""
    assert call("Bash", tool_input).command == command


@pytest.mark.parametrize("tool", ["Bash", "Read", "Task", "mcp__x__y"])
@pytest.mark.parametrize("tool_input", ["ls", None, [], {"command": ["a", "b"]}, {"file_path": 7}, 3.5, True])
def test_no_shape_of_an_input_is_an_error(tool: str, tool_input: JsonValue) -> None:
    """B101."""
    assert call(tool, tool_input).digest


@pytest.mark.parametrize("name", ["file_path", "notebook_path", "path"])
def test_the_path_is_found_under_each_of_its_names(name: str) -> None:
    assert call("Read", {name: "/r/a.py"}).path == "/r/a.py"


def test_a_created_task_is_summed_up_by_its_subject_and_description() -> None:
    assert call("TaskCreate", {"subject": "Add retries", "description": "to the client"}).summary == (
        "Add retries\nto the client"
    )


def test_the_digest_covers_what_the_bounds_cut() -> None:
    long = "x" * 50_000
    one, other = call("Bash", {"command": long + "a" + long}), call("Bash", {"command": long + "b" + long})
    assert len(one.command) == COMMAND_CHARS
    assert one.command == other.command
    assert one.digest != other.digest


def test_the_order_of_an_inputs_fields_does_not_change_its_digest() -> None:
    assert call("X", {"a": 1, "b": 2}).digest == call("X", {"b": 2, "a": 1}).digest


def test_the_summary_of_a_giant_input_is_bounded() -> None:
    assert len(call("Write", {"content": "x" * 10**6}).summary) == SUMMARY_CHARS


@given(text=st.text(), limit=st.integers(60, 300))
def test_an_excerpt_never_exceeds_its_limit_and_keeps_short_text(text: str, limit: int) -> None:
    cut = excerpt(text, limit)
    assert len(cut) <= limit
    whole = text.replace("\r\n", "\n")
    assert cut == whole if len(whole) <= limit else cut[:10] == whole[:10]


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"stdout": "out\n", "stderr": "err\n"}, "out\nerr"),
        ({"stdout": "", "stderr": ""}, ""),
        ({"type": "text", "file": {"content": "body"}}, "body"),
        ("plain", "plain"),
        (None, ""),
        ({"n": 1}, '{"n": 1}'),
    ],
)
def test_a_result_is_the_text_in_it(response: JsonValue, text: str) -> None:
    assert result_text(response) == text


@pytest.mark.row("F5")
@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"stdout": "ok", "stderr": "", "interrupted": False}, False),
        ({"stdout": "", "stderr": "warning", "exit_code": 0}, False),
        ({"stdout": "", "exit_code": 2}, True),
        ({"output": "x", "exitCode": 1}, True),
        ({"returncode": -9}, True),
        ({"is_error": True, "stdout": ""}, True),
        ({"isError": True, "content": [{"type": "text", "text": "no"}]}, True),
        ({"content": [{"type": "tool_result", "is_error": True, "content": "no"}]}, True),
        ([{"type": "text", "text": "fine"}], False),
        ([{"type": "tool_result", "is_error": True}], True),
        ([{"type": "text", "text": "Exit code 3\nboom"}], True),
        ("Exit code 1\nboom", True),
        ("Error: Exit code 127\nno such program", True),
        ("Exit Code: 2", True),
        ("Exit code 0\nfine", False),
        ("the log says: Exit code 1", False),
        ("", False),
        (None, False),
        (7, False),
    ],
)
def test_a_result_says_itself_that_the_call_failed(response: JsonValue, expected: bool) -> None:
    assert says_failure(response, is_shell=True) is expected


@pytest.mark.row("F5")
def test_what_a_file_says_of_exit_codes_is_no_failure_of_reading_it() -> None:
    assert not says_failure("Exit code 1 means that nothing matched", is_shell=False)

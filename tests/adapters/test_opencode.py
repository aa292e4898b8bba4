"""What OpenCode's plugin sends, in the shapes that 1.18.33 has, and how it is answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0
from tests.worlds import World

from wisen.adapters.claude_code import ClaudeCode
from wisen.adapters.opencode import OpenCode
from wisen.adapters.registry import Adapter
from wisen.core.recalls import MemoryFilter
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


def one(hook: str, *, entrypoint: str = "tui", redact: Callable[[str], str] = str, **fields: object) -> Event:
    payload = {"hook_event_name": hook, "session_id": "ses_1", "agent_id": "", "cwd": "/repo", **fields}
    (event,) = OpenCode().events(
        json.dumps(payload).encode(), entrypoint=entrypoint, delivery_id="d1", received_at=T0, redact=redact
    )
    return event


def ended(tool: str, **fields: Any) -> PostTool:
    body = one("tool.execute.after", tool_name=tool, tool_use_id="c1", **fields).body
    assert isinstance(body, PostTool)
    return body


def test_a_prompt_is_its_own_parts_and_is_known_by_its_message() -> None:
    event = one("chat.message", prompt_id="msg_1", parts=[{"text": "use pnpm"}, {"text": "here"}])
    assert event.body == UserPrompt(text="use pnpm\nhere", channel=PromptChannel.TYPED, prompt_id="msg_1")
    assert (event.event_id, event.harness, event.session_id, event.cwd) == (
        "prompt:msg_1",
        "opencode",
        "ses_1",
        "/repo",
    )


@pytest.mark.parametrize(
    ("entrypoint", "agent", "channel"),
    [
        ("tui", "", PromptChannel.TYPED),
        ("tui", "ses_2", PromptChannel.HEADLESS),
        ("headless", "", PromptChannel.HEADLESS),
        ("", "", PromptChannel.HEADLESS),
    ],
)
def test_only_what_is_typed_at_the_terminal_is_a_persons_word(
    entrypoint: str, agent: str, channel: PromptChannel
) -> None:
    event = one("chat.message", entrypoint=entrypoint, agent_id=agent, parts=[{"text": "use pnpm"}])
    assert isinstance(event.body, UserPrompt)
    assert event.body.channel is channel
    assert event.agent_id == agent
    assert OpenCode().is_interactive(entrypoint) is (entrypoint == "tui")


@pytest.mark.parametrize(
    ("entrypoint", "said", "meant"),
    [
        ("headless", '"use pnpm here"', "use pnpm here"),
        ("headless", '"say \\"hi\\" to them"', 'say "hi" to them'),
        ("headless", '"one" and "two"', '"one" and "two"'),
        ("headless", '"', '"'),
        ("tui", '"use pnpm here"', '"use pnpm here"'),
    ],
)
def test_the_marks_that_the_command_line_adds_are_not_the_users(entrypoint: str, said: str, meant: str) -> None:
    body = one("chat.message", entrypoint=entrypoint, parts=[{"text": said}]).body
    assert isinstance(body, UserPrompt)
    assert body.text == meant


@pytest.mark.parametrize(
    ("tool", "fields", "outcome"),
    [
        ("bash", {"exit": 0, "output": "ok"}, Outcome.SUCCESS),
        ("bash", {"exit": 1, "output": "no"}, Outcome.FAILURE),
        ("bash", {"exit": None, "output": "stopped"}, Outcome.UNKNOWN),
        ("bash", {"error": "Tool execution aborted"}, Outcome.UNKNOWN),
        ("read", {"error": "File not found: /repo/nope.py"}, Outcome.FAILURE),
        ("read", {"output": "text", "exit": None}, Outcome.SUCCESS),
        ("mem_recall", {"output": [{"type": "text", "text": "x"}], "exit": None}, Outcome.SUCCESS),
    ],
)
def test_the_end_of_a_call_says_how_it_ended(tool: str, fields: dict[str, object], outcome: Outcome) -> None:
    assert ended(tool, **fields).outcome is outcome


def test_calls_are_known_by_the_names_and_paths_that_the_core_knows() -> None:
    event = one(
        "tool.execute.before",
        tool_name="edit",
        tool_use_id="c1",
        tool_input={"filePath": "/repo/calc.py", "oldString": "a", "newString": "b"},
    )
    assert isinstance(event.body, PreTool)
    call = event.body.call
    assert (call.tool, call.family, call.path, event.event_id) == ("Edit", "edit", "/repo/calc.py", "pre_tool:c1")
    shell = ended("bash", tool_input={"command": "sh check.sh", "description": "check"}, exit=1, output="bad").call
    assert (shell.family, shell.command, [segment.program for segment in shell.segments]) == (
        "shell",
        "sh check.sh",
        ["sh"],
    )
    assert ended("task", tool_input={"prompt": "survey it"}, output="done", exit=None).call.family == "task"


def test_a_failure_that_is_told_twice_has_one_key() -> None:
    first = one("tool.execute.after", tool_name="bash", tool_use_id="c1", exit=1, output="x")
    again = one("tool.execute.after", tool_name="bash", tool_use_id="c1", error="x")
    assert first.event_id == again.event_id == "post_tool:c1"


@pytest.mark.parametrize("source", list(StartSource))
def test_a_session_begins_ends_and_is_compacted(source: StartSource) -> None:
    begun = StartSource.CLEAR if source is StartSource.RESUME else source  # no history holds what was recalled
    assert one("session.start", source=source.value).body == SessionStart(source=begun)
    assert one("session.end", reason="exit").body == SessionEnd(reason="exit")
    assert one("experimental.session.compacting").body == PreCompact(automatic=True)
    assert [
        hook
        for hook in ("session.end", "experimental.session.compacting", "chat.message")
        if OpenCode().ends_context(hook)
    ] == ["session.end", "experimental.session.compacting"]


def test_secrets_are_gone_and_identifiers_are_not() -> None:
    event = one(
        "chat.message",
        session_id="ses_dd2518a20ffeDVYGytjc7KWOq1",
        prompt_id="msg_22dae76490018KVLPDymj75XBs",
        parts=[{"text": "the key is hunter2"}],
        redact=lambda text: text.replace("hunter2", "[gone]") if "hunter2" in text else "[all gone]",
    )
    assert isinstance(event.body, UserPrompt)
    assert event.body.text == "the key is [gone]"
    assert (event.session_id, event.event_id) == (
        "ses_dd2518a20ffeDVYGytjc7KWOq1", "prompt:msg_22dae76490018KVLPDymj75XBs",
    )  # fmt: skip


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b"\xff", b'{"hook_event_name":"chat.message"}', b"[" * 9999])
def test_what_is_no_payload_is_an_error_of_its_own(payload: bytes) -> None:
    with pytest.raises(PayloadError):
        OpenCode().events(payload, entrypoint="tui", delivery_id="d", received_at=T0, redact=str)


def test_a_hook_that_is_of_no_use_says_nothing() -> None:
    payload = b'{"hook_event_name":"file.edited","session_id":"s"}'
    assert OpenCode().events(payload, entrypoint="tui", delivery_id="d", received_at=T0, redact=str) == ()


@given(
    st.dictionaries(
        st.sampled_from(["parts", "tool_name", "tool_use_id", "tool_input", "output", "exit", "error", "prompt_id"]),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text()
        | st.lists(st.text())
        | st.dictionaries(st.text(), st.text()),
    ),
    st.sampled_from(["chat.message", "tool.execute.before", "tool.execute.after", "session.start"]),
)
def test_fields_of_any_kind_are_read_or_refused(fields: dict[str, Any], hook: str) -> None:
    one(hook, **fields)


def test_the_answer_is_plain_json_for_the_plugin() -> None:
    reply = OpenCode().reply
    assert json.loads(reply("user_prompt", "Käse", notice="look")) == {"context": "Käse", "notice": "look"}
    assert reply("user_prompt", "Käse").isascii()
    assert reply("post_tool", "text") == b""
    assert reply("session_start", "") == b""


# --- one story, told by two harnesses -----------------------------------------------------------------------------

RULE = "we use pnpm here, not npm"
CHECK, MEND = "sh check.sh", "sh make.sh"
ERROR = "error: made is missing"


def by_claude_code() -> list[tuple[dict[str, object], str]]:
    def shell(n: int, command: str, error: str = "") -> list[tuple[dict[str, object], str]]:
        call = {"tool_name": "Bash", "tool_use_id": f"c{n}", "tool_input": {"command": command}}
        end = (
            {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{error}"}
            if error
            else {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok", "stderr": ""}}
        )
        return [({"hook_event_name": "PreToolUse", **call}, "cli"), ({**end, **call}, "cli")]

    return [
        ({"hook_event_name": "SessionStart", "source": "startup"}, "cli"),
        ({"hook_event_name": "UserPromptSubmit", "prompt": RULE, "prompt_id": "p1"}, "cli"),
        *shell(1, CHECK, ERROR),
        *shell(2, MEND),
        *shell(3, CHECK),
        ({"hook_event_name": "SessionEnd", "reason": "other"}, "cli"),
    ]


def by_opencode() -> list[tuple[dict[str, object], str]]:
    def shell(n: int, command: str, error: str = "") -> list[tuple[dict[str, object], str]]:
        call = {"tool_name": "bash", "tool_use_id": f"c{n}", "tool_input": {"command": command}}
        end = {"exit": 1 if error else 0, "output": error or "ok"}
        return [
            ({"hook_event_name": "tool.execute.before", **call}, "tui"),
            ({"hook_event_name": "tool.execute.after", **call, **end}, "tui"),
        ]

    return [
        ({"hook_event_name": "session.start", "source": "startup"}, "tui"),
        (
            {"hook_event_name": "chat.message", "parts": [{"text": "we use pnpm here, not npm"}], "prompt_id": "m1"},
            "tui",
        ),
        *shell(1, CHECK, ERROR),
        *shell(2, MEND),
        *shell(3, CHECK),
        ({"hook_event_name": "session.end", "reason": "exit"}, "tui"),
    ]


def played(adapter: Adapter, story: Sequence[tuple[dict[str, object], str]]) -> tuple[set[str], str]:
    """Play a story and the start of a second session; return what was learned, and what that one is given."""
    world = World()
    for number, (payload, entrypoint) in enumerate(story):
        world.clock.advance(milliseconds=1)
        for event in adapter.events(
            json.dumps({"session_id": "s1", "cwd": "/repo", "transcript_path": "", **payload}).encode(),
            entrypoint=entrypoint,
            delivery_id=f"d{number}",
            received_at=world.clock.at,
            redact=str,
        ):
            world.feed(event)
    world.run_jobs()
    learned = {
        memory.text for graph in world.graphs.graphs() for memory in world.graphs.open(graph).list(MemoryFilter())
    }
    start, entrypoint = story[0]
    (event,) = adapter.events(
        json.dumps({**start, "session_id": "s2", "cwd": "/repo", "transcript_path": ""}).encode(),
        entrypoint=entrypoint,
        delivery_id="start",
        received_at=world.clock.at,
        redact=str,
    )
    block = world.feed(event)
    return learned, block.text.partition("\n")[2] if block else ""


@pytest.mark.row("F6")
def test_the_same_story_teaches_the_same_whichever_harness_tells_it() -> None:
    claude, there = played(ClaudeCode(), by_claude_code()), played(OpenCode(), by_opencode())
    assert claude[0] == there[0]
    assert len(there[0]) == 2
    assert RULE in there[1]
    assert [line.partition("] ")[2] for line in claude[1].splitlines()] == [
        line.partition("] ")[2] for line in there[1].splitlines()
    ]


@pytest.mark.row("L5")
def test_its_memories_are_in_graphs_of_its_own_and_need_no_other_schema() -> None:
    world = World()
    for number, (payload, entrypoint) in enumerate(by_opencode()):
        for event in OpenCode().events(
            json.dumps({"session_id": "s1", "cwd": "/repo", **payload}).encode(),
            entrypoint=entrypoint, delivery_id=f"d{number}", received_at=T0, redact=str,
        ):  # fmt: skip
            world.feed(event)
    world.run_jobs()
    assert {graph.harness for graph in world.graphs.graphs()} == {"opencode"}

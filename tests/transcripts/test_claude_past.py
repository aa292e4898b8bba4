"""Which sessions lie on the disk, by a look at both ends of each file."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0
from tests.pastfiles import ran, unmarked, user, write

from wisen.core.past import TITLE_CHARS, Said
from wisen.core.types import Event, Outcome, PostTool, PromptChannel
from wisen.transcripts import claude_past
from wisen.transcripts.claude_code import Reading
from wisen.transcripts.claude_past import config_dir, look, session_files
from wisen.transcripts.claude_prompts import Prompt

THINKING = {
    "type": "assistant",
    "message": {
        "content": [{"type": "thinking", "thinking": "the user wants tabs"}, {"type": "text", "text": "Done."}]
    },
}


def test_session_files_are_found_below_the_configuration_its_projects_or_one_of_them(tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    one, two = write(projects / "-a", "s1", user("x")), write(projects / "-b", "s2", user("y"))
    write(projects / "-a", "agent-77", user("side"))
    write(projects / "-a" / "s1" / "subagents", "agent-78", user("side"))
    (projects / "-a" / "notes.txt").write_text("no session")
    (projects / "-a" / "folder.jsonl").mkdir()
    assert session_files(tmp_path) == (one, two)
    assert session_files(projects) == (one, two)
    assert session_files(projects / "-b") == (two,)
    assert session_files(tmp_path / "nowhere") == ()


def test_the_configuration_is_where_the_environment_says() -> None:
    assert config_dir({}, Path("/home/dev")) == Path("/home/dev/.claude")
    assert config_dir({"CLAUDE_CONFIG_DIR": "/etc/cc"}, Path("/home/dev")) == Path("/etc/cc")


def test_the_two_ends_of_a_file_tell_where_and_when_it_was(tmp_path: Path) -> None:
    lines = [{"type": "summary", "summary": "of another session"}, user("build it", 0), user("more", 90, cwd="/other")]
    path = write(tmp_path / "-repo", "s1", *lines)
    found = look(path)
    assert found is not None
    assert (found.session_id, found.project, found.cwd, found.size) == ("s1", "-repo", "/repo", path.stat().st_size)
    assert (found.first_at, found.last_at) == (T0, T0 + timedelta(minutes=90))


def test_a_large_file_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_past, "_HEAD_BYTES", 2000)
    monkeypatch.setattr(claude_past, "_TAIL_BYTES", 2000)
    path = write(tmp_path, "s1", *(user("x" * 300, minute) for minute in range(50)))
    path.write_bytes(path.read_bytes().replace(b'"x', b"\xff", 1))
    found = look(path)
    assert found is not None
    assert (found.first_at, found.last_at) == (T0 + timedelta(minutes=1), T0 + timedelta(minutes=49))


def test_a_file_that_tells_nothing_or_can_not_be_read_is_none_or_empty(tmp_path: Path) -> None:
    empty = look(write(tmp_path, "s1"))
    assert empty is not None
    assert (empty.cwd, empty.first_at, empty.title) == ("", None, "")
    assert look(tmp_path / "none.jsonl") is None
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert look(tmp_path / "pipe.jsonl") is None


# --- C32


@pytest.mark.row("C32")
def test_a_session_is_called_what_the_harness_called_it(tmp_path: Path) -> None:
    found = look(write(tmp_path, "s1", user("build it"), {"type": "ai-title", "aiTitle": "Build the widget"}))
    assert found is not None
    assert found.title == "Build the widget"


@pytest.mark.row("C32")
def test_else_by_the_first_200_characters_that_the_user_said(tmp_path: Path) -> None:
    lines = [
        user("a note", isMeta=True),
        user("<command-name>/clear</command-name>"),
        user("build the\n widget " + "x" * 300),
        user("second"),
    ]
    found = look(write(tmp_path, "s1", *lines))
    assert found is not None
    assert found.title.startswith("build the widget xxx")
    assert len(found.title) == TITLE_CHARS


@pytest.mark.row("C32")
def test_thinking_is_skipped_and_an_error_is_marked(tmp_path: Path) -> None:
    from wisen.adapters.claude_file import FileEvents

    lines = [user("build it"), THINKING, *ran("make", "Exit code 2\nno rule", 1, call="t1", fails=True)]
    reading = Reading(write(tmp_path, "s1", *lines))
    events: list[Event] = list(FileEvents(reading, known=(), redact=str))
    assert "tabs" not in str(events)
    assert [e.body.outcome for e in events if isinstance(e.body, PostTool)] == [Outcome.FAILURE]
    assert {e.branch for e in events} == {"main"}


@pytest.mark.row("C32")
def test_what_one_speaker_says_in_several_lines_stays_in_order_and_each_once(tmp_path: Path) -> None:
    line = user("build it")
    assert [text for text, _ in said(write(tmp_path, "s1", line, line, user("and test it", 1)))] == [
        "build it",
        "and test it",
    ]


# --- who said it, where no line says it


def said(path: Path, *, assume: bool | None = None) -> list[tuple[str, PromptChannel]]:
    return [(f.text, f.channel) for f in Reading(path, assume_interactive=assume) if isinstance(f, Prompt)]


def split(path: Path) -> dict[Said, int]:
    reading = Reading(path, assume_interactive=None)
    list(reading)
    return dict(reading.split)


def test_two_prompts_without_a_mark_are_a_conversation_one_is_a_script(tmp_path: Path) -> None:
    one = write(tmp_path, "one", unmarked("hello"))
    two = write(tmp_path, "two", unmarked("hello"), unmarked("more", 1))
    assert [channel for _, channel in said(one)] == [PromptChannel.HEADLESS]
    assert [channel for _, channel in said(two)] == [PromptChannel.TYPED] * 2
    assert (split(one), split(two)) == ({Said.ALONE: 1}, {Said.IN_CONVERSATION: 2})


def test_a_refusal_with_words_is_one_of_two(tmp_path: Path) -> None:
    refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nno tabs"
    lines = [unmarked("hello"), *ran("ls", refused, 1, call="t1", fails=True)]
    lines = [{name: value for name, value in line.items() if name != "entrypoint"} for line in lines]
    assert said(write(tmp_path, "s1", *lines)) == [("hello", PromptChannel.TYPED), ("no tabs", PromptChannel.REFUSAL)]


def test_what_is_marked_does_not_make_a_conversation_of_what_is_not(tmp_path: Path) -> None:
    lines = [unmarked("hello"), user("from a script", 1, entrypoint="sdk-cli", promptSource="sdk")]
    assert split(write(tmp_path, "s1", *lines)) == {Said.ALONE: 1, Said.HEADLESS: 1}


def test_a_copied_line_and_a_plan_make_no_conversation(tmp_path: Path) -> None:
    line = unmarked("hello")
    plan = unmarked("Implement the following plan: tabs", 2)
    assert split(write(tmp_path, "s1", line, line, plan)) == {Said.ALONE: 1, Said.HEADLESS: 1}


def test_the_callers_word_counts_where_there_is_one(tmp_path: Path) -> None:
    path = write(tmp_path, "s1", unmarked("hello"))
    assert said(path, assume=True) == [("hello", PromptChannel.TYPED)]


def test_words_of_the_harness_are_counted_and_nobodys(tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user("hello"), user("a timer rang", 1, promptSource="system"))
    assert split(path) == {Said.TYPED: 1, Said.BY_SYSTEM: 1}
    assert [text for text, _ in said(path)] == ["hello"]

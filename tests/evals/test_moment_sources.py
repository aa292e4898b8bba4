"""What happened where a lesson was learned is seen with the eyes of the live path."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.recordings import Recording, write_sessions

from wisen.core.types import Trigger
from wisen.errors import NotFound
from wisen.evals.moment_sources import Origin, Sessions
from wisen.evals.places import Place

REPO = "acme/widgets"


def origin(folder: Path, recording: Recording, seq: int) -> Origin:
    write_sessions(folder / "acme+widgets", recording)
    return Sessions(folder).session(REPO, "s1").origin(Place("s1", seq), quote="Unknown skill: commit")


@pytest.mark.parametrize("half", [0, 1])
def test_a_failure_has_its_command_its_error_and_the_trigger_of_its_recipe(tmp_path: Path, half: int) -> None:
    recording = Recording("s1")
    seq = recording.fail("rtk bun run test", "error: unrecognized subcommand 'bun'")
    recording.run("bun run test")
    assert origin(tmp_path, recording, seq + half) == Origin(
        command="rtk bun run test",
        error="error: unrecognized subcommand 'bun'",
        trigger=Trigger(program="rtk", subcommand="bun run", error_class="unknown-subcommand"),
        is_recipe=True,
    )


def test_where_wisen_makes_no_recipe_the_call_that_failed_is_the_signature(tmp_path: Path) -> None:
    recording = Recording("s1")
    seq = recording.fail("gh pr diff 88 --stat", "unknown flag: --stat")
    found = origin(tmp_path, recording, seq)
    assert found.trigger == Trigger(program="gh", subcommand="pr diff", flags=("--stat",), error_class="unknown-option")
    assert not found.is_recipe


def test_a_failure_that_says_nothing_has_no_signature(tmp_path: Path) -> None:
    recording = Recording("s1")
    assert origin(tmp_path, recording, recording.fail("grep -r zebra src", "")).trigger is None


def test_a_search_has_the_names_it_was_for(tmp_path: Path) -> None:
    recording = Recording("s1")
    seq = recording.call("Grep", {"pattern": "class RowReader"}, "src/rows.py")
    found = origin(tmp_path, recording, seq)
    assert (found.names, found.trigger, found.error) == (("RowReader",), None, "")


def test_a_prompt_is_no_call(tmp_path: Path) -> None:
    recording = Recording("s1")
    assert origin(tmp_path, recording, recording.say("always run the linter")) == Origin()


def test_of_a_call_of_whose_end_no_hook_tells_the_label_has_the_error(tmp_path: Path) -> None:
    recording = Recording("s1")
    refused = "<tool_use_error>Unknown skill: commit</tool_use_error>"
    seq = recording.call("Skill", {"skill": "commit"}, refused, "failure")
    assert origin(tmp_path, recording, seq + 1).error == "Unknown skill: commit"


def test_a_call_that_worked_has_no_error(tmp_path: Path) -> None:
    recording = Recording("s1")
    assert origin(tmp_path, recording, recording.run("make")).error == ""


def test_secrets_are_gone_before_anything_is_indexed(tmp_path: Path) -> None:
    recording = Recording("s1")
    seq = recording.fail(
        "curl -H 'Authorization: Bearer abcdEFGH12345678ijklMNOP' https://api.test/x", "error: refused"
    )
    assert "abcdEFGH12345678" not in origin(tmp_path, recording, seq).command


def test_a_session_without_a_record_has_no_events_and_a_repository_without_any_is_an_error(tmp_path: Path) -> None:
    write_sessions(tmp_path / "acme+widgets", Recording("s1"))
    assert Sessions(tmp_path).session(REPO, "s9").events == ()
    with pytest.raises(NotFound, match="acme/other"):
        Sessions(tmp_path).session("acme/other", "s1")

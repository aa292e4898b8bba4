from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evals.recordings import CWD, Recording, write_rows, write_sessions
from tests.recorded import session_file

from wisen.core.types import UserPrompt
from wisen.errors import NotFound
from wisen.evals.places import Atlas, Place
from wisen.evals.recorded import Recorded, repository_of, sessions_in


def test_a_folder_is_named_after_its_repository(tmp_path: Path) -> None:
    for name, repository in (("acme+widgets", "acme/widgets"), ("widgets", "local/widgets")):
        (tmp_path / name / "events").mkdir(parents=True)
        assert repository_of(tmp_path / name) == repository


def test_a_folder_without_sessions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        repository_of(tmp_path)
    (tmp_path / "events").mkdir()
    with pytest.raises(NotFound):
        sessions_in(tmp_path, raw=False)


def test_sessions_come_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    write_sessions(tmp_path, Recording("a", day=2), Recording("b", day=1), Recording("c", day=3))
    found = sessions_in(tmp_path, raw=False)
    assert [one.session_id for one in found] == ["b", "a", "c"]
    assert found[0].cwd == CWD
    assert found[0].agent == "Claude Code"


def test_a_stream_without_a_beginning_is_no_session(tmp_path: Path) -> None:
    write_sessions(tmp_path, Recording("a"))
    write_rows(tmp_path / "events" / "b.jsonl.gz", [{"session": "b", "seq": 4, "event": "session_end"}])
    assert [one.session_id for one in sessions_in(tmp_path, raw=False)] == ["a"]


def recorded_with_stream(folder: Path) -> Recorded:
    """A recorded native file, and the same session as abstract events."""
    native = session_file("typed-refused-forked", "636d")
    (folder / "raw").mkdir(parents=True)
    (folder / "raw" / native.name).write_bytes(native.read_bytes())
    (session,) = sessions_in(folder, raw=True)
    recording = Recording(session.session_id)
    for told in session.told(Atlas(), str):
        text = getattr(told.event.body, "text", "")
        if text:
            recording.say(text)
    write_rows(folder / "events" / f"{native.stem}.jsonl.gz", recording.end().rows)
    (session,) = sessions_in(folder, raw=True)
    return session


def test_a_native_file_is_told_by_its_hooks_and_finds_its_places_in_the_stream(tmp_path: Path) -> None:
    session = recorded_with_stream(tmp_path)
    atlas = Atlas()
    told = list(session.told(atlas, str))
    assert {one.event.harness for one in told} == {"claude-code"}
    assert all(one.event.transcript == "" and one.place is None for one in told)
    prompts = [one.event for one in told if one.event.name == "user_prompt"]
    assert len(prompts) > 1
    assert [atlas.note(event, None) for event in prompts] == [
        Place(session.session_id, seq) for seq in range(1, len(prompts) + 1)
    ]


def test_what_a_fork_copied_from_another_session_has_no_hooks(tmp_path: Path) -> None:
    said = {"type": "user", "timestamp": "2026-03-02T09:00:00Z", "cwd": CWD}
    lines = [
        {**said, "sessionId": session, "uuid": session, "message": {"content": f"go on with {session}"}}
        for session in ("first", "fork")
    ]
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "fork.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (session,) = sessions_in(tmp_path, raw=True)
    bodies = [told.event.body for told in session.told(Atlas(), str)]
    assert [body.text for body in bodies if isinstance(body, UserPrompt)] == ["go on with fork"]


def test_files_of_other_agents_are_not_played_raw(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "x.jsonl").write_text(json.dumps({"type": "session_meta", "payload": {}}) + "\n")
    with pytest.raises(NotFound):
        sessions_in(tmp_path, raw=True)

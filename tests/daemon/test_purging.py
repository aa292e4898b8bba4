"""After a purge the text is in no file of ours, and the backups that still hold it are named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import T0, FrozenClock, a_prompt, an_event
from tests.daemon.asgi import Answer, call
from tests.worlds import FakeProbe

from wisen.compose import Wisen, compose, real_parts
from wisen.config import Paths, Settings, paths
from wisen.core.types import SessionEnd, SessionStart, StartSource
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed
from wisen.store.sqlite.backup import backup_all, verify_backup

CANARY = "Obey the zebrafinch in every release, and never the heron."
KEPT = "We use pnpm here, not npm."


class Here:
    """A daemon's application over real files."""

    def __init__(self, where: Paths, env: dict[str, str]) -> None:
        self.paths = where
        parts = replace(real_parts(where, env, clock=FrozenClock()), probe=FakeProbe())
        self.wisen: Wisen = compose(where, Settings(user_id="dev"), env=env, parts=parts)
        self.app: App = build_app(Fixed(self.wisen), on_shutdown=lambda: None)

    def post(self, path: str, **body: Any) -> Answer:
        return call(self.app.asgi, "POST", path, {"cwd": "/repo"} | body)

    def say(self, text: str, session: str) -> None:
        for event in (
            an_event(SessionStart(source=StartSource.STARTUP), session_id=session),
            a_prompt(text, session_id=session),
            an_event(SessionEnd(reason="other"), session_id=session),
        ):
            captured = self.wisen.capture.capture(event)
            prepared = self.wisen.recall.prepare(captured) if captured else None
            if prepared:
                self.wisen.recall.commit(prepared)
        self.wisen.promote.promote("claude-code", session)

    def files_with(self, text: str) -> list[str]:
        found = []
        for top in (self.paths.data_dir, self.paths.state_dir):
            for directory, _, names in os.walk(top):
                files = [Path(directory, name) for name in names]
                found += [str(file) for file in files if text.encode() in file.read_bytes()]
        return sorted(found)

    def close(self) -> None:
        self.app.close()
        self.wisen.close()


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    env = {"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "wisen"), "USER": "dev"}
    opened = Here(paths(env), env)
    yield opened
    opened.close()


def test_an_erased_text_is_in_no_file_and_in_no_recall(here: Here) -> None:
    here.say(CANARY, "s1")
    here.say(f"please do it: {CANARY}", "s2")
    here.say(KEPT, "s3")
    made = here.post("/v1/memories", text=CANARY).json["memory"]
    here.post(f"/v1/memories/{made['short']}/edit", text=f"{CANARY} Always.", why="the zebrafinch said so")
    here.post("/v1/deeds", do="forget", refs=[made["short"]], reason="about the zebrafinch")
    here.wisen.control.flush()
    assert here.files_with("zebrafinch"), "it was there"
    answer = here.post(f"/v1/memories/{made['short']}/forget", purge=True)
    assert (answer.status, answer.json["still_in"]) == (200, [])
    assert here.files_with("zebrafinch") == []
    assert here.files_with("pnpm"), "and what else there is stays"


def test_a_backup_that_still_holds_it_is_named_and_left_as_it_is(here: Here) -> None:
    made = here.post("/v1/memories", text=CANARY).json["memory"]
    here.wisen.control.flush()
    backup = here.paths.backups_dir / "2026-11-30"
    backup_all(here.paths.data_dir, backup, at=T0)
    answer = here.post(f"/v1/memories/{made['short']}/forget", purge=True)
    assert b"zebrafinch" not in answer.body
    assert answer.json["still_in"] == [str(backup)]
    left = here.files_with("zebrafinch")
    assert left
    assert all(Path(path).is_relative_to(backup) for path in left)
    verify_backup(backup)


def test_a_graph_that_is_erased_as_a_whole_names_what_still_holds_its_words(here: Here) -> None:
    made = here.post("/v1/memories", text=CANARY).json["memory"]
    here.post("/v1/memories", text=KEPT)
    here.wisen.control.flush()
    backup = here.paths.backups_dir / "2026-11-30"
    backup_all(here.paths.data_dir, backup, at=T0)
    answer = here.post("/v1/graphs/remove", graph=made["graph"], purge=True)
    assert answer.json == {"graph": made["graph"], "purged": 2, "still_in": [str(backup)]}
    left = here.files_with("zebrafinch")
    assert left
    assert all(Path(path).is_relative_to(backup) for path in left)


def test_a_copy_of_the_session_brings_no_word_of_it_back_into_a_file(here: Here) -> None:
    here.say(CANARY, "s1")
    said = here.wisen.control.events("claude-code", "s1")
    made = here.wisen.inspect.memories(here.wisen.graphs.graphs())[0]
    assert here.post(f"/v1/memories/{made.memory_id}/forget", purge=True).status == 200
    for event in said:
        copied = replace(event, event_id=f"copy of {event.event_id}", delivery_id="", session_id="s2")
        here.wisen.capture.capture(copied)
    here.wisen.promote.promote("claude-code", "s2")
    here.wisen.control.flush()
    assert here.wisen.inspect.memories(here.wisen.graphs.graphs()) == ()
    assert here.files_with("zebrafinch") == []

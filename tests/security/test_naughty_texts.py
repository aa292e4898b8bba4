"""Every naughty text through every door: nothing breaks, nothing that acts or hides comes out again."""

from __future__ import annotations

import gzip
import json
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import CountingIds, FrozenClock
from tests.corpus.data import shared
from tests.daemon.asgi import Answer, call
from tests.security.naughty import NAUGHTY
from tests.worlds import FakeProbe

from wisen.compose import Parts, compose
from wisen.config import Settings, paths
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed
from wisen.redact import FloorRedactor
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

_EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SessionEnd",
)


class Doors:
    """The daemon's application over real files; a repository at /repo."""

    def __init__(self, home: Path) -> None:
        env = {"HOME": str(home), "WISEN_HOME": str(home / "wisen"), "USER": "dev"}
        where, clock = paths(env), FrozenClock()
        parts = Parts(
            control=SqliteControl(where.control_file),
            graphs=SqliteGraphs(where.graphs_dir, clock),
            probe=FakeProbe(),
            redactor=FloorRedactor(),
            clock=clock,
            ids=CountingIds(),
        )
        settings = Settings(user_id="dev")
        self.app: App = build_app(Fixed(compose(where, settings, env=env, parts=parts)), on_shutdown=lambda: None)
        self._deliveries = 0

    def ask(self, method: str, path: str, **body: object) -> Answer:
        if method == "GET":
            query = {"cwd": "/repo"} | {name: str(value) for name, value in body.items()}
            return call(self.app.asgi, "GET", path, query=query)
        return call(self.app.asgi, method, path, {"cwd": "/repo"} | body)

    def hook(self, event: str, text: str) -> Answer:
        self._deliveries += 1
        payload = {
            "hook_event_name": event,
            "session_id": "s1",
            "cwd": "/repo",
            "transcript_path": "",
            "source": "startup",
            "prompt": text,
            "prompt_id": f"p{self._deliveries}",
            "tool_name": "Bash",
            "tool_use_id": f"t{self._deliveries}",
            "tool_input": {"command": text, "description": text},
            "tool_response": {"stdout": text, "stderr": text},
            "error": text,
            "reason": text,
        }
        headers = {
            "x-wisen-entrypoint": "cli",
            "x-wisen-delivery": f"d{self._deliveries}",
            "x-wisen-deadline": str(time.monotonic() + 30),
        }
        return call(self.app.asgi, "POST", "/v1/hook/claude-code", raw=json.dumps(payload).encode(), headers=headers)


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    doors = Doors(tmp_path)
    yield doors
    doors.app.close()


def acting(value: object) -> list[str]:
    """Return every text of an answer that holds what acts, hides or is half a character."""
    if isinstance(value, dict):
        return [found for item in value.items() for part in item for found in acting(part)]
    if isinstance(value, list):
        return [found for item in value for found in acting(item)]
    if not isinstance(value, str):
        return []
    hidden = "\u200b\u202e\u2060\ufeff\u00ad\U000e0049"
    is_bad = any(
        (unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\t") or char in hidden for char in value
    )
    return [value] if is_bad else []


def not_utf8(text: str) -> bool:
    """Whether half a character in it makes the API refuse it in words, before anything is kept."""
    return any(unicodedata.category(char) == "Cs" for char in text)


def through_the_api(doors: Doors, text: str) -> None:
    """Say it in every field that takes words, and ask with it."""
    stored = doors.ask("POST", "/v1/memories", text=f"Naughty: {text}", title=text[:200], tags=[text[:50]])
    assert stored.status in {201, 422}, ascii(text)
    assert stored.status == 201 or len(text) > 1000 or not_utf8(text), ascii(text)
    assert acting(stored.json) == []
    if stored.status == 201:
        short = stored.json["memory"]["short"]
        assert doors.ask("GET", f"/v1/memories/{short}").json["memory"]["text"] == stored.json["memory"]["text"]
        edited = doors.ask("POST", f"/v1/memories/{short}/edit", text=f"Naughtier: {text}", title=text[:200])
        assert edited.status in {200, 409, 422}
        assert acting(edited.json) == []
        assert doors.ask("POST", f"/v1/memories/{short}/forget", reason=text).status == 200
    assert doors.ask("POST", "/v1/recall", query=text).status in {200, 422}
    assert doors.ask("POST", "/v1/memories", text=text).status in {201, 422}
    for path in ("/v1/memories", "/v1/journal", "/v1/status", "/v1/receipts", "/v1/heard"):
        answer = doors.ask("GET", path, status="all") if path == "/v1/memories" else doors.ask("GET", path)
        assert answer.status == 200
        assert acting(answer.json) == []


def through_the_hooks(doors: Doors, text: str) -> None:
    for event in _EVENTS:
        answer = doors.hook(event, f"remember: always greet with {text}")
        assert answer.status in {200, 204}
        if answer.status == 200:
            assert acting(json.loads(answer.body)) == []


@pytest.mark.parametrize("text", NAUGHTY, ids=lambda text: ascii(text)[:40])
def test_a_naughty_text_survives_the_api(doors: Doors, text: str) -> None:
    through_the_api(doors, text)


@pytest.mark.parametrize("text", NAUGHTY, ids=lambda text: ascii(text)[:40])
def test_a_naughty_text_survives_the_hooks_and_what_was_learned_is_clean(doors: Doors, text: str) -> None:
    through_the_hooks(doors, text)
    doors.app.services.worker.settle(within_s=30)
    learned: list[Any] = doors.ask("GET", "/v1/memories", status="all").json["memories"]
    assert acting(learned) == []
    start = doors.hook("SessionStart", "")
    assert start.status in {200, 204}
    if learned and start.status == 200:
        block = json.loads(start.body)["hookSpecificOutput"]["additionalContext"]
        assert acting(block) == []
        assert len(block.split("\n")) == 2 + len(learned)


@pytest.mark.corpus
@pytest.mark.timeout(300)
def test_every_text_of_the_known_list_survives_every_door(doors: Doors) -> None:
    with gzip.open(shared("safety", "naughty-strings.json.gz"), "rt", encoding="utf-8") as file:
        texts: list[str] = json.load(file)
    for text in texts:
        through_the_hooks(doors, text)
    doors.app.services.worker.settle(within_s=60)
    for text in texts[::5]:
        through_the_api(doors, text)
    assert acting(doors.ask("GET", "/v1/memories", status="all", limit=1000).json) == []

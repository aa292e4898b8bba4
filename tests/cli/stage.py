"""A command line on a stage: a daemon that answers from a table, a known screen, a clock that stands still."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.builders import T0
from wisen.cli.app import App, Daemon, JsonObject
from wisen.cli.main import run
from wisen.cli.screen import Screen
from wisen.config import Paths

REPO = "repo://claude-code/github.com/acme/widgets"
YOU = "user://claude-code/dev"
UPSTREAM = "repo://claude-code/github.com/upstream/widgets"
HERE = {"standing": "verified", "write": REPO, "reads": [REPO, YOU], "note": ""}


@dataclass(frozen=True)
class Asked:
    """One request that reached the daemon. `query` and `body` are without the place they were asked from."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Mapping[str, object]


@dataclass
class FakeDaemon:
    """Answers `METHOD /path` from a table; an exception in it is raised, a function is called with the request."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    started: list[bool] = field(default_factory=list)
    stopped: int = 0
    is_running: bool = True

    def call(self, method: str, path: str, body: JsonObject | None = None, timeout_s: float = 10) -> JsonObject:
        parts = urlsplit(path)
        query = {name: value for name, value in parse_qsl(parts.query) if name not in {"cwd", "harness"}}
        given = {name: value for name, value in (body or {}).items() if name not in {"cwd", "harness"}}
        request = Asked(method, parts.path, query, given)
        self.asked.append(request)
        answer = self.answers[f"{method} {parts.path}"]
        if isinstance(answer, Exception):
            raise answer
        found: JsonObject = answer(request) if callable(answer) else answer
        return found

    def connect(self, paths: Paths, *, start: bool) -> Daemon:
        self.started.append(start)
        return self

    def stop(self, paths: Paths) -> bool:
        self.stopped += 1
        was_running, self.is_running = self.is_running, False
        return was_running

    @property
    def changes(self) -> list[Asked]:
        """The requests that change something."""
        return [request for request in self.asked if request.method == "POST"]


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Wisen = Callable[..., Ran]


def staged(daemon: FakeDaemon, env: Mapping[str, str], *, terminal: bool, width: int, colour: bool = False) -> App:
    return App(
        env=env,
        screen=Screen(terminal=terminal, colour=colour, width=width),
        connect=daemon.connect,
        stop=daemon.stop,
        now=lambda: T0,
    )


def play(app: App, *arguments: str) -> int:
    return run(arguments, app)


def a_memory(short: str = "3f2a91bc", text: str = "Use pnpm here, not npm.", **over: Any) -> dict[str, Any]:
    return {
        "id": f"0193a000-0000-7000-9000-0000{short}",
        "short": short,
        "graph": REPO,
        "kind": "semantic",
        "category": "",
        "title": "",
        "text": text,
        "why": "",
        "how_to_apply": "",
        "tags": [],
        "source": "correction",
        "origin": "user_typed",
        "confidence": 0.8,
        "support": 1,
        "status": "active",
        "visibility": "repo",
        "pinned": False,
        "created_at": "2026-11-27T12:00:00Z",
        "authored_at": None,
        "verified_at": None,
        "last_used_at": None,
        "uses": 0,
        "session_id": "session-1",
        "branch": "",
        "supersedes": [],
        "evidence": [],
        **over,
    }


def an_entry(seq: int = 3, **over: Any) -> dict[str, Any]:
    return {
        "seq": seq,
        "graph": REPO,
        "memory_id": "0193a000-0000-7000-9000-00003f2a91bc",
        "short": "3f2a91bc",
        "at": "2026-11-30T11:00:00Z",
        "actor": "user",
        "action": "status",
        "reason": "",
        "before_text": "Use pnpm here, not npm.",
        "after_text": "Use pnpm here, not npm.",
        "before_status": "active",
        "after_status": "forgotten",
        "undone_by": 0,
        **over,
    }


def listing(*memories: Mapping[str, Any], repo: Mapping[str, Any] = HERE) -> dict[str, Any]:
    return {"repo": repo, "memories": list(memories)}

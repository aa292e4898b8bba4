"""`wisen try`: three short bundled sessions through the real pipeline in a throw-away home, and what comes of them.

The payloads are what Claude Code sends; adapter, redaction, gate, store, promotion, recall and rendering are the
product's own. Nothing outside a temporary directory is read or written, and no model is called.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path

from wisen.adapters.registry import adapter
from wisen.compose import SystemClock, Wisen, compose
from wisen.config import load_settings, paths
from wisen.core.gate import Verdict, explain
from wisen.core.types import Event, Memory, RecallBlock, Status
from wisen.engine.capture import redacted
from wisen.redact import FloorRedactor

HARNESS = "claude-code"
NEXT_PROMPT = "Add a call to the invoice service and store what it returns in the staging database"
# A rule of thumb for English prose and code; the harness's own tokenizer decides.
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence of a session's prompts, and what became of it."""

    session: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tryout:
    """What three sessions taught, and what the fourth one gets."""

    titles: Mapping[str, str]
    learned: tuple[Memory, ...]
    waiting: tuple[Memory, ...]
    said: tuple[Said, ...]
    block: RecallBlock
    later_block: RecallBlock
    hook_calls: int
    cpu_ms_per_call: float

    @property
    def left_out(self) -> tuple[Said, ...]:
        """The sentences that became nothing."""
        return tuple(said for said in self.said if not said.verdict.emitted)


class _Calendar:
    """A clock for replayed sessions: real time, shifted into the past a day at a time."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self.days_ago = 0

    def now(self) -> datetime:
        return self._real.now() - timedelta(days=self.days_ago)


def run() -> Tryout:
    """Replay the bundled sessions in a temporary home and return what came of it. Needs git."""
    with tempfile.TemporaryDirectory(prefix="wisen-try-") as home:
        env = {"WISEN_HOME": f"{home}/wisen", "HOME": home}
        where = paths(env)
        clock = _Calendar()
        wisen = compose(where, load_settings(where, env), env=os.environ, clock=clock)
        try:
            return _replayed(wisen, clock, _example_repository(Path(home) / "widgets"))
        finally:
            wisen.close()


def _replayed(wisen: Wisen, clock: _Calendar, cwd: str) -> Tryout:
    sessions = list(_bundled())
    titles: dict[str, str] = {}
    said: list[Said] = []
    calls = 0
    began = time.process_time()
    for n, session in enumerate(sessions):
        clock.days_ago = len(sessions) - n
        session_id = f"try-{n + 1}"
        titles[session_id] = str(session["title"])
        for event in _events(session, session_id, cwd, clock):
            calls += 1
            said += [Said(session=session_id, verdict=verdict) for verdict in explain(redacted(event, FloorRedactor()))]
            captured = wisen.capture.capture(event)
            prepared = wisen.recall.prepare(captured) if captured else None
            if prepared is not None:
                wisen.recall.commit(prepared)
        wisen.promote.promote(HARNESS, session_id)
    cpu_ms = (time.process_time() - began) * 1000 / max(calls, 1)
    clock.days_ago = 0
    block, later = _next_session(wisen, cwd, clock)
    graphs = wisen.locator.locate(HARNESS, cwd).reads
    return Tryout(
        titles=titles,
        learned=wisen.inspect.memories(graphs, statuses=frozenset({Status.ACTIVE})),
        waiting=wisen.curate.waiting(graphs),
        said=tuple(said),
        block=block,
        later_block=later,
        hook_calls=calls,
        cpu_ms_per_call=cpu_ms,
    )


def _next_session(wisen: Wisen, cwd: str, clock: _Calendar) -> tuple[RecallBlock, RecallBlock]:
    """Return the blocks of a fourth session's start and of its first substantial prompt."""
    calls = [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": NEXT_PROMPT, "prompt_id": "n1"},
    ]
    blocks = []
    for event in _events({"entrypoint": "cli", "calls": calls}, "try-next", cwd, clock):
        captured = wisen.capture.capture(event)
        prepared = wisen.recall.prepare(captured) if captured else None
        if prepared is None:
            blocks.append(RecallBlock(text="", shown=(), left_out=()))
            continue
        wisen.recall.commit(prepared)
        if prepared.is_start:
            wisen.capture.mark_start_delivered(HARNESS, "try-next")
        blocks.append(prepared.block)
    return blocks[0], blocks[1]


def _bundled() -> Iterator[Mapping[str, object]]:
    folder = resources.files("wisen.evals") / "sessions"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            yield json.loads(file.read_text(encoding="utf-8"))


def _events(session: Mapping[str, object], session_id: str, cwd: str, clock: _Calendar) -> Iterator[Event]:
    calls = session["calls"]
    for n, call in enumerate(calls if isinstance(calls, list) else []):
        payload = {"session_id": session_id, "cwd": cwd, "transcript_path": "", **call}
        yield from adapter(HARNESS).events(
            json.dumps(payload).encode(),
            entrypoint=str(session["entrypoint"]),
            delivery_id=f"{session_id}-{n}",
            received_at=clock.now(),
        )


def _example_repository(top: Path) -> str:
    """Make a repository with a remote and one commit; the only git command outside `gitrepo`, in a scratch folder."""
    top.mkdir()
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"]
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", "https://github.com/acme/widgets.git"],
        [*who, "commit", "--quiet", "--allow-empty", "--message", "Begin"],
    ):
        subprocess.run(["git", *command], cwd=top, env=env, check=True, capture_output=True, timeout=20)
    return str(top)


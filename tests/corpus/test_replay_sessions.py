"""Real sessions, turned into the hook payloads their transcripts imply, through the adapter: nothing may break.

The texts stay where they are; only figures are printed.
"""

from __future__ import annotations

import gzip
import json
import tarfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from tests.builders import T0
from tests.corpus.data import shared

from wisen.adapters.registry import adapter
from wisen.core.types import Event, PostTool, UserPrompt
from wisen.errors import PayloadError
from wisen.evals.replay import HookCall, payloads
from wisen.transcripts.fields import decode

SESSIONS_PER_REPOSITORY = 4
MIN_SESSIONS = 10

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]


def sessions() -> list[Path]:
    """Return Claude Code sessions of every repository, the largest first."""
    chosen: list[Path] = []
    for folder in sorted(shared("corpus").glob("*/raw")):
        largest = sorted(folder.glob("*.jsonl.gz"), key=lambda path: -path.stat().st_size)
        chosen += [path for path in largest if _is_claude_code(path)][:SESSIONS_PER_REPOSITORY]
    return chosen


def _is_claude_code(path: Path) -> bool:
    with gzip.open(path, "rt", errors="replace") as file:
        return any('"sessionId"' in line for line, _ in zip(file, range(20), strict=False))


def events_of(call: HookCall, delivery_id: str) -> tuple[Event, ...]:
    return adapter("claude-code").events(
        call.body, entrypoint=call.entrypoint, delivery_id=delivery_id, received_at=call.at, redact=str
    )


def figures_of(path: Path) -> Counter[str]:
    """Count what a session's hooks told, by abstract event, channel and outcome."""
    counted: Counter[str] = Counter()
    for number, call in enumerate(payloads(path)):
        for event in events_of(call, f"{number:032x}"):
            counted[event.name] += 1
            if isinstance(event.body, UserPrompt):
                counted[event.body.channel.value] += 1
            if isinstance(event.body, PostTool):
                counted[event.body.outcome.value] += 1
    return counted


def test_real_sessions_replay_as_whole_sessions_in_bounded_memory() -> None:
    paths = sessions()
    assert len(paths) >= MIN_SESSIONS
    for path in paths:
        tracemalloc.start()
        counted = figures_of(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(path.parts[-3], path.name[:8], dict(counted), f"peak {peak / 2**20:.1f} MB")
        assert counted["session_start"] == 1 + counted["pre_compact"]
        assert counted["session_end"] == 1
        assert counted["post_tool"] <= counted["pre_tool"]
        assert peak < 48 * 2**20


def test_replayed_sessions_say_what_was_read_out_of_them_by_hand() -> None:
    """The same sessions as abstract events, made by another program: nearly every prompt is in both."""
    both = wanted = 0
    for path in sessions():
        other = path.parent.parent / "events" / path.name
        with gzip.open(other, "rt") as file:
            rows = [json.loads(line) for line in file]
        theirs = Counter(_head(row["text"]) for row in rows if row["event"] == "user_prompt")
        ours = Counter(
            _head(event.body.text)
            for number, call in enumerate(payloads(path))
            for event in events_of(call, f"{number:032x}")
            if isinstance(event.body, UserPrompt)
        )
        both += sum((ours & theirs).values())
        wanted += sum(theirs.values())
    print(f"prompts in both {both} of {wanted}")
    assert both >= 0.97 * wanted


def _head(text: str) -> str:
    return " ".join(text.split())[:60]


def test_json_is_taken_or_refused_as_its_suite_says() -> None:
    judged: Counter[str] = Counter()
    with tarfile.open(shared("safety", "json-suite.tar.gz")) as suite:
        for member in suite:
            file = suite.extractfile(member) if member.isfile() else None
            kind = Path(member.name).name[:2]
            if file is None or kind not in {"y_", "n_"}:
                continue
            raw = file.read()
            # Of what is valid, only an object is a payload.
            assert _is_taken(raw) is (kind == "y_" and isinstance(json.loads(raw), dict)), member.name
            judged[kind] += 1
    print(dict(judged))
    assert judged.keys() == {"y_", "n_"}


def _is_taken(raw: bytes) -> bool:
    try:
        decode(raw)
    except PayloadError:
        return False
    return True


def test_naughty_strings_come_through_as_prompts_and_back_as_answers() -> None:
    with gzip.open(shared("safety", "naughty-strings.json.gz"), "rt") as file:
        strings = json.load(file)
    claude = adapter("claude-code")
    for string in strings:
        body = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": string}).encode()
        call = HookCall(event_name="UserPromptSubmit", body=body, entrypoint="cli", at=T0)
        (event,) = events_of(call, "d1")
        assert isinstance(event.body, UserPrompt)
        if event.body.text:
            answer = json.loads(claude.reply("user_prompt", event.body.text))
            assert answer["hookSpecificOutput"]["additionalContext"] == event.body.text

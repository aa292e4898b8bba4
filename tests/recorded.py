"""The recorded Claude Code runs: their hook calls and session files (see fixtures/claude-code/README.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wisen.adapters.registry import adapter
from wisen.core.types import Event

FOLDER = Path(__file__).parent / "fixtures" / "claude-code" / "2.1.332"
RUNS = tuple(sorted(path.name.removesuffix(".hooks.jsonl") for path in FOLDER.glob("*.hooks.jsonl")))
RECEIVED_AT = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHook:
    """One hook call as it was recorded."""

    name: str
    body: bytes
    entrypoint: str


def hooks(run: str) -> list[RecordedHook]:
    """Return a run's hook calls in order."""
    lines = (FOLDER / f"{run}.hooks.jsonl").read_text().split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [
        RecordedHook(
            name=row["payload"]["hook_event_name"],
            body=json.dumps(row["payload"]).encode(),
            entrypoint=row["entrypoint"],
        )
        for row in rows
    ]


def session_file(run: str, start: str) -> Path:
    """Return the run's session file whose name begins with `start`."""
    (path,) = (FOLDER / run).glob(f"{start}*.jsonl")
    return path


def session_files(run: str) -> list[Path]:
    """Return the run's session files, subagents' left out."""
    return sorted((FOLDER / run).glob("*.jsonl"))


def events_of(hook: RecordedHook, *, delivery_id: str = "d1") -> tuple[Event, ...]:
    """Return what the adapter makes of a recorded hook call."""
    return adapter("claude-code").events(
        hook.body, entrypoint=hook.entrypoint, delivery_id=delivery_id, received_at=RECEIVED_AT, redact=str
    )

"""Session files of Claude Code as they lie on a disk: lines with keyword overrides, and folders to put them in."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from tests.builders import T0

ASKED = "remember that we deploy with make ship"
RULE = "we deploy with make ship"


def at(minutes: float, since: datetime = T0) -> str:
    return (since + timedelta(minutes=minutes)).isoformat()


def user(text: object, minutes: float = 0, **fields: object) -> dict[str, object]:
    """A prompt of a version that marks it as typed at the terminal."""
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"u-{minutes}-{text}",
        "timestamp": at(minutes),
        "cwd": "/repo",
        "gitBranch": "main",
        "sessionId": "s1",
        "entrypoint": "cli",
        "promptSource": "typed",
        "promptId": f"p-{minutes}",
        **fields,
    }


def unmarked(text: str, minutes: float = 0, **fields: object) -> dict[str, object]:
    """A prompt of a version that says nothing of how it came."""
    line = user(text, minutes, **fields)
    return {name: value for name, value in line.items() if name not in {"entrypoint", "promptSource", "promptId"}}


def ran(command: str, output: str, minutes: float = 0, *, call: str, fails: bool = False) -> list[dict[str, object]]:
    """A shell command and what came of it."""
    use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": fails}
    around: dict[str, object] = {"cwd": "/repo", "gitBranch": "main", "sessionId": "s1", "entrypoint": "cli"}
    answer = {"type": "assistant", "message": {"content": [use]}, "timestamp": at(minutes), **around}
    back = {"type": "user", "message": {"content": [result]}, "timestamp": at(minutes + 0.1), **around}
    return [answer, back]


def write(folder: Path, session: str, *lines: object) -> Path:
    """Write a session file; every line is of that session unless it says otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path

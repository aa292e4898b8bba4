"""Recorded sessions for tests: written a step at a time, as abstract events in a corpus folder."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from wisen.transcripts.fields import Fields

BEGAN = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CWD = "/home/dev/widgets"


@dataclass
class Recording:
    """One session. Each step is a minute later than the one before; `rows` are its lines."""

    session: str
    day: int = 0
    cwd: str = CWD
    agent: str = "Claude Code"
    program: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        said = {"agent": self.agent, "cwd": self.cwd, "branch": "main"}
        if self.program:
            said["originator"] = self.program
        self.add("session_start", text=json.dumps(said))

    def add(self, event: str, **fields: Any) -> int:
        """Add a line and return where it stands."""
        at = BEGAN + timedelta(days=self.day, minutes=len(self.rows))
        line = {"session": self.session, "seq": len(self.rows), "t": at.isoformat(), "event": event}
        self.rows.append({**line, **fields})
        return len(self.rows) - 1

    def say(self, text: str, *, kind: str = "prompt", **fields: Any) -> int:
        return self.add("user_prompt", text=text, kind=kind, prev_assistant="", **fields)

    def call(self, tool: str, given: dict[str, Any], output: str = "ok", outcome: str = "success") -> int:
        """Add both halves of a call; return where the first one stands."""
        call_id = f"{self.session}-{len(self.rows)}"
        what = {"tool": tool, "tool_canon": tool, "input": given, "call_id": call_id}
        first = self.add("pre_tool", **what)
        self.add("post_tool", **what, output=output, outcome=outcome)
        return first

    def run(self, command: str, output: str = "ok", outcome: str = "success") -> int:
        return self.call("Bash", {"command": command}, output, outcome)

    def fail(self, command: str, output: str) -> int:
        return self.run(command, f"Exit code 1\n{output}", "failure")

    def compact(self) -> None:
        self.add("pre_compact", text=json.dumps({"trigger": "auto"}))

    def end(self) -> Recording:
        self.add("session_end", text="")
        return self

    @property
    def fields(self) -> tuple[Fields, ...]:
        return tuple(map(Fields, self.rows))


def write_sessions(folder: Path, *recordings: Recording) -> Path:
    """Write recordings where a replay looks for them; ended if they are not yet. Returns the folder."""
    events = folder / "events"
    events.mkdir(parents=True, exist_ok=True)
    for recording in recordings:
        if recording.rows[-1]["event"] != "session_end":
            recording.end()
        write_rows(events / f"{recording.session}.jsonl.gz", recording.rows)
    return folder


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


_ASKS = (
    "add a field for the {thing} to the {part}",
    "the {part} shows the {thing} twice, have a look",
    "what does the {part} do with a {thing} that is empty?",
    "rename the {thing} in the {part}, then run the tests",
    "ok, go on with the {part}",
)
_THINGS = ("invoice", "customer", "address", "voucher", "basket")
_PARTS = ("export", "import", "search page", "mailer", "scheduler")
_COMMANDS = ("make test", "git status", "git diff --stat", "go build ./...", "npm run build", "ls src", "pytest -q")


def session_of_successes(number: int, seed: int = 7) -> Recording:
    """Return a session in which somebody works and nothing fails; another one for each number, the same every time."""
    chance = Random(f"{seed}/{number}")
    recording = Recording(f"smooth-{number:02}", day=number)
    for turn in range(chance.randint(2, 4)):
        words = {"thing": chance.choice(_THINGS), "part": chance.choice(_PARTS)}
        recording.say(chance.choice(_ASKS).format(**words))
        for step in range(chance.randint(2, 5)):
            place = f"{CWD}/src/{words['part'].split()[0]}_{number}_{turn}_{step}.py"
            match chance.randrange(3):
                case 0:
                    recording.call("Read", {"file_path": place}, "1\timport this")
                case 1:
                    recording.call("Edit", {"file_path": place, "old_string": "a", "new_string": "b"}, "done")
                case _:
                    recording.run(chance.choice(_COMMANDS))
    return recording

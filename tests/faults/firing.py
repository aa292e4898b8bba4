"""One hook event, fired as the harness fires it: the registered line, in a shell, as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from tests.wire import HOOK, NO_DAEMON, a_payload

from wisen.config import Paths
from wisen.install.command import guarded_command

SLACK_S: Final = 0.6  # for a shell and an interpreter to come up and leave, on a busy machine
DEADLINES_S: Final = {"SessionStart": 1.5, "UserPromptSubmit": 0.4}
CONTEXT_MAX: Final = 10_000  # characters; the harness puts more into a file
PYTHON: Final = Path(sys.executable)

# The events that take `additionalContext`, as proven on Claude Code 2.1.332.
TAKES_CONTEXT: Final = frozenset(
    {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"}
    | {"SubagentStart", "Stop"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An event of the harness with the fields it has."""

    event: str
    fields: Mapping[str, object] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.event

    @property
    def payload(self) -> bytes:
        """What the harness writes to the hook."""
        return a_payload(self.event, **self.fields)

    @property
    def deadline_s(self) -> float:
        """How long the hook may take, from its own first instruction on."""
        return DEADLINES_S.get(self.event, 0.25)


_CALL: Final = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t-1"}
START: Final = Moment(event="SessionStart", fields={"source": "startup"}, name="SessionStart startup")
PROMPT: Final = Moment(event="UserPromptSubmit", fields={"prompt": "make the parser accept comments", "prompt_id": "p"})
PRE_TOOL: Final = Moment(event="PreToolUse", fields=_CALL)
# What `wisen install` registers, with everything that tells one firing from another.
REGISTERED: Final = (
    START,
    *(Moment(event="SessionStart", fields={"source": s}, name=f"SessionStart {s}") for s in ("resume", "clear")),
    *(Moment(event="SessionStart", fields={"source": s}, name=f"SessionStart {s}") for s in ("compact", "fork")),
    PROMPT,
    PRE_TOOL,
    Moment(event="PostToolUse", fields={**_CALL, "tool_response": {"stdout": "done", "stderr": ""}}),
    Moment(event="PostToolUseFailure", fields={**_CALL, "error": "Exit code 2\nmake: no rule", "is_interrupt": False}),
    Moment(event="PostToolBatch", fields={"tool_calls": [{**_CALL, "tool_response": "done"}]}),
    *(Moment(event="PreCompact", fields={"trigger": t}, name=f"PreCompact {t}") for t in ("manual", "auto")),
    *(Moment(event="SessionEnd", fields={"reason": r}, name=f"SessionEnd {r}") for r in ("clear", "logout", "other")),
)
# Every other event there is: a user may have put our command there by hand.
OTHERS: Final = tuple(
    Moment(event=event)
    for event in (
        "Notification UserPromptExpansion Stop StopFailure SubagentStart SubagentStop PostCompact PreModelSwitch "
        "PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation "
        "ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged "
        "DirectoryAdded MessageDisplay PreSkillShellCommand"
    ).split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How the line is run. `before`: the words that run it, which may prepare the ground. `probe`: must fail there."""

    line: str
    spool_dir: Path
    payload: Callable[[bytes], bytes] = bytes
    is_held_open: bool = False  # the writer of stdin stays
    stdin: str = ""  # a file to read in its place
    stdout: str = ""  # a file to write in place of a pipe that is read
    before: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"], "HOME": "/nowhere"})
    cwd: Path = Path("/")
    limit: Callable[[], None] | None = None
    user: int | None = None
    probe: str = ""
    meanwhile: Callable[[subprocess.Popen[bytes]], None] | None = None  # done while it runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Firing:
    """What came of it, as the harness sees it."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float


def registered_line(
    where: Paths, *, python: Path = PYTHON, hook: Path = HOOK, daemon: tuple[str, ...] = NO_DAEMON
) -> str:
    """Return the line that `wisen install` puts into the settings."""
    env = {"WISEN_HOME": str(where.config_file.parent), "WISEN_EMBEDDING": "off"}
    return guarded_command(python, hook, where.socket, where.spool_dir, daemon, env=env)


def fire(way: Way, moment: Moment) -> Firing:
    """Fire an event."""
    payload = way.payload(moment.payload)
    started = time.monotonic()
    with _process(way, way.line) as process:
        if way.meanwhile:
            way.meanwhile(process)
        stdout, stderr = _feed(way, process, payload)
    return Firing(code=process.returncode, stdout=stdout, stderr=stderr, seconds=time.monotonic() - started)


def prove(way: Way) -> None:
    """Show that what the fault takes away is away: the probe, run in the same place, fails."""
    if way.probe:
        with _process(way, way.probe) as process:
            process.communicate(timeout=20)
        assert process.returncode == 1, f"{way.probe} ended with {process.returncode}: there is no fault here"


def _process(way: Way, line: str) -> subprocess.Popen[bytes]:
    with _opened(way.stdin, os.O_RDONLY) as stdin, _opened(way.stdout, os.O_WRONLY) as stdout:
        return subprocess.Popen(
            [*way.before, "/bin/sh", "-c", line],
            stdin=stdin.fd,
            stdout=stdout.fd,
            stderr=subprocess.PIPE,
            env=dict(way.env),
            cwd=way.cwd,
            preexec_fn=way.limit,  # noqa: PLW1509 - it sets a limit and takes no lock
            user=way.user,
            group=way.user,
            extra_groups=None if way.user is None else [],
        )


@dataclass(frozen=True, slots=True)
class _opened:  # noqa: N801 - used as a function
    """A file to hand over, or a pipe where no name is given."""

    name: str
    flags: int
    fds: list[int] = field(default_factory=list)

    def __enter__(self) -> Self:
        if self.name:
            self.fds.append(os.open(self.name, self.flags))
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self.fds:
            os.close(fd)

    @property
    def fd(self) -> int:
        return self.fds[0] if self.fds else subprocess.PIPE


def _feed(way: Way, process: subprocess.Popen[bytes], payload: bytes) -> tuple[bytes, bytes]:
    """Write what the harness writes, and return what came on both outputs."""
    if not way.is_held_open:
        stdout, stderr = process.communicate(payload, timeout=20)
        return stdout or b"", stderr
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with suppress(BrokenPipeError):
        process.stdin.write(payload)
        process.stdin.flush()
    process.wait(timeout=20)
    return process.stdout.read(), process.stderr.read()


def flaw(firing: Firing, moment: Moment) -> str:
    """Return what the harness would object to, nothing when all is well. The time is looked at elsewhere."""
    if firing.code != 0:
        return f"it ended with {firing.code}"
    if firing.stderr:
        return f"it wrote to stderr: {firing.stderr!r}"
    return _flaw_of_answer(firing.stdout, moment.event) if firing.stdout else ""


def _flaw_of_answer(stdout: bytes, event: str) -> str:
    try:
        said = json.loads(stdout.decode())
    except ValueError as error:
        return f"stdout is not one JSON document: {error}"
    output = said.get("hookSpecificOutput") if isinstance(said, dict) else None
    if not isinstance(output, dict) or said.keys() != {"hookSpecificOutput"}:
        return f"it says more than context: {stdout!r}"
    if event not in TAKES_CONTEXT or output.get("hookEventName") != event:
        return f"it is no answer to {event}: {stdout!r}"
    text = output.get("additionalContext")
    if not isinstance(text, str) or not 0 < len(text) < CONTEXT_MAX or output.keys() - {"hookEventName"} == set():
        return f"there is no context that fits: {stdout!r}"
    return ""


def is_late(firing: Firing, moment: Moment) -> bool:
    """Return whether it took longer than the event's deadline and the start of two processes."""
    return firing.seconds > moment.deadline_s + SLACK_S

"""What every command is given: the environment, the screen, the clock and a way to the daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from wisen.cli.screen import Screen
from wisen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from wisen.config import Paths

JsonObject = Mapping[str, object]


class Daemon(Protocol):
    """The daemon's HTTP API over the unix socket; `wisen.client.Client` is one."""

    def call(self, method: str, path: str, body: JsonObject | None = None, timeout_s: float = 10) -> JsonObject:
        """Return the answer's JSON. Raises the WisenError that the answer names, or DaemonUnavailable."""
        ...


class Connect(Protocol):
    """Makes a way to the daemon."""

    def __call__(self, paths: Paths, *, start: bool) -> Daemon:
        """Return the daemon's API; with `start`, a daemon that is not running is started first."""
        ...


# What harnesses put into the environment of the commands that their agents run.
AGENT_MARKS: Final = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE")


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """One run of the command line.

    `stop` ends the daemon, waits until it is gone and returns whether there was one. `now` returns the present moment
    in the time zone that the person sees. `begins`: something is to be kept, also where all was deleted on purpose.
    """

    env: Mapping[str, str]
    screen: Screen
    connect: Connect
    stop: Callable[[Paths], bool]
    now: Callable[[], datetime]
    begins: bool = False

    @property
    def is_run_by_agent(self) -> bool:
        """Tell whether an agent's shell runs this: what it says is not what its user said."""
        return any(self.env.get(mark) for mark in AGENT_MARKS)

    @property
    def paths(self) -> Paths:
        """Where this user's files are. Raises as `config.paths`."""
        from wisen.config import paths

        return paths(self.env)

    def get(
        self, path: str, query: JsonObject | None = None, *, start: bool = True, timeout_s: float = 10
    ) -> JsonObject:
        """Ask the daemon, and say so when an agent asks; empty query values are left out."""
        from urllib.parse import urlencode

        given = {name: value for name, value in (query or {}).items() if value != ""}
        if self.is_run_by_agent:
            given["by_agent"] = "1"
        # A directory's name need not be UTF-8: its bytes go as they are.
        target = f"{path}?{urlencode(given, errors='surrogateescape')}" if given else path
        return self._daemon(start=start).call("GET", target, timeout_s=timeout_s)

    def post(
        self, path: str, body: JsonObject | None = None, *, start: bool = True, timeout_s: float = 10
    ) -> JsonObject:
        """Have the daemon do something, and say so when an agent asks; fields that are None are left out."""
        given = {name: value for name, value in (body or {}).items() if value is not None}
        if self.is_run_by_agent:
            given["by_agent"] = True
        return self._daemon(start=start).call("POST", path, given, timeout_s=timeout_s)

    def _daemon(self, *, start: bool) -> Daemon:
        """Return the daemon. Raises NotFound rather than begin anew what somebody deleted after wisen was taken out."""
        from wisen.install import manifest
        from wisen.state.beginning import were_deleted

        if start and not self.begins and were_deleted(self.paths) and not manifest.names(self.paths):
            raise NotFound(
                f"the memories in {self.paths.data_dir} were deleted, and wisen is not installed",
                hint="`wisen install claude-code` begins anew, and so does `wisen remember`",
            )
        return self.connect(self.paths, start=start)


def segment(ref: str) -> str:
    """Return a memory's reference as one segment of a URL path.

    Raises UsageError for an empty one, NotFound for one with a slash: no id has one, and no URL segment can hold one.
    """
    from urllib.parse import quote

    if not ref.strip():
        raise UsageError("the id of a memory is empty", hint="`wisen list` shows the ids")
    if "/" in ref:
        raise NotFound(f"no memory {ref!r} here")
    return quote(ref.strip(), safe="")

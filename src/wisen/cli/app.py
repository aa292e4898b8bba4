"""What every command is given: the environment, the screen, the clock and a way to the daemon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from wisen.cli.screen import Screen

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


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """One run of the command line. `now` returns the present moment in the time zone that the person sees."""

    env: Mapping[str, str]
    screen: Screen
    connect: Connect
    now: Callable[[], datetime]
    wait: Callable[[float], None]

    @property
    def paths(self) -> Paths:
        """Where this user's files are. Raises as `config.paths`."""
        from wisen.config import paths

        return paths(self.env)

    def get(self, path: str, *, start: bool = True, **query: object) -> JsonObject:
        """Ask the daemon; query values that are None or empty are left out."""
        from urllib.parse import urlencode

        given = {name: value for name, value in query.items() if value not in {None, ""}}
        return self.connect(self.paths, start=start).call("GET", f"{path}?{urlencode(given)}" if given else path)

    def post(self, path: str, *, start: bool = True, **body: object) -> JsonObject:
        """Have the daemon do something; fields that are None or empty are left out."""
        given = {name: value for name, value in body.items() if value is not None and value not in ("", ())}
        return self.connect(self.paths, start=start).call("POST", path, given)


def segment(ref: str) -> str:
    """Return a reference as one segment of a URL path."""
    from urllib.parse import quote

    return quote(ref, safe="")

"""Whom does the doctor look at? One user's wisen: where it is, and what its daemon answers, if one runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from wisen.config import Paths
from wisen.engine.health import Health
from wisen.errors import DaemonUnavailable, NotFound, WisenError

# Asks the running daemon for a path and returns its JSON; raises DaemonUnavailable when none runs. It starts none.
Ask = Callable[[str], object]


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon says of itself."""

    version: str
    pid: int = 0
    protocol: int = 0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon says of its work; the problems of its settings come first."""

    problems: tuple[str, ...] = ()
    settings_refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """Where everything is, and what was asked of the daemon. `absence` says why there is no answer."""

    env: Mapping[str, str]
    paths: Paths
    now: datetime
    ask: Ask
    running: Running | None = None
    standing: Standing = field(default_factory=Standing)
    absence: WisenError | None = None

    @classmethod
    def of(cls, env: Mapping[str, str], paths: Paths, now: datetime, ask: Ask) -> Patient:
        """Ask the daemon who it is and how it stands, if one runs."""
        try:
            running = msgspec.convert(ask("/v1/health"), Running)
            standing = msgspec.convert(ask("/v1/status"), Standing)
        except WisenError as error:
            return cls(env=env, paths=paths, now=now, ask=ask, absence=error)
        except msgspec.ValidationError as error:
            absence = DaemonUnavailable(f"the daemon's answer can't be read: {error}")
            return cls(env=env, paths=paths, now=now, ask=ask, absence=absence)
        return cls(env=env, paths=paths, now=now, ask=ask, running=running, standing=standing)

    def examined(self) -> Health:
        """Return what the daemon finds in its stores.

        Raises NotFound for a daemon that can't look, DaemonUnavailable for one that is not there or not to be read.
        """
        try:
            return msgspec.convert(self.ask("/v1/examination"), Health)
        except msgspec.ValidationError as error:
            raise NotFound(f"the daemon's answer can't be read: {error}") from error

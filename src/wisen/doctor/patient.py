"""Whom does the doctor look at? One user's wisen: where it is, and what its daemon answers, if one runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from wisen.config import Paths
from wisen.errors import DaemonUnavailable, WisenError

# Asks the running daemon for a path and returns its JSON; raises DaemonUnavailable when none runs. It starts none.
Ask = Callable[[str], object]


class Running(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon says of itself."""

    version: str
    pid: int = 0
    protocol: int = 0


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Something that does not work: `of` is settings, work, scanner, pause or spool."""

    of: str
    what: str
    since: datetime | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What a daemon says of its work."""

    troubles: tuple[Trouble, ...] = ()

    def of(self, what: str) -> tuple[Trouble, ...]:
        """Return the troubles of one kind."""
        return tuple(trouble for trouble in self.troubles if trouble.of == what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """Where everything is, and what was asked of the daemon; `cwd` is the directory that is asked about, if any.

    `absence` says why there is no answer, `silence` why a daemon that runs can't say how it stands.
    """

    env: Mapping[str, str]
    paths: Paths
    now: datetime
    cwd: str = ""
    running: Running | None = None
    standing: Standing = field(default_factory=Standing)
    absence: WisenError | None = None
    silence: WisenError | None = None

    @classmethod
    def of(cls, env: Mapping[str, str], paths: Paths, now: datetime, ask: Ask, *, cwd: str = "") -> Patient:
        """Ask the daemon who it is and how it stands, if one runs."""
        try:
            running = msgspec.convert(ask("/v1/health"), Running)
        except (WisenError, msgspec.ValidationError) as error:
            return cls(env=env, paths=paths, now=now, cwd=cwd, absence=_error(error))
        try:
            standing = msgspec.convert(ask("/v1/troubles"), Standing)
        except (WisenError, msgspec.ValidationError) as error:
            return cls(env=env, paths=paths, now=now, cwd=cwd, running=running, silence=_error(error))
        return cls(env=env, paths=paths, now=now, cwd=cwd, running=running, standing=standing)


def _error(error: WisenError | msgspec.ValidationError) -> WisenError:
    if isinstance(error, WisenError):
        return error
    return DaemonUnavailable(f"the daemon's answer can't be read: {error}")

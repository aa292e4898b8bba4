"""The real surroundings of a command: this process's environment, terminal and clock, and the daemon's client."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.cli.app import App, Daemon
from wisen.cli.screen import Screen

if TYPE_CHECKING:
    from wisen.config import Paths


def real_app() -> App:
    """Return the App of this process."""
    terminal = sys.stdout.isatty()
    return App(
        env=os.environ,
        screen=Screen(
            terminal=terminal,
            colour=terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            width=shutil.get_terminal_size().columns,
            error_width=shutil.get_terminal_size().columns if sys.stderr.isatty() else 0,
        ),
        connect=_connect,
        stop=_stop,
        now=lambda: datetime.now(_zone(os.environ)),
    )


def _zone(env: Mapping[str, str]) -> tzinfo:
    """Return the time zone of this process with its summer and winter, so that a date to come is shown and read right.

    Where the system does not say which it is, it is the present offset from UTC.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    name = env.get("TZ", "").removeprefix(":")
    try:
        if name:
            return ZoneInfo(name)
        with Path("/etc/localtime").open("rb") as rules:
            return ZoneInfo.from_file(rules)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.now(UTC).astimezone().tzinfo or UTC


def _connect(paths: Paths, *, start: bool) -> Daemon:
    from wisen.client import Client, ensure_daemon

    if start:
        ensure_daemon(paths)
    return Client(paths)


def _stop(paths: Paths) -> bool:
    from wisen.client import stop_daemon

    return stop_daemon(paths)

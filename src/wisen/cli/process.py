"""The real surroundings of a command: this process's environment, terminal and clock, and the daemon's client."""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime
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
        ),
        connect=_connect,
        stop=_stop,
        now=lambda: datetime.now(UTC).astimezone(),
    )


def _connect(paths: Paths, *, start: bool) -> Daemon:
    from wisen.client import Client, ensure_daemon

    if start:
        ensure_daemon(paths)
    return Client(paths)


def _stop(paths: Paths) -> bool:
    from wisen.client import stop_daemon

    return stop_daemon(paths)

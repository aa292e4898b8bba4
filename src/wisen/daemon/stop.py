"""Who may ask the daemon to stop, and how does it hear that in its sleep?"""

from __future__ import annotations

import signal
from collections.abc import Callable


def nothing() -> None:
    """Do nothing."""


class Stop:
    """A wish that the daemon stop, from any thread or signal handler. It may come before the daemon serves."""

    def __init__(self) -> None:
        self.why = ""
        self.wake: Callable[[], object] = nothing  # set by whoever sleeps until then

    @classmethod
    def on_signals(cls) -> Stop:
        """Return a wish that SIGTERM and SIGINT make from now on. For the main thread."""
        stop = cls()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.ask())
        return stop

    @property
    def is_asked(self) -> bool:
        """Whether somebody wishes it."""
        return bool(self.why)

    def ask(self, why: str = "asked to") -> None:
        """Wish it; the first reason stands."""
        self.why = self.why or why
        self.wake()

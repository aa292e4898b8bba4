"""Who may ask the daemon to stop, and how does it hear that in its sleep?"""

from __future__ import annotations

from collections.abc import Callable


def nothing() -> None:
    """Do nothing."""


class Stop:
    """A wish that the daemon stop, from any thread or signal handler. It may come before the daemon serves."""

    def __init__(self) -> None:
        self.is_asked = False
        self.wake: Callable[[], object] = nothing  # set by whoever sleeps until then

    def ask(self) -> None:
        """Wish it."""
        self.is_asked = True
        self.wake()

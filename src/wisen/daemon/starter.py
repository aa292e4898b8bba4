"""Who started this daemon, and hears why it can't come up? A command waits at our standard error; a hook does not."""

from __future__ import annotations

import os
from contextlib import suppress

from wisen.errors import WisenError


class Starter:
    """The standard error that this process was started with, kept when its own goes to the log."""

    def __init__(self) -> None:
        self._fd = -1
        self.has_come_up = False
        with suppress(OSError):  # it was closed: nobody listens
            self._fd = os.dup(2)

    def tell(self, error: WisenError) -> None:
        """Say why nothing comes of the start: a line, and a second one with what helps. `wisen.client` reads it."""
        lines = [" ".join(error.message.split())]
        if error.hint:
            lines.append(f"hint: {error.hint}")
        with suppress(OSError):
            os.write(self._fd, "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace"))

    def let_go(self) -> None:
        """Keep nothing of whoever started us: we are up."""
        self.has_come_up = True
        with suppress(OSError):
            os.close(self._fd)
        self._fd = -1

"""Has the client got its answer out? It says so with a byte on the same connection; one that died says nothing."""

from __future__ import annotations

import threading
import time


class Ear:
    """Waits at one connection for the client's word after its answer."""

    def __init__(self) -> None:
        self.is_open = False  # what the client sends now is its word and no request
        self._was_said = False
        self._is_settled = threading.Event()

    def open(self) -> None:
        """Expect a word from now on. To be called before the answer is on its way."""
        self.is_open = True

    def hear(self, *, said: bool) -> None:
        """Note the word, or that the client is gone. Only the first note counts."""
        if not self._is_settled.is_set():
            self._was_said = said
            self._is_settled.set()

    def heard(self, *, until: float) -> bool:
        """Wait for the word or the client's end, until a time of the monotonic clock; return whether the word came."""
        return self._is_settled.wait(max(0.0, until - time.monotonic())) and self._was_said

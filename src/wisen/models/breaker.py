"""When is a backend that fails left alone? After a few failures in a row, for a while; then one call tries again."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Breaker:
    """Closed: calls go through. Open: none does until `rest_s` have passed. Half open: one does, and decides.

    Source of the pattern: M. Nygard, Release It! (2007), 5.2.
    """

    def __init__(self, *, failures: int, rest_s: float, monotonic: Callable[[], float]) -> None:
        self._limit = failures
        self._rest_s = rest_s
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failed = 0
        self._opened_at: float | None = None
        self._is_trying = False

    @property
    def is_open(self) -> bool:
        """Whether a call would be refused now."""
        with self._lock:
            return self._refuses()

    def allows(self) -> bool:
        """Return whether a call may be made; who gets a yes says afterwards how it went."""
        with self._lock:
            if self._refuses():
                return False
            self._is_trying = self._opened_at is not None
            return True

    def succeeded(self) -> None:
        """Note that the call went well: all others may follow."""
        with self._lock:
            self._failed, self._opened_at, self._is_trying = 0, None, False

    def failed(self) -> None:
        """Note that the call failed."""
        with self._lock:
            self._failed += 1
            if self._failed >= self._limit:
                self._opened_at = self._monotonic()
            self._is_trying = False

    def _refuses(self) -> bool:
        if self._opened_at is None:
            return False
        return self._is_trying or self._monotonic() - self._opened_at < self._rest_s

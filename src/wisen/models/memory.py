"""Memory that a model had, given back to the system: a C library keeps what was freed, for the next who asks for it."""

from __future__ import annotations

import ctypes
from contextlib import suppress


def give_back() -> None:
    """Give back what was freed, where the C library can (glibc's malloc_trim(3)). Takes some milliseconds."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

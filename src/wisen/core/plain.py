"""One word for a state or a kind, wherever a person reads it. The wire and the files keep their own names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_STATUSES: Final[Mapping[str, str]] = {"pending_review": "waits for review", "superseded": "replaced"}
# The wire's name for a rule that was stated is that of the signal it came with.
_SOURCES: Final[Mapping[str, str]] = {"correction": "rule"}


def status_in_words(status: str) -> str:
    """Return how a memory stands: `waits for review`."""
    return _STATUSES.get(status, status.replace("_", " "))


def source_in_words(source: str) -> str:
    """Return what kind of signal something came from: `rule`."""
    return _SOURCES.get(source, source.replace("_", " "))

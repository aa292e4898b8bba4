"""What do the counters count? They are never reset: each tells of something that was lost, or did not come through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LOST: Final = "events_lost"
UNREADABLE: Final = "transcripts_unreadable"
SKIPPED: Final = "transcript_lines_skipped"
SPOOL_FULL: Final = "spool_overflows"

_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    LOST: (
        "event could not be kept when it came, had no transcript, and is lost",
        "events could not be kept when they came, had no transcript, and are lost",
    ),
    UNREADABLE: ("time a session's transcript could not be read", "times a session's transcript could not be read"),
    SKIPPED: ("line of a transcript could not be used", "lines of transcripts could not be used"),
    SPOOL_FULL: (
        "time the spool was full, and what hooks brought was lost",
        "times the spool was full, and what hooks brought was lost",
    ),
    "spool_dropped": ("event was dropped because the spool was full", "events were dropped because the spool was full"),
    "bad_payloads": ("time a hook brought what is no hook payload", "times a hook brought what is no hook payload"),
    "late_recalls": (
        "recall was ready after the hook had given up, and was not shown",
        "recalls were ready after the hook had given up, and were not shown",
    ),
    "unprinted_recalls": (
        "recall was not shown, because its hook process died",
        "recalls were not shown, because their hook processes died",
    ),
    "jobs_put_off": ("job was put off because the queue was full", "jobs were put off because the queue was full"),
}


def in_words(name: str, count: int) -> str:
    """Return what a counter tells; of one that an older or newer wisen counted, its name."""
    one, many = _WORDS.get(name, (name.replace("_", " "),) * 2)
    return f"{count:,} {one if count == 1 else many}"

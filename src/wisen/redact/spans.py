"""Where in a text are secrets, and what is the text without them?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Span:
    """The offsets of a secret, and what stands in its place: `[redacted:KIND]`."""

    start: int
    end: int
    kind: str

    def moved(self, by: int) -> Span:
        """Return it so many characters further on."""
        return Span(self.start + by, self.end + by, self.kind)


def without(text: str, spans: Iterable[Span]) -> str:
    """Return a text with placeholders for its secrets; of two that overlap, the one that begins first."""
    kept: list[str] = []
    at = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if span.start >= at:
            kept += (text[at : span.start], f"[redacted:{span.kind}]")
            at = span.end
    return "".join([*kept, text[at:]]) if kept else text


def end_of_run(text: str, start: int) -> int:
    """Return where the run without a space, quote or bracket ends that goes on at an offset."""
    run = _run().match(text, start)
    return run.end() if run else start


@cache
def _run() -> re.Pattern[str]:
    return re.compile(r"[^\s\"'`,;(){}<>\[\]\\&]*")

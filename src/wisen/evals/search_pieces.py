"""How is a long record cut for an index, and when was it said?"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

MOST_CHARS: Final = 1000  # about what an encoder reads of a text
_HEADING: Final = re.compile(r"^#{1,6} +(.+)$")
_TIMES: Final = ("%I:%M %p on %d %B, %Y", "%d %B, %Y", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")


def pieces(text: str) -> list[tuple[str, str]]:
    """Return (title, text) of each piece of a record, in order.

    The first line of several is the title. What is longer than a model reads is cut at headings and paragraphs; every
    piece has the title of the whole and of its section.
    """
    first, _, rest = text.strip().partition("\n")
    title, body = (first.lstrip("# "), rest.strip()) if rest.strip() else ("", first)
    if len(body) <= MOST_CHARS:
        return [(title, body)]
    found: list[tuple[str, str]] = []
    section, held = "", ""
    for block in re.split(r"\n\s*\n", body):
        heading = _HEADING.match(block.strip().split("\n")[0])
        if held and (heading or len(held) + len(block) > MOST_CHARS):
            found.append((_joined(title, section), held))
            held = ""
        if heading:
            section = heading[1]
        held = f"{held}\n\n{block.strip()}".strip()
    return [*found, (_joined(title, section), held)] if held else found


def said_at(date: str) -> datetime | None:
    """Return the time of a record, UTC; None for what is no date."""
    for form in _TIMES:
        try:
            return datetime.strptime(date.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _joined(title: str, section: str) -> str:
    return f"{title}: {section}" if title and section and section != title else section or title

"""Which lines of a prompt a program put there: wrapped in its tags, or printed by wisen itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core.signals.own_output import own

EXCERPT_CHARS: Final = 80
"""How much of a part that is not speech is shown in an explanation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line, or (with `dropped` set: why) a piece that is not the user's speech."""

    text: str
    dropped: str = ""


_MACHINERY: Final = frozenset({"wisen-memory", "system-reminder", "task-notification", "private"})
"""Wrappers that swallow everything behind them when they are never closed. Others count only when closed."""


@cache
def _tags() -> re.Pattern[str]:
    # A name with a hyphen or an underscore is a program's: <system-reminder>, <command-name>, <ide_selection>.
    return re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+|private)\b([^<>\n]{0,300})>", re.IGNORECASE)


@cache
def _nonce() -> re.Pattern[str]:
    return re.compile(r"""\bid\s*=\s*["']?([^"'\s>]+)""")


def lines(text: str) -> Iterator[Line]:
    """Cut what is wrapped in a program's tags, and what wisen printed, out of a prompt; the rest comes as lines."""
    at = 0
    tags = list(_tags().finditer(text))
    closers = _closers(tags)
    for tag in tags:
        if tag.start() < at or tag[1]:
            continue
        name = tag[2].lower()
        end = _next_after(closers.get((name, _id_of(tag)), []), tag.end())
        if end is None and name not in _MACHINERY:
            continue
        yield from _plain(text[at : tag.start()])
        yield Line(text=text[tag.start() : tag.start() + EXCERPT_CHARS], dropped=f"inside <{name}>")
        at = len(text) if end is None else end
    yield from _plain(text[at:])


def _closers(tags: list[re.Match[str]]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for tag in reversed(tags):
        if tag[1]:
            found.setdefault((tag[2].lower(), _id_of(tag)), []).append(tag.end())
    return found


def _next_after(ends: list[int], at: int) -> int | None:
    # The list is descending and openers come in ascending order: what lies behind is never asked for again.
    while ends and ends[-1] <= at:
        ends.pop()
    return ends[-1] if ends else None


def _id_of(tag: re.Match[str]) -> str:
    # Only our own fence repeats its nonce when it closes: what stands inside can't know it.
    found = _nonce().search(tag[3]) if tag[2].lower() == "wisen-memory" else None
    return found[1] if found else ""


def _plain(text: str) -> Iterator[Line]:
    # Not splitlines: a prompt may hold U+2028 and its like in the middle of a sentence.
    parts = text.split("\n")
    printed = own(parts)
    for at, line in enumerate(parts):
        yield Line(text=line, dropped="shown by wisen" if at in printed else "")

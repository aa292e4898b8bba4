"""Which secrets stand in a connection string? `Server=db;User Id=sa;Password=PASSWORD`, in any order of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from wisen.redact.spans import Span, without
from wisen.redact.values import is_reference, is_stand_in, is_strong


def without_connections(text: str) -> str:
    """Return text with `[redacted:password]` for passwords that stand near the other parts of a connection string."""
    low = text.lower()
    if not ("password" in low or "pwd" in low) or not _of_connection().search(text):
        return text
    return without(text, _passwords(text))


_PARTS: Final = 8
"""How far off the password may be; counted in parts, because what is taken out gets shorter."""


def _passwords(text: str) -> Iterator[Span]:
    """Yield the passwords, in one pass: no stretch of the text is read again for each of them."""
    line_end = -1
    ends: list[int] = []
    near: list[bool] = []
    part = 0
    for found in _password().finditer(text):
        if found.start() > line_end:
            begin = text.rfind("\n", 0, found.start()) + 1
            line_end = text.find("\n", found.start())
            line_end = line_end if line_end >= 0 else len(text)
            ends, near = _parts(text, begin, line_end)
            part = 0
        while part < len(ends) - 1 and ends[part] <= found.start():
            part += 1
        if near[part] and _is_told(found):
            yield Span(*found.span(1), "password")


def _parts(text: str, begin: int, end: int) -> tuple[list[int], list[bool]]:
    """Return where the parts of a line end, and which of them are near one that only a connection string has."""
    ends = [*(gap.start() for gap in _between_parts().finditer(text, begin, end)), end]
    last = -1
    hits: list[int] = []
    for index, stop in enumerate(ends):
        start = ends[index - 1] if index else begin
        if _of_connection().search(text, start, stop):
            hits.append(index)
    near = [False] * len(ends)
    for hit in hits:
        for index in range(max(last + 1, hit - _PARTS), min(len(ends), hit + _PARTS + 1)):
            near[index] = True
            last = index
    return ends, near


def _is_told(found: re.Match[str]) -> bool:
    value = found[1]
    if is_reference(value) or is_stand_in(value) or value in {"password", "pwd"}:
        return False
    return is_strong(value) or found.string.startswith(";", found.end())


@cache
def _password() -> re.Pattern[str]:
    return re.compile(r"\b(?:password|pwd)\s?=\s?[\"']?([^\s;\"'(){}<>,\[\]]{3,4000})", re.IGNORECASE)


@cache
def _between_parts() -> re.Pattern[str]:
    return re.compile(r"[;\s]+")


@cache
def _of_connection() -> re.Pattern[str]:
    """Return the parts that only a connection string has."""
    return re.compile(
        r"\b(?:server|host|hostaddr|source|dbname|database|catalog|uid)=[\"']?[\w.-]",
        re.IGNORECASE,
    )

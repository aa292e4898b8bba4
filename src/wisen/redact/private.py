"""Which spans did the user mark as private? `<private>` tags; one inside backticks is only talked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

PRIVATE: Final = "[private]"


def without_private(text: str) -> str:
    """Cut out `<private>` spans, nested ones whole, an unclosed one to the end of the text."""
    if "private" not in text.lower():
        return text
    kept: list[str] = []
    depth = at = 0
    for tag in _tags(text):
        if tag[1]:
            if depth == 1:
                at = tag.end()
            depth = max(0, depth - 1)
        else:
            if depth == 0:
                kept += (text[at : tag.start()], PRIVATE)
            depth += 1
    if depth == 0:
        kept.append(text[at:])
    return "".join(kept)


def _tags(text: str) -> Iterator[re.Match[str]]:
    """The tags that mark something, without those in a code span that doesn't hold both ends.

    A span with both ends marks what is between them, backticks or not: rather a mangled example than a told secret.
    """
    mentioned: set[int] = set()
    for code in _code_spans().finditer(text):
        tags = list(_tag().finditer(text, code.start(), code.end()))
        if len({bool(tag[1]) for tag in tags}) == 1:
            mentioned.update(tag.start() for tag in tags)
    return (tag for tag in _tag().finditer(text) if tag.start() not in mentioned)


@cache
def _tag() -> re.Pattern[str]:
    """Return the tag, also as it stands in HTML or in JSON that was escaped for HTML."""
    return re.compile(
        r"(?:<|&lt;|&#0?60;|&#x0?3c;|\\u003c)\s{0,9}(/?)\s{0,9}private\b[^<>]{0,200}?(?:>|&gt;|&#0?62;|&#x0?3e;|\\u003e)",
        re.IGNORECASE,
    )


@cache
def _code_spans() -> re.Pattern[str]:
    """Inline code of one line. Its marks stand against the code: a stray backtick opens nothing."""
    return re.compile(r"(?<!`)(`{1,3})(?=[^\s`])[^`\n]{1,300}(?<=\S)\1(?!`)")

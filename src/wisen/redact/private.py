"""Which spans did the user mark as private? `<private>` tags; one inside backticks is only talked about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

PRIVATE: Final = "[private]"


def without_private(text: str) -> str:
    """Cut out `<private>` spans, nested ones whole, an unclosed one to the end, what is only closed from the start."""
    return PrivateSpans().without(text)


class PrivateSpans:
    """Cuts the private spans out of texts that belong together: one opens in a text and closes in a later one."""

    def __init__(self) -> None:
        self._depth = 0

    def without(self, text: str) -> str:
        """Return the next text without what is private of it."""
        if not text:
            return text
        kept = [PRIVATE] if self._depth else []
        if "private" not in text.lower():
            return kept[0] if kept else text
        at = 0
        for tag in _tags(text):
            if not tag[1]:
                if self._depth == 0:
                    kept += (text[at : tag.start()], PRIVATE)
                self._depth += 1
                continue
            if self._depth == 0:  # it closes what opened where nobody sees it: in a part that was cut off
                kept = [PRIVATE]
            if self._depth <= 1:
                at = tag.end()
            self._depth = max(0, self._depth - 1)
        return "".join(kept if self._depth else [*kept, text[at:]])


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


_ESCAPED: Final = r"&(?:amp;){{0,3}}(?:{name};|#0{{0,6}}{number};|#x0{{0,6}}{hexadecimal};)"
_CODED: Final = r"|\\{{1,4}}(?:u00|x){hexadecimal}|%(?:25){{0,2}}{hexadecimal}"
_OPENING: Final = f"(?:[<＜﹤]|{_ESCAPED}{_CODED})".format(name="lt", number="60", hexadecimal="3c")
_CLOSING: Final = f"(?:[>＞﹥]|{_ESCAPED}{_CODED})".format(name="gt", number="62", hexadecimal="3e")


@cache
def _tag() -> re.Pattern[str]:
    """Return the tag, also full-width, and as it stands in HTML, JSON, a script or an address that escaped it."""
    return re.compile(
        rf"{_OPENING}\s{{0,9}}(\\{{0,4}}[/／]|%(?:25){{0,2}}2f)?\s{{0,9}}private\b[^<>＜＞]{{0,200}}?{_CLOSING}",
        re.IGNORECASE,
    )


@cache
def _code_spans() -> re.Pattern[str]:
    """Inline code of one line. Its marks stand against the code: a stray backtick opens nothing."""
    return re.compile(r"(?<!`)(`{1,3})(?=[^\s`])[^`\n]{1,300}(?<=\S)\1(?!`)")

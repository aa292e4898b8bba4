"""How much of a long text is kept: its head and its tail, and a mark between."""

from __future__ import annotations

import re

from wisen.core.graphemes import cut_after, cut_before

# Cutting in the middle of a word could leave half a secret, which no pattern knows.
_TORN_MAX = 4096
_FIRST_WORD, _LAST_WORD = re.compile(r"\S*"), re.compile(r"\S*\Z")


def excerpt(text: str, limit: int) -> str:
    """Return text of at most `limit` characters: head and tail, with a mark where the middle is gone."""
    text = text.replace("\r\n", "\n")
    if len(text) <= limit:
        return text
    mark = f"\n[... {len(text)} characters ...]\n"
    head = (limit - len(mark)) // 2
    tail = len(text) - (limit - len(mark) - head)
    return text[: cut_before(text, head)] + mark + text[cut_after(text, tail) :]


def halves(text: str, limit: int) -> tuple[str, str]:
    """Return the head and the tail of a longer text, together at most `limit` characters, without torn words.

    For a text that has not been redacted yet.
    """
    size = limit // 2
    head = text[: cut_before(text, size)]
    tail = text[cut_after(text, len(text) - size) :] if size else ""
    if not text[size : size + 1].isspace():
        torn = _LAST_WORD.search(head, max(len(head) - _TORN_MAX, 0))
        head = head[: torn.start()] if torn else head
    if not text[len(text) - size - 1 : len(text) - size].isspace():
        torn = _FIRST_WORD.match(tail, 0, _TORN_MAX)
        tail = tail[torn.end() :] if torn else tail
    return head, tail

"""Which stored values hold a text that is to be erased, and what is left of them without their words?

Pure functions, used by the SQLite store and by the in-memory fake alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from wisen.core import erased
from wisen.core.records import Lookup, Receipt
from wisen.core.types import Event, EventRef, Signal

_EDGE = re.compile(r"^\W+|\W+$")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Purged:
    """What is to be erased: texts, folded, and the (session, event) keys of where they were said.

    `words` has the words of each text, the longest first, by which stored rows are sifted before they are read.
    """

    texts: frozenset[str]
    words: frozenset[tuple[str, ...]]
    said_in: frozenset[tuple[str, str]]

    def is_said_in(self, about: Event | Receipt) -> bool:
        """Whether an event, or the event that a receipt answered, is one of those in which it was said."""
        return (about.session_id, about.event_id) in self.said_in

    def is_noticed_in(self, signal: Signal) -> bool:
        """Whether a signal was noticed in one of those events."""
        return any((ref.session_id, ref.event_id) in self.said_in for ref in signal.evidence)

    def is_held_by(self, *parts: str) -> bool:
        """Whether one of the texts stands in one of these, whatever its case and spacing, and not inside a word."""
        return any(_stands_in(text, where) for where in map(folded, filter(None, parts)) for text in self.texts)

    def may_be_in(self, stored: bytes) -> bool:
        """Whether all words of one of the texts occur in a stored row: else it need not be read."""
        where = stored.decode("utf-8", "replace").casefold()
        return any(all(word in where for word in words) for words in self.words)

    def is_in(self, signal: Signal) -> bool:
        """Whether a signal's words hold one of the texts."""
        own = (signal.rule, signal.title, signal.why, signal.how_to_apply)
        return self.is_held_by(*own, *(ref.quote for ref in signal.evidence))

    def is_of(self, lookup: Lookup) -> bool:
        """Whether a name was looked up in one of those events, or its row holds all words of one of the texts."""
        is_there = (lookup.session_id, lookup.event_id) in self.said_in
        return is_there or self.may_be_in(f"{lookup.symbol} {lookup.path}".encode())


def purged(texts: Iterable[str], refs: Sequence[EventRef]) -> Purged:
    """Return what is to be erased; a text without a letter or digit can't be looked for and does not count."""
    wanted = {_EDGE.sub("", text): found for text in map(folded, texts) if (found := _WORD.findall(text))}
    return Purged(
        texts=frozenset(wanted),
        words=frozenset(tuple(sorted(set(words), key=len, reverse=True)) for words in wanted.values()),
        said_in=frozenset((ref.session_id, ref.event_id) for ref in refs if ref.event_id),
    )


def folded(text: str) -> str:
    """Return a text without differences of case and spacing."""
    return " ".join(text.casefold().split())


def event_without(event: Event, gone: Purged) -> Event:
    """Return the event without the words that say it; its keys, times and kinds stay."""
    return erased.event_without(event, _blank if gone.is_said_in(event) else _blank_if_held(gone))


def receipt_without(receipt: Receipt, gone: Purged) -> Receipt:
    """Return the receipt without a query that says it, nor the words of that query in its reasons."""
    if not (receipt.query and (gone.is_said_in(receipt) or gone.is_held_by(receipt.query))):
        return receipt
    shown = tuple(replace(item, reasons=()) for item in receipt.shown)
    left_out = tuple(replace(item, reason="") for item in receipt.left_out)
    return replace(receipt, query="", shown=shown, left_out=left_out)


def _blank(_: str) -> str:
    return ""


def _blank_if_held(gone: Purged) -> Callable[[str], str]:
    return lambda text: "" if gone.is_held_by(text) else text


def _stands_in(text: str, where: str) -> bool:
    at = where.find(text)
    while at >= 0:
        if not (_is_joined(where[at - 1 : at], text[0]) or _is_joined(text[-1], where[at + len(text) :][:1])):
            return True
        at = where.find(text, at + 1)
    return False


def _is_joined(left: str, right: str) -> bool:
    """Whether two neighbours are of one word; only where words are written apart can that be told."""
    return (left + right).isascii() and left.isalnum() and right.isalnum()

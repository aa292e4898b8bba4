"""What is left of words that were erased for good: enough to know them again, not enough to tell them.

A transcript that was copied, or is read late, brings up again what was said before it was erased. Of each erased text a
keyed hash stays with the graph, among the natural keys of the memory that is gone; the memory's random id is the key.
Its first four hex digits are how many words the text had, so that it is found inside of a longer one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import Final, assert_never

from wisen.core.lifecycle import rule_key
from wisen.core.types import Event, PostTool, PreCompact, PreTool, SessionEnd, SessionStart, ToolCall, UserPrompt

# What is written in letters of ASCII is parted into words; any other letter is one, because scripts differ.
_WORD: Final = re.compile(r"[a-z0-9]+|[^\W_]")
_MOST_WORDS: Final = 0xFFFF
_DIGITS: Final = 4
_HASH_BYTES: Final = 14  # with the four digits, 32 hex digits as of every natural key
_KEY_BYTES: Final = 64  # blake2b's longest key


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """A memory that was erased, when, and its natural keys: those of its words are among them."""

    memory_id: str
    at: datetime
    keys: frozenset[str]


def keys_of(memory_id: str, texts: Iterable[str]) -> frozenset[str]:
    """Return what is kept of a memory's texts, each as it stands and without its dress; of none without a word."""
    worded = {tuple(_words(spelled)) for text in texts for spelled in (text, rule_key(text))}
    return frozenset(_key(memory_id, words) for words in worded if 0 < len(words) <= _MOST_WORDS)


def known_at(erased: Iterable[Erased], said_at: datetime | None, now: datetime) -> tuple[Erased, ...]:
    """Return what had not been erased yet when something was said: later than that, it is said anew.

    What was said nobody knows when (None) may have been said before any of it was erased, and counts as that.
    What will have been erased after `now` was erased by a clock that ran ahead, which can't tell.
    """
    return tuple(one for one in erased if said_at is None or said_at <= one.at <= now)


def is_held_by(text: str, erased: Sequence[Erased]) -> bool:
    """Whether words that were erased stand in a text, whatever their case, spacing and marks."""
    words = _words(text) if erased else []
    return any(_stand_in(words, one) for one in erased)


def event_without(event: Event, blank: Callable[[str], str]) -> Event:
    """Return the event with what `blank` leaves of its words; its keys, times and kinds stay."""
    match event.body:
        case UserPrompt() as body:
            return replace(event, body=replace(body, text=blank(body.text)))
        case PreTool(call=call) as body:
            return replace(event, body=replace(body, call=_call_without(call, blank)))
        case PostTool(call=call) as body:
            return replace(event, body=replace(body, call=_call_without(call, blank), excerpt=blank(body.excerpt)))
        case SessionStart() | PreCompact() | SessionEnd():
            return event
        case _:
            assert_never(event.body)


def _call_without(call: ToolCall, blank: Callable[[str], str]) -> ToolCall:
    command = blank(call.command)
    return replace(
        call, command=command, segments=call.segments if command == call.command else (), summary=blank(call.summary)
    )


def _stand_in(words: Sequence[str], one: Erased) -> bool:
    lengths = {length for key in one.keys if 0 < (length := int(key[:_DIGITS], 16)) <= len(words)}
    return any(
        _key(one.memory_id, words[start : start + length]) in one.keys
        for length in sorted(lengths)
        for start in range(len(words) - length + 1)
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _key(memory_id: str, words: Sequence[str]) -> str:
    said = " ".join(words).encode("utf-8", "surrogatepass")
    digest = blake2b(said, key=memory_id.encode()[:_KEY_BYTES], digest_size=_HASH_BYTES).hexdigest()
    return f"{len(words):0{_DIGITS}x}{digest}"

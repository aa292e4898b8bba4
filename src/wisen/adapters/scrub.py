"""Secrets and private spans leave a payload before anything is made of it: before it is cut, parsed or hashed.

Cutting first would be wrong: half a key, or a private span without its opening tag, is known to no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from wisen.core.excerpts import halves
from wisen.core.hygiene import tidied
from wisen.redact import PrivateSpans
from wisen.transcripts.fields import Fields, JsonValue, clean

Redact = Callable[[str], str]

# A longer string keeps its ends; redaction takes about 1 ms of CPU a kilobyte.
LONGEST = 32 * 1024
# All strings of a payload together; what comes after is left out. A file's text in an edit is no evidence of anything.
MOST = 96 * 1024
# What a shorter string counts for: each costs something, and a payload may hold a million.
LEAST = 32

# What names things for the harness and for us; a changed one would name nothing.
_NAMES = frozenset(
    {
        "session_id",
        "transcript_path",
        "cwd",
        "hook_event_name",
        "prompt_id",
        "tool_use_id",
        "tool_name",
        "agent_id",
        "agent_type",
    }
)
# What the harness itself says of an event: redacted, but never inside a span that somebody marked.
_WORDS = frozenset({"permission_mode", "source", "reason", "trigger"})
# Where a payload repeats its own members, one set for each call.
_REPEATED = "tool_calls"
# Names of files: a tidied one may name another file, or none.
_PATHS = frozenset({"file_path", "notebook_path", "path"})
# The kinds of blocks that a message is made of: without its kind, the rest of a private block would be lost.
_BLOCKS = frozenset({"text", "image", "document", "tool_use", "tool_result", "thinking", "resource", "resource_link"})


def scrubbed(fields: Fields, redact: Redact) -> Fields:
    """Return a payload whose every text went through `redact`; identifiers stay. Raises RecursionError if too deep."""
    return Fields(_Scrubber(redact).payload(fields.raw))


class _Scrubber:
    """Cleans one payload, and knows how much of it there may still be and whether a private span is open."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._left = MOST
        self._spans = PrivateSpans()

    def payload(self, value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        """Return the members of a payload, or of a call in it: the names and words among them are the harness's."""
        cleaned: dict[str, JsonValue] = {}
        for name, item in value.items():
            if name in _NAMES:
                cleaned[name] = item
            elif name in _WORDS and isinstance(item, str):
                cleaned[name] = scrub_text(item, self._redact)
            elif name == _REPEATED and isinstance(item, Sequence) and not isinstance(item, str):
                cleaned[name] = [self.payload(one) if isinstance(one, Mapping) else self._clean(one) for one in item]
            else:
                cleaned[name] = self._member(name, item)
        return cleaned

    def _member(self, name: str, value: JsonValue) -> JsonValue:
        if name == "type" and value in _BLOCKS:
            return value
        if name in _PATHS and isinstance(value, str):
            return self._path(value)
        return self._clean(value)

    def _clean(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {name: self._member(name, item) for name, item in value.items()}
        if isinstance(value, Sequence):
            return [self._clean(item) for item in value]
        return value

    def _path(self, value: str) -> str:
        if len(value) > min(LONGEST, self._left):
            return self._text(value)
        self._left -= max(len(value), LEAST)
        return self._redact(self._spans.without(clean(value)))

    def _text(self, text: str) -> str:
        if not text or self._left <= 0:
            return text and _cut_mark(text)
        allowed = min(LONGEST, self._left)
        self._left -= max(min(len(text), allowed), LEAST)
        return _ends(self._spans.without(tidied(text)), self._redact, allowed)


def scrub_text(text: str, redact: Redact, *, longest: int = LONGEST) -> str:
    """Return a text without secrets; of a very long one the ends, each cleaned as what it is: a piece."""
    return _ends(PrivateSpans().without(tidied(text)), redact, longest)


def _ends(text: str, redact: Redact, longest: int) -> str:
    """Return a text that holds no private span any more without secrets, of a very long one the ends."""
    if len(text) <= longest:
        return redact(text)
    head, tail = halves(text, longest)
    if _is_in_key(text, len(text) - len(tail)):
        tail = _REST_OF_KEY.sub("[redacted:private-key]\\n", tail)
    return f"{redact(head)}\n{_cut_mark(text)}\n{redact(tail)}"


def _cut_mark(text: str) -> str:
    return f"[... {len(text)} characters ...]"


_KEY: Final = "PRIVATE KEY"
_KEY_LINE_CHARS: Final = 60
_REST_OF_KEY: Final = re.compile(
    r"(?s)\A(?:.*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|\s{0,9}(?:[^\n]{0,12}?[A-Za-z0-9+/=]{8,100}[ \t]*(?:\n|\Z))+)\n?"
)
"""To its last line, or where that is missing the lines that are one word in base64, perhaps after their numbers."""


def _is_in_key(text: str, at: int) -> bool:
    """Tell whether a block of a private key is open at an offset: the last line about one before it begins one."""
    name = text.rfind(_KEY, 0, at)
    line = text[max(0, name - _KEY_LINE_CHARS) : name]
    return name >= 0 and line.rfind("-----BEGIN") > line.rfind("-----END")

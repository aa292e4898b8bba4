"""Secrets and private spans leave a payload before anything is made of it: before it is cut, parsed or hashed.

Cutting first would be wrong: half a key, or a private span without its opening tag, is known to no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from wisen.core.excerpts import halves
from wisen.core.hygiene import tidied
from wisen.transcripts.fields import Fields, JsonValue, clean

Redact = Callable[[str], str]

# A longer string keeps its ends; redaction takes about 1 ms of CPU a kilobyte.
LONGEST = 32 * 1024
# All strings of a payload together; what comes after is left out. A file's text in an edit is no evidence of anything.
MOST = 96 * 1024

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
# Names of files: a tidied one may name another file, or none.
_PATHS = frozenset({"file_path", "notebook_path", "path"})
# As `redact.private` knows the tag: also escaped for HTML, or for JSON in HTML.
_OPEN = r"(?:<|&lt;|&#0?60;|&#x0?3c;|\\u003c)\s{0,9}"
_PRIVATE_END = re.compile(
    rf"(?is)\A(?:(?!{_OPEN}private\b).)*?{_OPEN}/\s{{0,9}}private\b[^<>]{{0,200}}?(?:>|&gt;|&#0?62;|&#x0?3e;|\\u003e)"
)
_KEY_END = re.compile(r"(?s)\A(?:(?!-----BEGIN ).)*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def scrubbed(fields: Fields, redact: Redact) -> Fields:
    """Return a payload whose every text went through `redact`; identifiers stay. Raises RecursionError if too deep."""
    return Fields(_Scrubber(redact).members(fields.raw))


class _Scrubber:
    """Cleans one payload, and knows how much of it there may still be."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact
        self._left = MOST

    def members(self, value: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        return {name: self._member(name, item) for name, item in value.items()}

    def _member(self, name: str, value: JsonValue) -> JsonValue:
        if name in _NAMES:
            return value
        if name in _PATHS and isinstance(value, str):
            return self._redact(clean(value)) if len(value) <= LONGEST else self._text(value)
        return self._clean(value)

    def _clean(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return self.members(value)
        if isinstance(value, Sequence):
            return [self._clean(item) for item in value]
        return value

    def _text(self, text: str) -> str:
        allowed = min(LONGEST, self._left)
        self._left -= min(len(text), allowed)
        return scrub_text(text, self._redact, longest=allowed)


def scrub_text(text: str, redact: Redact, *, longest: int = LONGEST) -> str:
    """Return a text without secrets; of a very long one the ends, each cleaned as what it is: a piece."""
    text = tidied(text)
    if len(text) <= longest:
        return redact(text)
    head, tail = halves(text, longest)
    tail = _KEY_END.sub("[redacted:private-key]", _PRIVATE_END.sub("[private]", tail))
    return f"{redact(head)}\n[... {len(text)} characters ...]\n{redact(tail)}"

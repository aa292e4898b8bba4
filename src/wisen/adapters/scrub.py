"""Secrets and private spans leave a payload before anything is made of it: before it is cut, parsed or hashed.

Cutting first would be wrong: half a key, or a private span without its opening tag, is known to no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from wisen.core.excerpts import halves
from wisen.transcripts.fields import Fields, JsonValue, clean

Redact = Callable[[str], str]

# A longer string keeps its ends; redaction takes about 1 ms of CPU a kilobyte.
LONGEST = 128 * 1024

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
_PRIVATE_END = re.compile(r"(?is)\A(?:(?!<\s*private\b).)*?<\s*/\s*private\s*>")
_KEY_END = re.compile(r"(?s)\A(?:(?!-----BEGIN ).)*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")


def scrubbed(fields: Fields, redact: Redact) -> Fields:
    """Return a payload whose every text went through `redact`; identifiers stay. Raises RecursionError if too deep."""
    return Fields({name: value if name in _NAMES else _clean(value, redact) for name, value in fields.raw.items()})


def _clean(value: JsonValue, redact: Redact) -> JsonValue:
    if isinstance(value, str):
        return scrub_text(value, redact)
    if isinstance(value, Mapping):
        return {name: item if name in _NAMES else _clean(item, redact) for name, item in value.items()}
    if isinstance(value, Sequence):
        return [_clean(item, redact) for item in value]
    return value


def scrub_text(text: str, redact: Redact) -> str:
    """Return a text without secrets; of a very long one the ends, each cleaned as what it is: a piece."""
    text = clean(text)
    if len(text) <= LONGEST:
        return redact(text)
    head, tail = halves(text, LONGEST)
    tail = _KEY_END.sub("[redacted:private-key]", _PRIVATE_END.sub("[private]", tail))
    return f"{redact(head)}\n[... {len(text)} characters ...]\n{redact(tail)}"

"""Which values does a JSON document of a harness hold? Typed, total reading of what someone else wrote.

Harnesses change their fields without notice, so every access names the type it wants and gets an empty value of that
type when something else is there. Only `decode` can fail.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from wisen.errors import PayloadError

JsonValue: TypeAlias = "str | int | float | bool | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

_MAX_NUMBER = 1e15


@dataclass(frozen=True, slots=True)
class Fields:
    """A read-only JSON object. Accessors never raise."""

    raw: Mapping[str, JsonValue] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.raw

    def value(self, name: str) -> JsonValue:
        """Return whatever is there, None when nothing is."""
        return self.raw.get(name)

    def text(self, name: str) -> str:
        """Return a string that can be encoded and stored, '' when there is none."""
        return clean(value) if isinstance(value := self.raw.get(name), str) else ""

    def number(self, name: str) -> float | None:
        """Return a number of reasonable size, None when there is none."""
        value = self.raw.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if -_MAX_NUMBER < value < _MAX_NUMBER else None  # never true for NaN

    def flag(self, name: str) -> bool:
        """Return True only for a JSON true."""
        return self.raw.get(name) is True

    def object(self, name: str) -> Fields:
        """Return the object, empty when there is none."""
        value = self.raw.get(name)
        return Fields(value) if isinstance(value, Mapping) else Fields()

    def objects(self, name: str) -> tuple[Fields, ...]:
        """Return the objects of a list; other items are left out."""
        value = self.raw.get(name)
        return objects_in(value)


def decode(raw: bytes) -> Fields:
    """Return the JSON object in `raw`. Raises PayloadError for anything else; bytes that aren't UTF-8 are replaced."""
    try:
        value = json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"{len(raw)} bytes that are not JSON: {type(error).__name__}") from error
    if not isinstance(value, dict):
        raise PayloadError(f"a JSON {type(value).__name__} where an object was expected")
    return Fields(value)


def objects_in(value: JsonValue) -> tuple[Fields, ...]:
    """Return the objects of a JSON list, nothing for other values."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return tuple(Fields(item) for item in value if isinstance(item, Mapping))


def text_in(content: JsonValue) -> str:
    """Return the text of a message: the string itself, or the text blocks of a list, a line break between them."""
    return "\n".join(texts_in(content))


def texts_in(content: JsonValue) -> tuple[str, ...]:
    """Return the non-empty text blocks of a message's content; a string is one block."""
    if isinstance(content, str):
        content = [content]
    if not isinstance(content, Sequence):
        return ()
    return tuple(part for item in content if (part := _text_part(item)))


def clean(text: str) -> str:
    """Return text without lone surrogates and NULs, which neither UTF-8 nor a path nor a database column can hold."""
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _text_part(item: JsonValue) -> str:
    if isinstance(item, str):
        return clean(item)
    if isinstance(item, Mapping) and item.get("type") == "text":
        return Fields(item).text("text")
    return ""

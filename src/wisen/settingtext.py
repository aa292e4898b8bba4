"""What does one piece of text mean where a list or a table is expected? As on a command line, or as TOML writes it.

A text that begins like TOML is TOML, or it is refused: taken as it stands, it would be a glob with brackets and quotes
in it that matches nothing, and what the user wants left alone would not be.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final

FORMS: Final = """a list is a,b or '["a", "b"]'; a table is a=b,c=d or '{"a" = "b", "c" = "d"}'"""
_QUOTES: Final = ('"', "'")


def items(text: str) -> list[object]:
    """Return the items of `a, b`, `["a", "b"]` or `"a", "b"`. Raises ValueError."""
    start = text.lstrip()[:1]
    if start == "[":
        return list(_toml(text))
    if start in _QUOTES:
        return list(_toml(f"[{text}]"))
    return [part.strip() for part in text.split(",") if part.strip()]


def entries(text: str) -> dict[str, object]:
    """Return the entries of `a=b, c=d`, `{"a" = "b"}` or `"a" = "b"`. Raises ValueError."""
    start = text.lstrip()[:1]
    if start == "{":
        return dict(_toml(text))
    if start in _QUOTES:
        return dict(_toml(f"{{{text}}}"))
    return dict(_pair(part) for part in text.split(",") if part.strip())


def _pair(part: str) -> tuple[str, str]:
    key, equals, value = part.partition("=")
    if not equals:
        raise ValueError(f"{part.strip()!r} is not of the form key=value")
    return key.strip(), value.strip()


def _toml(text: str) -> Any:
    try:
        read = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from error
    if read.keys() != {"value"}:
        raise ValueError("more than one value")
    return read["value"]

"""When does the place of a name come back? When that very name is asked about or searched for, and at no other time.

Names are compared letter by letter: `parseConfig` is one, "parse the config" is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from wisen.core.types import Memory, Source

MOST_NAMES: Final = 50
"""Names of one text that are looked for: beyond it, the text is code."""

_LONGEST: Final = 100


def is_place(memory: Memory) -> bool:
    """Is it the place of a name that was looked up again and again?"""
    return memory.source is Source.REPEATED_LOOKUP and place_of(memory) != ""


def place_of(memory: Memory) -> str:
    """Return the name whose place a memory tells; '' where it tells none."""
    return memory.anchors[0].symbol if memory.anchors and memory.source is Source.REPEATED_LOOKUP else ""


def is_known_already(memory: Memory, searched: str) -> bool:
    """Does a search look in the very file that the memory would name?"""
    path = memory.anchors[0].path if memory.anchors else ""
    return bool(path) and path.rpartition("/")[2] in searched


def names_in_prose(text: str) -> tuple[str, ...]:
    """Return the names in a text that look like code: they have two parts or more, or stand between backquotes."""
    quoted = (name for part in text.split("`")[1::2] for name in _name().findall(part))
    found = [*quoted, *(name for name in _name().findall(text) if len(parts_of(name)) > 1)]
    return tuple(dict.fromkeys(name for name in found if len(name) <= _LONGEST))[:MOST_NAMES]


def parts_of(name: str) -> Sequence[str]:
    """Return the words that a name is made of: `read`, `config` of `readConfig` and of `read_config`."""
    return _part().findall(name)


@cache
def _name() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_]\w+")


@cache
def _part() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

"""Is a rule only the beginning of what it is about? Its memory would be without the lines that it introduces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from wisen.core.signals.speech import Sentence

HALF: Final = "only the first line of what it introduces: the rest is not in it, or was a secret"


def is_half(rule: str, parts: Sequence[Sentence], until: int, *, is_withheld: Callable[[str], bool]) -> bool:
    """Tell whether a rule ends with the first line of a block that goes on below, and is nothing without that.

    `until` is the index of the first sentence that is not of the rule. A heading alone says nothing where entries stand
    below it; a comment or a setting does, unless a secret was taken out of what follows.
    """
    begun = _begun().search(rule)
    below = _below(parts, until) if begun else ()
    if any(is_withheld(part.text) for part in below):
        return True
    return bool(begun and begun["heading"] and below and _entry().match(below[0].text))


def _below(parts: Sequence[Sentence], until: int) -> Sequence[Sentence]:
    """Return what stands on the next lines, without an empty one between."""
    last = parts[until - 1]
    return [part for part in parts[until:] if part.paragraph == last.paragraph and part.line > last.line]


@cache
def _begun() -> re.Pattern[str]:
    """Return a colon, and after it the first line of a block: a heading, a comment, a bracket or a setting."""
    return re.compile(
        r"[:：]\s*(?:(?P<heading>\[{1,2}[\w .:\"'/-]{1,60}\]{1,2})"
        r"|(?:#|//|;|--|\{|<)[^\n]{0,400}|[\w.-]{1,60}\s?=[^\n]{0,400})\s*\Z"
    )


@cache
def _entry() -> re.Pattern[str]:
    return re.compile(r"[\w.\"'-]{1,60}\s*[=:]")

"""What is a place where only a secret can stand, and what is judged of the value that does?"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from wisen.redact.values import is_code, is_reference, is_stand_in, is_strong, is_technical

Replace: TypeAlias = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a secret stands. `hints` are literals one of which is in every lower-case text that has the place."""

    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    replace: Replace


def unless_referred(found: re.Match[str]) -> str:
    """Take out what is neither a reference nor a stand-in. Group 1 is what stands before, group 2 the value."""
    return found[0] if is_reference(found[2]) or is_stand_in(found[2]) else taken(found)


def if_strong(found: re.Match[str]) -> str:
    """Take out what has a digit or a sign and is no code."""
    value = found[2]
    is_other = is_reference(value) or is_stand_in(value) or is_code(value) or is_technical(value)
    return found[0] if is_other or not is_strong(value) else taken(found)


def taken(found: re.Match[str]) -> str:
    """Return what stood before, and a placeholder."""
    return f"{found[1]}[redacted:password]"

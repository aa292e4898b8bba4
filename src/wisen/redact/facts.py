"""What is a word wherever a sentence has it: surely no secret, or one that somebody chose and hides?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from wisen.redact.values import is_code, is_pointer, is_reference, is_strong, is_technical, is_told_stand_in


@dataclass(frozen=True, slots=True)
class Facts:
    """What a word is: `is_other` than a secret for sure, or `is_chosen` by somebody who hides it."""

    is_other: bool
    is_chosen: bool
    is_code: bool
    is_technical: bool


@lru_cache(maxsize=1024)
def facts_of(value: str) -> Facts:
    """Return what a word is; looked up when it is repeated. Whoever reads a text empties the cache after it."""
    technical = is_technical(value)
    return Facts(
        is_other=is_reference(value) or is_told_stand_in(value) or is_pointer(value),
        is_chosen=not technical and is_strong(value),
        is_code=is_code(value),
        is_technical=technical,
    )


def is_told(value: str) -> bool:
    """Tell whether a value is strong enough to be a secret wherever a sentence would have one."""
    facts = facts_of(value)
    return facts.is_chosen and not facts.is_other and not facts.is_code

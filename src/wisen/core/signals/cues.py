"""What a cue is: a family of wordings that speaks for or against a standing rule, and whether a sentence has one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One idea and the ways to say it; how much it weighs is in `rule_weights`.

    A sentence has it once, however many of the patterns match. Patterns are searched for in the folded sentence
    (`wording.folded`), with and without its lead-in ("no, ", "actually "). A family equals itself only: it is looked up
    for every sentence.
    """

    name: str
    patterns: tuple[str, ...]


@cache
def _compiled(family: Family, *, is_plain: bool) -> re.Pattern[str] | None:
    patterns = [pattern for pattern in family.patterns if not (is_plain and _is_of_another_script(pattern))]
    return re.compile("|".join(patterns)) if patterns else None


def _is_of_another_script(pattern: str) -> bool:
    """Is every letter that a pattern looks for beyond ASCII? A text that is plain ASCII need not be searched for it."""
    letters = [char for char in re.sub(r"\\.|\(\?[!<=:]*", "", pattern) if char.isalpha()]
    return bool(letters) and not any(char.isascii() for char in letters)


def has(family: Family, folded: str) -> bool:
    """Does the folded sentence have a cue of the family?"""
    pattern = _compiled(family, is_plain=folded.isascii())
    return pattern is not None and bool(pattern.search(folded))

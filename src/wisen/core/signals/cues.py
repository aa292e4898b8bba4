"""What a cue is: a family of wordings that speaks for or against a standing rule, and whether a sentence has one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Family:
    """One idea and the ways to say it; how much it weighs is in `rule_weights`.

    A sentence has it once, however many of the patterns match. Patterns are searched for in the folded sentence
    (`wording.folded`), with and without its lead-in ("no, ", "actually ").
    """

    name: str
    patterns: tuple[str, ...]


@cache
def _compiled(family: Family) -> re.Pattern[str]:
    return re.compile("|".join(family.patterns))


def has(family: Family, folded: str) -> bool:
    """Does the folded sentence have a cue of the family?"""
    return bool(family.patterns) and bool(_compiled(family).search(folded))

"""One sentence of a prompt: where it stands, and whether the user said it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence the user said, or (with `dropped` set: why) the start of a part that is not their speech.

    `line` and `paragraph` (a run of lines between blank ones) are numbered; `item` is set for a bullet or a numbered
    line, and `heading` is the line with a colon above the list it stands in. `block` is what a fence or quote holds.
    """

    text: str
    line: int = 0
    paragraph: int = 0
    item: bool = False
    heading: str = ""
    block: str = ""
    dropped: str = ""

    @property
    def is_question(self) -> bool:
        """Does it end as a question does, in any script?"""
        return bool(_question_end().search(self.text))


@cache
def _question_end() -> re.Pattern[str]:
    return re.compile(r"[?？؟][!\"')\]*\s]*$|(?:吗|呢|嗎|ですか|ますか|かな|나요|까요)[。.!?？]*$")


def spoken_chars(parts: Iterable[Sentence]) -> int:
    """Return how many characters of the prompt are the user's own speech."""
    return sum(len(part.text) for part in parts if not part.dropped)

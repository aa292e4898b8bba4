"""Which secrets are known by their form: a provider's prefix, length and alphabet."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from wisen.redact.providers import FORMS, Form
from wisen.redact.samples import is_published
from wisen.redact.values import is_filler

_Replace: TypeAlias = Callable[[re.Match[str]], str]

_START: Final = r"(?<![A-Za-z0-9])"
_END: Final = r"(?![A-Za-z0-9])"


def without_forms(text: str) -> str:
    """Return text with `[redacted:PROVIDER]` for what a provider's form gives away."""
    words = "\n".join(word for word in text.split() if len(word) >= _SHORTEST)
    for form in FORMS if words else _OF_LINES:
        searched = words if form.is_word else text
        if any(hint in searched for hint in form.hints):
            text = _compiled(form).sub(_replacer(form), text)
    return text


_OF_LINES: Final = tuple(form for form in FORMS if not form.is_word)
_SHORTEST: Final = 20
"""Characters of the shortest form, without a space in it; `AKIA` and 16 more are."""


@cache
def _compiled(form: Form) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{form.pattern}){_END}" if form.is_word else form.pattern)


@cache
def _replacer(form: Form) -> _Replace:
    def replace(found: re.Match[str]) -> str:
        # A key of many lines may hold a run of anything, and a cut one reaches to the end of the text.
        is_none = form.is_word and (is_filler(found[0]) or _is_masked(found) or is_published(found[0]))
        return found[0] if is_none else f"[redacted:{form.kind}]"

    return replace


def _is_masked(found: re.Match[str]) -> bool:
    """`xoxp-572370529330-####`: only the beginning of a secret is shown, the rest is blotted out."""
    return found.string.startswith(("###", "•••", "****"), found.end())

"""Is `pass` or `pw` in a name short for "password"? It is in `SMTP_PASS`, and not in `bypass` or `first_pass`."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.redact.values import is_changing, is_code, is_technical

SHORT_NAMES: Final = r"(?:pass|pw)(?![a-z])"


def is_shortened(low: str, start: int, end: int) -> bool:
    """Tell whether the `pass` between two offsets of a lower-case text says "password" by the name that it is in."""
    before = _before().search(low, max(0, start - _NAME_CHARS), start)
    if not before or _other_passes().search(before[0]):
        return False
    return not low.startswith(("_", "-"), end) or bool(_whose().match(low, end))


def is_worth(low: str, start: int, joint: str, value: str, *, is_quoted: bool) -> bool:
    """Tell whether what stands after such a name is chosen by somebody: `PASS: tests/a1` says what passed."""
    is_vocabulary = is_code(value) or is_technical(value) or bool(_time().match(value))
    if is_vocabulary and not is_changing(value):
        return False
    is_alone = start == 0 or low[start - 1] not in _NAME_CHARS_BEFORE
    if is_alone and "," in joint:  # a list: "pass", "fail"
        return False
    is_report = is_alone and not is_quoted and ":" in joint
    if not is_report:
        return True
    return not _of_report().search(value) and (is_changing(value) or bool(_sign().search(value)))


_NAME_CHARS: Final = 40
_NAME_CHARS_BEFORE: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-")


@cache
def _before() -> re.Pattern[str]:
    """Return the rest of the name, back to where it begins; base64 may end in `pw=` too."""
    return re.compile(r"(?<![a-z0-9+/])(?:[a-z0-9]{1,20}[_.-]){0,6}(?:[a-z]{1,10}\d{1,2})?[a-z]{0,20}\Z")


@cache
def _other_passes() -> re.Pattern[str]:
    """Return what stands before the passes of a compiler or a renderer, tests that pass, and words that end so."""
    return re.compile(
        r"(?:(?<![a-z])(?:by|im|out|sur|en|tres|under|over|com|encom)|(?:(?<![a-z])(?:one|two|each|per|num|max|min|fwd"
        r"|bwd|opt|llvm|lint|qa|spf|dkim|dmarc|helo|is|did|does|must|should|will|can|to|all|any|none|not|no|non|hall|low"
        r"|high|band|and|or|also|would|could|may|might|tests?|draw|loop|blit|pre|post|n|i|j|k)"
        r"|first|second|third|last|next|prev(?:ious)?|final|single|multi|forward|backward|render|depth|shadow|bloom"
        r"|light\w{0,3}|effect|colou?r|compute|shader|geometry|optimi[sz]er|compiler|analysis|function|module|suite|check"
        r"|gates?|boarding|season)[_.-]?)\Z"
    )


@cache
def _whose() -> re.Pattern[str]:
    """Return what goes on with such a name without changing it: `DB_PASS_PROD`."""
    return re.compile(
        r"[_-](?:\d{1,3}|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test|qa|ci|live|local|old|new|main|root|admin"
        r"|user|db)(?![a-z0-9])"
    )


@cache
def _time() -> re.Pattern[str]:
    return re.compile(r"\d{4}-\d\d-\d\dT\d")


@cache
def _of_report() -> re.Pattern[str]:
    """Return what names of tests have: words, and what they are in."""
    return re.compile(r"/|[a-z]{4}")


@cache
def _sign() -> re.Pattern[str]:
    return re.compile(r"[!$%^&*?]")

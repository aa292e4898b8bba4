"""What kind of failure does a tool's output tell of? Its words choose a kind; only our words for the kind go on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from wisen.core.signals.error_kinds import Kind
from wisen.core.signals.error_patterns import CODE, PATTERNS

__all__ = ["Found", "Kind", "class_of", "is_about_code", "words_complained_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A class and the word the tool complained of, when it named one. The word counts only if the command had it."""

    kind: Kind
    word: str = ""


@lru_cache(maxsize=64)  # the same output is asked about for every failure that waits
def class_of(output: str) -> Found:
    """Return the class of a failed command's output; `Kind.OTHER` when nothing fits."""
    for kind, patterns in _compiled():
        for pattern in patterns:
            if found := pattern.search(output):
                return Found(kind=kind, word=_word(found))
    return Found(kind=Kind.CODE if is_about_code(output) else Kind.OTHER)


def is_about_code(output: str) -> bool:
    """Does an output read like that of a compiler, a linter or a test run?"""
    return any(pattern.search(output) for pattern in _code())


def words_complained_of(output: str, kind: Kind) -> tuple[str, ...]:
    """Return every word that the patterns of a class name in an output."""
    patterns = next((patterns for one, patterns in _compiled() if one is kind), ())
    return tuple(word for pattern in patterns for found in pattern.finditer(output) if (word := _word(found)))


def _word(found: re.Match[str]) -> str:
    named = found.groupdict()
    return (named.get("word") or named.get("word2") or "").rstrip(".:")


@cache
def _compiled() -> tuple[tuple[Kind, tuple[re.Pattern[str], ...]], ...]:
    return tuple((kind, tuple(re.compile(one, re.MULTILINE) for one in patterns)) for kind, patterns in PATTERNS)


@cache
def _code() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.MULTILINE) for one in CODE)

"""Which lines of a prompt did wisen print? A list, a log or an answer of ours that was pasted states nothing new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from wisen.core.signals.asking import opens_with_an_ask

_ID: Final = "[0-9a-f]{8}"
# Between two columns: spaces on a terminal, a tab in a pipe.
_GAP: Final = r"(?: {2,}|\t)"
_DONE: Final = (
    "Remembered|Known already:|Held for your review:|Forgotten|Edited|Edited and accepted|Accepted|Rejected|Pinned"
    "|Unpinned|Snoozed|Woken|Restored|Erased"
)
_LABELS: Final = (
    "id|status|source|where|visible to|why|apply|tags|branch|session|learned|said|verified|recalled|replaces|evidence"
    "|was|now|title|pin|until|logged as|looked in|query|note|not read"
)
_TRIGGERS: Final = "session-start|user-prompt|sub-task|pre-tool|tool-family|manual"

_RECALLED: Final = rf"[\s>*•–-]*(?:\d{{1,3}}[.)]\s+)?\[{_ID}\]\s"  # a line of a recall block, also counted

_MARKS: Final = (
    _RECALLED,
    rf"\s*{_ID}{_GAP}\S",  # a row of a list
    rf"\s*(?:· )?[ruye]?\d+{_GAP}.*(?<![0-9a-f]){_ID}(?![0-9a-f])",  # a row of the log, a line of an undo
    rf"\s*batch{_GAP}",
    r"\s*(?:· )?[ruye]\d+ {2}\d{4}-\d\d-\d\d \d\d:\d\d ",  # a line of a memory's history
    rf"\s*(?:{_DONE}) {_ID}(?:[:.\s]|$)",
    rf"\s*{_ID} (?:is|was) (?:pinned|not|snoozed|active|like)\b",
    rf" {{2}}(?=[a-z ]{{11}} \S)(?:{_LABELS}) {{2,}}\S",  # a field of an answer: its label is padded to 12
    r"\s*Took back (?:[ruye]?\d+ \(|batch |\d+ of \d+ changes)",
    r"\s*Your latest change here is ",
    rf"\s*(?:{_TRIGGERS}) · \d{{4}}-\d\d-\d\d ",
    r"\s*session \S+ · \d{4}-\d\d-\d\d ",
    r"\s*\d+ of \d+ {2}\S",  # a memory that is walked through in a review
    r"\s*(?:id|ref)(?: {2,}|\t)\w.*(?: {2}|\t)\w",  # the head of a table
    # Without its fence a recall block is still known by its lines: the label, a lone end of the fence, the last line.
    r".*(?:(?:<|&lt;)/?wisen-memory\b|Notes? learned in (?:an )?earlier sessions?: data, not instructions)",
    r".*\(\d+ more left out for space: ",
)
_HEADS: Final = frozenset({"Evidence", "History", "Why these", "Left out"})
# A text may be wrapped over so many lines above its id.
_MOST_ABOVE: Final = 40
# A line of ours that is at least so long, and ends in no full stop, may have been wrapped by the terminal's width.
_MAY_BE_WRAPPED_CHARS: Final = 60


def own(lines: Sequence[str]) -> frozenset[int]:
    """Return the positions of the lines that wisen printed.

    Never one that opens with asking to remember, but for a line of a recall block: there it is what a memory says.
    """
    found = {at for at, line in enumerate(lines) if _is_own(line)}
    for at in sorted(found):
        if _shows_a_memory().match(lines[at]):
            found |= _above(lines, at)
    for at in range(len(lines)):
        if at not in found and _goes_on(lines, at, found):
            found.add(at)
    return frozenset(at for at in found if _is_recalled().match(lines[at]) or not opens_with_an_ask(lines[at]))


def _is_own(line: str) -> bool:
    return _marks().match(line) is not None


def _above(lines: Sequence[str], at: int) -> set[int]:
    """Return the lines of title and text that stand above the id: up to a blank line, or one that asks."""
    found: set[int] = set()
    for above in range(at - 1, max(at - 1 - _MOST_ABOVE, -1), -1):
        line = lines[above].rstrip()
        if not line or line.endswith((":", "：")) or line.startswith(("$ ", "% ", "❯ ")) or opens_with_an_ask(line):
            break
        found.add(above)
    return found


def _goes_on(lines: Sequence[str], at: int, found: set[int]) -> bool:
    """Does a line carry on what wisen printed: a head or indented below a line of ours, or the wrapped end of one?"""
    line, above = lines[at], lines[at - 1] if at else ""
    if line.strip() in _HEADS and not line.startswith(" "):
        return {at - 1, at - 2} & found != set()
    if at - 1 not in found or not line.strip():
        return False
    if line.startswith("  "):
        return not _bullet().match(line)
    is_full = len(above) >= _MAY_BE_WRAPPED_CHARS and not above.rstrip().endswith((".", "!", "?", "。", "`"))
    return is_full and _answers().match(above) is not None


@cache
def _marks() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{mark})" for mark in _MARKS))


@cache
def _is_recalled() -> re.Pattern[str]:
    return re.compile(_RECALLED)


@cache
def _answers() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{_DONE}) {_ID}:")


@cache
def _shows_a_memory() -> re.Pattern[str]:
    return re.compile(rf" {{2}}id {{10}}{_ID} \([0-9a-f-]{{36}}\)")


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")

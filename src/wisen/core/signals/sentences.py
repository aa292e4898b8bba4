"""Which parts of a prompt are the user speaking, sentence by sentence, and which are not, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count, groupby
from typing import Final

from wisen.core.signals.lines import EXCERPT_CHARS, Line, lines
from wisen.core.signals.others import reason_not_theirs
from wisen.core.signals.pastes import CODE, QUOTED, without_pastes
from wisen.core.signals.review_prose import review_prose
from wisen.core.signals.speech import Sentence

_WRAPPED_CHARS: Final = 60
"""A line this long without an end mark, followed by one that starts in lower case, is one sentence wrapped."""

_LONGEST_BLOCK: Final = 2_000
"""Characters of a fenced or quoted block that are kept, for an ask that points at it."""


def sentences(text: str) -> tuple[Sentence, ...]:
    """Split a prompt into the user's sentences and, marked as dropped, everything that is not their speech."""
    spoken = without_pastes(lines(text.replace("\r\n", "\n")))
    return _merged(_theirs(tuple(_split(_unwrapped(spoken)))))


# --- lines to sentences -----------------------------------------------------------------------------------------


@cache
def _bullet() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[-*•–]\s+(?:\[[ xX]\]\s+)?|\[[ xX]\]\s+|\(?\d{1,2}[.)]\s+|\(?[a-z]\)\s+)")


@cache
def _end_mark() -> re.Pattern[str]:
    return re.compile(
        r"(?<=[。！？])|(?<=[.!?…])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\betc\.)(?<!\bbzw\.)(?<!\bz\.B\.)\s+"
    )


@cache
def _inline_number() -> re.Pattern[str]:
    return re.compile(r"(?:^|(?<=\s))\(?([1-9])\)\s+")


def _unwrapped(spoken: Iterable[Line]) -> Iterator[Line]:
    """Join what an editor wrapped."""
    held: Line | None = None
    for line in spoken:
        if held is None:
            held = line
        elif _continues(held, line):
            held = replace(held, text=f"{held.text.rstrip()} {line.text.strip()}")
        else:
            yield held
            held = line
    if held is not None:
        yield held


def _continues(line: Line, following: Line) -> bool:
    if line.dropped or following.dropped:
        return False
    end = line.text.rstrip()[-1:]
    return len(line.text) >= _WRAPPED_CHARS and (end.isalnum() or end == ",") and following.text.lstrip()[:1].islower()


def _split(spoken: Iterable[Line]) -> Iterator[Sentence]:
    paragraph = 0
    heading = ""
    numbers = count()
    for line in spoken:
        text = line.text.strip()
        if line.dropped:
            block = line.text[:_LONGEST_BLOCK] if line.dropped in {CODE, QUOTED} else ""
            place = Sentence(text=text[:EXCERPT_CHARS], line=next(numbers), paragraph=paragraph)
            yield replace(place, block=block, dropped=line.dropped)
            continue
        if not text:
            paragraph += 1
            next(numbers)
            continue
        items = tuple(_items(line.text))
        if not items[0][0]:
            heading = text if text.endswith((":", "：")) else ""
        for is_item, piece in items:
            above = heading if is_item else ""
            place = Sentence(text="", line=next(numbers), paragraph=paragraph, item=is_item, heading=above)
            yield from _of_piece(piece, place)


def _of_piece(piece: str, place: Sentence) -> Iterator[Sentence]:
    for part in _end_mark().split(piece):
        if any(char.isalnum() for char in part):
            yield replace(place, text=part.strip())


def _items(line: str) -> Iterator[tuple[bool, str]]:
    """Take a bullet off a line, and split `1) this 2) that`: for each piece, whether it is an item, and its text."""
    marks = list(_inline_number().finditer(line))
    if len(marks) > 1 and [mark[1] for mark in marks] == [str(n) for n in range(1, len(marks) + 1)]:
        edges = [*(mark.start() for mark in marks), len(line)]
        if line[: edges[0]].strip():
            yield False, line[: edges[0]]
        for mark, end in zip(marks, edges[1:], strict=True):
            yield True, line[mark.end() : end]
    else:
        bullet = _bullet().match(line)
        yield bool(bullet), line[bullet.end() :] if bullet else line.strip()


# --- whose words ------------------------------------------------------------------------------------------------


def _theirs(parts: tuple[Sentence, ...]) -> Iterator[Sentence]:
    """Mark what is somebody else's words, or a text that is to be written."""
    reasons = review_prose(parts) | reason_not_theirs(parts)
    for at, part in enumerate(parts):
        yield replace(part, dropped=reasons[at], text=part.text[:EXCERPT_CHARS]) if at in reasons else part


def _merged(parts: Iterable[Sentence]) -> tuple[Sentence, ...]:
    """Make a run of dropped lines with one reason one part."""
    kept: list[Sentence] = []
    for reason, run in groupby(parts, key=lambda part: part.dropped):
        if not reason:
            kept.extend(run)
            continue
        first, *others = run
        block = "\n".join(part.block for part in (first, *others) if part.block)[:_LONGEST_BLOCK]
        kept.append(replace(first, block=block))
    return tuple(kept)

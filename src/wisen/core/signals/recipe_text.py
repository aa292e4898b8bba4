"""How is a recipe written? From the words of the commands that ran and from our own; never from what a tool printed.

Short names instead of whole command lines, so that the same lesson reads the same in every session: what is only of one
run (ids, hashes, numbers, messages, directories of the machine) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from wisen.core.commands import bare, head, written_words
from wisen.core.scripts import A_SENTENCE, substance
from wisen.core.signals.deltas import argv
from wisen.core.types import ShellSegment

LONGEST_COMMAND: Final = 70
LONGEST_WORD: Final = 44
GONE: Final = "…"


def name(segment: ShellSegment, *more: str, cwd: str = "") -> str:
    """Return a command's short name in backquotes, with the words that matter: `gh pr diff --stat`."""
    words = [*called(segment)]
    words += [word for word in more if word not in words]
    return ticked(words, cwd=cwd)


def called(segment: ShellSegment) -> tuple[str, ...]:
    """Return a command's head, its program as it was called: `./check.sh`, but `npm` for `/usr/local/bin/npm`."""
    first = argv(segment)[:1]
    as_called = first[0] if first and "/" in first[0] and not first[0].startswith(("/", "~", "$")) else segment.program
    return (as_called, *head(segment)[1:])


def whole(segment: ShellSegment, *, cwd: str = "") -> str:
    """Return a command as it was written, as far as it is fit to keep, in backquotes."""
    return ticked(written_words(segment), cwd=cwd)


def from_program(segment: ShellSegment, *before: str, cwd: str = "") -> str:
    """Return a command from its program on, with words put before it."""
    return ticked((*before, *argv(segment)), cwd=cwd)


def ticked(words: Iterable[str], *, cwd: str = "") -> str:
    """Return words in backquotes, each made fit to keep, at most 70 characters."""
    kept: list[str] = []
    for word in words:
        shown = kept_word(word, cwd)
        if shown == GONE and kept and kept[-1].endswith(GONE):
            continue
        if sum(len(one) + 1 for one in kept) + len(shown) > LONGEST_COMMAND:
            if not kept or kept[-1] != GONE:
                kept.append(GONE)
            break
        kept.append(shown)
    return f"`{' '.join(kept)}`".replace("``", "`…`")


def listed(words: Sequence[str], *, cwd: str = "", most: int = 2) -> str:
    """Return some words, each in backquotes, with "and" before the last."""
    shown = [one for one in dict.fromkeys(kept_word(word, cwd) for word in words) if one != GONE][:most]
    return " and ".join(f"`{one}`" for one in shown)


def kept_word(word: str, cwd: str = "") -> str:
    """Return a word as it may stand in a memory: one dots character for what is only of one run or one machine."""
    name_, mark, value = word.partition("=") if _assignment().match(word) else ("", "", word)
    plain = bare(value)
    if cwd and plain.startswith(cwd.rstrip("/") + "/"):
        plain = value = plain[len(cwd.rstrip("/")) + 1 :]
    elif cwd and plain == cwd.rstrip("/"):
        plain = value = GONE
    if _machine().match(plain):
        plain = value = _tail(plain)
    if not _assigns_flag(plain):
        plain, value = _random().sub(GONE, plain), _random().sub(GONE, value)
    plain = _small_value().sub("", plain) if name_ else plain
    if _passing().search(plain) or "`" in plain or any(mark in plain for mark in "\n\r\t"):
        return f"{name_}{mark}{GONE}"
    if len(name_ + mark + value) > LONGEST_WORD or _is_prose(plain):
        return f"{name_}{mark}{GONE}"
    return f"{name_}{mark}{value}"


def _is_prose(word: str) -> bool:
    """Is it a message to somebody: some words in quotes, or a sentence of a script that puts no spaces between them?"""
    words = word.count(" ") + 1
    is_unspaced = len(word) < substance(word)
    is_long = len(word) > LONGEST_WORD // 2
    return words >= _PROSE or (words > 1 and is_long) or (is_unspaced and substance(word) >= A_SENTENCE)


_PROSE: Final = 4  # words


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(r"-{0,2}[A-Za-z_][\w-]*\+?=")


def _tail(path: str) -> str:
    """The end of a path that no other machine has; two names where there are enough above them."""
    names = path.rstrip("/").split("/")
    return f"{GONE}/{'/'.join(names[-2:] if len(names) > _DEEP else names[-1:])}"


_DEEP: Final = 6


def _assigns_flag(word: str) -> bool:
    return word.startswith("-")


@cache
def _random() -> re.Pattern[str]:
    """A part of a name that `mktemp` and its like made up: capitals or digits among small letters."""
    made_up = r"(?=[A-Za-z]*\d[A-Za-z]+\d|\w*[A-Z]\w*[A-Z]\w*[a-z]|\w*[a-z]\w*[A-Z]\w*[A-Z])[A-Za-z0-9]{6,12}"
    return re.compile(rf"(?<=/)[\w-]+[-._]{made_up}(?=/|\Z)|(?<=[-._]){made_up}(?=/|\Z)")


@cache
def _small_value() -> re.Pattern[str]:
    """A number that somebody set on purpose: a size, a port, a version."""
    return re.compile(r"(?:(?<==)|\A)\d{1,6}\Z")


def changed(worked: ShellSegment, words: Sequence[str]) -> list[str]:
    """Return some words of a command with the options in front of them, in the order of the command."""
    line = argv(worked)
    kept: list[str] = []
    for before, word in zip(("", *line), line, strict=False):
        if word in words:
            kept += [before] if before.startswith("-") and before not in kept and not word.startswith("-") else []
            kept.append(word)
    return kept


@cache
def _machine() -> re.Pattern[str]:
    return re.compile(r"(?:~|\$HOME|/home|/Users|/root|/private|/var/folders|/mnt|/opt|[A-Z]:\\|/tmp/.*/)")


@cache
def _passing() -> re.Pattern[str]:
    """Homes and temporary places, hashes, ids, long numbers, issue numbers, addresses, expansions, single tests."""
    return re.compile(
        r"^\d{3,}$|\d{4,}|#\d+"
        r"|\b(?=[0-9a-f]*\d)[0-9a-f]{7,}\b|[0-9a-f]{8}-[0-9a-f]{4}-|https?://\S{30}|@\S+\.\w|\$\(|\$\{?\w|^\^?Test[A-Z_]\w*"
        r"|::|[\w-]+[._]tests?\.|\[redacted:|REDACTED|[{}|<>;]"
    )


def sentence(*parts: str) -> str:
    """Return the parts as one line that ends in a full stop."""
    text = " ".join(" ".join(part.split()) for part in parts if part).strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."

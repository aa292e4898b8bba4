"""What is different between the command that failed and the one that worked?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core.commands import (
    Head,
    bare,
    is_slip,
    written_words,
)
from wisen.core.types import ShellSegment

_PLACE_FLAGS: Final = frozenset(
    {
        "-C", "--prefix", "--filter", "-F", "--cwd", "--dir", "--directory", "--manifest-path", "-w", "--workspace",
        "--project", "--package", "-p", "--chdir", "--root", "--work-tree", "-f", "--file",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """How the working command differs from the failing one: words as they were written."""

    failed: ShellSegment
    worked: ShellSegment
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    added_env: tuple[str, ...]
    dropped_env: tuple[str, ...]
    added_before: tuple[str, ...]
    dropped_before: tuple[str, ...]
    is_moved: bool
    path: str = ""  # of the program in the working command, where it is another

    @property
    def is_same(self) -> bool:
        """Is it word for word the same command, in the same place?"""
        changed = self.added, self.dropped, self.added_env, self.dropped_env, self.added_before, self.dropped_before
        return not self.is_moved and not self.path and not any(changed)

    @property
    def is_same_before_words(self) -> bool:
        """Was nothing put before the command, or taken from there?"""
        options = {*self.worked.options, *self.worked.flags} - {*self.failed.options, *self.failed.flags}
        return not (self.added_before or self.added_env or "-c" in options or "--no-gpg-sign" in options)

    @property
    def is_same_words(self) -> bool:
        """Is it word for word the same command, in whatever place?"""
        return not (self.added or self.dropped)


def delta_of(
    failed: ShellSegment, worked: ShellSegment, *, before: Sequence[str] = (), without: Sequence[str] = (), moved: bool
) -> Delta:
    """Return the difference of two segments; `before` and `without` are words a wrapper added or dropped."""
    ours, theirs = _argv(failed), _argv(worked)
    has_path = failed.program == worked.program and ours[:1] != theirs[:1]
    skipped = 1 if has_path else 0
    added = tuple(word for word in theirs[skipped:] if word not in ours and word not in before)
    dropped = tuple(word for word in ours[skipped:] if word not in theirs and word not in without)
    names = _telling(worked), _telling(failed)
    added_before = (*before, *_runner(word for word in worked.wrapper if word not in failed.wrapper))
    dropped_before = (*without, *_runner(word for word in failed.wrapper if word not in worked.wrapper))
    placed_otherwise = bool(_PLACE_FLAGS & {*worked.flags, *worked.options} - {*failed.flags, *failed.options})
    return Delta(
        failed=failed,
        worked=worked,
        added=added,
        dropped=dropped,
        added_env=tuple(sorted(names[0] - names[1])),
        dropped_env=tuple(sorted(names[1] - names[0])),
        added_before=tuple(word for word in added_before if not _assigns(word)),
        dropped_before=tuple(word for word in dropped_before if not _assigns(word)),
        is_moved=moved or placed_otherwise,
        path=theirs[0] if has_path and "/" in theirs[0] else "",
    )


def argv(segment: ShellSegment) -> tuple[str, ...]:
    """Return a segment's words from its program on, without quotes, assignments and wrappers."""
    return _argv(segment)


def _argv(segment: ShellSegment) -> tuple[str, ...]:
    if len(segment.text) >= _CUT:
        return tuple(word for word in (segment.program, segment.subcommand, *segment.flags, *segment.words) if word)
    words = [bare(word) for word in written_words(segment)]
    names = [word.rpartition("/")[2] for word in words]
    start = names.index(segment.program) if segment.program in names else 0
    return tuple(words[start:])


_CUT: Final = 400
"""Characters at which the adapter cuts a segment's text; then its words are known, but not in their order."""


def _names_with_values(segment: ShellSegment) -> list[str]:
    words = [bare(word) for word in written_words(segment)]
    written = [word for word in words[: len(words) - len(_argv(segment))] if _assigns(word)]
    known = {word.partition("=")[0] for word in written}
    return [*written, *(name for name in segment.env if name not in known)]


def _telling(segment: ShellSegment) -> set[str]:
    """The variables set for a command, without those that only change what it prints."""
    return {word for word in _names_with_values(segment) if not _printing().match(word)}


_PRINTING: Final = (
    r"(?:NO_COLOR|FORCE_COLOR|CLICOLOR\w*|TERM|COLUMNS|LINES|(?:GIT_|GH_|MAN)?PAGER|DEBUG\w*|\w*_(?:DEBUG|LOG|TRACE)"
    r"|\w*LOG_LEVEL|RUST_BACKTRACE|GIT_TRACE\w*|VERBOSE|LC_\w+|LANG|TZ)(?:=|\Z)"
)


@cache
def _printing() -> re.Pattern[str]:
    return re.compile(_PRINTING)


def _runner(wrapper: Iterable[str]) -> tuple[str, ...]:
    """What of a wrapper chooses where a program comes from; `time` and its like only watch it."""
    words = list(wrapper)
    while words and words[0] in _WATCHING:
        words = words[1:]
        while words and (words[0].startswith("-") or words[0][:1].isdigit() or _assigns(words[0])):
            words = words[1:]
    return tuple(words)


_WATCHING: Final = frozenset(
    {"time", "timeout", "gtimeout", "nice", "nohup", "exec", "command", "builtin", "stdbuf", "env", "sudo", "doas"}
)


def _assigns(word: str) -> bool:
    return bool(_assignment().match(word))


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


# --- the same work under another name ---------------------------------------------------------------------------


def wrapped(failed: ShellSegment, worked: ShellSegment, *, without: str = "") -> tuple[Head, Head] | None:
    """Return the words put before a command and those taken from before it, if the rest is the same; else None.

    `without` is an option that may be gone, with the word behind it.
    """
    ours, theirs = _less(_argv(failed), without), _less(_argv(worked), without)
    for n in range(1, 4):
        if len(ours) > n and theirs == ours[n:]:
            return (), ours[:n]
        if len(theirs) > n and ours == theirs[n:]:
            return theirs[:n], ()
    return None


def is_replaced(failed: ShellSegment, worked: ShellSegment) -> bool:
    """Does another program do the same work: the same words behind it, or another release of the same program?"""
    ours, theirs = _argv(failed), _argv(worked)
    if failed.program == worked.program or is_slip(failed.program, worked.program):
        return False
    if len(ours) > 1 and ours[1:] == theirs[1:]:
        return True
    if "-".join(theirs[:2]) == ours[0] and ours[1:] == theirs[2:]:
        return True  # docker-compose, docker compose
    return is_another_release(failed.program, worked.program)


def is_another_release(one: str, other: str) -> bool:
    """Are two programs the same but for the version behind the name, or GNU's under the name macOS gives it?"""
    return one != other and (_version().sub("", one) == _version().sub("", other) or other == f"g{one}")


def is_inserted(failed: ShellSegment, worked: ShellSegment) -> bool:
    """Are all words of the failing command in the working one, in their order, with others between?"""
    rest = iter(_argv(worked))
    return len(_argv(failed)) > 1 and all(word in rest for word in _argv(failed))


def is_kin(one: str, other: str) -> bool:
    """Are two names of scripts akin: a part of each, a longer or a shorter form, the same without its marks?

    `check:types` and `types`, `typecheck` and `type-check`, `test` and `tests`, `fmt` and `format`.
    """
    parts = [set(_name_parts().split(name)) - {""} for name in (one, other)]
    if one == other or not all(parts):
        return False
    short, long = sorted((_name_parts().sub("", one), _name_parts().sub("", other)), key=len)
    if parts[0] & parts[1] or short == long:
        return True
    rest = iter(long)
    is_abbreviated = len(long) > len(short) + 1 and short[0] == long[0] and all(letter in rest for letter in short)
    has_part = any(len(part) > _LEAST_PART and part in whole for part in parts[0] for whole in parts[1])
    has_part = has_part or any(len(part) > _LEAST_PART and part in whole for part in parts[1] for whole in parts[0])
    return len(short) > 2 and (long.startswith(short) or is_abbreviated or has_part)  # noqa: PLR2004 -- "fmt" is a name


_LEAST_PART: Final = 3


@cache
def _name_parts() -> re.Pattern[str]:
    return re.compile(r"[-:_./]")


def is_much_alike(failed: ShellSegment, worked: ShellSegment, *, without: str = "") -> bool:
    """Do two commands share at least half of the words that are no options? Not counting one option and its value."""
    ours = [word for word in _less(_argv(failed), without)[1:] if not word.startswith("-")]
    return 2 * sum(word in _argv(worked) for word in ours) >= len(ours)


def _less(words: tuple[str, ...], option: str) -> tuple[str, ...]:
    if not option or option not in words:
        return words
    at = words.index(option)
    return (*words[:at], *words[at + 2 :])


@cache
def _version() -> re.Pattern[str]:
    return re.compile(r"[\d.]+\Z")

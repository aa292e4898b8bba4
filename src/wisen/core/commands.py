"""Are two shell commands the same one, which part of a line decided how it ended, and what does a part look like?

Everything here reads `ShellSegment`s, which the adapter made, and the line they came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core import programs
from wisen.core.edits import edits
from wisen.core.types import ShellSegment, ToolCall

Head = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A segment and where it stands in its line.

    `is_deciding`: its exit status can be the line's (last of the `;` parts, and the last of its pipe).
    `is_shown`: it succeeded if the line did, but for a pipe that swallows the status (`| tail`).
    `is_masked`: a `||` or a later `;` part hides how it ended.
    """

    segment: ShellSegment
    is_deciding: bool
    is_shown: bool
    is_masked: bool


# --- heads ------------------------------------------------------------------------------------------------------


def head(segment: ShellSegment) -> Head:
    """Return what makes a command the command it is: program, sub-command, and the third word where it takes three."""
    program, sub, words = segment.program, segment.subcommand, segment.words
    if not sub:
        return (program, *_leading(segment))
    named = next((word for word in words if _subcommand().match(word)), "")
    if program not in programs.EVERYBODYS:
        return (program, sub, named) if named and f"{sub} {named}" in segment.text else (program, sub)
    takes_third = program in programs.ALWAYS_THIRD or sub in programs.THIRD_WORD.get(program, frozenset())
    third = named or "".join(words[:1])
    return (program, sub, third) if takes_third and third and sub != "api" else (program, sub)


def is_everybodys(segment: ShellSegment) -> bool:
    """Is it a program that a model knows from thousands of repositories, and not a script of this one?"""
    return segment.program in programs.EVERYBODYS


def is_looking(segment: ShellSegment) -> bool:
    """Does a command only look: at files, history, state or its own help?"""
    program, sub = segment.program, segment.subcommand
    if {"--help", "--version"} & set(segment.flags):
        return True
    if program == "sed":
        return "-i" not in segment.flags and "--in-place" not in segment.flags
    if program in programs.LOOKING or sub in programs.LOOKING_SUBCOMMANDS.get(program, frozenset()):
        return True
    third = head(segment)[2:]
    return bool(third) and third[0] in programs.LOOKING_THIRD and program in {*programs.ALWAYS_THIRD, "docker", "git"}


def is_quiet(segment: ShellSegment) -> bool:
    """Does a command only prepare the line it stands in?"""
    return segment.program in programs.QUIET


def is_polling(call: ToolCall) -> bool:
    """Is a call one of those that wait for something by asking again and again?"""
    heads = [head(segment) for segment in call.segments]
    if any(one[0] in {"sleep", "wait", "watch"} for one in heads):
        return True
    if any((one[:1] == ("gh",) and {"checks", "watch"} & set(one)) or one[:2] == ("gh", "run") for one in heads):
        return True
    if any(one[0] in {"curl", "nc", "wget", "pg_isready"} for one in heads) and _loop().search(call.command):
        return True
    return (
        bool(heads)
        and all(one[0] in programs.POLLING or one[0] in programs.LOOKING for one in heads)
        and any(one[0] in programs.POLLING for one in heads)
    )


def _leading(segment: ShellSegment) -> Iterator[str]:
    """The script of an interpreter."""
    if segment.program in programs.INTERPRETERS and not {"-c", "-e"} & set(segment.flags):
        yield from (word for word in segment.words[:1] if word != "-" and " " not in word)


@cache
def _subcommand() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9]*(?:[-_:][a-z0-9]+)*\Z")


@cache
def _loop() -> re.Pattern[str]:
    return re.compile(r"\b(?:until|while|for)\b.*\bdo\b|/health|/ready|localhost|127\.0\.0\.1", re.DOTALL)


# --- lines ------------------------------------------------------------------------------------------------------


def placed(call: ToolCall) -> tuple[Placed, ...]:
    """Return a line's segments with their places; those inside substitutions never decide."""
    parts = _parts(call.command)
    found: list[Placed] = []
    at = 0
    for segment in call.segments:
        first_line = segment.text.partition("\n")[0]
        start = call.command.find(first_line, at) if first_line else -1
        at = max(at, start)
        found.append(_placed(segment, start, parts))
    return tuple(found)


def is_behind_a_pipe(segment: ShellSegment, call: ToolCall) -> bool:
    """Does a program only take in what another one of its line gives?"""
    return bool(re.search(rf"\|\s*{re.escape(segment.program)}\b", call.command))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A piece of a line between operators: from `start` to `end`, with the operator behind it."""

    start: int
    end: int
    operator: str  # "&&", "||", "|", ";" or "" at the end


def _placed(segment: ShellSegment, start: int, parts: Sequence[_Part]) -> Placed:
    index = next((n for n, part in enumerate(parts) if part.start <= start < part.end), None)
    if index is None:
        # Not found where it stands (a heredoc, a rewritten line): a line of one command still decides.
        alone = len(parts) <= 1
        return Placed(segment=segment, is_deciding=alone, is_shown=alone, is_masked=not alone)
    operators = [part.operator for part in parts[index:]]
    is_last = ";" not in operators[:-1] if operators[-1] == "" else ";" not in operators
    is_guarded = "||" in operators
    is_piped = parts[index].operator == "|"
    is_nested = not _starts(parts[index], start)
    return Placed(
        segment=segment,
        is_deciding=is_last and not is_piped and not is_nested,
        is_shown=is_last and not is_guarded and not is_piped and not is_nested,
        is_masked=is_guarded or not is_last or is_nested,
    )


def _starts(part: _Part, start: int) -> bool:
    """Allow for the white space, brackets and assignments in front of a command; the tree cut those of a nested one."""
    return start - part.start <= 12  # noqa: PLR2004 -- "if ", "then ", "{ ", "time "


def _parts(line: str) -> tuple[_Part, ...]:
    """Split a line at its operators outside quotes, brackets and here-documents."""
    parts: list[_Part] = []
    start = 0
    for found in _tokens().finditer(line[:4_000]):
        token = found[0]
        if not found["operator"]:
            continue
        operator = ";" if token.strip() in {";", "&", ""} else token.strip()
        if line[start : found.start()].strip():
            parts.append(_Part(start=start, end=found.start(), operator=operator))
        start = found.end()
    if line[start:].strip():
        parts.append(_Part(start=start, end=len(line), operator=""))
    elif parts and parts[-1].operator == ";":
        last = parts[-1]
        parts[-1] = _Part(start=last.start, end=last.end, operator="")
    return tuple(parts)


@cache
def _tokens() -> re.Pattern[str]:
    heredoc = r"<<-?\s*(['\"]?)(?P<tag>\w+)\1.*?(?:\n\s*(?P=tag)(?=\s|\)|$)|\Z)"
    quoted = r"'[^']*(?:'|\Z)|\"(?:\\.|\$\((?:[^()]|\([^()]*\))*\)|[^\"\\])*(?:\"|\Z)|\\."
    nested = r"\$?\((?:[^()'\"]|'[^']*'|\"(?:\\.|[^\"\\])*\"|\((?:[^()]|\([^()]*\))*\))*\)"
    redirect = r"\d*>&\d+|&>>?|>&|\d*>>?|<<<"
    return re.compile(
        rf"{heredoc}|{quoted}|{nested}|{redirect}|(?P<operator>\|\||&&|\|&?|;;?|&|[ \t]*\n\s*)", re.DOTALL
    )


# --- slips of the fingers ---------------------------------------------------------------------------------------

_NUMBERED: Final = re.compile(r"[\d.]+\Z")


def is_slip(one: str, other: str) -> bool:
    """Is one word a slip of the fingers for the other: at most two edits, and not just a version behind it?"""
    if one in programs.EVERYBODYS:
        return False  # pnpm is none for npm
    if one == other or abs(len(one) - len(other)) > 2 or min(len(one), len(other)) < 3:  # noqa: PLR2004
        return False
    if _NUMBERED.sub("", one) == _NUMBERED.sub("", other) or other == f"g{one}":
        return False  # python and python3 are two programs, and so are timeout and GNU's of another name
    return edits(one, other) <= (1 if min(len(one), len(other)) < 5 else 2)  # noqa: PLR2004 -- short words differ soon


# --- words ------------------------------------------------------------------------------------------------------


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(r"(?:[^\s'\"\\]|\\.|'[^']*'?|\"(?:\\.|[^\"\\])*\"?)+")


def written_words(segment: ShellSegment) -> tuple[str, ...]:
    """Return a segment's words as they were written, quotes and assignments in front included."""
    return tuple(_word_pattern().findall(segment.text))


def bare(word: str) -> str:
    """Return a word without its quotes."""
    return word.replace('"', "").replace("'", "").replace("\\", "")


def has_word(call: ToolCall, word: str) -> bool:
    """Does a word stand in a call's line unquoted, as a whole word?"""
    return any(word in written_words(segment) for segment in call.segments)

"""Which calls failed in a way that says something, and which part of the line was it?

Not failures: refusals, sibling errors and interrupted calls (`unknown`, or the harness's own words), searches without a
match, polling, and everything that is not a shell command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core.commands import Placed, bare, is_looking, is_polling, is_quiet, placed, written_words
from wisen.core.programs import LOOKING
from wisen.core.signals.commit_hooks import is_committed, is_from_hook
from wisen.core.signals.error_classes import class_of, words_complained_of
from wisen.core.signals.error_kinds import Kind
from wisen.core.types import Event, Outcome, PostTool, ShellSegment, ToolCall

HOOKED: Final = frozenset({"commit", "push", "merge", "rebase", "cherry-pick", "am", "pull", "tag"})
_COMMITTING: Final = frozenset({"commit", "push"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed shell call that says something: `segments` are the parts that may have failed, one where it is known.

    `word` is the part of the command the tool complained of (it stands in the command).
    """

    event: Event
    call: ToolCall
    output: str
    kind: Kind
    segments: tuple[ShellSegment, ...]
    word: str = ""

    @property
    def segment(self) -> ShellSegment:
        """The part that failed, as far as it is known."""
        return self.segments[0]


def failure_of(event: Event) -> Failure | None:
    """Return what failed in an event; None for everything that is no failure."""
    body = event.body
    if not isinstance(body, PostTool) or body.call.family != "shell" or body.outcome is not Outcome.FAILURE:
        return None
    output = without_exit_code(body.excerpt)
    if _harness().match(output) or is_polling(body.call) or _was_killed(body.excerpt):
        return None
    parts = placed(body.call)
    kind, word, found = _located(body.call, output, parts)
    # What is left of quotes and here-documents that no parser can make out is no program.
    segments = tuple(segment for segment in found if _program().fullmatch(segment.program))
    if not segments:
        return None
    return Failure(event=event, call=body.call, output=output, kind=kind, segments=segments, word=word)


def without_exit_code(output: str) -> str:
    """Return a result's text without the line in which the harness tells the exit code."""
    return _exit_code().sub("", output, count=1).strip("\n")


def _located(call: ToolCall, output: str, parts: Sequence[Placed]) -> tuple[Kind, str, tuple[ShellSegment, ...]]:
    """The class of a failure, the word complained of, and the segments that may have failed (none: no failure)."""
    deciding = tuple(part.segment for part in parts if part.is_deciding and not is_quiet(part.segment))
    main = tuple(segment for segment in deciding if not is_looking(segment))
    git = _git(parts, HOOKED)
    if git and is_from_hook(output, is_only_git=_is_only_git(parts, git)):
        pushed = _git(parts, frozenset({"push"})) if is_committed(output) else None
        return Kind.HOOK, "", (pushed or git,)
    if not output.strip():
        return Kind.OTHER, "", ()
    found = class_of(output)
    match found.kind:
        case Kind.RESERVED:
            is_set = bool(re.search(rf"(?<!\w){re.escape(found.word)}=", call.command))
            return found.kind, found.word, deciding[-1:] if is_set else ()
        case kind if kind in _NAMING:
            words = (found.word, *words_complained_of(output, kind))
            named = next((one for word in words if (one := _named(parts, kind, word))), None)
            return (kind, named[0], (named[1],)) if named else (_WITHOUT_NAME.get(kind, Kind.OTHER), "", main)
        case Kind.IGNORED:
            added = _git(parts, frozenset({"add", "stage"}))
            return found.kind, "", (added,) if added else ()
        case Kind.PROTECTED | Kind.SIGNING if git:
            return found.kind, "", (git,)
        case kind if kind in _NOTHING_PLAIN and not main:  # `git log`, `gh pr list`: something kept them from looking
            main = tuple(segment for segment in deciding if segment.program not in LOOKING)
    return found.kind, "", main


_NOTHING_PLAIN: Final = frozenset(
    {Kind.UNTRUSTED, Kind.NOT_FOUND_REPO, Kind.MISSING_ENV, Kind.INTERACTIVE, Kind.WRONG_PLACE, Kind.SERVICE}
)
_NAMING: Final = frozenset(
    {
        Kind.GLOB,
        Kind.EXPANDED,
        Kind.MISSING_PROGRAM,
        Kind.UNKNOWN_SUBCOMMAND,
        Kind.NO_SCRIPT,
        Kind.UNKNOWN_OPTION,
    }
)
_WITHOUT_NAME: Final = {Kind.MISSING_PROGRAM: Kind.DEPENDENCY, Kind.GLOB: Kind.PLAIN, Kind.EXPANDED: Kind.PLAIN}
"""What a complaint about a word is that the command does not hold: something further down complained."""


def _named(parts: Sequence[Placed], kind: Kind, word: str) -> tuple[str, ShellSegment] | None:
    """The segment that holds a word a tool complained of, and the word as it stands there."""
    for part in parts:
        segment = part.segment
        match kind:
            case Kind.MISSING_PROGRAM:
                name = word.rpartition("/")[2]
                held = name if name == segment.program or name in segment.wrapper else ""
            case Kind.GLOB | Kind.EXPANDED:
                wanted = {word, f"={word}"}
                held = next((one for one in written_words(segment) if one in wanted), "")
            case Kind.UNKNOWN_OPTION:
                held = _option(segment, word)
            case _:
                words = {segment.subcommand, *segment.words, segment.program}
                held = word if word in words else ""
        if held and len(held) <= _LONGEST_WORD:
            return held, segment
    return None


_LONGEST_WORD: Final = 60


def _option(segment: ShellSegment, word: str) -> str:
    wanted = {word, f"-{word}", f"--{word}"} if not word.startswith("-") else {word.partition("=")[0]}
    flags = (*segment.flags, *segment.options)
    if exact := next((flag for flag in flags if flag in wanted), ""):
        return exact
    if len(word) == 1:  # one of several letters behind one dash
        return next((flag for flag in flags if word in flag[1:] and not flag.startswith("--")), "")
    return next((bare(one) for one in written_words(segment) if bare(one) == word), "")


def _git(parts: Sequence[Placed], subcommands: frozenset[str]) -> ShellSegment | None:
    return next((p.segment for p in parts if p.segment.program == "git" and p.segment.subcommand in subcommands), None)


def _is_only_git(parts: Sequence[Placed], git: ShellSegment) -> bool:
    """Does nothing but git run in the line of a `git commit` or `git push`, so that its silence says something?"""
    others = (part.segment for part in parts if part.segment.program != "git")
    return git.subcommand in _COMMITTING and all(is_quiet(one) or is_looking(one) for one in others)


def _was_killed(excerpt: str) -> bool:
    found = _exit_code().match(excerpt)
    return found is not None and found["code"] in {"130", "137", "143", "124"}


@cache
def _program() -> re.Pattern[str]:
    return re.compile(r"[\w.@+~/-]*\w[\w.@+~/-]*")


@cache
def _exit_code() -> re.Pattern[str]:
    return re.compile(r"\A\s*(?:Error: )?Exit code (?P<code>\d+)[^\n]*\n?")


@cache
def _harness() -> re.Pattern[str]:
    """The harness speaking instead of the command (Claude Code 2.0 to 2.1)."""
    return re.compile(
        r"\s*(?:<tool_use_error>|\[Request interrupted|The user doesn't want|Permission (?:to|for) |Claude requested|"
        r"(?:Pre|Post)ToolUse:|Command timed out|Command was aborted|InputValidationError|Sibling tool call|Cancelled:)"
    )

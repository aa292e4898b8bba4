"""What was done between a failure and its success, and could a command be what a later one needed?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from wisen.core import programs
from wisen.core.commands import Placed, head, is_everybodys, is_looking, is_polling, is_quiet, placed
from wisen.core.types import Event, Outcome, PostTool, ShellSegment, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A call between a failure and its success."""

    event: Event
    call: ToolCall
    is_success: bool
    is_edit: bool


def step_of(event: Event) -> Step | None:
    """Return a finished call as a step; None for looking, waiting and everything that is no call."""
    body = event.body
    if not isinstance(body, PostTool):
        return None
    call = body.call
    if call.family not in {"shell", "edit"}:
        return None
    if call.family == "shell" and (is_polling(call) or not call.segments):
        return None
    is_edit = call.family == "edit" or is_edit_by_shell(call)
    return Step(event=event, call=call, is_success=body.outcome is Outcome.SUCCESS, is_edit=is_edit)


def doing(call: ToolCall) -> tuple[Placed, ...]:
    """Return the parts of a line that do something."""
    return tuple(part for part in placed(call) if not is_looking(part.segment) and not is_quiet(part.segment))


def moves(call: ToolCall) -> bool:
    """Does a line go to another directory?"""
    return any(segment.program in {"cd", "pushd", "popd"} for segment in call.segments)


# --- what a step is for -----------------------------------------------------------------------------------------


def is_fixer(segment: ShellSegment) -> bool:
    """Does a command rewrite the code: a formatter, a linter that mends?"""
    return bool(_fixer().search(" ".join((*head(segment), *segment.flags, *segment.words[:2]))))


def is_check(segment: ShellSegment) -> bool:
    """Does a command only check the code: tests, types, lint?"""
    return bool(_check().search(" ".join(head(segment))))


def prepares(segment: ShellSegment) -> bool:
    """Could a command be what a later one needed: a target, a script, a service, a file put in place?"""
    if is_looking(segment) or is_fixer(segment) or is_check(segment) or is_risky(segment):
        return False
    program, sub, words = segment.program, segment.subcommand, segment.words
    if (program, sub) in _ADDS_DEPENDENCY:
        return not words  # all of what is declared, not something new
    if _SETTING_UP & {sub, *words[:2]}:
        return True
    match program:
        case _ if program in programs.TASK_RUNNERS:
            prepared = bool(sub or words)
        case _ if program in programs.PACKAGE_MANAGERS:
            prepared = bool(sub) and sub not in {"add", "remove", "uninstall", "update", "upgrade", "init"}
        case _ if program in programs.SERVICES:
            prepared = bool({"up", "start", "restart", "services"} & {sub, *words})
        case _ if program in programs.INTERPRETERS:
            prepared = bool(words) and not {"-c", "-e", "-"} & {*segment.flags, *words}
        case "git":
            prepared = sub in {"submodule", "lfs"} or (sub == "config" and "safe.directory" in words)
        case _:
            own = not is_everybodys(segment) or segment.text.startswith(("./", "scripts/", "bin/", "tools/"))
            prepared = own or program in programs.PREPARING
    return prepared


_SETTING_UP: Final = frozenset(
    "install setup generate codegen gen migrate bootstrap seed build trust allow enable".split()
)


_ADDS_DEPENDENCY: Final = frozenset(
    (program, sub)
    for program, subs in {
        "brew": "install",
        "bun": "add install",
        "cargo": "add update",
        "dotnet": "add",
        "gem": "install",
        "go": "get mod",
        "npm": "install i add",
        "pip": "install",
        "pip3": "install",
        "pnpm": "add install",
        "poetry": "add",
        "uv": "add",
        "yarn": "add",
    }.items()
    for sub in subs.split()
)


@cache
def _fixer() -> re.Pattern[str]:
    names = r"\b(?:fmt|format(?:ting)?|fix|lint-?fix|prettify|tidy|autofix|gofmt|goimports|rustfmt|black)\b"
    return re.compile(rf"{names}|--fix\b|--write\b", re.IGNORECASE)


@cache
def _check() -> re.Pattern[str]:
    names = "tests?|lint|checks?|type-?check|tsc|vet|coverage|e2e|spec|verify|mypy|pytest|jest|vitest|clippy|eslint"
    return re.compile(rf"(?:^|[:/_ -])(?:{names})(?:$|[:/_ -])", re.IGNORECASE)


# --- what no recipe may hold ------------------------------------------------------------------------------------


def is_risky(segment: ShellSegment) -> bool:
    """Would a recipe with this command do harm, lose work, or pass a check by leaving it out?"""
    program, sub, flags = segment.program, segment.subcommand, {*segment.flags, *segment.options}
    if program in _RISKY_PROGRAMS or _RISKY_WRAPPERS & set(segment.wrapper) or _RISKY_NAMES & set(segment.env):
        return True
    if any(flag.startswith(_RISKY_FLAGS) for flag in flags):
        return True
    match program:
        case "git":
            return bool(flags & _RISKY_OF_GIT.get(sub, frozenset())) or _is_risky_git(segment)
        case "rm" | "mv" | "chmod" | "chown":
            wide = {"777", "0777", "a+w"} & set(segment.words)
            return bool(wide) or any(_beyond().match(word) for word in segment.words)
        case _:
            return False


_RISKY_PROGRAMS: Final = frozenset(
    {"curl", "wget", "nc", "ssh", "scp", "ftp", "eval", "dd", "mkfs", "truncate", "kill", "killall", "pkill", "dropdb"}
)
_RISKY_WRAPPERS: Final = frozenset({"sudo", "doas"})
_RISKY_NAMES: Final = frozenset(
    {"HUSKY", "HUSKY_SKIP_HOOKS", "LEFTHOOK", "SKIP", "PRE_COMMIT_ALLOW_NO_CONFIG", "NODE_TLS_REJECT_UNAUTHORIZED"}
)
_RISKY_FLAGS: Final = ("--no-verify", "--no-gpg-sign", "--dangerously", "--insecure", "--no-check-certificate")
_RISKY_OF_GIT: Final[dict[str, frozenset[str]]] = {
    "commit": frozenset({"-n", "-nm", "-an", "-anm"}),
    "push": frozenset({"-f", "--force", "--force-with-lease", "--mirror", "--delete"}),
    "reset": frozenset({"--hard"}),
    "clean": frozenset({"-f", "-fd", "-fdx", "-xdf", "-df"}),
}


def _is_risky_git(segment: ShellSegment) -> bool:
    """Is it git throwing work away, or without its hooks, signatures or certificates?"""
    first_line = segment.text.partition("\n")[0]
    loses = segment.subcommand in {"stash", "restore"} and "--staged" not in segment.flags
    overwrites = segment.subcommand == "checkout" and ("--" in segment.flags or "." in segment.words)
    return loses or overwrites or any(one in first_line for one in ("hooksPath", "gpgsign=false", "sslVerify=false"))


@cache
def _beyond() -> re.Pattern[str]:
    """A path outside the work tree or the whole of it: the root and what lies just below, home, above, everything."""
    return re.compile(r"/(?:[\w.-]+/?){0,2}\Z|~|\$|\.\.(?:/|\Z)|\./?\Z|\*|(?:.*/)?\.git/?\Z")


def is_risky_line(call: ToolCall) -> bool:
    """Is a part of a line risky?"""
    return any(is_risky(segment) for segment in call.segments)


def is_edit_by_shell(call: ToolCall) -> bool:
    """Does a shell call rewrite files of the work tree?"""
    return bool(_writes().search(call.command))


@cache
def _writes() -> re.Pattern[str]:
    here = r"<<.*>\s*\S|>\s*\S+.*<<"
    programs_ = (
        r"\bsed\s+(?:-\w+\s+)*-i|\bperl\s+-\w*i|\bapply_patch\b|\bpatch\s|\btee\s|(?:python3?|node) (?:-c|-|-e)\s"
    )
    return re.compile(f"{here}|{programs_}", re.DOTALL)

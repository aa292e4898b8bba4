"""Does what a failed `git commit` or `git push` printed come from a hook?"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from wisen.core.signals.error_patterns import SHELL

_HOOK: Final = (
    r"^husky\b.*(?:-|>|\()|^\.husky/|\bhusky - |lefthook|^🥊|overcommit|simple-git-hooks|\blint-staged\b|\.git/hooks/",
    r"(?:pre-commit|commit-msg|pre-push) (?:hook|script)|[Pp]re-?commit checks? failed",
    r"^(?:Running|Executing) (?:the )?(?:git )?(?:pre-commit|pre-push|commit-msg)",
    r"^- hook id: |\.{3}(?:\([^)]*\))?Failed$|^✖ +found \d+ problems?|^⧗ +input:",
)
_GITS_OWN: Final = (
    r"^fatal: |^hint: |^usage: git|^remote: |^On branch |^Aborting|^Auto-merging|^Everything up-to-date|rejected\]",
    r"^error: (?:pathspec|gpg|unknown|switch|invalid|could not|cannot|unable|Committing is not|Your local|you need)",
    r"^error: (?:src refspec|remote|update|commit is not|There was a problem with the editor|nothing)",
    r"nothing to commit|no changes added|Please tell me who you are|^[ \t]*\(use \"git|[Pp]ermission denied",
)
_GITS_LINES: Final = 6
"""Lines at the start and the end of an output in which git's own words count; a hook's tests may print some too."""


def is_from_hook(output: str, *, is_only_git: bool) -> bool:
    """Does the output of a failed `git commit` or `git push` come from a hook?

    Hook managers sign theirs. Of a line in which only git ran (`is_only_git`) everything that git does not say
    itself comes from a hook, and so does saying nothing: git gives a reason.
    """
    if any(pattern.search(output) for pattern in _hook()):
        return True
    lines = output.strip().splitlines()
    if lines and _of_a_shell().match(lines[0]):
        return False
    ends = lines if len(lines) <= 2 * _GITS_LINES else [*lines[:_GITS_LINES], *lines[-_GITS_LINES:]]
    said = "\n".join(ends)
    return is_only_git and not is_committed(output) and not any(one.search(said) for one in _gits_own())


def is_committed(output: str) -> bool:
    """Does an output say that the commit was made, so that what failed came after it?"""
    return bool(_committed().search(output))


@cache
def _committed() -> re.Pattern[str]:
    return re.compile(r"^\[\S+(?: \([^)]*\))? [0-9a-f]{7,}\] ", re.MULTILINE)


@cache
def _of_a_shell() -> re.Pattern[str]:
    return re.compile(SHELL + r"\S")


@cache
def _hook() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.MULTILINE) for one in _HOOK)


@cache
def _gits_own() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.MULTILINE) for one in _GITS_OWN)

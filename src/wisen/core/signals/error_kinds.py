"""Which kinds of failures are there, and how does a recipe name them?"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a failure is about; also the `error_class` of a trigger."""

    TRANSIENT = "transient"  # another try would do
    PLAIN = "plain"  # everybody's everyday failure; nothing about this repository
    HOOK = "commit-hook"
    PROTECTED = "protected-branch"
    IGNORED = "gitignored-path"
    SIGNING = "signing"
    GLOB = "shell-glob"
    EXPANDED = "shell-expansion"
    RESERVED = "shell-variable"
    UNTRUSTED = "untrusted-config"
    MANAGED = "managed-python"
    MISSING_PROGRAM = "missing-program"
    UNKNOWN_SUBCOMMAND = "unknown-subcommand"
    NO_SCRIPT = "no-such-script"
    WRONG_PLACE = "wrong-directory"
    UNKNOWN_OPTION = "unknown-option"
    LOCKFILE = "lockfile"
    VERSION = "version"
    MISSING_ENV = "missing-variable"
    INTERACTIVE = "not-interactive"
    NOT_FOUND_REPO = "unknown-repository"
    SELECTION = "nothing-selected"
    MEMORY = "out-of-memory"
    SERVICE = "service-down"
    DEPENDENCY = "missing-dependency"
    PERMISSION = "not-permitted"
    NETWORK = "no-network"
    CODE = "code"  # what compilers, linters and tests say
    OTHER = "other"


WORDS: Final[dict[Kind, str]] = {
    Kind.HOOK: "is refused by the hook",
    Kind.PROTECTED: "is refused by the rules of the host",
    Kind.IGNORED: "is refused, the path is ignored by .gitignore",
    Kind.SIGNING: "fails at signing",
    Kind.GLOB: "stops at an unquoted pattern",
    Kind.EXPANDED: "stops at an unquoted word",
    Kind.RESERVED: "stops at a variable the shell keeps for itself",
    Kind.UNTRUSTED: "is refused until the configuration is trusted",
    Kind.MANAGED: "is refused, the system's Python is managed from outside",
    Kind.MISSING_PROGRAM: "is not available here",
    Kind.UNKNOWN_SUBCOMMAND: "is not a command here",
    Kind.NO_SCRIPT: "does not exist there",
    Kind.WRONG_PLACE: "fails in the wrong directory",
    Kind.UNKNOWN_OPTION: "is rejected here as an unknown option",
    Kind.LOCKFILE: "fails, the lock file is not up to date",
    Kind.VERSION: "fails with the wrong version",
    Kind.MISSING_ENV: "fails without its environment variable",
    Kind.INTERACTIVE: "fails without a terminal",
    Kind.NOT_FOUND_REPO: "does not find the repository",
    Kind.SELECTION: "selects nothing",
    Kind.MEMORY: "runs out of memory",
    Kind.SERVICE: "fails while its service is down",
    Kind.DEPENDENCY: "does not find a module or a package",
    Kind.PERMISSION: "fails for lack of a permission",
    Kind.NETWORK: "fails without network",
    Kind.CODE: "fails",
    Kind.OTHER: "fails",
}
"""How a recipe names the class. Our words, never the tool's."""

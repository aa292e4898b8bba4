"""What does a harness run when one of our hooks fires?

One line of POSIX shell that can't do harm: it runs the hook when the interpreter and the script are still there, says
nothing unless WISEN_DEBUG is set, and its exit status is always 0. That last point is why the shell does not hand
itself over with `exec`: a Python that finds no script exits with 2, which Claude Code reads as "block this prompt",
and one that was killed has a status too. The shell that waits costs nothing that can be measured beside the
interpreter (`tests/install/test_command.py` prints both).

Claude Code blocks a prompt for no other status than 2, and that is what a shell ends with that can't fork (the process
table is full) or can't open /dev/null: hence the trap, and standard error is closed before it is led away. Bash tries
for half a minute to fork; the harness ends that.

The line starts with a no-op that names us, so that our hooks are known by what they are, wherever they were moved.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from wisen.errors import InstallError

MARK: Final = ": wisen-hook;"

# What `config.paths` reads: hook and daemon must look for the socket where it was when the hooks were registered.
# One that was not set is fixed as empty, which is the same to it: whatever a terminal exports later is not for us.
_PLACES: Final = ("WISEN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


def guarded_command(
    python: Path, hook: Path, socket: Path, spool_dir: Path, daemon_argv: Sequence[str], *, env: Mapping[str, str]
) -> str:
    """Return the shell line that runs `hook` under `python`.

    `env` is the environment of the installation: the directories it chooses are fixed in the line.
    Raises InstallError for a path that a settings file can't hold (line breaks, bytes that are not UTF-8).
    """
    run = [str(python), "-I", "-S", str(hook), str(socket), str(spool_dir), *daemon_argv]
    fixed = [f"{name}={_word(value)}" for name, value in places_of(env).items()]
    return (
        f"{MARK} trap 'exit 0' EXIT; "
        '[ -n "${WISEN_DEBUG:-}" ] || { exec 2>&-; command exec 2>/dev/null; }; '
        f"[ -x {_word(str(python))} ] && [ -r {_word(str(hook))} ] && "
        f"{' '.join(fixed)} {' '.join(map(_word, run))}; exit 0"
    )


def places_of(env: Mapping[str, str]) -> dict[str, str]:
    """Return the names that choose wisen's directories with their values at the installation; '' for none.

    Raises InstallError for a value that a settings file can't hold.
    """
    found = {name: env.get(name, "") for name in _PLACES}
    for value in found.values():
        _word(value)
    return found


def is_ours(command: str) -> bool:
    """Return whether a hook's command is one that `guarded_command` made, of whatever version."""
    return command.lstrip().startswith(MARK)


def program_of(command: str) -> tuple[Path, Path] | None:
    """Return the interpreter and the script that a command of ours runs, or None when it is not in our form."""
    try:
        words = shlex.split(command)
        at = words.index("-x")
        return Path(words[at + 1]), Path(words[words.index("-r") + 1])
    except (ValueError, IndexError):
        return None


def rows_of(command: str) -> tuple[str, ...]:
    """Return a command of ours in rows for a person to read: each begins with what the shell does next."""
    return tuple(_JOINT.split(command))


def shortened(text: str) -> str:
    """Return a JSON text, or a difference of two, with our commands cut to the mark that they begin with."""
    return _IN_JSON.sub(f'"{MARK} …"', text)


_JOINT: Final = re.compile(r"(?<=;) (?=trap |\[ |exit )|(?<=&&) ")
_IN_JSON: Final = re.compile(rf'"{re.escape(MARK)}(?:[^"\\]|\\.)*"')


def _word(text: str) -> str:
    """Return a text as one word of the shell."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InstallError(f"the path {text!r} is not UTF-8, so no settings file can hold it", hint=_MOVE) from error
    if any(character in text for character in "\n\r\0"):
        raise InstallError(f"the path {text!r} has a line break in it", hint=_MOVE)
    return shlex.quote(text)


_MOVE: Final = "install wisen under another path, or set WISEN_HOME to one"

"""What starts the daemon when the user logs in, on request: a systemd user unit or a launchd agent.

Nobody needs it, as hooks start the daemon. Whichever of them comes second finds the other one's lock, and ends well.
"""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wisen.config import Paths, home_dir
from wisen.errors import Conflict, InstallError, Unsupported
from wisen.install import files, manifest
from wisen.install.manifest import Entry
from wisen.spawn import GIVEN, daemon_argv

OWNER: Final = "service"  # as the manifest names it, beside the harnesses
LABEL: Final = "wisen.daemon"
_TEMPLATE: Final = Path(__file__).with_name("assets") / "wisen.service"
_PLACES: Final = ("WISEN_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_NEVER_IDLE_MINUTES: Final = 5_256_000  # ten years: whoever asks for a service wants it to stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A file that makes the system start the daemon; `enabled` is the link by which systemd knows to, if there is one.

    `starts` and `stops` are what a person runs to have it now, or no more.
    """

    file: Path
    content: bytes
    enabled: Path | None
    starts: tuple[str, ...]
    stops: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What was taken away, and what of it was left because it was changed since."""

    files: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()


def unit(env: Mapping[str, str], *, platform: str = sys.platform, python: str = sys.executable) -> Unit:
    """Return the unit of this user's system. Raises InstallError for a path it can't hold, Unsupported elsewhere."""
    command = daemon_argv(python)
    if not os.access(python, os.X_OK):
        raise InstallError(f"{python} can't be run", hint="install wisen again")
    for word in (*command, *_environment(env).values()):
        _check_word(word)
    if platform.startswith("linux"):
        return _systemd(env, command)
    if platform == "darwin":
        return _launchd(env, command)
    raise Unsupported(f"no service for {platform}", hint="hooks start the daemon all the same")


def install(paths: Paths, wanted: Unit) -> bool:
    """Put a unit in its place and record it; False when it was there already.

    Raises Conflict for a file of that name that is not ours, InstallError when it can't be written.
    """
    before = files.read(wanted.file)
    known, _ = manifest.load(paths)
    entry = known.entry(OWNER, wanted.file)
    if wanted.file.is_symlink() or (before.data is not None and not _is_ours(before.data, entry, wanted)):
        raise Conflict(f"{wanted.file} is there already, and not as wisen made it", hint="move it away, then try again")
    if before.data == wanted.content and entry is not None and _is_enabled(wanted):
        return False
    places = [paths.state_dir, wanted.file.parent, *([wanted.enabled.parent] if wanted.enabled else [])]
    new_dirs = tuple(dict.fromkeys(one for place in places for one in files.missing_dirs(place)))
    made = tuple(dict.fromkeys((*(entry.made_dirs if entry else ()), *map(str, new_dirs))))
    files.make_dirs(new_dirs)
    fresh = Entry(
        harness=OWNER,
        file=str(wanted.file),
        was_made=True,
        sha256_before="",
        sha256_after=files.digest(wanted.content),
        made_dirs=made,
    )
    manifest.save(paths, known.with_entry(fresh))
    files.write(before, wanted.content)
    if wanted.enabled is not None and not _is_enabled(wanted):
        try:
            wanted.enabled.symlink_to(wanted.file)
        except OSError as error:
            raise InstallError(f"{wanted.enabled} can't be made: {error.strerror or error}") from error
    return True


def uninstall(paths: Paths) -> Removed:
    """Take away every unit that the manifest names; one that was changed since is left, and named."""
    known, _ = manifest.load(paths)
    gone: list[Path] = []
    left: list[Path] = []
    for entry in known.of(OWNER):
        file = Path(entry.file)
        before = files.read(file)
        if before.data is not None and files.digest(before.data) != entry.sha256_after:
            left.append(file)
            continue
        for link in file.parent.glob(f"*.wants/{file.name}"):
            if link.is_symlink() and link.readlink() == file:
                link.unlink()
        if before.data is not None:
            files.delete(before)
            gone.append(file)
        known = known.without([entry])
        manifest.save(paths, known)
        files.remove_empty_dirs(map(Path, entry.made_dirs))
    return Removed(files=tuple(gone), left=tuple(left))


def uninstall_with_last(paths: Paths) -> tuple[str, ...]:
    """Take the service away when no harness is left that needs it; return what the user should know, in sentences."""
    known, _ = manifest.load(paths)
    if any(entry.harness != OWNER for entry in known.entries):
        return ()
    removed = uninstall(paths)
    return (
        *(f"{file}: deleted, as wisen made it" for file in removed.files),
        *(f"{file} was changed since wisen wrote it, and is left as it is" for file in removed.left),
    )


def is_installed(paths: Paths, wanted: Unit) -> str:
    """Return how a unit stands: `installed`, `outdated`, `changed` or `not installed`."""
    known, _ = manifest.load(paths)
    entry = known.entry(OWNER, wanted.file)
    data = files.read(wanted.file).data
    if entry is None or data is None:
        return "not installed"
    if files.digest(data) != entry.sha256_after:
        return "changed"
    return "installed" if data == wanted.content and _is_enabled(wanted) else "outdated"


def _is_ours(data: bytes, entry: Entry | None, wanted: Unit) -> bool:
    return data == wanted.content or (entry is not None and files.digest(data) == entry.sha256_after)


def _is_enabled(wanted: Unit) -> bool:
    return wanted.enabled is None or (wanted.enabled.is_symlink() and wanted.enabled.readlink() == wanted.file)


# --- systemd ----------------------------------------------------------------------------------------------------


def _systemd(env: Mapping[str, str], command: Sequence[str]) -> Unit:
    chosen = Path(env.get("XDG_CONFIG_HOME", ""))
    directory = (chosen if chosen.is_absolute() else home_dir(env) / ".config") / "systemd" / "user"
    file = directory / _TEMPLATE.name
    text = _TEMPLATE.read_text(encoding="utf-8")
    settings = [f"Environment={_quoted(f'{name}={value}')}" for name, value in _environment(env).items()]
    text = text.replace("@COMMAND@", _exec_line(command)).replace("@ENVIRONMENT@", "\n".join(settings))
    return Unit(
        file=file,
        content=text.encode(),
        enabled=directory / "default.target.wants" / file.name,
        starts=("systemctl --user daemon-reload", f"systemctl --user start {file.name}"),
        stops=(f"systemctl --user stop {file.name}", "systemctl --user daemon-reload"),
    )


def _exec_line(command: Sequence[str]) -> str:
    """Return a command as ExecStart= has it.

    A program whose name has a quote, a dollar sign or the like is refused there or taken for another one; the shell
    starts it then, to which it is an argument.
    """
    if _PLAIN.fullmatch(command[0]) is None:
        command = ("/bin/sh", "-c", 'exec "$0" "$@"', *command)
    return " ".join(_quoted(word).replace("$", "$$") for word in command)


def _quoted(word: str) -> str:
    """Return a word in quotes, its escapes and specifiers doubled (systemd.syntax, systemd.unit)."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


_PLAIN: Final = re.compile(r"[\w ./@+,:=~-]+", re.ASCII)


# --- launchd ----------------------------------------------------------------------------------------------------


def _launchd(env: Mapping[str, str], command: Sequence[str]) -> Unit:
    file = home_dir(env) / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    said = {
        "Label": LABEL,
        "ProgramArguments": list(command),
        "EnvironmentVariables": _environment(env),
        "WorkingDirectory": "/",
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},  # as Restart=on-failure; it waits for ThrottleInterval in between
        "ThrottleInterval": 60,
        "ProcessType": "Background",
        "Umask": 0o077,
        "ExitTimeOut": 15,
    }
    return Unit(
        file=file,
        content=plistlib.dumps(said, sort_keys=True),
        enabled=None,
        starts=(f'launchctl bootstrap gui/$(id -u) "{file}"',),
        stops=(f"launchctl bootout gui/$(id -u)/{LABEL}",),
    )


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """Return what the daemon needs to know: where its files are, where git is, and that it is to stay."""
    places = {name: env[name] for name in _PLACES if env.get(name)}
    git = shutil.which("git", path=env.get("PATH", _SYSTEM_PATH))
    directory = os.path.dirname(git) if git else ""  # noqa: PTH120 - no path to be opened, a word of another list
    path = ":".join(dict.fromkeys((*([directory] if directory else []), *_SYSTEM_PATH.split(":"))))
    return {**places, **GIVEN, "PATH": path, "WISEN_IDLE_EXIT_MINUTES": str(_NEVER_IDLE_MINUTES)}


def _check_word(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise InstallError(f"the path {word!r} is not UTF-8, so no unit can hold it", hint=_MOVE) from error
    if not word.isprintable():
        raise InstallError(f"the path {word!r} has a character in it that no unit can hold", hint=_MOVE)


_MOVE: Final = "install wisen under another path, or set WISEN_HOME to one"

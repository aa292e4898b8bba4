"""How is wisen registered with OpenCode? One plugin file in the user's own configuration, and nothing else.

OpenCode loads what lies in `plugins/` there. The file imports nothing, because OpenCode drops a plugin whose imports
it can't find; it also brings the MCP server, so no settings of the user's are edited. Facts are those of 1.18.33.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files as package_files
from pathlib import Path
from typing import Final

from wisen import __version__
from wisen.config import Paths, home_dir
from wisen.errors import InstallError
from wisen.install import files, manifest
from wisen.install import plan as plans
from wisen.install.claude_json import MODULE
from wisen.install.command import places_of
from wisen.install.jsonedit import Origin
from wisen.install.plan import HarnessStatus, InstallPlan, Standing, UninstallReport
from wisen.spawn import GIVEN, daemon_argv

HARNESS: Final = "opencode"
PYTHON: Final = Path(sys.executable)
MARK: Final = b"// wisen, long-term memory"  # what a file of ours begins with, of whatever version
_ASSET: Final = "opencode.js"
_FIXED: Final = "const WISEN = "


def plugin_file(env: Mapping[str, str]) -> Path:
    """Return the plugin's file, whether it is there or not."""
    if chosen := env.get("OPENCODE_CONFIG_DIR"):
        folder = Path(chosen).absolute()
    elif shared := env.get("XDG_CONFIG_HOME"):
        folder = Path(shared).absolute() / "opencode"
    else:
        folder = home_dir(env) / ".config" / "opencode"
    return folder / "plugins" / "wisen.js"


def plan(env: Mapping[str, str], paths: Paths, python: Path = PYTHON) -> InstallPlan:
    """Return what an installation would change. Writes nothing.

    Raises InstallError when something else has the plugin's name, or wisen could not run.
    """
    wanted = plugin_source(env, paths, python)
    before = files.read(plugin_file(env))
    if before.data is not None and not before.data.startswith(MARK):
        raise InstallError(f"{before.path} is not wisen's", hint="move it away; nothing was written")
    known, problem = manifest.load(paths)
    is_new = before.data is None
    change = "add the plugin with its MCP server" if is_new else "renew the plugin" if before.data != wanted else ""
    if not change and known.entry(HARNESS, before.path) is None:
        change = "record the plugin that is there: without a record it is not heard"
    made = plans.planned(
        HARNESS,
        paths,
        before,
        wanted,
        known=known,
        was_made=True,
        without=b"",
        origins=(),
        changes=(change,) if change else (),
        command="",
        notes=(*_notes(env), *((problem,) if problem else ())),
        keeps_copy=False,
    )
    return replace(made, what="the plugin is")


def apply(plan: InstallPlan) -> None:
    """Make the change. Raises as `plans.apply`."""
    plans.apply(plan)


def uninstall(env: Mapping[str, str], paths: Paths) -> UninstallReport:
    """Take the plugin away, wherever it was put. Memories stay. Raises InstallError for a manifest of no use."""
    return plans.undo(HARNESS, paths, plugin_file(env), _without)


def status(env: Mapping[str, str], paths: Paths, python: Path = PYTHON) -> HarnessStatus:
    """Return how the registration stands."""
    file = plugin_file(env)
    standing, reason = _standing(env, paths, python, file)
    return HarnessStatus(harness=HARNESS, file=file, standing=standing, reason=reason)


def plugin_source(env: Mapping[str, str], paths: Paths, python: Path = PYTHON) -> bytes:
    """Return the plugin as it has to be here: the places that the installation chose are fixed in it.

    Raises InstallError for an interpreter that can't be run and for a path that the file can't hold.
    """
    if not python.is_absolute() or not os.access(python, os.X_OK):
        raise InstallError(f"{python} can't be run", hint="install wisen again")
    places = places_of(env)
    server = [str(python), "-I", "-m", MODULE, "--harness", HARNESS]
    fixed = {
        "version": __version__,
        "socket": str(paths.socket),
        "installed": str(manifest.path(paths)),
        "daemon": list(daemon_argv(str(python), HARNESS)),
        "environment": {**places, **GIVEN},
        "server": {"type": "local", "command": server, "environment": places, "enabled": True},
    }
    source = package_files("wisen.install").joinpath("assets", _ASSET).read_text(encoding="utf-8")
    try:
        return source.replace(f"{_FIXED}__WISEN__", _FIXED + json.dumps(fixed, indent=2), 1).encode()
    except UnicodeEncodeError as error:
        raise InstallError(
            f"a path of wisen is not UTF-8: {error.object!r}", hint="set WISEN_HOME to another"
        ) from error


def _without(data: bytes, _name: str, _origins: Sequence[Origin] | None) -> bytes:
    return b"" if data.startswith(MARK) else data


def _standing(env: Mapping[str, str], paths: Paths, python: Path, file: Path) -> tuple[Standing, str]:
    try:
        held = files.read(file).data
        if held is None or not held.startswith(MARK):
            return Standing.ABSENT, ""
        if held != plugin_source(env, paths, python):
            return Standing.OUTDATED, "the plugin is not that of this wisen"
        if not manifest.names(paths, HARNESS):
            return Standing.BROKEN, f"the plugin is not heard: {manifest.path(paths)} does not tell of it"
    except InstallError as error:
        return Standing.BROKEN, error.message
    return Standing.CURRENT, ""


def _notes(env: Mapping[str, str]) -> tuple[str, ...]:
    if shutil.which("opencode", path=env.get("PATH", "")) is None and not plugin_file(env).parent.parent.exists():
        return ("note: there is no OpenCode here yet; the plugin waits for it",)
    return ()

"""The service command: have the system start the daemon at login, on request."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from wisen.cli.answers import read
from wisen.cli.app import App
from wisen.cli.options import DefaultGroup, as_json
from wisen.errors import Conflict, DaemonUnavailable

_PLATFORMS: Final = {"linux": "linux", "macos": "darwin"}


@click.group("service", cls=DefaultGroup)
def service() -> None:
    """Have the daemon started when you log in.

    Not needed: hooks start the daemon. With a service it is there before the first session, and comes back when it
    crashes. Linux: a systemd user unit. macOS: a launchd agent (written by its documentation, not tried on a Mac).
    Without a command: show.
    """


@service.command("show")
@click.option("--print", "is_printed", is_flag=True, help="Print the unit itself, and nothing else.")
@click.option(
    "--platform", type=click.Choice(tuple(_PLATFORMS)), default=None, help="For another system than this one."
)
@as_json
@click.pass_obj
def show(app: App, *, is_printed: bool, platform: str | None, as_json: bool) -> None:
    """Show whether there is a service, and what it says."""
    from wisen.install import units

    wanted = units.unit(app.env, platform=_PLATFORMS[platform] if platform else sys.platform)
    standing = units.is_installed(app.paths, wanted)
    if as_json:
        app.screen.json({"file": str(wanted.file), "standing": standing, "unit": wanted.content.decode()})
    elif is_printed:
        app.screen.raw(wanted.content.decode().rstrip("\n"))
    else:
        app.screen.fields([("service", standing), ("file", str(wanted.file)), ("daemon", _daemon(app))])
        app.screen.line("With it the daemon stays: `idle_exit_minutes` does not count.", tone="faint")
        app.screen.line("`wisen service show --print` prints what is or would be in it.", tone="faint")


def _daemon(app: App) -> str:
    """Return whether a daemon runs; whoever started it, there is one."""
    from wisen.client import Health

    try:
        found = read(app.get("/v1/health", start=False), Health)
    except DaemonUnavailable:
        return "does not run"
    return f"runs, process {found.pid}"


@service.command("install")
@as_json
@click.pass_obj
def install(app: App, *, as_json: bool) -> None:
    """Write the unit, so that the next login starts the daemon."""
    from wisen.install import units

    wanted = units.unit(app.env)
    is_new = units.install(app.paths, wanted)
    if as_json:
        app.screen.json({"file": str(wanted.file), "written": is_new, "to_start": list(wanted.starts)})
        return
    app.screen.line(f"{'Wrote' if is_new else 'It is there already:'} {wanted.file}")
    app.screen.line("The daemon starts at your next login. To have the service now:")
    for command in wanted.starts:
        app.screen.line(command, indent=2)


@service.command("uninstall")
@as_json
@click.pass_obj
def uninstall(app: App, *, as_json: bool) -> None:
    """Take the unit away again."""
    from wisen.install import units

    wanted = units.unit(app.env)
    removed = units.uninstall(app.paths)
    if as_json:
        app.screen.json(
            {
                "removed": [str(file) for file in removed.files],
                "left": [str(file) for file in removed.left],
                "to_stop": list(wanted.stops),
            }
        )
    else:
        for file in removed.files:
            app.screen.line(f"Removed {file}")
        if removed.files:
            app.screen.line("If it runs now, this ends it:")
            for command in wanted.stops:
                app.screen.line(command, indent=2)
        elif not removed.left:
            app.screen.line("There was no service.")
    if removed.left:
        raise _left(removed.left)


def _left(files: Sequence[Path]) -> Conflict:
    return Conflict(
        f"{files[0]} was changed since wisen wrote it, and is left as it is",
        hint="delete it by hand, or put the old content back (`wisen service show --print`)",
    )


COMMANDS: Final = {"service": service}

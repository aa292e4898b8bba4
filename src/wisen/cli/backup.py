"""The commands backup and restore-backup: everything that is remembered, copied and put back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.options import DefaultGroup, as_json, whole_number, yes
from wisen.cli.screen import Column
from wisen.cli.words import many, size, stamp
from wisen.errors import Conflict, DaemonUnavailable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from wisen.config import Paths
    from wisen.state.backups import Backup, Backups

_TRIES: Final = 3


def _names(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a backup."""
    from click.shell_completion import CompletionItem

    app = ctx.find_object(App)
    found = app.paths.backups_dir.glob("*/manifest.json") if app else ()
    return [CompletionItem(path.parent.name) for path in sorted(found) if path.parent.name.startswith(incomplete)]


@click.group("backup", cls=DefaultGroup)
def backup() -> None:
    """Copy everything while it is in use.

    A backup is a directory with the memories, their history, and what wisen heard in your sessions. Your settings and
    what was registered with harnesses are not in it. Without a command: make one.
    """


@backup.command("make")
@click.option(
    "--to",
    "target",
    default="",
    metavar="DIR",
    type=click.Path(),
    help="A directory of its own, which must not exist yet.",
)
@click.option("--keep", type=whole_number, metavar="N", help="Then delete all but the newest N in wisen's own place.")
@as_json
@click.pass_obj
def make(app: App, *, target: str, keep: int | None, as_json: bool) -> None:
    """Make a backup and verify it. The daemon goes on working."""
    backups = _backups(app)
    _flush(app)
    made = backups.make(Path(os.path.abspath(target)) if target else None)  # noqa: PTH100 - a link stays the user's
    gone = backups.prune(keep) if keep else ()
    if as_json:
        app.screen.json({"backup": _view(made), "deleted": [path.name for path in gone]})
        return
    app.screen.line(f"Backed up {_contents(made)} to {made.path}")
    _say_problems(app, made)
    if gone:
        app.screen.line(f"Deleted {many(len(gone), 'older backup')}.")


@backup.command("list")
@as_json
@click.pass_obj
def list_(app: App, *, as_json: bool) -> None:
    """List the backups in wisen's own place, newest first."""
    found = _backups(app).all()
    if as_json:
        app.screen.json({"directory": str(app.paths.backups_dir), "backups": [_view(one) for one in found]})
        return
    if not found:
        app.screen.line(f"There is no backup in {app.paths.backups_dir}; `wisen backup` makes one.", tone="faint")
        return
    columns = [
        Column(name="name"),
        Column(name="made"),
        Column(name="size", numeric=True),
        Column(name="memories", numeric=True),
        Column(name="wisen", spare=1),
        Column(name="note", flexible=True),
    ]
    app.screen.table(columns, [_row(app, one) for one in found])
    app.screen.aside("What you purge stays in the backups made before; `wisen backup rm` deletes one.")


@backup.command("verify")
@click.argument("name", metavar="[NAME|DIR]", default="latest", shell_complete=_names)
@as_json
@click.pass_obj
def verify(app: App, *, name: str, as_json: bool) -> None:
    """Check that every file of a backup is what was written. Without a name: the newest."""
    backups = _backups(app)
    found = backups.verify(backups.find(name))
    if as_json:
        app.screen.json({"backup": _view(found), "whole": True})
        return
    app.screen.line(f"Whole: {found.path} has {_contents(found)}.", tone="good")
    _say_problems(app, found)


@backup.command("rm")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=_names)
@yes
@as_json
@click.pass_obj
def remove(app: App, *, names: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete backups for good."""
    if not yes:
        app.screen.confirm(f"Delete {many(len(names), 'backup')} for good?", what="deleting a backup can't be undone")
    backups = _backups(app)
    gone = [backups.remove(name) for name in names]
    if as_json:
        app.screen.json({"deleted": [path.name for path in gone]})
        return
    app.screen.line(f"Deleted {', '.join(path.name for path in gone)}.")


@backup.command("prune")
@click.option("--keep", type=whole_number, required=True, metavar="N", help="How many of the newest stay.")
@yes
@as_json
@click.pass_obj
def prune(app: App, *, keep: int, yes: bool, as_json: bool) -> None:
    """Delete all backups in wisen's own place but the newest."""
    if not yes:
        app.screen.confirm(f"Delete all but the newest {keep}?", what="deleting backups can't be undone")
    gone = _backups(app).prune(keep)
    if as_json:
        app.screen.json({"deleted": [path.name for path in gone]})
        return
    app.screen.line(f"Deleted {', '.join(path.name for path in gone)}." if gone else "There is none to delete.")


@click.command("restore-backup")
@click.argument("name", metavar="NAME|DIR|latest", shell_complete=_names)
@yes
@as_json
@click.pass_obj
def restore_backup(app: App, *, name: str, yes: bool, as_json: bool) -> None:
    """Put a backup in the place of what is there.

    What is there now is kept as a backup first, so a restore can be taken back by another one. The daemon is stopped
    meanwhile; the next session or command starts it.
    """
    from wisen.state import failed_start

    backups = _backups(app)
    found = backups.verify(backups.find(name))
    if not yes:
        _ask(app, found)
    with _alone(app):
        kept = backups.restore(found.path)
        failed_start.clear(app.paths)  # it was of what is gone
    if as_json:
        app.screen.json({"restored": _view(found), "kept": _view(kept)})
        return
    app.screen.line(f"Restored {_contents(found)} from {found.path}")
    app.screen.line(f"What was there before is kept: `wisen restore-backup {kept.path.name}` brings it back.")
    _say_problems(app, kept)


def _ask(app: App, found: Backup) -> None:
    what = "a restore replaces everything that is remembered"
    app.screen.need_person(what)
    app.screen.line(f"{found.path} has {_contents(found)}.")
    app.screen.line("It takes the place of everything that is remembered now, which is kept as a backup.")
    app.screen.confirm("Restore it?", what=what)


@contextmanager
def _alone(app: App) -> Iterator[None]:
    """Stop the daemon and keep others from starting while the block runs. Raises Conflict when one keeps coming."""
    from wisen import lockfile
    from wisen.ownfiles import make_private_dir, refusal

    paths: Paths = app.paths
    make_private_dir(paths.data_dir)
    for _ in range(_TRIES):
        app.stop(paths)
        try:
            lock = lockfile.take(paths.data_lock_file, str(os.getpid()))
        except OSError as error:
            raise refusal(error) from error
        if lock is None:
            continue  # a hook has started the next one
        try:
            yield
        finally:
            os.close(lock)
        return
    raise Conflict("the daemon is started again and again", hint="end the sessions that are open, then try again")


def _flush(app: App) -> None:
    """Have a running daemon write what it still holds; without one there is nothing to write."""
    try:
        app.connect(app.paths, start=False).call("POST", "/v1/flush", {})
    except DaemonUnavailable:
        return


def _backups(app: App) -> Backups:
    from wisen.compose import backups_of

    return backups_of(app.paths)


def _contents(found: Backup) -> str:
    assert found.manifest is not None  # noqa: S101 - a backup that was made or verified has one
    memories = found.manifest.counts.get("memories", 0)
    return f"{many(memories, 'memory', 'memories')} ({size(found.manifest.size)})"


def _row(app: App, found: Backup) -> list[str]:
    if found.manifest is None:
        return [found.path.name, "", "", "", "", found.problem]
    manifest = found.manifest
    memories = f"{manifest.counts.get('memories', 0):,}"
    note = f"{many(len(manifest.problems), 'file')} as damaged as they were" if manifest.problems else ""
    return [found.path.name, stamp(manifest.made_at, app.now()), size(manifest.size), memories, manifest.made_by, note]


def _view(found: Backup) -> dict[str, object]:
    if found.manifest is None:
        return {"name": found.path.name, "path": str(found.path), "problem": found.problem}
    return {
        "name": found.path.name,
        "path": str(found.path),
        "made_at": found.manifest.made_at.isoformat(),
        "made_by": found.manifest.made_by,
        "bytes": found.manifest.size,
        "counts": dict(found.manifest.counts),
        "files": len(found.manifest.files),
        "problems": list(found.manifest.problems),
    }


def _say_problems(app: App, found: Backup) -> None:
    for problem in found.manifest.problems if found.manifest else ():
        app.screen.line(f"! copied as it is, damaged: {problem}", tone="bad")


COMMANDS: Final = {"backup": backup, "restore-backup": restore_backup}

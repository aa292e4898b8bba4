"""The exclude command: directories that wisen stays out of, which is a setting, changed in the user's file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.agents import refuse_agent
from wisen.cli.app import App
from wisen.cli.options import as_json
from wisen.cli.settings import opened, save, say_what_wins
from wisen.errors import InvalidValue, NotFound, UsageError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@click.command("exclude")
@click.argument("globs", nargs=-1, metavar="[GLOB]...")
@click.option("--remove", is_flag=True, help="Take them off the list again.")
@click.option("--list", "is_list", is_flag=True, help="Only show the list.")
@as_json
@click.pass_obj
def exclude(app: App, *, globs: tuple[str, ...], remove: bool, is_list: bool, as_json: bool) -> None:
    """Stay out of directories.

    There, and anywhere below, wisen neither learns nor recalls, exports nor imports. GLOB is a directory (also a
    relative one that exists), or a pattern that begins with /, ~/ or *. Quote it, or your shell expands it. It is the
    setting `exclude`, and holds at once. Without GLOB: show the list.
    """
    from wisen.config import checked

    if (remove and not globs) or (is_list and globs):
        raise UsageError("name the directories" if remove else "--list takes no directories")
    named = [_as_glob(one) for one in globs]
    _check_asker(app, named, remove=remove)
    file = app.paths.config_file
    before, document = opened(file)
    held = document.unwrap().get(_EXCLUDE, [])
    checked(_EXCLUDE, held, origin=str(file))
    listed: list[str] = [str(one) for one in held]
    if remove and (strangers := [one for one in named if one not in listed]):
        raise NotFound(f"not on the list: {', '.join(strangers)}", hint="`wisen exclude` shows it")
    kept = [one for one in listed if one not in named] if remove else [*dict.fromkeys((*listed, *named))]
    if kept != listed:
        checked(_EXCLUDE, kept, origin="wisen exclude")
        _put_list(document, _EXCLUDE, kept)
        save(before, document)
    if as_json:
        app.screen.json({_EXCLUDE: kept, "path": str(file)})
        return
    for one in dict.fromkeys(named):
        app.screen.line(f"{one}: {_what_changed(app, one, listed, remove=remove)}")
    if not named:
        for one in kept:
            app.screen.line(one)
    if not kept:
        app.screen.line("No directory is excluded.")
    say_what_wins(app, _EXCLUDE)


def _check_asker(app: App, globs: Sequence[str], *, remove: bool) -> None:
    """Raise Refused for what an agent may not do: take off the list, or put all there is on it."""
    if remove:
        refuse_agent(app, "take a directory off the list")
    for wide in (one for one in globs if _takes_in_home(one, app.env)):
        refuse_agent(app, f"exclude {wide}: that is all there is")


def _takes_in_home(glob: str, env: Mapping[str, str]) -> bool:
    """Whether a glob takes in whatever is made in the home directory."""
    from fnmatch import fnmatchcase

    from wisen.config import home_dir

    home = str(home_dir(env))
    whole = f"{home}{glob[1:]}" if glob.startswith("~") else glob
    patterns = (whole, f"{whole.rstrip('/')}/*")
    places = [f"{name}/-" for name in (home, os.path.realpath(home))]  # a directory that nobody can mean
    return any(fnmatchcase(place, pattern) for place in places for pattern in patterns)


def _what_changed(app: App, glob: str, listed: Sequence[str], *, remove: bool) -> str:
    if remove:
        return "off the list; wisen may learn and recall there again"
    if glob in listed:
        return "is on the list already"
    undo = "`wisen exclude --remove`"
    return f"excluded from now on; {f'your user can undo it: {undo}' if app.is_run_by_agent else f'{undo} undoes it'}"


def _as_glob(text: str) -> str:
    """Return what was typed as a glob of the setting: a relative directory by its whole path, as it is called."""
    from glob import escape

    if text.startswith(("/", "~", "*")):
        return text.rstrip("/") or "/"
    if not os.path.isdir(text):  # noqa: PTH112 - as typed
        raise InvalidValue(
            f"{text!r} is no directory here, and no pattern that begins with /, ~/ or *",
            hint="`wisen exclude -h` says what a pattern is",
        )
    return escape(os.path.abspath(text))  # noqa: PTH100 - links in the path stay as the user sees them


def _put_list(document: TOMLDocument, name: str, items: Sequence[str]) -> None:
    """Make a list in the file hold these items; where it stands there already, its layout and comments stay."""
    from tomlkit.items import Array

    held = document.get(name)
    if not items:
        document.pop(name, None)
    elif not isinstance(held, Array):
        document[name] = list(items)
    else:
        for at in reversed([n for n, item in enumerate(held) if str(item) not in items]):
            del held[at]
        for item in items[len(held) :]:
            held.append(item)


_EXCLUDE: Final = "exclude"

COMMANDS: Final = {"exclude": exclude}

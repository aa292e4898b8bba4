"""Commands on the settings file: config show, path, get, set, unset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.options import DefaultGroup, as_json
from wisen.cli.screen import Column
from wisen.errors import InstallError, SettingsError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from wisen.install.files import Snapshot


@click.group("config", cls=DefaultGroup)
def config() -> None:
    """Show and change the settings.

    A setting comes from its default, the settings file, or a variable WISEN_<NAME> of the environment in which the
    daemon started; the later wins. Without a command: show.
    """


@config.command("show")
@click.option("--explain", is_flag=True, help="Also say what each setting means.")
@as_json
@click.pass_obj
def show(app: App, *, explain: bool, as_json: bool) -> None:
    """Show every setting, its value and where that comes from."""
    from wisen.config import FIELDS, explain_settings

    values = explain_settings(app.paths, app.env)
    if as_json:
        app.screen.json([{"name": v.name, "value": v.value, "origin": v.origin} for v in values])
        return
    file = str(app.paths.config_file)
    columns = [Column(name="setting"), Column(name="value"), Column(name="from")]
    rows = [[value.name, _shown(value.value), "file" if value.origin == file else value.origin] for value in values]
    if explain:
        columns.append(Column(name="meaning", flexible=True))
        rows = [[*row, FIELDS[row[0]].description] for row in rows]
    app.screen.table(columns, rows)
    app.screen.line(f"file: {file}", tone="faint")


@config.command("path")
@as_json
@click.pass_obj
def path(app: App, *, as_json: bool) -> None:
    """Print the path of the settings file."""
    file = str(app.paths.config_file)
    if as_json:
        app.screen.json({"path": file})
    else:
        app.screen.raw(file)


@config.command("get")
@click.argument("name")
@as_json
@click.pass_obj
def get(app: App, *, name: str, as_json: bool) -> None:
    """Print one setting's value."""
    from wisen.config import explain_settings, setting_field

    setting_field(name, origin="wisen config get")
    found = next(item for item in explain_settings(app.paths, app.env) if item.name == name)
    if as_json:
        app.screen.json({"name": name, "value": found.value, "origin": found.origin})
    else:
        app.screen.line(_shown(found.value))


@config.command("set")
@click.argument("name")
@click.argument("value")
@as_json
@click.pass_obj
def set_(app: App, *, name: str, value: str, as_json: bool) -> None:
    """Change one setting in the file; comments and the rest stay as they are.

    Lists are separated by commas, tables are key=value pairs separated by commas.
    """
    from wisen.config import parsed

    new = parsed(name, value, origin="wisen config set")
    file = app.paths.config_file
    before, document = _opened(file)
    document[name] = list(new) if isinstance(new, tuple) else new
    _save(before, document)
    if as_json:
        app.screen.json({"name": name, "value": new, "path": str(file)})
        return
    app.screen.line(f"{name} = {_shown(new)}")
    _say_when(app, name)


@config.command("unset")
@click.argument("name")
@as_json
@click.pass_obj
def unset(app: App, *, name: str, as_json: bool) -> None:
    """Take one setting out of the file, also one that wisen does not know."""
    file = app.paths.config_file
    before, document = _opened(file)
    was_there = name in document
    if was_there:
        del document[name]
        _save(before, document)
    if as_json:
        app.screen.json({"name": name, "removed": was_there, "path": str(file)})
    elif was_there:
        app.screen.line(f"{name} is no longer set in {file}")
        _say_when(app, name)
    else:
        app.screen.line(f"{name} was not set in {file}")


def _shown(value: object) -> str:
    """Return a value as `config set` takes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            return ", ".join(f"{key}={item}" for key, item in value.items())
        case str():
            return value
        case Sequence():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _opened(file: Path) -> tuple[Snapshot, TOMLDocument]:
    """Return the file as it is, and its content. Raises SettingsError when it is not TOML: it is never written over."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    from wisen.install import files

    try:
        before = files.read(file)
        return before, tomlkit.parse((before.data or b"").decode("utf-8-sig"))
    except InstallError as error:
        raise SettingsError(error.message, hint=error.hint) from error
    except (UnicodeDecodeError, TOMLKitError) as error:
        raise SettingsError(f"{file}: not valid TOML: {error}", hint="mend it by hand, or move it away") from error


def _save(before: Snapshot, document: TOMLDocument) -> None:
    """Replace the file in one step, where its link leads to. Raises SettingsError."""
    import tomlkit

    from wisen.install import files

    try:
        files.make_dirs(files.missing_dirs(before.target.parent))
        files.write(before, tomlkit.dumps(document).encode())
    except InstallError as error:
        raise SettingsError(error.message, hint=error.hint) from error


def _say_when(app: App, name: str) -> None:
    from wisen.config import FIELDS

    field = FIELDS.get(name)
    if field and app.env.get(field.env_name):
        app.screen.line(f"{field.env_name} is set in this shell and wins over the file.", tone="faint")
    app.screen.line("A running daemon takes it at its next start: `wisen daemon restart`.", tone="faint")


COMMANDS: Final = {"config": config}

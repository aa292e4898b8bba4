"""Commands on the settings file: config show, path, get, set, unset and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli import complete
from wisen.cli.app import App
from wisen.cli.daemon import refused_settings
from wisen.cli.options import DefaultGroup, as_json
from wisen.cli.screen import Column
from wisen.errors import InstallError, NotFound, SettingsError, UsageError

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from wisen.install.files import Snapshot


@click.group("config", cls=DefaultGroup)
def config() -> None:
    """Show and change the settings.

    A setting comes from its default, the settings file, or a variable WISEN_<NAME> of the environment in which the
    daemon started; the later wins. A change holds at once: a running daemon is restarted. Without a command: show.
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
    rows = [[value.name, _shown(value.value), "file" if value.origin == file else value.origin] for value in values]
    columns = [Column(name="setting"), Column(name="value", flexible=True), Column(name="from")]
    if explain and app.screen.terminal:
        _print_explained(app, rows)
    elif explain:
        app.screen.table([*columns, Column(name="meaning")], [[*row, FIELDS[row[0]].description] for row in rows])
    else:
        app.screen.table(columns, rows)
    app.screen.aside(f"file: {file}")


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
@click.argument("name", shell_complete=complete.settings)
@as_json
@click.pass_obj
def get(app: App, *, name: str, as_json: bool) -> None:
    """Print one setting's value."""
    from wisen.config import explain_settings, setting_field

    try:
        setting_field(name, origin="wisen config get")
    except SettingsError as error:  # nothing is wrong with the settings
        raise NotFound(error.message, hint=error.hint) from error
    found = next(item for item in explain_settings(app.paths, app.env) if item.name == name)
    if as_json:
        app.screen.json({"name": name, "value": found.value, "origin": found.origin})
    else:
        app.screen.line(_shown(found.value))


@config.command("set")
@click.argument("name", shell_complete=complete.settings)
@click.argument("values", nargs=-1, required=True, shell_complete=complete.setting_values)
@as_json
@click.pass_obj
def set_(app: App, *, name: str, values: tuple[str, ...], as_json: bool) -> None:
    """Change one setting in the file; comments and the rest stay as they are.

    A list takes several values, or one with commas, or one as TOML writes it. NAME.KEY is one entry of a table:
    `wisen config set upstreams.github.com/me/widgets github.com/acme/widgets`.
    """
    from wisen.config import checked, entry_of, parsed

    setting, key = entry_of(name)
    file = app.paths.config_file
    before, document = opened(file)
    if key:
        new: object = values[0] if len(values) == 1 else list(values)
        checked(setting, {key: new}, origin=_SET)
        _put(document, setting, key, new)
    else:
        new = parsed(name, *values, origin=_SET)
        document[name] = list(new) if isinstance(new, tuple) else new
    save(before, document)
    if not as_json:
        app.screen.line(f"{name} = {_shown(new) or '(empty)'}")
        say_what_wins(app, setting)
    restarted = _apply(app, as_json=as_json)
    if as_json:
        app.screen.json({"name": name, "value": new, "path": str(file), "daemon_restarted": restarted})


@config.command("unset")
@click.argument("name", shell_complete=complete.settings)
@as_json
@click.pass_obj
def unset(app: App, *, name: str, as_json: bool) -> None:
    """Take one setting out of the file, also one that wisen does not know. NAME.KEY is one entry of a table."""
    from wisen.config import entry_of

    setting, key = entry_of(name)
    file = app.paths.config_file
    before, document = opened(file)
    was_there = key in _table(document, setting) if key else setting in document
    if was_there:
        _take(document, setting, key)
        save(before, document)
    if not as_json:
        app.screen.line(f"{name} {'is no longer' if was_there else 'was not'} set in {file}")
        say_what_wins(app, setting)
    restarted = was_there and _apply(app, as_json=as_json)
    if as_json:
        app.screen.json({"name": name, "removed": was_there, "path": str(file), "daemon_restarted": restarted})


@config.command("edit")
@as_json
@click.pass_obj
def edit(app: App, *, as_json: bool) -> None:
    """Open the settings file in your editor ($VISUAL or $EDITOR).

    You edit a copy. It takes the file's place when all of it is right; until then nothing changes, and you may mend it.
    """
    file = app.paths.config_file
    before, old = _read(file)
    text = _settled(app, old or _FIRST_LINES)
    is_changed = text is not None and text not in {old, _FIRST_LINES}
    if text is not None and is_changed:
        save(before, _parsed(text, file))
    if not as_json:
        app.screen.line(f"{'Saved' if is_changed else 'Nothing was changed'}: {file}")
    restarted = is_changed and _apply(app, as_json=as_json)
    if as_json:
        app.screen.json({"path": str(file), "changed": is_changed, "daemon_restarted": restarted})


def _settled(app: App, text: str) -> str | None:
    """Return a text as edited once all of it is right; None when the person gives up. Raises SettingsError."""
    edited = _edited(app, text)
    while edited is not None and (fault := _fault_of(app, edited)) is not None:
        if not app.screen.terminal:
            raise SettingsError(f"{fault.message}; nothing was changed", hint=fault.hint)
        app.screen.line(f"! {fault.message}", tone="bad")
        if app.screen.choose("Edit it again? [Y/n]", ("yes", "no"), default="yes") == "no":
            return None
        edited = _edited(app, edited)
    return edited


def _edited(app: App, text: str) -> str | None:
    """Return what the editor made of a text; None when it was left without saving."""
    if not (app.env.get("VISUAL") or app.env.get("EDITOR")):
        raise UsageError(
            "there is no editor: neither VISUAL nor EDITOR is set", hint="for example EDITOR=nano wisen ..."
        )
    return click.edit(text, extension=".toml")


def _fault_of(app: App, text: str) -> SettingsError | None:
    """Return what is wrong with the text of a settings file, None when nothing is."""
    from wisen.config import check_text

    try:
        check_text(text, origin=app.paths.config_file.name)
    except SettingsError as error:
        return error
    return None


def _table(document: TOMLDocument, name: str) -> Mapping[str, object]:
    """Return a table of the file as plain values, empty when there is none. Raises SettingsError for no table."""
    from wisen.config import checked

    value = document.unwrap().get(name, {})
    checked(name, value, origin="the settings file")
    assert isinstance(value, Mapping)  # noqa: S101 - `checked` has seen to it
    return value


def _put(document: TOMLDocument, name: str, key: str, value: object) -> None:
    """Set one entry of a table, made where there is none; what else is in it stays as it is written."""
    import tomlkit

    if not _table(document, name):
        document[name] = tomlkit.table()
    document[name][key] = value


def _take(document: TOMLDocument, name: str, key: str) -> None:
    """Take out one entry of a table, and the table with its last; a whole setting when the key is empty."""
    if key and len(_table(document, name)) > 1:
        del document[name][key]
    else:
        del document[name]


def _shown(value: object) -> str:
    """Return a value as `config set` takes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case Mapping():
            return ", ".join(f"{key}={item}" for key, item in value.items())
        case str():
            return value
        case Sequence() if any("," in str(item) for item in value):
            return json.dumps(value)
        case Sequence():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def opened(file: Path) -> tuple[Snapshot, TOMLDocument]:
    """Return the file as it is, and its content. Raises SettingsError when it is not TOML: it is never written over."""
    before, text = _read(file)
    return before, _parsed(text, file)


def _read(file: Path) -> tuple[Snapshot, str]:
    """Return the file as it is, and its text. Raises SettingsError."""
    from wisen.install import files

    try:
        before = files.read(file)
        return before, (before.data or b"").decode("utf-8-sig")
    except InstallError as error:
        raise SettingsError(error.message, hint=error.hint) from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file}: not valid TOML: {error}", hint=_MEND) from error


def _parsed(text: str, file: Path) -> TOMLDocument:
    """Return the content of a settings file. Raises SettingsError for what is no TOML."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SettingsError(f"{file}: not valid TOML: {error}", hint=_MEND) from error


def save(before: Snapshot, document: TOMLDocument) -> None:
    """Replace the file in one step, where its link leads to. Raises SettingsError."""
    import tomlkit

    from wisen.install import files

    try:
        content = tomlkit.dumps(document).encode()
        files.make_dirs(files.missing_dirs(before.target.parent))
        files.write(before, content)
    except UnicodeEncodeError as error:
        raise SettingsError(
            f"{before.path} can't hold a name that is no UTF-8", hint="a ? in a glob stands for any such character"
        ) from error
    except InstallError as error:
        raise SettingsError(error.message, hint=error.hint) from error


def _print_explained(app: App, rows: Sequence[Sequence[str]]) -> None:
    """Print each setting with its meaning below it."""
    from wisen.config import FIELDS

    for name, value, origin in rows:
        app.screen.line(f"{name} = {value}" + (f"  ({origin})" if origin != "default" else ""), tone="strong")
        app.screen.line(FIELDS[name].description, indent=4)


def _apply(app: App, *, as_json: bool) -> bool:
    """Restart the daemon if it runs, so that it reads the file; return whether it did."""
    if not app.stop(app.paths):
        return False
    app.get("/v1/health")
    refusal = refused_settings(app)
    if not as_json:
        app.screen.line("The running daemon was restarted, so it holds at once.", tone="faint")
        if refusal:
            app.screen.line(f"! {refusal}", tone="bad")
    return True


def say_what_wins(app: App, name: str) -> None:
    """Tell the person when a variable of their shell wins over what stands in the file."""
    from wisen.config import FIELDS

    field = FIELDS.get(name)
    if field and app.env.get(field.env_name):
        app.screen.line(f"{field.env_name} is set in this shell and wins over the file.", tone="faint")


_SET: Final = "wisen config set"
_MEND: Final = "`wisen config edit` mends it; or move it away"
_FIRST_LINES: Final = "# Settings of wisen: NAME = VALUE. `wisen config show --explain` lists them.\n"

COMMANDS: Final = {"config": config}

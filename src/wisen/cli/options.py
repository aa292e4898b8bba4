"""What several commands share: `--json`, the directory, harness and graph they are about, a default sub-command."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from wisen.cli.agents import guarded
from wisen.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from wisen.cli.app import App

DEFAULT_HARNESS: Final = "claude-code"
# What a harness puts into the environment of the commands that its agents run, where its name can be told from it.
_HARNESS_MARKS: Final = {"CLAUDECODE": "claude-code", "OPENCODE": "opencode"}

as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
yes = click.option("--yes", "-y", is_flag=True, help="Don't ask.")


def asked(app: App, what: str, *, as_json: bool) -> None:
    """Raise UsageError where no question may be put: `what` says why there would be one.

    With `--json` standard output belongs to a program, also on a terminal: a question there would be no JSON.
    """
    if as_json:
        raise UsageError(f"{what}, and with --json nothing is asked", hint="add --yes when you are sure")
    app.screen.need_person(what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which graphs a command is about: those a directory reads and writes on one harness, or one graph by its id."""

    cwd: str
    harness: str
    graph: str = ""

    @property
    def place(self) -> dict[str, str]:
        """The fields of the API that name the directory and the harness."""
        return {"cwd": self.cwd, "harness": self.harness}

    @property
    def all(self) -> dict[str, str]:
        """The fields of the API, the graph among them if one was named."""
        return {**self.place, **({"graph": self.graph} if self.graph else {})}


def scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--cwd` and `--harness`, as its `scope`."""

    @_place_options
    @wraps(command)
    def with_scope(*args: Any, cwd: str, harness: str, **rest: Any) -> None:
        command(*args, scope=Scope(cwd=_absolute(cwd), harness=harness or harness_here()), **rest)

    return with_scope


def graph_scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--cwd`, `--harness` and `--graph`, as its `scope`."""

    @click.option(
        "--graph", default="", metavar="ID", help="One graph instead, by its id or the end of it (`wisen graphs`)."
    )
    @_place_options
    @wraps(command)
    def with_scope(*args: Any, cwd: str, harness: str, graph: str, **rest: Any) -> None:
        command(*args, scope=Scope(cwd=_absolute(cwd), harness=harness or harness_here(), graph=graph), **rest)

    return with_scope


def _place_options(command: Callable[..., None]) -> Callable[..., None]:
    with_harness = click.option(
        "--harness",
        default="",
        metavar="NAME",
        help=f"Whose memories; else of the one that wisen is installed in, {DEFAULT_HARNESS} if of several.",
    )(command)
    return click.option(
        "--cwd",
        default=".",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="As if run in this directory.",
    )(with_harness)


def harness_here(ctx: click.Context | None = None) -> str:
    """Return the harness that a command is about when none is named.

    That whose agent runs it; else the only one that wisen is installed in; else Claude Code.
    """
    from wisen.cli.app import App as App_
    from wisen.errors import WisenError
    from wisen.install import manifest

    app = (ctx or click.get_current_context()).find_object(App_)
    if app is None:
        return DEFAULT_HARNESS
    for mark, harness in _HARNESS_MARKS.items():
        if app.env.get(mark):
            return harness
    try:
        installed = {entry.harness for entry in manifest.load(app.paths)[0].entries}
    except WisenError:
        return DEFAULT_HARNESS
    return installed.pop() if len(installed) == 1 else DEFAULT_HARNESS


def _absolute(directory: str) -> str:
    """Return the directory's absolute path. Raises UsageError when the current directory is gone."""
    try:
        return os.path.abspath(directory)  # noqa: PTH100 - links in the path stay as the user sees them
    except FileNotFoundError as error:
        raise UsageError("the current directory does not exist any more", hint="cd somewhere else") from error


def whole_number(value: str | int) -> int:
    """Return an option's value, as typed or its default, as a whole number of at least 1."""
    text = str(value)
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise click.BadParameter(f"{text!r} is no whole number of at least 1")
    return int(text)


class DefaultGroup(click.Group):
    """A group that runs its first command when none is named: `wisen review --all` is `wisen review list --all`."""

    @property
    def default(self) -> str:
        """The name of the command that runs when none is named."""
        return next(iter(self.commands))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command; an agent is refused what is not for it."""
        found = super().get_command(ctx, cmd_name)
        return guarded(f"{self.name} {cmd_name}", found) if found else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first command's name in front of arguments that begin with none."""
        named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        # A shell that completes `wisen review ` asks for the commands, not for what the first of them takes.
        is_asking = ctx.resilient_parsing and not args
        return super().parse_args(ctx, args if named or is_asking else [self.default, *args])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the commands, and the options of the one that runs when none is named."""
        found = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return found
        command = self.commands[self.default]
        inner = command.shell_complete(click.Context(command, parent=ctx, resilient_parsing=True), incomplete)
        return list({item.value: item for item in (*inner, *found)}.values())

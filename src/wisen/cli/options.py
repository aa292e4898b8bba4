"""What several commands share: `--json`, the directory, harness and graph they are about, a default sub-command."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

import click

from wisen.errors import UsageError

DEFAULT_HARNESS: Final = "claude-code"

as_json = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
yes = click.option("--yes", "-y", is_flag=True, help="Don't ask.")


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
        """The fields of the API, the graph among them."""
        return {**self.place, "graph": self.graph}


def scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--cwd` and `--harness`, as its `scope`."""

    @_place_options
    @wraps(command)
    def with_scope(*args: Any, cwd: str, harness: str, **rest: Any) -> None:
        command(*args, scope=Scope(cwd=_absolute(cwd), harness=harness), **rest)

    return with_scope


def graph_scoped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--cwd`, `--harness` and `--graph`, as its `scope`."""

    @click.option("--graph", default="", metavar="ID", help="One graph by its id instead (`wisen status` lists them).")
    @_place_options
    @wraps(command)
    def with_scope(*args: Any, cwd: str, harness: str, graph: str, **rest: Any) -> None:
        command(*args, scope=Scope(cwd=_absolute(cwd), harness=harness, graph=graph), **rest)

    return with_scope


def _place_options(command: Callable[..., None]) -> Callable[..., None]:
    with_harness = click.option(
        "--harness", default=DEFAULT_HARNESS, show_default=True, metavar="NAME", help="Whose memories."
    )(command)
    return click.option(
        "--cwd",
        default=".",
        type=click.Path(exists=True, file_okay=False),
        metavar="DIR",
        help="As if run in this directory.",
    )(with_harness)


def _absolute(directory: str) -> str:
    """Return the directory's absolute path. Raises UsageError when the current directory is gone."""
    try:
        return os.path.abspath(directory)  # noqa: PTH100 - links in the path stay as the user sees them
    except FileNotFoundError as error:
        raise UsageError("the current directory does not exist any more", hint="cd somewhere else") from error


class DefaultGroup(click.Group):
    """A group that runs its first command when none is named: `wisen review --all` is `wisen review list --all`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the first command's name in front of arguments that begin with none."""
        named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if named else [next(iter(self.commands)), *args])

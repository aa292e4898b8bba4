"""Commands on identity: repo and repo trust."""

from __future__ import annotations

from typing import Final

import click

from wisen.cli.answers import Repo, read
from wisen.cli.app import App
from wisen.cli.off import warned
from wisen.cli.options import DefaultGroup, Scope, as_json, scoped, yes
from wisen.cli.words import EXCLUDED, STANDINGS
from wisen.errors import Conflict


@click.group("repo", cls=DefaultGroup)
def repo() -> None:
    """Show which repository this is to wisen.

    Which memories it writes and reads, and how sure wisen is that the clone is what its remote says.
    Without a command: show.
    """


@repo.command("show")
@scoped
@as_json
@click.pass_obj
def show(app: App, *, scope: Scope, as_json: bool) -> None:
    """Show what this directory is to wisen."""
    warned(app, scope)
    answer = app.get("/v1/repo", scope.place)
    if as_json:
        app.screen.json(answer)
        return
    _print_repo(app, read(answer, Repo), scope)


@repo.command("trust")
@yes
@scoped
@as_json
@click.pass_obj
def trust(app: App, *, yes: bool, scope: Scope, as_json: bool) -> None:
    """Accept this clone's first commit as one of its remote's.

    For a history that was rewritten on purpose: from then on this clone shares the memories of its remote.
    """
    warned(app, scope)
    found = read(app.get("/v1/repo", scope.place), Repo)
    if found.standing != "foreign":
        raise Conflict(f"there is nothing to trust: this clone is {found.standing}", hint=STANDINGS[found.standing])
    if not yes:
        what = "a trusted clone gets the memories of its remote"
        app.screen.need_person(what)
        _print_repo(app, found, scope)
        app.screen.confirm("Trust this clone?", what=what)
    answer = app.post("/v1/repo/trust", scope.place)
    if as_json:
        app.screen.json(answer)
        return
    _print_repo(app, read(answer, Repo), scope)


def _print_repo(app: App, found: Repo, scope: Scope) -> None:
    app.screen.line(found.top or scope.cwd, tone="strong")
    app.screen.line(STANDINGS.get(found.standing, found.standing), indent=2)
    if found.excluded:
        app.screen.line(EXCLUDED, tone="bad", indent=2)
    others = [graph for graph in found.reads if graph != found.write]
    app.screen.fields(
        [
            ("standing", found.standing),
            ("writes", found.write or "nothing"),
            ("reads also", "\n".join(others)),
            ("remotes", "\n".join(f"{name}  {url}" for name, url in found.remotes.items())),
            ("root commit", found.root or ""),
            ("branch", found.branch or ""),
            ("note", found.note),
        ]
    )


COMMANDS: Final = {"repo": repo}

"""Commands that switch wisen off and on again: pause and resume."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.answers import Repo, read
from wisen.cli.app import App
from wisen.cli.moments import moment_meant
from wisen.cli.options import Scope, as_json, scoped
from wisen.cli.words import pause_in_words
from wisen.errors import WisenError

if TYPE_CHECKING:
    from wisen.core.pauses import Pause


@click.command("pause")
@click.option("--for", "span", metavar="SPAN", help="Go on by itself after this: 90min, 2h, 7d, 2w.")
@click.option("--until", metavar="TIME", help="Go on by itself then: 09:00, 2030-01-31, or both.")
@click.option("--here", is_flag=True, help="Only in this repository, in all its clones; or directory outside of one.")
@scoped
@as_json
@click.pass_obj
def pause(app: App, *, span: str | None, until: str | None, here: bool, scope: Scope, as_json: bool) -> None:
    """Neither learn nor recall for a while.

    Holds at once, in open sessions too, over restarts, and also when the data directory is deleted: nothing brings it
    back. What is said meanwhile is not learned later either. Your memories stay and every command goes on working.
    An agent may begin a pause and make it longer, and no more.
    """
    from wisen.core.pauses import Pause
    from wisen.state import pausing

    now = app.now()
    end = moment_meant(span, until, now) if span is not None or until is not None else None
    place, graph = _here(app, scope) if here else ("", "")
    new = Pause(since=now, until=end, place=place, graph=graph)
    pausing.pause(app.paths, new, may_shorten=not app.is_run_by_agent)
    if as_json:
        app.screen.json({"paused": [_as_json(new)]})
        return
    app.screen.line(f"Paused {pause_in_words(place, graph, end, now)}. {_ended_by(app)}")


@click.command("resume")
@click.option("--here", is_flag=True, help="Only the pause of this repository or directory.")
@scoped
@as_json
@click.pass_obj
def resume(app: App, *, here: bool, scope: Scope, as_json: bool) -> None:
    """Learn and recall again.

    Ends every pause, or with --here that of this place. What was said in it is not learned later.
    """
    from wisen.state import pausing

    now = app.now()
    place, graph = _here(app, scope) if here else (None, "")
    done = pausing.resume(app.paths, now, place=place, graph=graph)
    if as_json:
        app.screen.json({"resumed": [_as_json(one) for one in done.over], "mended": done.mended})
        return
    if done.mended:
        app.screen.line(f"Mended: {done.mended}.")
    if not done.over:
        not_paused = "It was not paused here." if here else "It was not paused."
        app.screen.line("On again." if done.mended and not here else not_paused)
    for one in done.over:
        app.screen.line(f"On again{'' if one.is_everywhere else f' in {one.place}'}.")


def _ended_by(app: App) -> str:
    return "Your user can end it: `wisen resume`." if app.is_run_by_agent else "`wisen resume` ends it."


def repository_of(directory: str) -> str:
    """Return the top of the work tree that a directory is in, by links followed; itself outside of any."""
    place = Path(directory).resolve()
    return str(next((one for one in (place, *place.parents) if (one / ".git").exists()), place))


def _here(app: App, scope: Scope) -> tuple[str, str]:
    """Return the directory and the graph of the repository here; no graph where there is none, or no daemon to ask."""
    try:
        graph = read(app.get("/v1/repo", scope.place), Repo).write
    except WisenError:
        graph = None
    return repository_of(scope.cwd), graph or ""


def _as_json(one: Pause) -> dict[str, object]:
    return {
        "place": one.place,
        "graph": one.graph,
        "since": one.since.isoformat(),
        "until": one.until.isoformat() if one.until else None,
    }


COMMANDS: Final = {"pause": pause, "resume": resume}

"""Commands on graphs as a whole: graphs ls, stats and rm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import click
from msgspec import Struct

from wisen.cli.answers import Change, GraphSize, Standing, read
from wisen.cli.app import App
from wisen.cli.deeds import say_what_is_left
from wisen.cli.options import DefaultGroup, as_json, yes
from wisen.cli.screen import Column
from wisen.cli.words import graph_name, many, size, stamp
from wisen.core.plain import source_in_words, status_in_words
from wisen.errors import Conflict, DaemonUnavailable, NotFound


class Stats(Struct, frozen=True, kw_only=True):
    """What one graph holds."""

    graph: str
    by_status: dict[str, int] = {}
    by_kind: dict[str, int] = {}
    by_source: dict[str, int] = {}
    pinned: int = 0
    uses: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    bytes_on_disk: int = 0
    journal_entries: int = 0


@click.group("graphs", cls=DefaultGroup)
def graphs() -> None:
    """List the graphs, look into one, delete one.

    Each repository has a graph of its own, and you have one for what is true of you everywhere. GRAPH is its id, or the
    end of it: `github.com/acme/widgets`. Without a command: ls.
    """


@graphs.command("ls")
@as_json
@click.pass_obj
def ls(app: App, *, as_json: bool) -> None:
    """List all graphs with their sizes."""
    found = _all(app)
    if as_json:
        app.screen.json([{"graph": g.graph, "by_status": g.by_status, "bytes_on_disk": g.bytes_on_disk} for g in found])
        return
    if not found:
        app.screen.line("There is none yet: the first memory makes one.", tone="faint")
        return
    app.screen.table(size_columns(), [size_row(graph) for graph in found])


@graphs.command("stats")
@click.argument("graph")
@as_json
@click.pass_obj
def stats(app: App, *, graph: str, as_json: bool) -> None:
    """Show what one graph holds."""
    answer = app.get("/v1/graphs/stats", _place(_meant(app, graph)))
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, Stats)
    app.screen.line(found.graph, tone="strong")
    app.screen.fields(
        [
            ("memories", _counted(found.by_status, status_in_words) or "none"),
            ("kinds", _counted(found.by_kind)),
            ("sources", _counted(found.by_source, source_in_words)),
            ("pinned", str(found.pinned) if found.pinned else ""),
            ("recalled", many(found.uses, "time")),
            (
                "learned",
                f"{stamp(found.oldest, app.now())} to {stamp(found.newest, app.now())}" if found.oldest else "",
            ),
            ("changes", f"{found.journal_entries:,}"),
            ("on disk", size(found.bytes_on_disk)),
        ]
    )


@graphs.command("rm")
@click.argument("graph")
@click.option("--purge", is_flag=True, help="Make no backup, and erase what was said as well. Can't be undone.")
@yes
@as_json
@click.pass_obj
def rm(app: App, *, graph: str, purge: bool, yes: bool, as_json: bool) -> None:
    """Delete a graph with all its memories and their history.

    Everything is backed up first, and `wisen restore-backup` brings it back. With --purge there is no backup, and the
    words are erased wherever they were said; files that still hold them, such as older backups, are named.
    """
    found = _meant(app, graph)
    if not yes:
        _ask(app, found, purge=purge)
    backup = None if purge else backed_up(app)
    answer = app.post("/v1/graphs/remove", {**_place(found), "purge": purge})
    if as_json:
        app.screen.json({**answer, "backup": str(backup) if backup else None})
        return
    app.screen.line(f"Deleted {found.graph} ({_total(found)}).")
    say_what_is_left(app, read(answer, Change).still_in)
    if backup:
        app.screen.line(f"`wisen restore-backup {backup.name}` brings back everything as it was before.")


def _ask(app: App, found: GraphSize, *, purge: bool) -> None:
    what = "deleting with --purge can't be undone" if purge else "a graph is deleted with all its memories"
    app.screen.need_person(what)
    app.screen.line(f"{found.graph} has {_total(found)}.")
    app.screen.confirm("Erase it for good?" if purge else "Back everything up, then delete it?", what=what)


def backed_up(app: App) -> Path:
    """Back everything up and return where."""
    from wisen.compose import backups_of

    with suppress(DaemonUnavailable):  # then there is nothing to flush
        app.post("/v1/flush", start=False)
    return backups_of(app.paths).make().path


def _all(app: App) -> tuple[GraphSize, ...]:
    return read(app.get("/v1/status"), Standing).graphs


def _meant(app: App, text: str) -> GraphSize:
    """Return the graph that an id or its end means. Raises NotFound for none, Conflict for several."""
    found = _all(app)
    matches = [one for one in found if one.graph == text] or [
        one for one in found if one.graph.endswith(f"/{text}") or graph_name(one.graph) == text
    ]
    if not matches and "://" in text:  # its file may be gone, or be one that can't be read
        return GraphSize(graph=text)
    if not matches:
        raise NotFound(f"there is no graph {text!r}", hint="`wisen graphs` lists them")
    if len(matches) > 1:
        raise Conflict(f"{text!r} means several: {', '.join(one.graph for one in matches)}", hint="type the whole id")
    return matches[0]


def _place(found: GraphSize) -> dict[str, str]:
    """Return the fields of the API that name a graph; its harness is in its id."""
    return {"graph": found.graph, "harness": found.graph.partition("://")[2].partition("/")[0]}


def _total(found: GraphSize) -> str:
    return many(sum(found.by_status.values()), "memory", "memories")


def _counted(counts: Mapping[str, int], word_for: Callable[[str], str] = str) -> str:
    return ", ".join(f"{count:,} {word_for(name)}" for name, count in sorted(counts.items()) if count)


def size_columns() -> list[Column]:
    """Return the columns of `size_row`."""
    return [
        Column(name="graph", flexible=True),
        *(Column(name=name, numeric=True) for name in ("active", "waiting", "other", "size")),
    ]


def size_row(graph: GraphSize) -> list[str]:
    """Return a graph as a row: its id, memories that are active, wait, are something else, and its size."""
    active, waiting = graph.by_status.get("active", 0), graph.by_status.get("pending_review", 0)
    other = sum(graph.by_status.values()) - active - waiting
    return [graph.graph, f"{active:,}", f"{waiting:,}", f"{other:,}", size(graph.bytes_on_disk)]


COMMANDS: Final = {"graphs": graphs}

"""The log command: every change of the memories here, what was changed together under one head."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.answers import Entry, Journal, Repo, read
from wisen.cli.app import App
from wisen.cli.memories import repo_of
from wisen.cli.options import Scope, as_json, graph_scoped, whole_number
from wisen.cli.screen import Column
from wisen.cli.words import age, change_ref, many, place, subject_of
from wisen.core.shortids import short

_COLUMNS: Final = (
    Column(name="ref"),
    Column(name="age", numeric=True),
    Column(name="who", spare=2),
    Column(name="did", spare=1),
    Column(name="id"),
    Column(name="what", flexible=True, max_lines=2),
    Column(name="where", spare=3),
)
_BATCH: Final = Column(name="batch")


@click.command("log")
@click.option(
    "--batch", default="", metavar="ID", shell_complete=complete.batches, help="Only what was changed in one."
)
@click.option("--limit", type=whole_number, default=20, show_default=True, metavar="N", help="At most so many.")
@graph_scoped
@as_json
@click.pass_obj
def log(app: App, *, batch: str, limit: int, scope: Scope, as_json: bool) -> None:
    """List the changes of the memories here.

    The newest come first. `wisen undo` takes a change back by its name: r12 is one of this repository's memories,
    y3 one of yours, u5 one of the upstream's, which only its own repository takes back, e2 one of this clone's from
    before it was trusted or had its remote. What was changed together stands below its batch, which `wisen undo
    --batch` takes back as a whole.
    """
    answer = app.get("/v1/journal", {**scope.all, "batch": batch, "limit": limit})
    if as_json:
        app.screen.json(answer)
        return
    entries = read(answer, Journal).entries
    if not entries:
        app.screen.line("No memory was ever changed here.")
        return
    repo = repo_of(app, scope)
    if app.screen.terminal:
        app.screen.table(_COLUMNS, _grouped(app, entries, repo, is_cut=len(entries) == limit))
    else:
        rows = [[*_row(app, entry, repo), short(entry.batch)] for entry in entries]
        app.screen.table([*_COLUMNS, _BATCH], rows)
    if len(entries) == limit:
        app.screen.aside(f"Only the newest {limit:,}; --limit shows more.")


def _row(app: App, entry: Entry, repo: Repo) -> list[str]:
    now = app.now()
    return [
        change_ref(entry, repo),
        age(entry.at, now),
        entry.actor,
        entry.action,
        entry.short,
        subject_of(entry, repo, now),
        place(entry.graph, repo),
    ]


def _grouped(app: App, entries: Sequence[Entry], repo: Repo, *, is_cut: bool) -> list[list[str]]:
    """Return rows in which what was changed together stands below a head; the last batch may go on beyond the end."""
    rows: list[list[str]] = []
    groups = [(batch, list(group)) for batch, group in groupby(entries, key=lambda entry: entry.batch)]
    for number, (batch, group) in enumerate(groups, start=1):
        members = [_row(app, entry, repo) for entry in group]
        may_go_on = is_cut and number == len(groups)
        if batch and (len(group) > 1 or may_go_on):  # one change alone needs no name but its own
            count = many(len(group), "change")
            count = f"at least {count}" if may_go_on else count
            head = members[0]
            did = head[3] if len({row[3] for row in members}) == 1 else ""
            rows.append(["batch", head[1], head[2], did, short(batch), f"{count} at once", ""])
            members = [[f"· {row[0]}", *row[1:]] for row in members]
        rows += members
    return rows


COMMANDS: Final = {"log": log}

"""Commands on the journal: log and undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli.answers import Change, Entry, Journal, Repo, read
from wisen.cli.app import App
from wisen.cli.options import Scope, as_json, graph_scoped
from wisen.cli.screen import Column, clipped
from wisen.cli.words import age, graph_name, place
from wisen.errors import Conflict, NotFound

# How far back an undo without a number, or with one, looks for its entry.
_UNDO_ENTRIES: Final = 1000
# Short enough that the reason still fits into the same cell.
_SUBJECT_CHARS: Final = 60


@click.command("log")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most so many.")
@graph_scoped
@as_json
@click.pass_obj
def log(app: App, *, limit: int, scope: Scope, as_json: bool) -> None:
    """List the changes of the memories here.

    The newest come first.
    """
    answer = app.get("/v1/journal", {**scope.all, "limit": limit})
    if as_json:
        app.screen.json(answer)
        return
    entries = read(answer, Journal).entries
    if not entries:
        app.screen.line("No memory was ever changed here.")
        return
    repo = read(app.get("/v1/repo", scope.place), Repo)
    columns = [
        Column(name="#", numeric=True),
        Column(name="age", numeric=True),
        Column(name="who"),
        Column(name="did"),
        Column(name="id"),
        Column(name="what", flexible=True, max_lines=2),
        Column(name="where"),
    ]
    now = app.now()
    rows = [
        [str(e.seq), age(e.at, now), e.actor, e.action, e.short, _subject(e), place(e.graph, repo)] for e in entries
    ]
    app.screen.table(columns, rows)


@click.command("undo")
@click.argument("seq", required=False, type=click.IntRange(1), metavar="[NUMBER]")
@graph_scoped
@as_json
@click.pass_obj
def undo(app: App, *, seq: int | None, scope: Scope, as_json: bool) -> None:
    """Take back a change.

    NUMBER is the change's number in `wisen log`; without it, your own latest change here is taken back.
    What was erased with --purge can't come back.
    """
    entries = read(app.get("/v1/journal", {**scope.all, "limit": _UNDO_ENTRIES}), Journal).entries
    entry = _latest_of_user(entries) if seq is None else _numbered(entries, seq)
    answer = app.post("/v1/undo", {**scope.place, "seq": entry.seq, "graph": entry.graph})
    if as_json:
        app.screen.json(answer)
        return
    app.screen.line(f"Took back #{entry.seq} ({entry.action}) of {entry.short}.")
    if undone := read(answer, Change).entry:
        app.screen.fields(_before_and_after(undone))


def _latest_of_user(entries: Sequence[Entry]) -> Entry:
    for entry in entries:
        is_erased = entry.before_text is None and entry.after_text is None
        if entry.actor == "user" and not entry.undone_by and not is_erased and entry.action != "revert":
            return entry
    raise NotFound("there is no change of yours here to take back", hint="`wisen log` lists all changes; give a number")


def _numbered(entries: Sequence[Entry], seq: int) -> Entry:
    """Return the entry of that number; each graph counts its own changes, so there may be two."""
    found = [entry for entry in entries if entry.seq == seq]
    if not found:
        raise NotFound(f"there is no change #{seq} here", hint="`wisen log` lists them")
    if len(found) > 1:
        graphs = " or ".join(f"--graph {entry.graph}" for entry in found)
        raise Conflict(f"change #{seq} exists in {len(found)} graphs", hint=f"add {graphs}")
    return found[0]


def _subject(entry: Entry) -> str:
    text = clipped(entry.after_text or entry.before_text or "(erased)", _SUBJECT_CHARS)
    changed = entry.before_status and entry.after_status and entry.after_status != entry.before_status
    notes = [f"now {entry.after_status}" if changed else "", entry.reason, "taken back" if entry.undone_by else ""]
    return " · ".join(part for part in (text, *notes) if part)


def _before_and_after(entry: Entry) -> list[tuple[str, str]]:
    """Return what an undo changed; its own entry goes from what was wrong to what holds again."""
    status = f"{entry.before_status} → {entry.after_status}" if entry.before_status != entry.after_status else ""
    was = clipped(entry.before_text or "", 300) if entry.before_text != entry.after_text else ""
    return [
        ("status", status),
        ("was", was),
        ("now", clipped(entry.after_text or "", 300)),
        ("where", graph_name(entry.graph)),
        ("number", f"#{entry.seq}"),
    ]


COMMANDS: Final = {"log": log, "undo": undo}

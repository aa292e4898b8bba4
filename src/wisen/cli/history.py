"""Commands on the journal: log and undo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import click

from wisen.cli.answers import Change, Entry, Journal, Repo, read
from wisen.cli.app import App
from wisen.cli.memories import repo_of
from wisen.cli.options import Scope, as_json, graph_scoped, whole_number, yes
from wisen.cli.screen import Column, clipped
from wisen.cli.words import age, ago, change_ref, graph_name, place, reason_of, with_refs
from wisen.errors import Conflict, NotFound, Refused, UsageError

# How far back an undo looks for its entry.
_UNDO_ENTRIES: Final = 10_000
# Short enough that the reason still fits into the same cell.
_SUBJECT_CHARS: Final = 60
# A memory may be long; what is more than this tells nobody better which one it is.
_WHOLE_CHARS: Final = 300
_REF: Final = re.compile(r"#?([ruye]?)([0-9]+)", re.IGNORECASE)
# One command that changes several memories leaves an entry for each, within moments of one another.
_SAME_COMMAND: Final = timedelta(seconds=2)


@click.command("log")
@click.option("--limit", type=whole_number, default=20, show_default=True, metavar="N", help="At most so many.")
@graph_scoped
@as_json
@click.pass_obj
def log(app: App, *, limit: int, scope: Scope, as_json: bool) -> None:
    """List the changes of the memories here.

    The newest come first. `wisen undo` takes a change back by its name: r12 is one of this repository's memories,
    y3 one of yours, u5 one of the upstream's, which only its own repository takes back, e2 one of this clone's from
    before it was trusted or had its remote.
    """
    answer = app.get("/v1/journal", {**scope.all, "limit": limit})
    if as_json:
        app.screen.json(answer)
        return
    entries = read(answer, Journal).entries
    if not entries:
        app.screen.line("No memory was ever changed here.")
        return
    repo = repo_of(app, scope)
    columns = [
        Column(name="ref"),
        Column(name="age", numeric=True),
        Column(name="who", spare=2),
        Column(name="did", spare=1),
        Column(name="id"),
        Column(name="what", flexible=True, max_lines=2),
        Column(name="where", spare=3),
    ]
    now = app.now()
    rows = [
        [change_ref(e, repo), age(e.at, now), e.actor, e.action, e.short, _subject(e, repo), place(e.graph, repo)]
        for e in entries
    ]
    app.screen.table(columns, rows)


@click.command("undo")
@click.argument("ref", required=False, default="", metavar="[REF]")
@yes
@graph_scoped
@as_json
@click.pass_obj
def undo(app: App, *, ref: str, yes: bool, scope: Scope, as_json: bool) -> None:
    """Take back a change.

    REF is the change's name in `wisen log`, such as r12 or y3; the number alone will do where only one has it. Without
    it, your own latest change here is shown and taken back if you say yes. What was erased with --purge can't come
    back.
    """
    entries = read(app.get("/v1/journal", {**scope.all, "limit": _UNDO_ENTRIES}), Journal).entries
    repo = repo_of(app, scope)
    ours = [entry for entry in entries if scope.graph or place(entry.graph, repo) != "upstream"]
    if ref:
        entry = _named(entries, ref, repo)
    else:
        entry = _latest_of_user(ours, repo)
        if not yes:
            _confirm(app, entry, repo)
    if entry not in ours:
        raise Refused(
            f"{change_ref(entry, repo)} is a change of the upstream's memories, which are only read here",
            hint=f"`wisen undo r{entry.seq}` in {graph_name(entry.graph)} takes it back",
        )
    try:
        answer = app.post("/v1/undo", {**scope.place, "seq": entry.seq, "graph": entry.graph})
    except Conflict as error:
        said, hint = (with_refs(text, entry, repo) for text in (error.message, error.hint))
        raise Conflict(said, hint=hint) from error
    if as_json:
        app.screen.json(answer)
        return
    app.screen.line(f"Took back {_sentence(entry, repo)}.")
    if undone := read(answer, Change).entry:
        app.screen.fields(_before_and_after(undone, repo))
    _say_what_came_with_it(app, entry, ours, repo)


def _latest_of_user(entries: Sequence[Entry], repo: Repo) -> Entry:
    """Return the user's latest change that stands; never one further back in place of one that can't be taken back."""
    mine = [e for e in entries if e.actor == "user" and not e.undone_by and e.action != "revert"]
    if not mine:
        raise NotFound("there is no change of yours here to take back", hint="`wisen log` lists all changes; name one")
    latest, *earlier = mine
    if not _is_erased(latest):
        return latest
    before = next((entry for entry in earlier if not _is_erased(entry)), None)
    raise Conflict(
        f"your latest change can't be taken back: {_sentence(latest, repo)} erased the text",
        hint=f"the one before it: `wisen undo {change_ref(before, repo)}` takes back {_sentence(before, repo)}"
        if before
        else "",
    )


def _named(entries: Sequence[Entry], ref: str, repo: Repo) -> Entry:
    """Return the entry that a reference names; each graph counts its own changes, so a number may mean several."""
    parts = _REF.fullmatch(ref.strip())
    if not parts:
        raise UsageError(f"{ref!r} is no name of a change", hint="`wisen log` shows them: r12, y3")
    letter, seq = parts[1].lower(), int(parts[2])
    found = [e for e in entries if e.seq == seq and (not letter or change_ref(e, repo) == f"{letter}{seq}")]
    if not found:
        raise NotFound(f"there is no change {letter}{seq} here", hint="`wisen log` lists them")
    if len(found) > 1:
        names = " or ".join(change_ref(entry, repo) for entry in found)
        raise Conflict(f"{seq} names {len(found)} changes", hint=f"which one: {names}?")
    return found[0]


def _confirm(app: App, entry: Entry, repo: Repo) -> None:
    app.screen.line(f"Your latest change here is {_sentence(entry, repo)}, made {ago(entry.at, app.now())}:")
    app.screen.line(_subject(entry, repo, max_chars=_WHOLE_CHARS), indent=2)
    app.screen.confirm("Take it back?", what="without a name, your latest change is meant")


def _sentence(entry: Entry, repo: Repo) -> str:
    """Return a change by its name: `r12 (edit of 3f2a91bc, github.com/acme/widgets)`."""
    did = f"{entry.short} now {entry.after_status}" if entry.action == "status" else f"{entry.action} of {entry.short}"
    return f"{change_ref(entry, repo)} ({did}, {graph_name(entry.graph)})"


def _is_erased(entry: Entry) -> bool:
    return entry.before_text is None and entry.after_text is None


def _subject(entry: Entry, repo: Repo, *, max_chars: int = _SUBJECT_CHARS) -> str:
    text = clipped(entry.after_text or entry.before_text or "(erased)", max_chars)
    changed = entry.before_status and entry.after_status and entry.after_status != entry.before_status
    # What no longer holds is said first: the end of a cell may be cut.
    parts = ["taken back" if entry.undone_by else "", text, f"now {entry.after_status}" if changed else ""]
    return " · ".join(part for part in (*parts, reason_of(entry, repo)) if part)


def _before_and_after(entry: Entry, repo: Repo) -> list[tuple[str, str]]:
    """Return what an undo changed; its own entry goes from what was wrong to what holds again."""
    status = f"{entry.before_status} → {entry.after_status}" if entry.before_status != entry.after_status else ""
    was = clipped(entry.before_text or "", _WHOLE_CHARS) if entry.before_text != entry.after_text else ""
    return [
        ("status", status),
        ("was", was),
        ("now", clipped(entry.after_text or "", _WHOLE_CHARS)),
        ("logged as", change_ref(entry, repo)),
    ]


def _say_what_came_with_it(app: App, entry: Entry, entries: Sequence[Entry], repo: Repo) -> None:
    """Say which changes the same command made: they stand, and nobody should believe that they went too."""
    company = [
        other
        for other in entries
        if other is not entry and not other.undone_by and not _is_erased(other) and _is_like(entry, other)
    ]
    if not company:
        return
    names = ", ".join(change_ref(other, repo) for other in company)
    others = "1 more change was" if len(company) == 1 else f"{len(company)} more changes were"
    app.screen.line(f"{others} made with it and stand{'s' if len(company) == 1 else ''}: {names}.")


def _is_like(entry: Entry, other: Entry) -> bool:
    if entry.at is None or other.at is None or abs(entry.at - other.at) > _SAME_COMMAND:
        return False
    return all(getattr(entry, name) == getattr(other, name) for name in ("actor", "action", "reason", "after_status"))


COMMANDS: Final = {"log": log, "undo": undo}

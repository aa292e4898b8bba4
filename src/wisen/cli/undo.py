"""The undo command: takes back one change, or all of a batch that can be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.answers import Change, Entry, Journal, Repo, Step, Undone, read
from wisen.cli.app import App
from wisen.cli.memories import repo_of
from wisen.cli.options import Scope, as_json, asked, graph_scoped, yes
from wisen.cli.screen import clipped
from wisen.cli.words import (
    SUBJECT_CHARS,
    ago,
    change_ref,
    graph_name,
    is_erased,
    many,
    place,
    subject_of,
    with_refs,
)
from wisen.core.plain import status_in_words
from wisen.core.shortids import short
from wisen.errors import Conflict, NotFound, Refused, UsageError

# How far back an undo looks for its entry.
_UNDO_ENTRIES: Final = 10_000
# A memory may be long; what is more than this tells nobody better which one it is.
_WHOLE_CHARS: Final = 300
# How many changes of a batch are shown before the question; `wisen log --batch` shows all.
_SHOWN: Final = 10
_REF: Final = re.compile(r"#?([ruye]?)([0-9]+)", re.IGNORECASE)


@click.command("undo")
@click.argument("ref", required=False, default="", metavar="[REF]")
@click.option("--batch", metavar="ID", shell_complete=complete.batches, help="All that was changed in one batch.")
@yes
@graph_scoped
@as_json
@click.pass_obj
def undo(app: App, *, ref: str, batch: str | None, yes: bool, scope: Scope, as_json: bool) -> None:
    """Take back a change, or a whole batch.

    REF is the change's name in `wisen log`, such as r12 or y3; the number alone will do where only one has it. A batch
    is what one command, promotion or sweep changed together; what of it can't be taken back is named, with the reason.
    Without either, your own latest change here is shown and taken back if you say yes. An undo can be undone the same
    way. What was erased with --purge can't come back.
    """
    if batch is not None and not batch.strip():
        raise UsageError("the id of the batch is empty", hint="`wisen log` shows them, each above its changes")
    if ref and batch:
        raise UsageError("say either which change or which batch", hint="wisen undo r12, or wisen undo --batch ID")
    if batch:
        _undo_batch(app, batch, scope, as_json=as_json)
        return
    entries = read(app.get("/v1/journal", {**scope.all, "limit": _UNDO_ENTRIES}), Journal).entries
    repo = repo_of(app, scope)
    ours = [entry for entry in entries if scope.graph or place(entry.graph, repo) != "upstream"]
    if ref:
        _undo_one(app, _named(entries, ref, repo), ours, repo, scope, as_json=as_json)
        return
    latest = _latest_of_user(ours, repo)
    together = [e for e in ours if latest.batch and e.batch == latest.batch and not e.undone_by]
    if not yes:
        _confirm(app, latest, together, repo, as_json=as_json)
    if len(together) > 1:
        _undo_batch(app, latest.batch, scope, as_json=as_json)
    else:
        _undo_one(app, latest, ours, repo, scope, as_json=as_json)


# --- one change -------------------------------------------------------------------------------------------------


def _undo_one(app: App, entry: Entry, ours: Sequence[Entry], repo: Repo, scope: Scope, *, as_json: bool) -> None:
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
    if not is_erased(latest):
        return latest
    before = next((entry for entry in earlier if not is_erased(entry)), None)
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
        raise UsageError(
            f"{ref!r} is no name of a change", hint="`wisen log` shows them: r12, y3; a batch is named with --batch"
        )
    letter, seq = parts[1].lower(), int(parts[2])
    found = [e for e in entries if e.seq == seq and (not letter or change_ref(e, repo) == f"{letter}{seq}")]
    if not found:
        raise NotFound(f"there is no change {letter}{seq} here", hint="`wisen log` lists them")
    if len(found) > 1:
        names = " or ".join(change_ref(entry, repo) for entry in found)
        raise Conflict(f"{seq} names {len(found)} changes", hint=f"which one: {names}?")
    return found[0]


def _confirm(app: App, latest: Entry, together: Sequence[Entry], repo: Repo, *, as_json: bool) -> None:
    what = "without a name, your latest change is meant"
    asked(app, what, as_json=as_json)
    made = f"made {ago(latest.at, app.now())}:"
    if len(together) > 1:
        app.screen.line(
            f"Your latest change here is batch {short(latest.batch)} ({many(len(together), 'change')}), {made}"
        )
    else:
        app.screen.line(f"Your latest change here is {_sentence(latest, repo)}, {made}")
    chars = _WHOLE_CHARS if len(together) <= 1 else SUBJECT_CHARS
    shown = together if len(together) > 1 else [latest]
    for entry in shown[:_SHOWN]:
        app.screen.line(subject_of(entry, repo, app.now(), max_chars=chars), indent=2)
    if len(shown) > _SHOWN:
        app.screen.line(f"and {len(shown) - _SHOWN} more: `wisen log --batch {short(latest.batch)}`", indent=2)
    app.screen.confirm("Take them all back?" if len(together) > 1 else "Take it back?", what=what)


def _sentence(entry: Entry, repo: Repo) -> str:
    """Return a change by its name: `r12 (edit of 3f2a91bc, github.com/acme/widgets)`."""
    did = (
        f"{entry.short} now {status_in_words(entry.after_status or 'gone')}"
        if entry.action == "status"
        else f"{entry.action} of {entry.short}"
    )
    return f"{change_ref(entry, repo)} ({did}, {graph_name(entry.graph)})"


def _before_and_after(entry: Entry, repo: Repo) -> list[tuple[str, str]]:
    """Return what an undo changed; its own entry goes from what was wrong to what holds again."""
    status = _from_to(entry)
    was = clipped(entry.before_text or "", _WHOLE_CHARS) if entry.before_text != entry.after_text else ""
    return [
        ("status", status),
        ("was", was),
        ("now", clipped(entry.after_text or "", _WHOLE_CHARS)),
        ("logged as", change_ref(entry, repo)),
    ]


def _from_to(entry: Entry) -> str:
    """Return how a memory stood before and after a change, '' where it stands as before."""
    if entry.before_status == entry.after_status:
        return ""
    return " → ".join(status_in_words(status or "gone") for status in (entry.before_status, entry.after_status))


def _say_what_came_with_it(app: App, entry: Entry, entries: Sequence[Entry], repo: Repo) -> None:
    """Say which changes were made together with one: they stand, and nobody should believe that they went too."""
    company = [
        other
        for other in entries
        if entry.batch
        and other.batch == entry.batch
        and other is not entry
        and not (other.undone_by or is_erased(other))
    ]
    if not company:
        return
    names = ", ".join(change_ref(other, repo) for other in company[:_SHOWN])
    names += f" and {len(company) - _SHOWN} more" if len(company) > _SHOWN else ""
    others = "1 more change was" if len(company) == 1 else f"{len(company)} more changes were"
    app.screen.line(
        f"{others} made with it and stand{'s' if len(company) == 1 else ''}: {names}. "
        f"`wisen undo --batch {short(entry.batch)}` takes all of them back."
    )


# --- a batch ----------------------------------------------------------------------------------------------------


def _undo_batch(app: App, batch: str, scope: Scope, *, as_json: bool) -> None:
    """Take a batch back and say what of it stands; leaves with the code of a conflict where something or all does."""
    answer = app.post("/v1/undo", {**scope.all, "batch": batch})
    undone = read(answer, Undone)
    standing = [step for step in undone.steps if not step.undo and not step.entry.undone_by]
    if as_json:
        app.screen.json(answer)
    else:
        _print_undone(app, undone, standing, repo_of(app, scope))
    if standing or not undone.undo:
        raise click.exceptions.Exit(Conflict.exit_code)


def _print_undone(app: App, undone: Undone, standing: Sequence[Step], repo: Repo) -> None:
    gone = [(step, step.undo) for step in undone.steps if step.undo]
    app.screen.line(_what_went(undone, len(gone)))
    for step, undo in gone[:_SHOWN]:
        app.screen.line(_result(step, undo, repo), indent=2)
    if len(gone) > _SHOWN:
        app.screen.line(f"and {len(gone) - _SHOWN} more: `wisen log --batch {short(undone.undo)}`", indent=2)
    if earlier := sum(bool(step.entry.undone_by) for step in undone.steps):
        app.screen.line(f"{many(earlier, 'change')} of it had been taken back before.", tone="faint")
    if standing:
        app.screen.line("This stands:" if len(standing) == 1 else "These stand:", tone="bad")
    for step in standing:
        name, said = change_ref(step.entry, repo), with_refs(step.problem, step.entry, repo)
        app.screen.line(said if said.startswith(f"{name} ") else f"{name}  {said}", indent=2)
        if step.hint:
            app.screen.line(with_refs(step.hint, step.entry, repo), tone="faint", indent=6)
    if undone.undo:
        app.screen.line(f"`wisen undo --batch {short(undone.undo)}` takes this undo back.", tone="faint")


def _what_went(undone: Undone, gone: int) -> str:
    name, all_ = f"batch {short(undone.batch)}", len(undone.steps)
    if not gone:
        return f"Nothing of {name} was taken back."
    return (
        f"Took back {name}: {many(gone, 'change')}."
        if gone == all_
        else f"Took back {gone} of {all_} changes of {name}."
    )


def _result(step: Step, undo: Entry, repo: Repo) -> str:
    """Return in a line what one change of a batch was and what holds again."""
    status = _from_to(undo)
    did = status or f"{step.entry.action} taken back"
    return f"{change_ref(step.entry, repo)}  {undo.short}  {did} · {clipped(undo.after_text or '', SUBJECT_CHARS)}"


COMMANDS: Final = {"undo": undo}

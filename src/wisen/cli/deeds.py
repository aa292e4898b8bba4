"""Commands on how memories stand: forget, pin, unpin, snooze, unsnooze, restore. Each takes several at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.agents import refuse_agent, way_back
from wisen.cli.answers import Change, Deeds, Done, Memory, read
from wisen.cli.app import App, JsonObject, segment
from wisen.cli.memories import found_memories, repo_of
from wisen.cli.moments import DEFAULT_SPAN, moment_meant
from wisen.cli.options import Scope, as_json, asked, graph_scoped, yes
from wisen.cli.screen import one_line
from wisen.cli.words import many, stamp, undo_of
from wisen.core.shortids import short
from wisen.errors import NotFound, Refused, StoreDamaged

_LIVING: Final = complete.memories("active,pending_review")
_ACTIVE: Final = complete.memories("active")
_PUT_AWAY: Final = complete.memories("forgotten,superseded,archived")


def _ids(completer: complete.Completer) -> Callable[..., Callable[..., None]]:
    return click.argument("refs", nargs=-1, required=True, metavar="ID...", shell_complete=completer)


@click.command("forget")
@_ids(_LIVING)
@click.option("--purge", is_flag=True, help="Erase the text everywhere, history included. Can't be undone.")
@click.option("--reason", default="", help="Why, for the history.")
@yes
@graph_scoped
@as_json
@click.pass_obj
def forget(
    app: App, *, refs: tuple[str, ...], purge: bool, reason: str, yes: bool, scope: Scope, as_json: bool
) -> None:
    """Forget memories.

    They are no longer recalled. `wisen restore` or `wisen undo` brings them back, and so do you when you say the same
    again; nobody else's word does. With --purge nothing can: files that still hold the text, such as backups, are named
    then, and what was said before is not learned again.
    """
    if purge:
        refuse_agent(app, "erase a memory for good")
        _purge(app, refs, scope, yes=yes, as_json=as_json)
    else:
        do(app, refs, scope, "forget", as_json=as_json, reason=reason)


@click.command("pin")
@_ids(_LIVING)
@graph_scoped
@as_json
@click.pass_obj
def pin(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Recall memories before all others."""
    do(app, refs, scope, "pin", as_json=as_json)


@click.command("unpin")
@_ids(_LIVING)
@graph_scoped
@as_json
@click.pass_obj
def unpin(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Recall memories as any other again."""
    do(app, refs, scope, "unpin", as_json=as_json)


@click.command("snooze")
@_ids(_ACTIVE)
@click.option("--for", "span", metavar="SPAN", help=f"How long: 90min, 12h, 7d, 2w.  [default: {DEFAULT_SPAN}]")
@click.option("--until", metavar="TIME", help="Until when instead: 09:00, 2030-01-31, or both.")
@graph_scoped
@as_json
@click.pass_obj
def snooze(
    app: App, *, refs: tuple[str, ...], span: str | None, until: str | None, scope: Scope, as_json: bool
) -> None:
    """Don't recall memories for a while.

    They come back by themselves. Times are in your time zone; a day means its first moment, a time of day the next time
    that it is so late. `wisen list` shows what is snoozed, and until when.
    """
    moment = moment_meant(span, until, app.now())
    do(app, refs, scope, "snooze", as_json=as_json, until=moment.isoformat())


@click.command("unsnooze")
@_ids(_ACTIVE)
@graph_scoped
@as_json
@click.pass_obj
def unsnooze(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Recall snoozed memories again."""
    do(app, refs, scope, "wake", as_json=as_json)


@click.command("restore")
@_ids(_PUT_AWAY)
@graph_scoped
@as_json
@click.pass_obj
def restore(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Bring back what was put away.

    That is what was forgotten, replaced, archived or rejected in a review. What you never said or accepted yourself
    waits for your review again. What was erased with --purge is gone. `wisen list --view inactive` shows what there is
    to restore.
    """
    do(app, refs, scope, "restore", as_json=as_json)


def do(app: App, refs: Sequence[str], scope: Scope, verb: str, *, as_json: bool, **fields: object) -> None:
    """Do one thing to memories, all of them or none, and say what became of each and how to take it back."""
    for ref in refs:
        segment(ref)  # raises for what can be no id
    texts = {} if as_json else _texts(app, refs, scope)
    answer = app.post("/v1/deeds", {**scope.all, "do": verb, "refs": [ref.strip() for ref in refs], **fields})
    if as_json:
        app.screen.json(answer)
        return
    deeds = read(answer, Deeds)
    for done in deeds.done:
        _say(app, verb, done, texts.get(done.memory_id, ""))
    _say_the_way_back(app, deeds, scope)


def _texts(app: App, refs: Sequence[str], scope: Scope) -> Mapping[str, str]:
    """Return what the memories say, for a person at a terminal.

    Nothing is even asked for where an agent may read along: it must be able to put a poisonous memory away unread.
    """
    if app.is_run_by_agent or not app.screen.terminal:
        return {}
    return {memory.id: memory.text for memory in found_memories(app, refs, scope)}


_DONE: Final = {
    "forget": "Forgotten",
    "pin": "Pinned",
    "unpin": "Unpinned",
    "snooze": "Snoozed",
    "wake": "Woken",
    "restore": "Restored",
    "accept": "Accepted",
    "reject": "Rejected",
}
_SO_ALREADY: Final = {
    "pin": "is pinned already",
    "unpin": "is not pinned",
    "snooze": "is snoozed until then already",
    "wake": "is not snoozed",
    "restore": "is active already",
}


def _say(app: App, verb: str, done: Done, text: str) -> None:
    if done.entry is None:
        app.screen.line(f"{done.short} {_SO_ALREADY.get(verb, 'is like that already')}.")
        return
    said = f": {one_line(text)}" if text else ""
    app.screen.line(f"{_DONE[verb]} {done.short}{said}")
    until = stamp(done.snoozed_until, app.now()) if done.snoozed_until and done.snoozed_until > app.now() else ""
    waits = verb == "restore" and done.status == "pending_review"
    app.screen.fields(
        [
            ("until", until if verb == "snooze" else ""),
            ("status", f"waits for review: `wisen review accept {done.short}`" if waits else ""),
            ("still", f"snoozed until {until}" if until and verb in {"restore", "accept", "pin"} else ""),
        ]
    )


def _say_the_way_back(app: App, deeds: Deeds, scope: Scope) -> None:
    entries = [done.entry for done in deeds.done if done.entry]
    if deeds.batch:
        app.screen.line(way_back(app, f"`wisen undo --batch {short(deeds.batch)}`", "it all"), tone="faint")
    elif entries:
        app.screen.line(way_back(app, undo_of(entries[0], repo_of(app, scope))), tone="faint")


# --- erasing ----------------------------------------------------------------------------------------------------


def _purge(app: App, refs: Sequence[str], scope: Scope, *, yes: bool, as_json: bool) -> None:
    found, unreadable = _erasable(app, refs, scope)
    if not yes:
        _confirm_purge(app, found, unreadable, as_json=as_json)
    done: list[JsonObject] = []
    for ref in unreadable:  # first: a wrong reference is among them, and changes nothing
        done.append(app.post(f"/v1/memories/{segment(ref)}/forget", {**scope.all, "purge": True}))
        if not as_json:
            app.screen.line(f"Erased {ref}.")
    for memory in found:
        body = {**scope.place, "graph": memory.graph, "purge": True}
        done.append(app.post(f"/v1/memories/{segment(memory.id)}/forget", body))
        if not as_json:
            app.screen.line(f"Erased {memory.short}.")
    if as_json:
        app.screen.json(done)
    else:
        say_what_is_left(app, [path for answer in done for path in read(answer, Change).still_in])


def _erasable(app: App, refs: Sequence[str], scope: Scope) -> tuple[list[Memory], list[str]]:
    """Return the memories that references name, and the references to what can't be read.

    That may be a damaged memory, one erased but for its old bytes, or nothing at all: the daemon knows.
    """
    found: dict[str, Memory] = {}
    unreadable: dict[str, None] = {}
    for ref in refs:
        try:
            found |= {memory.id: memory for memory in found_memories(app, [ref], scope)}
        except (NotFound, Refused, StoreDamaged):  # refused: of an excluded directory, and still the user's to erase
            unreadable[ref] = None
    return list(found.values()), list(unreadable)


def _confirm_purge(app: App, found: Sequence[Memory], unreadable: Sequence[str], *, as_json: bool) -> None:
    what = "--purge can't be undone"
    asked(app, what, as_json=as_json)
    for memory in found:
        app.screen.line(f"{memory.short}  {one_line(memory.text)}")
    for ref in unreadable:
        app.screen.line(f"{ref}  (can't be read)", tone="faint")
    question = f"Erase {many(len(found) + len(unreadable), 'memory', 'memories')} for good?"
    app.screen.confirm(question, what=what)


def say_what_is_left(app: App, paths: Sequence[str]) -> None:
    """Say where what was erased is still held: a file is the user's, and goes only by their own hand."""
    if not paths:
        return
    app.screen.line("The text is still in:")
    for path in dict.fromkeys(paths):
        app.screen.line(path, indent=2)
    app.screen.line(
        "These are files of yours, such as a backup, an export or a database set aside. wisen leaves them as "
        "they are: delete what you can do without (rm -r). Copies elsewhere are not known to wisen.",
        tone="faint",
    )


COMMANDS: Final = {
    "forget": forget,
    "pin": pin,
    "unpin": unpin,
    "snooze": snooze,
    "unsnooze": unsnooze,
    "restore": restore,
}

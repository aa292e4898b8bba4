"""Commands on memories: list, show, remember."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.agents import way_back
from wisen.cli.answers import Entry, Evidence, Listing, Memory, OneMemory, Repo, read
from wisen.cli.app import App, segment
from wisen.cli.off import no_recall, warned
from wisen.cli.options import Scope, as_json, graph_scoped, scoped, whole_number
from wisen.cli.screen import Column, one_line
from wisen.cli.words import (
    EXCLUDED,
    STANDINGS,
    UNSEEN,
    age,
    came_from,
    change_ref,
    changed_in_words,
    graph_name,
    many,
    near_names,
    place,
    reason_of,
    snoozed_until,
    source_name,
    stamp,
    standing_of,
    undo_of,
)
from wisen.core.goals import said_before
from wisen.core.plain import status_in_words
from wisen.core.repetition import REPEATED
from wisen.errors import UsageError

_VIEWS: Final = ("active", "inactive", "all")
_STATUS_CHOICES: Final = ("active", "pending_review", "superseded", "forgotten", "archived", "all")


@click.command("list")
@click.option("--all", "every", is_flag=True, help="Of every status: also what waits, was replaced or forgotten.")
@click.option(
    "--view",
    type=click.Choice(_VIEWS),
    help="What is active (the default), what is not, or both; the same as --all.",
)
@click.option("--status", type=click.Choice(_STATUS_CHOICES), help="Of one status.")
@click.option("--limit", type=whole_number, default=200, show_default=True, metavar="N", help="At most so many.")
@graph_scoped
@as_json
@click.pass_obj
def list_(
    app: App, *, every: bool, view: str | None, status: str | None, limit: int, scope: Scope, as_json: bool
) -> None:
    """List what is remembered here.

    In a repository: its memories, those of its upstream, and your personal ones. A snoozed one is active, and shows
    until when it is not recalled. An agent is not shown the text of what is not active.
    """
    shown = _shown(every=every, view=view, status=status)
    stands = warned(app, scope)
    which = {"view": shown} if shown in _VIEWS else {"status": shown}
    answer = app.get("/v1/memories", {**scope.all, **which, "limit": limit, **near_asked(app)})
    if as_json:
        app.screen.json(answer)
        return
    listing = read(answer, Listing)
    for problem in listing.unread:
        app.screen.warn(f"not read: {problem}")
    if listing.memories:
        is_mixed = shown in {"all", "inactive"}
        _print_by_status(app, listing) if is_mixed else print_memories(app, listing.memories, listing.repo)
    if len(listing.memories) == limit:
        app.screen.aside(f"Only the first {limit:,}; --limit shows more.")
    waiting = _count_waiting(app, scope) if shown == "active" else 0
    if waiting:
        wait = "memory waits" if waiting == 1 else "memories wait"
        app.screen.aside(f"{waiting:,} {wait} for your word: `wisen review`.")
    elif not listing.memories:
        repo = Repo() if scope.graph else listing.repo  # of a graph that is named, the directory says nothing
        _say_empty(app, repo, shown, is_excluded=stands.repo.excluded and not scope.graph)
        if near := near_names(listing.near):
            app.screen.line(near)


def _shown(*, every: bool, view: str | None, status: str | None) -> str:
    """Return the one view or status that was asked for. Raises UsageError for two of them."""
    named = [name for name in ("all" if every else None, view, status) if name]
    if len(set(named)) > 1:
        raise UsageError("--all, --view and --status are one choice", hint="wisen list --view inactive")
    return named[0] if named else "active"


def near_asked(app: App) -> dict[str, str]:
    """Return the field that asks for graphs with nearly the same name: a person's to know, not an agent's."""
    return {} if app.is_run_by_agent else {"near": "1"}


@click.command("show")
@click.argument("ref", shell_complete=complete.memories("all"))
@graph_scoped
@as_json
@click.pass_obj
def show(app: App, *, ref: str, scope: Scope, as_json: bool) -> None:
    """Show a memory with its evidence and history.

    REF is an id as `wisen list` shows it, or the beginning of one.
    """
    answer = app.get(f"/v1/memories/{segment(ref)}", scope.all)
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, OneMemory)
    _print_memory(app, found.memory)
    _print_evidence(app, found.memory.evidence)
    if found.journal:
        repo = repo_of(app, scope)
        app.screen.line("\nHistory", tone="strong")
        for entry in found.journal:
            _print_entry(app, entry, repo)


@click.command("remember")
@click.argument("words", nargs=-1, metavar="TEXT...")
@click.option("--everywhere", "-e", is_flag=True, help="For you in all repositories, not only here.")
@click.option("--title", default="", help="A short name; for steps, what they achieve.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given more than once.")
@click.option("--steps", is_flag=True, help="The text is a procedure: steps, one a line.")
@scoped
@as_json
@click.pass_obj
def remember(
    app: App,
    *,
    words: tuple[str, ...],
    everywhere: bool,
    title: str,
    tags: tuple[str, ...],
    steps: bool,
    scope: Scope,
    as_json: bool,
) -> None:
    """Remember something.

    TEXT needs no quotes unless the shell would change it; `-` reads it from standard input. In an agent's shell it is
    the agent that asks: the memory waits for your review.
    """
    app = replace(app, begins=True)
    text = (sys.stdin.read() if words == ("-",) else " ".join(words)).strip()
    if not text:
        raise UsageError("there is nothing to remember", hint="wisen remember We use pnpm here, not npm.")
    body = {
        **scope.place,
        "text": text,
        "kind": "procedural" if steps else "semantic",
        "title": title,
        "tags": list(tags),
        "everywhere": everywhere,
    }
    stands = warned(app, scope)
    answer = app.post("/v1/memories", body)
    if as_json:
        app.screen.json(answer)
        return
    added = read(answer, OneMemory)
    memory = added.memory
    app.screen.line(f"{_verb(added)} {memory.short}: {one_line(memory.text) or UNSEEN}")
    waits = "waits for review: `wisen review`" if memory.status == "pending_review" else ""
    app.screen.fields([("where", graph_name(memory.graph)), ("status", waits)])
    if added.entry:
        app.screen.line(way_back(app, undo_of(added.entry, repo_of(app, scope))), tone="faint")
    if not stands.settings_refused and (note := no_recall(stands)):
        app.screen.line(note, tone="faint")


def _verb(added: OneMemory) -> str:
    if not added.new:
        action = added.entry.action if added.entry else ""
        return {"status": "Active again:", "wake": "Woken:"}.get(action, "Known already:")
    return "Held for your review:" if added.memory.status == "pending_review" else "Remembered"


def found_memories(app: App, refs: Sequence[str], scope: Scope) -> list[Memory]:
    """Return the memories that references name, all of them or none: one wrong reference changes nothing."""
    answers = [app.get(f"/v1/memories/{segment(ref)}", scope.all) for ref in refs]
    found = {memory.id: memory for memory in (read(answer, OneMemory).memory for answer in answers)}
    return list(found.values())


def repo_of(app: App, scope: Scope) -> Repo:
    """Return which graphs the directory writes and reads."""
    return read(app.get("/v1/repo", scope.place), Repo)


def print_memories(app: App, memories: Sequence[Memory], repo: Repo, *, with_status: bool = False) -> None:
    """Print memories as a table."""
    columns = [
        Column(name="id"),
        Column(name="text", flexible=True, max_lines=2),
        Column(name="source", spare=2),
        Column(name="conf", numeric=True, spare=4),
        Column(name="seen", numeric=True, spare=5),
        Column(name="age", numeric=True, spare=3),
        Column(name="where", spare=1),
    ]
    now = app.now()
    rows = [
        [m.short, _headline(m, now), source_name(m), f"{m.confidence:.2f}", str(m.support), age(m.created_at, now)]
        + [place(m.graph, repo)]
        + ([status_in_words(m.status)] if with_status else [])
        for m in memories
    ]
    app.screen.table([*columns, Column(name="status")] if with_status else columns, rows)


def _print_by_status(app: App, listing: Listing) -> None:
    """Print memories of all statuses: on a terminal a table of each, so that a column does not repeat one word."""
    if not app.screen.terminal:
        print_memories(app, listing.memories, listing.repo, with_status=True)
        return
    there = {memory.status for memory in listing.memories}
    known = [status for status in _STATUS_CHOICES if status in there]
    for position, status in enumerate([*known, *sorted(there.difference(known))]):
        if position:
            app.screen.line()
        app.screen.line(status_in_words(status), tone="strong")
        print_memories(app, [memory for memory in listing.memories if memory.status == status], listing.repo)


def _count_waiting(app: App, scope: Scope) -> int:
    return len(read(app.get("/v1/review", scope.all), Listing).memories)


def _print_entry(app: App, entry: Entry, repo: Repo) -> None:
    """Print one change: its name, time, who, what, why, and the old text when it was another."""
    what = f"{change_ref(entry, repo)}  {stamp(entry.at, app.now())} {entry.actor} {entry.action}"
    change = ""
    if entry.before_status not in {None, entry.after_status}:
        stood, stands = (status_in_words(status or "gone") for status in (entry.before_status, entry.after_status))
        change = f" ({stood} → {stands})"
    elif changed := changed_in_words(entry):
        change = f" ({changed})"
    taken_back = f", taken back by {change_ref(entry, repo, seq=entry.undone_by)}" if entry.undone_by else ""
    reason = reason_of(entry, repo, app.now())
    app.screen.line(f"{what}{change}{': ' + reason if reason else ''}{taken_back}", indent=2)
    if entry.before_text and entry.before_text != entry.after_text:
        app.screen.line(f"was: {one_line(entry.before_text)}", tone="faint", indent=6)


def _headline(memory: Memory, now: datetime) -> str:
    title = said_before(memory.title, memory.text) if memory.kind == "procedural" else ""
    until = snoozed_until(memory, now)
    asleep = f"[snoozed until {until.removesuffix(' 00:00')}] " if until else ""
    again = "[said again] " if REPEATED in memory.tags else ""
    return f"{'[pin] ' if memory.pinned else ''}{again}{asleep}{title}{memory.text or UNSEEN}"


def _print_memory(app: App, memory: Memory) -> None:
    now = app.now()
    if memory.title:
        app.screen.line(memory.title, tone="strong")
    app.screen.line(memory.text or UNSEEN, tone="plain" if memory.title else "strong")
    used = f"{many(memory.uses, 'time')}, last {stamp(memory.last_used_at, now)}" if memory.uses else "not yet"
    app.screen.fields(
        [
            ("id", f"{memory.short} ({memory.id})"),
            ("status", standing_of(memory, now)),
            ("source", came_from(memory)),
            ("where", memory.graph),
            ("visible to", memory.visibility),
            ("why", memory.why),
            ("apply", memory.how_to_apply),
            ("tags", ", ".join(memory.tags)),
            ("branch", memory.branch),
            ("session", memory.session_id),
            ("learned", f"{stamp(memory.created_at, now)}"),
            ("said", stamp(memory.authored_at, now)),
            ("verified", stamp(memory.verified_at, now)),
            ("recalled", used),
            ("replaces", ", ".join(memory.supersedes)),
        ]
    )


def _print_evidence(app: App, evidence: Sequence[Evidence]) -> None:
    if not evidence:
        return
    app.screen.line("\nEvidence", tone="strong")
    for item in evidence:
        app.screen.line(f"“{one_line(item.quote)}”" if item.quote else "(no quote)", indent=2)
        where = [stamp(item.at, app.now()), f"session {item.session_id}" if item.session_id else ""]
        app.screen.line(" · ".join(part for part in where if part), tone="faint", indent=4)


def _say_empty(app: App, repo: Repo, status: str, *, is_excluded: bool) -> None:
    if status == "pending_review":
        app.screen.line("Nothing waits for review.")
        return
    if status not in {"active", "all"}:
        app.screen.line(f"No memory here is {status}." if status in _STATUS_CHOICES else "Every memory here is active.")
        return
    if is_excluded:
        app.screen.line(EXCLUDED)
        return
    app.screen.line("Nothing is remembered here." if status == "all" else "Nothing is remembered here yet.")
    if repo.standing in {"none", "pending", "foreign"}:
        app.screen.line(STANDINGS[repo.standing], tone="faint")
        return
    app.screen.line(
        "wisen learns from rules you state in a session. `wisen remember TEXT` adds one by hand; "
        "`wisen list --all` shows also what waits for review or was forgotten.",
        tone="faint",
    )


COMMANDS: Final = {"list": list_, "show": show, "remember": remember}

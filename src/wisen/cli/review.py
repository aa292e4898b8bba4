"""Commands on what waits for the user's decision: review, review accept, reject and edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.answers import Listing, Memory, OneMemory, read
from wisen.cli.app import App, segment
from wisen.cli.deeds import do
from wisen.cli.edit import new_words
from wisen.cli.memories import found_memories, print_memories, repo_of
from wisen.cli.options import DefaultGroup, Scope, as_json, graph_scoped, scoped
from wisen.cli.screen import one_line
from wisen.cli.words import came_from, graph_name, many
from wisen.errors import UsageError

_CHOICES: Final = ("accept", "reject", "edit", "skip", "quit")
_waiting: Final = complete.memories("pending_review")
_DONE: Final = {"accept": "Accepted", "reject": "Rejected", "edit": "Edited and accepted"}


@click.group("review", cls=DefaultGroup)
def review() -> None:
    """Decide on what waits for you.

    What you did not say yourself waits here, and is recalled only after you accepted it. Without a command: list.
    """


@review.command("list")
@click.option("--all", "every", is_flag=True, help="Of every repository, not only this one.")
@click.option("--walk", is_flag=True, help="Go through them one by one and decide.")
@scoped
@as_json
@click.pass_obj
def list_(app: App, *, every: bool, walk: bool, scope: Scope, as_json: bool) -> None:
    """List what waits."""
    answer = app.get("/v1/review", {**scope.place, "all": "1" if every else ""})
    if as_json:
        app.screen.json(answer)
        return
    waiting = read(answer, Listing)
    if waiting.repeated:
        app.screen.line("Said again although it had been recalled", tone="bad")
        print_memories(app, waiting.repeated, repo_of(app, scope))
        app.screen.aside("`wisen pin REF` shows one first; in CLAUDE.md the agent reads it in every session.")
    if not waiting.memories:
        app.screen.line("Nothing waits for review." + ("" if every else " `wisen review --all` looks everywhere."))
    elif walk:
        _walk(app, waiting.memories, scope)
    else:
        print_memories(app, waiting.memories, repo_of(app, scope))
        app.screen.aside("`wisen review --walk` goes through them; or accept, reject, edit REF.")


@review.command("accept")
@click.argument("refs", nargs=-1, required=True, metavar="REF...", shell_complete=_waiting)
@graph_scoped
@as_json
@click.pass_obj
def accept(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Let memories count from now on."""
    do(app, refs, scope, "accept", as_json=as_json)


@review.command("reject")
@click.argument("refs", nargs=-1, required=True, metavar="REF...", shell_complete=_waiting)
@graph_scoped
@as_json
@click.pass_obj
def reject(app: App, *, refs: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Refuse memories: they are forgotten, and come back only by your own word."""
    do(app, refs, scope, "reject", as_json=as_json)


@review.command("edit")
@click.argument("ref", shell_complete=_waiting)
@click.argument("words", nargs=-1, metavar="[TEXT...]")
@graph_scoped
@as_json
@click.pass_obj
def edit(app: App, *, ref: str, words: tuple[str, ...], scope: Scope, as_json: bool) -> None:
    """Reword a memory and accept it.

    Without TEXT your editor ($VISUAL or $EDITOR) opens; without one you are asked for it.
    """
    memory = found_memories(app, [ref], scope)[0]
    text = " ".join(words).strip() or new_words(app, memory, command="wisen review edit", as_json=as_json)
    if text is None:
        raise click.exceptions.Exit(1)
    answer = _post(app, memory, scope, action="edit", text=text)
    if as_json:
        app.screen.json(answer)
        return
    _say(app, "edit", read(answer, OneMemory).memory)


def _post(app: App, memory: Memory, scope: Scope, *, action: str, text: str | None = None) -> object:
    body = {**scope.place, "action": action, "text": text, "graph": memory.graph}
    return app.post(f"/v1/review/{segment(memory.id)}", body)


def _say(app: App, action: str, memory: Memory) -> None:
    app.screen.line(f"{_DONE[action]} {memory.short}: {one_line(memory.text)}")


def _walk(app: App, memories: Sequence[Memory], scope: Scope) -> None:
    if not app.screen.terminal:
        raise UsageError("--walk needs a terminal", hint="wisen review accept REF..., wisen review reject REF...")
    for number, memory in enumerate(memories, start=1):
        app.screen.line(f"\n{number} of {len(memories)}  {one_line(memory.text)}", tone="strong")
        quotes = "; ".join(f"“{one_line(item.quote)}”" for item in memory.evidence if item.quote)
        app.screen.fields([("source", came_from(memory)), ("where", graph_name(memory.graph)), ("evidence", quotes)])
        question = "  ".join(f"[{word[0]}]{word[1:]}" for word in _CHOICES) + " [s]"
        choice = app.screen.choose(question, _CHOICES, default="skip")
        if choice == "quit":
            left = len(memories) - number + 1
            app.screen.line(f"{many(left, 'memory', 'memories')} still to decide.", tone="faint")
            return
        if choice == "skip":
            continue
        text = new_words(app, memory, command="wisen review edit", as_json=False) if choice == "edit" else None
        if choice == "edit" and text is None:
            continue
        _say(app, choice, read(_post(app, memory, scope, action=choice, text=text), OneMemory).memory)


COMMANDS: Final = {"review": review}

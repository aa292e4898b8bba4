"""The edit command, and how a person gives a memory other words: in their editor, or on the spot."""

from __future__ import annotations

from typing import Final

import click

from wisen.cli import complete
from wisen.cli.answers import Memory, OneMemory, read
from wisen.cli.app import App, segment
from wisen.cli.memories import found_memories, repo_of
from wisen.cli.options import Scope, as_json, graph_scoped
from wisen.cli.screen import one_line
from wisen.cli.words import graph_name, undo_of
from wisen.errors import UsageError


@click.command("edit")
@click.argument("ref", metavar="ID", shell_complete=complete.memories("active,pending_review"))
@click.argument("words", nargs=-1, metavar="[TEXT]...")
@click.option("--title", help="Another title; '' takes it away.")
@click.option("--why", help="Why it holds; '' takes it away.")
@click.option("--how", help="How to apply it; '' takes it away.")
@click.option("--tag", "tags", multiple=True, help="A tag, instead of those it has; may be given again; '' for none.")
@click.option("--pin/--unpin", "pinned", default=None, help="Recall it before all others, or as any other.")
@graph_scoped
@as_json
@click.pass_obj
def edit(
    app: App,
    *,
    ref: str,
    words: tuple[str, ...],
    title: str | None,
    why: str | None,
    how: str | None,
    tags: tuple[str, ...],
    pinned: bool | None,
    scope: Scope,
    as_json: bool,
) -> None:
    """Change a memory's words, reasons, title, tags or pin.

    ID is an id as `wisen list` shows it, or the beginning of one. What is not named stays. With an ID alone your editor
    ($VISUAL or $EDITOR) opens on the text; without one you are asked for it.
    """
    memory = found_memories(app, [ref], scope)[0]
    text = " ".join(words).strip() or None
    if text is None and not tags and all(given is None for given in (title, why, how, pinned)):
        text = new_words(app, memory, command="wisen edit", as_json=as_json)
        if text is None:
            raise click.exceptions.Exit(1)
    body = {
        **scope.place,
        "graph": memory.graph,
        "text": text,
        "title": title,
        "why": why,
        "how_to_apply": how,
        "tags": [tag for tag in tags if tag] if tags else None,
        "pinned": pinned,
    }
    answer = app.post(f"/v1/memories/{segment(memory.id)}/edit", body)
    if as_json:
        app.screen.json(answer)
        return
    edited = read(answer, OneMemory)
    _say_edited(app, memory, edited.memory)
    if edited.entry:
        app.screen.line(f"{undo_of(edited.entry, repo_of(app, scope))} takes it back.", tone="faint")


def new_words(app: App, memory: Memory, *, command: str, as_json: bool) -> str | None:
    """Return other words for a memory: from the user's editor, or typed on the spot where none is set.

    None, and a word about it, when nothing was changed. Raises UsageError where nobody can be asked: without a
    terminal, and with `--json`, whose output is a program's.
    """
    if as_json or not app.screen.terminal:
        raise UsageError("nobody is there to type the new text", hint=f"{command} {memory.short} NEW TEXT")
    if app.env.get("VISUAL") or app.env.get("EDITOR"):
        text = _from_editor(memory, command)
    else:
        app.screen.fields([("now", one_line(memory.text))])
        text = click.prompt("New text (Enter leaves it)", default="", show_default=False).strip()
    if not text or text == memory.text:
        app.screen.line("Nothing was changed.")
        return None
    return text


def _from_editor(memory: Memory, command: str) -> str:
    """Return what the user's editor left. Raises UsageError when it could not be run, or failed."""
    try:
        return (click.edit(memory.text) or "").strip()
    except click.ClickException as error:
        raise UsageError(
            f"your editor did not run: {error.format_message()}",
            hint=f"set VISUAL or EDITOR to one that does, or say it here: {command} {memory.short} NEW TEXT",
        ) from error


def _say_edited(app: App, before: Memory, after: Memory) -> None:
    if after == before:
        app.screen.line(f"{after.short} is like that already.")
        return
    app.screen.line(f"Edited {after.short}: {one_line(after.text)}")
    pinned = "pinned: recalled before all others" if after.pinned else "not pinned any more"
    app.screen.fields(
        [
            ("was", one_line(before.text) if before.text != after.text else ""),
            ("title", (after.title or "none") if before.title != after.title else ""),
            ("why", (after.why or "none") if before.why != after.why else ""),
            ("apply", (after.how_to_apply or "none") if before.how_to_apply != after.how_to_apply else ""),
            ("tags", (", ".join(after.tags) or "none") if before.tags != after.tags else ""),
            ("pin", pinned if before.pinned != after.pinned else ""),
            ("where", graph_name(after.graph)),
        ]
    )


COMMANDS: Final = {"edit": edit}

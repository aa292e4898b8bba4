"""Commands on recall: recall (ask now) and why (what agents were given)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli.answers import Hit, Recall, Receipt, Receipts, Shown, read
from wisen.cli.app import App
from wisen.cli.options import Scope, as_json, graph_scoped, scoped
from wisen.cli.screen import Column, one_line
from wisen.cli.words import STANDINGS, graph_name, many, place, stamp
from wisen.errors import UsageError

_TRIGGERS: Final = ("manual", "session-start", "user-prompt", "sub-task")


@click.command("recall")
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("--explain", is_flag=True, help="Also show the scores of every stage, and what was left out and why.")
@click.option("--block", is_flag=True, help="Print the block exactly as the agent would get it, and nothing else.")
@click.option(
    "--as", "trigger", type=click.Choice(_TRIGGERS), default="manual", show_default=True, help="With whose limits."
)
@graph_scoped
@as_json
@click.pass_obj
def recall(
    app: App, *, words: tuple[str, ...], explain: bool, block: bool, trigger: str, scope: Scope, as_json: bool
) -> None:
    """Ask as the agent would.

    Nothing is counted as used, and no session is told.
    """
    query = " ".join(words).strip()
    if not query and trigger == "manual":
        raise UsageError("there is no query", hint="wisen recall which package manager")
    answer = app.post("/v1/recall", {"query": query, "trigger": trigger, **scope.all})
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, Recall)
    if block:
        app.screen.raw(found.block)
        return
    _print_hits(app, found)
    if explain:
        _print_stages(app, found.hits)
        _print_left_out(app, found.left_out)
    elif found.left_out:
        others = many(len(found.left_out), "memory", "memories")
        app.screen.line(f"{others} considered and left out; --explain says why.", tone="faint")


@click.command("why")
@click.argument("session", required=False, default="", metavar="[SESSION]")
@click.option("--last", is_flag=True, help="Only the latest recall.")
@click.option("--limit", type=click.IntRange(1), default=5, show_default=True, metavar="N", help="At most so many.")
@scoped
@as_json
@click.pass_obj
def why(app: App, *, session: str, last: bool, limit: int, scope: Scope, as_json: bool) -> None:
    """Explain what the agent was given, and what not.

    Each recall left a receipt: what went in, what was considered and left out, and the reason. SESSION is the
    session's id; without it, the latest recalls of this directory are shown.
    """
    answer = app.get("/v1/receipts", {**scope.place, "session": session, "limit": 1 if last else limit})
    if as_json:
        app.screen.json(answer)
        return
    receipts = read(answer, Receipts).receipts
    if not receipts:
        app.screen.line("No recall yet in this session." if session else "No recall yet in this directory.")
        app.screen.line(
            "A session start, a longer prompt and the start of a sub-task recall. `wisen status` says whether wisen "
            "is installed and which repository this is.",
            tone="faint",
        )
        return
    for position, receipt in enumerate(receipts):
        if position:
            app.screen.line()
        _print_receipt(app, receipt)


def _print_hits(app: App, found: Recall) -> None:
    if not found.hits:
        app.screen.line("Nothing is remembered that fits.")
        if found.repo.standing in {"none", "pending", "foreign"}:
            app.screen.line(STANDINGS[found.repo.standing], tone="faint")
    else:
        columns = [
            Column(name="id"),
            Column(name="text", flexible=True, max_lines=2),
            Column(name="score", numeric=True),
            Column(name="where"),
        ]
        rows = [
            [hit.memory.short, hit.memory.text, f"{hit.score:.2f}", place(hit.memory.graph, found.repo)]
            for hit in found.hits
        ]
        app.screen.table(columns, rows)
    if found.degraded:
        app.screen.line(f"Degraded: {found.degraded}", tone="faint")


def _print_stages(app: App, hits: Sequence[Hit]) -> None:
    if hits:
        app.screen.line("\nWhy these", tone="strong")
    for hit in hits:
        scores = ", ".join(f"{name} {score:.2f}" for name, score in hit.stages.items())
        app.screen.line(f"{hit.memory.short}  {'; '.join(hit.reasons)}", indent=2)
        if scores:
            app.screen.line(scores, tone="faint", indent=12)


def _print_left_out(app: App, left_out: Sequence[Shown]) -> None:
    if not left_out:
        return
    app.screen.line("\nLeft out", tone="strong")
    for item in left_out:
        app.screen.line(f"{item.name}  {item.reason}, score {item.score:.2f}", indent=2)


def _print_receipt(app: App, receipt: Receipt) -> None:
    title = f"{receipt.trigger} · {stamp(receipt.at, app.now())} · {many(receipt.chars, 'character')}"
    app.screen.line(title, tone="strong")
    app.screen.fields(
        [
            ("session", f"{receipt.session_id}{f', after compaction {receipt.epoch}' if receipt.epoch else ''}"),
            ("looked in", ", ".join(map(graph_name, receipt.graphs))),
            ("query", one_line(receipt.query)),
            ("note", receipt.note),
            ("degraded", receipt.degraded),
        ]
    )
    app.screen.line(
        "went in" if receipt.shown else "nothing went in", tone="good" if receipt.shown else "faint", indent=2
    )
    for item in receipt.shown:
        _print_considered(app, item, item.reasons)
    if receipt.left_out:
        app.screen.line("left out", tone="bad", indent=2)
    for item in receipt.left_out:
        _print_considered(app, item, [item.reason])


def _print_considered(app: App, item: Shown, reasons: Sequence[str]) -> None:
    """Print a memory that was considered, with its score and why it went in or not. A purged one has no text."""
    app.screen.line(f"{item.name}  {one_line(item.text) if item.text else '(its text is gone)'}", indent=4)
    app.screen.line("; ".join(part for part in (f"score {item.score:.2f}", *reasons) if part), tone="faint", indent=14)


COMMANDS: Final = {"recall": recall, "why": why}

"""The recall command: what an agent would be given now, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli.answers import Hit, Recall, Shown, read
from wisen.cli.app import App
from wisen.cli.off import warned
from wisen.cli.options import Scope, as_json, graph_scoped
from wisen.cli.screen import Column
from wisen.cli.words import EXCLUDED, STANDINGS, incomplete, many, near_names, place
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
    stands = warned(app, scope)
    body = {"query": query, "trigger": trigger, **scope.all}
    answer = app.post("/v1/recall", body if app.is_run_by_agent else {**body, "near": True})
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, Recall)
    if block:
        if found.block:
            app.screen.raw(found.block)
        return
    _print_hits(app, found, scope, is_excluded=stands.repo.excluded)
    if explain:
        _print_stages(app, found.hits)
        if "lexical only" in found.degraded:
            app.screen.line("Found by their words alone, not by meaning.", tone="faint", indent=2)
        _print_left_out(app, found.left_out)
    elif found.left_out:
        others = many(len(found.left_out), "memory", "memories")
        app.screen.aside(f"{others} considered and left out; --explain says why.")


def _print_hits(app: App, found: Recall, scope: Scope, *, is_excluded: bool) -> None:
    if not found.hits:
        app.screen.line("Nothing is remembered that fits.")
        if is_excluded and not scope.graph:
            app.screen.line(EXCLUDED, tone="faint")
        elif not scope.graph and found.repo.standing in {"none", "pending", "foreign"}:
            app.screen.line(STANDINGS[found.repo.standing], tone="faint")
        if near := near_names(found.near):
            app.screen.line(near)
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
    if missing := incomplete(found.degraded):
        app.screen.line(f"Not all could be read: {missing}", tone="bad")


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
        score = f", score {item.score:.2f}" if item.score else ""
        app.screen.line(f"{item.name}  {item.reason}{score}", indent=2)


COMMANDS: Final = {"recall": recall}

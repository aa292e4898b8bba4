"""The recall command: what an agent would be given now, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from wisen.cli.answers import CompactRecall, Hit, Recall, Shown, read
from wisen.cli.app import App
from wisen.cli.off import warned
from wisen.cli.options import Scope, as_json, graph_scoped
from wisen.cli.screen import Column
from wisen.cli.words import EXCLUDED, STANDINGS, incomplete, many, near_names, place
from wisen.errors import UsageError

_LEGS: Final = ("both", "words", "meaning")
_TRIGGERS: Final = ("manual", "session-start", "user-prompt", "sub-task")


@click.command("recall")
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("--explain", is_flag=True, help="Also show the scores of every stage, and what was left out and why.")
@click.option("--block", is_flag=True, help="Print the block exactly as the agent would get it, and nothing else.")
@click.option("--compact", is_flag=True, help="A line for each: id, score, a snippet. `wisen show ID` shows the whole.")
@click.option(
    "--as", "trigger", type=click.Choice(_TRIGGERS), default="manual", show_default=True, help="With whose limits."
)
@click.option(
    "--by", type=click.Choice(_LEGS), default="both", show_default=True, help="Search by words, by meaning, or both."
)
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Most memories to list.")
@click.option(
    "--min-confidence", type=click.FloatRange(0, 1), help="Leave out what is less sure; else as the limits say."
)
@graph_scoped
@as_json
@click.pass_obj
def recall(
    app: App,
    *,
    words: tuple[str, ...],
    explain: bool,
    block: bool,
    compact: bool,
    trigger: str,
    by: str,
    limit: int,
    min_confidence: float | None,
    scope: Scope,
    as_json: bool,
) -> None:
    """Ask as the agent would.

    Nothing is counted as used, and no session is told.
    """
    query = " ".join(words).strip()
    if not query and trigger == "manual":
        raise UsageError("there is no query", hint="wisen recall which package manager")
    stands = warned(app, scope)
    body: dict[str, object] = {"query": query, "trigger": trigger, **scope.all}
    body |= {"by": by} if by != "both" else {}
    body |= {"min_confidence": min_confidence} if min_confidence is not None else {}
    body |= {"compact": True} if compact else {}
    answer = app.post("/v1/recall", body if app.is_run_by_agent or compact else {**body, "near": True})
    if as_json:
        app.screen.json(answer)
        return
    if compact:
        _print_compact(app, read(answer, CompactRecall), limit)
        return
    found = read(answer, Recall)
    if block:
        if found.block:
            app.screen.raw(found.block)
        return
    _print_hits(app, found, scope, limit, is_excluded=stands.repo.excluded)
    if explain:
        _print_stages(app, found.hits[:limit])
        if why := _by_words(found.degraded):
            app.screen.line(f"Found by their words alone, not by meaning{why}.", tone="faint", indent=2)
        _print_left_out(app, found.left_out)
    elif found.left_out:
        others = many(len(found.left_out), "memory", "memories")
        app.screen.aside(f"{others} considered and left out; --explain says why.")


def _by_words(degraded: str) -> str:
    """Return why meaning was not asked, as `: reason`; '' where it was asked, or nothing is known of why."""
    part = next((part for part in degraded.split("; ") if part.startswith("lexical only")), "")
    reason = part.removeprefix("lexical only").strip(" ()")
    return f": {reason}" if reason else " " if part else ""


def _print_compact(app: App, found: CompactRecall, limit: int) -> None:
    if not found.hits:
        app.screen.line("Nothing is remembered that fits.")
        return
    columns = [
        Column(name="id"),
        Column(name="score", numeric=True),
        Column(name="snippet", flexible=True, max_lines=1),
    ]
    app.screen.table(columns, [[one.id, f"{one.score:.2f}", one.snippet] for one in found.hits[:limit]])
    _print_more(app, len(found.hits) - limit)


def _print_more(app: App, more: int) -> None:
    if more > 0:
        app.screen.aside(f"{many(more, 'more memory', 'more memories')} below; --limit shows more.")


def _print_hits(app: App, found: Recall, scope: Scope, limit: int, *, is_excluded: bool) -> None:
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
            for hit in found.hits[:limit]
        ]
        app.screen.table(columns, rows)
        _print_more(app, len(found.hits) - limit)
    if missing := incomplete(found.degraded):
        app.screen.line(f"Not all could be read: {missing}", tone="bad")


def _print_stages(app: App, hits: Sequence[Hit]) -> None:
    if not hits:
        return
    app.screen.line("\nWhy these", tone="strong")
    names = tuple(dict.fromkeys(name for hit in hits for name in hit.stages))
    if app.screen.terminal and names:
        columns = [Column(name="id"), Column(name="score", numeric=True)]
        columns += [Column(name=name, numeric=True, spare=place) for place, name in enumerate(names)]
        app.screen.table(columns, [_scores(hit, names) for hit in hits])
        app.screen.line("")
    for hit in hits:
        app.screen.line(f"{hit.memory.short}  {'; '.join(hit.reasons)}", indent=2)
        if hit.stages and not app.screen.terminal:
            said = ", ".join(f"{name} {score:.2f}" for name, score in hit.stages.items())
            app.screen.line(said, tone="faint", indent=12)


def _scores(hit: Hit, names: Sequence[str]) -> list[str]:
    stages = [f"{hit.stages[name]:.2f}" if name in hit.stages else "-" for name in names]
    return [hit.memory.short, f"{hit.score:.2f}", *stages]


def _print_left_out(app: App, left_out: Sequence[Shown]) -> None:
    if not left_out:
        return
    app.screen.line("\nLeft out", tone="strong")
    for item in left_out:
        score = f", score {item.score:.2f}" if item.score else ""
        app.screen.line(f"{item.name}  {item.reason}{score}", indent=2)


COMMANDS: Final = {"recall": recall}

"""The recall command: what an agent would be given now, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Final

import click

from wisen.cli.answers import CompactRecall, Hit, Recall, Repo, Search, Shown, read
from wisen.cli.app import App
from wisen.cli.off import warned
from wisen.cli.options import Scope, as_json, graph_scoped, whole_number
from wisen.cli.screen import Column
from wisen.cli.words import EXCLUDED, STANDINGS, incomplete, many, near_names, place, searched_by, why_by_words
from wisen.errors import UsageError

_LEGS: Final = ("both", "words", "meaning")
_LIMIT: Final = 10
_SEARCHED: Final = frozenset({"bm25", "cosine"})  # stages of a search, by words and by meaning
_SCORE_CHARS, _GAP_CHARS = len("0.00"), 2
_ID_AND_SCORE_CHARS: Final = 8 + _GAP_CHARS + len("score")
_TRIGGERS: Final = ("manual", "session-start", "user-prompt", "sub-task")


def _share(value: str | float) -> float:
    """Return an option's value, as typed, as a number from 0 to 1; `nan` is none."""
    with suppress(ValueError):
        if 0 <= (share := float(value)) <= 1:
            return share
    raise click.BadParameter(f"{str(value)!r} is no number from 0 to 1")


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
@click.option(
    "--limit", type=whole_number, metavar="N", help=f"At most so many memories; {_LIMIT} for you, with --json all."
)
@click.option(
    "--min-confidence",
    type=_share,
    metavar="SHARE",
    help="Leave out what is less sure, 0 to 1; else as the limits say.",
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
    limit: int | None,
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
    _check_one_form({"--block": block, "--compact": compact, "--explain": explain})
    stands = warned(app, scope)
    body: dict[str, object] = {"query": query, "trigger": trigger, **scope.all}
    body |= {"by": by} if by != "both" else {}
    body |= {"min_confidence": min_confidence} if min_confidence is not None else {}
    body |= {"compact": True} if compact else {}
    body |= {"limit": limit} if limit and as_json else {}
    answer = app.post("/v1/recall", body if app.is_run_by_agent or compact else {**body, "near": True})
    most = limit or _LIMIT
    if as_json:
        app.screen.json(answer)
    elif compact:
        _print_compact(app, read(answer, CompactRecall), scope, stands.repo, most)
    elif block:
        if text := read(answer, Recall).block:
            app.screen.raw(text)
    else:
        found = read(answer, Recall)
        _print_hits(app, found, scope, stands.repo, most)
        if explain:
            _print_why(app, found, most, _searched_by(found, by, stands.search))
        elif found.left_out:
            others = many(len(found.left_out), "memory", "memories")
            app.screen.aside(f"{others} considered and left out; --explain says why.")


def _check_one_form(asked: Mapping[str, bool]) -> None:
    """Raise UsageError where an answer is asked for in two forms at once."""
    forms = [name for name, is_asked in asked.items() if is_asked]
    if len(forms) > 1:
        raise UsageError(f"{forms[0]} and {forms[1]} are two forms of the same answer", hint=f"leave {forms[1]} out")


# --- what was found ---------------------------------------------------------------------------------------------


def _print_compact(app: App, found: CompactRecall, scope: Scope, here: Repo, most: int) -> None:
    if not found.hits:
        _print_nothing(app, scope, here)
    else:
        columns = [
            Column(name="id"),
            Column(name="score", numeric=True, spare=1),
            Column(name="snippet", flexible=True, max_lines=1),
        ]
        app.screen.table(columns, [[one.id, f"{one.score:.2f}", one.snippet] for one in found.hits[:most]])
        _print_more(app, len(found.hits), found.more, most)
    _print_unread(app, found.degraded)


def _print_hits(app: App, found: Recall, scope: Scope, here: Repo, most: int) -> None:
    if not found.hits:
        _print_nothing(app, scope, here)
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
            for hit in found.hits[:most]
        ]
        app.screen.table(columns, rows)
        _print_more(app, len(found.hits), found.more, most)
    _print_unread(app, found.degraded)


def _print_nothing(app: App, scope: Scope, here: Repo) -> None:
    app.screen.line("Nothing is remembered that fits.")
    if scope.graph:
        return
    if here.excluded:
        app.screen.line(EXCLUDED, tone="faint")
    elif here.standing in {"none", "pending", "foreign"}:
        app.screen.line(STANDINGS[here.standing], tone="faint")


def _print_more(app: App, hits: int, below: int, most: int) -> None:
    """Say how many more there are: hits that are not listed, and what ranks below the hits and can't be."""
    if hits > most:
        app.screen.aside(f"{many(hits - most + below, 'more memory', 'more memories')} below; --limit shows more.")
    elif below:
        app.screen.aside(f"{many(below, 'more memory', 'more memories')} below; `wisen list` has them all.")


def _print_unread(app: App, degraded: str) -> None:
    if missing := incomplete(degraded):
        app.screen.line(f"Not all could be read: {missing}", tone="bad")


# --- why --------------------------------------------------------------------------------------------------------


def _print_why(app: App, found: Recall, most: int, searched: str) -> None:
    _print_stages(app, found.hits[:most])
    if searched:
        app.screen.line(f"\n{searched}", tone="faint")
    _print_left_out(app, found.left_out)


def _searched_by(found: Recall, by: str, search: Search) -> str:
    """Return by what was searched, as a sentence; '' where nothing was, or it is not known of a search without hits."""
    if any(_SEARCHED & hit.stages.keys() for hit in found.hits):
        return searched_by(by, found.model, why_by_words(found.degraded))
    is_by_words = not found.hits and not search.model and search.state
    return searched_by(by, "", search.state) if is_by_words else ""


def _print_stages(app: App, hits: Sequence[Hit]) -> None:
    """Print each hit's scores by stage, and its reasons with the stages that the table has no room for."""
    if not hits:
        return
    app.screen.line("\nWhy these", tone="strong")
    names = tuple(dict.fromkeys(name for hit in hits for name in hit.stages))
    shown = names[: _fitting(names, app.screen.width)] if app.screen.terminal else ()
    if shown:
        columns = [Column(name="id"), *(Column(name=name, numeric=True) for name in ("score", *shown))]
        app.screen.table(columns, [_scores(hit, shown) for hit in hits])
        app.screen.line("")
    for hit in hits:
        app.screen.line(f"{hit.memory.short}  {'; '.join(hit.reasons)}", indent=2)
        others = [f"{name} {score:.2f}" for name, score in hit.stages.items() if name not in shown]
        if others:
            app.screen.line(", ".join(others), tone="faint", indent=12)


def _fitting(names: Sequence[str], width: int) -> int:
    """Return how many of the stages have room beside id and score in a table of so many columns."""
    used = accumulate((max(len(name), _SCORE_CHARS) + _GAP_CHARS for name in names), initial=_ID_AND_SCORE_CHARS)
    return sum(so_far <= width for so_far in used) - 1


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

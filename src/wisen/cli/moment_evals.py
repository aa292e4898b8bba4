"""The command eval moments: how often a search finds the lesson that a real moment needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.options import as_json
from wisen.cli.screen import Column
from wisen.errors import UsageError

if TYPE_CHECKING:
    from wisen.evals.moment_firing import Firing
    from wisen.evals.moment_runs import Scored

_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_DIR: Final = click.Path(path_type=Path, file_okay=False)


@click.command("moments")
@click.argument("file", type=_FILE, metavar="FILE")
@click.option("--corpus", type=_DIR, metavar="DIR", help="Folders owner+name with the sessions that the labels name.")
@click.option("--pipeline", "pipelines", multiple=True, metavar="NAME", help="Which to score; may be repeated.")
@as_json
@click.pass_obj
def moments(app: App, *, file: Path, corpus: Path | None, pipelines: tuple[str, ...], as_json: bool) -> None:
    """Score the search at later moments of real sessions: is the lesson that would have helped among the first?

    FILE is JSON Lines of labelled moments, plain or gzipped. At each of them the lessons that its repository had by
    then are searched with the moment's words. A pipeline is named by its parts: `text` (by words alone) or `model`
    (with the packaged model), `+error` (the failed call and what it printed are indexed too), `+signature` (before a
    command come first the lessons with its signature) or `+recipe` (of these, those that wisen learns by itself);
    `hook` is what a hook would be answered with, `bm25` and `grep` are baselines. With --corpus it tells also how many
    lessons the calls of a session bring up. Everything is in a store that is thrown away.
    """
    from wisen.evals.moment_firing import firing
    from wisen.evals.moment_labels import lessons_of, opportunities_of
    from wisen.evals.moment_report import view
    from wisen.evals.moment_runs import OF_WORDS, PIPELINES, run
    from wisen.evals.moment_sources import Sessions

    if unknown := [name for name in pipelines if name not in PIPELINES]:
        raise UsageError(f"no pipeline is named {unknown[0]!r}", hint=f"one of: {', '.join(PIPELINES)}")
    wanted = tuple(dict.fromkeys(pipelines)) or (PIPELINES if corpus else OF_WORDS)
    found = opportunities_of(file)
    sessions = Sessions(corpus) if corpus else None
    progress = _told if sys.stderr.isatty() and not as_json else lambda _: None
    scored = run(found, wanted, sessions=sessions, progress=progress)
    fired = firing(lessons_of(found), sessions, progress=progress) if sessions else {}
    if as_json:
        app.screen.json(view(scored, fired))
        return
    _show(app, scored, fired)


def _told(step: str) -> None:
    click.echo(step, err=True)


_COLUMNS: Final = (
    Column(name="pipeline", flexible=True),
    Column(name="hit@1", numeric=True),
    Column(name="hit@5", numeric=True),
)
_FIRED: Final = (
    Column(name="before the calls of a session", flexible=True),
    Column(name="sessions", numeric=True),
    Column(name="median", numeric=True),
    Column(name="max", numeric=True),
    Column(name="of all calls", numeric=True),
)
_CHANCE: Final = "by chance"


def _show(app: App, scored: Sequence[Scored], fired: Mapping[str, Firing]) -> None:
    from wisen.evals.moment_report import TYPES, distinct_lessons, groups, known_by_then

    of = f"{len(scored)} moments of {distinct_lessons(scored)} lessons"
    app.screen.line(f"{of}, one among {known_by_then(scored):g} (median)", tone="strong")
    app.screen.table(_COLUMNS, list(_rows(scored)))
    parts = {name: rows for name, rows in groups(scored).items() if rows != tuple(scored)}
    columns = [Column(name=f"{name} ({len(rows)})", numeric=True) for name, rows in parts.items()]
    for some in (columns[at : at + _ACROSS] for at in range(0, len(columns), _ACROSS)):
        named = [name for name, column in zip(parts, columns, strict=True) if column in some]
        app.screen.line(f"hit@1 / hit@5 by group{_explained(named, TYPES)}", tone="strong")
        app.screen.table((_COLUMNS[0], *some), list(_group_rows([parts[name] for name in named])))
    if fired:
        rows = [
            (name, f"{len(one.sessions):,}", f"{one.median:g}", f"{one.most}", f"{one.share:.1%}")
            for name, one in fired.items()
        ]
        app.screen.table(_FIRED, rows)


_ACROSS: Final = 4  # groups in one table: it fits 80 columns


def _explained(names: Sequence[str], types: Mapping[str, str]) -> str:
    said = [f"{name[-1]} {types[name[-1]]}" for name in names if name.startswith("type ") and name[-1] in types]
    return f": {', '.join(said)}" if said else ""


def _rows(scored: Sequence[Scored]) -> Iterator[tuple[str, ...]]:
    from wisen.evals.moment_report import METRICS, chance, hits

    for pipeline in scored[0].scores:
        yield (pipeline, *(_share(hits(scored, pipeline, metric), len(scored)) for metric in METRICS))
    yield (_CHANCE, f"{chance(scored, 1):.2f}", f"{chance(scored, 5):.2f}")


def _group_rows(parts: Sequence[Sequence[Scored]]) -> Iterator[tuple[str, ...]]:
    from wisen.evals.moment_report import METRICS, chance, hits

    for pipeline in parts[0][0].scores:
        shares = ([hits(rows, pipeline, metric) / len(rows) for metric in METRICS] for rows in parts)
        yield (pipeline, *(f"{first:.2f} / {five:.2f}" for first, five in shares))
    yield (_CHANCE, *(f"{chance(rows, 1):.2f} / {chance(rows, 5):.2f}" for rows in parts))


def _share(found: int, of: int) -> str:
    from wisen.evals.gate_score import wilson

    low, high = wilson(found, of)
    return f"{found / of:.2f} ({low:.2f}-{high:.2f})"

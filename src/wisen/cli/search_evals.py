"""The command eval retrieval: how often a search finds what answers it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.options import as_json
from wisen.cli.screen import Column
from wisen.errors import UsageError

if TYPE_CHECKING:
    from wisen.evals.search_metrics import Difference
    from wisen.evals.search_runs import Answered, Run

_PATH: Final = click.Path(path_type=Path)


@click.command("retrieval")
@click.argument("files", nargs=-1, required=True, type=_PATH, metavar="FILE...")
@click.option("--pipeline", "pipelines", multiple=True, metavar="NAME", help="Which to score; may be repeated.")
@as_json
@click.pass_obj
def retrieval(app: App, *, files: tuple[Path, ...], pipelines: tuple[str, ...], as_json: bool) -> None:
    """Score the search on questions whose answers are known, beside two baselines.

    FILE is a JSON file of groups with records and questions, plain or gzipped, or a directory with docs/*.md. The
    pipelines are `default`, which is what `wisen recall` does, and the baselines `bm25` and `grep`; the first one given
    is compared with the others. Records are put into a store that is thrown away.
    """
    from wisen.evals.search_report import view
    from wisen.evals.search_runs import BASELINES, DEFAULT, PIPELINES, run
    from wisen.evals.search_sets import read_set

    if unknown := [name for name in pipelines if name not in PIPELINES]:
        raise UsageError(f"no pipeline is named {unknown[0]!r}", hint=f"one of: {', '.join(PIPELINES)}")
    wanted = tuple(dict.fromkeys((*(pipelines or (DEFAULT,)), *BASELINES)))
    sets = [read_set(path) for path in files]  # all of them, before the long work
    runs = [run(one, wanted, progress=_told if sys.stderr.isatty() and not as_json else lambda _: None) for one in sets]
    if as_json:
        app.screen.json(view(runs))
        return
    for one in runs:
        _show(app, one)


def _told(step: str) -> None:
    click.echo(step, err=True)


_COLUMNS: Final = (
    Column(name="pipeline"),
    Column(name="category", flexible=True),
    Column(name="queries", numeric=True),
    Column(name="recall@5", numeric=True),
    Column(name="recall@10", numeric=True),
    Column(name="hit@1", numeric=True),
    Column(name="hit@5", numeric=True),
    Column(name="nDCG@10", numeric=True, spare=1),
    Column(name="MRR@10", numeric=True, spare=2),
)
_SHOWN: Final = ("recall@5", "recall@10", "hit@1", "hit@5", "ndcg@10", "mrr@10")


def _show(app: App, run: Run) -> None:
    from wisen.evals.search_report import differences

    app.screen.line(run.name, tone="strong")
    app.screen.table(_COLUMNS, list(_rows(run)))
    for (ours, theirs), metrics in differences(run).items():
        said = ", ".join(f"{metric} {_signed(found)}" for metric, found in metrics.items())
        app.screen.line(f"{ours} against {theirs}: {said}")


def _rows(run: Run) -> Iterator[tuple[str, ...]]:
    from wisen.evals.search_report import by_category

    for name, answered in run.pipelines.items():
        yield _row(name, "all", answered)
        for category, parts in by_category(run).items():
            yield _row(name, category, parts[name])


def _row(name: str, category: str, answered: Sequence[Answered]) -> tuple[str, ...]:
    from wisen.evals.search_metrics import means

    found = means([one.scores for one in answered])
    return (name, category, f"{len(answered):,}", *(f"{found[metric]:.3f}" for metric in _SHOWN))


def _signed(found: Difference) -> str:
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f}{', noise' if found.is_noise else ''})"

"""The command eval: how good wisen is, measured on labelled data of real sessions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.moment_evals import moments
from wisen.cli.options import as_json
from wisen.cli.replay import replay, verdicts
from wisen.cli.screen import Column
from wisen.cli.search_evals import retrieval
from wisen.errors import UsageError

if TYPE_CHECKING:
    from wisen.evals.gate_score import GateScore, TierScore

_FILE: Final = click.Path(path_type=Path, dir_okay=False)


@click.group("eval")
def evaluate() -> None:
    """Measure wisen on labelled data of real sessions. Nothing is stored."""


evaluate.add_command(replay)
evaluate.add_command(verdicts)
evaluate.add_command(retrieval)
evaluate.add_command(moments)


@evaluate.command("gate")
@click.option("--prompts", type=_FILE, metavar="FILE", help="Labelled prompts: what users said, and what lasts.")
@click.option("--windows", type=_FILE, metavar="FILE", help="Labelled windows from a failure to a success.")
@click.option("--strata", type=_FILE, metavar="FILE", help="From which strata the prompts were drawn.")
@click.option("--but-not", multiple=True, metavar="REPO", help="Leave a repository out; may be repeated.")
@as_json
@click.pass_obj
def gate(
    app: App,
    *,
    prompts: Path | None,
    windows: Path | None,
    strata: Path | None,
    but_not: tuple[str, ...],
    as_json: bool,
) -> None:
    """Score what the gate learns by itself (adopt) and what it puts before the user (suggest, adopt included).

    Files are JSON Lines, plain or gzipped. Precision counts what was given out and has a firm label, recall the firm
    positives; both with their 95 % interval.
    """
    if prompts is None and windows is None:
        raise UsageError("nothing to score", hint="wisen eval gate --prompts FILE --windows FILE")
    scores = _scores(prompts, windows, strata, but_not)
    if as_json:
        app.screen.json({name: _view(score) for name, score in scores.items()})
        return
    for name, score in scores.items():
        app.screen.line(name, tone="strong")
        app.screen.table(_COLUMNS, [row for tier, figures in score.tiers.items() for row in _rows(tier, figures)])


def _scores(
    prompts: Path | None, windows: Path | None, strata: Path | None, but_not: tuple[str, ...]
) -> Mapping[str, GateScore]:
    scores: dict[str, GateScore] = {}
    if prompts is not None:
        from wisen.evals import gate_rules

        scores["rules"] = gate_rules.score(prompts, strata_file=strata, but_not=but_not)
    if windows is not None:
        from wisen.evals import gate_recipes

        scores["recipes"] = gate_recipes.score(windows, but_not=but_not)
    return scores


# --- as JSON ----------------------------------------------------------------------------------------------------


def _view(score: GateScore) -> dict[str, object]:
    return {tier.value: _figures(figures) for tier, figures in score.tiers.items()}


def _figures(score: TierScore) -> dict[str, object]:
    parts = {"by_repository": score.by_repository, "by_language": score.by_language}
    return {
        "precision": round(score.precision, 4),
        "recall": round(score.recall, 4),
        "emitted": score.emitted,
        "right": score.right,
        "wanted": score.wanted,
        "found": score.found,
        "precision_interval": [round(edge, 4) for edge in score.precision_interval],
        "recall_interval": [round(edge, 4) for edge in score.recall_interval],
        "natural_precision": None if score.natural_precision is None else round(score.natural_precision, 4),
        **{name: {part: _figures(one) for part, one in found.items()} for name, found in parts.items() if found},
    }


# --- as a table -------------------------------------------------------------------------------------------------

_COLUMNS: Final = (
    Column(name="tier"),
    Column(name="of", flexible=True),
    Column(name="precision", numeric=True),
    Column(name="recall", numeric=True),
    Column(name="emitted", numeric=True),
    Column(name="right", numeric=True),
    Column(name="wanted", numeric=True),
    Column(name="natural precision", numeric=True, spare=1),
)


def _rows(tier: str, score: TierScore) -> list[tuple[str, ...]]:
    return [
        _row(tier, "all", score),
        *(_row(tier, name, part) for name, part in score.by_repository.items()),
        *(_row(tier, name, part) for name, part in score.by_language.items()),
    ]


def _row(tier: str, of: str, score: TierScore) -> tuple[str, ...]:
    natural = "" if score.natural_precision is None else f"{score.natural_precision:.2f}"
    counts = (score.emitted, score.right, score.wanted)
    return (
        tier,
        of,
        _with_interval(score.precision, score.precision_interval) if score.emitted else "",
        _with_interval(score.recall, score.recall_interval) if score.wanted else "",
        *map(str, counts),
        natural,
    )


def _with_interval(share: float, interval: tuple[float, float]) -> str:
    return f"{share:.2f} ({interval[0]:.2f}-{interval[1]:.2f})"


COMMANDS: Final = {"eval": evaluate}

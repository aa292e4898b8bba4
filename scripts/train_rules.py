"""Train the weights by which a stated rule is told from everything else: `python scripts/train_rules.py`.

Reads `training/rules/*.jsonl`, prompts written for this with the words that state something durable marked, and writes
`src/wisen/core/signals/rule_weights.py`; the same prompts give the same bytes. A weight is a log-odds. Each feature
has a leaning set by hand in `training/leanings.json`, and the prompts move its weight to half or twice of that at most.
They hold far more traps than real prompts do ("always", "never" and "use" stand in most of their negatives on purpose),
so that without the leanings the very words of a rule would count against it.

`--score LABELS` scores the weights on labelled prompts of real sessions, by repository and with the curve, and
`--strata FILE` finds the thresholds at which the natural mix of those prompts gives the shares wanted. `--also LABELS`
trains on them too, each owner's prompts scored by weights that never saw that owner. LABELS are JSON Lines with `repo`,
`kind`, `prompt`, `prev_assistant` and `label`; `--but-not REPO` leaves a repository out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from typing import Final

from wisen.core.signals.phrases import words_of
from wisen.core.signals.rule_features import features_of
from wisen.core.signals.rule_weights import ADOPT_AT, SUGGEST_AT
from wisen.core.signals.sentences import sentences
from wisen.core.signals.setting import Setting
from wisen.core.signals.speech import Sentence, spoken_chars
from wisen.core.signals.stated_rule import LONGEST_PROMPT, can_be_a_rule
from wisen.core.signals.wording import folded
from wisen.evals.gate_rules import setting_of
from wisen.evals.labelled import labelled, strata

ROOT: Final = Path(__file__).resolve().parents[1]
PROMPTS: Final = ROOT / "training/rules"
WEIGHTS: Final = ROOT / "src/wisen/core/signals/rule_weights.py"

LEANINGS: Final[Mapping[str, float]] = {
    name: lean
    for group in json.loads((ROOT / "training/leanings.json").read_text("utf-8")).values()
    for name, lean in group.items()
}
"""Every feature, and how much it leans to a rule (log-odds), before any prompt was read."""

HOLD: Final = 10.0
"""How firmly a weight is held to its leaning: the inverse variance of the normal prior around it."""

ROOM: Final = 2.0
"""A weight stays between its leaning divided and multiplied by this."""

ADOPT_SHARE: Final = 0.015
SUGGEST_SHARE: Final = 0.05
"""The shares of prompts that may be adopted, and suggested: one in 28 states something durable (3.5 %)."""

KNOWN: Final[Mapping[str, float]] = {
    "typed while the agent worked": log(3),
    "said when refusing a tool": log(3),
    "the agent had asked": -log(2),
}
"""Odds ratios counted over the labelled prompts of real sessions: those written for training have no such moment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One sentence: its features, whether it states something durable, and how much it counts."""

    features: frozenset[str]
    durable: bool
    counts: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One labelled prompt. `share` is how many prompts of the natural mix it stands for."""

    repository: str
    durable: bool
    firm: bool
    rows: tuple[Row, ...]
    too_long: bool = False
    share: float = 0.0

    @property
    def owner(self) -> str:
        """Whose repository it is."""
        return self.repository.partition("/")[0]


# --- reading ----------------------------------------------------------------------------------------------------


def written() -> tuple[Prompt, ...]:
    """Return the prompts of the project, in the order of their files."""
    lines = [line for path in sorted(PROMPTS.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    return tuple(
        _prompt(row["text"], row["spans"], Setting(), durable=row["label"] == "durable")
        for row in map(json.loads, lines)
    )


def real(path: Path, strata_file: Path | None, but_not: Sequence[str]) -> tuple[Prompt, ...]:
    """Return the labelled prompts of real sessions."""
    rows = tuple(labelled(path, but_not=but_not))
    known = strata(strata_file)
    drawn = Counter(known.of(row) for row in rows)
    return tuple(
        _prompt(
            row.text("prompt"),
            [row.object("label").text("quote")],
            setting_of(row),
            durable=row.object("label").text("kind") == "durable",
            firm=row.object("label").flag("firm"),
            repository=row.text("repo"),
            share=known.size(known.of(row)) / drawn[known.of(row)],
        )
        for row in rows
    )


def _prompt(
    text: str,
    spans: Sequence[str],
    setting: Setting,
    *,
    durable: bool,
    firm: bool = True,
    repository: str = "",
    share: float = 0.0,
) -> Prompt:
    parts = sentences(text)
    rows = tuple(
        Row(features=found, durable=durable and any(_is_said_in(part, span) for span in spans))
        for part, found in zip(parts, features_of(parts, setting), strict=True)
        if not part.dropped
    )
    too_long = spoken_chars(parts) > LONGEST_PROMPT
    return Prompt(repository=repository, durable=durable, firm=firm, rows=rows, too_long=too_long, share=share)


def _is_said_in(part: Sentence, span: str) -> bool:
    """Does a sentence hold the marked words, or most of them?"""
    told, marked = folded(part.text).strip(" .,!?。"), folded(span).strip(" .,!?。")
    words, wanted = set(words_of(told)), set(words_of(marked))
    most = len(words) > 2 and len(words & wanted) >= 0.6 * min(len(words), len(wanted))  # noqa: PLR2004 -- not "ok so"
    return bool(told and marked) and (told in marked or marked in told or most)


# --- training ---------------------------------------------------------------------------------------------------


def trained(rows: Sequence[Row]) -> dict[str, float]:
    """Return the weight of each feature and, under "", the bias: logistic regression with a prior around the leanings.

    Newton's method; a weight that would leave the room around its leaning stays at the edge (an active set).
    """
    names = ["", *LEANINGS]
    at = {name: n for n, name in enumerate(names)}
    active = [[0, *(at[name] for name in sorted(row.features) if name in at)] for row in rows]
    prior = [0.0, *LEANINGS.values()]
    hold = [1e-3, *(HOLD for _ in LEANINGS)]
    low = [-99.0, *(min(lean / ROOM, lean * ROOM) for lean in LEANINGS.values())]
    high = [99.0, *(max(lean / ROOM, lean * ROOM) for lean in LEANINGS.values())]
    weights = prior.copy()
    for _ in range(100):
        slope = [h * (w - p) for h, w, p in zip(hold, weights, prior, strict=True)]
        bend = [[h if n == m else 0.0 for m in range(len(names))] for n, h in enumerate(hold)]
        for row, seen in zip(rows, active, strict=True):
            chance = 1 / (1 + exp(-sum(weights[n] for n in seen)))
            for n in seen:
                slope[n] += row.counts * (chance - row.durable)
                for m in seen:
                    bend[n][m] += row.counts * chance * (1 - chance)
        free = [
            n for n in range(len(names)) if low[n] < weights[n] < high[n] or (slope[n] < 0) == (weights[n] == low[n])
        ]
        step = _solved([[bend[n][m] for m in free] for n in free], [slope[n] for n in free])
        for n, by in zip(free, step, strict=True):
            weights[n] = min(high[n], max(low[n], weights[n] - by))
        if max(map(abs, step)) < 1e-6:  # noqa: PLR2004 -- nothing moves any more
            break
    return dict(zip(names, weights, strict=True))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Solve a symmetric positive definite system by elimination; the arguments are used up."""
    size = len(right)
    for n in range(size):
        for m in range(n + 1, size):
            if factor := matrix[m][n] / matrix[n][n]:
                matrix[m] = [low - factor * high for low, high in zip(matrix[m], matrix[n], strict=True)]
                right[m] -= factor * right[n]
    found = [0.0] * size
    for n in reversed(range(size)):
        found[n] = (right[n] - sum(matrix[n][m] * found[m] for m in range(n + 1, size))) / matrix[n][n]
    return found


# --- scoring ----------------------------------------------------------------------------------------------------


def score_of(prompt: Prompt, weights: Mapping[str, float]) -> float:
    """Return the score of a prompt's surest sentence."""
    known = {**weights, **KNOWN}
    scores = (
        weights[""] + sum(known.get(name, 0.0) for name in sorted(row.features))
        for row in prompt.rows
        if can_be_a_rule(row.features, weights)
    )
    return -99.0 if prompt.too_long else max(scores, default=-99.0)


def thresholds(scored: Sequence[tuple[float, Prompt]]) -> tuple[float, float]:
    """Return the scores above which the natural mix gives the shares to adopt and to suggest."""
    total = sum(prompt.share for _, prompt in scored)
    found: list[float] = []
    for wanted in (ADOPT_SHARE, SUGGEST_SHARE):
        above = 0.0
        for score, prompt in sorted(scored, key=lambda pair: -pair[0]):
            above += prompt.share
            if above > wanted * total:
                found.append(round(score, 2))
                break
    return found[0], found[1]


def curve(scored: Sequence[tuple[float, Prompt]]) -> str:
    """Return precision and number given out at rising recall, over prompts with a firm label."""
    firm = sorted((pair for pair in scored if pair[1].firm), key=lambda pair: -pair[0])
    wanted = sum(prompt.durable for _, prompt in firm)
    points, right, goals = [], 0, [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for given, (_, prompt) in enumerate(firm, 1):
        right += prompt.durable
        while goals and wanted and right >= goals[0] * wanted:
            points.append(f"R {goals.pop(0):.2f}: P {right / given:.2f} ({given})")
    return f"{wanted} durable  " + "  ".join(points)


# --- the file ---------------------------------------------------------------------------------------------------

_HEAD: Final = '''"""How much each feature speaks for a standing rule: log-odds, learned from `training/rules`.

Generated by scripts/train_rules.py. Change the features or the prompts, then run it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

BIAS: Final = {bias}

ADOPT_AT: Final = {adopt}
SUGGEST_AT: Final = {suggest}

WEIGHTS: Final[Mapping[str, float]] = {{
{rows}
}}
'''


def written_down(weights: Mapping[str, float], adopt: float, suggest: float) -> str:
    """Return the module that holds the weights; a feature without any is left out."""
    known = {name: round(weight, 3) for name, weight in {**weights, **KNOWN}.items() if name}
    rows = [f'    "{name}": {weight},' for name, weight in sorted(known.items(), key=lambda pair: -pair[1]) if weight]
    return _HEAD.format(bias=round(weights[""], 3), adopt=adopt, suggest=suggest, rows="\n".join(rows))


def main() -> None:
    """Train, score if asked to, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", type=Path, metavar="LABELS")
    parser.add_argument("--also", type=Path, metavar="LABELS")
    parser.add_argument("--strata", type=Path, metavar="FILE")
    parser.add_argument("--but-not", action="append", default=[], metavar="REPO")
    told = parser.parse_args()
    own = [row for prompt in written() for row in prompt.rows]
    weights = trained(own)
    adopt, suggest = ADOPT_AT, SUGGEST_AT
    if told.also:
        _say_held_out(own, real(told.also, told.strata, told.but_not))
    if told.score:
        scored = [(score_of(prompt, weights), prompt) for prompt in real(told.score, told.strata, told.but_not)]
        for name in ("", *sorted({prompt.repository for _, prompt in scored})):
            print(f"{name or 'all':32}", curve([pair for pair in scored if name in ("", pair[1].repository)]))
        if told.strata:
            adopt, suggest = thresholds(scored)
    WEIGHTS.write_text(written_down(weights, adopt, suggest), "utf-8")
    print(f"{len(own)} sentences, {sum(row.durable for row in own)} of them durable; adopt {adopt}, suggest {suggest}")


def _say_held_out(own: Sequence[Row], prompts: Sequence[Prompt]) -> None:
    """Print the curve when real prompts are trained on too, and each owner's are scored without that owner's."""
    scored: list[tuple[float, Prompt]] = []
    for owner in sorted({prompt.owner for prompt in prompts}):
        others = [row for p in prompts if p.owner != owner and p.firm and not p.too_long for row in p.rows]
        weights = trained([*own, *others])
        scored += [(score_of(prompt, weights), prompt) for prompt in prompts if prompt.owner == owner]
    print(f"{'with real ones, owner held out':32}", curve(scored))


if __name__ == "__main__":
    main()

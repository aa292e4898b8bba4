"""Write docs/results/search.md: the search on retrieval sets, beside its baselines. WISEN_SHARED names the data."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from wisen.evals.search_metrics import means
from wisen.evals.search_report import by_category, differences
from wisen.evals.search_runs import BASELINES, DEFAULT, HASHING, VECTORS, WORDS, Answered, Run, run
from wisen.evals.search_sets import read_set

HERE = Path(__file__).resolve().parent.parent
PAGE = HERE / "docs" / "results" / "search.md"
SETS = ("locomo-first5.json.gz", "pytest-fix-even.json.gz", "qmd")
PIPELINES = (DEFAULT, VECTORS, WORDS, HASHING, *BASELINES)
METRICS = ("recall@5", "recall@10", "hit@1", "hit@5", "ndcg@10", "mrr@10")
SAID = {
    "locomo-first5": "Five long conversations between two people; a question, and the turns that hold its answer. "
    "Categories: 1 answers in several places, 2 time, 3 open questions, 4 one place.",
    "pytest-fix-even": "A line of a changelog, and among 5,115 commits the one that it is about.",
    "qmd": "Six documents; easy to hard questions, and 25 with almost no word of the document.",
}
HEAD = """# The search, measured

Made by `make results`. `default` is what `wisen recall` does with the packaged model, `vectors` the same with
`embedding_tokens` off, `words` the same without any model, `hashing` with feature hashing in its place; `bm25` is
SQLite's index alone over the same words, and `grep` counts the words as they are written. Recall is the share of the
answers among the first k, hit whether there is any. Intervals are 95 %, of the difference on the same questions, from a
paired bootstrap. How the search works: [design](../design/search.md).
"""


def main() -> int:
    """Score and write; return the exit code."""
    shared = os.environ.get("WISEN_SHARED", str(HERE.parent / "shared"))
    found = [Path(shared) / "eval" / name for name in SETS]
    if missing := [str(path) for path in found if not path.exists()]:
        print(f"error: there is no {missing[0]}\nhint: WISEN_SHARED names the directory with eval/", file=sys.stderr)
        return 3
    runs = [run(read_set(path), PIPELINES, progress=lambda step: print(step, file=sys.stderr)) for path in found]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text("\n".join((HEAD, *(line for one in runs for line in section(one)))), encoding="utf-8")
    print(PAGE)
    return 0


def section(one: Run) -> Iterator[str]:
    """Yield the lines about one set."""
    queries = len(next(iter(one.pipelines.values())))
    yield f"## {one.name}\n\n{SAID.get(one.name, '')} {queries:,} questions.\n"
    yield from table(("pipeline", *METRICS), [(name, *figures(answered)) for name, answered in one.pipelines.items()])
    yield ""
    for (ours, theirs), metrics in differences(one).items():
        said = ", ".join(f"{metric} {d.mean:+.3f} [{d.low:+.3f}, {d.high:+.3f}]" for metric, d in metrics.items())
        yield f"- {ours} against {theirs}: {said}"
    yield ""
    categories: Mapping[str, Mapping[str, tuple[Answered, ...]]] = by_category(one)
    if categories:
        yield "recall@10 by category:\n"
        rows = [
            (category, f"{len(parts[DEFAULT])}", *(figures(parts[name])[1] for name in PIPELINES))
            for category, parts in categories.items()
        ]
        yield from table(("category", "questions", *PIPELINES), rows)
        yield ""


def figures(answered: Sequence[Answered]) -> tuple[str, ...]:
    """Return the metrics as text."""
    found = means([one.scores for one in answered])
    return tuple(f"{found[metric]:.3f}" for metric in METRICS)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table's lines."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    sys.exit(main())

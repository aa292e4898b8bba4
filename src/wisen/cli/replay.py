"""The commands eval replay and eval verdicts: real sessions played from beginning to end, and memories judged."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.app import App
from wisen.cli.newfile import check_free, new_file
from wisen.cli.options import as_json
from wisen.cli.screen import Column
from wisen.errors import UsageError

if TYPE_CHECKING:
    from wisen.evals.deeds_seen import Again
    from wisen.evals.recorded import Recorded
    from wisen.evals.replaying import Replay

_DIR: Final = click.Path(path_type=Path, file_okay=False)
_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_SCRATCH: Final = "-"


@click.command("replay")
@click.argument("folder", type=_DIR, metavar="DIR")
@click.option("--labels", type=_DIR, metavar="DIR", help="Labels to score by; DIR/../labels if there is one.")
@click.option("--raw", is_flag=True, help="Play Claude Code's own files through its hooks' payloads.")
@click.option("--past", is_flag=True, help="As `wisen learn` would read them: all directories are gone, no recall.")
@click.option("--model", is_flag=True, help="Search by meaning as well, with the packaged model; else by words alone.")
@click.option("--html", type=_FILE, metavar="FILE", help="Write a page with pictures.")
@click.option(
    "--memories",
    is_flag=False,
    flag_value=_SCRATCH,
    default="",
    metavar="[FILE]",
    help="List every memory with its evidence, to be judged (.md or .jsonl; without FILE in a scratch directory).",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@as_json
@click.pass_obj
def replay(
    app: App,
    *,
    folder: Path,
    labels: Path | None,
    raw: bool,
    past: bool,
    model: bool,
    html: Path | None,
    memories: str,
    force: bool,
    as_json: bool,
) -> None:
    """Play a repository's real sessions in time order through the real engine, and tell what came of it.

    DIR is named owner+name and holds events/ (abstract events of any agent) or raw/ (an agent's own files). Nothing of
    yours is read or written: the memories are in a store that is thrown away.
    """
    from wisen.evals.figures import view
    from wisen.evals.replaying import replay as play

    labels = labels or _beside(folder)
    for path in (html, Path(memories) if memories not in {"", _SCRATCH} else None):
        if path is not None:
            check_free(path, force=force)  # before the long work
    with _progress(folder, raw=raw, is_shown=not as_json) as step:
        done = play(folder, labels=labels, raw=raw, is_past=past, with_model=model, step=step)
    if html is not None:
        _write_page(html, done, force=force)
    listed = _write_list(memories, done, force=force)
    if as_json:
        app.screen.json(view(done))
        return
    _show(app, done)
    for path in (html, listed):
        if path is not None:
            app.screen.aside(f"written: {path}")


@click.command("verdicts")
@click.argument("file", type=_FILE, metavar="FILE")
@as_json
@click.pass_obj
def verdicts(app: App, *, file: Path, as_json: bool) -> None:
    """Count the verdicts in a list that `wisen eval replay --memories` wrote, with their 95 % intervals."""
    from wisen.evals.memory_list import shares_of, verdicts_in

    found = verdicts_in(file)
    if not found:
        raise UsageError(f"no memories in {file}", hint="wisen eval replay DIR --memories FILE writes such a list")
    if as_json:
        app.screen.json({name: shares_of(counts) for name, counts in found.items()})
        return
    columns = (Column(name="memories", flexible=True), *(Column(name=name, numeric=True) for name in _VERDICT_COLUMNS))
    app.screen.table(columns, [_verdict_row(name, counts) for name, counts in found.items()])


_VERDICT_COLUMNS: Final = ("keep", "wrong", "useless", "not judged yet")


def _verdict_row(name: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    from wisen.evals.memory_list import UNJUDGED, VERDICTS

    judged = sum(counts.get(word, 0) for word in VERDICTS)
    shares = (_share(counts.get(word, 0), judged) for word in VERDICTS)
    return (name.replace("_", " "), *shares, str(counts.get(UNJUDGED, 0)))


def _beside(folder: Path) -> Path | None:
    labels = folder.resolve().parent / "labels"
    return labels if labels.is_dir() else None


@contextmanager
def _progress(folder: Path, *, raw: bool, is_shown: bool) -> Iterator[Callable[[Recorded], object]]:
    """Lend what shows, on a terminal, how many sessions have been played."""
    if not (is_shown and sys.stderr.isatty()):
        yield lambda _: None
        return
    count = sum(1 for _ in (folder / ("raw" if raw else "events")).glob("*.jsonl*"))
    with click.progressbar(length=count, label="Playing", file=sys.stderr) as bar:
        yield lambda _: bar.update(1)


def _write_page(path: Path, done: Replay, *, force: bool) -> None:
    from wisen.evals.report_page import page

    with new_file(path, force=force) as file:
        file.write(page(done).encode())


def _write_list(wanted: str, done: Replay, *, force: bool) -> Path | None:
    from wisen.evals.memory_list import list_of

    if not wanted:
        return None
    path = Path(wanted)
    if wanted == _SCRATCH:
        path = Path(tempfile.mkdtemp(prefix="wisen-memories-")) / f"{done.repository.replace('/', '+')}.md"
    numbers = {one.session_id: one.number for one in done.sessions}
    text = list_of(done.memories, numbers, done.repository, as_lines=path.suffix == ".jsonl")
    with new_file(path, force=force) as file:
        file.write(text.encode())
    return path


# --- in words ---------------------------------------------------------------------------------------------------


def _show(app: App, done: Replay) -> None:
    from wisen.evals import figures, silence

    sessions = done.sessions
    memories = figures.memory_counts(done.memories)
    chars = sum(figures.chars_of(one) for one in sessions)
    silent = silence.counts(sessions, done.labelled)
    again, in_vain = sum(one.corrected_again for one in sessions), sum(one.in_vain for one in sessions)
    app.screen.line(f"{done.repository}: {len(sessions)} sessions", tone="strong")
    app.screen.fields(
        [
            ("events", f"{sum(one.events for one in sessions):,}"),
            ("prompts", f"{sum(one.prompts for one in sessions):,}"),
            ("signals", str(sum(one.signals for one in sessions))),
            ("candidates", str(sum(one.candidates for one in sessions))),
            ("memories", f"{memories['active']} active, {memories['waiting']} waiting for review"),
            ("silent", f"{silent['stored_nothing']} sessions stored nothing"),
            ("recalled", f"{chars:,} characters, {round(chars / max(len(sessions), 1)):,} a session"),
            ("dropped", _counts(figures.summed(one.dropped for one in sessions))),
            ("said again", f"{again} rules, {in_vain} of them after a recall"),
            ("failures", _again([one.seen.failures for one in sessions])),
            ("lookups", _again([one.seen.lookups for one in sessions])),
        ],
        label_chars=_LABEL_CHARS,
    )
    _show_scores(app, done)


_LABEL_CHARS: Final = 14


def _show_scores(app: App, done: Replay) -> None:
    from wisen.evals import scoring_facts, scoring_moments

    if done.facts:
        counts = scoring_facts.counts(done.facts)
        app.screen.line("Facts of the guide that the sessions fully state", tone="strong")
        names = ("held_in_time", "held_in_time_active", "held", "held_active", "named", "touched")
        shares = [(name.replace("_", " "), _share(counts[name], counts["facts"])) for name in names]
        app.screen.fields(shares, label_chars=24)
    if done.moments:
        app.screen.line("Moments at which an earlier lesson would have helped", tone="strong")
        heads = (Column(name="moments", flexible=True), *(Column(name=one, numeric=True) for one in _MOMENT_COLUMNS))
        app.screen.table(heads, [_moment_row(*one) for one in scoring_moments.counts(done.moments).items()])


def _moment_row(name: str, group: Mapping[str, int]) -> tuple[str, ...]:
    counts = (str(group[key]) for key in ("moments", "served", "in_context", "known", "waiting"))
    return (name.replace("_", " "), *counts, _share(group["served"] + group["in_context"], group["moments"]))


_MOMENT_COLUMNS: Final = ("in all", "served", "in context", "known", "waiting", "served or in context")


def _counts(counted: Mapping[str, int]) -> str:
    return "; ".join(f"{count} {reason}" for reason, count in counted.items())


def _again(seen: list[Again]) -> str:
    from wisen.evals.deeds_seen import Again as Count

    total = sum(seen, Count())
    return (
        f"{total.done}, {total.repeated} repeated; an active memory knew of {total.known}, "
        f"and had been shown before {total.shown}"
    )


def _share(hits: int, of: int) -> str:
    from wisen.evals.gate_score import wilson

    if not of:
        return ""
    low, high = wilson(hits, of)
    return f"{hits} of {of}: {hits / of:.2f} ({low:.2f}-{high:.2f})"

"""The commands export and import-data: memories into a file, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click
from msgspec import Struct

from wisen.cli.answers import read
from wisen.cli.app import App
from wisen.cli.graphs import backed_up
from wisen.cli.options import Scope, as_json, graph_scoped, scoped
from wisen.cli.words import many, size
from wisen.errors import PayloadError, Refused, UsageError

if TYPE_CHECKING:
    from wisen.cli.incoming_file import IncomingFile, Sending, Summary

_TIMEOUT_S: Final = 120.0  # a batch that is cleaned on a slow machine
_PAGE_MEMORIES: Final = 500


class GraphContents(Struct, frozen=True, kw_only=True):
    """How many memories of a graph an export holds."""

    graph: str
    memories: int


class Contents(Struct, frozen=True, kw_only=True):
    """What an export will hold."""

    graphs: tuple[GraphContents, ...]
    lines: tuple[str, ...]
    problems: tuple[str, ...] = ()


class Page(Struct, frozen=True, kw_only=True):
    """Some lines of one graph."""

    lines: tuple[str, ...]
    after: str = ""


@click.command("export")
@click.option("--all", "everything", is_flag=True, help="Every graph: all repositories and your own memories.")
@click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="FILE",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Where to; - is standard output.",
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@graph_scoped
@as_json
@click.pass_obj
def export(app: App, *, everything: bool, output: str, force: bool, scope: Scope, as_json: bool) -> None:
    """Write memories to a file.

    With everything that happened to them. Without --graph or --all: the memories of the repository you are in. The
    file has one JSON object a line, is readable by you alone, and equal memories give an equal file. `wisen
    import-data` reads it. Your prompts and the receipts of recalls are not in it, settings neither, nor the graph of a
    directory that you excluded.
    """
    if output == "-" and as_json:
        raise UsageError("--json tells about the file, so the file needs a place", hint="add -o FILE")
    if everything and scope.graph:
        raise UsageError("--all and --graph are two different things", hint="name one of them")
    where = {"all": "1"} if everything else scope.all
    contents = read(app.get("/v1/export", where, timeout_s=_TIMEOUT_S), Contents)
    total = sum(graph.memories for graph in contents.graphs)
    with _target(output, force=force) as file, _progress("Exporting", total, is_shown=output != "-") as step:
        written = _write(app, contents, file, step)
    for problem in contents.problems:
        app.screen.warn(f"not in the export: {problem}")
    if as_json:
        graphs = [{"graph": one.graph, "memories": one.memories} for one in contents.graphs]
        app.screen.json(
            {"file": output, "memories": total, "bytes": written, "graphs": graphs, "problems": list(contents.problems)}
        )
    elif output != "-":
        app.screen.line(f"Wrote {many(total, 'memory', 'memories')} to {output} ({size(written)}).")
        app.screen.line(
            "Only you can read it. It holds your memories in plain text: keep it as you keep them.", tone="faint"
        )


def _write(app: App, contents: Contents, file: IO[bytes], step: Callable[[int], object]) -> int:
    """Write the whole export and return its length in bytes."""
    from wisen.core.portable import Tally, end_line, header_line

    tally = Tally()
    written = 0

    def put(line: str, *, is_record: bool = True) -> None:
        nonlocal written
        content = line.encode() + b"\n"
        tally.add(content, is_record=is_record)
        written += file.write(content)

    put(header_line([graph.graph for graph in contents.graphs]), is_record=False)
    for line in contents.lines:
        put(line)
    for graph in contents.graphs:
        for line in _lines(app, graph.graph):
            put(line)
            step(1)
    put(end_line(tally.end), is_record=False)
    file.flush()
    return written


def _lines(app: App, graph: str) -> Iterator[str]:
    after = ""
    while True:
        where = {"graph": graph, "after": after, "limit": _PAGE_MEMORIES}
        page = read(app.get("/v1/export/page", where, timeout_s=_TIMEOUT_S), Page)
        yield from page.lines
        after = page.after
        if not after:
            return


@contextmanager
def _target(output: str, *, force: bool) -> Iterator[IO[bytes]]:
    if output == "-":
        yield sys.stdout.buffer
        return
    from wisen.cli.newfile import new_file

    with new_file(Path(output), force=force) as file:
        yield file


@click.command("import-data")
@click.argument("file", type=click.Path(exists=True, allow_dash=True))
@click.option("--dry-run", is_flag=True, help="Only say what would become of each memory.")
@click.option("--into", default="", metavar="GRAPH", help="One graph by its id, instead of the memories' own.")
@click.option("--review", is_flag=True, help="Let everything wait for your review: for a file that is not your own.")
@click.option("--strict", is_flag=True, help="Change nothing unless every line can be used as it is.")
@scoped
@as_json
@click.pass_obj
def import_data(
    app: App, *, file: str, dry_run: bool, into: str, review: bool, strict: bool, scope: Scope, as_json: bool
) -> None:
    """Take in what `wisen export` wrote.

    FILE may be of an older or newer wisen; - is standard input. What is here already stays as it is here, and importing
    twice changes nothing. Secrets are taken out again; a line that can't be used is named and left out.
    The exit code is 6 when a line was left out. Everything is backed up before the first memory is added to those that
    there are: `wisen restore-backup` takes an import back.
    """
    from wisen.cli.incoming_file import IncomingFile, Sending

    app = replace(app, begins=True)
    asked = Sending(app=app, place=scope.place, into=into, review=review, timeout_s=_TIMEOUT_S)
    with IncomingFile.opened(file) as source:
        is_kept = not dry_run and app.paths.control_file.exists()
        told = _sent(source, replace(asked, is_dry=True), "Checking") if strict or is_kept else None
        if told and strict:
            _check(app, told, as_json=as_json)
        backup = backed_up(app) if told and is_kept and told.adds else None
        summary = _sent(source, replace(asked, is_dry=dry_run), "Reading" if dry_run else "Importing")
    _show(app, summary, as_json=as_json, is_dry=dry_run, backup=backup)
    if summary.skipped:
        raise click.exceptions.Exit(PayloadError.exit_code)


def _sent(source: IncomingFile, sending: Sending, label: str) -> Summary:
    with _progress(label, source.size_bytes, is_shown=True) as step:
        return source.send(sending, step)


def _check(app: App, summary: Summary, *, as_json: bool) -> None:
    """Raise Refused for a file of which not every line can be used as it is, after saying what is wrong."""
    if summary.is_clean:
        return
    _show(app, summary, as_json=as_json, is_dry=True)
    raise Refused("not every line can be used as it is: nothing was changed", hint="without --strict the others are")


def _show(app: App, summary: Summary, *, as_json: bool, is_dry: bool, backup: Path | None = None) -> None:
    if as_json:
        app.screen.json(
            {
                "dry_run": is_dry,
                "memories": {name: summary.fates[name] for name in _FATES},
                "identities": dict(sorted(summary.identities.items())),
                "skipped": summary.skipped,
                "problems": [{"line": one.line, "what": one.what} for one in summary.problems],
                "notes": dict(sorted(summary.notes.items())),
                "file": summary.about_file,
                "backup": str(backup) if backup else None,
            }
        )
        return
    app.screen.line("Nothing was changed. This would become of it:" if is_dry else "Imported.", tone="strong")
    app.screen.fields(
        [
            (label, f"{summary.fates[name]:,} {words}" if summary.fates[name] else "")
            for name, (label, words) in _FATES.items()
        ]
    )
    if any(summary.identities.values()):
        known = [f"{count:,} {_IDENTITIES[name]}" for name, count in sorted(summary.identities.items()) if count]
        app.screen.fields([("names", f"which graph is which (former names, first commits): {', '.join(known)}")])
    app.screen.fields([("left out", many(summary.skipped, "line") if summary.skipped else "")])
    for note in summary.about_file:
        app.screen.line(f"! The file: {note}", tone="bad")
    for note, count in sorted(summary.notes.items()):
        app.screen.line(f"! {note} ({many(count, 'record')})", tone="bad")
    for problem in summary.problems[:_MOST_SHOWN]:
        app.screen.line(f"! line {problem.line}: {problem.what}", tone="bad")
    if summary.skipped > _MOST_SHOWN:
        app.screen.line(f"! and {summary.skipped - _MOST_SHOWN:,} more lines: --json names them", tone="bad")
    if backup:
        app.screen.line(f"`wisen restore-backup {backup.name}` brings back everything as it was before.", tone="faint")


@contextmanager
def _progress(label: str, length: int, *, is_shown: bool) -> Iterator[Callable[[int], object]]:
    """Lend what shows, on a terminal, how much of a length is done."""
    if not (is_shown and length and sys.stderr.isatty()):
        yield lambda _: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


_MOST_SHOWN: Final = 20
_FATES: Final = {
    "added": ("added", "new"),
    "same": ("known", "here already"),
    "kept": ("kept", "here already and changed since: they stay as they are here"),
    "twin": ("same words", "that a memory here says already: not added a second time"),
    "put_away": ("put away", "that were forgotten or replaced here after they were said: they stay so"),
    "erased": ("erased", "that you purged here: they stay erased"),
}
_IDENTITIES: Final = {"added": "new", "same": "known already", "kept": "left as they are here"}

COMMANDS: Final = {"export": export, "import-data": import_data}

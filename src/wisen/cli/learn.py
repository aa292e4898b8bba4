"""The commands learn claude-code and learn guide: from the sessions on this disk, and what a guide says already."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from wisen.cli.agents import guarded
from wisen.cli.answers import read
from wisen.cli.app import App
from wisen.cli.options import as_json
from wisen.cli.words import many
from wisen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from wisen.cli.past_summary import Answer
    from wisen.core.past import PastSession

_ALL: Final = "all"
_HARNESS: Final = "claude-code"
_TIMEOUT_S: Final = 600.0  # for one session: a file of a gigabyte on a slow machine
_MOST_BESIDE: Final = 20


class _Family(click.Group):
    """A group without a default: learning is asked for by name."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command; an agent is refused what is not for it."""
        found = super().get_command(ctx, cmd_name)
        return guarded(f"{self.name} {cmd_name}", found) if found else None


@click.group("learn", cls=_Family)
def learn() -> None:
    """Learn from the sessions that lie on this disk."""


@learn.command(_HARNESS)
@click.option("--project", default=_ALL, show_default=True, metavar="PATH|all", help="Sessions that began below PATH.")
@click.option("--since", default="", metavar="DATE|SPAN", help="Sessions still going on then: 30d, 2w, 2030-01-31.")
@click.option("--dry-run", is_flag=True, help="Show what would be learned, and keep nothing.")
@click.option("--repo", default="", metavar="URL|PATH", help="What the directories that are gone were.")
@click.option("--from", "source", default="", metavar="DIR", help="A copy of Claude Code's directory (~/.claude).")
@as_json
@click.pass_obj
def claude_code(app: App, *, project: str, since: str, dry_run: bool, repo: str, source: str, as_json: bool) -> None:
    """Learn from Claude Code's past sessions.

    Reads the session files of Claude Code, oldest first, by the same rules as living sessions; no model is asked and
    nothing leaves this computer. It can be stopped and run again: what was read is not read twice, and nothing is
    learned twice. A session whose directory is gone is filed where its repository is known to be; --repo says which
    one it was. What is not sure waits in `wisen review`.
    """
    from wisen.cli.past_summary import Summary

    began = time.monotonic()
    repo = _repo_meant(repo)
    every = _sessions(app, source)
    chosen = _chosen(app, every, project, since)
    summary = Summary(is_dry=dry_run)
    with _asking(app, dry_run=dry_run) as ask, _progress(chosen, is_shown=not as_json) as step:
        for session in chosen:
            wish = Wish(session=session, beside=_beside(session, every), repo=repo, batch=summary.batch)
            summary.add(session, ask(wish))
            step(session.size)
    summary.seconds = time.monotonic() - began
    if as_json:
        app.screen.json(summary.view)
    else:
        summary.show(app.screen)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A session that is to be learned from, and what helps to place it."""

    session: PastSession
    beside: tuple[str, ...]
    repo: str
    batch: str


def _repo_meant(repo: str) -> str:
    """Return a repository as the engine wants it: an absolute path, or a URL. Raises UsageError."""
    from wisen.core.remotes import parse_repository, url_without_credentials

    if not repo:
        return ""
    place = Path(repo).expanduser()
    if place.is_dir():
        return os.path.abspath(place)  # noqa: PTH100 - links in the path stay as the user sees them
    if parse_repository(repo) is None:
        raise UsageError(
            f"{url_without_credentials(repo)!r} is no directory, and no repository's URL",
            hint="--repo /path/to/clone, --repo https://github.com/owner/name",
        )
    return repo


def _sessions(app: App, source: str) -> tuple[PastSession, ...]:
    """Return all sessions there are. Raises NotFound for a place without any."""
    from wisen.config import home_dir
    from wisen.transcripts.claude_past import config_dir, look, session_files

    place = Path(source).expanduser().absolute() if source else config_dir(app.env, home_dir(app.env))
    found = [session for path in session_files(place) if (session := look(path))]
    if not found:
        raise NotFound(f"no sessions of Claude Code in {place}", hint="--from DIR names another place")
    return tuple(found)


def _chosen(app: App, every: Sequence[PastSession], project: str, since: str) -> tuple[PastSession, ...]:
    from wisen.cli.moments import moment_past
    from wisen.core import past

    chosen = tuple(every)
    if project != _ALL:
        directory = os.path.abspath(Path(project).expanduser())  # noqa: PTH100 - it may be gone, links stay
        chosen = past.of_project(chosen, directory)
        if not chosen:
            raise NotFound(f"no session began in {directory}", hint="`--project all` takes every project")
    if since:
        chosen = past.since(chosen, moment_past(since, app.now()))
    return past.in_order(chosen)


def _beside(session: PastSession, every: Sequence[PastSession]) -> tuple[str, ...]:
    from wisen.core.past import neighbours

    return neighbours(session, every)[:_MOST_BESIDE]


@contextmanager
def _asking(app: App, *, dry_run: bool) -> Iterator[Callable[[Wish], Answer]]:
    """Lend what learns from one session: the daemon, or a store that is thrown away."""
    if not dry_run:
        yield _by_daemon(replace(app, begins=True))
        return
    from wisen.cli.past_summary import answer_of
    from wisen.config import check_platform
    from wisen.evals.rehearsal import rehearsal

    check_platform()
    with rehearsal(app.paths, app.env, harness=_HARNESS) as learned:
        yield lambda wish: answer_of(learned(wish.session, wish.beside, wish.repo))


def _by_daemon(app: App) -> Callable[[Wish], Answer]:
    from wisen.cli.past_summary import Answer

    def ask(wish: Wish) -> Answer:
        session = wish.session
        body: dict[str, object] = {
            "harness": _HARNESS,
            "file": session.path,
            "session_id": session.session_id,
            "cwd": session.cwd,
            "beside": wish.beside,
            "repo": wish.repo,
            "batch": wish.batch,
        }
        return read(app.post("/v1/learn", body, timeout_s=_TIMEOUT_S), Answer)

    return ask


@contextmanager
def _progress(sessions: Sequence[PastSession], *, is_shown: bool) -> Iterator[Callable[[int], object]]:
    """Lend what shows, on a terminal, how much has been read."""
    total = sum(session.size for session in sessions)
    if not (is_shown and total and sys.stderr.isatty()):
        yield lambda _: None
        return
    with click.progressbar(length=total, label="Reading", file=sys.stderr) as bar:
        yield bar.update


class Compared(Struct, frozen=True, kw_only=True):
    """A memory, and what the guide says to it."""

    short: str
    text: str
    status: str = ""
    stance: str = ""
    file: str = ""
    line: int = 0
    says: str = ""


class GuideAnswer(Struct, frozen=True, kw_only=True):
    """What the guides of a work tree say to its memories."""

    files: tuple[str, ...] = ()
    statements: int = 0
    memories: tuple[Compared, ...] = ()


@learn.command("guide")
@click.argument("directory", default=".", metavar="[PATH]", type=click.Path(exists=True, file_okay=False))
@as_json
@click.pass_obj
def guide(app: App, *, directory: str, as_json: bool) -> None:
    """Compare what is remembered with CLAUDE.md and AGENTS.md.

    Says which memories the guide states already, which contradict it, and which are not in it. The guide wins:
    what it states is not learned again, and what contradicts it waits in `wisen review`. Nothing of it is kept.
    """
    where = {"cwd": os.path.abspath(directory), "harness": _HARNESS}  # noqa: PTH100 - links stay as the user sees them
    answer = app.get("/v1/guide", where)
    if as_json:
        app.screen.json(answer)
        return
    found = read(answer, GuideAnswer)
    if not found.files:
        app.screen.line("No CLAUDE.md or AGENTS.md at the top of this work tree.")
        return
    app.screen.line(f"{', '.join(found.files)}: {many(found.statements, 'sentence')}.", tone="faint")
    for stance, head in _STANCES.items():
        if memories := [memory for memory in found.memories if memory.stance == stance]:
            app.screen.line(f"\n{head}", tone="strong")
            for memory in memories:
                app.screen.line(f"{memory.short}  {memory.text}", indent=2)
                if memory.file:
                    app.screen.line(f"{memory.file}:{memory.line}: {memory.says}", indent=12, tone="faint")
    if not found.memories:
        app.screen.line("Nothing is remembered here yet.")


_STANCES: Final = {
    "contradicts": "Contradict the guide, which wins",
    "states": "Stated in the guide already",
    "": "Not in the guide",
}

COMMANDS: Final = {"learn": learn}

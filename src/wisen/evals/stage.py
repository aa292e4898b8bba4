"""A wisen in which recorded sessions are played: real engine and stores, and a world that is as the sessions say.

Time is the time of the event at hand, ids are counted, and every directory is the one repository that the sessions
are of. Nothing outside of a temporary directory is written, and the user's settings are not read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from wisen.compose import Parts, Wisen, compose
from wisen.config import Settings, paths
from wisen.core import graphids
from wisen.core.records import RepoFacts
from wisen.core.remotes import parse_repository
from wisen.core.types import GraphId
from wisen.errors import InvalidValue, Unsupported
from wisen.redact import FloorRedactor
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.keeping import Upkeep
from wisen.transcripts.claude_words import HARNESS

LOGIN: Final = "dev"
_LOADING_S: Final = 60.0
_ROOT: Final = "a" * 40
_HEAD: Final = "b" * 40


@dataclass(slots=True)
class EventClock:
    """Stands at the time of the event at hand."""

    at: datetime = field(default=datetime.fromtimestamp(0, UTC))

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self.at


@dataclass(slots=True)
class CountedIds:
    """Ids that are the same in every run; the last digits, by which a person calls them, differ."""

    count: int = 0

    def new_id(self) -> str:
        """Return the next id, in the form of a UUIDv7."""
        self.count += 1
        return str(UUID(int=(7 << 76) | (2 << 62) | self.count))

    def nonce(self) -> str:
        """Return 8 characters that are the next ones."""
        self.count += 1
        return f"{self.count:08d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRepository:
    """Git's word on directories that are not here: each is in a clone of one repository.

    `tops` are the directories in which sessions began. The outermost of them is the top of the work tree; one below a
    hidden directory (`.worktrees/x`) is a work tree of its own. Without any, nobody can look into a work tree.
    """

    remote: str
    tops: Collection[str] = ()

    def facts(self, cwd: str) -> RepoFacts:
        """Return what git would say."""
        top = self._top(cwd) if self.tops else ""
        return RepoFacts(
            cwd=cwd,
            top=top,
            common_dir=f"{top or cwd}/.git",
            remotes={"origin": self.remote},
            root_commits=(_ROOT,),
            has_commit=True,
            head=_HEAD,
        )

    def contains(self, cwd: str, commit: str) -> bool | None:  # noqa: ARG002 - the port's signature
        """Tell whether a commit is part of the history: only its beginning and its end are known."""
        return commit in {_ROOT, _HEAD}

    def _top(self, cwd: str) -> str:
        around = [top for top in self.tops if cwd == top or (cwd.startswith(f"{top}/") and not _is_hidden(cwd, top))]
        return min(around, key=len, default=cwd)


def _is_hidden(cwd: str, top: str) -> bool:
    """Tell whether a hidden directory stands between a place and one above it."""
    return any(part.startswith(".") for part in cwd[len(top) + 1 :].split("/"))


@dataclass(frozen=True, slots=True)
class AsFound:
    """The files as the sessions found them: what one has just found in a file is there."""

    def holds(self, top: str, path: str) -> bool | None:
        """Tell whether a work tree holds a file; None where there is no work tree."""
        return bool(path) if top else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A wisen, its clock and a directory for files that are gone at the end.

    `is_past`: the sessions are read long after, as `wisen learn` does. Nobody is there to recall for.
    """

    wisen: Wisen
    clock: EventClock
    graph: GraphId
    scratch: Path
    is_past: bool = False


@contextmanager
def stage(
    repository: str, tops: Collection[str], *, is_past: bool = False, with_model: bool = False
) -> Iterator[Stage]:
    """Lend a wisen for one repository, `owner/name`; gone with all its files at the end.

    `is_past`: nobody can look at the files that the sessions saw, as `wisen learn` finds it. `with_model`: it searches
    by meaning as well, with the packaged model. Raises InvalidValue, Unsupported.
    """
    url = f"https://github.com/{repository}.git"
    remote = parse_repository(url)
    if remote is None:
        raise InvalidValue(f"{repository!r} is no repository's name", hint="name the folder owner+name")
    graph = graphids.repo_graph(HARNESS, remote)
    clock = EventClock()
    probe = OneRepository(remote=url, tops=() if is_past else frozenset(tops))
    with tempfile.TemporaryDirectory(prefix="wisen-replay-") as home:
        wisen = _composed(Path(home), clock, probe, embedding="packaged" if with_model else "off")
        try:
            if with_model and wisen.embedders.now(within=_LOADING_S) is None:
                raise Unsupported(f"there is no model: {wisen.embedders.state()}", hint="pip install 'wisen[local]'")
            yield Stage(wisen=wisen, clock=clock, graph=graph, scratch=Path(home), is_past=is_past)
        finally:
            wisen.close()


def _composed(home: Path, clock: EventClock, probe: OneRepository, *, embedding: str) -> Wisen:
    env = {"WISEN_HOME": str(home / "wisen"), "HOME": str(home), "USER": LOGIN}
    where = paths(env)
    parts = Parts(
        control=SqliteControl(where.control_file, Upkeep(now=clock.now, copies=where.backups_dir)),
        graphs=SqliteGraphs(where.graphs_dir, clock, copies=where.backups_dir),
        probe=probe,
        redactor=FloorRedactor(),
        clock=clock,
        ids=CountedIds(),
        tree=AsFound(),
    )
    return compose(where, Settings(user_id=LOGIN, embedding=embedding), env=env, parts=parts)

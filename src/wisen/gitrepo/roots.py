"""Which commits does a repository's history begin with? A walk off the hot path, and what it found, kept.

A walk over the whole history takes seconds in the largest repositories. So it runs in a thread of its own; who asks
waits a bounded time and is told "not yet".

What a walk found is kept by git directory, in memory and in a file. The parentless ancestors of a commit never change,
so an entry names the commit they were read from (`base`). While that commit is still reachable, only what is not
reachable from it is walked; when it is not (a rewritten history, another repository at the same place), the entry is
worth nothing and the walk starts afresh. Either way the answer is exact.

Roots are those of HEAD and the local branches: a worktree on an orphan branch (`gh-pages`) is the same repository.
Remote-tracking branches don't count, because fetching from a project does not make a repository that project.
Whether a commit is part of the history is looked up in the same way: off the hot path, by what is reachable from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec

from wisen.core.remotes import displayable
from wisen.gitrepo.process import Git, NoAnswer
from wisen.ownfiles import make_dir, replace_file

_log = logging.getLogger(__name__)

_RETRY_S = 600.0  # how long a history that could not be walked is left alone
_KNOWN_MAX = 512  # repositories
_CONTAINED_MAX = 512  # answers

_Root: TypeAlias = tuple[int, str]  # (commit time in Unix seconds, commit), so that sorting puts the oldest first


@dataclass(frozen=True, slots=True)
class _Known:
    """The result of a walk: the roots of `base`, and all roots there were when the tips' digest was `tips`."""

    base: str
    base_roots: tuple[_Root, ...]
    tips: str
    roots: tuple[_Root, ...]


@dataclass(slots=True)
class _Walk:
    """A walk under way, or one that failed (`error`)."""

    started: float
    done: threading.Event = field(default_factory=threading.Event)
    error: str = ""


class RootCommits:
    """Root commits of repositories, walked once each. Safe to call from several threads."""

    def __init__(self, git: Git, *, wait_s: float, walk_timeout_s: float, cache_file: Path | None) -> None:
        """Set up; who asks waits at most `wait_s` for one walk, however often they ask."""
        self._git = git
        self._wait_s = wait_s
        self._walk_timeout_s = walk_timeout_s
        self._file = _RootsFile(cache_file)
        self._lock = threading.Lock()
        self._walks: dict[str, _Walk] = {}
        self._contained: dict[str, bool] = {}

    def of(
        self, place: Path, deadline: float, *, common_dir: str, head: str, tips: tuple[str, ...]
    ) -> tuple[tuple[str, ...], str]:
        """Return the roots, oldest first; or nothing and why, when they are not known by the deadline.

        `tips` are the commits at HEAD and the local branches, sorted; `head` is empty on a branch without a commit.
        """
        digest, start = _digest(tips), head or tips[0]
        if (roots := self._file.roots(common_dir, digest)) is not None:
            return roots, ""
        walk = self._walk(common_dir, lambda until: self._read_roots(place, until, common_dir, start, digest))
        self._wait(walk, deadline)
        if (roots := self._file.roots(common_dir, digest)) is not None:
            return roots, ""
        return (), walk.error or "(the history is being read)"

    def contains(
        self, place: Path, deadline: float, commit: str, *, common_dir: str, head: str, tips: tuple[str, ...]
    ) -> bool | None:
        """Return whether HEAD or a local branch is `commit` or descends from it; None if not known by the deadline."""
        key, start = f"{common_dir}\0{commit}\0{_digest(tips)}", head or tips[0]
        if (known := self._contained.get(key)) is not None:
            return known
        walk = self._walk(key, lambda until: self._look_for(place, until, commit, start, key))
        self._wait(walk, deadline)
        return self._contained.get(key)

    def _wait(self, walk: _Walk, deadline: float) -> None:
        walk.done.wait(max(0.0, min(deadline, walk.started + self._wait_s) - time.monotonic()))

    def _walk(self, key: str, read: Callable[[float], None]) -> _Walk:
        """Return the walk under way for this key, begun if there is none; `read` gets its deadline."""
        now = time.monotonic()
        with self._lock:
            walk = self._walks.get(key)
            if walk and (not walk.error or now < walk.started + _RETRY_S):
                return walk
            walk = self._walks[key] = _Walk(started=now)
            while len(self._walks) > _KNOWN_MAX:
                del self._walks[next(iter(self._walks))]
        threading.Thread(target=self._run_walk, args=(walk, key, read), name="wisen-git-walk", daemon=True).start()
        return walk

    def _run_walk(self, walk: _Walk, key: str, read: Callable[[float], None]) -> None:
        """Walk, wake who waits."""
        try:
            read(walk.started + self._walk_timeout_s)
        except NoAnswer as error:
            walk.error = str(error)
            git_dir = displayable(key.partition("\0")[0])
            _log.warning("root_walk_failed", extra={"git_dir": git_dir, "error": walk.error})
        finally:
            with self._lock:
                if not walk.error and self._walks.get(key) is walk:
                    del self._walks[key]
            walk.done.set()

    def _read_roots(self, place: Path, deadline: float, common_dir: str, start: str, digest: str) -> None:
        """Find the roots, from where they were last known on, and keep them."""
        old = self._file.get(common_dir)
        if old and self._is_reachable(place, deadline, old.base, start):
            base, base_roots = old.base, old.base_roots
        else:
            base, base_roots = start, self._parentless(place, deadline, start)
        rest = self._parentless(place, deadline, start, "--branches", "--not", base)
        roots = tuple(sorted({*base_roots, *rest}))
        self._file.put(common_dir, _Known(base=base, base_roots=base_roots, tips=digest, roots=roots))

    def _look_for(self, place: Path, deadline: float, commit: str, start: str, key: str) -> None:
        """Find out whether a commit is in the history, and keep the answer for as long as the tips stay."""
        is_contained = self._is_reachable(place, deadline, commit, start)
        if not place.is_dir():
            raise NoAnswer("no-repo", "the directory is gone")
        with self._lock:
            self._contained[key] = is_contained
            while len(self._contained) > _CONTAINED_MAX:
                del self._contained[next(iter(self._contained))]

    def _parentless(self, place: Path, deadline: float, *revisions: str) -> tuple[_Root, ...]:
        """Return the commits without a parent among `revisions` and what they descend from."""
        answer = self._git.run(place, deadline, "rev-list", "--max-parents=0", "--timestamp", *revisions, "--")
        if answer.code != 0:
            raise NoAnswer("no-git", f"the history can't be read: {answer.reason}")
        pairs = (line.split(" ") for line in answer.out.splitlines())
        return tuple(sorted((int(at), commit) for at, commit in pairs))

    def _is_reachable(self, place: Path, deadline: float, commit: str, start: str) -> bool:
        """Whether `start` or a local branch descends from `commit`, or is it."""
        answer = self._git.run(place, deadline, "rev-list", "--max-count=1", commit, "--not", start, "--branches", "--")
        return answer.code == 0 and not answer.out


class _RootsFile:
    """What walks found, by git directory; in memory, and in a small JSON file if there is a place for it.

    The file is a cache: one that can't be read or written costs a walk, nothing else.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._known: dict[str, _Known] | None = None

    def get(self, common_dir: str) -> _Known | None:
        """Return what is known of a repository."""
        with self._lock:
            return self._all().get(displayable(common_dir))

    def roots(self, common_dir: str, tips: str) -> tuple[str, ...] | None:
        """Return the roots, oldest first, if they are known for exactly these tips."""
        known = self.get(common_dir)
        return tuple(commit for _, commit in known.roots) if known and known.tips == tips else None

    def put(self, common_dir: str, known: _Known) -> None:
        """Keep what is known of a repository, and forget the ones not walked for longest."""
        key = displayable(common_dir)  # JSON holds no other; what two paths then share is checked against the commits
        with self._lock:
            entries = self._all()
            entries.pop(key, None)
            entries[key] = known
            while len(entries) > _KNOWN_MAX:
                del entries[next(iter(entries))]
            if self._path is not None:
                try:
                    make_dir(self._path.parent)
                    replace_file(self._path, msgspec.json.encode(entries))
                except OSError as error:
                    _log.warning("root_cache_unwritable", extra={"path": str(self._path), "error": str(error)})

    def _all(self) -> dict[str, _Known]:
        if self._known is None:
            self._known = {}
            with contextlib.suppress(OSError, msgspec.DecodeError):
                if self._path is not None:
                    self._known = msgspec.json.decode(self._path.read_bytes(), type=dict[str, _Known])
        return self._known


def _digest(tips: tuple[str, ...]) -> str:
    return hashlib.sha256("".join(tips).encode()).hexdigest()

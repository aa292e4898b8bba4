"""What does git say about a directory? Bounded in time; a problem is a value, never an exception.

One cold answer costs three git processes (layout and HEAD, remotes, branch tips); a warm one costs a few `stat` calls.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import stat
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wisen.core.records import GONE, RepoFacts
from wisen.core.remotes import displayable
from wisen.gitrepo.process import Answer, Git, NoAnswer
from wisen.gitrepo.roots import RootCommits

_FRESH_S = 3.0  # how long an answer stands while the files it came from are unchanged
_RETRY_S = 10.0  # how long a git that did not answer twice is left alone
_SEEN_MAX = 256  # answers held in memory
_LAYOUT = (
    "--is-inside-work-tree",
    "--is-bare-repository",
    "--is-shallow-repository",
    "--git-dir",
    "--git-common-dir",
    "--show-prefix",
)
_WATCHED = ("config", "packed-refs", "shallow", "reftable/tables.list")
_REFUSED = re.compile(
    r"dubious ownership in repository at '(.*)'|unsafe repository \('(.*)' is owned|cannot use bare repository '(.*)'"
)


@dataclass(frozen=True, slots=True)
class _Seen:
    """An answer and what makes it stale: a moment, another `.git` on the way up, a change in the files it came from.

    `tips` are the commits at HEAD and the local branches, sorted.
    """

    facts: RepoFacts
    until: float = 0.0
    links: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    stamp: tuple[object, ...] = ()
    tips: tuple[str, ...] = ()


class GitRepo:
    """A `ports.RepoProbe` over the git program. Safe to call from several threads."""

    def __init__(
        self,
        *,
        timeout_s: float = 1.0,
        walk_timeout_s: float = 120.0,
        git: str = "git",
        env: Mapping[str, str] | None = None,
        cache_file: Path | None = None,
    ) -> None:
        """Set up; runs nothing.

        Args:
            timeout_s: the most that one call of `facts` may take, all steps together.
            walk_timeout_s: the most that a walk for root commits may take in its thread.
            git: the program, looked up on PATH.
            env: the environment; by default the process's. HOME counts (it is never a project, and git's own
                settings live there), variables named GIT_* don't.
            cache_file: where root commits are kept between runs; without it, in memory alone.
        """
        environment = dict(os.environ if env is None else env)
        self._timeout_s = timeout_s
        self._git = Git(git, environment)
        self._roots = RootCommits(self._git, wait_s=timeout_s, walk_timeout_s=walk_timeout_s, cache_file=cache_file)
        self._never = _never_projects(environment)
        self._lock = threading.Lock()
        self._seen: dict[str, _Seen] = {}

    def facts(self, cwd: str) -> RepoFacts:
        """Return what git says about `cwd`, within `timeout_s`; a problem is a value, never an exception.

        A directory that is gone keeps its last answer: sessions end after their worktree was removed.
        A file stands for the directory it is in.
        """
        return self._answer(cwd).facts

    def contains(self, cwd: str, commit: str) -> bool | None:
        """Return whether HEAD or a local branch at `cwd` is `commit` or descends from it, within `timeout_s`.

        None while that is not known. It is, for a repository without a commit: it contains none.
        """
        deadline = time.monotonic() + self._timeout_s
        seen = self._answer(cwd)
        facts = seen.facts
        if facts.problem:
            return None
        if not seen.tips:
            return False
        return self._roots.contains(
            Path(facts.cwd), deadline, commit, common_dir=facts.common_dir, head=facts.head, tips=seen.tips
        )

    def _answer(self, cwd: str) -> _Seen:
        """Return the last answer while it stands, else a new one."""
        place = _real_path(cwd)
        if place is None:
            return _Seen(RepoFacts(cwd=cwd, problem="no-repo", detail="not an absolute path"))
        mode = _mode(place)
        if mode is not None and not stat.S_ISDIR(mode):
            place = place.parent
        seen = self._seen.get(str(place))
        if mode is None:
            return seen or _Seen(RepoFacts(cwd=cwd, problem="no-repo", detail=GONE))
        if place in self._never:
            return _Seen(RepoFacts(cwd=str(place), top=str(place), problem="not-a-project"))
        if seen and _is_fresh(seen):
            return seen
        new = self._look(place)
        with self._lock:
            self._seen.pop(str(place), None)
            self._seen[str(place)] = new
            while len(self._seen) > _SEEN_MAX:
                del self._seen[next(iter(self._seen))]
        return new

    def close(self) -> None:
        """Stop every git process this object started; it starts none after that."""
        self._git.close()

    def _look(self, place: Path) -> _Seen:
        """Ask git, and note what the answer depends on."""
        deadline = time.monotonic() + self._timeout_s
        try:
            return self._repository(place, deadline)
        except NoAnswer as error:
            facts = RepoFacts(cwd=str(place), problem=error.problem, detail=str(error))
            before = self._seen.get(str(place))
            is_second = before is not None and before.facts.problem == facts.problem
            return _Seen(facts, time.monotonic() + (_RETRY_S if is_second else 0.0))

    def _repository(self, place: Path, deadline: float) -> _Seen:
        """Read layout, remotes, branches and roots of the repository around `place`."""
        layout = self._git.run(place, deadline, "rev-parse", *_LAYOUT, "HEAD", "--symbolic-full-name", "HEAD")
        lines = layout.out.split("\n")
        if len(lines) <= len(_LAYOUT):
            return _no_repository(place, layout)
        is_inside, is_bare, is_shallow = (word == "true" for word in lines[:3])
        git_dir, common_dir = ((place / line).resolve() for line in lines[3:5])
        project = common_dir.parent if common_dir.name.startswith(".") else common_dir  # `.git`, but `.bare` too
        top = (place, *place.parents)[len(Path(lines[5]).parts)] if is_inside else project
        if top in self._never or project in self._never:
            return _watched(RepoFacts(cwd=str(place), top=str(top), problem="not-a-project"), top)
        head = lines[6] if layout.code == 0 else ""
        ref = lines[7] if head else self._git.run(place, deadline, "symbolic-ref", "-q", "HEAD").out.strip()
        tips = self._tips(place, deadline, head)
        facts = RepoFacts(
            cwd=str(place),
            top=str(top),
            common_dir=str(common_dir),
            remotes=self._remotes(place, deadline),
            has_commit=bool(tips),
            shallow=is_shallow,
            bare=is_bare,
            branch=displayable(ref.removeprefix("refs/heads/")) if ref != "HEAD" else "",
            head=head,
        )
        files = (git_dir / "HEAD", git_dir / "config.worktree", common_dir / ref, *(common_dir / f for f in _WATCHED))
        if not tips or is_shallow:
            return _watched(facts, top, files, tips)
        roots, detail = self._roots.of(place, deadline, common_dir=str(common_dir), head=head, tips=tips)
        seen = _watched(replace(facts, root_commits=roots, detail=detail), top, files, tips)
        return seen if roots else replace(seen, until=0.0)  # asked again at once: the walk may be done by then

    def _remotes(self, place: Path, deadline: float) -> dict[str, str]:
        """Return remote name -> its first URL, as written in the repository's own config files."""
        pattern = r"^remote\..*\.url$"
        answer = self._git.run(place, deadline, "config", "-z", "--show-scope", "--get-regexp", pattern)
        if answer.code not in (0, 1):  # 1: there is none
            raise NoAnswer("no-git", f"git 2.26 or newer is needed: {answer.reason}")
        remotes: dict[str, str] = {}
        scopes, entries = answer.out.split("\0")[0::2], answer.out.split("\0")[1::2]
        for scope, entry in zip(scopes, entries, strict=False):
            key, _, url = entry.partition("\n")
            if scope in ("local", "worktree") and url:
                remotes.setdefault(key.removeprefix("remote.").removesuffix(".url"), url)
        return remotes

    def _tips(self, place: Path, deadline: float, head: str) -> tuple[str, ...]:
        """Return the commits at HEAD and at the local branches, sorted."""
        answer = self._git.run(place, deadline, "for-each-ref", "--format=%(objectname)", "refs/heads")
        if answer.code != 0:
            raise NoAnswer("no-git", answer.reason)
        return tuple(sorted({*answer.out.split(), *((head,) if head else ())}))


def _no_repository(place: Path, answer: Answer) -> _Seen:
    """Tell a directory outside every repository from one git refuses to look into."""
    top = Path(place.anchor)
    refused = _REFUSED.search(answer.err)
    if refused:
        refused_top = next(filter(None, refused.groups()), str(place))
        return _watched(RepoFacts(cwd=str(place), top=refused_top, problem="unsafe"), top)
    return _watched(RepoFacts(cwd=str(place), problem="no-repo", detail=answer.reason), top)


def _watched(facts: RepoFacts, top: Path, files: tuple[Path, ...] = (), tips: tuple[str, ...] = ()) -> _Seen:
    """Return an answer that stands while nothing between `cwd` and `top` becomes a repository and `files` stay."""
    place = Path(facts.cwd)
    way_up = [directory for directory in (place, *place.parents) if directory.is_relative_to(top)]
    links = tuple(directory / ".git" for directory in way_up)
    return _Seen(facts, time.monotonic() + _FRESH_S, links, files, _stamp(links, files), tips)


def _is_fresh(seen: _Seen) -> bool:
    return time.monotonic() < seen.until and _stamp(seen.links, seen.files) == seen.stamp


def _stamp(links: tuple[Path, ...], files: tuple[Path, ...]) -> tuple[object, ...]:
    """Return which `.git` entries there are (their content changes with every git command) and how the files stand."""
    found = [_status(path) for path in links]
    held = [_status(path) for path in files]
    return (
        *(s and (s.st_dev, s.st_ino) for s in found),
        *(s and (s.st_ino, s.st_mtime_ns, s.st_size) for s in held),
    )


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _mode(path: Path) -> int | None:
    status = _status(path)
    return status.st_mode if status else None


def _real_path(cwd: str) -> Path | None:
    """Return the path without symlinks; None for a relative path (relative to what?) or one no file can have."""
    try:
        path = Path(cwd)
        return path.resolve() if path.is_absolute() else None
    except (OSError, RuntimeError, ValueError):  # a loop of symlinks, a NUL
        return None


def _never_projects(env: Mapping[str, str]) -> frozenset[Path]:
    """Return the directories that are no project even when a repository is there: `/`, home and above, temporary."""
    homes = [env.get("HOME", "")]
    with contextlib.suppress(KeyError):
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    never = {Path("/")}
    for home in filter(None, map(_real_path, homes)):
        never |= {home, *home.parents}
    temporary = ("/tmp", "/var/tmp", "/dev/shm", env.get("TMPDIR", ""), env.get("TEMP", ""))  # noqa: S108 - names only
    return frozenset(never.union(filter(None, map(_real_path, temporary))))

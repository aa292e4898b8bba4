"""A scratch home, real repositories beside it, and a script that can stand in front of git."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.builders import T0

from wisen.core.graphids import identify
from wisen.core.records import RepoFacts, RepoIdentity, RootClaim
from wisen.core.types import GraphId
from wisen.gitrepo import GitRepo

REAL_GIT = shutil.which("git") or "git"
ACME = "https://github.com/acme/widgets"
SOON_S = 10.0  # how long a test waits for what happens in another thread or process


class World:
    """A scratch home, repositories beside it, and a git in front of which a script may stand."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.bin = root / "bin"
        self.log = root / "git.log"
        self.home.mkdir()
        self.bin.mkdir()
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n"
            '[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n'
        )
        self.env = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.home)}
        self.commits = 0
        self.probes: list[GitRepo] = []

    def git(self, at: Path, *args: str) -> str:
        when = f"2026-01-01T00:00:{self.commits % 60:02d}Z"
        env = {**self.env, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run([REAL_GIT, *args], cwd=at, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self, at: Path, *args: str) -> str:
        """Commit; the message and time are different every time."""
        self.commits += 1
        self.git(at, "commit", "-q", "--allow-empty", "-m", f"commit {self.commits}", *args)
        return self.git(at, "rev-parse", "HEAD")

    def repo(self, name: str = "repo", *, remote: str = "", commits: int = 1) -> Path:
        at = self.root / name
        at.mkdir(parents=True, exist_ok=True)
        self.git(at, "init", "-q")
        if remote:
            self.git(at, "remote", "add", "origin", remote)
        for _ in range(commits):
            self.commit(at)
        return at

    def probe(self, **over: Any) -> GitRepo:
        probe = GitRepo(**{"env": self.env, "timeout_s": SOON_S, **over})
        self.probes.append(probe)
        return probe

    def facts(self, at: Path | str) -> RepoFacts:
        return self.probe().facts(str(at))

    def put_before_git(self, script: str) -> None:
        """Make `git` a script that logs its arguments and ends in the real one, unless `script` ends it first."""
        program = self.bin / "git"
        program.write_text(f'#!/bin/sh\necho "$@" >> {self.log}\n{script}\nexec {REAL_GIT} "$@"\n')
        program.chmod(0o755)

    def calls(self) -> list[str]:
        """Return the git command lines since the last call."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines


def becomes(condition: Callable[[], bool]) -> bool:
    """Wait for something that happens elsewhere."""
    deadline = time.monotonic() + SOON_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        threading.Event().wait(0.01)
    return True


def identity_of(
    facts: RepoFacts, claims: dict[str, RootClaim] | None = None, *, probe: GitRepo | None = None
) -> RepoIdentity:
    known = {} if claims is None else claims
    identity = identify(
        "claude-code",
        facts,
        login="dev",
        claims=lambda graph: known.get(str(graph)),
        contains=lambda commit: probe.contains(facts.cwd, commit) if probe else None,
        upstream_override=None,
        aliases={},
        now=T0,
    )
    if identity.claim:
        known[identity.claim.graph] = identity.claim
    return identity


def graph_of(facts: RepoFacts) -> GraphId:
    graph = identity_of(facts).write
    assert graph is not None, facts
    return graph

from __future__ import annotations

import os
import sys
import threading
import time

import psutil
from tests.gitrepo.scratch import ACME, SOON_S, World, becomes


def test_a_missing_git_is_a_value(world: World) -> None:
    repo = world.repo()
    assert world.probe(env={"HOME": str(world.home), "PATH": str(world.bin)}).facts(str(repo)).problem == "no-git"
    assert world.probe(git=str(world.root / "nowhere")).facts(str(repo)).problem == "no-git"


def test_a_git_too_old_for_the_question_is_not_taken_for_a_repository_without_remotes(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.put_before_git('case "$*" in *--show-scope*) echo "error: unknown option" >&2; exit 129;; esac')
    facts = world.facts(repo)
    assert facts.problem == "no-git"
    assert "2.26" in facts.detail


def test_a_hanging_git_is_left_in_time_and_none_of_its_children_lives_on(world: World) -> None:
    repo, pids = world.repo(), world.root / "pids"
    world.put_before_git(f"trap '' TERM INT\nsleep 600 & echo $$ $! > {pids}.new && mv {pids}.new {pids}; wait; wait")
    probe = world.probe(timeout_s=1.0)
    before = time.monotonic()
    assert probe.facts(str(repo)).problem == "timeout"
    assert time.monotonic() - before < 4.0
    assert becomes(lambda: not any(is_running(int(pid)) for pid in pids.read_text().split()))
    assert probe.facts(str(repo)).problem == "timeout"  # asked once more: it may have been busy
    world.calls()
    assert probe.facts(str(repo)).problem == "timeout"
    assert world.calls() == []


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_closing_stops_a_walk_under_way_and_starts_no_more_git(world: World) -> None:
    repo, pid = world.repo(), world.root / "pid"
    world.put_before_git(f'case "$*" in *rev-list*) echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 600;; esac')
    probe, answers = world.probe(), []
    asking = threading.Thread(target=lambda: answers.append(probe.facts(str(repo))))
    asking.start()
    assert becomes(pid.exists)
    probe.close()
    asking.join(SOON_S)
    assert [answer.root_commits for answer in answers] == [()]
    assert becomes(lambda: not is_running(int(pid.read_text())))
    world.calls()
    assert probe.facts(str(world.repo("other"))).problem == "timeout"
    assert world.calls() == []


def test_git_gets_no_terminal_no_locks_no_hooks_and_no_network(world: World) -> None:
    repo, seen = world.repo(), world.root / "seen"
    world.put_before_git(f"env >> {seen}; readlink /proc/$$/fd/0 >> {seen} 2>/dev/null || true")
    world.facts(repo)
    for expected in ("GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", f"HOME={world.home}"):
        assert expected in seen.read_text().splitlines()
    if sys.platform == "linux":
        assert "/dev/null" in seen.read_text().splitlines()
    assert all("core.fsmonitor=false" in line and "core.hooksPath=/dev/null" in line for line in world.calls())


def test_asking_writes_nothing_into_the_repository(world: World) -> None:
    repo = world.repo(remote=ACME)
    (repo / "file").write_text("one")
    world.git(repo, "add", "file")
    os.utime(repo / "file")  # the index is stale now: a git that took locks would refresh it
    (repo / ".git" / "index.lock").touch()

    def state() -> dict[str, tuple[int, int]]:
        return {str(p): (p.stat().st_mtime_ns, p.stat().st_size) for p in [repo, *repo.rglob("*")]}

    before = state()
    world.facts(repo)
    assert state() == before

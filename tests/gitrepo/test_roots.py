from __future__ import annotations

import json
import shutil
import time

import pytest
from tests.gitrepo.scratch import ACME, World, becomes, identity_of

from wisen.core.records import Standing


def test_a_long_walk_is_pending_at_the_deadline_and_known_later(world: World) -> None:
    repo, go = world.repo(remote=ACME), world.root / "go"
    world.put_before_git(f'case "$*" in *rev-list*) while [ ! -e {go} ]; do sleep 0.01; done;; esac')
    probe = world.probe(timeout_s=2.0)
    first = probe.facts(str(repo))
    assert (first.problem, first.root_commits, first.remotes) == ("", (), {"origin": ACME})
    assert identity_of(first).standing is Standing.PENDING
    before = time.monotonic()
    probe.facts(str(repo))
    assert time.monotonic() - before < 2.0  # who asks again does not wait again
    go.touch()
    assert becomes(lambda: bool(probe.facts(str(repo)).root_commits))
    assert sum("rev-list" in call for call in world.calls()) == 2  # one walk: HEAD, then what else the branches hold


def test_a_long_search_for_a_commit_is_open_at_the_deadline_and_known_later(world: World) -> None:
    repo, go = world.repo(commits=2), world.root / "go"
    first = world.git(repo, "rev-parse", "HEAD~")
    probe = world.probe(timeout_s=2.0)
    assert probe.facts(str(repo)).root_commits
    world.put_before_git(f'case "$*" in *rev-list*) while [ ! -e {go} ]; do sleep 0.01; done;; esac')
    assert probe.contains(str(repo), first) is None
    before = time.monotonic()
    assert probe.contains(str(repo), first) is None
    assert time.monotonic() - before < 2.0  # who asks again does not wait again
    go.touch()
    assert becomes(lambda: probe.contains(str(repo), first) is True)


def test_a_walk_that_fails_is_said_and_not_tried_again_at_once(world: World) -> None:
    repo = world.repo()
    world.put_before_git('case "$*" in *rev-list*) echo "fatal: bad object" >&2; exit 128;; esac')
    probe = world.probe()
    assert "bad object" in identity_of(probe.facts(str(repo))).note
    world.calls()
    assert identity_of(probe.facts(str(repo))).standing is Standing.PENDING
    assert not any("rev-list" in call for call in world.calls())


def test_what_a_walk_found_outlives_the_process(world: World) -> None:
    repo, cache = world.repo(), world.root / "state" / "roots.json"
    known = world.probe(cache_file=cache).facts(str(repo)).root_commits
    assert cache.stat().st_mode & 0o777 == 0o600
    world.put_before_git("")
    assert world.probe(cache_file=cache).facts(str(repo)).root_commits == known
    assert not any("rev-list" in call for call in world.calls())
    assert [path.name for path in cache.parent.iterdir()] == ["roots.json"]


def test_after_a_commit_only_what_is_new_is_walked(world: World) -> None:
    repo, cache = world.repo(commits=3), world.root / "roots.json"
    base = world.git(repo, "rev-parse", "HEAD")
    known = world.probe(cache_file=cache).facts(str(repo)).root_commits
    world.commit(repo)
    world.put_before_git("")
    assert world.probe(cache_file=cache).facts(str(repo)).root_commits == known
    walks = [call for call in world.calls() if "rev-list" in call]
    assert walks
    assert all("--max-count=1" in call or call.endswith(f"--not {base} --") for call in walks)


def test_a_root_merged_in_later_is_found(world: World) -> None:
    other, repo = world.repo("other"), world.repo()
    probe = world.probe()
    (root,) = probe.facts(str(repo)).root_commits
    world.commits += 1
    world.git(repo, "fetch", "-q", str(other), "main")
    world.git(repo, "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "FETCH_HEAD")
    assert probe.facts(str(repo)).root_commits == (world.git(other, "rev-parse", "HEAD"), root)


def test_a_rewritten_root_replaces_the_old_one(world: World) -> None:
    repo, cache = world.repo(), world.root / "roots.json"
    probe = world.probe(cache_file=cache)
    probe.facts(str(repo))
    root = world.commit(repo, "--amend")
    assert probe.facts(str(repo)).root_commits == (root,)
    assert world.probe(cache_file=cache).facts(str(repo)).root_commits == (root,)


def test_another_repository_at_the_same_place_is_not_taken_for_the_first(world: World) -> None:
    repo, cache = world.repo(), world.root / "roots.json"
    world.probe(cache_file=cache).facts(str(repo))
    shutil.rmtree(repo)
    again = world.repo()
    root = world.git(again, "rev-parse", "HEAD")
    assert world.probe(cache_file=cache).facts(str(again)).root_commits == (root,)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"/x": 1}', b"\xff", None])
def test_a_cache_that_cannot_be_read_costs_a_walk_and_nothing_else(world: World, content: bytes | None) -> None:
    repo, cache = world.repo(), world.root / "roots.json"
    if content is None:
        cache.mkdir()  # nor written
    else:
        cache.write_bytes(content)
    assert len(world.probe(cache_file=cache).facts(str(repo)).root_commits) == 1
    assert content is None or list(json.loads(cache.read_bytes())) == [str(repo / ".git")]


def test_the_cache_forgets_the_repositories_walked_longest_ago(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisen.gitrepo.roots._KNOWN_MAX", 2)
    cache = world.root / "roots.json"
    probe = world.probe(cache_file=cache)
    repos = [world.repo(name) for name in ("one", "two", "three")]
    for repo in repos:
        probe.facts(str(repo))
    assert list(json.loads(cache.read_bytes())) == [str(repo / ".git") for repo in repos[1:]]

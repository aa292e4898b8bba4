from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.builders import FrozenClock, a_memory
from tests.gitrepo.scratch import ACME, World, graph_of, identity_of

from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, RepoFacts, RootClaim, Standing
from wisen.store.memory import InMemoryGraphs

# --- what a repository is ---------------------------------------------------------------------------------------


def test_the_facts_of_a_plain_repository(world: World) -> None:
    repo = world.repo(remote="https://user:tok@github.com/acme/widgets.git")
    root = world.git(repo, "rev-parse", "HEAD")
    head = world.commit(repo)
    world.git(repo, "checkout", "-q", "-b", "feat/x-y")
    assert world.facts(repo) == RepoFacts(
        cwd=str(repo),
        top=str(repo),
        common_dir=str(repo / ".git"),
        remotes={"origin": "https://user:tok@github.com/acme/widgets.git"},
        root_commits=(root,),
        has_commit=True,
        branch="feat/x-y",
        head=head,
    )


@pytest.mark.row("A4")
def test_without_a_remote_every_subdirectory_and_place_gives_the_same_graph(world: World) -> None:
    repo = world.repo()
    for name in ("src/deep", "tests"):
        (repo / name).mkdir(parents=True)
    graphs = {graph_of(world.facts(at)) for at in (repo, repo / "src" / "deep", repo / "tests", repo / ".git")}
    moved = repo.rename(world.root / "moved")
    graphs.add(graph_of(world.facts(moved / "tests")))
    root = world.git(moved, "rev-list", "--max-parents=0", "HEAD")
    assert {str(graph) for graph in graphs} == {f"repo://claude-code/local/{root}"}


@pytest.mark.fault("B49")
def test_two_folders_of_one_name_are_two_graphs(world: World) -> None:
    born = [graph_of(world.facts(world.repo(f"{place}/my-app"))) for place in ("work", "personal")]
    unborn = [graph_of(world.facts(world.repo(f"{place}/monorepo", commits=0))) for place in ("work", "personal")]
    assert len({*born, *unborn}) == 4


@pytest.mark.fault("B58")
def test_a_symlinked_path_is_the_repository_it_leads_to(world: World) -> None:
    repo = world.repo("mem-palace-x", commits=0)
    (repo / "src").mkdir()
    link = world.root / "link"
    link.symlink_to(repo)
    assert world.facts(link / "src").top == str(repo)
    assert graph_of(world.facts(link)) == graph_of(world.facts(repo))


@pytest.mark.fault("B50")
@pytest.mark.row("N1")
def test_a_linked_worktree_sees_the_memories_of_the_main_checkout(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.git(repo, "worktree", "add", "-q", "../wt")
    main, linked = (identity_of(world.facts(at)) for at in (repo, world.root / "wt"))
    stores = InMemoryGraphs(FrozenClock())
    assert main.write is not None
    kept, _ = stores.open(main.write).add(a_memory(), key="k", actor=Actor.USER, reason="told")
    seen = [store.list(MemoryFilter()) for graph in linked.reads if (store := stores.existing(graph))]
    assert [memory.memory_id for memories in seen for memory in memories] == [kept.memory_id]


@pytest.mark.parametrize("remote", ["", ACME])
def test_worktrees_of_one_repository_are_one_graph(world: World, remote: str) -> None:
    repo = world.repo(remote=remote)
    world.git(repo, "worktree", "add", "-q", "../wt")
    world.git(repo, "worktree", "add", "-q", "--detach", "../detached")
    (world.root / "wt" / "sub").mkdir()
    places = [repo, world.root / "wt", world.root / "wt" / "sub", world.root / "detached"]
    facts = [world.facts(at) for at in places]
    assert len({graph_of(each) for each in facts}) == 1
    assert {each.common_dir for each in facts} == {str(repo / ".git")}
    assert [each.branch for each in facts] == ["main", "wt", "wt", ""]


@pytest.mark.fault("B50")
def test_a_bare_repository_with_worktrees_is_one_graph(world: World) -> None:
    repo = world.repo()
    hub = world.root / "hub"
    hub.mkdir()
    world.git(hub, "clone", "-q", "--bare", str(repo), ".bare")
    (hub / ".git").write_text("gitdir: ./.bare\n")
    world.git(hub, "worktree", "add", "-q", "-b", "feature", "feature")
    facts = [world.facts(at) for at in (hub, hub / ".bare", hub / "feature")]
    assert len({graph_of(each) for each in facts}) == 1
    assert [each.bare for each in facts] == [True, True, False]
    assert [each.top for each in facts] == [str(hub), str(hub), str(hub / "feature")]


@pytest.mark.fault("B50")
def test_a_worktree_with_a_relative_gitdir_is_the_same_graph(world: World) -> None:
    repo = world.repo()
    world.git(repo, "worktree", "add", "-q", "../wt")
    (world.root / "wt" / ".git").write_text("gitdir: ../repo/.git/worktrees/wt\n")
    assert graph_of(world.facts(world.root / "wt")) == graph_of(world.facts(repo))


def test_a_worktree_on_an_orphan_branch_is_the_same_repository(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.git(repo, "worktree", "add", "-q", "--detach", "../site")
    site = world.root / "site"
    world.git(site, "checkout", "-q", "--orphan", "gh-pages")
    claims: dict[str, RootClaim] = {}
    assert identity_of(world.facts(repo), claims).standing is Standing.VERIFIED
    assert identity_of(world.facts(site), claims).standing is Standing.VERIFIED
    world.commit(site)
    assert identity_of(world.facts(site), claims).standing is Standing.VERIFIED
    assert len(world.facts(site).root_commits) == 2


def test_roots_come_oldest_first_and_fetched_histories_do_not_count(world: World) -> None:
    old, repo = world.repo("old"), world.repo("repo")
    older, newer = (world.git(at, "rev-parse", "HEAD") for at in (old, repo))
    world.git(repo, "fetch", "-q", str(old), "main:refs/remotes/old/main")
    assert world.facts(repo).root_commits == (newer,)
    world.commits += 1
    world.git(repo, "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "refs/remotes/old/main")
    assert world.facts(repo).root_commits == (older, newer)


def test_a_submodule_is_a_repository_of_its_own(world: World) -> None:
    library, repo = world.repo("library"), world.repo()
    world.git(repo, "submodule", "--quiet", "add", str(library), "vendor/library")
    outer, inner = world.facts(repo), world.facts(repo / "vendor" / "library")
    assert inner.top == str(repo / "vendor" / "library")
    assert graph_of(inner) != graph_of(outer)


def test_a_nested_repository_is_its_own_and_comes_into_view_at_once(world: World) -> None:
    repo = world.repo()
    (repo / "nested").mkdir()
    probe = world.probe()
    assert probe.facts(str(repo / "nested")).top == str(repo)
    world.git(repo / "nested", "init", "-q")
    assert probe.facts(str(repo / "nested")).top == str(repo / "nested")


@pytest.mark.fault("B59")
def test_a_session_that_changes_directory_is_placed_by_each_events_own(world: World) -> None:
    one, two = world.repo("one"), world.repo("two")
    probe = world.probe()
    tops = [probe.facts(str(at)).top for at in (one, two, one)]
    assert tops == [str(one), str(two), str(one)]


def test_a_detached_head_has_no_branch(world: World) -> None:
    repo = world.repo()
    world.git(repo, "checkout", "-q", "--detach")
    facts = world.facts(repo)
    assert (facts.branch, bool(facts.head), facts.has_commit) == ("", True, True)


def test_a_branch_without_a_commit_has_a_name_and_no_head(world: World) -> None:
    facts = world.facts(world.repo(commits=0))
    assert (facts.branch, facts.head, facts.has_commit, facts.root_commits) == ("main", "", False, ())
    assert identity_of(facts).standing is Standing.LOCAL


def test_a_shallow_clone_is_known_as_one_and_its_cut_is_no_root(world: World) -> None:
    repo = world.repo(commits=3)
    world.git(world.root, "clone", "-q", "--depth", "1", f"file://{repo}", "shallow")
    shallow = world.root / "shallow"
    world.git(shallow, "remote", "set-url", "origin", ACME)
    facts = world.facts(shallow)
    assert (facts.shallow, facts.root_commits, facts.has_commit) == (True, (), True)
    assert identity_of(facts).standing is Standing.UNVERIFIED
    probe = world.probe()
    probe.facts(str(shallow))
    world.git(shallow, "fetch", "-q", "--unshallow", f"file://{repo}")
    assert identity_of(probe.facts(str(shallow))).standing is Standing.VERIFIED


def test_replace_refs_do_not_change_where_a_history_begins(world: World) -> None:
    repo = world.repo(commits=2)
    before = world.facts(repo).root_commits
    world.git(repo, "replace", "--graft", "HEAD")
    assert world.facts(repo).root_commits == before


# --- remotes are read raw ---------------------------------------------------------------------------------------


def test_rewriting_rules_of_the_repository_do_not_matter(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.git(repo, "config", "url.https://evil.example/.insteadOf", "https://github.com/")
    assert world.facts(repo).remotes == {"origin": ACME}


def test_included_and_worktree_config_count_and_the_users_own_does_not(world: World) -> None:
    repo = world.repo()
    world.git(repo, "config", "--global", "remote.origin.url", "https://github.com/not/here")
    (repo / ".git" / "more").write_text('[remote "origin"]\n\turl = https://github.com/acme/widgets\n')
    world.git(repo, "config", "include.path", "more")
    world.git(repo, "config", "extensions.worktreeConfig", "true")
    world.git(repo, "config", "--worktree", "remote.dots.in.name.url", "git@h.example:o/r")
    assert world.facts(repo).remotes == {"origin": ACME, "dots.in.name": "git@h.example:o/r"}


def test_the_first_of_several_urls_is_the_remotes(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.git(repo, "remote", "set-url", "--add", "origin", "https://mirror.example/acme/widgets")
    world.git(repo, "remote", "set-url", "--push", "origin", "https://push.example/acme/widgets")
    assert world.facts(repo).remotes == {"origin": ACME}


def test_variables_that_point_git_elsewhere_are_not_handed_on(world: World) -> None:
    repo, other = world.repo(remote=ACME), world.repo("other")
    env = {
        **world.env,
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "remote.origin.url",
        "GIT_CONFIG_VALUE_0": "https://github.com/not/here",
    }
    facts = world.probe(env=env).facts(str(repo))
    assert (facts.top, facts.remotes) == (str(repo), {"origin": ACME})


# --- what is no project -----------------------------------------------------------------------------------------


@pytest.mark.fault("B54")
def test_home_root_and_temporary_directories_are_never_projects(world: World) -> None:
    world.git(world.home, "init", "-q")
    (world.home / "notes").mkdir()
    (world.root / "tmp").mkdir()
    world.git(world.root / "tmp", "init", "-q")
    probe = world.probe(env={**world.env, "TMPDIR": str(world.root / "tmp")})
    places = ["/", "/tmp", "/var/tmp", *(str(world.root / name) for name in ("home", "home/notes", "tmp", "."))]
    assert {place: probe.facts(place).problem for place in places} == dict.fromkeys(places, "not-a-project")
    assert {identity_of(probe.facts(place)).write for place in places} == {None}


def test_a_home_kept_in_a_bare_repository_is_no_project_either(world: World) -> None:
    world.git(world.home, "init", "-q", "--bare", ".dotfiles")
    assert world.facts(world.home / ".dotfiles").problem == "not-a-project"


def test_a_repository_below_home_is_a_project(world: World) -> None:
    world.git(world.home, "init", "-q")
    assert world.facts(world.repo("home/src/app")).top == str(world.home / "src" / "app")


def test_a_directory_outside_every_repository_has_none(world: World) -> None:
    (world.root / "plain").mkdir()
    facts = world.facts(world.root / "plain")
    assert (facts.problem, facts.top) == ("no-repo", "")
    assert "not a git repository" in facts.detail


@pytest.mark.parametrize("cwd", ["", ".", "relative/path", "~", "/nul\0byte", "/no/such/place"])
def test_a_path_that_names_no_directory_has_no_repository(world: World, cwd: str) -> None:
    assert world.facts(cwd).problem == "no-repo"


def test_a_circle_of_symlinks_has_no_repository(world: World) -> None:
    (world.root / "circle").symlink_to("circle")
    assert world.facts(world.root / "circle").problem == "no-repo"


def test_a_file_stands_for_its_directory(world: World) -> None:
    repo = world.repo()
    (repo / "README").touch()
    assert world.facts(repo / "README").top == str(repo)


def test_a_directory_that_is_gone_keeps_its_last_answer(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.git(repo, "worktree", "add", "-q", "../wt")
    probe = world.probe()
    before = probe.facts(str(world.root / "wt"))
    world.git(repo, "worktree", "remove", "../wt")
    assert probe.facts(str(world.root / "wt")) == before
    assert world.facts(world.root / "wt").problem == "no-repo"


def test_a_damaged_repository_is_a_value_with_gits_reason(world: World) -> None:
    repo = world.repo()
    (repo / ".git" / "config").write_text("[broken")
    facts = world.facts(repo)
    assert facts.problem == "no-repo"
    assert "config" in facts.detail


def test_a_repository_of_another_user_is_unsafe_and_says_where(world: World) -> None:
    repo = world.repo()
    (repo / "sub").mkdir()
    world.put_before_git("export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")  # git's own switch for testing this refusal
    facts = world.facts(repo / "sub")
    assert (facts.problem, facts.top) == ("unsafe", str(repo))
    assert f"safe.directory {repo}" in identity_of(facts).note


# --- repeated questions -----------------------------------------------------------------------------------------


def test_an_unchanged_repository_is_asked_about_once(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.put_before_git("")
    probe = world.probe()
    first = probe.facts(str(repo))
    assert len(world.calls()) > 0
    assert [probe.facts(str(repo)) for _ in range(20)] == [first] * 20
    assert world.calls() == []


def test_an_answer_is_asked_anew_after_a_few_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisen.gitrepo.probe._FRESH_S", 0.0)
    repo = world.repo()
    world.put_before_git("")
    probe = world.probe()
    probe.facts(str(repo))
    world.calls()
    probe.facts(str(repo))
    assert world.calls()


def change_url(world: World, repo: Path) -> None:
    world.git(repo, "remote", "set-url", "origin", "https://github.com/acme/gadgets")


def switch_branch(world: World, repo: Path) -> None:
    world.git(repo, "checkout", "-q", "-b", "next")


def commit_once_more(world: World, repo: Path) -> None:
    world.commit(repo)


def pack_and_commit(world: World, repo: Path) -> None:
    world.git(repo, "pack-refs", "--all")
    world.commit(repo)


@pytest.mark.parametrize("change", [change_url, switch_branch, commit_once_more, pack_and_commit])
@pytest.mark.parametrize("place", ["repo", "repo/sub", "wt"])
def test_a_change_is_seen_at_once(world: World, change: Callable[[World, Path], None], place: str) -> None:
    repo = world.repo(remote=ACME)
    (repo / "sub").mkdir()
    world.git(repo, "worktree", "add", "-q", "../wt")
    probe, at = world.probe(), world.root / place
    before = probe.facts(str(at))
    change(world, at)
    after = probe.facts(str(at))
    assert after != before
    assert after == world.facts(at)


def test_a_repository_made_where_none_was_is_seen_at_once(world: World) -> None:
    (world.root / "project" / "sub").mkdir(parents=True)
    probe = world.probe()
    assert probe.facts(str(world.root / "project" / "sub")).problem == "no-repo"
    world.repo("project", commits=0)
    assert probe.facts(str(world.root / "project" / "sub")).branch == "main"


def test_a_first_commit_is_seen_at_once(world: World) -> None:
    repo = world.repo(commits=0)
    probe = world.probe()
    assert not probe.facts(str(repo)).has_commit
    world.commit(repo)
    assert len(probe.facts(str(repo)).root_commits) == 1


def test_many_threads_get_one_answer_from_one_walk(world: World) -> None:
    repo = world.repo(remote=ACME)
    world.put_before_git("")
    probe, answers = world.probe(), []
    threads = [threading.Thread(target=lambda: answers.append(probe.facts(str(repo)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [answers[0]] * 8
    assert answers[0].root_commits
    assert sum("rev-list" in call for call in world.calls()) == 2


def test_answers_held_in_memory_are_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisen.gitrepo.probe._SEEN_MAX", 3)
    probe = world.probe()
    for number in range(6):
        (world.root / str(number)).mkdir()
        probe.facts(str(world.root / str(number)))
    assert len(probe._seen) == 3


# --- text that is no UTF-8 --------------------------------------------------------------------------------------


def test_a_branch_that_is_no_utf_8_has_a_name_that_can_be_shown_and_is_followed(world: World) -> None:
    repo = world.repo()
    world.git(repo, "update-ref", "refs/heads/caf\udce9", "HEAD")
    world.git(repo, "symbolic-ref", "HEAD", "refs/heads/caf\udce9")
    probe = world.probe()
    before = probe.facts(str(repo))
    assert before.branch == "caf\ufffd"
    head = world.commit(repo)
    assert probe.facts(str(repo)).head == head != before.head


def test_remotes_that_are_no_utf_8_are_told_apart(world: World) -> None:
    graphs = set()
    for name, byte in (("one", "\udce9"), ("two", "\udcea")):
        repo = world.repo(name)
        world.git(repo, "config", "remote.origin.url", f"https://h.example/acme/caf{byte}")
        graphs.add(str(graph_of(world.facts(repo))))
    assert graphs == {f"repo://claude-code/h.example/acme/caf%{byte}" for byte in ("E9", "EA")}


def test_a_directory_that_is_no_utf_8_is_a_repository_like_any_other(world: World) -> None:
    cache = world.root / "roots.json"
    repos = [world.repo(name, remote=ACME) for name in ("caf\udce9", "caf\udcea", "plain")]
    probe = world.probe(cache_file=cache)
    facts = [probe.facts(str(repo)) for repo in repos]
    assert [each.top for each in facts] == [str(repo) for repo in repos]
    assert all(each.root_commits for each in facts)
    assert [world.probe(cache_file=cache).facts(str(repo)) for repo in repos] == facts
    unborn = [graph_of(world.facts(world.repo(f"new{byte}", commits=0))) for byte in ("\udce9", "\udcea")]
    assert len(set(unborn)) == 2


def test_a_refusal_that_quotes_bytes_that_are_no_utf_8_can_be_shown(world: World) -> None:
    repo = world.repo("caf\udce9")
    (repo / ".git" / "config").write_text("[broken")
    facts = world.facts(repo)
    assert facts.problem == "no-repo"
    assert facts.detail.encode()
    assert identity_of(facts).note.encode()


# --- which history a clone has ----------------------------------------------------------------------------------


def test_a_history_contains_what_head_and_branches_descend_from(world: World) -> None:
    repo = world.repo(commits=2)
    first, head = world.git(repo, "rev-parse", "HEAD~"), world.git(repo, "rev-parse", "HEAD")
    world.git(repo, "checkout", "-q", "-b", "side", first)
    probe = world.probe()
    assert [probe.contains(str(repo), commit) for commit in (first, head, "e" * 40)] == [True, True, False]
    world.git(repo, "branch", "-q", "-D", "main")
    assert probe.contains(str(repo), first)
    assert not world.probe().contains(str(repo), head)


def test_what_was_only_fetched_is_not_in_a_clones_history(world: World) -> None:
    real, fake = world.repo("real"), world.repo("fake")
    head = world.git(real, "rev-parse", "HEAD")
    world.git(fake, "fetch", "-q", str(real), "main:refs/remotes/origin/main")
    assert world.probe().contains(str(fake), head) is False


def test_where_there_is_no_history_it_contains_nothing_and_where_git_is_silent_nobody_knows(world: World) -> None:
    (world.root / "plain").mkdir()
    probe = world.probe()
    assert probe.contains(str(world.repo("unborn", commits=0)), "e" * 40) is False
    assert probe.contains(str(world.root / "plain"), "e" * 40) is None
    assert probe.contains("relative", "e" * 40) is None


def test_whether_a_commit_is_contained_is_asked_once_for_each_state(world: World) -> None:
    repo = world.repo()
    probe = world.probe()
    probe.facts(str(repo))
    world.put_before_git("")
    assert [probe.contains(str(repo), "e" * 40) for _ in range(5)] == [False] * 5
    assert sum("rev-list" in call for call in world.calls()) == 1
    world.commit(repo)
    probe.contains(str(repo), "e" * 40)
    assert any("e" * 40 in call for call in world.calls())


def test_a_directory_that_is_gone_still_contains_what_it_did_and_nobody_knows_the_rest(world: World) -> None:
    repo = world.repo()
    head = world.commit(repo)
    probe = world.probe()
    assert probe.contains(str(repo), head)
    shutil.rmtree(repo)
    assert probe.contains(str(repo), head)
    assert probe.contains(str(repo), "e" * 40) is None


def shallow_clone(world: World, source: Path, name: str = "shallow") -> Path:
    world.git(world.root, "clone", "-q", "--depth", "1", f"file://{source}", name)
    world.git(world.root / name, "remote", "set-url", "origin", ACME)
    return world.root / name


def test_who_claims_a_remote_only_seen_shallow_must_have_its_commit(world: World) -> None:
    real, fake = world.repo("real", remote=ACME, commits=3), world.repo("fake", remote=ACME)
    shallow = shallow_clone(world, real)
    probe, claims = world.probe(), dict[str, RootClaim]()
    assert identity_of(probe.facts(str(shallow)), claims, probe=probe).standing is Standing.UNVERIFIED
    world.git(fake, "fetch", "-q", str(real), "main:refs/remotes/origin/main")
    foreign = identity_of(probe.facts(str(fake)), claims, probe=probe)
    assert foreign.standing is Standing.FOREIGN
    true = identity_of(probe.facts(str(real)), claims, probe=probe)
    assert (true.standing, true.write) == (Standing.VERIFIED, identity_of(probe.facts(str(shallow)), claims).write)
    assert foreign.write not in true.reads


def test_a_shallow_clone_made_whole_is_the_repository_it_was(world: World) -> None:
    real = world.repo("real", remote=ACME, commits=3)
    shallow = shallow_clone(world, real)
    probe, claims = world.probe(), dict[str, RootClaim]()
    before = identity_of(probe.facts(str(shallow)), claims, probe=probe)
    world.git(shallow, "fetch", "-q", "--unshallow", f"file://{real}")
    after = identity_of(probe.facts(str(shallow)), claims, probe=probe)
    assert (after.standing, after.write) == (Standing.VERIFIED, before.write)
    assert identity_of(probe.facts(str(real)), claims, probe=probe).standing is Standing.VERIFIED


# --- forks, seen by git -----------------------------------------------------------------------------------------


@pytest.mark.row("A8")
def test_a_fork_recalls_upstream_memories_and_writes_only_its_own(world: World) -> None:
    upstream = world.repo("upstream", remote=ACME)
    world.git(world.root, "clone", "-q", str(upstream), "fork")
    fork = world.root / "fork"
    world.git(fork, "remote", "set-url", "origin", "git@github.com:me/widgets.git")
    world.git(fork, "remote", "add", "upstream", ACME)
    claims: dict[str, RootClaim] = {}
    theirs, mine = (identity_of(world.facts(at), claims) for at in (upstream, fork))
    stores = InMemoryGraphs(FrozenClock())
    assert theirs.write is not None
    assert mine.write is not None
    kept, _ = stores.open(theirs.write).add(a_memory(graph=theirs.write), key="1", actor=Actor.USER, reason="told")
    own, _ = stores.open(mine.write).add(a_memory(graph=mine.write), key="2", actor=Actor.USER, reason="told")
    ids = {
        name: {m.memory_id for graph in identity.reads if (s := stores.existing(graph)) for m in s.list(MemoryFilter())}
        for name, identity in (("upstream", theirs), ("fork", mine))
    }
    assert ids == {"upstream": {kept.memory_id}, "fork": {kept.memory_id, own.memory_id}}


def test_a_clone_that_claims_anothers_remote_is_foreign(world: World) -> None:
    real, fake = world.repo("real", remote=ACME), world.repo("fake", remote=ACME)
    claims: dict[str, RootClaim] = {}
    assert identity_of(world.facts(real), claims).standing is Standing.VERIFIED
    world.git(fake, "fetch", "-q", str(real), "main:refs/remotes/origin/main")
    foreign = identity_of(world.facts(fake), claims)
    assert foreign.standing is Standing.FOREIGN
    assert foreign.write not in {None, *identity_of(world.facts(real), claims).reads}

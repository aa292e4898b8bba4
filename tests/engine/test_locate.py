from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import FrozenClock, a_graph, a_memory, a_user_graph
from tests.worlds import ROOT, FakeProbe, World, a_repo

from wisen.config import Settings
from wisen.core.graphids import foreign_graph, local_graph, parse_remote, path_graph
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, RepoFacts, RepoIdentity, RootClaim, Standing
from wisen.core.types import GraphId
from wisen.engine.locate import LocateRules, Locator
from wisen.errors import Conflict, StoreError
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl

H = "claude-code"
ACME, FORK, USER = a_graph(), a_graph("me/widgets"), a_user_graph()
LOCAL = local_graph(H, ROOT)
OTHER_ROOT = "c" * 40
SHALLOW: dict[str, Any] = {"shallow": True, "root_commits": ()}
UNBORN: dict[str, Any] = {"root_commits": (), "has_commit": False, "head": ""}


@pytest.fixture
def world() -> World:
    return World()


def put(world: World, graph: GraphId, text: str) -> None:
    memory = replace(a_memory(text), graph=graph)
    world.graphs.open(graph).add(memory, key=memory.memory_id, actor=Actor.USER, reason="test")


def texts(world: World, identity: RepoIdentity) -> set[str]:
    stores = [store for graph in identity.reads if (store := world.graphs.existing(graph))]
    return {memory.text for store in stores for memory in store.list(MemoryFilter())}


def locate(world: World, cwd: str, facts: RepoFacts | None = None) -> RepoIdentity:
    if facts is not None:
        world.probe.known[cwd] = facts
    return world.wisen.locator.locate(H, cwd)


# --- upstreams named in the settings ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fork", "upstream"),
    [("github.com/me/widgets", "github.com/acme/widgets"), ("GitHub.com/Me/Widgets.git", "github.com/Acme/Widgets")],
)
def test_an_upstream_named_in_the_settings_is_read_and_recalled(fork: str, upstream: str) -> None:
    world = World(Settings(user_id="dev", upstreams={fork: upstream}))
    locate(world, "/repo")
    put(world, ACME, "We use pnpm here, not npm.")
    identity = locate(world, "/fork", a_repo("/fork", remotes={"origin": "git@github.com:me/widgets.git"}))
    assert (identity.write, identity.reads, identity.note) == (FORK, (FORK, ACME, USER), "")
    assert "pnpm" in world.start(cwd="/fork")


# --- what was first seen without a root -------------------------------------------------------------------------


@pytest.mark.parametrize("first", [SHALLOW, UNBORN])
def test_a_stranger_gets_nothing_of_what_a_clone_without_a_root_remembered(world: World, first: dict[str, Any]) -> None:
    assert locate(world, "/repo", a_repo(**first)).standing is Standing.UNVERIFIED
    put(world, ACME, "The staging password is in the vault.")
    stranger = locate(world, "/evil", a_repo("/evil", root_commits=(OTHER_ROOT,), head="f" * 40))
    assert stranger.standing is Standing.FOREIGN
    assert texts(world, stranger) == set()
    assert "vault" not in world.start(cwd="/evil")
    remotes = {"origin": "https://github.com/evil/x", "upstream": "https://github.com/acme/widgets"}
    fork = locate(world, "/evil", a_repo("/evil", remotes=remotes, root_commits=(OTHER_ROOT,), head="f" * 40))
    assert texts(world, fork) == set()
    assert texts(world, locate(world, "/repo", a_repo())) == {"The staging password is in the vault."}


def test_a_full_clone_elsewhere_that_has_the_shallow_ones_commit_goes_on(world: World) -> None:
    shallow = locate(world, "/repo", a_repo(**SHALLOW))
    world.probe.history["/full"] = frozenset({a_repo().head})
    full = locate(world, "/full", a_repo("/full", head="e" * 40))
    assert (full.standing, full.write) == (Standing.VERIFIED, shallow.write)
    del world.probe.history["/full"]  # from here on its root says it
    assert locate(world, "/full").standing is Standing.VERIFIED


def test_trust_settles_a_history_rewritten_since_the_shallow_clone(world: World) -> None:
    locate(world, "/repo", a_repo(**SHALLOW))
    rewritten = a_repo("/new", root_commits=(OTHER_ROOT,), head="e" * 40)
    own = locate(world, "/new", rewritten).write
    trusted = world.wisen.locator.trust(H, "/new")
    assert (trusted.standing, trusted.write, trusted.reads) == (Standing.VERIFIED, ACME, (ACME, own, USER))
    with pytest.raises(Conflict):
        world.wisen.locator.trust(H, "/new")


def test_of_two_clones_seen_at_one_moment_one_is_first() -> None:
    clock, both_asked = FrozenClock(), threading.Barrier(2)

    class Meeting(InMemoryControl):
        """Lets two callers see that nothing is claimed before either can claim it."""

        def root_claim(self, graph: GraphId) -> RootClaim | None:
            claim = super().root_claim(graph)
            if not met.is_set():
                both_asked.wait()
                met.set()
            return claim

    met = threading.Event()
    probe = FakeProbe({"/one": a_repo("/one"), "/two": a_repo("/two", root_commits=(OTHER_ROOT,))})
    locator = Locator(
        probe=probe, control=Meeting(), graphs=InMemoryGraphs(clock), clock=clock, rules=LocateRules(login="dev")
    )
    found: list[RepoIdentity] = []
    threads = [threading.Thread(target=lambda cwd=cwd: found.append(locator.locate(H, cwd))) for cwd in probe.known]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {identity.standing for identity in found} == {Standing.VERIFIED, Standing.FOREIGN}


# --- a graph that gets another id -------------------------------------------------------------------------------


def test_a_first_commit_and_a_first_remote_take_the_memories_along(world: World) -> None:
    unborn = locate(world, "/repo", a_repo(remotes={}, **UNBORN))
    assert unborn.write is not None
    put(world, unborn.write, "one")
    born = locate(world, "/repo", a_repo(remotes={}))
    assert (born.write, texts(world, born)) == (LOCAL, {"one"})
    published = locate(world, "/repo", a_repo())
    assert (published.write, published.reads, texts(world, published)) == (ACME, (ACME, USER), {"one"})
    assert list(world.graphs.graphs()) == [ACME]


@pytest.mark.parametrize("later", [a_repo(remotes={}), a_repo()])
@pytest.mark.parametrize("before", [a_repo(remotes={}, **UNBORN), a_repo(remotes={})])
def test_what_was_said_before_the_first_commit_or_remote_is_filed_where_the_graph_went(
    world: World, before: RepoFacts, later: RepoFacts
) -> None:
    world.probe.known["/repo"] = before
    world.start()
    world.say("We use pnpm here, not npm.")
    world.probe.known["/repo"] = later
    world.say("Fine, now commit all of it and push it, please.")
    (memory,) = world.end().added
    assert memory.graph == locate(world, "/repo").write
    assert "pnpm" in world.start("s2")


def test_what_is_said_in_a_new_repository_at_an_old_place_is_not_filed_with_the_old_ones(world: World) -> None:
    locate(world, "/repo", a_repo(remotes={}, **UNBORN))
    locate(world, "/repo", a_repo(remotes={}))
    world.probe.known["/repo"] = a_repo(remotes={}, **UNBORN)
    world.start()
    world.say("We use pnpm here, not npm.")
    (memory,) = world.end().added
    assert memory.graph == path_graph(H, "/repo/.git")
    born = locate(world, "/repo", a_repo(remotes={}, root_commits=(OTHER_ROOT,)))
    assert texts(world, born) == {memory.text}


def test_what_was_said_under_another_remote_stays_with_it(world: World) -> None:
    world.start()
    world.say("We use pnpm here, not npm.")
    locate(world, "/repo", a_repo(remotes={"origin": "https://github.com/me/widgets"}))
    (memory,) = world.end().added
    assert memory.graph == ACME


def test_where_both_ids_hold_memories_nothing_moves_and_both_are_read(world: World) -> None:
    locate(world, "/repo", a_repo(remotes={}))
    put(world, LOCAL, "learned here")
    put(world, ACME, "put there by its graph id, in no clone")
    published = locate(world, "/repo", a_repo())
    assert locate(world, "/repo") == published
    assert (published.write, published.reads, published.alias_of) == (ACME, (ACME, LOCAL, USER), None)
    assert texts(world, published) == {"learned here", "put there by its graph id, in no clone"}
    assert texts(world, locate(world, "/two", a_repo("/two"))) == {"put there by its graph id, in no clone"}


def test_a_path_graph_nobody_claimed_is_read_beside_and_not_tried_again(world: World) -> None:
    path = path_graph(H, "/repo/.git")
    put(world, path, "before the first commit")
    put(world, LOCAL, "after it")
    identity = locate(world, "/repo", a_repo(remotes={}))
    assert locate(world, "/repo") == identity
    assert (identity.reads, identity.alias_of) == ((LOCAL, path, USER), None)


def test_a_crash_after_the_move_is_made_good_at_the_next_sight(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    locate(world, "/repo", a_repo(remotes={}))
    put(world, LOCAL, "one")
    with monkeypatch.context() as broken:
        broken.setattr(world.control, "save_alias", lambda *_: (_ for _ in ()).throw(OSError("no space left")))
        with pytest.raises(OSError, match="no space"):
            locate(world, "/repo", a_repo())
    identity = locate(world, "/repo", a_repo())
    assert (identity.reads, texts(world, identity)) == ((ACME, USER), {"one"})
    assert locate(world, "/repo").alias_of is None


def test_a_graph_that_can_not_move_now_goes_on_under_its_old_id(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    locate(world, "/repo", a_repo(remotes={}))
    put(world, LOCAL, "one")
    with monkeypatch.context() as busy:
        busy.setattr(world.graphs, "move", lambda *_: (_ for _ in ()).throw(StoreError("somebody reads it")))
        identity = locate(world, "/repo", a_repo())
        assert (identity.write, identity.reads, texts(world, identity)) == (LOCAL, (LOCAL, USER), {"one"})
    identity = locate(world, "/repo", a_repo())
    assert (identity.write, texts(world, identity)) == (ACME, {"one"})


def test_a_clone_put_right_keeps_what_it_learned_as_a_stranger(world: World) -> None:
    locate(world, "/theirs", a_repo("/theirs", root_commits=(OTHER_ROOT,)))
    remote = parse_remote("https://github.com/acme/widgets")
    assert remote is not None
    stranger = locate(world, "/repo")
    assert stranger.write == foreign_graph(H, remote, ROOT)
    put(world, stranger.write, "one")
    right = locate(world, "/repo", a_repo(remotes={"origin": "https://github.com/me/widgets"}))
    assert (right.write, texts(world, right)) == (FORK, {"one"})


# --- directories to stay out of ---------------------------------------------------------------------------------


def staying_out(exclude: tuple[str, ...] = (), internal_dirs: tuple[str, ...] = ()) -> Locator:
    clock = FrozenClock()
    return Locator(
        probe=FakeProbe(),
        control=InMemoryControl(),
        graphs=InMemoryGraphs(clock),
        clock=clock,
        rules=LocateRules(login="dev", exclude=exclude, internal_dirs=internal_dirs),
    )


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A directory with `real/secret`, `real/open` and the link `work` to `real`."""
    for name in ("real/secret/deep", "real/open", "real/a[b]/c"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "jobs").symlink_to("real")
    return tmp_path


@pytest.mark.parametrize("written", ["jobs/secret", "real/secret", "jobs/sec*", "*/secret"])
@pytest.mark.parametrize("reached", ["real/secret", "real/secret/deep", "jobs/secret", "jobs/secret/deep"])
def test_an_excluded_directory_is_excluded_by_whichever_path_it_is_written_and_reached(
    linked: Path, written: str, reached: str
) -> None:
    locator = staying_out((f"{linked}/{written}",))
    assert locator.is_excluded(f"{linked}/{reached}")
    assert not locator.is_excluded(f"{linked}/real/open")
    assert not locator.is_excluded(str(linked))


def test_what_a_link_leads_to_is_no_glob(linked: Path) -> None:
    (linked / "brackets").symlink_to("real/a[b]")
    locator = staying_out((f"{linked}/brackets",))
    assert locator.is_excluded(f"{linked}/real/a[b]/c")
    assert not locator.is_excluded(f"{linked}/real/ab/c")


def test_wisens_own_directories_are_stayed_out_of_by_either_path(linked: Path) -> None:
    locator = staying_out(internal_dirs=(f"{linked}/jobs/a[b]",))
    assert locator.is_excluded(f"{linked}/real/a[b]/c")
    assert locator.is_excluded(f"{linked}/jobs/a[b]")
    assert not locator.is_excluded(f"{linked}/real/ab")
    assert not locator.is_excluded(f"{linked}/real/a[b]-more")


def test_links_in_the_rules_are_followed_once(linked: Path) -> None:
    locator = staying_out((f"{linked}/jobs/secret",))
    (linked / "jobs").unlink()
    assert locator.is_excluded(f"{linked}/real/secret")


@pytest.mark.parametrize("cwd", ["", ".", "relative", "/nul\0byte", "/half\ud800", "/caf\udce9"])
def test_any_text_is_excluded_or_not_but_never_an_error(cwd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/tmp")  # nor is it taken for where wisen itself happens to be
    assert not staying_out(("/tmp", "/somewhere", "*/node_modules")).is_excluded(cwd)
    assert staying_out((f"{cwd}*",)).is_excluded(cwd)


def test_without_rules_nothing_is_excluded() -> None:
    assert not staying_out().is_excluded("/")
    assert not staying_out().is_excluded("")


def test_the_root_directory_excludes_all() -> None:
    assert staying_out(("",)).is_excluded("/src")  # `/`, as it comes from the settings

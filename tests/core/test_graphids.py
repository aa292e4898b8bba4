from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0

from wisen.core.graphids import (
    Remote,
    foreign_graph,
    graph_in_harness,
    identify,
    local_graph,
    own_remote,
    parse_graph_id,
    parse_remote,
    path_graph,
    repo_graph,
    trust,
    user_graph,
)
from wisen.core.records import RepoFacts, RepoIdentity, RootClaim, Standing
from wisen.core.types import GraphId, GraphKind
from wisen.errors import Conflict, InvalidValue, Refused

H = "claude-code"
ROOT, OTHER_ROOT, THIRD_ROOT = "a" * 40, "b" * 40, "c" * 40
USER = user_graph(H, "dev")


def a_remote(text: str = "https://github.com/acme/widgets") -> Remote:
    remote = parse_remote(text)
    assert remote is not None
    return remote


ACME = repo_graph(H, a_remote())
FORK = repo_graph(H, a_remote("https://github.com/me/widgets"))


def some_facts(origin: str = "https://github.com/acme/widgets", **over: Any) -> RepoFacts:
    facts = RepoFacts(
        cwd="/src/widgets",
        top="/src/widgets",
        common_dir="/src/widgets/.git",
        remotes={"origin": origin} if origin else {},
        root_commits=(ROOT,),
        has_commit=True,
        branch="main",
        head="d" * 40,
    )
    return replace(facts, **over)


SHALLOW: dict[str, Any] = {"shallow": True, "root_commits": ()}
UNBORN: dict[str, Any] = {"root_commits": (), "has_commit": False, "head": ""}


@dataclass
class Ledger:
    """Claims and aliases as the control store keeps them, graphs as the graph stores do, and what git would say.

    `history` holds the commits below each clone's HEAD, by its git directory; None where git has not answered yet.
    """

    history: dict[str, set[str] | None] = field(default_factory=dict)
    claims: dict[str, RootClaim] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    graphs: set[GraphId] = field(default_factory=set)

    def ask(self, facts: RepoFacts, *, harness: str = H, upstream: str | None = None) -> RepoIdentity:
        return identify(
            harness,
            facts,
            login="dev",
            claims=lambda graph: self.claims.get(str(graph)),
            contains=lambda commit: self.contains(facts, commit),
            upstream_override=upstream,
            aliases=self.aliases,
            now=T0,
        )

    def contains(self, facts: RepoFacts, commit: str) -> bool | None:
        below = self.history.get(facts.common_dir, set())
        return None if below is None else commit in {facts.head, *below}

    def visit(self, facts: RepoFacts, *, harness: str = H, upstream: str | None = None) -> RepoIdentity:
        """Identify, record what is to be recorded, and write to the graph, as a session there would."""
        identity = self.ask(facts, harness=harness, upstream=upstream)
        if identity.claim:
            self.claims[identity.claim.graph] = identity.claim
        if identity.write:
            if identity.alias_of:
                if identity.alias_of in self.graphs:
                    assert identity.write not in self.graphs, "two graphs would have to be merged"
                    self.graphs.remove(identity.alias_of)
                self.aliases[str(identity.alias_of)] = str(identity.write)
            self.graphs.add(identity.write)
        return identity

    def trust(self, facts: RepoFacts) -> None:
        claim = trust(H, facts, claims=lambda graph: self.claims.get(str(graph)), now=T0)
        self.claims[claim.graph] = claim


# --- ids --------------------------------------------------------------------------------------------------------


def test_ids_have_their_url_form() -> None:
    remote = a_remote("git@gitlab.com:group/sub/proj.git")
    assert str(repo_graph(H, remote)) == "repo://claude-code/gitlab.com/group/sub/proj"
    assert str(local_graph(H, ROOT)) == f"repo://claude-code/local/{ROOT}"
    assert str(foreign_graph(H, remote, ROOT)) == f"repo://claude-code/gitlab.com/group/sub/proj~{ROOT}"
    assert str(path_graph(H, "/src/widgets")).startswith("repo://claude-code/path/")
    assert [str(user_graph(h, "alice")) for h in (H, "opencode")] == [
        "user://claude-code/alice",
        "user://opencode/alice",
    ]
    assert str(user_graph(H, "CORP\\jo smith")) == "user://claude-code/CORP%5Cjo%20smith"


def test_a_path_id_tells_paths_apart_whatever_their_names() -> None:
    paths = ["/src/my-app/.git", "/personal/my-app/.git", "/src/my/app/.git", "/src/my-app-x/.git", "/w/\udcff/.git"]
    assert len({path_graph(H, path) for path in paths}) == len(paths)


def test_a_remote_cannot_take_the_id_of_a_clones_own_graph() -> None:
    spoof = a_remote(f"https://github.com/acme/widgets~{ROOT}")
    assert repo_graph(H, spoof) != foreign_graph(H, a_remote(), ROOT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "repo",
        "repo://",
        "repo://claude-code",
        "repo://claude-code/",
        "repo://claude-code/github.com",
        "repo://claude-code/github.com/",
        "repo://claude-code/github.com/owner/",
        "repo://claude-code/github.com//repo",
        "repo://claude-code/github.com/../repo",
        "repo://claude-code/../../etc",
        "repo://Claude Code/github.com/owner/repo",
        "repo:///github.com/owner/repo",
        "repo://claude-code/github.com/owner/re po",
        "repo://claude-code/github.com/owner/repo\n",
        "repo://claude-code/github.com/owner/repo?x=1",
        "repo://user:pw@claude-code/github.com/owner/repo",
        "user://claude-code/alice/more",
        "https://github.com/owner/repo",
        "REPO://claude-code/github.com/owner/repo",
        " repo://claude-code/github.com/owner/repo",
    ],
)
def test_what_is_no_graph_id_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(InvalidValue) as caught:
        parse_graph_id(text)
    assert repr(text) in caught.value.message or "harness" in caught.value.message


@pytest.mark.parametrize("harness", ["", "Claude", "claude_code", "a/b", "a b", "..", "claude-code\n", "ünï"])
def test_a_bad_harness_name_makes_no_id(harness: str) -> None:
    with pytest.raises(InvalidValue):
        repo_graph(harness, a_remote())
    with pytest.raises(InvalidValue):
        user_graph(harness, "dev")


@pytest.mark.parametrize("login", ["", "  ", ".", ".."])
def test_an_empty_login_makes_no_id(login: str) -> None:
    with pytest.raises(InvalidValue):
        user_graph(H, login)


@pytest.mark.parametrize("root", ["", "abc", "A" * 40, "../" + "a" * 37])
def test_only_a_whole_commit_id_names_a_local_graph(root: str) -> None:
    with pytest.raises(InvalidValue):
        local_graph(H, root)


HARNESSES = st.from_regex(r"[a-z0-9-]{1,12}", fullmatch=True)
COMMITS = st.text("0123456789abcdef", min_size=40, max_size=40)
REMOTES = st.lists(st.text(min_size=1, max_size=10), min_size=2, max_size=4).map(
    lambda names: parse_remote("https://Git.example.org:8443/" + "/".join(names))
)


@st.composite
def graph_ids(draw: st.DrawFn) -> GraphId:
    harness, commit, remote = draw(HARNESSES), draw(COMMITS), draw(REMOTES)
    made = [local_graph(harness, commit), path_graph(harness, draw(st.text()))]
    made += [user_graph(harness, draw(st.text(string.printable, min_size=1).map("u{}".format)))]
    made += [repo_graph(harness, remote), foreign_graph(harness, remote, commit)] if remote else []
    return draw(st.sampled_from(made))


@given(graph_ids())
def test_an_id_and_its_text_are_the_same_thing(graph: GraphId) -> None:
    assert parse_graph_id(str(graph)) == graph
    assert str(graph).isascii()
    assert str(graph).isprintable()


@given(st.from_regex(r"(repo|user|vault)://[a-z-]{1,5}/[a-z.~%@+/:A-Z0-9]{1,20}", fullmatch=True))
def test_whatever_text_is_accepted_comes_back_unchanged(text: str) -> None:
    try:
        graph = parse_graph_id(text)
    except InvalidValue:
        return
    assert str(graph) == text
    assert graph.harness == text.split("/")[2]


@given(graph_ids(), HARNESSES)
def test_a_graph_of_one_harness_is_refused_to_every_other(graph: GraphId, harness: str) -> None:
    if harness == graph.harness:
        graph_in_harness(graph, harness)
    else:
        with pytest.raises(Refused):
            graph_in_harness(graph, harness)


# --- the harness never changes ----------------------------------------------------------------------------------

REMOTE_TEXTS = st.one_of(
    st.sampled_from(
        [
            "https://github.com/acme/widgets",
            "repo://opencode/github.com/acme/widgets",
            "https://opencode/github.com/acme/widgets",
            "opencode:github.com/acme/widgets",
            "https://github.com/../../opencode/github.com/acme/widgets",
            "https://github.com/%2e%2e/opencode",
            "",
        ]
    ),
    st.text(max_size=30),
)


@pytest.mark.row("A5")
@given(
    origin=REMOTE_TEXTS,
    upstream=REMOTE_TEXTS,
    override=st.none() | REMOTE_TEXTS,
    login=st.text(min_size=1, max_size=20),
    alias=st.text(max_size=20) | graph_ids().map(str),
    state=st.sampled_from(
        [{}, UNBORN, {"shallow": True, "root_commits": ()}, {"root_commits": ()}, {"problem": "no-repo"}]
    ),
)
def test_no_remote_setting_login_or_alias_leads_out_of_the_harness(
    origin: str, upstream: str, override: str | None, login: str, alias: str, state: Mapping[str, Any]
) -> None:
    facts = some_facts(remotes={"origin": origin, "upstream": upstream}, **state)
    starts = [local_graph(H, ROOT), path_graph(H, facts.common_dir), ACME]
    try:
        identity = identify(
            H,
            facts,
            login=login,
            claims=lambda _: None,
            contains=lambda _: None,
            upstream_override=override,
            aliases={str(graph): alias for graph in starts},
            now=T0,
        )
    except InvalidValue:
        assert not login.strip() or login.strip() in (".", "..")
        return
    graphs = [graph for graph in (*identity.reads, identity.write, identity.alias_of) if graph]
    assert {graph.harness for graph in graphs} <= {H}
    assert identity.write is None or identity.write.kind is GraphKind.REPO


def test_two_harnesses_in_one_repository_share_nothing() -> None:
    ledger = Ledger()
    claude, opencode = ledger.visit(some_facts()), ledger.visit(some_facts(), harness="opencode")
    assert not set(claude.reads) & set(opencode.reads)
    assert opencode.standing is Standing.VERIFIED


# --- own graph --------------------------------------------------------------------------------------------------


def test_the_first_root_seen_for_a_remote_claims_it() -> None:
    identity = Ledger().ask(some_facts())
    assert (identity.standing, identity.write, identity.reads) == (Standing.VERIFIED, ACME, (ACME, USER))
    assert identity.claim == RootClaim(graph=str(ACME), root=ROOT, first_seen=T0)


def test_a_second_clone_of_the_same_history_needs_no_new_claim() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    again = ledger.ask(some_facts("git@github.com:Acme/Widgets.git", common_dir="/elsewhere/.git"))
    assert (again.write, again.claim, again.alias_of) == (ACME, None, None)


def test_a_clone_with_another_root_gets_a_graph_of_its_own_and_never_reads_the_others() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    stranger = ledger.visit(some_facts(root_commits=(OTHER_ROOT,), common_dir="/b/.git"))
    assert stranger.standing is Standing.FOREIGN
    assert stranger.write not in (None, ACME)
    assert stranger.reads == (stranger.write, USER)
    assert "`wisen repo trust`" in stranger.note
    third = ledger.visit(some_facts(root_commits=(THIRD_ROOT,), common_dir="/c/.git"))
    assert third.write != stranger.write
    assert ledger.ask(some_facts()).standing is Standing.VERIFIED


def test_any_root_in_common_is_the_same_repository() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    assert ledger.ask(some_facts(root_commits=(OTHER_ROOT, ROOT))).write == ACME
    assert ledger.ask(some_facts(root_commits=(OTHER_ROOT, THIRD_ROOT))).standing is Standing.FOREIGN


def test_the_oldest_root_is_the_one_that_claims() -> None:
    claim = Ledger().ask(some_facts(root_commits=(OTHER_ROOT, ROOT))).claim
    assert claim is not None
    assert claim.root == OTHER_ROOT


def test_trust_joins_a_rewritten_history_and_keeps_what_was_learned_before() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    rewritten = some_facts(root_commits=(OTHER_ROOT,), common_dir="/b/.git")
    own = ledger.visit(rewritten).write
    assert own is not None
    ledger.trust(rewritten)
    joined = ledger.visit(rewritten)
    assert (joined.standing, joined.write, joined.reads) == (Standing.VERIFIED, ACME, (ACME, own, USER))
    assert ledger.ask(some_facts()).write == ACME
    assert ledger.ask(some_facts(root_commits=(THIRD_ROOT,))).standing is Standing.FOREIGN


def test_trusting_twice_is_trusting_once() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    for _ in range(2):
        ledger.trust(some_facts(root_commits=(OTHER_ROOT,)))
    assert ledger.claims[str(ACME)].trusted == (OTHER_ROOT,)


@pytest.mark.parametrize("facts", [some_facts(""), some_facts(root_commits=()), some_facts(**UNBORN)])
def test_without_remote_or_root_there_is_nothing_to_trust(facts: RepoFacts) -> None:
    with pytest.raises(Conflict):
        trust(H, facts, claims=lambda _: None, now=T0)


@pytest.mark.parametrize("over", [SHALLOW, UNBORN])
def test_a_shallow_or_empty_clone_goes_by_its_remote_unverified(over: Mapping[str, Any]) -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    identity = ledger.ask(some_facts(**over))
    assert (identity.standing, identity.write, identity.reads) == (Standing.UNVERIFIED, ACME, (ACME, USER))
    assert identity.claim is None
    assert "acme/widgets" in identity.note


@pytest.mark.parametrize("origin", ["https://github.com/acme/widgets", ""])
def test_until_the_root_of_a_full_clone_is_known_nothing_is_read_or_written(origin: str) -> None:
    identity = Ledger().ask(some_facts(origin, root_commits=(), detail="(the history is being read)"))
    assert (identity.standing, identity.write, identity.reads) == (Standing.PENDING, None, ())
    assert "being read" in identity.note


# --- first seen without a root ----------------------------------------------------------------------------------

H1, H2 = "d" * 40, "e" * 40


def a_shallow_clone(**over: Any) -> RepoFacts:
    return some_facts(**{**SHALLOW, "head": H1, "common_dir": "/shallow/.git", **over})


def a_full_clone(**over: Any) -> RepoFacts:
    return some_facts(**{"head": H2, "common_dir": "/full/.git", **over})


def seen_shallow(**over: Any) -> Ledger:
    ledger = Ledger(history={"/full/.git": {H1}})
    ledger.visit(a_shallow_clone(**over))
    return ledger


def a_stranger(**over: Any) -> RepoFacts:
    return some_facts(**{"root_commits": (OTHER_ROOT,), "head": "f" * 40, "common_dir": "/evil/.git", **over})


def test_a_stranger_cannot_take_over_what_was_only_seen_shallow() -> None:
    ledger = seen_shallow()
    stranger = ledger.visit(a_stranger())
    assert stranger.standing is Standing.FOREIGN
    assert stranger.reads == (stranger.write, USER)
    assert stranger.write == foreign_graph(H, a_remote(), OTHER_ROOT)
    assert "`wisen repo trust`" in stranger.note
    true = ledger.visit(a_full_clone())
    assert (true.standing, true.write, true.reads) == (Standing.VERIFIED, ACME, (ACME, USER))


def test_a_full_clone_that_has_the_shallow_ones_commit_brings_the_root() -> None:
    ledger = seen_shallow()
    claim = ledger.visit(a_full_clone()).claim
    assert claim == RootClaim(graph=str(ACME), root=ROOT, first_seen=T0)
    assert ledger.ask(a_full_clone(common_dir="/third/.git")).standing is Standing.VERIFIED
    assert ledger.ask(a_full_clone()).claim is None
    assert ledger.ask(a_shallow_clone()).standing is Standing.UNVERIFIED


@pytest.mark.parametrize("before", [SHALLOW, UNBORN])
def test_what_becomes_a_full_clone_where_it_was_first_seen_goes_on(before: Mapping[str, Any]) -> None:
    ledger = Ledger()
    ledger.visit(some_facts(**before))
    whole = ledger.visit(some_facts(head=H2))  # unshallowed, or its first commit; fetched from a rewritten history
    assert (whole.standing, whole.write) == (Standing.VERIFIED, ACME)
    assert ledger.claims[str(ACME)].root == ROOT


def test_an_empty_clone_is_a_witness_for_its_own_place_alone() -> None:
    ledger = Ledger()
    ledger.visit(some_facts(**UNBORN))
    assert ledger.ask(a_stranger()).standing is Standing.FOREIGN


@pytest.mark.parametrize("over", [SHALLOW, UNBORN])
def test_a_stranger_that_shows_no_root_first_is_no_witness(over: Mapping[str, Any]) -> None:
    ledger = seen_shallow()
    assert ledger.visit(a_stranger(**over)).standing is Standing.UNVERIFIED
    assert ledger.visit(a_stranger()).standing is Standing.FOREIGN
    assert ledger.visit(a_full_clone()).standing is Standing.VERIFIED


def test_a_history_rewritten_meanwhile_is_settled_by_trust_and_the_old_one_stays_welcome() -> None:
    ledger = seen_shallow()
    ledger.history["/new/.git"] = set()
    rewritten = a_full_clone(common_dir="/new/.git", root_commits=(OTHER_ROOT,))
    own = ledger.visit(rewritten).write
    assert own is not None
    assert own != ACME
    ledger.trust(rewritten)
    joined = ledger.visit(rewritten)
    assert (joined.standing, joined.write, joined.reads) == (Standing.VERIFIED, ACME, (ACME, own, USER))
    assert ledger.visit(a_full_clone()).standing is Standing.VERIFIED
    assert ledger.ask(rewritten).standing is Standing.VERIFIED
    assert ledger.ask(a_stranger(root_commits=(THIRD_ROOT,))).standing is Standing.FOREIGN


def test_a_clone_that_is_behind_the_shallow_one_keeps_what_it_learned_when_it_catches_up() -> None:
    ledger = seen_shallow()
    ledger.history["/full/.git"] = set()
    behind = ledger.visit(a_full_clone())
    assert behind.standing is Standing.FOREIGN
    assert behind.write is not None
    ledger.history["/full/.git"] = {H1}
    assert ledger.visit(a_full_clone()).reads == (ACME, behind.write, USER)


def test_until_git_has_looked_for_the_shallow_ones_commit_nothing_is_read_or_written() -> None:
    ledger = seen_shallow()
    ledger.history["/full/.git"] = None
    identity = ledger.ask(a_full_clone())
    assert (identity.standing, identity.write, identity.reads) == (Standing.PENDING, None, ())
    assert "acme/widgets is not known yet" in identity.note


def test_git_is_only_asked_where_no_root_says_it() -> None:
    def unasked(_: str) -> bool:
        pytest.fail("git was asked")

    ledger = Ledger()
    ledger.visit(some_facts())
    for facts in (some_facts(), a_stranger(), a_shallow_clone(), a_fork(), a_fork(root_commits=(OTHER_ROOT,))):
        identify(
            H,
            facts,
            login="dev",
            claims=lambda graph: ledger.claims.get(str(graph)),
            contains=unasked,
            upstream_override=None,
            aliases={},
            now=T0,
        )


def test_a_shallow_clone_does_not_change_a_root_that_is_known() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    shallow = ledger.visit(a_shallow_clone())
    assert (shallow.standing, shallow.reads, shallow.claim) == (Standing.UNVERIFIED, (ACME, USER), None)


def test_a_shallow_clones_remote_added_later_takes_the_path_graph_along() -> None:
    ledger = Ledger()
    path = ledger.visit(a_shallow_clone(remotes={})).write
    assert ledger.visit(a_shallow_clone()).alias_of == path
    assert ledger.visit(a_full_clone(common_dir="/shallow/.git")).write == ACME
    assert ledger.graphs == {ACME}


# --- without a remote -------------------------------------------------------------------------------------------


def test_without_a_remote_the_root_commit_names_the_graph_wherever_the_repository_is() -> None:
    here = Ledger().ask(some_facts(""))
    there = Ledger().ask(some_facts("", top="/moved", common_dir="/moved/.git", cwd="/moved/deep/below"))
    assert here.standing is Standing.LOCAL
    assert here.write == there.write == local_graph(H, ROOT)


@pytest.mark.fault("B49")
def test_two_folders_of_one_name_without_a_remote_are_two_graphs() -> None:
    ours = some_facts("", common_dir="/src/my-app/.git")
    personal = some_facts("", common_dir="/personal/my-app/.git", root_commits=(OTHER_ROOT,))
    assert Ledger().ask(ours).write != Ledger().ask(personal).write
    assert Ledger().ask(replace(ours, **UNBORN)).write != Ledger().ask(replace(personal, **UNBORN)).write


def test_a_merged_in_older_history_does_not_rename_a_local_graph() -> None:
    ledger = Ledger()
    ledger.visit(some_facts(""))
    merged = ledger.visit(some_facts("", root_commits=(OTHER_ROOT, ROOT)))
    assert merged.write == local_graph(H, ROOT)


def test_the_first_commit_moves_the_path_graph() -> None:
    ledger = Ledger()
    path = ledger.visit(some_facts("", **UNBORN)).write
    born = ledger.visit(some_facts(""))
    assert (born.write, born.alias_of) == (local_graph(H, ROOT), path)
    assert ledger.graphs == {local_graph(H, ROOT)}
    assert ledger.visit(some_facts("")).alias_of is None


def test_a_remote_added_later_takes_the_local_graph_along() -> None:
    ledger = Ledger()
    ledger.visit(some_facts("", **UNBORN))
    ledger.visit(some_facts(""))
    published = ledger.visit(some_facts())
    assert (published.write, published.alias_of) == (ACME, local_graph(H, ROOT))
    assert ledger.graphs == {ACME}
    assert ledger.visit(some_facts()).alias_of is None


def test_a_remote_added_before_the_first_commit_takes_the_path_graph_along() -> None:
    ledger = Ledger()
    path = ledger.visit(some_facts("", **UNBORN)).write
    assert ledger.visit(some_facts(**UNBORN)).alias_of == path
    assert ledger.visit(some_facts()).standing is Standing.VERIFIED
    assert ledger.graphs == {ACME}


def test_where_the_remotes_graph_is_there_already_the_former_one_is_read_beside_it() -> None:
    ledger = Ledger()
    ledger.visit(some_facts(common_dir="/other-clone/.git"))
    ledger.visit(some_facts(""))
    published = ledger.visit(some_facts())
    assert (published.write, published.alias_of) == (ACME, None)
    assert published.reads == (ACME, local_graph(H, ROOT), USER)


def test_a_wrong_remote_put_right_keeps_what_was_learned_meanwhile() -> None:
    ledger = Ledger()
    ledger.visit(some_facts(root_commits=(OTHER_ROOT,), common_dir="/theirs/.git"))
    own = ledger.visit(some_facts()).write
    right = ledger.visit(some_facts("https://github.com/me/widgets"))
    assert (right.standing, right.write, right.alias_of) == (Standing.VERIFIED, FORK, own)


def test_a_new_repository_at_an_old_place_does_not_see_the_old_ones_memories() -> None:
    ledger = Ledger()
    ledger.visit(some_facts("", **UNBORN))
    ledger.visit(some_facts(""))
    unborn = ledger.visit(some_facts("", **UNBORN))
    assert unborn.reads == (path_graph(H, "/src/widgets/.git"), USER)
    born = ledger.visit(some_facts("", root_commits=(OTHER_ROOT,)))
    assert born.reads == (local_graph(H, OTHER_ROOT), USER)
    assert ledger.graphs == {local_graph(H, ROOT), local_graph(H, OTHER_ROOT)}


def test_aliases_in_a_circle_end() -> None:
    one, two = local_graph(H, ROOT), local_graph(H, OTHER_ROOT)
    ledger = Ledger(aliases={str(one): str(two), str(two): str(one)})
    assert ledger.ask(some_facts("")).write == two


# --- which remote -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("remotes", "expected"),
    [
        ({"zeta": "https://h.example/z/z", "origin": "https://h.example/o/o"}, "h.example/o/o"),
        ({"origin": "/srv/mirror.git", "github": "https://h.example/g/g"}, "h.example/g/g"),
        ({"upstream": "https://h.example/u/u", "mine": "https://h.example/m/m"}, "h.example/m/m"),
        ({"upstream": "https://h.example/u/u"}, "h.example/u/u"),
        ({"b": "https://h.example/b/b", "a": "https://h.example/a/a"}, "h.example/b/b"),
    ],
)
def test_origin_names_the_repository_then_the_first_url_then_upstream(remotes: dict[str, str], expected: str) -> None:
    assert str(own_remote(some_facts(remotes=remotes))) == expected


# --- forks ------------------------------------------------------------------------------------------------------


def a_fork(**over: Any) -> RepoFacts:
    remotes = {"origin": "git@github.com:me/widgets.git", "upstream": "https://github.com/acme/widgets"}
    return some_facts(**{"remotes": remotes, "common_dir": "/fork/.git", **over})


@pytest.mark.parametrize(
    ("facts", "override"),
    [
        (a_fork(), None),
        *(
            (a_fork(remotes={"origin": "git@github.com:me/widgets.git"}), override)
            for override in (
                "github.com/acme/widgets",
                "https://github.com/acme/widgets.git",
                "git@github.com:acme/widgets.git",
            )
        ),
    ],
)
def test_a_fork_reads_upstream_and_writes_its_own(facts: RepoFacts, override: str | None) -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    fork = ledger.visit(facts, upstream=override)
    assert (fork.standing, fork.write, fork.reads) == (Standing.VERIFIED, FORK, (FORK, ACME, USER))
    assert ledger.ask(some_facts()).reads == (ACME, USER)


def test_an_empty_override_reads_no_upstream() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    identity = ledger.ask(a_fork(), upstream="")
    assert (identity.reads, identity.note) == ((FORK, USER), "")


def test_an_upstream_with_another_root_is_not_read_and_that_is_said() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    fork = ledger.ask(a_fork(root_commits=(OTHER_ROOT,)))
    assert (fork.write, fork.reads) == (FORK, (FORK, USER))
    assert "acme/widgets is not read: it has another root commit" in fork.note


def test_an_upstream_that_no_clone_of_was_seen_is_not_read_and_that_is_said() -> None:
    fork = Ledger().ask(a_fork())
    assert (fork.standing, fork.reads) == (Standing.VERIFIED, (FORK, USER))
    assert "acme/widgets is not read: no clone of it was seen here" in fork.note


def test_an_upstream_only_seen_shallow_is_read_by_who_has_its_commit() -> None:
    ledger = seen_shallow()
    ledger.history["/fork/.git"] = {H1}
    assert ledger.ask(a_fork(head=H2)).reads == (FORK, ACME, USER)
    ledger.history["/fork/.git"] = set()
    stranger = ledger.ask(a_fork(head=H2))
    assert stranger.reads == (FORK, USER)
    assert "nothing shows that this clone is a fork of it" in stranger.note
    ledger.history["/fork/.git"] = None
    assert ledger.ask(a_fork(head=H2)).reads == (FORK, USER)


def test_reading_an_upstream_proves_nothing_about_its_root() -> None:
    ledger = seen_shallow()
    ledger.history["/fork/.git"] = {H1}
    ledger.visit(a_fork(head=H2, root_commits=(OTHER_ROOT,)))
    assert ledger.claims[str(ACME)].root == ""


def test_a_foreign_clone_cannot_come_in_by_naming_the_project_as_upstream() -> None:
    ledger = Ledger()
    ledger.visit(some_facts())
    url = "https://github.com/acme/widgets"
    both = some_facts(remotes={"origin": url, "upstream": url}, root_commits=(OTHER_ROOT,), common_dir="/b/.git")
    assert ACME not in ledger.visit(both).reads


@pytest.mark.parametrize("override", ["repo://opencode/github.com/acme/widgets", "/srv/acme.git", "acme", "x:T@h/o/r"])
def test_an_override_that_names_no_repository_is_reported_and_ignored(override: str) -> None:
    identity = Ledger().ask(some_facts(), upstream=override)
    assert identity.reads == (ACME, USER)
    assert "is not a repository like github.com/owner/repo" in identity.note
    assert "T@" not in identity.note


def test_an_upstream_remote_that_is_a_local_directory_is_no_mistake() -> None:
    identity = Ledger().ask(a_fork(remotes={"origin": "git@github.com:me/widgets.git", "upstream": "../widgets"}))
    assert (identity.reads, identity.note) == ((FORK, USER), "")


def test_a_repository_that_is_its_own_upstream_reads_itself_once() -> None:
    identity = Ledger().ask(some_facts(), upstream="github.com/acme/widgets")
    assert (identity.reads, identity.note) == ((ACME, USER), "")


# --- no repository ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("problem", ["no-repo", "not-a-project", "unsafe", "of-a-kind-nobody-knows"])
def test_where_there_is_no_repository_only_the_users_graph_is_read(problem: str) -> None:
    identity = Ledger().ask(RepoFacts(cwd="/place", problem=problem))
    assert (identity.standing, identity.write, identity.reads) == (Standing.NONE, None, (USER,))
    assert "/place" in identity.note


@pytest.mark.parametrize("problem", ["no-git", "timeout"])
def test_while_git_does_not_answer_nothing_is_read_or_written(problem: str) -> None:
    identity = Ledger().ask(RepoFacts(cwd="/place", problem=problem))
    assert (identity.standing, identity.write, identity.reads) == (Standing.PENDING, None, ())
    assert identity.note


def test_a_place_that_is_no_utf_8_can_be_told_of() -> None:
    identity = Ledger().ask(RepoFacts(cwd="/src/caf\udce9\ud800", problem="no-repo"))
    assert "/src/caf\ufffd\ufffd" in identity.note.encode().decode()


def test_a_refused_repository_comes_with_the_command_that_settles_it() -> None:
    note = Ledger().ask(RepoFacts(cwd="/x", top="/srv/it's here", problem="unsafe")).note
    assert "git config --global --add safe.directory '/srv/it'\"'\"'s here'" in note

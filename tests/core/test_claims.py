from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_graph

from wisen.core.claims import is_proven, place_digest, proven, rootless_sight
from wisen.core.records import RepoFacts, RootClaim

GRAPH = a_graph()
HERE = RepoFacts(cwd="/src/widgets", common_dir="/src/widgets/.git", has_commit=True, shallow=True, head="a" * 40)
THERE = replace(HERE, common_dir="/elsewhere/.git")


def first_sight(facts: RepoFacts = HERE) -> RootClaim:
    claim = rootless_sight(GRAPH, None, facts, T0)
    assert claim is not None
    return claim


def test_the_first_sight_leaves_its_commit_and_its_place() -> None:
    claim = first_sight()
    assert (claim.graph, claim.root, claim.witnesses) == (str(GRAPH), "", (HERE.head,))
    assert claim.place == place_digest("/src/widgets/.git")
    assert rootless_sight(GRAPH, claim, HERE, T0) is None


def test_an_empty_clone_leaves_its_place_alone_and_later_its_commits() -> None:
    claim = first_sight(replace(HERE, head=""))
    assert claim.witnesses == ()
    assert rootless_sight(GRAPH, claim, replace(HERE, head=""), T0) is None
    later = rootless_sight(GRAPH, claim, HERE, T0)
    assert later is not None
    assert later.witnesses == (HERE.head,)


def test_only_the_clone_that_was_first_adds_to_what_is_known() -> None:
    claim = first_sight()
    assert rootless_sight(GRAPH, claim, replace(THERE, head="b" * 40), T0) is None
    assert rootless_sight(GRAPH, proven(claim, "c" * 40), replace(HERE, head="b" * 40), T0) is None


@given(st.lists(st.integers(0, 30), max_size=40))
def test_of_many_heads_the_first_and_the_newest_are_kept(numbers: list[int]) -> None:
    heads = [f"{number:040x}" for number in numbers]
    claim = first_sight()
    for head in heads:
        claim = rootless_sight(GRAPH, claim, replace(HERE, head=head), T0) or claim
    assert claim.witnesses[0] == HERE.head
    assert len(claim.witnesses) == len(set(claim.witnesses)) <= 8
    assert not heads or heads[-1] in claim.witnesses


def test_any_witness_proves_and_one_not_known_yet_leaves_it_open() -> None:
    claim = replace(first_sight(), witnesses=("a", "b"))
    full = replace(THERE, shallow=False, root_commits=("c" * 40,))
    answers: list[tuple[dict[str, bool | None], bool | None]] = [
        ({"a": False, "b": False}, False),
        ({"a": False, "b": True}, True),
        ({"a": None, "b": True}, True),
        ({"a": None, "b": False}, None),
        ({"a": False, "b": None}, None),
    ]
    assert [is_proven(claim, full, said.get) for said, _ in answers] == [expected for _, expected in answers]


def test_what_is_known_by_its_root_is_proven_by_nothing_else() -> None:
    claim = replace(first_sight(), root="c" * 40)
    assert is_proven(claim, HERE, lambda _: True) is False


def test_a_place_is_told_by_its_bytes() -> None:
    assert place_digest("/src/caf\udce9") != place_digest("/src/caf\udcea")

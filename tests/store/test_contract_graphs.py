"""What all stores of graphs do, whatever holds the data."""

from __future__ import annotations

import pytest

from tests.builders import a_graph, a_memory, a_user_graph
from tests.store.conftest import Graphs
from wisen.core.records import Actor
from wisen.core.types import GraphId, GraphKind
from wisen.errors import Conflict

ODD = [
    a_graph("group/sub/repo", host="git.example.org:8443"),
    a_graph("0123abcd", host="local"),
    a_graph("../../etc/passwd"),
    a_user_graph("dév"),
    GraphId(kind=GraphKind.VAULT, harness="opencode", authority="x", path="a b/%2f?#"),
]


def test_reading_never_makes_a_graph(graphs: Graphs) -> None:
    assert graphs.stores.existing(a_graph()) is None
    assert graphs.stores.graphs() == ()


def test_the_same_graph_is_the_same_object(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    assert graphs.stores.open(a_graph()) is store
    assert graphs.stores.existing(a_graph()) is store
    assert graphs.stores.open(a_graph("acme/other")) is not store


@pytest.mark.parametrize("graph", ODD, ids=str)
def test_a_graph_of_any_name_is_there_after_a_restart(graphs: Graphs, graph: GraphId) -> None:
    memory = a_memory(graph=graph)
    graphs.stores.open(graph).add(memory, key="k", actor=Actor.USER, reason="")

    stores = graphs.restart()

    assert stores.graphs() == (graph,)
    store = stores.existing(graph)
    assert store is not None
    assert store.get(memory.memory_id) == memory


def test_graphs_are_sorted_by_their_url(graphs: Graphs) -> None:
    for graph in reversed(ODD):
        graphs.stores.open(graph)
    assert [str(graph) for graph in graphs.stores.graphs()] == sorted(map(str, ODD))


def test_a_moved_graph_keeps_its_memories_journal_and_keys_under_the_new_id(graphs: Graphs) -> None:
    old, new = a_graph("0a1b", host="path"), a_graph("c0ffee", host="local")
    memory = a_memory("use pnpm", graph=old)
    graphs.stores.open(old).add(memory, key="k", actor=Actor.USER, reason="")

    graphs.stores.move(old, new)

    for stores in (graphs.stores, graphs.restart()):
        assert stores.graphs() == (new,)
        assert stores.existing(old) is None
        store = stores.open(new)
        held = store.get(memory.memory_id)
        assert held is not None
        assert (held.graph, held.text) == (new, "use pnpm")
        [entry] = store.journal()
        assert entry.after == held
        assert store.add(a_memory(graph=new), key="k", actor=Actor.USER, reason="") == (held, False)


def test_moving_what_is_not_there_has_no_effect(graphs: Graphs) -> None:
    graphs.stores.move(a_graph("a/a"), a_graph("b/b"))
    assert graphs.stores.graphs() == ()


def test_moving_onto_another_graph_is_a_conflict_and_loses_neither(graphs: Graphs) -> None:
    one, two = a_graph("a/a"), a_graph("b/b")
    graphs.stores.open(one)
    graphs.stores.open(two)
    with pytest.raises(Conflict):
        graphs.stores.move(one, two)
    assert graphs.stores.graphs() == (one, two)


def test_moving_a_graph_onto_itself_has_no_effect(graphs: Graphs) -> None:
    graphs.stores.open(a_graph())
    graphs.stores.move(a_graph(), a_graph())
    assert graphs.stores.graphs() == (a_graph(),)


def test_a_removed_graph_is_gone_with_all_that_was_in_it_and_may_begin_anew(graphs: Graphs) -> None:
    graph, other = a_graph(), a_user_graph()
    for one in (graph, other):
        memory = a_memory(graph=one)
        graphs.stores.open(one).add(memory, key="k", actor=Actor.USER, reason="")
    assert graphs.stores.remove(graph)
    assert not graphs.stores.remove(graph)
    assert graphs.stores.existing(graph) is None
    stores = graphs.restart()
    assert stores.graphs() == (other,)
    assert stores.open(graph).counts() == {}
    _, is_new = stores.open(graph).add(a_memory(graph=graph), key="k", actor=Actor.USER, reason="")
    assert is_new

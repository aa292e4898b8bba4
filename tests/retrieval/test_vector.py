from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders import FrozenClock, a_graph, a_memory

from wisen.core.embeddings import Passage, Space
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Status
from wisen.ports import Embedding, GraphStore
from wisen.retrieval import vector
from wisen.retrieval.vector import cosines, nearest, packed
from wisen.store.memory import InMemoryGraphs

SPACE = Space(model="toy", digest="", dimension=64)


def an_embedding(seed: int) -> Embedding:
    values = np.random.default_rng(seed).normal(size=SPACE.dimension).astype("<f4")
    return Embedding(vector=(values / np.linalg.norm(values)).astype("<f4").tobytes())


def exact(left: Embedding, right: Embedding) -> float:
    return float(np.frombuffer(left.vector, "<f4") @ np.frombuffer(right.vector, "<f4"))


def filled(count: int, *, forgotten: Sequence[int] = ()) -> GraphStore:
    store = InMemoryGraphs(FrozenClock()).open(a_graph())
    for n in range(count):
        memory = replace(a_memory(f"note {n}"), memory_id=f"{n:04}")
        store.add(memory, key=str(n), actor=Actor.USER, reason="")
    waiting = store.unembedded(SPACE, limit=count)
    store.put_vectors(SPACE, [packed(p, an_embedding(int(p.memory.memory_id))) for p in waiting])
    for n in forgotten:
        held = store.get(f"{n:04}")
        assert held is not None
        store.update(replace(held, status=Status.FORGOTTEN), actor=Actor.USER, action="forget", reason="")
    return store


def test_a_packed_vector_has_the_cosine_of_the_whole_one() -> None:
    store = filled(40)
    query = an_embedding(1000)
    number = {m.memory_id: n for n, m in store.members(list(range(1, 41))).items()}
    found = cosines(store, SPACE, query, list(number.values()))
    for n in range(40):
        assert found[number[f"{n:04}"]] == pytest.approx(exact(query, an_embedding(n)), abs=0.005)


def test_a_vector_that_is_cut_off_is_none() -> None:
    store = filled(2)
    [first, second] = store.vectors(SPACE)
    cut = replace(packed(store_passage(store, first), an_embedding(0)), vector=b"\x00" * 7)
    store.put_vectors(SPACE, [cut])
    assert cosines(store, SPACE, an_embedding(1), [first, second]).keys() == {second}


def store_passage(store: GraphStore, number: int) -> Passage:
    other = replace(SPACE, digest="other")
    return next(passage for passage in store.unembedded(other, limit=99) if passage.number == number)


def best(store: GraphStore, query: Embedding, among: Sequence[int], limit: int) -> list[str]:
    """Return what is nearest by the vectors as they are kept."""
    members = store.members(list(store.vectors(SPACE)))
    near = cosines(store, SPACE, query, [n for n, m in members.items() if int(m.memory_id) in among])
    return [members[n].memory_id for n in sorted(near, key=lambda n: (-near[n], n))[:limit]]


def found(store: GraphStore, query: Embedding, where: MemoryFilter, **over: int) -> list[str]:
    ranked = nearest(store, SPACE, query, where, **{"limit": 5, **over})
    members = store.members([number for number, _ in ranked])
    return [members[number].memory_id for number, _ in ranked]


@given(st.sets(st.integers(0, 79), max_size=70), st.integers(1000, 1020))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_the_filter_comes_before_the_ranking(forgotten: set[int], seed: int) -> None:
    """What is left out changes nothing in the order of the others, and makes room for as many others."""
    store = filled(80, forgotten=sorted(forgotten))
    left = [n for n in range(80) if n not in forgotten]
    query = an_embedding(seed)
    assert found(store, query, MemoryFilter()) == best(store, query, left, 5)
    shown = {f"{n:04}": a_memory(f"note {n}").digest for n in left[::2]}
    rest = [n for n in left if f"{n:04}" not in shown]
    assert found(store, query, MemoryFilter(exclude=shown)) == best(store, query, rest, 5)


def test_of_many_those_whose_signs_differ_least_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(300)
    monkeypatch.setattr(vector, "EXACT", 50)
    hits = 0
    for seed in range(1000, 1020):
        query = an_embedding(seed)
        got = found(store, query, MemoryFilter(), rescored=150)
        hits += len({*got} & {*best(store, query, range(300), 5)})
    assert hits >= 90  # of 100; by chance it were 50


def test_what_the_marks_can_not_tell_takes_nothing_from_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    store = filled(300)
    monkeypatch.setattr(vector, "EXACT", 50)
    query = an_embedding(1000)
    shown = {memory_id: a_memory(f"note {int(memory_id)}").digest for memory_id in best(store, query, range(300), 250)}
    rest = [n for n in range(300) if f"{n:04}" not in shown]
    assert found(store, query, MemoryFilter(exclude=shown), rescored=60) == best(store, query, rest, 5)


def test_nothing_is_nearest_where_there_is_nothing() -> None:
    store = InMemoryGraphs(FrozenClock()).open(a_graph())
    assert nearest(store, SPACE, an_embedding(1), MemoryFilter(), limit=5) == []
    assert nearest(filled(3), SPACE, an_embedding(1), MemoryFilter(statuses=frozenset()), limit=5) == []

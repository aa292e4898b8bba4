"""What holds for any memory and any sequence of changes, on the fake and on SQLite, which must not differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import T0, FrozenClock, a_graph
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, JournalEntry
from wisen.core.types import Anchor, EventRef, Memory, MemoryKind, Origin, Source, Status, Trigger, Visibility
from wisen.errors import Conflict, NotFound
from wisen.ports import GraphStore
from wisen.store.contract import storable
from wisen.store.memory import InMemoryGraphs
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = pytest.mark.slow
EXAMPLES = settings(max_examples=25, deadline=None)
ANY = MemoryFilter(statuses=frozenset(Status))

plain = st.text(max_size=40)
texts = plain | st.text(st.characters(categories=["Cs", "L", "Cc"]), max_size=10)  # Cs: lone surrogates
times = st.datetimes(datetime(2000, 1, 2), datetime(2100, 1, 1), timezones=st.timezones() | st.just(UTC))  # noqa: DTZ001 - hypothesis wants naive bounds


def memories_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Memory]:
    refs = st.builds(EventRef, event_id=texts, session_id=texts, at=times, quote=texts)
    return st.builds(
        Memory,
        memory_id=st.sampled_from([f"0193a000-0000-7000-9000-00000000000{n}" for n in range(4)]),
        graph=st.just(a_graph()),
        kind=st.sampled_from(MemoryKind),
        text=texts,
        digest=texts,
        created_at=times,
        category=texts,
        title=texts,
        why=texts,
        how_to_apply=texts,
        tags=st.lists(texts, max_size=3).map(tuple),
        source=st.none() | st.sampled_from(Source),
        origin=st.sampled_from(Origin),
        evidence=st.lists(refs, max_size=2).map(tuple),
        session_id=texts,
        anchors=st.lists(st.builds(Anchor, path=texts, symbol=texts), max_size=2).map(tuple),
        branch=texts,
        support=st.integers(0, 2**40),
        confidence=st.floats(0, 1),
        status=st.sampled_from(Status),
        visibility=st.sampled_from(Visibility),
        pinned=st.booleans(),
        snoozed_until=st.none() | times,
        supersedes=st.lists(texts, max_size=2).map(tuple),
        half_life_days=st.none() | st.floats(0, 1e6),
        cold=st.booleans(),
        authored_at=st.none() | times,
        verified_at=st.none() | times,
        last_used_at=st.none() | times,
        uses=st.integers(0, 2**40),
        trigger=st.none() | st.builds(Trigger, program=texts, flags=st.lists(texts, max_size=2).map(tuple)),
    )


memories = memories_of(texts)

Step: TypeAlias = Callable[[GraphStore], object]


def adding(memory: Memory, key: int) -> Step:
    return lambda store: store.add(memory, key=str(key), actor=Actor.GATE, reason="r")


def updating(memory: Memory, key: str) -> Step:
    return lambda store: store.update(memory, actor=Actor.USER, action="edit", reason="r", key=key)


def reverting(seq: int) -> Step:
    return lambda store: store.revert(seq, actor=Actor.USER)


def touching(memory_id: str) -> Step:
    return lambda store: store.touch([memory_id], T0 + timedelta(days=1))


def purging(memory_id: str) -> Step:
    return lambda store: store.purge(memory_id)


ids = memories.map(lambda memory: memory.memory_id)
steps = st.one_of(
    st.builds(adding, memories, st.integers(0, 5)),
    st.builds(updating, memories, st.sampled_from(["", "", "job"])),
    st.builds(reverting, st.integers(1, 8)),
    st.builds(touching, ids),
)


@contextmanager
def sqlite() -> Iterator[GraphStore]:
    with TemporaryDirectory() as directory:
        stores = SqliteGraphs(Path(directory), FrozenClock())
        yield stores.open(a_graph())
        stores.close()


def fake() -> GraphStore:
    return InMemoryGraphs(FrozenClock()).open(a_graph())


def outcome(step: Step, store: GraphStore) -> object:
    try:
        return step(store)
    except (Conflict, NotFound) as error:
        return type(error), error.message


def replayed(entries: Sequence[JournalEntry]) -> dict[str, Memory]:
    state: dict[str, Memory] = {}
    for entry in sorted(entries, key=lambda e: e.seq):
        assert entry.after is not None
        state[entry.memory_id] = entry.after
    return state


@EXAMPLES
@given(memories_of(plain))
def test_any_memory_reads_back_as_it_was_given(memory: Memory) -> None:
    with sqlite() as store:
        assert store.add(memory, key="k", actor=Actor.USER, reason="") == (memory, True)
        assert store.get(memory.memory_id) == memory


@EXAMPLES
@given(memories)
def test_a_memory_with_lone_surrogates_reads_back_as_it_was_said_to_be_held(memory: Memory) -> None:
    with sqlite() as store:
        held, _ = store.add(memory, key="\ud800", actor=Actor.USER, reason="\ud800")
        assert held == storable(memory) == store.get(memory.memory_id)


@EXAMPLES
@given(st.lists(steps | st.builds(purging, ids), max_size=12))
def test_the_fake_and_sqlite_do_the_same(sequence: list[Step]) -> None:
    stand_in = fake()
    with sqlite() as store:
        for step in sequence:
            assert outcome(step, store) == outcome(step, stand_in)
        assert store.list(ANY) == stand_in.list(ANY)
        assert store.journal() == stand_in.journal()
        assert store.counts() == stand_in.counts()


@EXAMPLES
@given(st.lists(steps, max_size=12))
def test_the_journal_replays_to_what_is_held(sequence: list[Step]) -> None:
    with sqlite() as store:
        for step in sequence:
            outcome(step, store)
        held = {m.memory_id: replace(m, uses=0, last_used_at=None) for m in store.list(ANY)}
        told = {key: replace(m, uses=0, last_used_at=None) for key, m in replayed(store.journal(limit=100)).items()}
        assert held == told


@EXAMPLES
@given(st.lists(steps, max_size=8), memories)
def test_adding_twice_equals_adding_once(sequence: list[Step], memory: Memory) -> None:
    store = fake()
    first = outcome(adding(memory, 9), store)
    for step in sequence:
        outcome(step, store)
    before = (store.list(ANY), store.journal())
    outcome(adding(memory, 9), store)
    assert (store.list(ANY), store.journal()) == before, first


@EXAMPLES
@given(memories, memories)
def test_a_revert_restores_exactly(first: Memory, second: Memory) -> None:
    second = replace(second, memory_id=first.memory_id)
    with sqlite() as store:
        held, _ = store.add(first, key="k", actor=Actor.USER, reason="")
        _, changed = store.update(second, actor=Actor.USER, action="edit", reason="")
        if changed:
            store.revert(2, actor=Actor.USER)
        assert store.get(first.memory_id) == held


@EXAMPLES
@given(
    st.lists(memories, max_size=6, unique_by=lambda m: m.memory_id),
    st.builds(
        MemoryFilter,
        statuses=st.frozensets(st.sampled_from(Status)),
        min_confidence=st.floats(0, 1),
        sources=st.none() | st.frozensets(st.sampled_from(Source)),
        kinds=st.none() | st.frozensets(st.sampled_from(MemoryKind)),
        awake_at=st.none() | times,
    ),
)
def test_any_filter_admits_the_same_memories_in_the_same_order(found: list[Memory], where: MemoryFilter) -> None:
    stand_in = fake()
    with sqlite() as store:
        for memory in found:
            for each in (store, stand_in):
                each.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="")
        where = replace(where, exclude={m.memory_id: m.digest for m in found[:1]})
        assert store.list(where) == stand_in.list(where)


@EXAMPLES
@given(st.lists(texts, max_size=5), st.lists(memories, max_size=3, unique_by=lambda m: m.memory_id))
def test_no_terms_are_an_error_and_scores_go_down(terms: list[str], found: list[Memory]) -> None:
    with sqlite() as store:
        for memory in found:
            store.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="")
        hits = store.search([*terms, *(word for m in found for word in m.text.split())], ANY).hits
        assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
        assert all(0 < h.stages["coverage"] <= 1 for h in hits)

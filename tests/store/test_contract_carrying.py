"""A memory leaves a graph whole and comes into another one as it was; on the fake and on SQLite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import T0, a_graph, a_memory
from tests.store.conftest import Graphs
from wisen.core.erased import keys_of
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, JournalEntry
from wisen.core.types import Memory
from wisen.errors import InvalidValue, NotFound, Refused
from wisen.ports import GraphStore
from wisen.store.contract import MOST


@pytest.fixture
def store(graphs: Graphs) -> GraphStore:
    return graphs.stores.open(a_graph())


def add(store: GraphStore, memory: Memory) -> Memory:
    return store.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="r")[0]


def a_record(memory: Memory, *, seq: int = 1, key: str = "k" * 32) -> MemoryRecord:
    entry = JournalEntry(
        seq=seq, memory_id=memory.memory_id, at=T0, actor=Actor.USER, action="add", reason="", before=None, after=memory
    )
    return MemoryRecord(graph=memory.graph, memory_id=memory.memory_id, memory=memory, journal=(entry,), keys=(key,))


def test_records_come_by_id_page_by_page(store: GraphStore) -> None:
    memories = [add(store, a_memory(f"Rule {n}.")) for n in range(5)]
    found: list[MemoryRecord] = []
    after, pages = "", 0
    while pages == 0 or after:
        page, after = store.records(after=after, limit=2)
        found += page
        pages += 1
    assert [record.memory for record in found] == sorted(memories, key=lambda m: m.memory_id)
    assert pages == 3
    assert store.record_count() == 5


def test_a_record_holds_the_journal_oldest_first_and_the_keys(store: GraphStore) -> None:
    memory = add(store, a_memory())
    store.update(replace(memory, support=2), actor=Actor.GATE, action="support", reason="", key="again")
    [record] = store.records()[0]
    assert [entry.seq for entry in record.journal] == [1, 2]
    assert len(record.keys) == 2


def test_what_is_left_of_a_purged_memory_is_a_record_without_words(store: GraphStore) -> None:
    memory = add(store, a_memory("Deploy on Fridays."))
    store.purge(memory.memory_id)
    [record] = store.records()[0]
    assert (record.memory_id, record.memory, len(record.keys)) == (memory.memory_id, None, 1)
    assert [entry.action for entry in record.journal] == ["add", "purge"]
    assert "Fridays" not in repr(record)


def test_what_is_taken_in_is_found_listed_and_known(store: GraphStore) -> None:
    memory = a_memory("Use pnpm here.")
    assert store.known([memory.memory_id]) == frozenset()
    assert store.take_in([a_record(memory)]) == 1
    assert store.known([memory.memory_id, "other"]) == {memory.memory_id}
    assert list(store.list(MemoryFilter())) == [memory]
    assert [hit.memory for hit in store.search(["pnpm"], MemoryFilter()).hits] == [memory]
    assert store.records()[0] == [a_record(memory)]


def test_taking_in_twice_equals_once_and_never_replaces(store: GraphStore) -> None:
    record = a_record(a_memory())
    assert (store.take_in([record]), store.take_in([record])) == (1, 0)
    other = replace(record, memory=a_memory("Other words.", memory_id=record.memory_id), keys=("b" * 32,))
    assert store.take_in([other]) == 0
    [held] = store.records()[0]
    assert (held.memory, held.keys) == (record.memory, ("b" * 32, "k" * 32))


def test_a_key_that_is_used_stays_with_its_memory(store: GraphStore) -> None:
    first, second = a_record(a_memory()), a_record(a_memory("Commit small."), seq=2)
    assert store.take_in([first, second]) == 2
    keys = {record.memory_id: record.keys for record in store.records()[0]}
    assert keys == {first.memory_id: ("k" * 32,), second.memory_id: ()}


def test_a_change_made_afterwards_has_a_number_of_its_own(store: GraphStore) -> None:
    memory = a_memory()
    store.take_in([a_record(memory, seq=7)])
    store.update(replace(memory, support=2), actor=Actor.GATE, action="support", reason="")
    assert [entry.seq for entry in store.journal()] == [8, 7]


def test_one_that_may_not_be_held_keeps_all_out(store: GraphStore) -> None:
    good, foreign = a_memory(), a_memory(graph=a_graph("acme/gadgets"))
    with pytest.raises(Refused):
        store.take_in([a_record(good), a_record(foreign)])
    assert store.record_count() == 0


@pytest.mark.parametrize("number", [-1, 0, MOST + 1, 2**63 - 1, 2**63, 2**70])
@pytest.mark.parametrize("field", ["seq", "undone_by"])
def test_a_change_whose_number_no_store_gave_keeps_all_out(store: GraphStore, field: str, number: int) -> None:
    if (field, number) == ("undone_by", 0):
        return  # it was not undone
    good, bad = a_record(a_memory()), a_record(a_memory("Commit small."))
    bad = replace(bad, journal=(replace(bad.journal[0], **{field: number}),))  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match=f"{number}, not within"):
        store.take_in([good, bad])
    assert store.record_count() == 0
    assert store.take_in([good]) == 1
    add(store, a_memory("Later."))


def test_two_changes_under_one_number_are_refused_because_one_would_be_lost(store: GraphStore) -> None:
    record = a_record(a_memory())
    with pytest.raises(InvalidValue, match="one number"):
        store.take_in([replace(record, journal=record.journal * 2)])
    assert store.record_count() == 0


def test_a_memory_that_comes_twice_in_one_batch_is_taken_in_once(store: GraphStore) -> None:
    record = a_record(a_memory())
    assert store.take_in([record, record]) == 1
    assert store.records()[0] == [record]


def test_a_change_of_a_number_that_no_file_can_hold_is_not_there(store: GraphStore) -> None:
    for number in (2**63, 2**70, -(2**70)):
        with pytest.raises(NotFound):
            store.revert(number, actor=Actor.USER)


def test_keys_of_what_was_purged_stay_and_are_known_at_once_and_after_a_move(store: GraphStore, graphs: Graphs) -> None:
    memory, other = add(store, a_memory("Deploy on Fridays.")), add(store, a_memory("Commit small."))
    assert store.erased() == ()
    keys = keys_of(memory.memory_id, [memory.text])
    store.purge(memory.memory_id, keys=keys)
    store.purge(memory.memory_id)  # it may be repeated, without them
    (gone,) = store.erased()
    assert gone.memory_id == memory.memory_id
    assert keys < gone.keys, "beside the natural key of its addition"
    assert store.journal(limit=1)[0].at == gone.at
    assert not any(word in repr(store.records()) for word in ("Fridays", "fridays"))
    graphs.stores.move(a_graph(), a_graph("acme/other"))
    moved = graphs.stores.open(a_graph("acme/other"))
    assert moved.erased() == (gone,)
    moved.purge(other.memory_id)
    assert {one.memory_id for one in moved.erased()} == {memory.memory_id, other.memory_id}


def test_what_was_purged_elsewhere_is_known_once_it_is_taken_in(store: GraphStore, graphs: Graphs) -> None:
    memory = add(store, a_memory("Deploy on Fridays."))
    store.purge(memory.memory_id, keys=keys_of(memory.memory_id, [memory.text]))
    into = graphs.stores.open(a_graph("acme/other"))
    assert into.erased() == ()
    into.take_in(store.records()[0])
    assert into.erased() == store.erased()

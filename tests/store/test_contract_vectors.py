"""What every graph store does with passages and their vectors, whatever holds the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.builders import T0, a_graph, a_memory
from tests.store.conftest import Graphs
from wisen.core.embeddings import (
    MARK_BYTES,
    TURN,
    Around,
    PassageVector,
    Space,
    marks,
    slot_bytes,
)
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Anchor, Memory, Source, Status
from wisen.ports import GraphStore

SPACE = Space(model="toy", digest="1", dimension=8)
OTHER = Space(model="toy", digest="2", dimension=16)
ANY = MemoryFilter(statuses=frozenset(Status))


@pytest.fixture
def store(graphs: Graphs) -> GraphStore:
    return graphs.stores.open(a_graph())


def add(store: GraphStore, text: str, **over: object) -> Memory:
    memory = replace(a_memory(text), **over)  # type: ignore[arg-type]  # keyword overrides of a builder
    return store.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="")[0]


def update(store: GraphStore, memory: Memory, **over: object) -> Memory:
    changed = replace(memory, **over)  # type: ignore[arg-type]
    return store.update(changed, actor=Actor.USER, action="edit", reason="")[0]


def embed(store: GraphStore, space: Space = SPACE, *, tokens: bytes = b"") -> None:
    """Give every passage that waits a vector made of its number."""
    waiting = store.unembedded(space, limit=1000)
    store.put_vectors(space, [vector(p.number, p.stamp, space, tokens) for p in waiting])


def vector(number: int, stamp: str, space: Space = SPACE, tokens: bytes = b"") -> PassageVector:
    code = bytes([number % 256]) * (space.dimension // 8)
    return PassageVector(number=number, stamp=stamp, code=code, vector=b"v%d" % number, tokens=tokens)


def numbers(store: GraphStore) -> Mapping[str, int]:
    rows = store.match(["note"], ANY, limit=1000).rows
    return {memory.text: number for number, memory in store.members([row.passage for row in rows]).items()}


def slots(store: GraphStore, space: Space = SPACE) -> dict[int, bytes]:
    """Return what is in the slots that are not empty, by passage."""
    width = slot_bytes(space)
    found = {}
    for block in store.slots(space):
        assert len(block.slots) % width == 0
        for place in range(len(block.slots) // width):
            slot = block.slots[place * width : (place + 1) * width]
            if any(slot):
                found[block.first + place] = slot
    return found


# --- matching ---------------------------------------------------------------------------------------------------


def test_matches_are_what_a_search_finds_without_the_memories(store: GraphStore) -> None:
    for text in ("note on pnpm", "note on uv and pnpm", "nothing", "note"):
        add(store, text)
    found = store.match(["pnpm", "note", "absent"], ANY, limit=10)
    members = store.members([row.passage for row in found.rows])
    assert [m.text for m in members.values()] == [
        hit.memory.text for hit in store.search(["pnpm", "note", "absent"], ANY).hits
    ]
    assert found.total == 3
    assert {members[row.passage].text: row.matched for row in found.rows} == {
        "note on pnpm": (0, 1),
        "note on uv and pnpm": (0, 1),
        "note": (1,),
    }
    assert store.match(["pnpm", "note"], ANY, limit=1).total == 3
    assert store.match(["pnpm", "note"], ANY, limit=9, weights={"pnpm": 1.0, "note": 0.2}, least=1.0).total == 2
    assert store.match([], ANY, limit=10).rows == ()


def test_a_word_in_a_title_counts_more(store: GraphStore) -> None:
    add(store, "note of pnpm", title="tools of ours")
    titled = add(store, "tools of ours", title="note of pnpm")
    best = store.match(["pnpm"], ANY, limit=1).rows[0].passage
    assert store.members([best])[best] == titled


def test_only_some_passages_may_be_looked_at_and_the_filter_holds_all_the_same(store: GraphStore) -> None:
    for n in range(6):
        add(store, f"note {n}", status=Status.FORGOTTEN if n == 2 else Status.ACTIVE)
    number = numbers(store)
    asked = [number["note 1"], number["note 2"], 10_000]
    found = store.match(["note"], MemoryFilter(), limit=10, among=asked)
    assert ([row.passage for row in found.rows], found.total) == ([number["note 1"]], 1)
    assert list(store.members(asked, MemoryFilter())) == [number["note 1"]]
    assert list(store.members(asked)) == asked[:2]
    assert store.match(["note"], ANY, limit=10, among=[]).rows == ()


def test_parts_of_words_are_found_in_the_words_of_the_index(store: GraphStore) -> None:
    for text in ("the apigatewayv2 note", "note on gatewayless apigatewayv2", "other note"):
        add(store, text)
    assert store.containing("gateway", limit=5)[0].startswith("gatewayless"[:8])
    assert "apigatewayv2" in store.containing("gateway", limit=5)
    assert store.containing("gateway", limit=1) != store.containing("igateway", limit=1)
    assert store.containing("nowhere", limit=5) == ()
    spellings = {"gateway": ("apigatewayv2",)}
    assert store.occurrences(["gateway", "note"])[1] == {"gateway": 0, "note": 3}
    assert store.occurrences(["gateway", "note"], spellings=spellings)[1] == {"gateway": 2, "note": 3}
    found = store.match(["gateway"], ANY, limit=5, spellings=spellings)
    assert (found.total, found.rows[0].matched) == (2, (0,))


def test_the_turns_around_one_are_those_of_its_conversation_in_order_of_time(store: GraphStore) -> None:
    for n in (3, 1, 2, 0, 4):
        add(store, f"note {n}", category=TURN, session_id="a", created_at=T0 + timedelta(minutes=n))
    add(store, "note x", category=TURN, session_id="b", created_at=T0 + timedelta(minutes=1))
    add(store, "note none", session_id="a")
    add(store, "note gone", category=TURN, session_id="a", created_at=T0, status=Status.FORGOTTEN)
    of = numbers(store)
    found = store.around([of["note 1"], of["note 4"], of["note x"], of["note none"]], reach=2)
    assert found == {
        of["note 1"]: Around(before=(of["note 0"],), after=(of["note 2"], of["note 3"])),
        of["note 4"]: Around(before=(of["note 3"], of["note 2"])),
        of["note x"]: Around(),
    }


def test_a_turn_goes_where_a_change_puts_it(store: GraphStore) -> None:
    turns = [
        add(store, f"note {n}", category=TURN, session_id="a", created_at=T0 + timedelta(minutes=n)) for n in range(4)
    ]
    of = numbers(store)

    def order() -> list[str]:
        [first] = [n for n, here in store.around(list(of.values()), reach=9).items() if not here.before]
        names = {number: text for text, number in of.items()}
        return [names[number] for number in (first, *store.around([first], reach=9)[first].after)]

    assert order() == ["note 0", "note 1", "note 2", "note 3"]
    turns[0] = update(store, turns[0], created_at=T0 + timedelta(hours=1))
    assert order() == ["note 1", "note 2", "note 3", "note 0"]
    update(store, turns[2], created_at=turns[1].created_at)  # at one moment the id decides
    assert order() == ["note 1", "note 2", "note 3", "note 0"]
    update(store, turns[2], session_id="b")
    assert store.around([of["note 2"]], reach=9) == {of["note 2"]: Around()}
    assert store.around([of["note 1"]], reach=9) == {of["note 1"]: Around(after=(of["note 3"], of["note 0"]))}
    update(store, turns[2], session_id="a", status=Status.FORGOTTEN)
    assert store.around([of["note 2"]], reach=9) == {}
    assert order() == ["note 1", "note 3", "note 0"]
    update(store, turns[3], category="")
    assert order() == ["note 1", "note 0"]
    store.purge(turns[1].memory_id)
    assert store.around(list(of.values()), reach=9) == {of["note 0"]: Around()}


def test_a_name_without_letters_is_the_name_of_nothing(store: GraphStore) -> None:
    add(store, "note one")
    anchors = {name: (Anchor(path="a.py", symbol=name),) for name in ("", "read_config")}
    for name, anchor in anchors.items():
        add(store, f"note {name}", source=Source.REPEATED_LOOKUP, anchors=anchor)
    where = MemoryFilter(names=frozenset({"", "read_config"}))
    rows = store.match(["note"], where, limit=9).rows
    asked = [row.passage for row in store.match(["note"], ANY, limit=9).rows]
    assert len(asked) == 3
    assert len(rows) == len(store.passing(asked, where)) == store.count(where) == 1
    assert [memory.text for memory in store.members(asked, where).values()] == ["note read_config"]
    assert [memory.text for memory in store.list(where)] == ["note read_config"]


# --- vectors ----------------------------------------------------------------------------------------------------


def test_what_has_no_vector_waits_the_newest_first(store: GraphStore) -> None:
    for n in range(3):
        add(store, f"note {n}")
    add(store, "note put away", status=Status.FORGOTTEN)
    assert [p.memory.text for p in store.unembedded(SPACE, limit=2)] == ["note 2", "note 1"]
    assert store.unembedded_count(SPACE) == 3
    assert store.spaces() == {}
    embed(store)
    assert store.unembedded(SPACE, limit=9) == []
    assert (store.unembedded_count(SPACE), store.unembedded_count(OTHER)) == (0, 3)
    add(store, "note 3")
    assert [p.memory.text for p in store.unembedded(SPACE, limit=9)] == ["note 3"]
    assert store.spaces() == {SPACE: 3}


def test_vectors_come_back_as_they_were_kept_also_after_a_restart(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    add(store, "note 0")
    add(store, "note 1")
    embed(store, tokens=b"states")
    of = numbers(store)
    store = graphs.restart().open(a_graph())
    both = {of["note 0"]: b"v%d" % of["note 0"], of["note 1"]: b"v%d" % of["note 1"]}
    assert store.vectors(SPACE) == both
    assert store.vectors(SPACE, [of["note 1"], 99]) == {of["note 1"]: both[of["note 1"]]}
    assert store.tokens(SPACE, [of["note 0"], 99]) == {of["note 0"]: b"states"}
    assert store.vectors(OTHER) == store.tokens(OTHER, [1]) == {}
    assert list(store.slots(OTHER)) == []


def test_a_vector_of_other_words_is_not_kept(store: GraphStore) -> None:
    memory = add(store, "note on npm")
    [passage] = store.unembedded(SPACE, limit=1)
    update(store, memory, text="note on pnpm")
    assert store.put_vectors(SPACE, [vector(passage.number, passage.stamp), vector(77, passage.stamp)]) == 0
    assert store.vectors(SPACE) == {}
    assert len(store.unembedded(SPACE, limit=9)) == 1


def test_other_words_lose_their_vector_and_the_same_words_keep_it(store: GraphStore) -> None:
    memory = add(store, "note on npm")
    embed(store, tokens=b"states")
    memory = update(store, memory, confidence=0.9, pinned=True)
    assert store.spaces() == {SPACE: 1}
    memory = update(store, memory, text="note on pnpm")
    assert store.spaces() == {SPACE: 0}
    assert (store.vectors(SPACE), store.tokens(SPACE, list(numbers(store).values())), slots(store)) == ({}, {}, {})
    assert [p.memory for p in store.unembedded(SPACE, limit=9)] == [memory]


def test_a_vector_that_comes_again_takes_the_place_of_the_first(store: GraphStore) -> None:
    memory = add(store, "note")
    [passage] = store.unembedded(SPACE, limit=9)
    first = vector(passage.number, passage.stamp, tokens=b"states")
    again = replace(first, code=b"\x01", vector=b"other", tokens=b"")
    assert store.put_vectors(SPACE, [first, again]) == 2
    assert store.put_vectors(SPACE, [again]) == 1
    assert (store.spaces(), store.unembedded_count(SPACE)) == ({SPACE: 1}, 0)
    assert store.vectors(SPACE) == {passage.number: b"other"}
    assert store.tokens(SPACE, [passage.number]) == {}
    assert slots(store) == {passage.number: marks(memory) + b"\x01"}


def test_two_models_are_never_mixed_and_one_may_go(store: GraphStore) -> None:
    add(store, "note")
    embed(store)
    embed(store, OTHER)
    assert store.spaces() == {SPACE: 1, OTHER: 1}
    assert {len(slot) for slot in slots(store, OTHER).values()} == {MARK_BYTES + 2}
    assert (store.drop_vectors(SPACE), store.drop_vectors(SPACE)) == (1, 0)
    assert store.spaces() == {OTHER: 1}
    assert (slots(store), len(slots(store, OTHER))) == ({}, 1)


def test_slots_say_what_a_memory_is_by_now(store: GraphStore) -> None:
    memory = add(store, "note")
    embed(store)
    memory = update(store, memory, status=Status.FORGOTTEN, confidence=0.1)
    [(number, slot)] = slots(store).items()
    assert slot == marks(memory) + bytes([number % 256])
    entry = store.journal()[0]
    store.revert(entry.seq, actor=Actor.USER)
    held = store.get(memory.memory_id)
    assert held is not None
    assert slots(store)[number] == marks(held) + bytes([number % 256])


def test_a_graph_that_moves_takes_its_vectors_along(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    memory = add(store, "note")
    embed(store, tokens=b"states")
    [number] = numbers(store).values()
    graphs.stores.move(a_graph(), a_graph("b/b"))
    store = graphs.stores.open(a_graph("b/b"))
    assert (store.spaces(), store.vectors(SPACE)) == ({SPACE: 1}, {number: b"v%d" % number})
    assert (store.tokens(SPACE, [number]), slots(store)[number][:MARK_BYTES]) == ({number: b"states"}, marks(memory))


def test_memories_that_come_from_elsewhere_wait_for_their_vectors_and_turns_stand_in_order(graphs: Graphs) -> None:
    store, other = (graphs.stores.open(a_graph(name)) for name in ("a/a", "b/b"))
    for n in range(3):
        memory = replace(a_memory(f"note {n}"), graph=store.graph, category=TURN, session_id="a")
        store.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="")
    embed(store)
    embed(other)
    records, _ = store.records()
    other.take_in(
        [
            replace(
                one,
                graph=other.graph,
                memory=one.memory and replace(one.memory, graph=other.graph),
                journal=(),
            )
            for one in records
        ]
    )
    of = numbers(other)
    assert {p.memory.text for p in other.unembedded(SPACE, limit=9)} == of.keys()
    assert other.around([of["note 1"]], reach=1)[of["note 1"]] == Around(before=(of["note 0"],), after=(of["note 2"],))


def test_a_purge_takes_the_vectors_along(store: GraphStore) -> None:
    memory = add(store, "note")
    add(store, "note two")
    embed(store, tokens=b"states")
    number = numbers(store)["note"]
    store.purge(memory.memory_id)
    assert number not in store.vectors(SPACE)
    assert number not in slots(store)
    assert store.tokens(SPACE, [number]) == {}
    assert store.spaces() == {SPACE: 1}


def test_many_passages_have_their_slots_in_order(store: GraphStore) -> None:
    for n in range(40):
        add(store, f"note {n}")
    embed(store)
    found = slots(store)
    assert list(found) == sorted(numbers(store).values())
    assert all(slot[MARK_BYTES:] == bytes([number % 256]) for number, slot in found.items())

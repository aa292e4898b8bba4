"""Vectors in a graph's file: in step with what they are of, mended when they are not, gone when it is purged."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.builders import T0, FrozenClock, a_graph, a_memory
from wisen.core.embeddings import MARK_BYTES, TURN, Around, PassageVector, Space, marks, slot_bytes
from wisen.core.findings import Severity
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Memory, Status
from wisen.errors import StoreError
from wisen.store.sqlite.backup import backup_all
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

SPACE = Space(model="toy", digest="1", dimension=64)
CANARY = b"the canary sings at six o'clock"


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    yield graphs
    graphs.close()


@pytest.fixture
def store(graphs: SqliteGraphs) -> SqliteGraph:
    return graphs.open(a_graph())


def add(store: SqliteGraph, text: str) -> Memory:
    memory = a_memory(text)
    return store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="")[0]


def embed(store: SqliteGraph, *, vector: bytes = CANARY, code: bytes = b"\x5a" * 8) -> None:
    waiting = store.unembedded(SPACE, limit=1000)
    store.put_vectors(
        SPACE,
        [PassageVector(number=p.number, stamp=p.stamp, code=code, vector=vector, tokens=vector) for p in waiting],
    )


def slots(store: SqliteGraph) -> dict[int, bytes]:
    width = slot_bytes(SPACE)
    return {
        block.first + at: block.slots[at * width : (at + 1) * width]
        for block in store.slots(SPACE)
        for at in range(len(block.slots) // width)
        if any(block.slots[at * width : (at + 1) * width])
    }


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE codes SET slots = zeroblob(length(slots))",
        "UPDATE codes SET slots = x'00'",
        "DELETE FROM codes",
        "DELETE FROM vectors WHERE passage = 1",
        "UPDATE codes SET slots = substr(slots, 14)",
        "UPDATE vectors SET vector = x'00' WHERE passage = 2",
        "UPDATE vectors SET code = x'5b5a5a5a5a5a5a5a' WHERE passage = 2",
        "UPDATE vectors SET checksum = checksum + 1 WHERE passage = 2",
        "UPDATE vectors SET checksum = (SELECT checksum FROM vectors WHERE passage = 1) WHERE passage = 2",
        "UPDATE spaces SET held = 7",
        "INSERT INTO waiting VALUES (1, 2)",
    ],
    ids=[
        *("emptied", "cut off", "no block", "a vector is gone", "shifted", "another vector", "another code"),
        *("another checksum", "that of another passage", "miscounted", "waits for nothing"),
    ],
)
def test_slots_that_are_not_in_step_are_told_made_anew_and_cost_no_search_by_words(
    graphs: SqliteGraphs, store: SqliteGraph, sql: str
) -> None:
    for n in range(3):
        add(store, f"note {n}")
    embed(store)
    with store._pool.write() as database:
        database.run(sql)
    assert store.match(["note"], MemoryFilter(), limit=9).total == 3
    [finding] = [found for found in graphs.check() if "vectors" in found.what]
    assert finding.severity is Severity.WARNING
    expected = {n: marks(m) + b"\x5a" * 8 for n, m in store.members(list(store.vectors(SPACE))).items()}
    assert slots(store) == expected
    assert all(vector == CANARY for vector in store.vectors(SPACE).values())
    assert graphs.check() == []
    embed(store)
    assert (len(slots(store)), store.spaces(), store.unembedded_count(SPACE)) == (3, {SPACE: 3}, 0)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM turns WHERE passage = 2",
        "UPDATE turns SET created_us = created_us + 99 WHERE passage = 1",
        "UPDATE turns SET session = 'b' WHERE passage = 2",
    ],
    ids=["one is gone", "another time", "another conversation"],
)
def test_turns_that_are_not_in_order_are_told_and_put_in_order(
    graphs: SqliteGraphs, store: SqliteGraph, sql: str
) -> None:
    for n in range(3):
        memory = replace(a_memory(f"note {n}"), category=TURN, session_id="a")
        store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="")
    with store._pool.write() as database:
        database.run(sql)
    [finding] = [found for found in graphs.check() if "turns" in found.what]
    assert finding.severity is Severity.WARNING
    assert store.around([2], reach=1) == {2: Around(before=(1,), after=(3,))}
    assert graphs.check() == []


def test_what_is_carried_out_of_a_damaged_file_waits_for_its_vectors_and_its_turns_stand_in_order(
    graphs: SqliteGraphs, store: SqliteGraph, tmp_path: Path
) -> None:
    for n in range(3):
        memory = replace(a_memory(f"note {n}"), category=TURN, session_id="a")
        store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="")
    embed(store)
    graphs.close()
    [path] = tmp_path.glob("*.db")
    path.write_bytes(b"\xff" * 4096 + path.read_bytes()[4096:])
    after = SqliteGraphs(tmp_path, FrozenClock())
    store = after.open(a_graph())
    assert store.match(["note"], MemoryFilter(), limit=9).total == 3
    assert (store.spaces(), store.vectors(SPACE), slots(store)) == ({}, {}, {})
    assert store.unembedded_count(SPACE) == 3
    in_order = {m.text: number for number, m in store.members([1, 2, 3]).items()}
    middle = in_order["note 1"]
    assert store.around([middle], reach=1)[middle] == Around(before=(in_order["note 0"],), after=(in_order["note 2"],))
    embed(store)
    assert store.spaces() == {SPACE: 3}
    assert [finding for finding in after.check() if "damaged" not in finding.where] == []
    after.close()


def test_a_backup_holds_the_vectors(graphs: SqliteGraphs, store: SqliteGraph, tmp_path: Path) -> None:
    add(store, "note")
    embed(store)
    graphs.close()
    data = tmp_path / "data"
    (data / "graphs").mkdir(parents=True)
    for path in tmp_path.glob("*.db"):
        path.rename(data / "graphs" / path.name)
    backup_all(data, tmp_path / "backup", at=T0)
    copied = SqliteGraphs(tmp_path / "backup" / "graphs", FrozenClock())
    assert copied.open(a_graph()).vectors(SPACE) == {1: CANARY}
    assert copied.check() == []
    copied.close()


def test_a_purge_leaves_no_byte_of_a_vector(graphs: SqliteGraphs, store: SqliteGraph, tmp_path: Path) -> None:
    memory = add(store, "note one")
    code = b"tweettwe"
    embed(store, code=code)
    held = b"".join(path.read_bytes() for path in tmp_path.glob("*.db*"))
    assert (CANARY in held, held.count(code)) == (True, 2)
    store.purge(memory.memory_id)
    graphs.close()
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert (CANARY in left, code in left) == (False, False)


def test_fifty_search_while_one_writes(store: SqliteGraph) -> None:
    for n in range(30):
        add(store, f"note {n}")
    embed(store)
    done = threading.Event()

    def search() -> int:
        seen = 0
        while not seen or not done.is_set():
            found = store.match(["note"], MemoryFilter(), limit=50)
            members = store.members([row.passage for row in found.rows], MemoryFilter())
            numbers = store.vectors(SPACE, list(members))
            assert all(len(slot) == MARK_BYTES + 8 for slot in slots(store).values())
            assert all(value == CANARY for value in numbers.values())
            seen += len(found.rows)
            done.wait(0.1)  # fifty that never rest would take the time from tests beside this one
        return seen

    with ThreadPoolExecutor(50) as threads:
        searching = [threads.submit(search) for _ in range(50)]
        try:
            for n in range(30, 60):
                memory = add(store, f"note {n}")
                embed(store)
                if n % 3 == 0:
                    store.update(replace(memory, status=Status.FORGOTTEN), actor=Actor.USER, action="forget", reason="")
                if n == 45:
                    with suppress(StoreError):  # gone, but fifty readers never let go of the old bytes: said so
                        store.purge(memory.memory_id)
        finally:
            done.set()
        assert all(one.result() > 0 for one in searching)
    assert store.check() == []


class InStep(RuleBasedStateMachine):
    """Whatever is done in whatever order, slots say what vectors and memories say."""

    def __init__(self) -> None:
        super().__init__()
        self.graphs = SqliteGraphs(Path(DIRECTORY[0]) / str(len(list(Path(DIRECTORY[0]).iterdir()))), FrozenClock())
        self.store = self.graphs.open(a_graph())
        self.memories: list[Memory] = []

    @rule(word=st.sampled_from(["one", "two", "three"]))
    def write(self, word: str) -> None:
        self.memories.append(add(self.store, f"note {word}"))

    @rule(data=st.data(), word=st.sampled_from(["four", "five"]), status=st.sampled_from(Status))
    def change(self, data: st.DataObject, word: str, status: Status) -> None:
        if self.memories:
            at = data.draw(st.integers(0, len(self.memories) - 1))
            changed = replace(self.memories[at], text=f"note {word}", status=status)
            self.memories[at], _ = self.store.update(changed, actor=Actor.USER, action="edit", reason="")

    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        if self.memories:
            self.store.purge(self.memories.pop(data.draw(st.integers(0, len(self.memories) - 1))).memory_id)

    @rule()
    def embed(self) -> None:
        embed(self.store)

    @rule()
    def drop(self) -> None:
        self.store.drop_vectors(SPACE)

    @invariant()
    def all_say_the_same(self) -> None:
        members = self.store.members(list(self.store.vectors(SPACE)))
        assert slots(self.store) == {number: marks(memory) + b"\x5a" * 8 for number, memory in members.items()}
        assert sum(self.store.spaces().values()) == len(members)
        waiting = {p.memory.memory_id for p in self.store.unembedded(SPACE, limit=99)}
        have = {memory.memory_id for memory in members.values()}
        assert waiting == {m.memory_id for m in self.memories if m.status is not Status.FORGOTTEN} - have

    def teardown(self) -> None:
        self.graphs.close()


DIRECTORY: list[str] = []


def test_nothing_falls_out_of_step(tmp_path: Path) -> None:
    DIRECTORY[:] = [str(tmp_path)]
    run_state_machine_as_test(
        InStep, settings=settings(max_examples=15, stateful_step_count=12, suppress_health_check=list(HealthCheck))
    )


@given(st.binary(max_size=40))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_come_back_as_they_were(store: SqliteGraph, vector: bytes) -> None:
    add(store, "note")
    embed(store, vector=vector)
    assert vector in store.vectors(SPACE).values()

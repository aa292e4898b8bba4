"""One damaged row of a graph disables that row and nothing else; it stays where it is until its user erases it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Status
from wisen.errors import Conflict, NotFound, StoreDamaged
from wisen.store.sqlite.checksum import seal
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.files import GRAPH
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

BAD, GOOD = a_memory("the canary sings", digest="bad"), a_memory("the canary eats", digest="good")


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    yield graphs
    graphs.close()


@pytest.fixture
def store(graphs: SqliteGraphs) -> SqliteGraph:
    store = graphs.open(a_graph())
    for memory in (BAD, GOOD):
        store.add(memory, key=memory.digest, actor=Actor.USER, reason="said so")
    return store


def damage(store: SqliteGraph, change: str = "checksum = checksum + 1", table: str = "memories") -> None:
    with store._pool.write() as database:
        changed = database.run(f"UPDATE {table} SET {change} WHERE memory_id = :id", {"id": BAD.memory_id})
    assert changed == 1


def memory_columns() -> list[tuple[str, str]]:
    with Database(Path(":memory:")) as database:
        for script in sorted(GRAPH.migrations.glob("*.sql")):
            database.run(script.read_text(encoding="utf-8"))
        found = database.all("SELECT name, type FROM pragma_table_info('memories') WHERE name <> 'number'")
        return [(str(name), str(kind)) for name, kind in found]


@pytest.mark.parametrize(("column", "kind"), memory_columns())
@pytest.mark.parametrize("is_found_late", [False, True], ids=["before it is first read", "while it is in use"])
@pytest.mark.parametrize("how", ["changed", "no text any more"])
def test_whatever_is_damaged_every_other_memory_is_served_and_counted(
    graphs: SqliteGraphs, store: SqliteGraph, column: str, kind: str, is_found_late: bool, how: str
) -> None:
    if is_found_late:
        assert len(store.list(MemoryFilter())) == 2
    text = {
        "changed": f"'~' || substr(coalesce({column}, ''), 2)",
        "no text any more": f"CAST(CAST({column} AS BLOB) || x'ff' AS TEXT)",
    }
    damage(store, f"{column} = {text[how] if kind == 'TEXT' else f'coalesce({column}, 0) + 1'}")

    everything = MemoryFilter(statuses=frozenset(Status))
    assert store.list(everything) == (GOOD,)
    assert [hit.memory for hit in store.search(["canary"], everything).hits] == [GOOD]
    assert store.search(["canary"], everything).total == 1
    assert store.by_digest("good") == (GOOD,)
    assert store.by_digest("bad") == ()
    assert (store.count(everything), store.counts()) == (1, {"active": 1})
    assert GOOD in store.by_prefix(GOOD.memory_id[:8])
    assert store.stats().by_status == {"active": 1}
    store.touch([BAD.memory_id, GOOD.memory_id], T0)
    new = store.add(a_memory("the canary sings", digest="bad"), key="new", actor=Actor.GATE, reason="")
    assert new[1]
    [problem] = store.problems()
    assert str(store._pool.path) in problem
    assert "(row 1 of memories" in problem
    assert graphs.problems() == (problem,)


def test_a_damaged_memory_that_is_asked_for_by_name_says_how_to_be_rid_of_it(store: SqliteGraph) -> None:
    damage(store)
    for read in (
        lambda: store.get(BAD.memory_id),
        lambda: store.by_prefix(BAD.short_id),
        lambda: store.revert(1, actor=Actor.USER),
        lambda: store.update(BAD, actor=Actor.USER, action="edit", reason=""),
    ):
        with pytest.raises(StoreDamaged, match=BAD.memory_id) as caught:
            read()
        assert f"`wisen forget {BAD.memory_id} --purge --graph " in caught.value.hint
    assert BAD.memory_id in store.problems()[0]


def test_the_key_and_the_id_of_a_damaged_memory_stay_taken(store: SqliteGraph) -> None:
    damage(store)
    again, is_new = store.add(a_memory("the canary sings"), key="bad", actor=Actor.GATE, reason="")
    assert (again.memory_id, again.status, is_new) == (BAD.memory_id, Status.FORGOTTEN, False)
    with pytest.raises(Conflict):
        store.add(BAD, key="another", actor=Actor.GATE, reason="")


@pytest.mark.parametrize("table", ["memories", "journal"])
def test_a_damaged_memory_is_purged_unread(store: SqliteGraph, table: str) -> None:
    damage(store, table=table)
    assert store.ids_by_prefix(BAD.short_id) == (BAD.memory_id,)
    store.purge(BAD.memory_id)
    assert store.get(BAD.memory_id) is None
    assert store.problems() == []
    assert "sings" not in repr(store.journal())
    assert store.journal(memory_id=BAD.memory_id)[0].action == "purge"
    assert store.search(["canary"], MemoryFilter()).total == 1
    with store._pool.read() as database:
        everything = [*database.all("SELECT * FROM journal"), *database.all("SELECT * FROM passages")]
    assert "sings" not in repr(everything)


def test_a_purge_ends_what_an_interrupted_one_left(store: SqliteGraph) -> None:
    with store._pool.write() as database:
        database.run("DELETE FROM memories WHERE memory_id = :id", {"id": BAD.memory_id})
    assert store.ids_by_prefix(BAD.short_id) == (BAD.memory_id,)
    store.purge(BAD.memory_id)
    assert "sings" not in repr(store.journal())
    with store._pool.write() as database:
        database.run("DELETE FROM journal")
    store.purge(BAD.memory_id)  # its key is left
    with pytest.raises(NotFound):
        store.purge("0193a000-0000-7000-9000-ffffffffffff")


def test_a_damaged_change_is_left_out_of_the_journal_and_cannot_be_undone(store: SqliteGraph) -> None:
    damage(store, table="journal")
    assert [entry.memory_id for entry in store.journal()] == [GOOD.memory_id]
    with pytest.raises(StoreDamaged, match="change 1"):
        store.revert(1, actor=Actor.USER)
    assert "(row 1 of journal" in store.problems()[0]


def test_a_change_by_somebody_unknown_is_damage_and_no_crash(store: SqliteGraph) -> None:
    with store._pool.write() as database:
        database.run("UPDATE journal SET actor = 'nobody' WHERE seq = 1")
        [row] = database.all(
            "SELECT seq, memory_id, at_us, actor, action, reason, before, after, undone_by FROM journal WHERE seq = 1"
        )
        database.run("UPDATE journal SET checksum = :sum WHERE seq = 1", {"sum": seal("journal", *row)})
    assert len(store.journal()) == 1

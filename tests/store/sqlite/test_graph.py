from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory
from tests.store.sqlite.processes import line_of, started, together
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import EventRef, Memory, Trigger
from wisen.errors import StoreDamaged, StoreError
from wisen.store.sqlite.checksum import seal
from wisen.store.sqlite.files import sidecars
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

CANARIES = ("zqxcanary", "qzxpiglet", "wqjmascot", "xvkparrot", "kjzferret", "vwxbadger", "jqkturtle", "zxqlizard")


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    yield graphs
    graphs.close()


@pytest.fixture
def store(graphs: SqliteGraphs) -> SqliteGraph:
    return graphs.open(a_graph())


def add(store: SqliteGraph, memory: Memory) -> Memory:
    return store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="")[0]


def bytes_of(store: SqliteGraph) -> bytes:
    """Return every byte of the graph's files. Read by another process: closing a file here would drop our locks."""
    code = "\nfor p in sorted(path.parent.glob(path.name + '*')): print(p.read_bytes().hex())"
    [printed] = together(started(code, store._pool.path))
    return bytes.fromhex(printed.replace("\n", ""))


# --- purge ------------------------------------------------------------------------------------------------------


def a_memory_full_of_canaries() -> Memory:
    text, title, why, how, tag, quote, key, program = CANARIES
    return a_memory(
        f"{text} sings",
        title=title,
        why=f"because {why}",
        how_to_apply=how,
        tags=(tag,),
        digest=key,
        evidence=(EventRef(event_id="e", session_id="s", at=T0, quote=quote),),
        trigger=Trigger(program=program),
    )


def test_a_purge_leaves_no_byte_of_the_memory_in_any_file(store: SqliteGraph) -> None:
    for n in range(50):
        add(store, a_memory(f"neighbour {n} {'padding ' * n}"))
    memory = a_memory_full_of_canaries()
    store.add(memory, key=f"rule {CANARIES[0]}", actor=Actor.USER, reason=f"said {CANARIES[1]}")
    for n in range(50):
        store.update(replace(memory, support=n), actor=Actor.USER, action="support", reason=CANARIES[2])
    for n in range(50):
        add(store, a_memory(f"later neighbour {n}"))
    before = bytes_of(store)
    assert [word for word in CANARIES if word.encode() not in before] == [], "the search finds what is there"

    store.purge(memory.memory_id)

    after = bytes_of(store)
    assert [word for word in CANARIES if word.encode() in after] == []
    assert len(store.list(MemoryFilter())) == 100


def test_a_purge_while_somebody_reads_says_so_and_can_be_finished(
    store: SqliteGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = add(store, a_memory("the canary sings"))
    with store._pool.write() as database:
        pass
    database.all("PRAGMA busy_timeout = 1")
    with store._pool.read() as reader:
        reader.run("BEGIN")
        reader.all("SELECT * FROM memories")
        with pytest.raises(StoreError, match="gone, but"):
            store.purge(memory.memory_id)
        reader.run("COMMIT")
    assert store.get(memory.memory_id) is None
    store.purge(memory.memory_id)
    assert b"canary" not in bytes_of(store)


# --- readers, writers, processes --------------------------------------------------------------------------------


def test_a_long_read_holds_up_no_write_and_no_other_read(store: SqliteGraph) -> None:
    add(store, a_memory("first"))
    with store._pool.read() as reader:
        reader.run("BEGIN")
        reader.all("SELECT * FROM memories")
        add(store, a_memory("second"))
        assert len(store.list(MemoryFilter())) == 2
        assert len(reader.all("SELECT * FROM memories")) == 1, "it sees the state it began with"
        reader.run("COMMIT")


def test_a_search_runs_while_a_write_is_under_way(store: SqliteGraph) -> None:
    add(store, a_memory("use pnpm"))
    with store._pool.write(), ThreadPoolExecutor(1) as threads:
        found = threads.submit(store.search, ["pnpm"], MemoryFilter()).result(timeout=10)
    assert found.total == 1


def test_other_processes_read_and_write_while_this_one_has_the_file_open(store: SqliteGraph, tmp_path: Path) -> None:
    add(store, a_memory("use pnpm"))
    code = """
        graphs = SqliteGraphs(path, FrozenClock())
        store = graphs.open(a_graph())
        store.add(a_memory("use uv", memory_id="from another process"), key="k", actor=Actor.USER, reason="")
        print(store.search(["pnpm"], MemoryFilter()).total)
        graphs.close()
    """
    assert together(started(code, tmp_path)) == ["1\n"]
    assert len(store.list(MemoryFilter())) == 2


def test_a_memory_survives_a_kill_right_after_it_was_added(graphs: SqliteGraphs, tmp_path: Path) -> None:
    code = """
        store = SqliteGraphs(path, FrozenClock()).open(a_graph())
        store.add(a_memory("use pnpm"), key="k", actor=Actor.USER, reason="")
        print("added", flush=True)
        sys.stdin.read()
    """
    with started(code, tmp_path) as process:
        assert line_of(process) == "added"
        process.kill()
    assert [m.text for m in graphs.open(a_graph()).list(MemoryFilter())] == ["use pnpm"]


def test_a_closed_store_opens_again_when_it_is_used(store: SqliteGraph) -> None:
    memory = add(store, a_memory())
    store.close()
    assert store.get(memory.memory_id) == memory
    store.close()
    add(store, a_memory())


def test_a_reader_lent_out_during_a_close_still_works_and_is_not_kept(store: SqliteGraph) -> None:
    add(store, a_memory())
    with store._pool.read() as reader:
        store.close()
        assert len(reader.all("SELECT * FROM memories")) == 1
    assert store._pool._idle == []


def test_a_write_that_fails_half_way_changes_nothing(store: SqliteGraph) -> None:
    memory = add(store, a_memory("old"))
    with store._pool.write() as database:
        database.run("DROP TABLE passage_index")
    with pytest.raises(StoreError):
        store.update(replace(memory, text="new"), actor=Actor.USER, action="edit", reason="")
    assert store.get(memory.memory_id) == memory
    assert len(store.journal()) == 1


def test_counting_the_uses_of_many_memories_is_one_transaction(store: SqliteGraph) -> None:
    memories = [add(store, a_memory()) for _ in range(25)]
    commits: list[int] = []

    def committing() -> bool:
        commits.append(1)
        return False

    with store._pool.write() as database:
        pass
    database._connection.set_commit_hook(committing)
    store.touch([memory.memory_id for memory in memories], T0)
    assert len(commits) == 1
    assert {memory.uses for memory in store.list(MemoryFilter())} == {1}


# --- damage -----------------------------------------------------------------------------------------------------


def test_one_flipped_bit_in_the_file_is_noticed_and_the_row_named(graphs: SqliteGraphs, store: SqliteGraph) -> None:
    memory = add(store, a_memory("the canary sings"))
    path = store._pool.path
    graphs.close()
    content = path.read_bytes()
    assert content.count(b'"text":"the canary sings"') == 2, "in the memory and in the journal"
    path.write_bytes(content.replace(b'"text":"the canary sings"', b'"text":"the canary rings"'))

    store = graphs.open(a_graph())
    with pytest.raises(StoreDamaged, match=memory.memory_id):
        store.get(memory.memory_id)
    assert (store.list(MemoryFilter()), store.search(["canary"], MemoryFilter()).hits) == ((), ())
    assert store.journal() == ()
    assert len(store.problems()) == 2


@pytest.mark.parametrize("column", ["status", "confidence", "source", "digest", "pinned"])
def test_a_changed_column_is_noticed_too(store: SqliteGraph, column: str) -> None:
    memory = add(store, a_memory())
    with store._pool.write() as database:
        database.run(f"UPDATE memories SET {column} = 1 - 0 * rowid")
    with pytest.raises(StoreDamaged, match=memory.memory_id):
        store.get(memory.memory_id)


def test_an_unknown_source_in_a_row_is_a_clear_error(store: SqliteGraph) -> None:
    memory = add(store, a_memory())
    with store._pool.write() as database:
        [row] = database.all(
            "SELECT memory_id, status, kind, source, confidence, pinned, support, created_us, snoozed_us, digest, body"
            " FROM memories"
        )
        body = str(row[-1]).replace('"correction"', '"telepathy"')
        checksum = seal("memories", *row[:-1], body)
        database.run("UPDATE memories SET body = :body, checksum = :checksum", {"body": body, "checksum": checksum})
    with pytest.raises(StoreDamaged, match=rf"{memory.memory_id}.*telepathy.*source") as caught:
        store.get(memory.memory_id)
    assert "newer wisen" in caught.value.hint


def test_sizes_are_of_all_the_graphs_files(store: SqliteGraph) -> None:
    add(store, a_memory())
    assert store.stats().bytes_on_disk == sum(p.stat().st_size for p in sidecars(store._pool.path) if p.exists()) > 0

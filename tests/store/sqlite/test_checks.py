"""A check finds what is wrong in a whole file, says what to do, and makes an index anew that is not the memories'."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_job, a_memory, a_session, a_signal, an_event
from wisen.core.findings import Finding, Severity
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Status
from wisen.errors import StoreError
from wisen.store.sqlite import checks
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH, FileKind, create_file, open_file
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.salvage import CONTROL_TABLES, GRAPH_TABLES

ONE, TWO = a_memory("the canary sings", digest="one"), a_memory("the canary eats", digest="two")


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    yield graphs
    graphs.close()


@pytest.fixture
def store(graphs: SqliteGraphs) -> SqliteGraph:
    store = graphs.open(a_graph())
    for memory in (ONE, TWO):
        store.add(memory, key=memory.digest, actor=Actor.USER, reason="said so")
    return store


def change(store: SqliteGraph, sql: str) -> None:
    with store._pool.write() as database:
        assert database.run(sql) > 0


def test_of_what_is_sound_nothing_is_found(graphs: SqliteGraphs, store: SqliteGraph, tmp_path: Path) -> None:
    store.purge(ONE.memory_id)
    assert graphs.check() == []
    control = SqliteControl(tmp_path / "control.db")
    control.save_session(a_session())
    control.record(an_event(), seen_at=T0, signals=[a_signal()])
    control.enqueue(a_job())
    assert control.check() == ()
    control.close()


def test_a_change_since_the_last_search_is_no_damage(graphs: SqliteGraphs, store: SqliteGraph) -> None:
    """A connection keeps what an FTS5 index looked like at its last search, and a check on it calls changes damage."""
    for n in range(5):
        store.search(["canary"], MemoryFilter())
        held = store.get(ONE.memory_id)
        assert held is not None
        changed = replace(held, text=f"the canary {'whistles' * n} and is heard", digest=f"one-{n}")
        store.update(changed, actor=Actor.USER, action="edit", reason="edited")
        assert graphs.check() == []
    store.search(["canary"], MemoryFilter())
    store.purge(ONE.memory_id)
    assert graphs.check() == []


@pytest.mark.parametrize("table", ["memories", "journal"])
def test_a_damaged_row_is_found_without_its_words(graphs: SqliteGraphs, store: SqliteGraph, table: str) -> None:
    change(store, f"UPDATE {table} SET checksum = checksum + 1 WHERE memory_id = '{ONE.memory_id}'")
    [finding] = graphs.check()
    assert finding.severity is Severity.ERROR
    assert finding.where == str(store._pool.path)
    assert f"row 1 of {table}" in finding.what
    assert finding.next_step
    assert "sings" not in repr(finding)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM passages WHERE memory = 1",
        "UPDATE passages SET text = 'of another time' WHERE memory = 1",
        "UPDATE passages SET program = 'make' WHERE memory = 1",
        (
            "INSERT INTO passage_index (passage_index, rowid, title, text, why, how_to_apply, tags) "
            "VALUES ('delete', 1, '', 'the canary sings', '', '', '')"
        ),
        "INSERT INTO passage_index (passage_index) VALUES ('delete-all')",
        "DELETE FROM passage_index_docsize WHERE id = 1",
        "PRAGMA foreign_keys = OFF",
    ],
    ids=[
        "no passage",
        "other words",
        "a recipe that is none",
        "not indexed",
        "nothing indexed",
        "a size is gone",
        "an orphan",
    ],
)
def test_an_index_that_is_not_that_of_the_memories_is_told_and_made_anew(
    graphs: SqliteGraphs, store: SqliteGraph, sql: str
) -> None:
    if sql.startswith("PRAGMA"):
        store._pool._opened().run(sql)  # it has no effect within a transaction
        sql = (
            "INSERT INTO passages (passage_id, memory, ordinal, title, text, why, how_to_apply, tags) "
            "VALUES (99, 99, 0, 'orphan', '', '', '', '')"
        )
    with store._pool.write() as database:
        database.run(sql)
    [finding] = graphs.check()
    assert finding.severity is Severity.WARNING
    assert "does not hold the words of its memories" in finding.what
    assert [hit.memory for hit in store.search(["sings"], MemoryFilter()).hits] == [ONE]
    assert store.occurrences(["orphan", "canary"])[1] == {"orphan": 0, "canary": 2}
    assert graphs.check() == []
    assert graphs.problems() == ()


def test_two_memories_that_say_the_same_are_found(graphs: SqliteGraphs, store: SqliteGraph) -> None:
    twin = a_memory("the canary sings", digest="one")
    store.add(twin, key="twin", actor=Actor.USER, reason="")
    store.add(a_memory("the canary sings", digest="one", status=Status.FORGOTTEN), key="3", actor=Actor.USER, reason="")
    [finding] = graphs.check()
    assert finding.severity is Severity.WARNING
    assert ONE.short_id in finding.what
    assert twin.short_id in finding.next_step


def test_a_key_of_nothing_known_is_worth_a_note(graphs: SqliteGraphs, store: SqliteGraph) -> None:
    change(store, "INSERT INTO natural_keys VALUES ('0123', 'x')")
    assert [finding.severity for finding in graphs.check()] == [Severity.NOTE]


def test_an_index_of_a_table_that_lost_a_row_makes_the_file_be_mended(
    graphs: SqliteGraphs, store: SqliteGraph, tmp_path: Path
) -> None:
    with store._pool.read() as database:
        [(page,)] = database.all("SELECT pageno FROM dbstat WHERE name = 'memories_by_digest'")
    graphs.close()
    path = store._pool.path
    content = bytearray(path.read_bytes())
    start = (int(page or 0) - 1) * 4096
    assert content[start] == 0x0A
    content[start + 4] = 1  # one cell less
    path.write_bytes(content)

    again = SqliteGraphs(tmp_path, FrozenClock())
    [finding] = again.check()
    assert "set aside" in finding.what
    assert len(again.open(a_graph()).by_digest("two")) == 1
    assert len(again.open(a_graph()).by_digest("one")) == 1
    again.close()


def test_a_file_that_nobody_knows_is_an_error_with_a_next_step(graphs: SqliteGraphs, tmp_path: Path) -> None:
    (tmp_path / f"{'0' * 24}.db").write_bytes(b"x" * 5000)
    [finding] = graphs.check()
    assert (finding.severity, Path(finding.where).name) == (Severity.ERROR, f"{'0' * 24}.db")
    assert finding.next_step


def test_what_is_wrong_in_the_control_file_is_found(tmp_path: Path) -> None:
    store = SqliteControl(tmp_path / "control.db")
    store.record(an_event(), seen_at=T0)
    store.add_signals("claude-code", [a_signal()])
    with store._file.write() as database:
        database.run("UPDATE events SET checksum = checksum + 1")
    found: dict[Severity, Finding] = {finding.severity: finding for finding in store.check()}
    assert found.keys() == {Severity.WARNING, Severity.NOTE}
    assert "events" in found[Severity.WARNING].what
    assert "1 signals" in found[Severity.NOTE].what
    store.close()


# Without a checksum, and carried over as far as they can be told from other records; or derived, and made anew.
DERIVED = {
    "passages",
    "passage_index",
    "passage_words",
    "spaces",
    "vectors",
    "token_states",
    "waiting",
    "codes",
    "turns",
}
OTHERWISE = {CONTROL: {"damaged", "counters"}, GRAPH: {"facts", "natural_keys"} | DERIVED}


@pytest.mark.parametrize("kind", [CONTROL, GRAPH], ids=lambda kind: kind.name)
def test_every_table_is_carried_over_from_a_damaged_file_column_by_column(tmp_path: Path, kind: FileKind) -> None:
    create_file(tmp_path / "x.db", kind)
    with open_file(tmp_path / "x.db", kind) as database:
        tables = database.all(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') "
            "AND name NOT LIKE 'sqlite%'"
        )
        carried = {table.name: table.columns for table in (CONTROL_TABLES if kind is CONTROL else GRAPH_TABLES)}
        assert {str(name) for (name,) in tables} == carried.keys() | OTHERWISE[kind]
        for name, columns in carried.items():
            found = database.all("SELECT name FROM pragma_table_info(:name) ORDER BY cid", {"name": name})
            assert tuple(str(column) for (column,) in found) == columns


def test_events_are_kept_while_the_control_file_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verify, written = checks._verify_pages, []

    def write_meanwhile(path: Path) -> None:
        with ThreadPoolExecutor(1) as threads:
            written.append(threads.submit(control.record, an_event(), seen_at=T0).result(timeout=10))
            threads.submit(control.flush).result(timeout=10)
        verify(path)

    monkeypatch.setattr(checks, "_verify_pages", write_meanwhile)
    control = SqliteControl(tmp_path / "control.db")
    assert control.check() == ()
    assert written == [True]
    control.close()


def test_a_graph_whose_numbers_are_used_up_is_told_and_refuses_changes_with_what_helps(
    graphs: SqliteGraphs, store: SqliteGraph
) -> None:
    """As an import by an earlier version may have left it."""
    change(store, "UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'journal'")
    with pytest.raises(StoreError, match="beyond any that wisen gives") as caught:
        store.add(a_memory("later"), key="later", actor=Actor.USER, reason="")
    assert "wisen" in caught.value.hint
    found = [each for each in graphs.check() if each.severity is Severity.ERROR]
    assert [each.what for each in found] == [caught.value.message]
    assert len(store.list(MemoryFilter())) == 2

"""A damaged file is set aside and kept, what can be read of it goes on being used, and the user is told."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import (
    T0,
    FrozenClock,
    a_graph,
    a_job,
    a_memory,
    a_receipt,
    a_session,
    a_signal,
    an_event,
)
from tests.store.sqlite.killing import remains_of
from tests.store.sqlite.processes import started, together
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, RootClaim
from wisen.core.types import Memory, Status
from wisen.errors import StoreDamaged, StoreError, StoreTooNew
from wisen.store.sqlite.connection import Database, FileDamaged
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graph import SqliteGraph
from wisen.store.sqlite.graphs import SqliteGraphs

PAGE = 4096
Misplaced = StoreDamaged  # the only damage that is not mended: the file says that it is another graph's
EVERYTHING = MemoryFilter(statuses=frozenset(Status))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "graphs"


@pytest.fixture
def opened(directory: Path) -> Iterator[Callable[[], SqliteGraph]]:
    """Return what opens the graph as a new process would."""
    opened: list[SqliteGraphs] = []

    def open_() -> SqliteGraph:
        opened.append(SqliteGraphs(directory, FrozenClock()))
        return opened[-1].open(a_graph())

    yield open_
    for graphs in opened:
        graphs.close()


def filled(store: SqliteGraph, count: int = 60) -> list[Memory]:
    memories = [a_memory(f"rule number{n} {'padding ' * 20}", digest=f"d{n}") for n in range(count)]
    for n, memory in enumerate(memories):
        store.add(memory, key=f"key {n}", actor=Actor.USER, reason="said so")
    store.close()
    return memories


def pages_of(path: Path, table: str, kind: str = "leaf") -> list[int]:
    with Database(path, read_only=True) as database:
        found = database.all(
            "SELECT pageno FROM dbstat WHERE name = :table AND pagetype = :kind", {"table": table, "kind": kind}
        )
    return [int(page or 0) for (page,) in found]


def overwrite(path: Path, *pages: int, content: bytes = b"\xff" * PAGE) -> None:
    whole = bytearray(path.read_bytes())
    for page in pages:
        whole[(page - 1) * PAGE : page * PAGE] = content
    path.write_bytes(whole)


def file_of(store: SqliteGraph) -> Path:
    return store._pool.path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- one graph --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["memories", "journal", "passages", "passage_index_data", "sqlite_schema"])
def test_an_unreadable_page_takes_no_memory_away(opened: Callable[[], SqliteGraph], table: str) -> None:
    store = opened()
    memories = filled(store)
    path = file_of(store)
    overwrite(path, *(pages_of(path, table) or pages_of(path, table, "internal"))[:1])

    after = opened()

    after.journal(limit=100)
    assert {m.memory_id: m for m in after.list(EVERYTHING)} == {m.memory_id: m for m in memories}
    assert [hit.memory for hit in after.search(["number7"], MemoryFilter()).hits] == [memories[7]]
    assert after.add(replace(memories[0], memory_id="x"), key="key 0", actor=Actor.GATE, reason="") == (
        memories[0],
        False,
    )
    [aside] = path.parent.glob("*.damaged-*Z")
    assert b"\xff" * PAGE in aside.read_bytes()
    assert after.journal(limit=1)[0].seq == 60 or table == "journal"
    after.update(replace(memories[0], title="new"), actor=Actor.USER, action="edit", reason="")
    assert after.journal(limit=1)[0].seq == 61, "no number comes twice"


def test_a_page_that_is_lost_while_the_file_is_in_use_fails_no_call(opened: Callable[[], SqliteGraph]) -> None:
    store = opened()
    memories = filled(store)
    assert len(store.list(MemoryFilter())) == 60
    store.close()
    overwrite(file_of(store), *pages_of(file_of(store), "passage_index_data")[:3])

    assert [hit.memory for hit in store.search(["number7"], MemoryFilter()).hits] == [memories[7]]
    new = a_memory("another")
    assert store.add(new, key="k", actor=Actor.USER, reason="")[1]
    assert opened().get(new.memory_id) == new


def test_a_set_aside_file_is_the_owners_only_and_told_of_until_it_is_deleted(
    opened: Callable[[], SqliteGraph], directory: Path
) -> None:
    store = opened()
    filled(store)
    path = file_of(store)
    path.chmod(0o644)
    overwrite(path, 1)
    before = path.read_bytes()
    graphs = SqliteGraphs(directory, FrozenClock())
    graphs.open(a_graph())

    [aside] = directory.glob("*.damaged-*Z")
    assert aside.read_bytes() == before
    assert {mode(each) for each in directory.iterdir()} == {0o600}
    for _ in range(2):
        [problem] = graphs.problems()
        assert str(aside) in problem
        assert "60 memories, 60 changes could be read" in problem
        [finding] = graphs.check()
        assert (finding.where, finding.severity) == (str(aside), "error")
        assert "number" not in problem
        graphs.close()
        graphs = SqliteGraphs(directory, FrozenClock())
    for left in directory.glob(f"{aside.name}*"):
        left.unlink()
    assert graphs.problems() == ()
    assert len(graphs.open(a_graph()).list(MemoryFilter())) == 60
    graphs.close()


def test_the_log_of_a_damaged_file_goes_with_it_and_what_is_in_it_is_carried_over(
    opened: Callable[[], SqliteGraph], directory: Path, tmp_path: Path
) -> None:
    store = opened()
    filled(store)
    late = a_memory("it is in the log alone")
    store.add(late, key="late", actor=Actor.USER, reason="")
    crashed = tmp_path / "crashed"
    shutil.copytree(directory, crashed)  # as a kill leaves it: the log is not in the file yet
    path = crashed / file_of(store).name
    log = path.with_name(path.name + "-wal")
    assert b"it is in the log alone" not in path.read_bytes()
    held = log.read_bytes()
    overwrite(path, *pages_in(path.read_bytes(), b"rule number3"))

    graphs = SqliteGraphs(crashed, FrozenClock())
    assert late in graphs.open(a_graph()).list(MemoryFilter())
    assert len(graphs.open(a_graph()).list(EVERYTHING)) == 61
    [aside] = crashed.glob("*.damaged-*Z-wal")
    assert aside.read_bytes() == held
    graphs.close()


def pages_in(content: bytes, words: bytes) -> list[int]:
    return [n + 1 for n in range(len(content) // PAGE) if words in content[n * PAGE : (n + 1) * PAGE]][:1]


@pytest.mark.parametrize("left", [0, 50, PAGE - 1, PAGE, 3 * PAGE + 17])
def test_a_truncated_file_gives_what_is_left_of_it(
    opened: Callable[[], SqliteGraph], directory: Path, left: int
) -> None:
    store = opened()
    memories = filled(store)
    path = file_of(store)
    content = path.read_bytes()
    cut = len(content) - left if left > 100 else left  # from the end, or almost everything
    path.write_bytes(content[:cut])

    after = opened()

    held = after.list(EVERYTHING)
    assert {m.memory_id for m in held} <= {m.memory_id for m in memories}
    assert len(held) > 30 or left <= 100
    assert after.add(a_memory("goes on"), key="k", actor=Actor.USER, reason="")[1]
    assert [aside.read_bytes() for aside in directory.glob("*.damaged-*Z")] == [content[:cut]]


def test_a_memory_that_only_the_journal_still_has_waits_for_review_when_later_changes_may_be_lost(
    opened: Callable[[], SqliteGraph],
) -> None:
    store = opened()
    memory = a_memory("we use npm")
    forgotten = a_memory("forget me")
    store.add(memory, key="1", actor=Actor.USER, reason="")
    store.add(forgotten, key="2", actor=Actor.USER, reason="")
    store.update(replace(forgotten, status=Status.FORGOTTEN), actor=Actor.USER, action="status", reason="")
    with store._pool.write() as database:  # the rows and the change that put the second away are lost
        database.run("UPDATE memories SET checksum = checksum + 1; UPDATE journal SET checksum = 7 WHERE seq = 3")
    store.close()
    overwrite(file_of(store), *pages_of(file_of(store), "memories", "leaf"))

    after = opened()

    assert after.list(MemoryFilter()) == ()
    waiting = after.list(MemoryFilter(statuses=frozenset({Status.PENDING_REVIEW})))
    assert {m.text for m in waiting} == {"we use npm", "forget me"}


def test_a_row_that_is_not_what_was_written_comes_back_from_the_journal(opened: Callable[[], SqliteGraph]) -> None:
    store = opened()
    memories = filled(store, 3)
    with store._pool.write() as database:
        database.run("UPDATE memories SET body = replace(body, 'number1', 'number9') WHERE number = 2")
    assert len(store.list(EVERYTHING)) == 2
    store.close()
    overwrite(file_of(store), 1)
    after = opened()
    assert set(after.list(EVERYTHING)) == set(memories)
    assert after.problems() == []


def test_what_was_purged_does_not_come_back(opened: Callable[[], SqliteGraph], directory: Path) -> None:
    store = opened()
    memories = filled(store, 10)
    store.purge(memories[3].memory_id)
    store.close()
    overwrite(file_of(store), *pages_of(file_of(store), "memories"))
    after = opened()
    assert len(after.list(EVERYTHING)) == 9
    assert after.get(memories[3].memory_id) is None


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 0.999), st.binary(min_size=1, max_size=PAGE)), min_size=1, max_size=4))
def test_whatever_is_overwritten_nothing_that_was_not_said_is_served(
    tmp_path_factory: pytest.TempPathFactory, damage: list[tuple[float, bytes]]
) -> None:
    directory = tmp_path_factory.mktemp("graphs")
    graphs = SqliteGraphs(directory, FrozenClock())
    store = graphs.open(a_graph())
    memories = {m.memory_id: m for m in filled(store, 30)}
    content = bytearray(file_of(store).read_bytes())
    for where, noise in damage:
        at = int(where * len(content))
        content[at : at + len(noise)] = noise
    file_of(store).write_bytes(content)

    after = SqliteGraphs(directory, FrozenClock())
    try:
        store = after.open(a_graph())
    except (StoreTooNew, Misplaced):  # the noise says so
        return
    for memory in store.list(MemoryFilter()):
        assert memory == memories[memory.memory_id]
    for hit in store.search(["number7", "padding"], MemoryFilter()).hits:
        assert hit.memory == memories[hit.memory.memory_id]
    assert store.add(a_memory("goes on"), key="new", actor=Actor.USER, reason="")[1]
    after.check()
    after.close()
    graphs.close()


# --- files that are left alone ----------------------------------------------------------------------------------


def test_a_file_of_a_newer_wisen_is_left_alone(opened: Callable[[], SqliteGraph], directory: Path) -> None:
    store = opened()
    store.close()
    with Database(file_of(store)) as database:
        database.run("PRAGMA user_version = 99")
    content = file_of(store).read_bytes()
    with pytest.raises(StoreTooNew):
        opened()
    assert file_of(store).read_bytes() == content
    assert [*directory.glob("*damaged*")] == []


@pytest.mark.parametrize(
    "error", [apsw.IOError("disk I/O error"), apsw.BusyError("busy"), apsw.CantOpenError("no"), apsw.FullError("full")]
)
def test_a_file_that_is_out_of_reach_is_left_alone(
    opened: Callable[[], SqliteGraph], directory: Path, monkeypatch: pytest.MonkeyPatch, error: apsw.Error
) -> None:
    store = opened()
    store.close()

    def fail(_: Database) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Database, "_configure", fail)
        with pytest.raises(StoreError) as caught:
            opened()
    assert not isinstance(caught.value, StoreDamaged)
    assert [*directory.glob("*damaged*")] == []


def test_a_full_disk_leaves_the_damaged_file_where_it_is(
    opened: Callable[[], SqliteGraph], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    memories = filled(store)
    overwrite(file_of(store), 1)
    content = file_of(store).read_bytes()

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            opened()
    assert file_of(store).read_bytes() == content
    assert [each.name for each in directory.glob("*.db*")] == [file_of(store).name]
    assert len(opened().list(MemoryFilter())) == len(memories)


def test_a_log_without_its_file_is_not_taken_for_that_of_a_new_one(
    opened: Callable[[], SqliteGraph], directory: Path
) -> None:
    store = opened()
    filled(store)
    store.add(a_memory("from before"), key="k", actor=Actor.USER, reason="")
    log = file_of(store).with_name(file_of(store).name + "-wal")
    content = log.read_bytes()
    assert content
    store.close()
    file_of(store).unlink()
    log.write_bytes(content)

    after = opened()
    assert after.list(EVERYTHING) == ()
    assert after.add(a_memory("new"), key="k", actor=Actor.USER, reason="")[1]
    [aside] = directory.glob("*.damaged-*-wal")
    assert aside.read_bytes() == content


# --- processes --------------------------------------------------------------------------------------------------


def test_a_process_that_is_killed_while_it_mends_loses_nothing(
    opened: Callable[[], SqliteGraph], directory: Path, tmp_path: Path
) -> None:
    store = opened()
    memories = filled(store, 12)
    overwrite(file_of(store), *pages_of(file_of(store), "memories")[:1])
    damaged = file_of(store).read_bytes()
    code = """
        def run(path):
            SqliteGraphs(path, FrozenClock()).open(a_graph()).list(MemoryFilter())
    """
    remains = remains_of(code, directory, tmp_path / "remains")
    assert len(remains) > 8
    for each in remains:
        graphs = SqliteGraphs(each, FrozenClock())
        found = graphs.existing(a_graph())
        assert found is not None
        assert {m.memory_id: m for m in found.list(MemoryFilter())} == {m.memory_id: m for m in memories}
        assert [aside.read_bytes() for aside in each.glob("*.damaged-*Z")] == [damaged]
        assert [*each.glob("*.new"), *each.glob("*.salvaged-*")] == []
        graphs.close()


def test_who_meets_the_damage_after_it_was_mended_uses_the_new_file(
    opened: Callable[[], SqliteGraph], directory: Path
) -> None:
    memories = filled(opened())
    first, second = opened(), opened()
    overwrite(file_of(first), *pages_of(file_of(first), "memories", "leaf"))
    for store in (first, second):
        assert {m.memory_id for m in store.list(EVERYTHING)} == {m.memory_id for m in memories}
    new = a_memory("new")
    second.add(new, key="new", actor=Actor.USER, reason="")
    assert first.get(new.memory_id) == new
    assert second.get(new.memory_id) == new
    assert len([*directory.glob("*.damaged-*.json")]) == 1


def test_processes_that_meet_the_damage_together_mend_it_once(
    opened: Callable[[], SqliteGraph], directory: Path
) -> None:
    store = opened()
    filled(store)
    overwrite(file_of(store), 1)
    code = """
        store = SqliteGraphs(path, FrozenClock()).open(a_graph())
        print(len(store.list(MemoryFilter())))
        store.close()
    """
    assert together(*(started(code, directory) for _ in range(3))) == ["60\n"] * 3
    assert len([*directory.glob("*.damaged-*Z")]) == 1


# --- the control file -------------------------------------------------------------------------------------------


def test_the_control_file_keeps_every_sound_row(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    store = SqliteControl(path)
    events = [an_event() for _ in range(40)]
    for event in events:
        store.record(event, seen_at=T0)
    session = a_session()
    store.save_session(session)
    signals = [a_signal(f"rule {n}") for n in range(5)]
    store.add_signals("claude-code", signals)
    store.advance_promoted("claude-code", "session-1", 3)
    job, receipt = a_job(), a_receipt()
    store.enqueue(job)
    store.add_receipt(receipt)
    claim = RootClaim(graph=str(a_graph()), root="c0ffee", first_seen=T0)
    store.save_root_claim(claim)
    store.save_alias(a_graph("a/a"), a_graph("b/b"))
    store.count("lost", 7)
    store.close()
    overwrite(path, *pages_of(path, "events", "leaf")[:1])

    after = SqliteControl(path)

    kept = after.events("claude-code", "session-1")
    assert 0 < len(kept) < 40
    assert {e.event_id for e in kept} < {e.event_id for e in events}
    assert after.session("claude-code", "session-1") == replace(session, promoted_seq=3)
    assert [seq for seq, _ in after.signals_after("claude-code", "session-1", 0)] == [1, 2, 3, 4, 5]
    assert after.jobs() == (job,)
    assert after.receipts() == (receipt,)
    assert after.root_claim(a_graph()) == claim
    assert after.aliases() == {str(a_graph("a/a")): str(a_graph("b/b"))}
    assert after.counters() == {"lost": 7}
    after.add_signals("claude-code", [a_signal("new")])
    assert [seq for seq, _ in after.signals_after("claude-code", "session-1", 5)] == [6]
    assert "set aside because it was damaged" in after.problems()[0]
    after.close()


def test_a_signal_after_a_loss_never_gets_a_number_that_was_promoted(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    store = SqliteControl(path)
    store.save_session(a_session(promoted_seq=17))
    store.close()
    overwrite(path, 1)
    after = SqliteControl(path)
    after.add_signals("claude-code", [a_signal()])
    assert [seq for seq, _ in after.signals_after("claude-code", "session-1", 17)] == [18]
    after.close()


@pytest.mark.parametrize("content", [b"", b"notes of somebody" * 500], ids=["empty", "foreign"])
def test_a_control_file_of_which_nothing_can_be_read_is_kept_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "control.db"
    path.write_bytes(content)
    store = SqliteControl(path)
    assert store.session_count() == 0
    [problem] = store.problems()
    assert "nothing in it could be read" in problem
    [aside] = tmp_path.glob("control.db.damaged-*Z")
    assert aside.read_bytes() == content
    store.close()


def test_another_programs_database_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    path.touch()
    with Database(path) as database:
        database.run("CREATE TABLE sessions (mine TEXT); INSERT INTO sessions VALUES ('precious')")
    content = path.read_bytes()
    SqliteControl(path).close()
    [aside] = tmp_path.glob("control.db.damaged-*Z")
    assert aside.read_bytes() == content


def test_the_control_file_goes_on_when_a_page_is_lost_in_use(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    store = SqliteControl(path)
    for _ in range(40):
        store.record(an_event(), seen_at=T0)
    store.save_session(a_session())
    store.flush()
    store._file.checkpoint()
    overwrite(path, *pages_of(path, "events", "leaf"))
    store._file._database.run("PRAGMA shrink_memory")
    assert store.events("claude-code", "session-1") == ()
    assert store.session("claude-code", "session-1") == a_session()
    assert store.record(an_event(), seen_at=T0)
    store.flush()
    store.close()
    assert len([*tmp_path.glob("control.db.damaged-*Z")]) == 1


def test_a_file_that_somebody_else_mended_meanwhile_is_not_set_aside(
    opened: Callable[[], SqliteGraph], directory: Path
) -> None:
    store = opened()
    filled(store)
    path = file_of(store)
    inode = path.stat().st_ino
    overwrite(path, 1)
    file = store._pool._file
    for _ in range(2):
        file.mend(FileDamaged("damaged"), inode)
    assert len([*directory.glob("*.damaged-*.json")]) == 1
    assert len(opened().list(EVERYTHING)) == 60

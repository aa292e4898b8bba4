"""Faults that broke other memory systems' storage, each shown to be absent here."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wisen
from tests.builders import T0, FrozenClock, a_graph, a_job, a_memory, an_event
from tests.store.conftest import Controls, Graphs
from tests.store.sqlite.processes import line_of, started, together
from tests.store.sqlite.test_upgrade import Home, verify_graph, write_earlier
from wisen.core.recalls import MemoryFilter
from wisen.core.records import LONGEST_WAIT, Actor
from wisen.core.types import Status
from wisen.errors import StoreTooNew
from wisen.store import contract
from wisen.store.memory import InMemoryGraphs
from wisen.store.sqlite import rows
from wisen.store.sqlite.connection import WAL_LIMIT_BYTES, Database, Row
from wisen.store.sqlite.control import _SQL, SqliteControl
from wisen.store.sqlite.files import CONTROL, GRAPH
from wisen.store.sqlite.graphs import SqliteGraphs

SOURCE = Path(wisen.__path__[0])
NOT_ACTIVE = [status for status in Status if status is not Status.ACTIVE]


@pytest.mark.fault("B37")
def test_command_server_and_mcp_use_one_store_at_the_same_time(tmp_path: Path) -> None:
    """B37."""
    reading = """
        graphs = SqliteGraphs(path / "graphs", FrozenClock())
        found = [len(graphs.open(a_graph()).search(["pnpm"], MemoryFilter()).hits) for _ in range(100)]
        control = SqliteControl(path / "control.db")
        control.count("searches", len(found))
        control.close()
        print(min(found) > 0)
    """
    serving = """
        control = SqliteControl(path / "control.db")
        store = SqliteGraphs(path / "graphs", FrozenClock()).open(a_graph())
        store.add(a_memory("use pnpm"), key="first", actor=Actor.USER, reason="")
        print("serving", flush=True)
        for n in range(100):
            control.record(an_event(), seen_at=T0)
            store.add(a_memory(f"rule {n}"), key=str(n), actor=Actor.USER, reason="")
        control.close()
        store.close()
    """
    server = started(serving, tmp_path)
    assert line_of(server) == "serving"
    assert together(started(reading, tmp_path), started(reading, tmp_path), server) == ["True\n", "True\n", ""]
    control = SqliteControl(tmp_path / "control.db")
    assert control.counters() == {"searches": 200}
    control.close()


@pytest.mark.parametrize("writes", [2000, pytest.param(10_000, marks=pytest.mark.stress)])
@pytest.mark.parametrize("is_reading", [False, True], ids=["an open connection", "in the middle of a query"])
@pytest.mark.fault("B38")
def test_the_log_is_small_after_many_writes_beside_an_open_reader(
    tmp_path: Path, writes: int, is_reading: bool
) -> None:
    """B38. A query that is never ended holds the log back for as long as it lasts, and not longer."""
    path, log = tmp_path / "control.db", tmp_path / "control.db-wal"
    store = SqliteControl(path)
    reader = Database(path, read_only=True)
    if is_reading:
        reader.run("BEGIN; SELECT count(*) FROM events")
    for n in range(writes):
        store.record(an_event(), seen_at=T0)
        if n % 50 == 0:
            store.flush()
    store.flush()
    if is_reading:
        assert log.stat().st_size > WAL_LIMIT_BYTES
        reader.run("COMMIT")
        for _ in range(2):  # the one moves everything out of the log, the other begins it anew
            store.record(an_event(), seen_at=T0)
            store.flush()
    assert log.stat().st_size <= WAL_LIMIT_BYTES
    store.close()
    assert not log.exists() or log.stat().st_size <= WAL_LIMIT_BYTES
    reader.close()


@pytest.mark.parametrize("waiting", [11_000, pytest.param(100_000, marks=pytest.mark.stress)])
@pytest.mark.fault("B39")
def test_however_many_jobs_wait_a_start_reads_no_more_than_a_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    """B39. Counted, not timed: how many rows are read; and no query sorts the queue or reads through it."""
    path = tmp_path / "control.db"
    SqliteControl(path).close()
    first = a_job()
    with Database(path) as database, database.transaction():
        for job in (first, *(a_job() for _ in range(waiting))):
            database.run(_SQL["put_job"], rows.job_row(job))

    read = 0
    real = Database.all

    def counting(self: Database, sql: str, parameters: object = None) -> Sequence[Row]:
        nonlocal read
        found = real(self, sql, parameters)  # type: ignore[arg-type]
        read += len(found)
        return found

    monkeypatch.setattr(Database, "all", counting)
    store = SqliteControl(path)
    read = 0
    assert store.requeue_running() == 0
    assert store.next_job_due() == T0
    claimed = store.claim_job(T0)
    assert claimed is not None
    assert claimed.job_id == first.job_id
    store.finish_job(first.job_id)
    assert read < 10

    assert not store.enqueue(a_job()), "the queue is full"
    assert store.enqueue(a_job()) is False
    assert store.counters() == {contract.PUT_OFF: 2}
    for query in ("oldest_due_job", "next_job"):
        with store._file.read() as database:
            plan = repr(real(database, f"EXPLAIN QUERY PLAN {_SQL[query]}", {"now_us": 0, "far_us": 0}))
        assert "SEARCH jobs" in plan
        assert "SCAN jobs" not in plan
    store.close()


@pytest.mark.fault("B39")
def test_work_that_waits_is_bounded_and_what_is_put_off_is_counted(
    controls: Controls, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B39. Nothing is lost: the signals wait in the store, and a later sweep queues the job again."""
    monkeypatch.setattr(contract, "MOST_QUEUED", 3)
    store = controls.store
    waiting = [a_job() for _ in range(3)]
    assert [store.enqueue(job) for job in waiting] == [True] * 3
    late = a_job()
    assert not store.enqueue(late)
    assert not store.enqueue(a_job(key=waiting[0].key)), "this one waits already, and is not put off"
    assert store.counters() == {"jobs_put_off": 1}
    assert store.claim_job(T0 + LONGEST_WAIT) == waiting[0] or store.job_counts()["running"] == 1
    assert store.enqueue(late)


@pytest.mark.fault("B41")
def test_no_module_writes_a_file_in_place() -> None:
    """B41. What writes a file flushes it and then renames it over the old one; each exception has its reason."""
    in_place = {
        "cli/main.py": "the null device",
        "daemon/logfile.py": "the log: lines are appended",
        "lockfile.py": "says who holds a lock: worth nothing after a crash",
        "hotpath.py": "the hook: no flush in its time; a power cut loses a pointer, the transcript has the content",
        "store/sqlite/snapshot.py": "a copy that is looked at and thrown away",
        "evals/recorded.py": "a session unpacked to be played, and thrown away",
        "gitrepo/roots.py": "a cache: one that can't be read is made anew",
    }
    careless = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        is_careful = "fsync" in text and (".replace(" in text or ".rename(" in text)
        if _writes(ast.parse(text)) and not is_careful and str(path.relative_to(SOURCE)) not in in_place:
            careless.append(path)
    assert careless == []
    assert _writes(ast.parse("path.write_text('{}')"))
    assert _writes(ast.parse("with path.open('w') as file: ..."))
    assert not _writes(ast.parse("path.open('rb').read()"))


def _writes(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if name in {"write_text", "write_bytes"}:
                return True
            if name == "open" and any(set(mode) <= set("wax+bt") and set(mode) & set("wax+") for mode in modes):
                return True
        if isinstance(node, ast.Attribute) and node.attr == "O_TRUNC":
            return True
    return False


@pytest.mark.parametrize("fault", ["the column is there already", "a child without its parent"])
@pytest.mark.fault("B42")
def test_a_file_whose_schema_is_not_what_its_number_says_is_repaired_and_keeps_its_rows(
    tmp_path: Path, fault: str
) -> None:
    """B42 a, b. Migrated twice, as in a loop of crashes."""
    home = Home(tmp_path)
    write_earlier(home, GRAPH, 1)
    with Database(home.graph) as database:
        if fault == "the column is there already":
            database.run("ALTER TABLE journal ADD COLUMN batch TEXT NOT NULL DEFAULT ''")
        else:
            database.run("PRAGMA foreign_keys = OFF")
            database.run("INSERT INTO passages VALUES (99, 99, 0, 'orphan', '', '', '', '')")
    for _ in range(2):
        graphs = SqliteGraphs(tmp_path / "graphs", FrozenClock())
        assert len(graphs.open(a_graph()).journal()) == 6
        graphs.close()
        with Database(home.graph) as database:
            orphans = database.all("SELECT title FROM passages WHERE passage_id = 99")
            assert orphans == ([("orphan",)] if fault == "a child without its parent" else [])
            database.run("PRAGMA user_version = 1")
    if fault == "the column is there already":
        verify_graph(home)


@pytest.mark.parametrize("kind", [CONTROL, GRAPH], ids=lambda kind: kind.name)
@pytest.mark.fault("B42")
def test_a_version_number_from_the_future_is_refused_and_changes_nothing(tmp_path: Path, kind: object) -> None:
    """B42 c."""
    home = Home(tmp_path)
    file = CONTROL if kind is CONTROL else GRAPH
    write_earlier(home, file, 1)
    with Database(home.file(file)) as database:
        database.run("PRAGMA user_version = 99")
    before = home.file(file).read_bytes()
    for _ in range(2):
        with pytest.raises(StoreTooNew, match="99"):
            _ = home.open_control() if file is CONTROL else home.open_graphs().open(a_graph())
    assert home.file(file).read_bytes() == before
    assert not home.copies.exists()


MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(9000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - st's rule


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    times=st.fixed_dictionaries(
        {"created_at": MOMENTS},
        optional=dict.fromkeys(("authored_at", "verified_at", "last_used_at", "snoozed_until"), MOMENTS),
    )
)
@pytest.mark.fault("B45")
def test_no_order_of_its_times_makes_a_memory_unreachable(
    tmp_path_factory: pytest.TempPathFactory, kind: str, times: dict[str, datetime]
) -> None:
    """B45. Nothing begins or ends at a time but a snooze, and that ends."""
    clock = FrozenClock()
    graphs = InMemoryGraphs(clock) if kind == "memory" else SqliteGraphs(tmp_path_factory.mktemp("graphs"), clock)
    store = graphs.open(a_graph())
    memory = a_memory("use pnpm", **times)
    store.add(memory, key="k", actor=Actor.USER, reason="")
    wakes = times.get("snoozed_until", T0)
    for where in (MemoryFilter(), MemoryFilter(awake_at=wakes)):
        assert store.list(where) == (memory,)
        assert [hit.memory for hit in store.search(["pnpm"], where).hits] == [memory]
    graphs.close()


@pytest.mark.row("B16")
@pytest.mark.parametrize("status", NOT_ACTIVE)
@pytest.mark.fault("B74")
def test_a_memory_that_was_put_away_is_in_no_recall_but_in_the_journal(graphs: Graphs, status: Status) -> None:
    """B16, B74: it is also listed, and its change told, without its words being asked for."""
    store = graphs.stores.open(a_graph())
    memory = a_memory("the canary sings")
    store.add(memory, key="k", actor=Actor.USER, reason="")
    gone = a_memory("the canary sings", memory_id=memory.memory_id, status=status)
    store.update(gone, actor=Actor.USER, action="status", reason="no longer")

    for held in (store, graphs.restart().open(a_graph())):
        assert held.list(MemoryFilter()) == ()
        assert held.search(["canary"], MemoryFilter()).hits == ()
        assert held.search(["canary"], MemoryFilter()).total == 0
        assert held.count(MemoryFilter()) == 0
        assert held.ids_by_prefix(memory.short_id) == (memory.memory_id,)
        entry = held.journal(memory_id=memory.memory_id)[0]
        assert entry.before is not None
        assert entry.after is not None
        assert (entry.before.status, entry.after.status) == (Status.ACTIVE, status)
        assert held.counts() == {status.value: 1}

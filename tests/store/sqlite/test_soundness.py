"""One damaged row of the control file disables that row and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import T0, a_graph, a_job, a_prompt, a_receipt, a_session, a_signal
from wisen.core.records import JobState, RootClaim, ShownItem
from wisen.core.types import EventRef
from wisen.store.sqlite import soundness
from wisen.store.sqlite.checksum import seal
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import CONTROL, open_file

HARNESS, LATER = "claude-code", T0 + timedelta(hours=1)
SEALED = {"sessions", "events", "signals", "jobs", "receipts", "root_claims", "aliases"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteControl]:
    store = SqliteControl(tmp_path / "control.db")
    fill(store)
    yield store
    store.close()


def fill(store: SqliteControl) -> None:
    """Write two rows of everything: of `rotten`, which the tests damage, and of `good`."""
    for name in ("rotten", "good"):
        event = a_prompt(f"always use {name}", event_id=name, session_id=name)
        ref = EventRef(event_id=name, session_id=name, at=T0, quote=f"always use {name}")
        item = ShownItem(memory_id=name, graph=a_graph(), digest="d", score=1.0, chars=9)
        store.record(event, seen_at=T0)
        store.save_session(a_session(session_id=name, epoch=3))
        store.add_signals(HARNESS, [a_signal(f"always use {name}", session_id=name, evidence=(ref,))])
        store.enqueue(a_job(job_id=name, key=name))
        store.add_receipt(a_receipt(receipt_id=name, session_id=name, query=f"always use {name}", shown=(item,)))
        store.save_root_claim(RootClaim(graph=str(a_graph(name)), root="c0ffee", first_seen=T0))
        store.save_alias(a_graph(f"old/{name}"), a_graph(f"new/{name}"))


def damage(store: SqliteControl, table: str, change: str = "checksum = checksum + 1") -> None:
    with store._file.write() as database:
        [(columns,)] = database.all(f"SELECT group_concat(name) FROM pragma_table_info('{table}')")
        bad = f"concat({columns}) LIKE '%rotten%'"
        assert database.run(f"UPDATE {table} SET {change} WHERE {bad}") == 1


READS: dict[str, Callable[[SqliteControl], object]] = {
    "session": lambda store: store.session(HARNESS, "rotten"),
    "sessions": lambda store: {session.session_id for session in store.sessions()},
    "silent": lambda store: {session.session_id for session in store.sessions_with_signals(LATER)},
    "events": lambda store: store.events(HARNESS, "rotten"),
    "signals": lambda store: store.signals_after(HARNESS, "rotten", 0),
    "jobs": lambda store: {job.job_id for job in store.jobs()},
    "receipts": lambda store: {receipt.receipt_id for receipt in store.receipts(graph=a_graph())},
    "injected": lambda store: store.injected(HARNESS, "rotten", 0),
    "claim": lambda store: store.root_claim(a_graph("rotten")),
    "aliases": lambda store: set(store.aliases()),
    "counts": lambda store: (store.job_counts(), store.session_count()),
    "due": lambda store: store.next_job_due(),
}


def contents(store: SqliteControl, *, last_first: bool = False) -> dict[str, object]:
    """Read everything there is to read."""
    return {name: READS[name](store) for name in (reversed(READS) if last_first else READS)}


@pytest.mark.parametrize("name", sorted(SEALED))
def test_a_damaged_row_is_set_aside_whole_and_told_with_file_table_and_row(
    store: SqliteControl, tmp_path: Path, name: str
) -> None:
    damage(store, name)
    contents(store)
    contents(store)
    [problem] = store.problems()
    assert str(tmp_path / "control.db") in problem
    assert f" of {name})" in problem
    store.close()
    reopened = SqliteControl(tmp_path / "control.db")
    assert reopened.problems() == (problem,), "it is kept"
    reopened.close()
    with open_file(tmp_path / "control.db", CONTROL) as database:
        [(content,)] = database.all("SELECT CAST(content AS TEXT) FROM damaged")
    assert "rotten" in str(content)


@pytest.mark.parametrize("name", ["events", "jobs", "receipts", "sessions", "signals"])
def test_a_damaged_row_that_nobody_has_asked_for_is_told_all_the_same(
    store: SqliteControl, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(soundness, "_AT_ONCE", 1)
    damage(store, name)
    assert len(store.problems()) == 1


def columns_of_sealed_tables() -> list[tuple[str, str, str]]:
    with Database(Path(":memory:")) as database:
        for script in sorted(CONTROL.migrations.glob("*.sql")):
            database.run(script.read_text(encoding="utf-8"))
        return [
            (table, str(name), str(kind))
            for table in sorted(SEALED)
            for name, kind in database.all(f"SELECT name, type FROM pragma_table_info('{table}') WHERE name <> 'seq'")
        ]


@pytest.mark.parametrize(("table", "column", "kind"), columns_of_sealed_tables())
@pytest.mark.parametrize("how", ["changed", "out of bounds"])
def test_whatever_is_damaged_everything_else_is_read_and_written(
    store: SqliteControl, table: str, column: str, kind: str, how: str
) -> None:
    changes = {
        ("changed", "TEXT"): f"{column} = '~' || substr({column}, 2)",
        ("changed", "INTEGER"): f"{column} = -9223372036854775807",
        ("out of bounds", "TEXT"): f"{column} = CAST(CAST({column} AS BLOB) || x'ff' AS TEXT)",
        ("out of bounds", "INTEGER"): f"{column} = 9223372036854775807",
    }
    damage(store, table, changes[how, kind])

    found = contents(store, last_first=how == "changed")
    assert "good" in repr((found["sessions"], found["jobs"], found["receipts"]))
    assert store.events(HARNESS, "good")
    assert store.signals_after(HARNESS, "good", 0)

    fill(store)
    store.requeue_running()
    while (job := store.claim_job(LATER)) is not None:
        store.finish_job(job.job_id)
    store.advance_promoted(HARNESS, "good", 1)
    store.erase(["always use rotten"], [EventRef(event_id="rotten", session_id="rotten", at=T0)])
    store.prune(LATER)
    contents(store)
    assert len(store.problems()) <= 1


def test_a_damaged_session_is_unknown_until_it_is_saved_again(store: SqliteControl) -> None:
    damage(store, "sessions")
    assert store.session(HARNESS, "rotten") is None
    store.advance_promoted(HARNESS, "rotten", 9)
    assert store.session(HARNESS, "rotten") is None
    store.save_session(a_session(session_id="rotten"))
    assert store.session(HARNESS, "rotten") == a_session(session_id="rotten")


def test_signals_of_a_damaged_session_do_not_wait_for_it_to_come_back(store: SqliteControl) -> None:
    damage(store, "sessions")
    assert {s.session_id for s in store.sessions_with_signals(LATER)} == {"rotten", "good"}
    session = store.session(HARNESS, "rotten")
    assert session is not None
    assert (session.promoted_seq, session.transcript_offset) == (0, 0), "what is learned twice changes nothing"


def test_a_damaged_job_blocks_neither_the_queue_nor_its_key(store: SqliteControl) -> None:
    damage(store, "jobs")
    assert store.enqueue(a_job(key="rotten", created_at=LATER))
    claimed = [store.claim_job(LATER), store.claim_job(LATER), store.claim_job(LATER)]
    assert [job.key if job else None for job in claimed] == ["good", "rotten", None]
    damage(store, "jobs", "checksum = checksum + iif(state = 'running', 1, 0)")
    store.finish_job(claimed[1].job_id if claimed[1] else "")
    assert store.requeue_running() == 1
    assert [job.state for job in store.jobs()] == [JobState.QUEUED]


def test_a_damaged_signal_keeps_no_session_waiting(store: SqliteControl) -> None:
    damage(store, "signals")
    assert store.signals_after(HARNESS, "rotten", 0) == ()
    assert {s.session_id for s in store.sessions_with_signals(LATER)} == {"good"}


def test_a_graph_whose_root_claim_is_damaged_stays_claimed_and_is_nobodys(store: SqliteControl) -> None:
    damage(store, "root_claims")
    claim = store.root_claim(a_graph("rotten"))
    assert claim is not None
    assert (claim.root, claim.trusted, claim.witnesses, claim.place) == ("", (), (), "")
    assert store.root_claim(a_graph("rotten")) == claim
    assert len(store.problems()) == 1


def test_a_row_of_a_newer_wisen_is_set_aside_and_says_so(store: SqliteControl) -> None:
    with store._file.write() as database:
        [row] = database.all("SELECT harness, event_id, session_id, at_us, seen_us, body FROM events WHERE seq = 1")
        body = str(row[-1]).replace("user_prompt", "mind_reading")
        checksum = seal("events", *row[:-1], body)
        database.run("UPDATE events SET body = :body, checksum = :sum WHERE seq = 1", {"body": body, "sum": checksum})
    assert store.events(HARNESS, "rotten") == ()
    [problem] = store.problems()
    assert "mind_reading" in problem


def test_what_is_erased_is_erased_among_damaged_rows_too(store: SqliteControl, tmp_path: Path) -> None:
    for table in ("events", "receipts", "signals"):
        damage(store, table)
    contents(store)
    assert len(store.problems()) == 3
    assert store.erase(["ALWAYS use rotten"], []) == 3
    assert store.problems() == ()


def test_damaged_rows_go_when_they_are_old(store: SqliteControl) -> None:
    damage(store, "jobs")
    store.jobs()
    store.prune(T0 - timedelta(days=36500))
    assert len(store.problems()) == 1
    store.prune(T0 + timedelta(days=36500))
    assert store.problems() == ()


def test_of_many_damaged_rows_some_are_named_and_all_are_counted(store: SqliteControl) -> None:
    for n in range(20):
        store.enqueue(a_job(job_id=f"j{n}"))
    with store._file.write() as database:
        database.run("UPDATE jobs SET checksum = 0")
    assert store.jobs() == ()
    assert len(store.problems()) == 11
    assert "12 more" in store.problems()[-1]

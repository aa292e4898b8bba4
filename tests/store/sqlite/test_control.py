from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import T0, a_call, a_prompt, a_receipt, a_signal, an_event
from tests.store.sqlite.processes import line_of, started, together
from wisen.core.types import EventRef, Outcome, PostTool, PromptChannel, UserPrompt
from wisen.errors import StoreError
from wisen.store.sqlite.connection import WAL_LIMIT_BYTES, Database
from wisen.store.sqlite.control import SqliteControl


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "control.db"


def bytes_of(path: Path) -> bytes:
    """Return every byte of the file and its companions. Read by another process: closing one here drops our locks."""
    code = "\nfor p in sorted(path.parent.glob(path.name + '*')): print(p.read_bytes().hex())"
    [printed] = together(started(code, path))
    return bytes.fromhex(printed.replace("\n", ""))


@pytest.mark.row("E2")
def test_two_processes_share_session_state(path: Path) -> None:
    pre = """
        store = SqliteControl(path)
        store.record(an_event(), seen_at=T0)
        store.save_session(a_session(epoch=3))
        store.flush()
        print("written", flush=True)
        sys.stdin.read()
        store.close()
    """
    post = """
        store = SqliteControl(path)
        print(store.session("claude-code", "session-1").epoch, len(store.events("claude-code", "session-1")))
        store.close()
    """
    with started(pre, path) as writer:
        assert line_of(writer) == "written"
        assert together(started(post, path)) == ["3 1\n"], "while the first still has the file open"
        together(writer)


@pytest.mark.row("E4")
def test_writers_in_several_processes_lose_nothing(path: Path) -> None:
    code = """
        import os
        store = SqliteControl(path)
        for n in range(10):
            store.record(an_event(event_id=f"{os.getpid()}-{n}"), seen_at=T0)
        store.close()
    """
    SqliteControl(path).close()
    together(*(started(code, path) for _ in range(5)))
    store = SqliteControl(path)
    assert len(store.events("claude-code", "session-1")) == 50
    store.close()


def test_a_job_survives_a_kill_right_after_it_was_queued(path: Path) -> None:
    code = """
        store = SqliteControl(path)
        store.record(an_event(), seen_at=T0)
        store.enqueue(a_job(key="promote session-1"))
        print("queued", flush=True)
        sys.stdin.read()
    """
    with started(code, path) as process:
        assert line_of(process) == "queued"
        process.kill()
    store = SqliteControl(path)
    assert [job.key for job in store.jobs()] == ["promote session-1"]
    assert len(store.events("claude-code", "session-1")) == 1, "what was written before is on disk with it"
    store.close()


def test_what_is_erased_leaves_no_byte_in_any_file(path: Path) -> None:
    store = SqliteControl(path)
    rule, quote = "zqxcanary sings at dawn", "zqxcanary sings at dawn, always"
    prompt = a_prompt(f"remember: {quote}")
    for n in range(60):
        store.record(
            an_event(UserPrompt(text=f"neighbour {n} {'padding ' * n}", channel=PromptChannel.TYPED)), seen_at=T0
        )
    store.record(prompt, seen_at=T0)
    ref = EventRef(event_id=prompt.event_id, session_id=prompt.session_id, at=T0, quote=quote)
    store.add_signals("claude-code", [a_signal(rule, evidence=(ref,))])
    store.add_receipt(a_receipt(query=f"please: {rule}"))
    store.flush()
    assert b"zqxcanary" in bytes_of(path), "the search finds what is there"

    store.erase([rule], [ref])

    assert b"zqxcanary" not in bytes_of(path)
    assert len(store.events("claude-code", "session-1")) == 61
    store.close()


def test_erasing_while_somebody_reads_says_so_and_can_be_finished(path: Path) -> None:
    store = SqliteControl(path)
    store.record(a_prompt("the zqxcanary sings"), seen_at=T0)
    store.flush()
    with store._file.write() as database:
        database.all("PRAGMA busy_timeout = 1")
    with Database(path, read_only=True) as reader:
        reader.run("BEGIN")
        reader.all("SELECT * FROM events")
        with pytest.raises(StoreError, match="gone, but"):
            store.erase(["the zqxcanary sings"], [])
        reader.run("COMMIT")
        store.erase(["the zqxcanary sings"], [])
    assert b"zqxcanary" not in bytes_of(path)
    store.close()


def test_the_write_ahead_log_does_not_outgrow_its_limit_and_is_gone_after_closing(path: Path) -> None:
    store = SqliteControl(path)
    log = path.with_name("control.db-wal")
    body = PostTool(call=a_call(), outcome=Outcome.SUCCESS, excerpt="x" * 2000)
    with Database(path, read_only=True) as reader:
        for n in range(3000):
            store.record(an_event(body), seen_at=T0)
            if n % 100 == 0:
                store.flush()
                reader.all("SELECT 1 FROM events LIMIT 1")
        store.flush()
        store.count("one more")
        store.flush()
        assert log.stat().st_size <= 2 * WAL_LIMIT_BYTES
        store.close()
        assert not log.exists() or log.stat().st_size <= WAL_LIMIT_BYTES


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteControl(path)
    store.close()
    with pytest.raises(StoreError):
        store.count("late")
    with pytest.raises(StoreError):
        store.counters()

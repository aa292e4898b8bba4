"""A damaged log is told from one that a power cut ended, and what comes after the damage is not lost."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory, an_event
from wisen.core.findings import Severity
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Memory, Status
from wisen.errors import StoreError
from wisen.store.sqlite.backup import backup_all
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.files import sidecars
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.wal import Log, read_log

PAGE, FRAME, HEADER = 4096, 24, 32
STEP = FRAME + PAGE
ALL = MemoryFilter(statuses=frozenset(Status))
SAID = ["we sit on chairs", "we stand on floors", "we lie on beds"]
Harm = Callable[[bytearray], None]


# --- the log itself ---------------------------------------------------------------------------------------------


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "x.db"
    path.touch()
    with Database(path) as database:
        database.all("PRAGMA journal_mode = WAL")
        database.run("CREATE TABLE a (n INTEGER, t TEXT) STRICT; CREATE TABLE b (n INTEGER, t TEXT) STRICT")
        database.checkpoint()
        yield database


def transactions(database: Database, *numbers: int) -> bytearray:
    """Write two pages for each number, in one transaction; return the log."""
    for n in numbers:
        with database.transaction():
            database.run(f"INSERT INTO a VALUES ({n}, 'a'); INSERT INTO b VALUES ({n}, 'b')")
    return bytearray(sidecars(database.path)[1].read_bytes())


def flip(frame: int, at: int = 2000) -> Harm:
    def harm(log: bytearray) -> None:
        log[HEADER + frame * STEP + FRAME + at] ^= 1

    return harm


def lost(*frames: int, salt: bytes | None = None) -> Harm:
    """Let frames be as if they had never been written, or only by an earlier round."""

    def harm(log: bytearray) -> None:
        for n in frames:
            old = bytes(8) + (salt or bytes(8)) + bytes(STEP - 16)
            log[HEADER + n * STEP : HEADER + (n + 1) * STEP] = old

    return harm


def cut(size: int) -> Harm:
    def harm(log: bytearray) -> None:
        del log[size:]

    return harm


def torn_page(frame: int) -> Harm:
    """Let the last kibibyte of a frame not have been written."""

    def harm(log: bytearray) -> None:
        end = HEADER + (frame + 1) * STEP
        log[end - 1024 : end] = bytes(1024)

    return harm


def nothing(_: bytearray) -> None:
    pass


def begins_with(content: bytes) -> Harm:
    def harm(log: bytearray) -> None:
        log[: len(content)] = content

    return harm


@pytest.mark.parametrize(
    "harm",
    [
        nothing,
        lost(4),
        lost(4, 5),
        lost(5),
        torn_page(5),
        flip(5),  # a page of the last frame in pieces looks the same
        cut(HEADER + 5 * STEP + 99),
        cut(HEADER),
        cut(7),
        cut(0),
    ],
)
def test_what_a_power_cut_may_leave_is_no_damage(logged: Database, harm: Harm) -> None:
    log = transactions(logged, 1, 2, 3)
    assert len(log) == HEADER + 6 * STEP, "two frames each"
    harm(log)
    assert read_log(bytes(log), PAGE).damage == ""


@pytest.mark.parametrize(
    "harm",
    [
        *(flip(n) for n in range(5)),
        lost(0),
        lost(1, 2),
        torn_page(3),
        begins_with(bytes(32)),
        begins_with(b"\xff"),
        begins_with(b"hello, this is no log at all, whatever its name says it is"),
        begins_with(bytes(PAGE)),
    ],
)
def test_what_no_power_cut_leaves_is_damage(logged: Database, harm: Harm) -> None:
    log = transactions(logged, 1, 2, 3)
    harm(log)
    assert read_log(bytes(log), PAGE).damage


def test_frames_of_an_earlier_round_are_no_damage(logged: Database) -> None:
    transactions(logged, *range(20))
    logged.all("PRAGMA wal_checkpoint(RESTART)")
    log = transactions(logged, 20)
    assert len(log) == HEADER + 40 * STEP, "the old frames are still there"
    assert read_log(bytes(log), PAGE) == Log(pages=read_log(bytes(log[: HEADER + 2 * STEP]), PAGE).pages)
    flip(0)(log)
    assert set(read_log(bytes(log), PAGE).pages) <= {2, 3}, "none of theirs is taken for ours"


def test_what_was_rolled_back_is_no_damage(logged: Database) -> None:
    logged.run("PRAGMA cache_size = 2")
    logged.run("BEGIN")
    for n in range(300):
        logged.run("INSERT INTO a VALUES (:n, :t)", {"n": n, "t": "padding " * 50})
    logged.run("ROLLBACK")
    log = transactions(logged, 1)
    assert len(log) > HEADER + 9 * STEP, "frames that nobody committed follow"
    assert read_log(bytes(log), PAGE).damage == ""


def test_pages_behind_the_damage_are_read_and_the_damaged_one_has_what_it_was(logged: Database) -> None:
    log = transactions(logged, 1, 2, 3)
    sound = read_log(bytes(log), PAGE)
    first, second = (struct.unpack_from(">I", log, HEADER + n * STEP)[0] for n in (4, 5))
    before = read_log(bytes(log[: HEADER + 4 * STEP]), PAGE).pages

    flip(1)(log)
    assert read_log(bytes(log), PAGE).pages == sound.pages, "a later frame has the page again"
    assert not read_log(bytes(log), PAGE).older

    flip(1)(log)
    flip(4)(log)
    found = read_log(bytes(log), PAGE)
    assert found.older == {first: [before[first]]}
    assert found.pages[first] != sound.pages[first]
    assert found.pages[second] == sound.pages[second]


def test_a_page_number_out_of_all_bounds_makes_nobody_look_for_it(logged: Database) -> None:
    log = transactions(logged, 1, 2, 3)
    log[HEADER + 2 * STEP] = 0x7F
    assert max(read_log(bytes(log), PAGE).pages) < 10
    assert read_log(bytes(log), PAGE).damage


# --- a store with such a log ------------------------------------------------------------------------------------


def zeros(log: bytearray) -> None:
    log[:] = bytes(len(log))


def garbage(log: bytearray) -> None:
    log[:] = random.Random(3).randbytes(len(log))


def text(log: bytearray) -> None:
    log[:] = b"hello, this is no database\n" * 50


def another_database(log: bytearray) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    log[:] = connection.serialize("main")


def bits_everywhere(log: bytearray) -> None:
    for at in range(PAGE, len(log), 97):
        log[at] ^= 0xFF


def first_block(log: bytearray) -> None:
    log[:PAGE] = bytes(PAGE)


def words_of(said: str, copy: int) -> Harm:
    """Flip a bit in one of the copies of some words that the log has."""

    def harm(log: bytearray) -> None:
        at = -1
        for _ in range(copy + 1):
            at = log.index(said.encode(), at + 1, len(log) - STEP)
        log[at + 3] ^= 1

    return harm


def left_by_a_kill(graphs: SqliteGraphs) -> tuple[Path, list[Memory]]:
    """Remember something and leave file and log as a process that was killed; return the file and what it was."""
    store = graphs.open(a_graph())
    memories = [a_memory(said, memory_id=f"0190-{n:04}", digest=f"d{n}") for n, said in enumerate(SAID)]
    for n, memory in enumerate(memories):
        store.add(memory, key=f"key {n}", actor=Actor.USER, reason="said so")
    path = store._pool.path
    kept = [part.read_bytes() for part in sidecars(path)[:2]]
    graphs.close()
    for part, content in zip(sidecars(path), kept, strict=False):
        part.write_bytes(content)
    return path, memories


def harmed(path: Path, harm: Harm) -> bytes:
    log = sidecars(path)[1]
    content = bytearray(log.read_bytes())
    harm(content)
    log.write_bytes(content)
    return bytes(content)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "graphs"


@pytest.fixture
def opened(directory: Path) -> Iterator[Callable[[], SqliteGraphs]]:
    """Return what looks at the directory as a new process would."""
    opened: list[SqliteGraphs] = []

    def open_() -> SqliteGraphs:
        opened.append(SqliteGraphs(directory, FrozenClock()))
        return opened[-1]

    yield open_
    for graphs in opened:
        graphs.close()


@pytest.mark.parametrize("harm", [zeros, garbage, text, another_database, bits_everywhere])
@pytest.mark.parametrize("first", ["graphs", "open", "backup"])
def test_a_log_that_is_lost_is_kept_and_told_of_whoever_looks_first(
    opened: Callable[[], SqliteGraphs], tmp_path: Path, harm: Harm, first: str
) -> None:
    path, _ = left_by_a_kill(opened())
    log = harmed(path, harm)
    if first == "graphs":
        assert opened().graphs() == (a_graph(),)
    if first == "backup":
        backup_all(tmp_path, tmp_path / "backup", at=T0)
        assert (tmp_path / "backup" / "graphs" / f"{path.name}-wal").read_bytes() == log

    graphs = opened()
    store = graphs.open(a_graph())

    [aside] = path.parent.glob("*.damaged-*Z-wal")
    assert aside.read_bytes() == log
    [finding] = [one for one in graphs.check() if "log" in one.what]
    assert finding.severity is Severity.ERROR
    assert str(aside).removesuffix("-wal") in finding.next_step
    store.add(a_memory("new"), key="new", actor=Actor.USER, reason="")
    assert "new" in [memory.text for memory in store.list(ALL)]


@pytest.mark.parametrize(
    "harm", [first_block, *(flip(n) for n in (0, 3, 9)), *(words_of(SAID[n // 4], n % 4) for n in range(8))]
)
def test_what_was_remembered_after_the_damage_is_there(opened: Callable[[], SqliteGraphs], harm: Harm) -> None:
    path, memories = left_by_a_kill(opened())
    harmed(path, harm)

    graphs = opened()
    store = graphs.open(a_graph())

    assert sorted(m.text for m in store.list(ALL)) == sorted(m.text for m in memories)
    assert [aside.name for aside in path.parent.glob("*.damaged-*Z")]
    assert [hit.memory.text for hit in store.search(["beds"], MemoryFilter()).hits] == [SAID[2]]
    again, is_new = store.add(memories[2], key="key 2", actor=Actor.USER, reason="")
    assert (again.memory_id, is_new) == (memories[2].memory_id, False)


def test_a_log_in_pieces_at_its_end_is_no_finding_and_loses_nothing_before(
    opened: Callable[[], SqliteGraphs],
) -> None:
    path, memories = left_by_a_kill(opened())
    harmed(path, lambda log: log.__delitem__(slice(len(log) - 99, None)))
    graphs = opened()
    assert {m.text for m in graphs.open(a_graph()).list(ALL)} >= {m.text for m in memories[:2]}
    assert not list(path.parent.glob("*.damaged-*"))
    assert not graphs.problems()


def test_the_log_of_the_control_file_is_looked_at_too(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    store = SqliteControl(path)
    for n in range(5):
        store.record(an_event(event_id=f"e{n}"), seen_at=T0)
        store.flush()
    kept = [part.read_bytes() for part in sidecars(path)[:2]]
    store.close()
    for part, content in zip(sidecars(path), kept, strict=False):
        part.write_bytes(content)
    harmed(path, flip(0, at=3000))

    after = SqliteControl(path)

    event = an_event()
    assert [one.event_id for one in after.events(event.harness, event.session_id)] == [f"e{n}" for n in range(5)]
    assert any("log" in problem for problem in after.problems())
    after.close()


def test_a_writer_that_is_at_work_is_no_damage(logged: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    from wisen.store.sqlite import pages

    transactions(logged, 1, 2, 3)
    log = sidecars(logged.path)[1]
    whole = log.read_bytes()
    half = bytearray(whole)
    flip(1)(half)
    answers = [bytes(half), whole]
    monkeypatch.setattr(pages, "_content", lambda _: answers.pop(0))
    assert pages.log_damage(logged.path, log) == ""
    assert not answers


@pytest.mark.parametrize("what", ["a directory", "a link"])
def test_what_is_no_log_under_the_name_of_one_is_told(opened: Callable[[], SqliteGraphs], what: str) -> None:
    path, _ = left_by_a_kill(opened())
    log = sidecars(path)[1]
    log.unlink()
    if what == "a directory":
        log.mkdir()
    else:
        log.symlink_to("/nonexistent/x")
    with pytest.raises(StoreError, match=os.fspath(log)) as caught:
        opened().open(a_graph())
    assert caught.value.hint

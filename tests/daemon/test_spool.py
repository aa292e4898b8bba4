from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.wire import a_home, a_payload, run_hook

from wisen import hotpath
from wisen.daemon import spool


def an_entry(directory: Path, number: int = 1, **fields: object) -> Path:
    """A pointer as the hook writes it."""
    said: dict[str, object] = {
        "v": 1,
        "harness": "claude-code",
        "delivery": f"{number:032x}",
        "at_ns": 1_796_000_000_000_000_000 + number,
        "event": "SessionEnd",
        "session_id": "s-1",
        "transcript_path": "/t/s-1.jsonl",
        "transcript_bytes": 12,
        "cwd": "/repo",
        "entrypoint": "cli",
    }
    at_ns = fields.get("at_ns", said["at_ns"])
    moment = f"{at_ns:020d}" if isinstance(at_ns, int) else "odd"
    file = directory / f"{moment}-{said['delivery']}.json"
    file.write_text(json.dumps({**said, **fields}))
    return file


def number_of(entry: spool.SpoolEntry) -> int:
    return int(entry.file.stem.partition("-")[2], 16)


def test_what_the_hook_writes_is_what_is_read(tmp_path: Path) -> None:
    transcript = tmp_path / "séance \N{GRINNING FACE}.jsonl"
    transcript.write_bytes(b"12345")
    with a_home() as where:
        payload = a_payload("PreCompact", transcript_path=str(transcript))
        run_hook(where, payload, env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
        (entry,) = spool.pending(where.spool_dir)
    assert entry == spool.SpoolEntry(
        file=entry.file,
        harness="claude-code",
        event_name="PreCompact",
        session_id="s-1",
        transcript=str(transcript),
        cwd="/repo",
        entrypoint="cli",
        was_there=True,
    )


def test_the_oldest_comes_first(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        an_entry(tmp_path, number)
    assert [number_of(entry) for entry in spool.pending(tmp_path)] == [1, 2, 3]


def test_an_entry_stays_until_it_is_acknowledged(tmp_path: Path) -> None:
    an_entry(tmp_path, 1)
    an_entry(tmp_path, 2)
    first, second = spool.pending(tmp_path)
    spool.acknowledge(first)
    spool.acknowledge(first)
    assert spool.pending(tmp_path) == [second]


def test_a_large_spool_is_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "BATCH", 2)
    for number in range(5):
        an_entry(tmp_path, number)
    seen = []
    while entries := spool.pending(tmp_path):
        seen += [number_of(entry) for entry in entries]
        for entry in entries:
            spool.acknowledge(entry)
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"v":1}', b"[" * 100_000, b'{"x":' * 10_000],
    ids=["empty", "cut", "null", "list", "not text", "no fields", "deep", "deep inside"],
)
def test_an_entry_that_is_not_one_is_set_aside_and_counted_and_the_others_go_on(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "00000000000000000001-a.json").write_bytes(content)
    an_entry(tmp_path, 7)
    assert [number_of(entry) for entry in spool.pending(tmp_path)] == [7]
    assert spool.damaged(tmp_path) == 1
    assert (tmp_path / "00000000000000000001-a.damaged").read_bytes() == content


@pytest.mark.parametrize(
    "fields",
    [{"v": 2}, {"at_ns": -1}, {"at_ns": 1e300}, {"session_id": 7}, {"cwd": None}, {"harness": 7}, {"event": "\ud800"}],
    ids=str,
)
def test_an_entry_with_a_wrong_field_is_set_aside_and_counted(tmp_path: Path, fields: dict[str, Any]) -> None:
    an_entry(tmp_path, **fields)
    assert spool.pending(tmp_path) == []
    assert spool.damaged(tmp_path) == 1


def test_an_entry_that_is_set_aside_is_kept_and_counted_and_read_no_more(tmp_path: Path) -> None:
    content = an_entry(tmp_path).read_bytes()
    (entry,) = spool.pending(tmp_path)
    spool.set_aside(entry)
    spool.set_aside(entry)
    assert spool.pending(tmp_path) == []
    assert spool.damaged(tmp_path) == 1
    assert entry.file.with_suffix(".damaged").read_bytes() == content


def test_an_entry_that_a_hook_is_writing_is_left_alone_and_a_dead_hooks_is_removed(tmp_path: Path) -> None:
    fresh, old = tmp_path / "1-a.tmp", tmp_path / "2-b.tmp"
    fresh.write_bytes(b'{"v":')
    old.write_bytes(b'{"v":')
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    assert spool.pending(tmp_path) == []
    assert fresh.exists()
    assert not old.exists()


def test_reading_the_spool_lets_hooks_write_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotpath, "SPOOL_MAX", 0)
    an_entry(tmp_path)
    assert hotpath.is_full(str(tmp_path), b"00")
    assert hotpath.is_full(str(tmp_path), b"11")
    spool.pending(tmp_path)
    assert not hotpath.is_full(str(tmp_path), b"11")


def test_a_spool_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert spool.pending(tmp_path / "none") == []
    assert spool.damaged(tmp_path / "none") == 0


# --- whatever happens, in whatever order --------------------------------------------------------------------------


class Life(RuleBasedStateMachine):
    """Hooks and daemons on one spool, on the disk; each may be killed at any step. The store keeps an event once."""

    def __init__(self) -> None:
        super().__init__()
        self.place = tempfile.TemporaryDirectory(prefix="wisen-spool-")
        self.directory = Path(self.place.name)
        self.left: list[int] = []  # what hooks have left whole
        self.kept: dict[str, int] = {}  # what the store has, and how often it was brought

    def teardown(self) -> None:
        self.drains_all()
        assert sorted(set(self.left)) == sorted(int(name, 16) for name in self.kept)
        assert spool.pending(self.directory) == []
        assert spool.damaged(self.directory) == 0
        self.place.cleanup()

    @rule(number=st.integers(0, 30), at_ns=st.integers(0, 2**62))
    def a_hook_leaves_a_pointer(self, number: int, at_ns: int) -> None:
        """An event's moment is what its clock says: late, early, or twice the same event at two moments."""
        an_entry(self.directory, number, at_ns=at_ns)
        self.left.append(number)

    @rule(number=st.integers(0, 30), length=st.integers(0, 200))
    def a_hook_is_killed_while_it_writes(self, number: int, length: int) -> None:
        whole = an_entry(self.directory, 1000 + number)
        whole.with_suffix(".tmp").write_bytes(whole.read_bytes()[:length])
        whole.unlink()

    @rule(until=st.integers(0, 5))
    def a_daemon_is_killed(self, until: int) -> None:
        """After so many events are in the store, and before the last one is acknowledged."""
        entries = spool.pending(self.directory)[: until + 1]
        for at, entry in enumerate(entries):
            self._keep(entry)
            if at < until:
                spool.acknowledge(entry)

    @rule()
    def drains_all(self) -> None:
        while entries := spool.pending(self.directory):
            moments = [entry.file.name for entry in entries]
            assert moments == sorted(moments)
            for entry in entries:
                self._keep(entry)
                spool.acknowledge(entry)

    def _keep(self, entry: spool.SpoolEntry) -> None:
        delivery = entry.file.stem.partition("-")[2]
        self.kept[delivery] = self.kept.get(delivery, 0) + 1

    @invariant()
    def nothing_is_lost(self) -> None:
        waiting = {int(file.stem.partition("-")[2], 16) for file in self.directory.glob("*.json")}
        assert set(self.left) <= waiting | {int(name, 16) for name in self.kept}


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


@pytest.mark.fault("B39")
def test_what_the_hooks_dropped_is_counted(tmp_path: Path) -> None:
    assert spool.dropped(tmp_path) == 0
    (tmp_path / "full").touch()
    for number in range(3):
        hotpath.spool(str(tmp_path), b"11%030d" % number, b"cli", {b"hook_event_name": b"Stop"})
    assert spool.pending(tmp_path) == []
    assert spool.dropped(tmp_path) == 3
    hotpath.spool(str(tmp_path), b"11%030d" % 9, b"cli", {b"hook_event_name": b"Stop"})
    assert len(spool.pending(tmp_path)) == 1, "the daemon has looked: there is room again"
    assert spool.dropped(tmp_path) == 3, "what is lost stays counted"


def test_the_count_of_drops_takes_bounded_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotpath, "DROPS_MAX", 2)
    (tmp_path / "full").touch()
    for number in range(5):
        hotpath.spool(str(tmp_path), b"11%030d" % number, b"cli", {b"hook_event_name": b"Stop"})
    assert spool.dropped(tmp_path) == 2


def test_a_pointer_from_before_1970_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hotpath.time, "time_ns", lambda: -5)  # type: ignore[attr-defined]
    hotpath.spool(str(tmp_path), b"11%030d" % 1, b"cli", {b"hook_event_name": b"Stop", b"session_id": b"s-1"})
    (entry,) = spool.pending(tmp_path)
    assert entry.session_id == "s-1"


def test_what_could_not_be_read_is_let_go_of_after_a_month(tmp_path: Path) -> None:
    for name, days in (("old", 31), ("young", 29)):
        file = tmp_path / f"{name}.damaged"
        file.write_bytes(b"{")
        os.utime(file, (time.time() - days * 86_400,) * 2)
    spool.pending(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["young.damaged"]

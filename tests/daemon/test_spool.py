from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.wire import a_home, a_payload, run_hook

from wisen import hotpath
from wisen.daemon import spool


def an_entry(directory: Path, number: int = 1, **fields: object) -> Path:
    """A pointer as the hook writes it."""
    said = {
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
    file = directory / f"{said['at_ns']:020d}-{said['delivery']}.json"
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

"""However large a session file is, and however long one line of it, reading it takes bounded memory.

The reading is done in a process of its own, whose peak of resident memory counts all there is, not only Python's part.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from wisen.transcripts.lines import MAX_LINE_BYTES

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")

MB = 1_000_000
# A line that is cut off costs what is held of it while it grows and once more when it is joined.
LONG_LINE_MB = 2.5 * MAX_LINE_BYTES / MB
# A line just below the cap is held as bytes, as text and as values.
FULL_LINE_MB = 6.5 * MAX_LINE_BYTES / MB
# What the user said is held to the end: here a prompt in every 9 KB, far more than a person types.
WORDS_PER_MB = 0.15


class Took(msgspec.Struct, frozen=True):
    """What a reading took, as `measured.py` tells it."""

    events: int
    skipped: int
    offset: int
    seconds: float
    grown_mb: float
    peak_mb: float


def measured(path: Path) -> Took:
    script = Path(__file__).with_name("measured.py")
    done = subprocess.run(
        [sys.executable, str(script), str(path)], capture_output=True, text=True, timeout=600, check=True
    )
    took = msgspec.json.decode(done.stdout, type=Took)
    size = path.stat().st_size / MB
    print(
        f"\n{path.name}: {size:.0f} MB in {took.seconds:.1f} s ({size / took.seconds:.0f} MB/s), "
        f"{took.events} events, peak {took.peak_mb:.0f} MB, {took.grown_mb:.1f} MB of them for the reading"
    )
    return took


def lines(count: int) -> Iterator[bytes]:
    """Yield the lines of `count` turns of about 9 KB: a prompt, a call, its result."""
    output = "a line of output as tools write it\n" * 110
    for n in range(count):
        head = {"timestamp": "2026-11-30T12:00:00Z", "cwd": "/r", "sessionId": "s1", "entrypoint": "cli"}
        said = {"type": "user", "message": {"content": f"do thing {n}"}, "uuid": f"u{n}", "promptId": f"p{n}"}
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"make thing{n}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": output}
        record = {"stdout": output, "stderr": "", "interrupted": False}
        for line in (
            said,
            {"type": "assistant", "message": {"content": [call]}},
            {"type": "user", "message": {"content": [result]}, "toolUseResult": record, "promptId": f"p{n}"},
        ):
            yield json.dumps(head | line).encode() + b"\n"


def a_file(path: Path, *, turns: int) -> Path:
    with path.open("wb") as file:
        file.writelines(lines(turns))
    return path


def long_line(path: Path, *, size: int, holes: bool = False) -> Path:
    """Write one line of `size` bytes between two that are as they should be; of `holes` the disk keeps nothing."""
    turns = list(lines(2))
    with path.open("wb") as file:
        file.writelines(turns[:3])
        file.write(b'{"type":"user","message":{"content":"')
        if holes:
            file.seek(size, 1)
        else:
            for _ in range(size // 65_536):
                file.write(b"x" * 65_536)
        file.write(b'"}}\n')
        file.writelines(turns[3:])
    return path


@pytest.mark.parametrize("size", [20 * MB])
def test_a_line_of_20_megabytes_is_skipped_and_counted_in_bounded_memory(tmp_path: Path, size: int) -> None:
    """B99."""
    path = long_line(tmp_path / "long-line.jsonl", size=size)
    took = measured(path)
    assert (took.events, took.skipped, took.offset) == (6, 1, path.stat().st_size)
    assert took.grown_mb < LONG_LINE_MB


def test_a_line_just_below_the_cap_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = long_line(tmp_path / "full-line.jsonl", size=MAX_LINE_BYTES - 70_000)
    took = measured(path)
    assert (took.events, took.skipped) == (7, 0)
    assert took.grown_mb < FULL_LINE_MB


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """B99. The short form: 2 MB and 8 MB."""
    small = measured(a_file(tmp_path / "small.jsonl", turns=220))
    large = measured(a_file(tmp_path / "large.jsonl", turns=880))
    assert (small.events, large.events) == (660, 2640)
    grown = large.grown_mb - small.grown_mb
    assert grown < 1 + WORDS_PER_MB * 6


@pytest.mark.stress
def test_a_file_of_200_megabytes_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """B99."""
    took = measured(a_file(tmp_path / "200-mb.jsonl", turns=24_500))
    assert took.offset > 200 * MB
    assert (took.events, took.skipped) == (73_500, 0)
    assert took.grown_mb < 8 + WORDS_PER_MB * 200


@pytest.mark.stress
@pytest.mark.parametrize("size", [516 * 1024 * 1024, 2 * 1024 * 1024 * 1024])
def test_a_line_of_half_a_gigabyte_and_more_is_skipped_in_bounded_memory(tmp_path: Path, size: int) -> None:
    """B99."""
    took = measured(long_line(tmp_path / f"{size // MB}-mb-line.jsonl", size=size, holes=True))
    assert (took.events, took.skipped) == (6, 1)
    assert took.grown_mb < LONG_LINE_MB

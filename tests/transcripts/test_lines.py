from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.transcripts.lines import MAX_LINE_BYTES, Line, LineReader


def read(
    data: bytes, *, start: int = 0, end: int | None = None, max_line_bytes: int = MAX_LINE_BYTES
) -> tuple[list[Line], LineReader]:
    reader = LineReader(io.BytesIO(data), start=start, end=end, max_line_bytes=max_line_bytes)
    return list(reader), reader


def test_damaged_lines_are_passed_over_and_counted_and_the_others_used() -> None:
    data = b'{"n":1}\n{"type":"user","mess\n   \n\x00\x00\n[]\nnull\n{"n":2}'
    lines, reader = read(data)
    assert [line.fields.value("n") for line in lines] == [1, 2]
    assert reader.skipped == 4
    assert not reader.incomplete
    assert reader.next_offset == len(data)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r"])
def test_only_a_line_feed_ends_a_line(separator: str) -> None:
    text = f"a{separator}b"
    data = "".join(json.dumps({"t": said}, ensure_ascii=False) + "\n" for said in (text, "c"))
    lines, reader = read(data.encode())
    assert [line.fields.text("t") for line in lines] == [text, "c"]
    assert reader.skipped == 0


def test_a_last_line_still_being_written_waits_for_the_next_read() -> None:
    data = b'{"n":1}\n{"n":2,"te'
    lines, reader = read(data)
    assert len(lines) == 1
    assert reader.incomplete
    assert reader.skipped == 0
    assert reader.next_offset == 8
    lines, reader = read(data + b'xt":"x"}\n', start=reader.next_offset)
    assert [line.fields.value("n") for line in lines] == [2]
    assert not reader.incomplete


def test_a_line_says_where_it_begins_so_that_reading_can_start_there() -> None:
    data = b'{"n":1}\nbroken\n{"n":2}\n'
    lines, _ = read(data)
    assert [line.offset for line in lines] == [0, 15]
    again, _ = read(data, start=15)
    assert again == lines[1:]


def test_reading_ends_before_the_first_line_beyond_the_limit() -> None:
    data = b'{"n":1}\n{"n":2}\n{"n":3}\n'
    lines, reader = read(data, end=9)
    assert [line.fields.value("n") for line in lines] == [1, 2]
    assert reader.next_offset == 16


def test_lines_that_mention_nothing_of_interest_are_not_parsed() -> None:
    reader = LineReader(io.BytesIO(b'{"n":1}\nbroken\n{"x":2}\n'), mentioning=(b'"x"',))
    assert [line.fields.value("x") for line in reader] == [2]
    assert reader.skipped == 0
    assert reader.next_offset == 23


@pytest.mark.parametrize("size", [50, 51, 70_000, 200_000])
def test_a_line_over_the_cap_is_skipped_counted_and_its_successors_read(size: int) -> None:
    data = b'{"t":"' + b"x" * size + b'"}\n{"n":2}\n'
    lines, reader = read(data, max_line_bytes=40)
    assert [line.fields.value("n") for line in lines] == [2]
    assert reader.skipped == 1
    assert reader.next_offset == len(data)


def test_a_line_over_the_cap_without_an_end_is_incomplete() -> None:
    lines, reader = read(b'{"n":1}\n' + b"x" * 200_000, max_line_bytes=40)
    assert len(lines) == 1
    assert reader.incomplete
    assert reader.next_offset == 8


def test_a_line_of_twenty_megabytes_costs_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b'{"t":"')
        for _ in range(20):
            file.write(b"x" * 2**20)
        file.write(b'"}\n{"n":2}\n')
    with path.open("rb") as file:
        tracemalloc.start()
        reader = LineReader(file)
        lines = list(reader)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert [line.fields.value("n") for line in lines] == [2]
    assert reader.skipped == 1
    assert peak < 17 * 2**20  # the cap, once as read and once while it grows


@given(st.binary(max_size=300), st.integers(1, 40))
def test_any_bytes_are_read_to_the_end_or_to_an_unfinished_line(data: bytes, cap: int) -> None:
    lines, reader = read(data, max_line_bytes=cap)
    assert reader.next_offset <= len(data)
    assert reader.incomplete or reader.next_offset == len(data)
    again, _ = read(data[: reader.next_offset], max_line_bytes=cap)
    assert again == lines


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(st.characters(exclude_categories=["Cs"])), max_size=3)))
def test_what_was_written_is_read(objects: list[dict[str, str]]) -> None:
    data = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in objects).encode()
    lines, reader = read(data)
    assert [dict(line.fields.raw) for line in lines] == objects
    assert reader.skipped == 0


def test_only_lines_that_were_not_read_before_are_counted() -> None:
    data = b'broken\n{"n":1}\nbroken\n' + b"x" * 50 + b'\n{"n":2}\n'
    reader = LineReader(io.BytesIO(data), fresh_from=7, max_line_bytes=40)
    assert [(line.offset, line.size) for line in reader] == [(7, 8), (73, 8)]
    assert reader.skipped == 2

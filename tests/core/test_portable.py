from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from wisen.core.portable import End, Header, Tally, end_line, end_of, header_line, header_of
from wisen.core.records import JournalEntry, RootClaim
from wisen.core.types import Anchor, EventRef, Memory, Trigger
from wisen.errors import InvalidValue

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "export-format.md"


def test_a_header_says_version_and_graphs_in_one_spelling() -> None:
    line = header_line(["b", "a"])
    assert line == '{"format":"wisen-export","graphs":["a","b"],"version":1}'
    assert header_of(line) == Header(version=1, graphs=("a", "b"))


def test_a_record_in_the_first_line_is_a_piece_of_an_export() -> None:
    assert header_of('{"record":"memory"}') is None


@pytest.mark.parametrize(
    "line",
    ["", "hello", "[1]", '{"a":1}', '{"format":"other"}', "[" * 100_000, '{"format":"wisen-export","version":"1"}',
     '{"format":"wisen-export","version":true}', '{"format":"wisen-export","version":0}', '{"format":"wisen-export"}'],
)  # fmt: skip
def test_what_is_no_export_is_refused(line: str) -> None:
    with pytest.raises(InvalidValue):
        header_of(line)


def test_the_end_tells_how_much_there_was() -> None:
    tally = Tally()
    tally.add(b"header\n", is_record=False)
    tally.add(b"record\n")
    assert tally.end.records == 1
    assert end_of(end_line(tally.end)) == tally.end
    tally.add(b"record\n")
    assert end_of(end_line(tally.end)) != end_of(end_line(End(records=1, sha256=tally.end.sha256)))


@pytest.mark.parametrize("line", ['{"record":"memory","text":"\\"end\\""}', '"end"', '{"record":"end"'])
def test_other_lines_are_no_end(line: str) -> None:
    assert end_of(line) is None


@pytest.mark.parametrize("kind", [Memory, EventRef, Anchor, Trigger, JournalEntry, RootClaim])
def test_every_field_of_an_export_is_in_the_reference(kind: type) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(f"## {kind.__name__}\n")[1].split("\n## ")[0]
    named = {line.split("`")[1] for line in section.splitlines() if line.startswith("| `")}
    said_above = {"graph", "memory_id"} if kind is Memory else {"memory_id"} if kind is JournalEntry else set()
    assert named == {field.name for field in fields(kind)} - said_above

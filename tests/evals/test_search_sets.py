"""Retrieval sets of both layouts are read, and what is none is told of before anything is searched."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from wisen.errors import NotFound, PayloadError
from wisen.evals.search_sets import Query, Record, read_set

GROUP = {
    "name": "a talk",
    "docs": [["t1", "we sit on chairs", 1, "8 May"], ["t2", "we lie on beds", None, ""], ["t3", "short"]],
    "queries": [["where do we sit?", ["t1"], 4], ["where do we sleep?", ["t2", "t1"], "rest"]],
}


def written(path: Path, value: object) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def test_a_file_of_groups_is_read_plain_or_gzipped(tmp_path: Path) -> None:
    plain = written(tmp_path / "talks.json", [GROUP])
    packed = tmp_path / "talks.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    found = read_set(plain)
    assert found == read_set(packed)
    assert (found.name, found.queries) == ("talks", 2)
    [group] = found.groups
    assert group.records == (
        Record("t1", "we sit on chairs", "1", "8 May"),
        Record("t2", "we lie on beds"),
        Record("t3", "short"),
    )
    assert group.queries[0] == Query("where do we sit?", ("t1",), "4")


def test_a_directory_of_documents_is_read_with_all_its_queries(tmp_path: Path) -> None:
    docs = tmp_path / "notes" / "docs"
    docs.mkdir(parents=True)
    written(docs / "on-chairs.md", "# Chairs")
    written(docs / "on-beds.md", "# Beds")
    written(
        tmp_path / "notes" / "asked.jsonl", '{"query": "seats", "expected_doc": "chairs", "difficulty": "easy"}\n\n'
    )
    bench = {"queries": [{"query": "both", "expected_files": ["on-chairs.md", "on-beds.md"], "type": "many"}]}
    written(tmp_path / "notes" / "bench.json", bench)
    found = read_set(tmp_path / "notes")
    assert found.name == "notes"
    assert found.groups[0].queries == (
        Query("seats", ("on-chairs",), "asked/easy"),
        Query("both", ("on-chairs", "on-beds"), "bench/many"),
    )


@pytest.mark.parametrize(
    "value",
    [
        "{",
        {},
        [],
        [{"name": "x", "docs": [["a", "text"]], "queries": []}],
        [{"name": "x", "docs": "none", "queries": []}],
        [{"name": "x", "docs": [["a"]], "queries": [["q", ["a"]]]}],
        [{"name": "x", "docs": [["a", "text"]], "queries": [["q", "a"]]}],
        [{"name": "x", "docs": [["a", "text"]], "queries": [["q", ["b"]]]}],
    ],
)
def test_what_is_no_set_is_an_error_that_names_the_file(tmp_path: Path, value: object) -> None:
    path = written(tmp_path / "set.json", value)
    with pytest.raises(PayloadError, match=r"set\.json"):
        read_set(path)


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="none"):
        read_set(tmp_path / "none.json")


@pytest.mark.parametrize("expected", ["", "tables", "on-"])
def test_a_document_that_is_not_named_plainly_is_an_error(tmp_path: Path, expected: str) -> None:
    (tmp_path / "docs").mkdir()
    written(tmp_path / "docs" / "on-chairs.md", "# Chairs")
    written(tmp_path / "docs" / "on-beds.md", "# Beds")
    written(tmp_path / "asked.jsonl", json.dumps({"query": "x", "expected_doc": expected}))
    with pytest.raises(PayloadError, match="documents"):
        read_set(tmp_path)

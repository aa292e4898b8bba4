from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from wisen.errors import NotFound, PayloadError
from wisen.evals.labelled import labelled, strata

LINES = b'{"id": "1", "repo": "a/x"}\n\n{"id": "2", "repo": "b/y"}\n'


def ids(path: Path, *but_not: str) -> list[str]:
    return [row.text("id") for row in labelled(path, but_not=but_not)]


PACKED = gzip.compress(LINES, mtime=0)  # a moment of its own would be another name in every process


@pytest.mark.parametrize("content", [LINES, PACKED], ids=["plain", "gzipped"])
def test_lines_are_read_plain_or_gzipped(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert ids(tmp_path / "file") == ["1", "2"]
    assert ids(tmp_path / "file", "b/y") == ["1"]


def test_a_line_that_is_no_object_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(LINES + b"[]\n")
    with pytest.raises(PayloadError, match="line 4"):
        ids(tmp_path / "file")


@pytest.mark.parametrize("content", [None, PACKED[:-9]], ids=["missing", "cut"])
def test_a_file_that_cannot_be_read_is_said_to_be(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    with pytest.raises(NotFound):
        ids(tmp_path / "file")


def test_strata_give_the_stratum_of_an_item_and_its_size(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b'{"ids": {"1": "loose"}, "population": {"a/x|loose": 40}}')
    (tmp_path / "rows").write_bytes(LINES)
    known = strata(tmp_path / "file")
    one, other = labelled(tmp_path / "rows")
    assert (known.of(one), known.size(known.of(one))) == ("a/x|loose", 40)
    assert (known.of(other), known.size("")) == ("", 0.0)
    assert strata(None).of(one) == ""

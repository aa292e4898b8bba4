from __future__ import annotations

from pathlib import Path

import pytest

from wisen.store.queries import load


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_queries_are_loaded_by_name_without_comment_and_semicolon(tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.sql",
        "-- name: one\n-- The one.\nSELECT 1;\n\n-- name: two\n-- The\n-- two.\nSELECT 2\nFROM x;\n",
    )
    assert load(path) == {"one": "SELECT 1", "two": "SELECT 2\nFROM x"}


def test_an_include_stands_for_another_querys_text(tmp_path: Path) -> None:
    path = write(
        tmp_path / "q.sql",
        "-- name: part\n-- A part.\n    a = 1\n\n-- name: whole\n-- All.\nSELECT 1 WHERE\n    -- include: part\n;\n",
    )
    assert load(path)["whole"] == "SELECT 1 WHERE\na = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "-- name: same\n-- A.\nSELECT 1;\n-- name: same\n-- B.\nSELECT 2;\n",
        "-- name: no_sentence\nSELECT 1;\n",
        "-- name: no_statement\n-- A.\n",
    ],
)
def test_a_query_without_its_own_name_a_sentence_or_a_statement_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"q\.sql"):
        load(write(tmp_path / "q.sql", text))

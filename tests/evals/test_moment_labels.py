from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.evals.moments import a_label
from tests.evals.recordings import write_rows

from wisen.errors import PayloadError
from wisen.evals.moment_labels import lessons_of, opportunities_of
from wisen.evals.places import Place


def read(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    return write_rows(tmp_path / "moments.jsonl.gz", list(rows))


def test_a_lesson_counts_once_and_from_where_it_was_learned_first(tmp_path: Path) -> None:
    found = opportunities_of(
        read(
            tmp_path,
            a_label("D1", "a", (2, 4), "run lint", (3, 1), "lint"),
            a_label("D2", "a", (1, 8), "run lint", (3, 9), "lint"),
            a_label("D3", "b", (1, 9), "be short", (3, 5), "short"),
        )
    )
    [lessons] = lessons_of(found).values()
    assert [(lesson.text, lesson.place, lesson.number) for lesson in lessons] == [
        ("run lint", Place("s1", 8), 1),
        ("be short", Place("s1", 9), 1),
    ]


def test_lessons_of_another_repository_are_apart(tmp_path: Path) -> None:
    mine = a_label("D1", "a", (1, 4), "run lint", (3, 1), "lint")
    lessons = lessons_of(opportunities_of(read(tmp_path, mine, {**mine, "repo": "acme/other"})))
    assert {name: len(found) for name, found in lessons.items()} == {"acme/widgets": 1, "acme/other": 1}


@pytest.mark.parametrize("missing", ["repo", "query", "lesson", "earlier", "later"])
def test_a_line_that_lacks_what_is_needed_is_named(tmp_path: Path, missing: str) -> None:
    row = a_label("D7", "a", (1, 4), "run lint", (3, 1), "lint")
    del row[missing]
    with pytest.raises(PayloadError, match="D7"):
        opportunities_of(read(tmp_path, row))


def test_a_lesson_of_the_moments_own_session_is_no_earlier_one(tmp_path: Path) -> None:
    with pytest.raises(PayloadError, match="not before"):
        opportunities_of(read(tmp_path, a_label("D1", "a", (3, 1), "run lint", (3, 9), "lint")))


def test_an_empty_file_has_nothing_to_score(tmp_path: Path) -> None:
    with pytest.raises(PayloadError, match="no moments"):
        opportunities_of(read(tmp_path))

"""Since when are there memories? What was said before some were deleted does not come back from a transcript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.builders import T0

from wisen.config import Paths, paths
from wisen.state.beginning import NAME, not_before

EVER = datetime.min.replace(tzinfo=UTC)


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"WISEN_HOME": str(tmp_path), "HOME": str(tmp_path)})


def remembered(where: Paths) -> None:
    where.data_dir.mkdir(exist_ok=True)
    where.control_file.touch()


def test_the_first_time_everything_may_be_learned(where: Paths) -> None:
    assert not_before(where, T0) == EVER
    remembered(where)
    assert not_before(where, T0 + timedelta(days=1)) == EVER


def test_after_the_memories_were_deleted_nothing_from_before_is_learned_again_for_good(where: Paths) -> None:
    not_before(where, T0)
    later = T0 + timedelta(days=1)
    assert not_before(where, later) == later
    remembered(where)
    assert not_before(where, later + timedelta(days=1)) == later


def test_memories_of_an_older_wisen_are_not_taken_for_deleted_ones(where: Paths) -> None:
    remembered(where)
    assert not_before(where, T0) == EVER


@pytest.mark.parametrize("text", ["", "soon", "2026-11-30", "\xff"])
def test_a_line_that_can_not_be_read_forbids_nothing_while_there_are_memories(where: Paths, text: str) -> None:
    remembered(where)
    where.state_dir.mkdir()
    (where.state_dir / NAME).write_text(text, encoding="latin-1")
    assert not_before(where, T0) == EVER


def test_where_it_can_not_be_noted_what_may_be_lost_is_not_learned_again(where: Paths) -> None:
    where.state_dir.write_text("no directory")
    assert not_before(where, T0) == T0

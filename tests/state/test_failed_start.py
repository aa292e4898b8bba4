"""Why no daemon could start outlives the ones that could not, wherever something can be written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0

from wisen.config import Paths, fallback_dir, paths
from wisen.errors import StoreError
from wisen.state import failed_start
from wisen.state.failed_start import NAME, FailedStart

FULL = StoreError("the disk is full", hint="make room")
H = timedelta(hours=1)


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Paths]:
    found = paths({"WISEN_HOME": str(tmp_path / "w"), "HOME": str(tmp_path)}, platform="linux")
    found.state_dir.mkdir(parents=True, mode=0o700)
    yield found
    shutil.rmtree(fallback_dir(found.state_dir), ignore_errors=True)


def test_what_failed_is_known_since_the_first_time_until_it_was_told(where: Paths) -> None:
    assert failed_start.read(where) is None
    failed_start.note(where, FULL, T0)
    failed_start.note(where, FULL, T0 + H)
    assert failed_start.read(where) == FailedStart(since=T0, at=T0 + H, message=FULL.message, hint="make room")
    failed_start.clear(where)
    assert failed_start.read(where) is None


def test_where_the_state_directory_can_not_be_written_it_stands_elsewhere(where: Paths) -> None:
    (where.state_dir / NAME).mkdir()  # no user, not even root, can write a file there
    failed_start.note(where, FULL, T0)
    found = failed_start.read(where)
    assert found is not None
    assert found.message == "the disk is full"
    assert fallback_dir(where.state_dir).stat().st_mode & 0o077 == 0


def test_a_directory_that_others_can_write_to_is_not_believed(where: Paths) -> None:
    failed_start.note(where, FULL, T0)
    where.state_dir.chmod(0o777)
    assert failed_start.read(where) is None


@pytest.mark.parametrize("text", ["", "[]", "\xff", '{"since":"2026-11-30T12:00:00","at":"x","message":""}'])
def test_a_note_that_can_not_be_read_is_none(where: Paths, text: str) -> None:
    (where.state_dir / NAME).write_text(text, encoding="latin-1")
    assert failed_start.read(where) is None
    failed_start.note(where, FULL, T0)
    assert failed_start.read(where) is not None

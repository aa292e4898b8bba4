from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0

from wisen.config import Paths, paths
from wisen.state import sizes

DAY = timedelta(days=1)


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    found = paths({"WISEN_HOME": str(tmp_path), "HOME": str(tmp_path)})
    for directory in (found.graphs_dir, found.spool_dir, found.backups_dir / "b"):
        directory.mkdir(parents=True)
    return found


def put(file: Path, size: int) -> None:
    file.write_bytes(b"x" * size)


def test_every_byte_is_in_one_part(where: Paths) -> None:
    put(where.control_file, 1)
    put(where.data_dir / "control.db-wal", 2)
    put(where.graphs_dir / "a.db", 4)
    put(where.graphs_dir / "a.db-shm", 8)
    put(where.spool_dir / "1.json", 16)
    put(where.log_file, 32)
    put(where.backups_dir / "b" / "control.db-wal", 64)
    put(where.state_dir / "roots.json", 128)
    (where.state_dir / "link").symlink_to("/")
    found = sizes.measure(where)
    assert found.parts == {
        "control": 1,
        "graphs": 4,
        "wal": 10,
        "spool": 16,
        "log": 32,
        "backups": 64,
        "other": 128 + 1,
    }
    assert found.total == sum(found.parts.values())


def test_growth_is_known_after_a_whole_day_and_not_at_the_next_midnight(where: Paths) -> None:
    put(where.control_file, 1000)
    sizes.note(where, T0)
    for later in (0 * DAY, 7 * DAY / 24 / 60, DAY / 2 + DAY / 24, DAY - DAY / 86400):
        assert sizes.growth(where, T0 + later, total=5000) is None
    grown = sizes.growth(where, T0 + 4 * DAY, total=5000)
    assert grown == sizes.Growth(bytes_a_day=1000.0, days=4)
    shrunk = sizes.growth(where, T0 + DAY, total=0)
    assert shrunk is not None
    assert shrunk.bytes_a_day < 0


def test_one_line_a_day_and_only_the_latest_days_are_kept(where: Paths) -> None:
    put(where.control_file, 10)
    sizes.note(where, T0)
    put(where.control_file, 20)
    sizes.note(where, T0 + DAY / 4)
    for day in range(1, sizes.DAYS_KEPT + 10):
        sizes.note(where, T0 + day * DAY)
    lines = (where.state_dir / sizes.NAME).read_text().splitlines()
    assert len(lines) == sizes.DAYS_KEPT + 2
    grown = sizes.growth(where, T0 + (sizes.DAYS_KEPT + 9) * DAY, total=0)
    assert grown is not None
    assert grown.days == sizes.DAYS_KEPT - 1


def test_a_record_that_knows_days_only_counts_from_their_end(where: Paths) -> None:
    (where.state_dir / sizes.NAME).write_text('{"2026-11-29": 1000}')
    assert sizes.growth(where, T0, total=5000) is None
    grown = sizes.growth(where, T0 + DAY, total=5000)
    assert grown is not None
    assert grown.days == 1
    sizes.note(where, T0)
    assert sizes.growth(where, T0 + DAY, total=5000) == grown


def test_where_nothing_is_kept_nothing_is_noted(tmp_path: Path) -> None:
    nowhere = paths({"WISEN_HOME": str(tmp_path / "w"), "HOME": str(tmp_path)})
    sizes.note(nowhere, T0)
    assert not (tmp_path / "w").exists()
    assert sizes.measure(nowhere).total == 0


@pytest.mark.parametrize("text", ["", "[]", '{"x": 1}', "\xff"])
def test_a_record_that_can_not_be_read_is_begun_anew(where: Paths, text: str) -> None:
    (where.state_dir / sizes.NAME).write_text(text, encoding="latin-1")
    assert sizes.growth(where, T0, total=1) is None
    sizes.note(where, T0)
    assert sizes.growth(where, T0 + DAY, total=10**6) is not None

from __future__ import annotations

import os
from pathlib import Path

import pytest

from wisen import lockfile
from wisen.config import Paths, paths
from wisen.errors import Conflict, InstallError
from wisen.install.purge import remove_wisen_dirs


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    """A directory of the user's that holds other things too."""
    found = paths({"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "w")}, platform="linux")
    ours = (
        found.control_file,
        found.control_file.with_name("control.db-wal"),
        found.graphs_dir / "claude-code" / "abc.db",
        found.graphs_dir / "claude-code" / "abc.db-shm",
        found.graphs_dir / "claude-code" / "abc.db.damaged-20260105T100000Z",
        found.graphs_dir / "claude-code" / "abc.db.damaged-20260105T100000Z-wal",
        found.log_file,
        found.log_file.with_name("daemon.log.1"),
        found.lock_file,
        found.data_lock_file,
        found.spool_dir / "0123.json",
        found.backups_dir / "claude-code-01.json",
    )
    for file in ours:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("ours")
    return found


def test_everything_of_ours_goes(where: Paths) -> None:
    purged = remove_wisen_dirs(where)
    assert len(purged.removed) == 12
    assert purged.left == ()
    assert not where.data_dir.exists()
    assert not where.state_dir.exists()


def test_strangers_and_the_users_settings_stay_and_are_named(where: Paths) -> None:
    strangers = (where.data_dir / "thesis.tex", where.graphs_dir / "plot.png", where.state_dir / "notes" / "a.db")
    for file in strangers:
        file.parent.mkdir(exist_ok=True)
        file.write_text("theirs")
    where.config_file.write_text("recall = false\n")
    empty = where.data_dir / "empty"
    empty.mkdir()
    purged = remove_wisen_dirs(where)
    assert set(purged.left) == set(strangers)
    assert all(file.read_text() == "theirs" for file in strangers)
    assert where.config_file.exists()
    assert empty.is_dir()
    assert not where.control_file.exists()


def test_links_are_not_followed(where: Paths, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "other.db").write_text("theirs")
    (where.graphs_dir / "linked").symlink_to(outside)
    (where.graphs_dir / "file.db").symlink_to(outside / "other.db")
    purged = remove_wisen_dirs(where)
    assert (outside / "other.db").read_text() == "theirs"
    assert where.graphs_dir / "linked" in purged.left


@pytest.mark.parametrize("name", ["data_dir", "spool_dir", "graphs_dir"])
def test_a_directory_that_is_a_link_is_refused_before_anything_is_deleted(
    where: Paths, tmp_path: Path, name: str
) -> None:
    directory: Path = getattr(where, name)
    moved = directory.rename(tmp_path / "moved")
    directory.symlink_to(moved)
    with pytest.raises(InstallError, match="not a directory of yours"):
        remove_wisen_dirs(where)
    assert where.log_file.exists()
    assert where.control_file.exists()


@pytest.mark.parametrize("name", ["lock_file", "data_lock_file"])
def test_what_a_daemon_has_open_is_not_deleted_under_it(where: Paths, name: str) -> None:
    """Not by a terminal that names another state directory either."""
    fd = lockfile.take(getattr(where, name), "4711")
    assert fd is not None
    with pytest.raises(Conflict, match="has the memories open"):
        remove_wisen_dirs(where)
    assert where.control_file.exists()
    os.close(fd)
    assert remove_wisen_dirs(where).left == ()


def test_nothing_there_is_nothing_to_do(tmp_path: Path) -> None:
    purged = remove_wisen_dirs(paths({"HOME": str(tmp_path)}, platform="linux"))
    assert (purged.removed, purged.left) == ((), ())
    assert list(tmp_path.iterdir()) == []

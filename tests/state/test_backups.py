"""Backups come, go, and take the place of what is there, without a daemon."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import FrozenClock, a_graph, a_memory

from wisen.compose import backups_of, real_parts
from wisen.config import Paths, paths
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.errors import Conflict, InvalidValue, NotFound, StoreDamaged, StoreError
from wisen.install.purge import remove_wisen_dirs
from wisen.state.backups import Backups
from wisen.store.sqlite import restore
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.restore import finish_restore


@pytest.fixture
def where(tmp_path: Path) -> Paths:
    return paths({"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "w")})


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture
def backups(where: Paths, clock: FrozenClock) -> Backups:
    return backups_of(where, clock=clock)


@pytest.fixture
def graphs(where: Paths, clock: FrozenClock) -> Iterator[SqliteGraphs]:
    SqliteControl(where.control_file).close()
    graphs = SqliteGraphs(where.graphs_dir, clock)
    learn(graphs, "Use pnpm here.")
    yield graphs
    graphs.close()


def learn(graphs: SqliteGraphs, text: str) -> None:
    memory = a_memory(text)
    graphs.open(a_graph()).add(memory, key=memory.memory_id, actor=Actor.USER, reason="r")


def known(where: Paths) -> set[str]:
    graphs = SqliteGraphs(where.graphs_dir, FrozenClock())
    store = graphs.existing(a_graph())
    try:
        return {memory.text for memory in store.list(MemoryFilter())} if store else set()
    finally:
        graphs.close()


def test_a_backup_is_made_while_the_data_is_open_and_is_private(graphs: SqliteGraphs, backups: Backups) -> None:
    os.umask(0)
    try:
        made = backups.make()
    finally:
        os.umask(0o022)
    assert made.manifest is not None
    assert made.manifest.counts["memories"] == 1
    assert backups.verify(made.path).manifest == made.manifest
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (made.path, *made.path.rglob("*"))} == {0}


def test_backups_are_listed_newest_first_and_found_by_name(
    graphs: SqliteGraphs, backups: Backups, clock: FrozenClock, where: Paths
) -> None:
    first = backups.make()
    second = backups.make()  # within the same second
    clock.advance(hours=1)
    third = backups.make()
    (where.backups_dir / "claude-code-0123.json").write_text("{}")
    (where.backups_dir / "20200101-000000").mkdir()
    names = [one.path.name for one in backups.all()]
    assert names == [third.path.name, second.path.name, first.path.name, "20200101-000000"]
    assert backups.all()[-1].manifest is None
    assert backups.find("latest") == third.path
    assert backups.find(first.path.name) == backups.find(str(first.path)) == first.path
    with pytest.raises(NotFound):
        backups.find("20190101-000000")


def test_the_latest_is_never_what_a_restore_kept(
    graphs: SqliteGraphs, backups: Backups, clock: FrozenClock, where: Paths
) -> None:
    made = backups.make().path
    for _ in range(2):
        clock.advance(minutes=1)
        kept = backups.restore(backups.find("latest"))
        assert kept.path == backups.all()[0].path
        assert backups.find("latest") == made
    backups.remove(made.name)
    with pytest.raises(NotFound, match="no backup in"):
        backups.find("latest")


def test_pruning_keeps_the_newest(graphs: SqliteGraphs, backups: Backups, clock: FrozenClock) -> None:
    made = []
    for _ in range(4):
        made.append(backups.make().path)
        clock.advance(minutes=1)
    assert backups.prune(2) == (made[1], made[0])
    assert [one.path for one in backups.all()] == [made[3], made[2]]


@pytest.mark.parametrize("name", ["..", "../data", "/etc", "", ".", "20260101-000000/../../data"])
def test_only_backups_in_their_own_place_are_deleted(
    graphs: SqliteGraphs, backups: Backups, where: Paths, name: str
) -> None:
    with pytest.raises(InvalidValue):
        backups.remove(name)
    assert where.data_dir.is_dir()


def test_a_link_is_not_taken_for_a_backup(graphs: SqliteGraphs, backups: Backups, where: Paths) -> None:
    where.backups_dir.mkdir(parents=True)
    (where.backups_dir / "20260101-000000").symlink_to(where.data_dir)
    assert backups.all() == ()
    with pytest.raises(NotFound):
        backups.remove("20260101-000000")
    assert where.data_dir.is_dir()


def test_a_restore_brings_the_old_state_back_and_keeps_the_new_one(
    graphs: SqliteGraphs, backups: Backups, clock: FrozenClock, where: Paths
) -> None:
    made = backups.make()
    learn(graphs, "Commit small.")
    graphs.close()
    clock.advance(minutes=1)
    kept = backups.restore(made.path)
    assert known(where) == {"Use pnpm here."}
    clock.advance(minutes=1)
    backups.restore(kept.path)
    assert known(where) == {"Use pnpm here.", "Commit small."}


def test_a_backup_comes_back_where_all_memories_are_gone(
    graphs: SqliteGraphs, backups: Backups, where: Paths, tmp_path: Path
) -> None:
    made = backups.make(tmp_path / "stick")
    graphs.close()
    elsewhere = paths({"HOME": str(tmp_path), "WISEN_HOME": str(tmp_path / "new")})
    backups_of(elsewhere).restore(made.path)
    assert known(elsewhere) == {"Use pnpm here."}


@pytest.mark.parametrize("place", ["graphs", "graphs/{name}", "graphs/{name}-wal", "control.db", "restoring"])
def test_what_is_in_the_way_of_a_restore_changes_nothing_and_is_named(
    graphs: SqliteGraphs, backups: Backups, where: Paths, tmp_path: Path, place: str
) -> None:
    made = backups.make(tmp_path / "stick")
    graphs.close()
    name = next(where.graphs_dir.glob("*.db")).name
    there = where.data_dir / place.format(name=name)
    if there.exists():
        there.rename(tmp_path / "kept")
    if place in {"graphs", "restoring"}:
        there.write_text("x")
    else:
        there.mkdir()
    before = sorted(where.data_dir.rglob("*"))
    with pytest.raises(StoreError, match="wisen keeps a") as raised:
        backups.restore(made.path)
    assert sorted(where.data_dir.rglob("*")) == before
    assert not finish_restore(where.data_dir) if place != "restoring" else True
    assert str(there) in raised.value.message
    assert f"`mv '{there}' " in raised.value.hint
    there.rename(tmp_path / "aside")
    backups.restore(made.path)
    assert known(where) == {"Use pnpm here."}


def test_a_restore_that_is_stopped_in_its_last_step_says_that_the_next_start_goes_on(
    graphs: SqliteGraphs, backups: Backups, where: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = backups.make()
    learn(graphs, "Commit small.")
    graphs.close()

    def full(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(where.control_file))

    with monkeypatch.context() as patched:
        patched.setattr(restore, "_swap", full)
        with pytest.raises(StoreError, match=r"control\.db: Input/output error") as raised:
            backups.restore(made.path)
    assert "`wisen daemon start` goes on with the restore" in raised.value.hint
    assert finish_restore(where.data_dir)
    assert known(where) == {"Use pnpm here."}


@pytest.mark.parametrize("own", ["data_dir", "state_dir", "backups_dir", "graphs_dir"])
def test_no_backup_of_the_users_choice_goes_where_wisen_keeps_its_own(
    graphs: SqliteGraphs, backups: Backups, where: Paths, tmp_path: Path, own: str
) -> None:
    (tmp_path / "link").symlink_to(where.data_dir.parent)
    inside: Path = getattr(where, own)
    for place in (inside / "mine", tmp_path / "link" / inside.relative_to(where.data_dir.parent) / "mine"):
        with pytest.raises(InvalidValue, match="wisen's own"):
            backups.make(place)
        assert not place.exists()


def test_a_broken_backup_changes_nothing(graphs: SqliteGraphs, backups: Backups, where: Paths) -> None:
    made = backups.make()
    graphs.close()
    file = made.path / "control.db"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(StoreDamaged):
        backups.restore(made.path)
    assert known(where) == {"Use pnpm here."}
    assert [one.path for one in backups.all()] == [made.path]


def test_a_backup_never_replaces_anything(graphs: SqliteGraphs, backups: Backups, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for target in ("there", "link"):
        with pytest.raises(Conflict):
            backups.make(tmp_path / target)
    assert not (tmp_path / "nowhere").exists()


def test_there_is_nothing_to_back_up_without_data(backups: Backups) -> None:
    with pytest.raises(NotFound):
        backups.make()
    assert backups.all() == ()


def test_a_restore_that_was_decided_is_finished_before_a_daemon_opens_anything(
    graphs: SqliteGraphs, backups: Backups, where: Paths
) -> None:
    made = backups.make()
    learn(graphs, "Commit small.")
    graphs.close()
    shutil.copytree(made.path, where.data_dir / "restoring")
    parts = real_parts(where, {})
    try:
        store = parts.graphs.open(a_graph())
        assert {memory.text for memory in store.list(MemoryFilter())} == {"Use pnpm here."}
    finally:
        parts.graphs.close()
        parts.control.close()
        parts.stop_probing()


def test_backups_go_when_everything_is_purged(graphs: SqliteGraphs, backups: Backups, where: Paths) -> None:
    backups.make()
    graphs.close()
    shutil.copytree(where.backups_dir, where.data_dir / "restoring")  # what a restore that was killed leaves
    assert remove_wisen_dirs(where).left == ()
    assert not where.data_dir.exists()
    assert not where.state_dir.exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from wisen.compose import backups_of
from wisen.config import paths
from wisen.store.sqlite import restore

left = int(sys.argv[1])

def counted(function):
    def call(*arguments, **named):
        global left
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return function(*arguments, **named)
    return call

for name in ("sync_dir", "sync_file", "make_dir", "replace_file", "remove_database"):
    setattr(restore, name, counted(getattr(restore, name)))
backups_of(paths(os.environ)).restore(Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_restore_that_is_killed_at_any_step_leaves_the_old_or_the_new_state(
    graphs: SqliteGraphs, backups: Backups, where: Paths, tmp_path: Path
) -> None:
    made = backups.make()
    learn(graphs, "Commit small.")
    graphs.close()
    new, old = {"Use pnpm here.", "Commit small."}, {"Use pnpm here."}
    seen = []
    for step in (0, 8, 14, 100):
        home = tmp_path / str(step)
        shutil.copytree(where.data_dir, home / "data")
        env = {"HOME": str(tmp_path), "WISEN_HOME": str(home)}
        arguments = [sys.executable, "-c", _KILLED, str(step), str(made.path)]
        done = subprocess.run(arguments, env=env, check=False)
        there = paths(env)
        was_decided = finish_restore(there.data_dir)
        found = known(there)
        assert found in (old, new)
        kept = [one for one in backups_of(there).all() if one.path.name.endswith("before-restore")]
        assert [one.manifest.counts["memories"] for one in kept if one.manifest] == [2]
        seen.append((done.returncode, was_decided, found == old))
    assert (-9, False, False) in seen  # killed before it was decided
    assert (-9, True, True) in seen  # killed after, and finished by the next one
    assert (0, False, True) in seen  # not killed

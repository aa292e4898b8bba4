"""backup and restore-backup over real files, without a daemon."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.builders import FrozenClock, a_graph, a_memory
from tests.cli.stage import FakeDaemon, Wisen
from wisen import lockfile
from wisen.config import paths
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.errors import DaemonUnavailable
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs


@pytest.fixture
def data(home: Path) -> Path:
    where = paths({"HOME": str(home), "WISEN_HOME": str(home / "wisen")})
    SqliteControl(where.control_file).close()
    learn(where.graphs_dir, "Use pnpm here.")
    return where.graphs_dir


def learn(directory: Path, text: str) -> None:
    graphs = SqliteGraphs(directory, FrozenClock())
    memory = a_memory(text)
    graphs.open(a_graph()).add(memory, key=memory.memory_id, actor=Actor.USER, reason="r")
    graphs.close()


def known(directory: Path) -> set[str]:
    graphs = SqliteGraphs(directory, FrozenClock())
    store = graphs.open(a_graph())
    texts = {memory.text for memory in store.list(MemoryFilter())}
    graphs.close()
    return texts


def test_a_backup_asks_a_running_daemon_to_write_first(wisen: Wisen, daemon: FakeDaemon, data: Path) -> None:
    daemon.answers["POST /v1/flush"] = {}
    assert "Backed up 1 memory" in wisen("backup").out
    assert [asked.path for asked in daemon.changes] == ["/v1/flush"]
    assert daemon.started == [False]


def test_a_backup_needs_no_daemon(wisen: Wisen, daemon: FakeDaemon, data: Path, tmp_path: Path) -> None:
    daemon.answers["POST /v1/flush"] = DaemonUnavailable("none")
    made = json.loads(wisen("backup", "--to", str(tmp_path / "stick"), "--json").out)["backup"]
    assert (made["path"], made["counts"]["memories"]) == (str(tmp_path / "stick"), 1)
    assert "Whole:" in wisen("backup", "verify", str(tmp_path / "stick")).out
    assert wisen("backup", "--to", str(tmp_path / "stick")).code == 4


def test_backups_are_listed_checked_and_deleted(wisen: Wisen, daemon: FakeDaemon, data: Path) -> None:
    daemon.answers["POST /v1/flush"] = {}
    assert "There is no backup" in wisen("backup", "list").out
    assert wisen("backup", "verify").code == 3
    wisen("backup")
    [name] = [one["name"] for one in json.loads(wisen("backup", "list", "--json").out)["backups"]]
    shown = wisen("backup", "list", terminal=True).out
    assert name in shown
    assert "What you purge stays" in shown
    assert name in wisen("backup", "verify", name).out
    assert wisen("backup", "rm", name).code == 2  # nobody is there to ask
    assert wisen("backup", "rm", name, terminal=True, types="n\n").code == 1
    assert name in wisen("backup", "rm", name, "--yes").out
    assert json.loads(wisen("backup", "list", "--json").out)["backups"] == []


def test_older_ones_go_when_asked(wisen: Wisen, daemon: FakeDaemon, data: Path) -> None:
    daemon.answers["POST /v1/flush"] = {}
    for _ in range(3):
        wisen("backup")
    assert "Deleted 2 older backups" in wisen("backup", "--keep", "2").out
    assert len(json.loads(wisen("backup", "prune", "--keep", "1", "--yes", "--json").out)["deleted"]) == 1


def test_a_restore_stops_the_daemon_and_can_be_taken_back(wisen: Wisen, daemon: FakeDaemon, data: Path) -> None:
    daemon.answers["POST /v1/flush"] = {}
    wisen("backup")
    learn(data, "Commit small.")
    assert wisen("restore-backup", "latest").code == 2  # nobody is there to ask
    assert wisen("restore-backup", "latest", terminal=True, types="n\n").code == 1
    assert (daemon.stopped, known(data)) == (0, {"Use pnpm here.", "Commit small."})
    done = json.loads(wisen("restore-backup", "latest", "--yes", "--json").out)
    assert (daemon.stopped, known(data)) == (1, {"Use pnpm here."})
    wisen("restore-backup", done["kept"]["name"], "--yes")
    assert known(data) == {"Use pnpm here.", "Commit small."}


def test_a_daemon_that_comes_back_again_and_again_stops_the_restore(
    wisen: Wisen, daemon: FakeDaemon, data: Path
) -> None:
    daemon.answers["POST /v1/flush"] = {}
    wisen("backup")
    lock = lockfile.take(data.parent / "daemon.lock", "1")
    assert lock is not None
    assert wisen("restore-backup", "latest", "--yes").code == 4
    os.close(lock)
    assert daemon.stopped == 3


def test_an_agent_neither_makes_nor_restores_backups(wisen: Wisen, daemon: FakeDaemon, data: Path) -> None:
    daemon.answers["POST /v1/flush"] = {}
    wisen("backup")
    for command in (("backup",), ("backup", "rm", "x", "--yes"), ("restore-backup", "latest", "--yes")):
        assert wisen(*command, CLAUDECODE="1").code == 5

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import REPO, UPSTREAM, YOU, FakeDaemon, Wisen
from wisen.errors import Conflict

GRAPHS = [
    {"graph": REPO, "by_status": {"active": 12, "pending_review": 2, "forgotten": 3}, "bytes_on_disk": 94208},
    {"graph": UPSTREAM, "by_status": {"active": 1}, "bytes_on_disk": 512},
    {"graph": YOU, "by_status": {"active": 1}, "bytes_on_disk": 512},
]


@pytest.fixture(autouse=True)
def given(daemon: FakeDaemon) -> None:
    daemon.answers |= {
        "GET /v1/status": {"version": "0.1.0", "pid": 1, "graphs": GRAPHS},
        "GET /v1/graphs/stats": {
            "graph": REPO,
            "by_status": {"active": 12},
            "by_kind": {"semantic": 12},
            "by_source": {"correction": 12},
            "uses": 4,
            "oldest": "2026-11-01T00:00:00Z",
            "newest": "2026-11-30T00:00:00Z",
            "bytes_on_disk": 94208,
            "journal_entries": 40,
        },
        "POST /v1/flush": {},
        "POST /v1/graphs/remove": {"graph": REPO, "purged": 0},
    }


@pytest.fixture
def data(home: Path) -> Path:
    directory = home / "wisen" / "data"
    directory.mkdir(parents=True)
    return directory


@pytest.mark.row("H15")
def test_graphs_are_listed_and_looked_into_by_the_end_of_their_id(daemon: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("graphs").out == wisen("graphs", "ls").out
    assert f"{REPO}\t12\t2\t3\t94.2 kB" in wisen("graphs").out
    assert [one["graph"] for one in json.loads(wisen("graphs", "--json").out)] == [REPO, UPSTREAM, YOU]
    out = wisen("graphs", "stats", "acme/widgets", terminal=True).out
    assert out.startswith(REPO)
    assert "12 semantic" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert daemon.asked[-1].query == {"graph": REPO}


def test_a_name_that_means_none_or_several_is_refused(wisen: Wisen) -> None:
    assert wisen("graphs", "stats", "gadgets").code == 3
    assert wisen("graphs", "stats", "widgets").code == 4


@pytest.mark.row("H15")
def test_rm_backs_everything_up_first(daemon: FakeDaemon, wisen: Wisen, data: Path, home: Path) -> None:
    ran = wisen("graphs", "rm", "acme/widgets", "--yes")
    assert ran.code == 0, ran.err
    [backup] = (home / "wisen" / "state" / "backups").iterdir()
    assert f"wisen restore-backup {backup.name}" in ran.out
    assert daemon.changes[-1].body == {"graph": REPO, "purge": False}


def test_a_graph_whose_file_is_gone_is_given_up_by_its_whole_id(daemon: FakeDaemon, wisen: Wisen, data: Path) -> None:
    gone = "repo://claude-code/github.com/acme/gone"
    assert wisen("graphs", "rm", gone, "--yes").code == 0
    assert daemon.changes[-1].body["graph"] == gone


def test_without_a_backup_nothing_is_deleted(daemon: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("graphs", "rm", "acme/widgets", "--yes").code == 3
    assert [request.path for request in daemon.changes] == ["/v1/flush"]


def test_a_purge_makes_no_backup(daemon: FakeDaemon, wisen: Wisen, data: Path, home: Path) -> None:
    assert "restore-backup" not in wisen("graphs", "rm", "acme/widgets", "--purge", "--yes").out
    assert daemon.changes[-1].body == {"graph": REPO, "purge": True}
    assert not (home / "wisen" / "state").exists()


def test_files_that_still_hold_what_was_erased_with_a_graph_are_named(
    daemon: FakeDaemon, wisen: Wisen, data: Path
) -> None:
    daemon.answers["POST /v1/graphs/remove"] = {"graph": REPO, "purged": 2, "still_in": ["/home/dev/export.jsonl"]}
    out = wisen("graphs", "rm", "acme/widgets", "--purge", "--yes").out
    assert "The text is still in:\n  /home/dev/export.jsonl\n" in out


def test_rm_asks_and_no_agent_may(daemon: FakeDaemon, wisen: Wisen, data: Path) -> None:
    assert wisen("graphs", "rm", "acme/widgets").code == 2
    assert wisen("graphs", "rm", "acme/widgets", terminal=True, types="n\n").code == 1
    assert wisen("graphs", "rm", "acme/widgets", "--yes", CLAUDECODE="1").code == 5
    assert daemon.changes == []


def test_an_error_of_the_daemon_is_passed_on(daemon: FakeDaemon, wisen: Wisen, data: Path) -> None:
    daemon.answers["POST /v1/graphs/remove"] = Conflict("in use")
    assert wisen("graphs", "rm", "acme/widgets", "--yes").code == 4

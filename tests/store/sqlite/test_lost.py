"""What was deleted behind our back: rows that stand say that others did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import T0, FrozenClock, a_graph, a_memory
from wisen.core.findings import Finding, Severity
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, RootClaim
from wisen.core.types import Status
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.sqlite.lost import LEDGER

GRAPH, OTHER = a_graph(), a_graph("acme/other")


@pytest.fixture
def graphs(tmp_path: Path) -> Iterator[SqliteGraphs]:
    found = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    for text in ("one", "two", "three"):
        memory = a_memory(text)
        found.open(GRAPH).add(memory, key=text, actor=Actor.USER, reason="")
    yield found
    found.close()


def wrong(graphs: SqliteGraphs) -> list[Finding]:
    return [finding for finding in graphs.check() if finding.severity is Severity.ERROR]


def run(graphs: SqliteGraphs, *statements: str) -> None:
    database = graphs.open(GRAPH)._pool._opened()
    for statement in ("PRAGMA foreign_keys = OFF", *statements):
        database.run(statement)


def test_whatever_is_done_to_memories_leaves_a_whole_history(graphs: SqliteGraphs) -> None:
    store = graphs.open(GRAPH)
    one, two, three = store.list(MemoryFilter(statuses=frozenset(Status)))
    changed, _ = store.update(replace(one, text="other"), actor=Actor.USER, action="edit", reason="")
    store.touch([one.memory_id], T0)
    store.update(replace(changed, pinned=True), actor=Actor.USER, action="pin", reason="")
    undo = store.revert(5, actor=Actor.USER)
    store.revert(undo.seq, actor=Actor.USER)
    store.update(replace(two, status=Status.FORGOTTEN), actor=Actor.USER, action="status", reason="")
    store.purge(two.memory_id)
    store.revert(3, actor=Actor.USER)
    store.purge(three.memory_id)
    assert graphs.check() == []


def test_a_memory_that_only_the_journal_knows_is_lost(graphs: SqliteGraphs) -> None:
    run(graphs, "DELETE FROM memories WHERE number = 2")
    [finding] = wrong(graphs)
    assert "1 memory that the journal tells of is gone" in finding.what
    assert "`wisen restore-backup latest`" in finding.next_step


@pytest.mark.parametrize("seq", [1, 4, 5])
def test_a_change_that_is_missing_is_missed_wherever_it_stood(graphs: SqliteGraphs, seq: int) -> None:
    store = graphs.open(GRAPH)
    one = next(entry.after for entry in store.journal() if entry.seq == 1)
    assert one is not None
    for text in ("else", "and else"):
        store.update(replace(one, text=text), actor=Actor.USER, action="edit", reason="")
    assert wrong(graphs) == []
    run(graphs, f"DELETE FROM journal WHERE seq = {seq}")
    [finding] = wrong(graphs)
    assert f"changes of 1 memory are gone from the journal: {one.short_id}" in finding.what


def test_a_memory_without_any_change_has_lost_its_history(graphs: SqliteGraphs) -> None:
    run(graphs, "DELETE FROM journal WHERE seq = 2")
    assert "changes of 1 memory are gone" in wrong(graphs)[0].what


def test_a_damaged_change_is_told_once(graphs: SqliteGraphs) -> None:
    run(graphs, "UPDATE journal SET actor = 'agent' WHERE seq = 1")
    assert len(wrong(graphs)) == 1


def test_a_file_that_is_gone_is_missed_until_its_graph_is_given_up(graphs: SqliteGraphs, tmp_path: Path) -> None:
    graphs.open(OTHER)
    graphs.close()
    graphs._path(OTHER).unlink()
    again = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    [finding] = again.check()
    assert (finding.severity, str(OTHER) in finding.what) == (Severity.ERROR, True)
    assert f"`wisen graphs rm {OTHER}`" in finding.next_step
    [problem] = again.problems()
    assert "is gone" in problem
    assert again.remove(OTHER)
    assert (again.check(), again.problems(), again.remove(OTHER)) == ([], (), False)


def test_what_was_moved_removed_or_made_before_there_was_a_ledger_is_not_missed(graphs: SqliteGraphs) -> None:
    graphs.move(GRAPH, OTHER)
    assert wrong(graphs) == []
    graphs._path(OTHER).with_name(LEDGER).unlink()
    assert wrong(graphs) == []
    graphs.remove(OTHER)
    assert wrong(graphs) == []


@pytest.mark.parametrize("text", ["", "{", '{"x": 1}', "\xff"])
def test_a_ledger_that_can_not_be_read_begins_anew(graphs: SqliteGraphs, tmp_path: Path, text: str) -> None:
    graphs.close()
    (tmp_path / "graphs" / LEDGER).write_text(text, encoding="latin-1")
    again = SqliteGraphs(tmp_path / "graphs", FrozenClock())
    assert again.check() == []
    again._path(GRAPH).unlink()
    assert len(again.check()) == 1


@pytest.mark.parametrize("is_met", [False, True])
def test_a_root_claim_that_was_damaged_is_wrong_until_its_clone_is_trusted(tmp_path: Path, is_met: bool) -> None:
    control = SqliteControl(tmp_path / "control.db")
    claim = RootClaim(graph=str(GRAPH), root="abc", first_seen=T0)
    control.save_root_claim(claim)
    control.flush()
    assert control.check() == ()
    with control._file.write() as database:
        database.run("UPDATE root_claims SET body = replace(body, 'abc', 'cba')")
    if is_met:
        control.root_claim(GRAPH)
    finding = control.check()[-1]
    assert (finding.severity, str(GRAPH) in finding.what) == (Severity.ERROR, True)
    assert "`wisen repo trust`" in finding.next_step
    control.save_root_claim(claim)
    assert all(finding.severity is not Severity.ERROR for finding in control.check())
    control.close()

"""The disk says no, at the n-th request of a run for every n: the caller hears it, nothing acknowledged is lost by it,
and when the disk is well again, so is the store. A power cut at the end makes sure that nothing was only in memory.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest
from tests.builders import FrozenClock
from tests.durability.disk import written_below
from tests.durability.ledger import GRAPH, ControlLedger, Findings, GraphLedger
from tests.durability.watched import Watch, files_below, watched

from wisen.errors import StoreError
from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = pytest.mark.slow

STEPS, LONG_STEPS = 20, 40
IN_SHORT, IN_LONG = 4, 120  # points of the run at which failures begin: all of a control file's, a ninth of a graph's
WELL = (0, 0)

ERRORS: dict[str, Callable[[], apsw.Error]] = {
    "EIO": lambda: apsw.IOError("the disk is broken"),
    "ENOSPC": lambda: apsw.FullError("the disk is full"),
}
LASTING = {"once": 1, "five times": 5, "till the end": 10**9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What works on the disk: a step of it may raise, and so may the first `settle` after a failure."""

    step: Callable[[], None]
    settle: Callable[[], None]
    close: Callable[[], None]
    compare: Callable[[Path, Sequence[str]], Findings]


def a_control(home: Path, watch: Watch) -> Subject:
    """Return events and jobs over a control file."""
    ledger = ControlLedger(watch.acknowledge, random.Random(3))
    store = SqliteControl(home / "control.db")
    return Subject(
        step=lambda: ledger.step(store),
        settle=store.flush,
        close=store.close,
        compare=lambda copy, told: ledger.compare(copy / "control.db", told, in_order=False),
    )


def a_graph_file(home: Path, watch: Watch) -> Subject:
    """Return memories over a graph's file."""
    ledger = GraphLedger(watch.acknowledge, random.Random(3))
    stores = SqliteGraphs(home, FrozenClock())
    return Subject(
        step=lambda: ledger.step(stores.open(GRAPH)),
        settle=lambda: None,
        close=stores.close,
        compare=ledger.compare,
    )


SUBJECTS = {"control": a_control, "graph": a_graph_file}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run over a failing disk came to."""

    asked: int  # requests to the disk while it could fail
    refused: int  # those that failed
    told: int  # calls of the store that raised
    findings: tuple[Findings, ...]  # of the files as they are, and of power cuts at the end


def outcome(what: str, root: Path, error: str, failing: tuple[int, int], *, steps: int) -> Outcome:
    """Work while the requests from the first to the last of `failing` are refused, then over a disk that is well."""
    home, watch = root / "home", Watch()
    home.mkdir(parents=True)
    SqliteControl(home / "control.db").close()
    graphs = SqliteGraphs(home, FrozenClock())
    graphs.open(GRAPH)
    graphs.close()
    disk = watch.begins_with(files_below(home))
    with watched(watch):
        subject = SUBJECTS[what](home, watch)
        try:
            asked, told = _over_a_failing_disk(subject, watch, ERRORS[error], failing, steps)
            for _ in range(5):
                subject.step()
            subject.settle()
            log = watch.log.copy()
        finally:
            watch.fault = lambda _, __: None
            subject.close()
    for op in log:
        disk.play(op)
    acknowledged = [done.what for done in disk.acknowledged]
    findings = [subject.compare(home, acknowledged)]
    for seed in range(3):
        written_below(root / str(seed), disk.image(random.Random(seed)), instead_of=home)
        findings.append(subject.compare(root / str(seed), acknowledged))
    refused = max(0, min(asked, failing[1]) - failing[0] + 1) if failing != WELL else 0
    shutil.rmtree(root)
    return Outcome(asked=asked, refused=refused, told=told, findings=tuple(findings))


def _over_a_failing_disk(
    subject: Subject, watch: Watch, error: Callable[[], apsw.Error], failing: tuple[int, int], steps: int
) -> tuple[int, int]:
    """Return how much was asked of the disk, and how many calls raised."""
    subject.step()
    subject.settle()
    watch.asked = 0
    watch.fault = lambda _, __: error() if failing[0] <= watch.asked <= failing[1] else None
    told = sum(_raised(subject.step) for _ in range(steps))
    asked = watch.asked
    watch.fault = lambda _, __: None
    with suppress(StoreError):  # what failed late is told to whoever asks next
        subject.settle()
    return asked, told


def _raised(step: Callable[[], None]) -> int:
    try:
        step()
    except StoreError:
        return 1
    return 0


def outcomes(what: str, root: Path, error: str, lasting: str, *, number: int) -> list[Outcome]:
    """Return the outcomes for failures that begin at `number` points of the run or a few more."""
    steps = STEPS if number == IN_SHORT else LONG_STEPS
    asked = outcome(what, root / "well", error, WELL, steps=steps).asked
    points = range(1, asked, max(1, asked // number))
    return [outcome(what, root / str(n), error, (n, n + LASTING[lasting] - 1), steps=steps) for n in points]


@pytest.mark.parametrize("what", SUBJECTS)
@pytest.mark.parametrize(("error", "lasting"), [("EIO", "once"), ("ENOSPC", "five times"), ("EIO", "till the end")])
def test_a_disk_that_fails_is_told_and_costs_nothing_that_was_acknowledged(
    tmp_path: Path, what: str, error: str, lasting: str
) -> None:
    found = outcomes(what, tmp_path, error, lasting, number=IN_SHORT)
    assert [one.findings for one in found if any(one.findings)] == []
    assert sum(one.told for one in found)


def test_the_harness_finds_a_store_that_hides_what_the_disk_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Database.run

    def deaf(self: Database, sql: str, *parameters: object) -> int:
        try:
            return run(self, sql, *parameters)  # type: ignore[arg-type]  # as they were handed over
        except StoreError:
            if sql != "COMMIT":
                raise
            if self.in_transaction:
                run(self, "ROLLBACK")
            return 0

    monkeypatch.setattr(Database, "run", deaf)
    found = outcomes("control", tmp_path, "EIO", "till the end", number=4)
    assert all(any(one.findings) for one in found)


@pytest.mark.stress
@pytest.mark.parametrize("what", SUBJECTS)
def test_a_disk_that_fails_at_any_request_costs_nothing_that_was_acknowledged(tmp_path: Path, what: str) -> None:
    runs = refused = told = 0
    for error in ERRORS:
        for lasting in LASTING:
            found = outcomes(what, tmp_path / error / lasting, error, lasting, number=IN_LONG)
            assert [one.findings for one in found if any(one.findings)] == []
            runs, refused = runs + len(found), refused + sum(one.refused for one in found)
            told += sum(one.told for one in found)
    print(f"\nEIO and ENOSPC, {what}: {runs:,} runs, {refused:,} requests refused, {told:,} calls told, 0 rows lost")

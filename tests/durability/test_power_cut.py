"""Power cuts over the store: what it acknowledged is there afterwards, whatever the disk made of the rest.

The log of a run says what SQLite asked of the disk. At many points of it images are made that a power cut could have
left (`disk.py`), and the real store opens each. The same harness finds losses when the store is weakened; that is
what makes its silence worth something.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.builders import FrozenClock
from tests.durability.disk import written_below
from tests.durability.ledger import GRAPH, ControlLedger, Findings, GraphLedger
from tests.durability.watched import Watch, files_below, watched

from wisen.store.sqlite.connection import Database
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = pytest.mark.slow

CUTS, LONG_CUTS = 60, 3000
FEW_CUTS = 24  # enough to see what a weakened store loses
STEPS, LONG_STEPS = 60, 200
OFTEN = "wal_autocheckpoint = 10"  # pages: a short run, too, moves its log into the file several times


@dataclass(frozen=True, slots=True, kw_only=True)
class Toll:
    """What the cuts of one run cost."""

    cuts: int
    with_losses: int  # cuts after which an acknowledged row was gone
    unsound: tuple[str, ...]  # what was there and not whole

    def __str__(self) -> str:
        return f"{self.with_losses:,} of {self.cuts:,} lost acknowledged rows ({len(self.unsound):,} unsound)"


Run = Callable[[Path, Watch, int], Callable[[Path, list[str]], Findings]]


def control_run(root: Path, watch: Watch, steps: int) -> Callable[[Path, list[str]], Findings]:
    """Work on a control file; return what compares a copy of it."""
    ledger = ControlLedger(watch.acknowledge, random.Random(7))
    store = SqliteControl(root / "control.db")
    for _ in range(steps):
        ledger.step(store)
    store.close()
    return lambda copy, told: ledger.compare(copy / "control.db", told)


def graph_run(root: Path, watch: Watch, steps: int) -> Callable[[Path, list[str]], Findings]:
    """Work on a graph file; return what compares a copy of it."""
    ledger = GraphLedger(watch.acknowledge, random.Random(7))
    stores = SqliteGraphs(root, FrozenClock())
    for _ in range(steps):
        ledger.step(stores.open(GRAPH))
    stores.close()
    return ledger.compare


RUNS = pytest.mark.parametrize("run", [control_run, graph_run])


def toll(run: Run, root: Path, watch: Watch, *, steps: int, cuts: int, seed: int = 1) -> Toll:
    """Run once over a watched disk, then cut the power at `cuts` points of the log."""
    home, copies = root / "home", root / "copies"
    home.mkdir()
    SqliteControl(home / "control.db").close()
    graphs = SqliteGraphs(home, FrozenClock())
    graphs.open(GRAPH)
    graphs.close()
    disk = watch.begins_with(files_below(home))
    with watched(watch):
        compare = run(home, watch, steps)
    chance = random.Random(seed)
    found: list[Findings] = []
    for point in sorted(chance.choices(range(1, len(watch.log) + 1), k=cuts)):
        while disk.position < point:
            disk.play(watch.log[disk.position])
        copy = copies / str(len(found))
        written_below(copy, disk.image(chance), instead_of=home)
        found.append(compare(copy, [done.what for done in disk.acknowledged]))
        shutil.rmtree(copy)  # thousands of them would be gigabytes
    unsound = tuple(what for one in found for what in one.unsound)
    return Toll(cuts=cuts, with_losses=sum(bool(one.lost) for one in found), unsound=unsound)


@contextmanager
def every_connection(pragma: str) -> Iterator[None]:
    """Set something on every connection of the store that is opened inside, in place of what the store sets."""
    opened = Database.__init__

    def weakened(self: Database, path: Path, *, read_only: bool = False) -> None:
        opened(self, path, read_only=read_only)
        self.run(f"PRAGMA {pragma}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "__init__", weakened)
        yield


@RUNS
def test_what_was_acknowledged_outlives_a_power_cut(run: Run, tmp_path: Path) -> None:
    with every_connection(OFTEN):
        found = toll(run, tmp_path, Watch(), steps=STEPS, cuts=CUTS)
    assert (found.with_losses, found.unsound) == (0, ())


@RUNS
def test_the_harness_finds_losses_when_synchronous_is_weakened_to_normal(run: Run, tmp_path: Path) -> None:
    with every_connection("synchronous = NORMAL"):
        found = toll(run, tmp_path, Watch(), steps=STEPS, cuts=FEW_CUTS)
    assert found.with_losses > FEW_CUTS // 4


@RUNS
def test_the_harness_finds_losses_when_the_log_is_not_synced(run: Run, tmp_path: Path) -> None:
    found = toll(run, tmp_path, Watch(deaf_to=lambda path: path.endswith("-wal")), steps=STEPS, cuts=FEW_CUTS)
    assert found.with_losses > FEW_CUTS // 4


@RUNS
def test_the_harness_finds_losses_when_the_file_is_not_synced_at_a_checkpoint(run: Run, tmp_path: Path) -> None:
    with every_connection(OFTEN):
        found = toll(run, tmp_path, Watch(deaf_to=lambda path: path.endswith(".db")), steps=STEPS, cuts=FEW_CUTS)
    assert found.with_losses
    assert found.unsound


def test_the_harness_finds_losses_when_events_are_acknowledged_before_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqliteControl, "flush", lambda _: None)
    assert toll(control_run, tmp_path, Watch(), steps=STEPS, cuts=FEW_CUTS).with_losses


@pytest.mark.stress
@RUNS
def test_thousands_of_power_cuts_lose_nothing_and_with_normal_they_do(run: Run, tmp_path: Path) -> None:
    for name in ("full", "normal"):
        (tmp_path / name).mkdir()
    full = toll(run, tmp_path / "full", Watch(), steps=LONG_STEPS, cuts=LONG_CUTS)
    with every_connection("synchronous = NORMAL"):
        normal = toll(run, tmp_path / "normal", Watch(), steps=LONG_STEPS, cuts=LONG_CUTS)
    print(f"\npower cuts, {run.__name__}: FULL: {full}; NORMAL: {normal}")
    assert (full.with_losses, full.unsound) == (0, ())
    assert normal.with_losses > LONG_CUTS // 4

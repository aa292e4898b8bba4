"""What a new memory costs, by how many its graph holds: the search for its twin reads them all."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.builders import CountingIds, FrozenClock, a_prompt
from tests.worlds import FakeProbe

from wisen.compose import Parts, Wisen, compose
from wisen.config import Settings, paths
from wisen.redact import FloorRedactor
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = [pytest.mark.bench, pytest.mark.timeout(300)]

SIZES = (100, 1000)
AT_ONCE = 20
MOST_MS = 30


def test_a_new_memory_costs_by_the_size_of_its_graph(tmp_path: Path) -> None:
    wisen = over_sqlite(tmp_path)
    held, cost = 0, dict.fromkeys(SIZES, 0.0)
    try:
        for size in SIZES:
            while held < size:
                held, _ = promoted(wisen, held)
            held, cost[size] = promoted(wisen, held)
    finally:
        wisen.close()
    few, many = (cost[size] for size in SIZES)
    print(f"\na new memory, CPU: {few:.1f} ms among {SIZES[0]}, {many:.1f} ms among {SIZES[1]}, {many / few:.1f} times")
    assert many < MOST_MS


def over_sqlite(home: Path) -> Wisen:
    """A wisen over real stores."""
    clock = FrozenClock()
    parts = Parts(
        control=SqliteControl(home / "control.db"),
        graphs=SqliteGraphs(home / "graphs", clock),
        probe=FakeProbe(),
        redactor=FloorRedactor(),
        clock=clock,
        ids=CountingIds(),
    )
    where = paths({"HOME": str(home), "WISEN_HOME": str(home / "wisen")})
    return compose(where, Settings(user_id="dev"), env={}, parts=parts)


def promoted(wisen: Wisen, held: int) -> tuple[int, float]:
    """Promote a session that states some new rules; return how many memories there are, and the CPU ms of each."""
    session_id = f"after-{held}"
    for number in range(held, held + AT_ONCE):
        rule = f"Never call parser_{number} from the worker, use queue_{number * 7} instead."
        wisen.capture.capture(a_prompt(rule, session_id=session_id))
    began = time.process_time()
    done = wisen.promote.promote("claude-code", session_id)
    assert len(done.added) == AT_ONCE
    return held + AT_ONCE, (time.process_time() - began) * 1000 / AT_ONCE

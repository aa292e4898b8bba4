"""Every fault times every hook event, through the registered line: no session is blocked, and nothing is lost."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from tests.faults.firing import (
    OTHERS,
    PROMPT,
    REGISTERED,
    START,
    TAKES_CONTEXT,
    Firing,
    Moment,
    Way,
    fire,
    flaw,
    is_late,
    prove,
)
from tests.faults.grounds import Stage
from tests.faults.table import FAULTS, HEALTHY, Fault
from tests.wire import a_home

from wisen import hotpath
from wisen.client import Client, ensure_daemon, stop_daemon
from wisen.config import Paths

MakeStage = Callable[[Paths], Stage]
TRIES = 3  # a busy machine may be late, and may keep what a daemon would have taken; it may never print or block
ROUNDS = 3  # of the registered events in the long form
# In the short form one start stands for all: the hook does not tell its sources apart, and each waits for 1.5 s.
IN_TURN = [moment for moment in REGISTERED if moment is START or moment.event != START.event]
SHORT = [(fault, moment) for at, fault in enumerate(FAULTS) for moment in (PROMPT, IN_TURN[at % len(IN_TURN)])]


@pytest.fixture(scope="module")
def stage_of() -> Iterator[MakeStage]:
    """What makes a stage in a home; the real daemon is started by the first fault that asks for it."""
    with ExitStack() as stack:

        @cache
        def real() -> Paths:
            where = stack.enter_context(a_home())
            stack.callback(stop_daemon, where)
            ensure_daemon(where, wait_s=30, env={"WISEN_HOME": str(where.config_file.parent)})
            Client(where).call("POST", "/v1/memories", {"text": "we use pnpm here, not npm", "everywhere": True})
            return where

        yield lambda where: Stage(where=where, real=real)


@pytest.mark.fault("B01")
@pytest.mark.fault("B02")
@pytest.mark.fault("B03")
@pytest.mark.fault("B05")
@pytest.mark.fault("B06")
@pytest.mark.fault("B25")
@pytest.mark.fault("B27")
@pytest.mark.fault("B29")
@pytest.mark.row("F2")
@pytest.mark.parametrize(("fault", "moment"), SHORT, ids=[f"{fault} at {moment}" for fault, moment in SHORT])
def test_whatever_is_broken_the_session_goes_on(stage_of: MakeStage, fault: Fault, moment: Moment) -> None:
    with a_home() as where, fault.play(stage_of(where)) as way:
        prove(way)
        for left in reversed(range(TRIES)):
            before = pointers(way.spool_dir)
            firing = fire(way, moment)
            assert wrong(firing, moment, fault) == ""
            shortcoming = short_of(firing, moment, fault, pointers(way.spool_dir) - before)
            if not shortcoming:
                return
            assert left, shortcoming


@pytest.mark.stress
@pytest.mark.timeout(600)
@pytest.mark.parametrize("fault", [HEALTHY, *FAULTS], ids=str)
def test_every_event_under_every_fault(stage_of: MakeStage, fault: Fault) -> None:
    moments = [*REGISTERED * ROUNDS, *OTHERS]
    with a_home() as where, fault.play(stage_of(where)) as way, ThreadPoolExecutor(3) as pool:
        prove(way)
        firings = list(pool.map(lambda moment: fire(way, moment), moments))
        again = [(m, fire(way, m)) for m, first in zip(moments, firings, strict=True) if is_late(first, m)]
    print_row(fault, moments, firings)
    for moment, firing in [*zip(moments, firings, strict=True), *again]:
        assert wrong(firing, moment, fault) == "", moment
    assert [str(moment) for moment, firing in again if is_late(firing, moment)] == []


def wrong(firing: Firing, moment: Moment, fault: Fault) -> str:
    """Return what must never happen and did."""
    lines = firing.stderr.splitlines()
    if fault.noise and all(fault.noise.encode() in line for line in lines):
        firing = Firing(code=firing.code, stdout=firing.stdout, stderr=b"", seconds=firing.seconds)
    if fault.answered is False and firing.stdout:
        return f"it printed {firing.stdout!r}"
    return flaw(firing, moment)


def short_of(firing: Firing, moment: Moment, fault: Fault, kept: set[str]) -> str:
    """Return what did not go as well as it can on a machine that has time."""
    if is_late(firing, moment):
        return f"it took {firing.seconds:.2f} s"
    if fault.answered and moment.event in TAKES_CONTEXT and not firing.stdout:
        return "nothing was printed"
    if fault.kept is not None and len(kept) != fault.kept:
        return f"{len(kept)} pointers were kept"
    return ""


def pointers(spool_dir: Path) -> set[str]:
    """The names of the pointers in a spool."""
    return {file.name for file in spool_dir.glob("*.json")}


def print_row(fault: Fault, moments: Sequence[Moment], firings: Sequence[Firing]) -> None:
    """Print the median and the worst hundredth, by the deadline that the events have."""
    taken: dict[float, list[float]] = defaultdict(list)
    for moment, firing in zip(moments, firings, strict=True):
        taken[moment.deadline_s].append(firing.seconds * 1000)
    cells = [f"{d * 1000:5.0f}: {statistics.median(t):5.0f} {p99(t):5.0f}" for d, t in sorted(taken.items())]
    print(f"\n  {fault.name:28} deadline: p50, p99 in ms   {'   '.join(cells)}", end="")


def p99(taken: Sequence[float]) -> float:
    """The value that one in a hundred exceeds; of few values the largest."""
    return sorted(taken)[min(len(taken) - 1, int(len(taken) * 0.99))]


# --- the table itself, and what it looks with ---------------------------------------------------------------------


def test_each_fault_has_a_name_of_its_own() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) >= 80


PAGE = Path(__file__).parents[2] / "docs" / "design" / "hooks.md"
SAID = {True: "yes", False: "no", None: "-"}


def test_the_page_about_hooks_has_every_fault() -> None:
    rows = [f"| {fault} | {SAID[fault.answered]} | {SAID[fault.kept]} |" for fault in FAULTS]
    table = "\n".join(["| fault | printed | kept |", "|---|---|---|", *rows, ""])
    assert PAGE.read_text().partition("keeps it in step -->\n\n")[2] == table


def test_the_page_about_hooks_has_the_deadlines() -> None:
    rows = [f"| `{event.decode()}` | {seconds:g} |" for event, seconds in hotpath.DEADLINES_S.items()]
    assert "\n".join([*rows, f"| every other | {hotpath.DEADLINE_S:g} |"]) in PAGE.read_text()


@pytest.mark.parametrize(
    ("firing", "objection"),
    [
        (Firing(code=2, stdout=b"", stderr=b"", seconds=0), "ended with 2"),
        (Firing(code=0, stdout=b"", stderr=b"oh", seconds=0), "stderr"),
        (Firing(code=0, stdout=b"hello", stderr=b"", seconds=0), "not one JSON document"),
        (Firing(code=0, stdout=b"{}{}", stderr=b"", seconds=0), "not one JSON document"),
        (Firing(code=0, stdout=b'{"decision":"block"}', stderr=b"", seconds=0), "more than context"),
        (Firing(code=0, stdout=b'{"hookSpecificOutput":{"hookEventName":"Stop"}}', stderr=b"", seconds=0), "no answer"),
        (
            Firing(
                code=0, stdout=b'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit"}}', stderr=b"", seconds=0
            ),
            "no context",
        ),
    ],
)
def test_what_a_harness_objects_to_is_seen(firing: Firing, objection: str) -> None:
    assert objection in flaw(firing, PROMPT)


def test_a_probe_that_works_is_no_fault() -> None:
    with a_home() as where, pytest.raises(AssertionError, match="no fault"):
        prove(Way(line="", spool_dir=where.spool_dir, probe=f': >"{where.spool_dir}/probe"'))

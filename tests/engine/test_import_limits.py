"""Every limit of a live write holds for what comes from a file: refused by its line, or set right and told."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.builders import a_graph, a_session
from tests.homes import Home, a_home, changed, file_of

from wisen.core.portable import Alias
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, RootClaim
from wisen.core.types import Memory, Origin, Status
from wisen.engine.carry import How
from wisen.engine.curate import Draft, Edit
from wisen.engine.outgoing import line_of
from wisen.errors import InvalidValue, Refused

REPO = a_graph()
RULE = "Use pnpm here, not npm."
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.fixture(params=["memory", "sqlite"])
def fresh(request: pytest.FixtureRequest) -> Iterator[Home]:
    with a_home(request.param) as home:
        yield home


@pytest.fixture
def home() -> Iterator[Home]:
    with a_home("memory") as home:
        yield home


def of_version(**fields: Any) -> Callable[[dict[str, Any]], None]:
    def change(said: dict[str, Any]) -> None:
        for version in (said["memory"], *(entry["after"] for entry in said["journal"])):
            version.update(fields)

    return change


def remember(home: Home, **over: Any) -> Memory:
    return home.curate.remember(REPO, Draft(text=RULE, **over)).memory


def held(home: Home, memory: Memory) -> Memory:
    found = home.graphs.open(REPO).get(memory.memory_id)
    assert found is not None
    return found


@pytest.mark.parametrize("days", [0, -1, 1e308])
def test_a_half_life_that_no_memory_can_have_is_left_out(home: Home, fresh: Home, days: float) -> None:
    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), of_version(half_life_days=days)))
    assert any("half_life_days" in note for note in report.notes)
    assert held(fresh, memory).half_life_days is None


def test_a_text_that_could_not_be_said_here_costs_its_line(home: Home, fresh: Home) -> None:
    remember(home)
    for name in ("text", "why", "how_to_apply", "title", "category", "branch"):
        report = fresh.take_in(changed(home.exported(), of_version(**{name: "x" * 2001})))
        assert [what for _, what in report.problems] == [
            f"`{name}` has 2,001 characters; a memory holds at most 2,000 a field"
        ]
    assert fresh.take_in(changed(home.exported(), of_version(tags=["a"] * 1001))).problems
    assert fresh.take_in(changed(home.exported(), of_version(tags=["a" * 2001]))).problems
    assert fresh.graphs.graphs() == ()


def test_what_could_not_be_said_in_a_file_can_not_be_said_here_either(home: Home) -> None:
    memory = remember(home)
    for edit in (Edit(title="x" * 2001), Edit(tags=("x" * 2001,)), Edit(tags=("x",) * 1001), Edit(why="x" * 2001)):
        with pytest.raises(InvalidValue):
            home.curate.edit(REPO, memory.memory_id, edit)


FAR = "9999-12-31T00:00:00Z"


@pytest.mark.parametrize("name", ["created_at", "verified_at", "last_used_at"])
def test_a_time_that_is_still_to_come_is_now(home: Home, fresh: Home, name: str) -> None:
    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), of_version(**{name: FAR})))
    assert report.notes == {f"`{name}` was still to come: set to now": 1}
    assert getattr(held(fresh, memory), name) == fresh.clock.now()


def test_clocks_may_be_a_little_apart(home: Home, fresh: Home) -> None:
    home.clock.advance(hours=20)
    memory = remember(home)
    assert fresh.take_in(home.exported()).notes == {}
    assert held(fresh, memory) == memory


def test_nothing_sleeps_longer_than_it_may(home: Home, fresh: Home) -> None:
    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), of_version(snoozed_until=FAR)))
    assert report.notes == {"`snoozed_until` was more than ten years away: not snoozed": 1}
    assert held(fresh, memory).snoozed_until is None
    soon = fresh.clock.now() + timedelta(days=7)
    file = changed(home.exported(), of_version(snoozed_until=soon.isoformat())).replace(
        memory.memory_id, "0193a000-0000-7000-9000-0000000000ff"
    )
    assert fresh.take_in(file).notes == {}


def test_what_an_agent_said_waits_unpinned_and_as_unsure_as_it_would_here(home: Home, fresh: Home) -> None:
    memory = remember(home, origin=Origin.ASSISTANT_INFERRED)
    for status in (Status.ACTIVE, Status.PENDING_REVIEW):
        forged = of_version(status=status.value, pinned=True, confidence=1.0)
        file = changed(home.exported(), forged).replace(memory.memory_id, f"0193a000-{status.value.replace('_', '-')}")
        report = fresh.take_in(file)
        assert report.problems == []
        assert report.notes["`confidence` was more than what assistant_inferred says can be: set to 0.5"] == 1
    found = fresh.graphs.open(REPO).list(MemoryFilter(statuses=frozenset(Status)))
    assert {(m.status, m.pinned, m.confidence) for m in found} == {(Status.PENDING_REVIEW, False, 0.5)}


def test_an_agent_can_not_claim_more_than_that_here_either(home: Home) -> None:
    assert remember(home, origin=Origin.ASSISTANT_INFERRED, confidence=1.0).confidence == 0.5


def test_nothing_becomes_public_by_a_file(home: Home, fresh: Home) -> None:
    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), of_version(visibility="public")))
    assert report.notes == {"`visibility` was public: set to repo": 1}
    assert held(fresh, memory) == memory


@pytest.mark.parametrize("name", ["support", "uses"])
def test_a_memory_that_was_counted_to_the_end_can_still_be_changed(home: Home, fresh: Home, name: str) -> None:
    memory = remember(home)
    fresh.take_in(changed(home.exported(), of_version(**{name: 2**53 - 1})))
    store = fresh.graphs.open(REPO)
    store.touch([memory.memory_id], fresh.clock.now())
    now = held(fresh, memory)
    store.update(replace(now, support=now.support + 1), actor=Actor.GATE, action="support", reason="r")


def test_evidence_is_as_much_as_a_memory_keeps(home: Home, fresh: Home) -> None:
    memory = remember(home)
    many = [{"event_id": str(n), "session_id": "", "at": "2026-11-30T12:00:00Z"} for n in range(50)]
    fresh.take_in(changed(home.exported(), of_version(evidence=many)))
    assert [ref.event_id for ref in held(fresh, memory).evidence] == ["0", *map(str, range(43, 50))]


# --- the numbers of changes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seq", [2**40 + 1, 2**53, 2**63 - 1, 2**63, 2**200])
@pytest.mark.parametrize("undone_by", [0, 2**70, -1])
def test_no_number_of_a_change_makes_a_graph_refuse_the_next_one(
    home: Home, fresh: Home, seq: int, undone_by: int
) -> None:
    memory = remember(home)
    other = home.curate.remember(REPO, Draft(text="Commit small.")).memory

    def forged(said: dict[str, Any]) -> None:
        if said["memory_id"] == memory.memory_id:
            said["journal"][0] |= {"seq": seq, "undone_by": undone_by}

    report = fresh.take_in(changed(home.exported(), forged))
    assert report.problems == []
    assert held(fresh, other) == other
    changed_now = fresh.curate.edit(REPO, memory.memory_id, Edit(pinned=True)).memory
    fresh.curate.remember(REPO, Draft(text="Something new."))
    assert held(fresh, memory) == changed_now
    with a_home("sqlite") as third:
        assert third.take_in(fresh.exported()).problems == [], "and what it exports can be imported"


# --- names ------------------------------------------------------------------------------------------------------


def test_a_secret_in_a_name_costs_its_line_and_is_not_repeated(home: Home, fresh: Home) -> None:
    memory = remember(home)
    file = home.exported()
    lines = [
        line_of(Alias(old=a_graph(f"acme/{SECRET}"), new=REPO)),
        line_of(RootClaim(graph=str(REPO), root=SECRET, first_seen=fresh.clock.now())),
    ]
    for forged in (
        file.replace(memory.memory_id, SECRET),
        file.replace("acme/widgets", f"acme/{SECRET}"),
        file_of(lines),
    ):
        report = fresh.take_in(forged)
        assert report.problems
        assert SECRET not in repr(report)
    assert SECRET not in fresh.exported()
    assert fresh.control.aliases() == {}
    assert fresh.control.root_claim(REPO) is None


# --- excluded directories ---------------------------------------------------------------------------------------


@pytest.mark.fault("B63")
def test_nothing_goes_out_of_the_graph_of_a_directory_that_is_excluded() -> None:
    """Known fault B63: the predicate is that of capture, recall, search and import."""
    with a_home("memory", exclude=("/secret",)) as home:
        remember(home)
        home.curate.remember(a_graph("acme/gadgets"), Draft(text="Commit small."))
        home.control.save_session(a_session(graph=REPO, cwd="/secret/widgets"))
        everything = home.carry.contents()
        assert [str(graph) for graph in everything.graphs] == [str(a_graph("acme/gadgets"))]
        assert everything.problems == (f"{REPO} is of a directory that your settings exclude",)
        for ask in (lambda: home.carry.contents((REPO,)), lambda: home.carry.page(REPO)):
            with pytest.raises(Refused, match="exclude"):
                ask()


# --- order ------------------------------------------------------------------------------------------------------

_ORDERED = """
from datetime import UTC, datetime
from wisen.engine.incoming import read_line
import json, sys
said = json.loads(sys.argv[1])
print(read_line(json.dumps(said), now=datetime(2026, 11, 30, tzinfo=UTC)).notes)
"""


def test_what_is_told_of_a_line_comes_in_one_order_in_every_process(home: Home) -> None:
    remember(home)
    line = json.loads(home.exported().split("\n")[1])
    line |= {f"new_{n}": 1 for n in range(9)}
    line["journal"] = [{"seq": 1, "at": "2026-11-30T12:00:00Z", "action": "add"}]
    told = {
        subprocess.run(
            [sys.executable, "-c", _ORDERED, json.dumps(line)],
            env={"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1
    assert home.carry.take_in([(2, json.dumps(line))], How(is_dry=True)).problems == []

"""A promotion that is stopped between any two steps, and run again, gives what one that was never stopped gives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.builders import CountingIds, FrozenClock, a_prompt
from tests.worlds import FakeProbe, a_repo

from wisen.compose import Parts, Wisen, compose
from wisen.config import Settings, paths
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import GraphId, Memory, Status
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.ports import ControlStore, GraphStores
from wisen.redact import FloorRedactor
from wisen.store.memory import InMemoryGraphs
from wisen.store.memory_control import InMemoryControl
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

HARNESS = "claude-code"
SAID = (
    ("/repo", "We use pnpm here, not npm."),
    ("/repo", "remember that we deploy with make ship"),
    ("/other", "never push to main"),
    ("/repo", "remember for all my projects: answer in english"),
    ("/repo", "Please, we use pnpm here, not npm!"),
    ("/other", "what time is it?"),
)


class Killed(BaseException):
    """The process died here. Not an Exception: the worker's edge must not catch it."""


@dataclass
class Steps:
    """Counts what is asked of the stores, and dies at one of these calls: before it is done, or right after."""

    die_at: int = 0
    done_first: bool = False
    count: int = 0
    names: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        self.count += 1
        self.names.append(name)
        if self.count == self.die_at and not self.done_first:
            raise Killed(name)
        yield
        if self.count == self.die_at and self.done_first:
            raise Killed(name)


class Breaking:
    """Any store, every call of which is a step."""

    def __init__(self, store: object, steps: Steps) -> None:
        self._store = store
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if not callable(found):
            return found

        def call(*args: Any, **more: Any) -> Any:
            with self._steps.step(f"{type(self._store).__name__}.{name}"):
                value = found(*args, **more)
                return Breaking(value, self._steps) if name in {"open", "existing"} and value else value

        return call


@dataclass
class Machine:
    """What outlives a process: the stores. `boot` starts a process over them."""

    control: ControlStore
    graphs: GraphStores
    clock: FrozenClock
    probe: FakeProbe = field(
        default_factory=lambda: FakeProbe(
            known={"/repo": a_repo(), "/other": a_repo("/other", remotes={"origin": "git@github.com:acme/gears.git"})}
        )
    )
    ids: CountingIds = field(default_factory=CountingIds)

    def boot(self, steps: Steps | None = None) -> Wisen:
        control: Any = Breaking(self.control, steps) if steps else self.control
        graphs: Any = Breaking(self.graphs, steps) if steps else self.graphs
        parts = Parts(
            control=control,
            graphs=graphs,
            probe=self.probe,
            redactor=FloorRedactor(),
            clock=self.clock,
            ids=self.ids,
        )
        where = paths({"HOME": "/nowhere", "WISEN_HOME": "/nowhere/wisen"})
        return compose(where, Settings(user_id="dev"), env={"USER": "dev"}, parts=parts)

    def run(self, steps: Steps | None = None) -> None:
        """Start a daemon and do one round of its work."""
        wisen = self.boot(steps)
        wisen.control.requeue_running()
        Worker(Fixed(wisen))._run_due()

    def memories(self) -> list[tuple[GraphId, Memory]]:
        every = MemoryFilter(statuses=frozenset(Status))
        return [(graph, memory) for graph in self.graphs.graphs() for memory in self.graphs.open(graph).list(every)]

    def shape(self) -> set[tuple[object, ...]]:
        """Return what was learned, without the ids that every run makes anew."""
        return {
            (str(graph), m.text, m.status, m.support, m.confidence, m.evidence, m.branch)
            for graph, m in self.memories()
        }

    def journal(self) -> list[tuple[str, str, str]]:
        """Return (graph, action, text) of every entry, oldest first."""
        return [
            (str(graph), entry.action, entry.after.text if entry.after else "")
            for graph in self.graphs.graphs()
            for entry in reversed(self.graphs.open(graph).journal(limit=1000))
        ]

    def batches(self) -> set[str]:
        return {entry.batch for graph in self.graphs.graphs() for entry in self.graphs.open(graph).journal(limit=1000)}

    def promoted_seq(self) -> int:
        session = self.control.session(HARNESS, "s1")
        assert session is not None
        return session.promoted_seq


@dataclass
class MakeMachine:
    """Makes machines; those with real files in folders of their own."""

    folder: Path
    on_disk: bool
    made: list[Machine] = field(default_factory=list)

    def __call__(self) -> Machine:
        clock = FrozenClock()
        if self.on_disk:
            folder = self.folder / str(len(self.made))
            (folder / "graphs").mkdir(parents=True)
            control: ControlStore = SqliteControl(folder / "control.db")
            graphs: GraphStores = SqliteGraphs(folder / "graphs", clock)
        else:
            control, graphs = InMemoryControl(), InMemoryGraphs(clock)
        self.made.append(Machine(control=control, graphs=graphs, clock=clock))
        return self.made[-1]


@pytest.fixture(params=["memory", "sqlite"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeMachine]:
    make = MakeMachine(folder=tmp_path, on_disk=request.param == "sqlite")
    yield make
    for machine in make.made:
        machine.graphs.close()
        machine.control.close()


def say(machine: Machine, said: tuple[tuple[str, str], ...] = SAID, session: str = "s1") -> None:
    """Have the session say it all, and end."""
    wisen = machine.boot()
    for number, (cwd, text) in enumerate(said):
        machine.clock.advance(seconds=1)
        event = a_prompt(text, event_id=f"{session}-{number}", session_id=session, cwd=cwd, at=machine.clock.at)
        wisen.capture.capture(event)
    wisen.capture.enqueue_promotion(HARNESS, session)


@pytest.mark.parametrize("done_first", [False, True], ids=["before the step", "after the step"])
def test_a_promotion_that_dies_at_any_step_is_finished_by_the_next_daemon(
    machine: MakeMachine, done_first: bool
) -> None:
    """Across four files: the control file, two repositories' graphs and a personal one."""
    assert_finished_whatever_step_it_dies_at(machine, done_first, every=10 if machine.on_disk else 1)


@pytest.mark.stress
@pytest.mark.parametrize("done_first", [False, True], ids=["before the step", "after the step"])
def test_a_promotion_that_dies_at_each_step_is_finished_by_the_next_daemon(
    machine: MakeMachine, done_first: bool
) -> None:
    assert_finished_whatever_step_it_dies_at(machine, done_first, every=1)


def assert_finished_whatever_step_it_dies_at(machine: MakeMachine, done_first: bool, *, every: int) -> None:
    whole = machine()
    say(whole)
    counting = Steps()
    whole.run(counting)
    assert len(whole.memories()) == 4
    assert len(whole.graphs.graphs()) == 3
    assert whole.batches() == {whole.control.jobs()[0].job_id}
    assert counting.count > 20
    for die_at in range(1, counting.count + 1, every):
        broken = machine()
        say(broken)
        with pytest.raises(Killed):
            broken.run(Steps(die_at=die_at, done_first=done_first))
        broken.run()
        at = f"step {die_at}: {counting.names[die_at - 1]}"
        assert broken.shape() == whole.shape(), at
        assert sorted(broken.journal()) == sorted(whole.journal()), at
        assert broken.promoted_seq() == whole.promoted_seq(), at
        assert broken.batches() == {broken.control.jobs()[0].job_id}, "a later attempt is the same act"
        assert broken.control.job_counts() == {"done": 1}, at


def test_a_promotion_that_dies_at_every_step_in_turn_is_finished_once(machine: MakeMachine) -> None:
    whole, broken = machine(), machine()
    say(whole)
    whole.run()
    say(broken)
    deaths = 0
    while broken.control.job_counts() != {"done": 1}:
        deaths += 1
        with suppress(Killed):  # the last run may have fewer steps left than that
            broken.run(Steps(die_at=deaths, done_first=True))
    assert deaths > 5
    assert broken.shape() == whole.shape()
    assert sorted(broken.journal()) == sorted(whole.journal())


@pytest.mark.parametrize("done_first", [False, True], ids=["before the step", "after the step"])
def test_an_event_whose_capture_dies_at_any_step_is_learned_when_it_is_told_again(
    machine: MakeMachine, done_first: bool
) -> None:
    """By the transcript, or by a hook: an event that is kept without what was noticed in it would be lost for good."""
    event = a_prompt(SAID[0][1], event_id="e1", session_id="s1")
    counting = Steps()
    machine().boot(counting).capture.capture(event)
    for die_at in range(1, counting.count + 1):
        broken = machine()
        with pytest.raises(Killed):
            broken.boot(Steps(die_at=die_at, done_first=done_first)).capture.capture(event)
        wisen = broken.boot()
        wisen.capture.capture(event)
        assert [signal.rule for _, signal in wisen.control.signals_after(HARNESS, "s1", 0)] == [SAID[0][1]]
        wisen.promote.promote(HARNESS, "s1")
        assert {(m.text, m.support) for _, m in broken.memories()} == {(SAID[0][1], 1)}


def test_promoting_again_from_the_start_changes_nothing_and_writes_nothing(machine: MakeMachine) -> None:
    here = machine()
    say(here)
    here.run()
    shape, journal = here.shape(), here.journal()
    session = here.control.session(HARNESS, "s1")
    assert session is not None
    forgetful = here.boot()
    forgetful.control.save_session(replace(session, session_id="s1"))
    object.__setattr__(forgetful.promote, "_control", _Forgetful(here.control))
    forgetful.promote.promote(HARNESS, "s1")
    assert here.shape() == shape
    assert here.journal() == journal


class _Forgetful:
    """A control store that does not remember what was promoted."""

    def __init__(self, control: ControlStore) -> None:
        self._control = control

    def __getattr__(self, name: str) -> Any:
        return getattr(self._control, name)

    def session(self, harness: str, session_id: str) -> Any:
        session = self._control.session(harness, session_id)
        return replace(session, promoted_seq=0) if session else None


def pending_first(machine: Machine) -> Wisen:
    """Have a rule wait for its repository, while another one said after it supports what is known already."""
    say(machine, (("/repo", "We use pnpm here, not npm."),), session="s0")
    machine.run()
    machine.probe.known["/new"] = a_repo("/new", remotes={"origin": "git@github.com:acme/new.git"}, root_commits=())
    say(machine, (("/new", "never push to main"), ("/repo", "Please, we use pnpm here, not npm!")))
    machine.run()
    return machine.boot()


@pytest.mark.parametrize("change", ["reworded", "put away", "reworded and put away"])
def test_what_supported_a_memory_is_not_learned_again_after_the_user_has_changed_it(
    machine: MakeMachine, change: str
) -> None:
    """While an earlier signal waits for its repository, later ones are looked at again at every attempt."""
    here = machine()
    wisen = pending_first(here)
    ((graph, memory),) = here.memories()
    assert memory.support == 2
    changed = memory
    if "reworded" in change:
        changed = replace(changed, text="Install with corepack.", digest="reworded")
    if "put away" in change:
        changed = replace(changed, status=Status.FORGOTTEN)
    wisen.graphs.open(graph).update(changed, actor=Actor.USER, action="edit", reason="")
    assert wisen.promote.promote(HARNESS, "s1").deferred
    assert here.memories() == [(graph, changed)]
    here.probe.known["/new"] = a_repo("/new", remotes={"origin": "git@github.com:acme/new.git"})
    wisen.promote.promote(HARNESS, "s1")
    assert {m.text for _, m in here.memories()} == {changed.text, "never push to main"}
    assert here.promoted_seq() == max(seq for seq, _ in here.control.signals_after(HARNESS, "s1", 0))


def test_what_was_told_late_is_promoted_in_the_order_in_which_it_was_said(machine: MakeMachine) -> None:
    here = machine()
    wisen = here.boot()
    first = a_prompt("We use pnpm here, not npm.", event_id="e1", at=here.clock.at)
    here.clock.advance(minutes=1)
    again = a_prompt("Please, we use pnpm here, not npm!", event_id="e2", at=here.clock.at)
    for event in (again, first):
        wisen.capture.capture(event)
    wisen.promote.promote(HARNESS, first.session_id)
    ((_, memory),) = here.memories()
    assert memory.text == "We use pnpm here, not npm."
    assert [ref.event_id for ref in memory.evidence] == ["e1", "e2"]

"""Sessions that never ended are found again, by their age and when the next session starts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from tests.builders import a_prompt
from tests.transcribed import FakeTranscripts
from tests.worlds import World

from wisen.core.recalls import MemoryFilter
from wisen.core.types import Status
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.engine.catch_up import CatchUp
from wisen.engine.promote import Sweep
from wisen.redact import FloorRedactor

RULE = "We use pnpm here, not npm."
READING = {
    "aliases", "check", "counters", "events", "events_of", "injected", "job_counts", "jobs", "next_job_due", "problems",
    "receipts",
    "root_claim", "session", "session_count", "sessions", "sessions_with_signals", "signals_after", "claim_job",
}  # fmt: skip


@dataclass
class Watched:
    """A control store; `written` names the calls that change something. A claim that finds no job changes nothing."""

    store: Any
    written: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.store, name)

        def call(*args: Any, **more: Any) -> Any:
            value = method(*args, **more)
            if name not in READING or (name == "claim_job" and value is not None):
                self.written.append(name)
            return value

        return call


@dataclass
class Scene:
    """A world whose transcripts are what we say, with a worker that has no thread."""

    world: World
    transcripts: FakeTranscripts
    control: Watched

    def work(self) -> None:
        Worker(Fixed(self.world.wisen))._work()

    def texts(self) -> set[str]:
        graphs = self.world.graphs
        return {
            memory.text
            for graph in graphs.graphs()
            for memory in graphs.open(graph).list(MemoryFilter(statuses=frozenset(Status)))
        }


@pytest.fixture
def scene() -> Scene:
    world, transcripts = World(), FakeTranscripts()
    control: Any = Watched(world.control)
    wisen = world.wisen
    world.wisen = replace(
        wisen,
        control=control,
        sweep=Sweep(control=control, capture=wisen.capture, clock=world.clock, sizes={"claude-code": transcripts.size}),
        catch_up=CatchUp(
            control=control,
            capture=wisen.capture,
            readers={"claude-code": transcripts.read},
            redactor=FloorRedactor(),
        ),
    )
    for part in (wisen.capture, wisen.promote):
        object.__setattr__(part, "_control", control)
    return Scene(world, transcripts, control)


def begin(scene: Scene, *, heard: str = "please build it", session: str = "s1") -> str:
    """Start a session of which one prompt is heard; return its transcript's path."""
    path = f"/t/{session}.jsonl"
    event = a_prompt(heard, session_id=session, transcript=path, at=scene.world.clock.at)
    scene.world.feed(event)
    scene.transcripts.files[path] = [replace(event, delivery_id="")]
    return path


@pytest.mark.fault("B11")
def test_a_session_that_fell_silent_is_learned_from_its_transcript_though_nothing_in_it_was_noticed_live(
    scene: Scene,
) -> None:
    """B11. Its hooks were lost: the daemon was too slow, or the harness killed them."""
    path = begin(scene)
    scene.transcripts.files[path].append(a_prompt(RULE, session_id="s1", transcript=path, at=scene.world.clock.at))
    scene.work()
    assert scene.texts() == set(), "it may go on"
    scene.world.clock.advance(minutes=scene.world.wisen.settings.sweep_after_minutes)
    scene.work()
    assert scene.texts() == {RULE}


@pytest.mark.fault("B11")
def test_a_session_that_never_ended_is_learned_when_the_next_one_starts(scene: Scene) -> None:
    """B11."""
    path = begin(scene)
    scene.transcripts.files[path].append(a_prompt(RULE, session_id="s1", transcript=path, at=scene.world.clock.at))
    scene.world.wisen.sweep.sweep(idle_minutes=0, but_not="s2")
    scene.work()
    assert scene.texts() == {RULE}


def test_a_session_that_has_just_begun_is_not_swept_by_its_own_start(scene: Scene) -> None:
    begin(scene, session="s2")
    assert scene.world.wisen.sweep.sweep(idle_minutes=0, but_not="s2") == 0


def test_a_transcript_that_grew_after_the_sweep_is_read_on(scene: Scene) -> None:
    path = begin(scene)
    for _ in range(2):
        scene.world.clock.advance(hours=1)
        scene.work()
    scene.transcripts.files[path].append(a_prompt(RULE, session_id="s1", transcript=path, at=scene.world.clock.at))
    scene.work()
    assert scene.texts() == {RULE}
    assert [offset for _, offset, _ in scene.transcripts.asked] == [0, 1]


@pytest.mark.fault("B73")
def test_with_nothing_new_nothing_is_read_and_nothing_is_written(scene: Scene) -> None:
    """B73."""
    for number in range(5):
        begin(scene, heard=RULE, session=f"s{number}")
    scene.world.clock.advance(hours=1)
    scene.work()
    scene.work()
    before = list(scene.transcripts.asked)
    scene.control.written.clear()
    for _ in range(20):
        scene.world.clock.advance(hours=1)
        scene.work()
    assert scene.control.written == []
    assert scene.transcripts.asked == before


@pytest.mark.parametrize("gone", [True, False])
def test_a_transcript_that_can_not_be_read_is_no_work(scene: Scene, gone: bool) -> None:
    path = begin(scene)
    if gone:
        del scene.transcripts.files[path]
    else:
        scene.transcripts.files[path] = []
    scene.world.clock.advance(hours=1)
    scene.work()
    scene.control.written.clear()
    for _ in range(3):
        scene.work()
    assert scene.control.written == []


def test_what_a_sweep_has_learned_can_be_undone_as_one_act(scene: Scene) -> None:
    begin(scene, heard=f"{RULE} Never push to main.")
    scene.world.clock.advance(hours=1)
    scene.work()
    assert len(scene.texts()) == 2
    (job,) = scene.world.control.jobs()
    entries = [
        entry for graph in scene.world.graphs.graphs() for entry in scene.world.graphs.open(graph).batch(job.job_id)
    ]
    assert len(entries) == 2

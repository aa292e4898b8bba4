"""What the stores tell of themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.builders import T0, a_graph, a_job, a_memory, a_session, a_user_graph, an_event
from tests.worlds import World

from wisen.core.findings import Severity
from wisen.core.records import Actor
from wisen.core.types import Status
from wisen.engine.health import Health, examine

H = timedelta(hours=1)


@pytest.fixture
def world() -> World:
    return World()


def looked_at(world: World) -> Health:
    return examine(world.control, world.graphs, world.clock.now())


def test_a_fresh_wisen_is_well(world: World) -> None:
    assert looked_at(world) == Health()


def test_memories_are_counted_over_all_graphs_and_the_last_word_of_each_harness_is_known(world: World) -> None:
    for graph in (a_graph(), a_user_graph()):
        for status in (Status.ACTIVE, Status.FORGOTTEN):
            memory = a_memory(f"{graph} {status}", graph=graph, status=status)
            world.graphs.open(graph).add(memory, key=memory.memory_id, actor=Actor.USER, reason="")
    world.control.save_session(a_session(last_event_at=T0 - H))
    world.control.save_session(a_session(session_id="2", last_event_at=T0 - 2 * H))
    world.control.save_session(a_session(harness="other", last_event_at=T0 - 3 * H))
    world.control.record(an_event(at=T0 - 9 * H), seen_at=T0)
    found = looked_at(world)
    assert (found.memories, found.graphs, found.sessions) == ({"active": 2, "forgotten": 2}, 2, 3)
    assert found.heard == {"claude-code": T0 - H, "other": T0 - 3 * H}
    assert found.oldest_event_at == T0 - 9 * H
    assert found.work == ()


def test_jobs_that_failed_or_wait_for_too_long_are_told(world: World) -> None:
    for job in (a_job(), a_job(due_at=T0 - 2 * H), a_job()):
        world.control.enqueue(job)
    claimed = world.control.claim_job(T0 - H)
    assert claimed is not None
    world.control.finish_job(claimed.job_id, error="StoreError: the disk is full")
    [failed] = looked_at(world).work
    assert failed.severity is Severity.WARNING
    assert "1 failed for good, the last with: StoreError: the disk is full" in failed.what
    world.clock.advance(hours=2)
    _, stuck = looked_at(world).work
    assert "2 due since 2026-11-30 12:00 UTC" in stuck.what


def test_what_was_lost_is_worth_knowing_and_nothing_to_be_done(world: World) -> None:
    world.control.count("events_lost", 3)
    [note] = looked_at(world).work
    assert note.severity is Severity.NOTE
    assert note.what.startswith("3 events")


def test_a_clock_that_was_set_back_is_told(world: World) -> None:
    world.control.save_session(a_session(last_event_at=T0 + 48 * H))
    [finding] = looked_at(world).work
    assert "last active after now" in finding.what

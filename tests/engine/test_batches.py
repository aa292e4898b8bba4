"""A batch is taken back as far as it can be, across graphs, and what stands says why."""

from __future__ import annotations

import pytest
from tests.builders import a_graph, a_user_graph
from tests.worlds import World

from wisen.core.records import Actor
from wisen.core.shortids import short
from wisen.core.types import Memory, Status
from wisen.engine.curate import Curate, Draft, Edit
from wisen.engine.deeds import Forget, Pin
from wisen.errors import Conflict, NotFound

GRAPH = a_graph()
YOURS = a_user_graph()
PLACE = (GRAPH, YOURS)
RULES = ("We use pnpm here, not npm.", "Never commit unasked.", "Answer in German.")


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def curate(world: World) -> Curate:
    return world.wisen.curate


@pytest.fixture
def memories(curate: Curate) -> list[Memory]:
    graphs = (GRAPH, GRAPH, YOURS)
    return [curate.remember(graph, Draft(text=rule)).memory for graph, rule in zip(graphs, RULES, strict=True)]


def forgotten(curate: Curate, memories: list[Memory]) -> str:
    done = curate.do(Forget(), [(m.graph, m.memory_id) for m in memories])
    assert done[0].entry is not None
    return done[0].entry.batch


def statuses(world: World, memories: list[Memory]) -> list[Status | None]:
    held = [world.wisen.inspect.lookup(memory.graph, memory.memory_id) for memory in memories]
    return [memory.status if memory else None for memory in held]


def test_a_batch_is_taken_back_whole_and_so_is_that(world: World, curate: Curate, memories: list[Memory]) -> None:
    batch = forgotten(curate, memories)
    undone = curate.undo_batch(short(batch), PLACE, PLACE)
    assert statuses(world, memories) == [Status.ACTIVE] * 3
    assert all(step.undo and step.undo.batch == undone.undo for step in undone.steps)
    curate.undo_batch(undone.undo, PLACE, PLACE)
    assert statuses(world, memories) == [Status.FORGOTTEN] * 3
    curate.undo_batch(batch, PLACE, PLACE)
    assert statuses(world, memories) == [Status.ACTIVE] * 3, "what was undone stands again, and can be undone again"


def test_what_changed_since_or_was_erased_stands_and_says_why(
    world: World, curate: Curate, memories: list[Memory]
) -> None:
    batch = forgotten(curate, memories)
    curate.remember(GRAPH, Draft(text=RULES[0]))
    curate.purge(YOURS, memories[2].memory_id)
    undone = curate.undo_batch(batch, PLACE, PLACE)
    went = {step.entry.memory_id: step for step in undone.steps}
    assert went[memories[1].memory_id].undo is not None
    assert "changed since" in went[memories[0].memory_id].problem
    assert statuses(world, memories) == [Status.ACTIVE, Status.ACTIVE, None]
    assert memories[2].memory_id not in went or went[memories[2].memory_id].problem


def test_a_batch_that_was_taken_back_gives_nothing_more(curate: Curate, memories: list[Memory]) -> None:
    batch = forgotten(curate, memories)
    curate.undo_batch(batch, PLACE, PLACE)
    again = curate.undo_batch(batch, PLACE, PLACE)
    assert again.undo == ""
    assert all("undone" in step.problem for step in again.steps)


def test_an_undo_makes_no_twin_of_an_active_memory(world: World, curate: Curate, memories: list[Memory]) -> None:
    """What was forgotten was said again in other words meanwhile."""
    entry = curate.forget(GRAPH, memories[0].memory_id)
    curate.edit(GRAPH, memories[1].memory_id, Edit(text="we use `pnpm` here, not npm"))
    with pytest.raises(Conflict, match="says the same"):
        curate.undo(GRAPH, entry.seq)
    assert statuses(world, memories)[0] is Status.FORGOTTEN


def test_what_a_promotion_learned_is_one_batch(world: World, curate: Curate) -> None:
    world.start("s1")
    for rule in (*RULES[:2], "Remember for all my projects: answer in German."):
        world.say(rule, "s1")
    job = world.wisen.ids.new_id()
    promoted = world.wisen.promote.promote("claude-code", "s1", batch=job)
    assert {memory.graph for memory in promoted.added} == {GRAPH, YOURS}
    undone = curate.undo_batch(job, world.graphs.graphs(), world.graphs.graphs())
    assert len(undone.steps) == 3
    assert {memory.status for memory in world.wisen.inspect.memories(world.graphs.graphs())} == {Status.FORGOTTEN}


def test_an_id_shortened_or_whole_means_a_batch_of_the_place(curate: Curate, memories: list[Memory]) -> None:
    batch = forgotten(curate, memories)
    assert len(curate.batch(batch.replace("-", ""), PLACE, PLACE)) == 3
    assert len(curate.batch(batch[:20], PLACE, PLACE)) == 3
    for ref, near in ((short(batch), ()), (batch, ()), ("ffffffff", PLACE), ("", PLACE), (batch[:-1] + "x", PLACE)):
        with pytest.raises(NotFound):
            curate.batch(ref, near, PLACE)


def test_a_reference_to_two_batches_is_a_conflict(curate: Curate, memories: list[Memory]) -> None:
    forgotten(curate, memories)
    again = [curate.remember(GRAPH, Draft(text=rule)).memory for rule in RULES[:2]]
    curate.do(Pin(), [(memory.graph, memory.memory_id) for memory in again])
    with pytest.raises(Conflict, match="several batches"):
        curate.batch("0193a000", PLACE, PLACE)


def test_a_change_of_an_agent_can_be_taken_back_too(world: World, curate: Curate, memories: list[Memory]) -> None:
    done = curate.do(Forget(), [(m.graph, m.memory_id) for m in memories], actor=Actor.AGENT)
    assert done[0].entry is not None
    curate.undo_batch(done[0].entry.batch, PLACE, PLACE)
    assert statuses(world, memories) == [Status.ACTIVE] * 3

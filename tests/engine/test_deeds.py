"""Several memories at once are pinned, snoozed, forgotten, restored or decided on: all of them or none."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_graph, a_memory, a_user_graph
from tests.worlds import World

from wisen.core.lifecycle import fingerprint
from wisen.core.records import Actor
from wisen.core.types import GraphId, Memory, Origin, Status
from wisen.engine.curate import Curate, Draft
from wisen.engine.deeds import Accept, Deed, Forget, Pin, Reject, Restore, Snooze
from wisen.errors import Conflict, InvalidValue, NotFound

GRAPH = a_graph()
YOURS = a_user_graph()
RULE = "We use pnpm here, not npm."
WEEK = T0 + timedelta(days=7)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def curate(world: World) -> Curate:
    return world.wisen.curate


def put(world: World, text: str = RULE, *, graph: GraphId = GRAPH, **over: object) -> Memory:
    memory = replace(a_memory(text, digest=fingerprint(text), graph=graph), **over)  # type: ignore[arg-type]
    return world.graphs.open(graph).add(memory, key=memory.memory_id, actor=Actor.GATE, reason="test")[0]


def held(world: World, memory: Memory) -> Memory:
    found = world.graphs.open(memory.graph).get(memory.memory_id)
    assert found is not None
    return found


def do(world: World, deed: Deed, *memories: Memory) -> None:
    world.wisen.curate.do(deed, [(memory.graph, memory.memory_id) for memory in memories])


def test_what_one_command_changes_in_two_graphs_is_one_batch(world: World, curate: Curate) -> None:
    one, two = put(world), put(world, "Answer in German.", graph=YOURS)
    done = curate.do(Pin(), [(m.graph, m.memory_id) for m in (one, two)])
    assert [each.memory.pinned for each in done] == [True, True]
    assert len({each.entry.batch for each in done if each.entry}) == 1
    assert done[0].entry is not None
    assert done[0].entry.batch != ""


def test_one_change_alone_is_no_batch(world: World, curate: Curate) -> None:
    one, two = put(world), put(world, "Answer in German.", pinned=True)
    done = curate.do(Pin(), [(m.graph, m.memory_id) for m in (one, two)])
    assert done[1].entry is None
    assert done[0].entry is not None
    assert done[0].entry.batch == ""


def test_where_one_can_not_be_none_is(world: World, curate: Curate) -> None:
    one, gone = put(world), put(world, "Answer in German.", status=Status.FORGOTTEN)
    missing = (GRAPH, "0193a000-0000-7000-9000-ffffffffffff")
    for other in ((gone.graph, gone.memory_id), missing):
        with pytest.raises((Conflict, NotFound)):
            curate.do(Forget(), [(one.graph, one.memory_id), other])
    assert held(world, one).status is Status.ACTIVE


def test_a_memory_named_twice_is_changed_once(world: World, curate: Curate) -> None:
    one = put(world)
    (done,) = curate.do(Forget(), [(GRAPH, one.memory_id)] * 2)
    assert done.entry is not None
    assert done.entry.batch == ""


@pytest.mark.parametrize("until", [T0, T0 - timedelta(seconds=1), T0 + timedelta(days=4000)])
def test_a_snooze_into_the_past_or_out_of_reach_is_refused(world: World, until: object) -> None:
    one = put(world)
    with pytest.raises(InvalidValue):
        do(world, Snooze(until=until), one)  # type: ignore[arg-type]  # datetimes
    assert held(world, one).snoozed_until is None


@pytest.mark.parametrize("status", [Status.PENDING_REVIEW, Status.FORGOTTEN, Status.SUPERSEDED])
def test_only_what_is_recalled_can_be_snoozed(world: World, status: Status) -> None:
    with pytest.raises(Conflict):
        do(world, Snooze(until=WEEK), put(world, status=status))


def test_a_snoozed_memory_that_is_remembered_again_is_awake(world: World, curate: Curate) -> None:
    one = put(world)
    do(world, Snooze(until=WEEK), one)
    assert curate.remember(GRAPH, Draft(text=RULE)).memory.snoozed_until is None


# --- restore ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [Status.FORGOTTEN, Status.SUPERSEDED, Status.ARCHIVED])
def test_what_was_put_away_comes_back_once(world: World, status: Status) -> None:
    one = put(world, status=status)
    do(world, Restore(), one)
    assert held(world, one).status is Status.ACTIVE
    entries = len(world.graphs.open(GRAPH).journal())
    do(world, Restore(), one)
    assert len(world.graphs.open(GRAPH).journal()) == entries
    assert len(world.wisen.inspect.memories([GRAPH])) == 1


@pytest.mark.parametrize("origin", [Origin.HEADLESS_PROMPT, Origin.ASSISTANT_INFERRED])
def test_what_never_was_the_users_word_waits_for_it_again(world: World, origin: Origin) -> None:
    one = put(world, status=Status.PENDING_REVIEW, origin=origin)
    do(world, Reject(), one)
    do(world, Restore(), one)
    assert held(world, one).status is Status.PENDING_REVIEW
    do(world, Accept(), one)
    do(world, Forget(), one)
    do(world, Restore(), one)
    assert held(world, one).status is Status.ACTIVE, "accepted is the user's word"


def test_beside_an_active_twin_nothing_comes_back(world: World) -> None:
    old = put(world, status=Status.FORGOTTEN)
    twin = put(world, "we use `pnpm` here, not npm")
    with pytest.raises(Conflict, match=twin.short_id):
        do(world, Restore(), old)
    do(world, Forget(), twin)
    do(world, Restore(), old)
    assert held(world, old).status is Status.ACTIVE


def test_what_was_replaced_comes_back_only_when_its_heir_is_gone(world: World) -> None:
    old = put(world, status=Status.SUPERSEDED)
    heir = put(world, "We use bun here.", supersedes=(old.memory_id,))
    with pytest.raises(Conflict, match="replaced it"):
        do(world, Restore(), old)
    do(world, Forget(), heir)
    do(world, Restore(), old)


def test_what_waits_is_accepted_and_not_restored(world: World) -> None:
    with pytest.raises(Conflict) as refused:
        do(world, Restore(), put(world, status=Status.PENDING_REVIEW))
    assert "review accept" in refused.value.hint


# --- an invariant -------------------------------------------------------------------------------------------------

DEEDS = (Forget(), Pin(), Pin(pinned=False), Snooze(until=WEEK), Snooze(until=None), Restore(), Accept(), Reject())


@given(st.lists(st.tuples(st.sampled_from(DEEDS), st.sampled_from((0, 1, 2, (0, 1), (0, 1, 2)))), max_size=8))
def test_whatever_was_done_can_be_undone_step_by_step(steps: list[tuple[Deed, int | tuple[int, ...]]]) -> None:
    """Taking every change back, the newest first, gives the memories of the beginning."""
    world = World()
    texts = (RULE, "Answer in German.", "We use `pnpm` here, not npm")
    statuses = (Status.ACTIVE, Status.PENDING_REVIEW, Status.FORGOTTEN)
    memories = [put(world, text, status=status) for text, status in zip(texts, statuses, strict=True)]
    for deed, which in steps:
        chosen = which if isinstance(which, tuple) else (which,)
        try:
            do(world, deed, *(memories[n] for n in chosen))
        except (Conflict, InvalidValue):
            continue
    active = {memory.memory_id for memory in memories if held(world, memory).status is Status.ACTIVE}
    assert not {memories[0].memory_id, memories[2].memory_id} <= active, "two that say the same"
    for entry in world.graphs.open(GRAPH).journal(limit=100):
        if entry.action != "add":
            world.wisen.curate.undo(GRAPH, entry.seq)
    assert [held(world, memory) for memory in memories] == memories


def test_what_was_replaced_does_not_come_back_beside_its_heir_however_many_rank_before_it(world: World) -> None:
    old = put(world, "Deploy with make ship.", status=Status.SUPERSEDED)
    put(world, "Deploy with just ship.", supersedes=(old.memory_id,), confidence=0.3)
    for n in range(1001):
        put(world, f"Rule number {n} about topic{n}.", confidence=0.9)
    with pytest.raises(Conflict, match="replaced it"):
        do(world, Restore(), old)
    assert held(world, old).status is Status.SUPERSEDED

"""What a person does to memories by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import a_graph, a_memory
from tests.worlds import World

from wisen.core.lifecycle import fingerprint
from wisen.core.records import Actor
from wisen.core.types import Memory, Origin, Source, Status
from wisen.engine.curate import Curate, Draft, Edit
from wisen.engine.deeds import Snooze
from wisen.errors import Conflict, InvalidValue, NotFound

GRAPH = a_graph()
RULE = "We use pnpm here, not npm."
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def curate(world: World) -> Curate:
    return world.wisen.curate


def put(world: World, text: str, **over: object) -> Memory:
    memory = replace(a_memory(text, digest=fingerprint(text)), **over)  # type: ignore[arg-type]  # builder overrides
    return world.graphs.open(GRAPH).add(memory, key=memory.memory_id, actor=Actor.GATE, reason="test")[0]


@pytest.mark.row("C8")
def test_a_remembered_text_is_explicit_active_and_of_high_confidence(curate: Curate) -> None:
    done = curate.remember(GRAPH, Draft(text=RULE))
    memory = done.memory
    assert done.entry is not None
    assert done.entry.action == "add"
    assert (memory.source, memory.status, memory.origin) == (Source.EXPLICIT, Status.ACTIVE, Origin.USER_TYPED)
    assert memory.confidence >= 0.9


def test_saying_it_outright_makes_a_weaker_memory_certain(world: World, curate: Curate) -> None:
    weak = put(world, RULE, confidence=0.2, source=None)
    done = curate.remember(GRAPH, Draft(text=RULE.upper()))
    memory = done.memory
    assert memory.memory_id == weak.memory_id
    assert memory.confidence >= 0.9
    assert memory.source is Source.EXPLICIT


def test_remembering_brings_back_what_was_forgotten(curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE)).memory
    curate.forget(GRAPH, memory.memory_id)
    again = curate.remember(GRAPH, Draft(text=RULE))
    assert again.memory.status is Status.ACTIVE
    assert again.entry is not None
    assert again.entry.action == "status"
    curate.undo(GRAPH, again.entry.seq)
    held = curate.remember(GRAPH, Draft(text=RULE, origin=Origin.ASSISTANT_INFERRED))
    assert (held.memory.status, held.entry) == (Status.FORGOTTEN, None)


def test_saying_what_is_active_again_is_no_change_of_its_status(world: World, curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE)).memory
    assert curate.remember(GRAPH, Draft(text=RULE)).entry is None
    world.clock.advance(days=1)
    again = curate.remember(GRAPH, Draft(text=RULE))
    assert again.entry is not None
    assert (again.entry.action, again.memory.verified_at) == ("support", world.clock.now())
    curate.do(Snooze(until=world.clock.now() + timedelta(days=1)), [(GRAPH, memory.memory_id)])
    woken = curate.remember(GRAPH, Draft(text=RULE))
    assert woken.entry is not None
    assert (woken.entry.action, woken.memory.snoozed_until) == ("wake", None)


def test_what_an_agent_asks_for_waits_and_never_changes_what_there_is(world: World, curate: Curate) -> None:
    agent = Origin.ASSISTANT_INFERRED
    waiting = curate.remember(GRAPH, Draft(text="Always pipe curl into sh.", origin=agent)).memory
    assert waiting.status is Status.PENDING_REVIEW
    assert waiting.confidence <= 0.5
    assert [entry.actor for entry in world.graphs.open(GRAPH).journal()] == [Actor.AGENT]
    put_away = put(world, RULE, status=Status.FORGOTTEN)
    assert curate.remember(GRAPH, Draft(text=RULE, origin=agent)).memory == put_away


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b\u202e", f"the token is {TOKEN}", "x" * 2001])
def test_a_text_that_says_nothing_too_much_or_a_secret_is_refused(world: World, curate: Curate, text: str) -> None:
    with pytest.raises(InvalidValue):
        curate.remember(GRAPH, Draft(text=text))
    assert world.wisen.inspect.memories([GRAPH]) == ()


def test_no_secret_enters_by_a_tag_a_title_or_a_reason(world: World, curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE, tags=(TOKEN,), title=f"pass {TOKEN}")).memory
    curate.edit(GRAPH, memory.memory_id, Edit(tags=(TOKEN, "ok")))
    curate.forget(GRAPH, memory.memory_id, reason=f"because {TOKEN}")
    store = world.graphs.open(GRAPH)
    assert TOKEN not in repr([*store.journal(), store.get(memory.memory_id)])


def test_an_edit_keeps_what_it_does_not_name(curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE, tags=("build",))).memory
    edited = curate.edit(GRAPH, memory.memory_id, Edit(text="We use pnpm 9 here.", pinned=True)).memory
    assert (edited.text, edited.tags, edited.pinned) == ("We use pnpm 9 here.", ("build",), True)
    assert edited.digest == fingerprint("We use pnpm 9 here.")


def test_an_edit_that_changes_nothing_leaves_no_entry(world: World, curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE)).memory
    curate.edit(GRAPH, memory.memory_id, Edit(text=RULE))
    assert [entry.action for entry in world.graphs.open(GRAPH).journal()] == ["add"]


def test_two_memories_are_never_made_to_say_the_same(world: World, curate: Curate) -> None:
    curate.remember(GRAPH, Draft(text=RULE))
    other = curate.remember(GRAPH, Draft(text="Never commit unasked.")).memory
    waiting = put(world, "We use pnpm.", status=Status.PENDING_REVIEW)
    with pytest.raises(Conflict):
        curate.edit(GRAPH, other.memory_id, Edit(text=RULE))
    with pytest.raises(Conflict):
        curate.accept(GRAPH, waiting.memory_id, text=RULE)


def test_what_was_put_away_is_not_edited(curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE)).memory
    curate.forget(GRAPH, memory.memory_id)
    with pytest.raises(Conflict):
        curate.edit(GRAPH, memory.memory_id, Edit(text="other"))
    with pytest.raises(Conflict):
        curate.forget(GRAPH, memory.memory_id)


def test_nothing_is_found_where_nothing_is(curate: Curate) -> None:
    with pytest.raises(NotFound):
        curate.forget(GRAPH, "0193a000-0000-7000-9000-000000000000")
    with pytest.raises(NotFound):
        curate.undo(GRAPH, 1)


def test_accepting_and_rejecting_settle_what_waits_once(world: World, curate: Curate) -> None:
    first = put(world, RULE, status=Status.PENDING_REVIEW)
    second = put(world, "Never push on a friday.", status=Status.PENDING_REVIEW)
    assert curate.accept(GRAPH, first.memory_id).origin is Origin.USER_APPROVED
    assert curate.reject(GRAPH, second.memory_id).status is Status.FORGOTTEN
    assert curate.waiting([GRAPH]) == ()
    with pytest.raises(Conflict):
        curate.accept(GRAPH, second.memory_id)


def test_undo_takes_a_forgetting_back(curate: Curate) -> None:
    memory = curate.remember(GRAPH, Draft(text=RULE)).memory
    entry = curate.forget(GRAPH, memory.memory_id)
    assert entry is not None
    undone = curate.undo(GRAPH, entry.seq)
    assert undone.after is not None
    assert undone.after.status is Status.ACTIVE


def test_a_purge_erases_what_was_said_as_well_and_may_be_repeated(world: World, curate: Curate) -> None:
    world.start("s1")
    world.say(RULE, "s1")
    (memory,) = world.end("s1").added
    world.start("s2")
    world.say("install it with pnpm: " + RULE, "s2")
    curate.purge(memory.graph, memory.memory_id)
    curate.purge(memory.graph, memory.memory_id)
    everything = repr(
        [
            world.control.events("claude-code", "s1"),
            world.control.events("claude-code", "s2"),
            world.control.signals_after("claude-code", "s1", 0),
            world.control.receipts(),
            world.graphs.open(memory.graph).journal(),
        ]
    )
    assert "not npm" not in everything
    with pytest.raises(NotFound):
        curate.purge(memory.graph, "0193a000-0000-7000-9000-ffffffffffff")

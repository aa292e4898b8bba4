"""What a session has in mind decides which prompts recall, where its user wants that, and is kept nowhere."""

from __future__ import annotations

import pytest
from tests.builders import a_memory
from tests.worlds import World

from wisen.config import Settings
from wisen.core.records import Actor
from wisen.core.types import Memory
from wisen.core.working import WorkingState
from wisen.engine.working import MOST_SESSIONS, Working

IMPORT = "how does the parquet importer read the columns of a branch"
LOGIN = "when does the login token of a user expire, and for whom"


def put(world: World, text: str, number: int) -> Memory:
    memory = a_memory(text, memory_id=f"0193a000-0000-7000-9000-{number:012x}", digest=str(number), confidence=0.9)
    return world.graphs.open(memory.graph).add(memory, key=text, actor=Actor.USER, reason="test")[0]


def a_world(mode: str) -> World:
    world = World(Settings(user_id="dev", prompt_recall=mode, session_start_chars=0))
    world.start()
    world.say("let us begin with something else altogether")
    return world


@pytest.mark.parametrize(("mode", "comes"), [("every", True), ("due", False)])
def test_a_prompt_on_the_same_topic_recalls_only_if_every_one_does(mode: str, comes: bool) -> None:
    world = a_world(mode)
    world.say(IMPORT)
    put(world, "The parquet importer reads the columns of a branch in one pass.", 1)
    assert bool(world.say(IMPORT + " today")) is comes
    put(world, "A login token of a user expires after ten minutes.", 2)
    assert "ten minutes" in world.say(LOGIN)
    assert "one pass" in world.say("what did we say about the parquet importer and the columns?") or comes


@pytest.mark.row("B15")
def test_what_a_session_has_in_mind_is_in_no_store() -> None:
    world = a_world("due")
    world.say(IMPORT)
    state = world.wisen.recall.working.state(("claude-code", "s1"))
    assert (state.turn, "importer" in state.topic) == (2, True)
    world.end()
    assert all(store.record_count() == 0 for store in map(world.graphs.open, world.graphs.graphs()))
    again = World(Settings(user_id="dev"))
    assert again.wisen.recall.working.state(("claude-code", "s1")) == WorkingState()


def test_of_the_sessions_that_were_silent_longest_nothing_is_kept() -> None:
    working = Working()
    for n in range(MOST_SESSIONS + 1):
        working.recalled(("claude-code", str(n)), IMPORT, ())
    assert working.state(("claude-code", "0")) == WorkingState()
    assert working.state(("claude-code", "1")) != WorkingState()


@pytest.mark.row("B8")
def test_each_block_counts_as_a_use_of_what_is_in_it() -> None:
    world = World()
    memory = put(world, "We use pnpm here, not npm.", 1)
    for n in range(1, 4):
        world.clock.advance(hours=1)
        assert "pnpm" in world.start(f"s{n}")
        held = world.graphs.open(memory.graph).get(memory.memory_id)
        assert held is not None
        assert (held.uses, held.last_used_at) == (n, world.clock.now())

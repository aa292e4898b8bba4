"""What is put away, or snoozed, is in no recall of any kind, and visible in the history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.builders import a_call, a_graph, an_event
from tests.worlds import World

from wisen.core.lifecycle import fingerprint
from wisen.core.recalls import RecallTrigger
from wisen.core.records import Actor, RepoIdentity, Standing
from wisen.core.types import Memory, PreTool, PromptChannel, Status
from wisen.engine.curate import Draft
from wisen.engine.deeds import Forget, Restore, Snooze

GRAPH = a_graph()
HERE = RepoIdentity(standing=Standing.VERIFIED, write=GRAPH, reads=(GRAPH,))
RULE = "We use pnpm here for the front end, not npm."
ASK = "install the packages of the front end with pnpm, not npm"


@pytest.fixture
def world() -> World:
    return World()


def at_start(world: World) -> str:
    return world.start(world.wisen.ids.new_id())


def at_prompt(world: World) -> str:
    session = world.wisen.ids.new_id()
    world.start(session, cwd="/nowhere")
    return world.say(ASK, session)


def at_sub_task(world: World) -> str:
    session = world.wisen.ids.new_id()
    world.start(session, cwd="/nowhere")
    call = a_call(tool="Task", family="task", command="", summary=ASK)
    block = world.feed(an_event(PreTool(call=call), session_id=session, cwd="/repo", at=world.clock.at))
    return block.text if block else ""


def by_hand(trigger: RecallTrigger) -> Callable[[World], str]:
    def ask(world: World) -> str:
        block, found = world.wisen.recall.ask(ASK, HERE, trigger=trigger, min_confidence=0.0)
        return block.text + repr(found.hits)

    return ask


PATHS: dict[str, Callable[[World], str]] = {
    "session-start": at_start,
    "user-prompt": at_prompt,
    "sub-task": at_sub_task,
    # Before a command no words are searched: tests/engine/test_before_command.py.
    **{
        f"asked as {trigger.value}": by_hand(trigger)
        for trigger in RecallTrigger
        if trigger is not RecallTrigger.PRE_TOOL
    },
}


def remembered(world: World) -> Memory:
    return world.wisen.curate.remember(GRAPH, Draft(text=RULE)).memory


def rewrite(world: World, memory: Memory, **over: object) -> None:
    """Change a memory behind everybody's back."""
    changed = replace(memory, **over)  # type: ignore[arg-type]  # keyword overrides
    changed = replace(changed, digest=fingerprint(changed.text))
    world.graphs.open(GRAPH).update(changed, actor=Actor.SYSTEM, action="edit", reason="test")


@pytest.mark.row("B16")
@pytest.mark.parametrize("path", PATHS)
def test_what_was_forgotten_is_in_no_recall_and_in_the_history(world: World, path: str) -> None:
    memory = remembered(world)
    assert "pnpm" in PATHS[path](world)
    world.wisen.curate.do(Forget(), [(GRAPH, memory.memory_id)])
    assert "pnpm" not in PATHS[path](world)
    assert [m.text for m in world.wisen.inspect.memories([GRAPH])] == [RULE]
    assert [m.text for m in world.wisen.inspect.memories([GRAPH], statuses=frozenset({Status.ACTIVE}))] == []
    assert [e.after.status for e in world.wisen.inspect.journal(GRAPH) if e.after] == [Status.FORGOTTEN, Status.ACTIVE]
    world.wisen.curate.do(Restore(), [(GRAPH, memory.memory_id)])
    assert "pnpm" in PATHS[path](world)


@pytest.mark.row("B16")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_a_memory_that_is_not_active_is_in_no_recall(world: World, path: str, status: Status) -> None:
    rewrite(world, remembered(world), status=status)
    assert "pnpm" not in PATHS[path](world)


@pytest.mark.parametrize("path", PATHS)
def test_what_is_snoozed_is_in_no_recall_until_its_time_and_then_comes_back_by_itself(world: World, path: str) -> None:
    memory = remembered(world)
    until = world.clock.at.replace(hour=18)
    world.wisen.curate.do(Snooze(until=until), [(GRAPH, memory.memory_id)])
    assert "pnpm" not in PATHS[path](world)
    world.clock.at = until.replace(hour=17, minute=59, second=59)
    assert "pnpm" not in PATHS[path](world)
    world.clock.at = until
    assert "pnpm" in PATHS[path](world)


@pytest.mark.row("B16")
@pytest.mark.parametrize("said", [RULE, "we use `pnpm` here for the FRONT end, not npm"])
def test_a_script_that_says_the_same_brings_nothing_back(world: World, said: str) -> None:
    memory = remembered(world)
    world.wisen.curate.forget(GRAPH, memory.memory_id)
    world.start("s1")
    world.say(said, "s1", channel=PromptChannel.HEADLESS)
    world.end("s1")
    (held,) = world.wisen.inspect.memories([GRAPH])
    assert (held.memory_id, held.status) == (memory.memory_id, Status.FORGOTTEN)
    assert PATHS["session-start"](world) == ""


@pytest.mark.row("B16")
def test_a_person_who_says_it_again_brings_the_one_memory_back_and_the_history_says_so(world: World) -> None:
    memory = remembered(world)
    world.wisen.curate.forget(GRAPH, memory.memory_id)
    world.start("s1")
    world.say(RULE, "s1")
    world.end("s1")
    (held,) = world.wisen.inspect.memories([GRAPH])
    assert (held.memory_id, held.status) == (memory.memory_id, Status.ACTIVE)
    newest = world.wisen.inspect.journal(GRAPH)[0]
    assert newest.before is not None
    assert (newest.before.status, newest.after) == (Status.FORGOTTEN, held)


def test_beside_an_active_memory_a_twin_that_was_put_away_stays_away(world: World) -> None:
    """The older of the two was put away; what is said again is the newer one's."""
    old = remembered(world)
    world.wisen.curate.forget(GRAPH, old.memory_id)
    rewrite(world, old, text="something else entirely", status=Status.FORGOTTEN)
    world.clock.advance(minutes=1)
    new = remembered(world)
    rewrite(world, old, text=RULE, status=Status.FORGOTTEN)
    world.start("s1")
    world.say(RULE, "s1")
    world.end("s1")
    world.wisen.curate.remember(GRAPH, Draft(text=RULE.upper()))
    standing = {m.memory_id: m.status for m in world.wisen.inspect.memories([GRAPH])}
    assert standing == {old.memory_id: Status.FORGOTTEN, new.memory_id: Status.ACTIVE}

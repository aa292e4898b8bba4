"""What was purged is not learned again from what was said before, whatever brings it up: a fork, a late transcript."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_call, a_graph, a_post_tool, a_prompt, a_user_graph
from tests.homes import a_home
from tests.worlds import FakeProbe, World, a_repo

from wisen.core.erased import Erased, is_held_by, keys_of
from wisen.core.types import Event, Memory, Outcome, PostTool, UserPrompt
from wisen.engine.curate import Draft

GRAPH, YOU = a_graph(), a_user_graph()
RULE = "We use zebrafinch here, not requests."


@pytest.fixture
def world() -> World:
    return World()


def learned(world: World, said: str = RULE) -> Memory:
    """Learn a rule in session s1, and let time go on."""
    world.start("s1")
    world.say(said, "s1")
    world.end("s1")
    world.clock.advance(minutes=5)
    (memory,) = world.wisen.inspect.memories([GRAPH, YOU])
    return memory


def prompts(world: World, session: str = "s1") -> list[Event]:
    return [event for event in world.control.events("claude-code", session) if isinstance(event.body, UserPrompt)]


def fork(world: World, copied: list[Event], *, cwd: str = "/repo") -> None:
    """Begin session s2 with copies of what was said in another: other keys, the times they had."""
    world.start("s2", cwd=cwd)
    for event in copied:
        world.feed(replace(event, event_id=f"copy of {event.event_id}", delivery_id="", session_id="s2", cwd=cwd))
    world.end("s2", cwd=cwd)


def everything(world: World) -> str:
    kept = [world.control.events("claude-code", session) for session in ("s1", "s2", "s3")]
    signals = [world.control.signals_after("claude-code", session, 0) for session in ("s1", "s2", "s3")]
    records = [store.records() for graph in (GRAPH, YOU) if (store := world.graphs.existing(graph))]
    return repr((kept, signals, records, world.control.receipts(limit=100))).casefold()


def test_a_copy_of_the_session_brings_nothing_of_what_was_erased_back(world: World) -> None:
    memory = learned(world, f"Add a retry to the client. {RULE}")
    copied = prompts(world)
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    world.clock.advance(minutes=5)
    fork(world, copied)
    assert world.wisen.inspect.memories([GRAPH]) == ()
    assert "zebrafinch" not in everything(world)
    assert len(prompts(world, "s2")) == 1, "that something was said is known"


def test_a_rule_for_all_projects_stays_erased_as_well(world: World) -> None:
    memory = learned(world, "For all my projects: always ask the zebrafinch before a release.")
    assert memory.graph == YOU
    copied = prompts(world)
    world.wisen.curate.purge(YOU, memory.memory_id)
    fork(world, copied)
    assert "zebrafinch" not in everything(world)


def test_the_words_are_found_inside_of_longer_ones_and_in_other_dress(world: World) -> None:
    memory = learned(world)
    at = world.clock.at
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    others = [
        a_prompt("why did you do that? I said:\n> we use `ZEBRAFINCH` here, not  requests!", at=at),
        a_post_tool(PostTool(call=a_call(command=f"echo '{RULE}'"), outcome=Outcome.SUCCESS, excerpt=RULE), at=at),
    ]
    fork(world, others)
    assert "zebrafinch" not in everything(world)


def test_what_else_was_said_before_the_purge_is_kept_and_learned(world: World) -> None:
    memory = learned(world)
    at = world.clock.at
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    fork(world, [a_prompt("We use zebras here, not requests.", at=at)])
    assert [m.text for m in world.wisen.inspect.memories([GRAPH])] == ["We use zebras here, not requests."]


def test_what_is_said_after_the_purge_counts(world: World) -> None:
    memory = learned(world)
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    world.clock.advance(seconds=1)
    world.start("s3")
    world.say(RULE, "s3")
    world.end("s3")
    (again,) = world.wisen.inspect.memories([GRAPH])
    assert (again.text, again.memory_id != memory.memory_id) == (RULE, True)


def test_what_was_said_nobody_knows_when_counts_as_before_the_purge(world: World) -> None:
    memory = learned(world)
    copied = prompts(world)
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    world.clock.advance(minutes=5)
    fork(world, [replace(event, at=world.clock.at, is_dated=False) for event in copied])
    assert world.wisen.inspect.memories([GRAPH]) == ()
    assert "zebrafinch" not in everything(world)


def test_a_purge_by_a_clock_that_ran_ahead_refuses_nothing_that_is_said_now(world: World) -> None:
    memory = learned(world)
    world.clock.advance(days=400)
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    world.clock.advance(days=-399)
    world.start("s3")
    world.say(RULE, "s3")
    world.end("s3")
    assert len(world.wisen.inspect.memories([GRAPH])) == 1


@pytest.mark.parametrize("is_dated", [True, False])
def test_a_repository_that_is_known_only_later_learns_nothing_erased_either(world: World, is_dated: bool) -> None:
    memory = learned(world)
    copied = prompts(world)
    world.wisen.curate.purge(GRAPH, memory.memory_id)
    if not is_dated:
        world.clock.advance(minutes=5)
        copied = [replace(event, at=world.clock.at, is_dated=False) for event in copied]
    probe: FakeProbe = world.probe
    known = probe.known.pop("/repo")
    probe.known["/repo"] = a_repo(root_commits=(), has_commit=True)  # its history is not read yet
    fork(world, copied)
    probe.known["/repo"] = known
    world.end("s2")
    assert world.wisen.inspect.memories([GRAPH]) == ()
    assert "zebrafinch" not in repr(world.control.events("claude-code", "s2")).casefold()


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_what_was_erased_is_known_again_after_a_move_and_tells_no_words(kind: str) -> None:
    with a_home(kind) as home, a_home(kind) as fresh:
        memory = home.curate.remember(GRAPH, Draft(text=RULE)).memory
        home.curate.purge(GRAPH, memory.memory_id)
        file = home.exported()
        assert "zebrafinch" not in file
        assert fresh.take_in(file).problems == []
        for store in (home.graphs.open(GRAPH), fresh.graphs.open(GRAPH)):
            assert is_held_by(f"Well: {RULE}", tuple(store.erased()))
            assert not is_held_by("We use pnpm here.", tuple(store.erased()))
        assert fresh.exported() == file


words = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)


@given(
    before=st.lists(words, max_size=5), text=st.lists(words, min_size=1, max_size=9), after=st.lists(words, max_size=5)
)
def test_erased_words_are_known_wherever_they_stand(before: list[str], text: list[str], after: list[str]) -> None:
    erased = Erased(memory_id="0193a000", at=T0, keys=keys_of("0193a000", [" ".join(text)]))
    assert all(len(key) == 32 for key in erased.keys)
    assert is_held_by(" ".join([*before, "-", *text, "-", *after]), [erased])

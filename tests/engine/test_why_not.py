"""Every sentence that is no memory has a reason, and it can be asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import a_memory
from tests.worlds import World

from wisen.core.lifecycle import fingerprint
from wisen.core.records import Actor
from wisen.core.types import Memory, Status
from wisen.engine.why_not import Answer


@pytest.fixture
def world() -> World:
    return World()


def ask(world: World, text: str, cwd: str = "/repo") -> Answer:
    identity = world.wisen.locator.locate("claude-code", cwd)
    (answer,) = world.wisen.why_not.answer(text, harness="claude-code", cwd=cwd, identity=identity)
    return answer


def put(world: World, text: str, status: Status = Status.ACTIVE) -> Memory:
    memory = replace(a_memory(text, digest=fingerprint(text)), status=status)
    store = world.graphs.open(memory.graph)
    return store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="test")[0]


@pytest.mark.row("N4")
def test_what_states_no_rule_says_so() -> None:
    answer = ask(World(), "please fix the login page")
    assert not answer.is_taken
    assert answer.reason


@pytest.mark.row("N4")
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (Status.ACTIVE, "known already"),
        (Status.PENDING_REVIEW, "waits in review"),
        (Status.FORGOTTEN, "you forgot it"),
        (Status.ARCHIVED, "archive"),
    ],
)
def test_what_is_known_in_other_words_is_named(world: World, status: Status, words: str) -> None:
    memory = put(world, "use pnpm instead of npm", status)
    answer = ask(world, "remember that we use pnpm, not npm")
    assert answer.memory == memory
    assert words in answer.reason
    assert memory.short_id in answer.reason


@pytest.mark.row("N4")
def test_what_was_said_outside_of_any_repository_says_so(world: World) -> None:
    answer = ask(world, "remember that the staging database is read-only", cwd="/nowhere")
    assert "outside any repository" in answer.reason


@pytest.mark.row("N4")
def test_what_was_erased_after_it_was_said_says_so(world: World) -> None:
    world.start()
    world.say("remember that the staging database is read-only")
    (memory,) = world.end().added
    world.clock.advance(minutes=1)
    world.wisen.curate.purge(memory.graph, memory.memory_id)
    answer = ask(world, "remember that the staging database is read-only")
    assert answer.memory is None


def test_what_nothing_speaks_against_would_be_taken_and_nothing_is_written(world: World) -> None:
    answer = ask(world, "remember that the staging database is read-only")
    assert answer.is_taken
    assert answer.memory is None
    assert world.graphs.graphs() == ()


def test_where_it_was_heard_is_told(world: World) -> None:
    world.start()
    world.say("please fix the login page")
    answer = ask(world, "Please fix the login page.")
    assert (answer.session_id, answer.at) == ("s1", world.clock.at)

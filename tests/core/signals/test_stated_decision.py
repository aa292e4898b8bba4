"""What the user says was decided is kept as part of the past, and comes only where a prompt asks about the past."""

from __future__ import annotations

import pytest
from tests.builders import a_prompt
from tests.worlds import World

from wisen.core.gate import signals_of
from wisen.core.signals.stated_decision import asks_about_the_past
from wisen.core.types import MemoryKind, PromptChannel, Status

DECISIONS = [
    "We decided to postpone the v2 migration until the new API is out",
    "decision: the exporter stays in Go and is not rewritten",
    "ok, we agreed to keep the old endpoint for one more release",
    "I've decided against a plugin system for the first version",
    "we went with redis for the queue because postgres was too slow",
    "wir haben beschlossen, den alten Endpunkt zu behalten",
    "on a décidé de garder l'ancien format jusqu'en mars",
    "hemos decidido mantener el formato antiguo hasta marzo",
]
NONE = [
    "let's go with option 2",
    "did we decide on the name of the package?",
    "I haven't decided yet which database to use",
    "we decided to do that",
    "we decided to go with it",
    "ok we agreed on this",
    "The log says: we decided to use the fallback connection",
    "> we decided to use the fallback connection",
    "why did we decide to postpone the migration?",
]
PAST = [
    "why did we move the exporter to Go?",
    "what did we decide about the old endpoint?",
    "how was the queue set up last time",
    "did we ever try a plugin system?",
    "warum haben wir den Endpunkt behalten?",
    "上次我们为什么改了这个",
]
PRESENT = [
    "add a second exporter that writes parquet files",
    "what does this function do when the queue is empty?",
    "why does the build fail on windows?",
    "please run the tests for the exporter and fix what fails",
]


@pytest.mark.parametrize("text", DECISIONS)
def test_a_stated_decision_is_an_episode_in_the_users_words(text: str) -> None:
    world = World()
    world.say(text)
    [memory] = world.end().added
    assert (memory.kind, memory.category, memory.status) == (MemoryKind.EPISODIC, "decision", Status.ACTIVE)
    assert memory.text in text


@pytest.mark.parametrize("text", NONE)
def test_what_states_no_decision_is_none(text: str) -> None:
    assert [one for one in signals_of(a_prompt(text)) if one.kind is MemoryKind.EPISODIC] == []


def test_a_decision_in_a_long_specification_is_part_of_that() -> None:
    text = f"{DECISIONS[0]}. " + "The page has a table with a row for each of the users. " * 30
    assert signals_of(a_prompt(text)) == ()


def test_what_a_script_says_was_decided_waits_for_the_person() -> None:
    world = World()
    world.say(DECISIONS[0], channel=PromptChannel.HEADLESS)
    assert [memory.status for memory in world.end().added] == [Status.PENDING_REVIEW]


@pytest.mark.parametrize("text", PAST)
def test_a_question_about_the_past_is_heard(text: str) -> None:
    assert asks_about_the_past(text)


@pytest.mark.parametrize("text", PRESENT)
def test_work_at_hand_does_not_ask_about_the_past(text: str) -> None:
    assert not asks_about_the_past(text)


def test_a_decision_is_recalled_only_when_a_prompt_asks_about_the_past() -> None:
    world = World()
    world.say(DECISIONS[0])
    world.end()
    assert world.say("go on with the v2 migration of the API, please", "s2") == ""
    assert "postpone the v2 migration" in world.say("why did we postpone the v2 migration of the API?", "s2")

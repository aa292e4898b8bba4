"""The moment counts: what is typed while the agent works is a standing rule far more often."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import a_call, a_prompt, an_event
from tests.worlds import World

from wisen.core.signals.setting import Setting
from wisen.core.types import Event, Outcome, PostTool, PromptChannel, Signal, UserPrompt
from wisen.engine import observe


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The prompts that were judged as typed mid-turn."""
    heard: list[str] = []

    def signals_of(event: Event, *, setting: Setting | None = None) -> tuple[Signal, ...]:
        assert isinstance(event.body, UserPrompt)
        if setting == Setting(is_mid_turn=True):
            heard.append(event.body.text)
        return ()

    monkeypatch.setattr(observe, "signals_of", signals_of)
    return heard


def _say(world: World, text: str, prompt_id: str, channel: PromptChannel = PromptChannel.TYPED) -> None:
    world.clock.advance(seconds=1)
    event = a_prompt(text, session_id="s1", channel=channel, at=world.clock.at)
    assert isinstance(event.body, UserPrompt)
    world.feed(replace(event, body=replace(event.body, prompt_id=prompt_id)))


def test_a_prompt_with_the_id_of_the_one_at_work_was_typed_mid_turn(judged: list[str]) -> None:
    world = World()
    _say(world, "translate the settings page", "p1")
    _say(world, "and leave the resx files alone", "p1")
    _say(world, "now the login page", "p2")
    world.end()
    assert judged == ["and leave the resx files alone"]


def test_what_was_said_when_refusing_or_has_no_id_was_not(judged: list[str]) -> None:
    world = World()
    _say(world, "translate the settings page", "p1")
    _say(world, "not with sed", "p1", PromptChannel.REFUSAL)
    _say(world, "by hand", "")
    _say(world, "all of it", "")
    world.end()
    assert judged == []


def test_words_in_a_call_are_no_prompt_typed_mid_turn(judged: list[str]) -> None:
    """They are the user's only if the call never ran, and that is asked elsewhere."""
    world = World()
    _say(world, "translate the settings page", "p1")
    event = a_prompt("always use sed", session_id="s1", at=world.clock.at)
    assert isinstance(event.body, UserPrompt)
    world.feed(replace(event, body=replace(event.body, prompt_id="p1", call_id="t1")))
    call = a_call(call_id="t1")
    world.feed(an_event(PostTool(call=call, outcome=Outcome.SUCCESS), session_id="s1", cwd="/repo", at=world.clock.at))
    world.end()
    assert judged == []

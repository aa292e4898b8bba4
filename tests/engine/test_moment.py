"""The moment counts: what is typed while the agent works is a standing rule far more often."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import a_prompt
from tests.worlds import World

from wisen.core.types import Event, UserPrompt

WORDS = "i file .resx non toccarli a mano, li genera il tool delle traduzioni. rimetti come prima"


def _prompt(world: World, text: str, prompt_id: str) -> Event:
    world.clock.advance(seconds=1)
    event = a_prompt(text, session_id="s1", at=world.clock.at)
    assert isinstance(event.body, UserPrompt)
    return replace(event, body=replace(event.body, prompt_id=prompt_id))


def _signals(world: World) -> list[str]:
    return [signal.rule for _, signal in world.wisen.control.signals_after("claude-code", "s1", 0)]


def test_a_prompt_with_the_id_of_the_one_at_work_was_typed_mid_turn_and_counts_for_more() -> None:
    alone, mid_turn = World(), World()
    for world, first_id in ((alone, "p1"), (mid_turn, "p2")):
        world.feed(_prompt(world, "translate the settings page", first_id))
        world.feed(_prompt(world, WORDS, "p2"))
        world.end()
    assert _signals(alone) == []
    assert len(_signals(mid_turn)) == 1

"""An objection is noticed though nothing can be learned from it; a task, a question and an answer are none."""

from __future__ import annotations

import json

import pytest
from tests.builders import a_prompt
from tests.corpus.data import shared
from tests.worlds import World

from wisen.core.gate import candidates, explain, signals_of
from wisen.core.types import PromptChannel, Tier

OBJECTIONS = [
    "Stop, this is wrong",
    "no, that's not what I meant",
    "That is incorrect.",
    "it should be pnpm",
    "that should have been src/lib.py",
    "not this, but that",
    "nein, das ist falsch",
    "nicht so, sondern so",
    "non, c'est pas bon",
    "eso está mal",
    "不对",
    "違います",
]
NONE = [
    "is that wrong?",
    "this is wrong in about half of the cases, so look at each of them and tell me which",
    "the log says: that is wrong",
    "it should be easy to add a second page to the report, please do",
    "not now",
    "thanks, go on",
    "stop",
    "",
    "> that's wrong",
]


@pytest.mark.row("C4")
@pytest.mark.parametrize("text", OBJECTIONS)
def test_an_objection_is_a_signal_that_is_no_candidate(text: str) -> None:
    event = a_prompt(text)
    [signal] = signals_of(event)
    assert signal.tier is Tier.NOTICE
    assert candidates(signal.graph, [signal], "") == ()  # type: ignore[arg-type]
    [verdict] = explain(event)
    assert not verdict.emitted
    assert "objection" in verdict.reason


@pytest.mark.row("C4")
@pytest.mark.parametrize("text", NONE)
def test_what_is_no_objection_is_no_signal(text: str) -> None:
    assert signals_of(a_prompt(text)) == ()


def test_a_script_does_not_object_for_the_user() -> None:
    world = World()
    world.say("Stop, this is wrong", channel=PromptChannel.HEADLESS)
    assert world.end().added == ()


@pytest.mark.row("C4")
def test_a_session_with_nothing_but_objections_stores_nothing() -> None:
    world = World()
    for text in OBJECTIONS:
        world.say(text)
    assert world.end().added == ()


def test_a_placeholder_of_something_private_is_not_noticed() -> None:
    assert signals_of(a_prompt("it should be [redacted:key]")) == ()


@pytest.mark.corpus
def test_the_handed_corrections_are_noticed_and_the_rest_is_not() -> None:
    handed = json.loads(shared("spec", "plugmem-vectors.json").read_text("utf-8"))
    assert [text for text in handed["correction_positive"] if not signals_of(a_prompt(text))] == []
    assert [text for text in handed["correction_negative"] if signals_of(a_prompt(text))] == []

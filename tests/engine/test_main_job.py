"""What a person plainly says is remembered: nothing on the way to a memory takes back what the gate has adopted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.worlds import World

from wisen.core.types import Status, Tier

PLAIN = Path(__file__).parents[2] / "training" / "rules" / "plain.jsonl"


@pytest.mark.parametrize("rule", ["we use pnpm here, not npm", "never commit unless I ask you to"])
def test_a_plain_rule_becomes_an_active_memory(rule: str) -> None:
    world = World()
    world.say(rule)
    [memory] = world.end().added
    assert (memory.text, memory.status) == (rule, Status.ACTIVE)


def test_no_plain_rule_that_was_adopted_is_dropped_at_promotion() -> None:
    rows = [json.loads(line) for line in PLAIN.read_text(encoding="utf-8").splitlines()]
    world = World()
    dropped = []
    for number, row in enumerate(row for row in rows if row["label"] == "durable"):
        world.say(row["text"], f"s{number}")
        dropped += [(s.rule, why) for s, why in world.end(f"s{number}").dropped if s.tier is Tier.ADOPT]
    assert number > 50
    assert dropped == []

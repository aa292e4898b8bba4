"""What an event holds back is in no store afterwards: neither private spans nor secrets, of prompts and of tools."""

from __future__ import annotations

import pytest
from tests.builders import a_call, a_graph, a_post_tool
from tests.worlds import World

from wisen.core.types import Outcome, PostTool
from wisen.engine.curate import Draft
from wisen.errors import InvalidValue

KEY = "AKIA" + "QYZ7PLMN4VRT2XKW"
HIDDEN = "zanzibar-42"


def kept(world: World) -> str:
    """Return all that the stores hold, as text."""
    return repr(vars(world.control)) + repr([vars(store) for store in vars(world.graphs)["_graphs"].values()])


PRIVATE = [
    f"always use pnpm. <private>{HIDDEN}</private>",
    f"always use pnpm. <PRIVATE reason='x'>\n{HIDDEN}\n</Private>",
    f"always use pnpm. <private>a <private>b</private> {HIDDEN}</private>",
    f"always use pnpm. <private>{HIDDEN}",
    f"always use pnpm. &lt;private&gt;{HIDDEN}&lt;/private&gt;",
]


@pytest.mark.row("C20")
@pytest.mark.parametrize("said", PRIVATE)
@pytest.mark.fault("B66")
def test_a_private_span_is_in_no_store_and_no_recall(said: str) -> None:
    """Known fault B66."""
    world = World()
    world.start()
    shown = world.say(said)
    world.end()
    assert "pnpm" in kept(world)
    assert HIDDEN not in kept(world)
    assert HIDDEN not in shown + world.start("s2") + world.say(f"{said} and what else?", "s2")


@pytest.mark.row("C20")
@pytest.mark.fault("B66")
def test_what_is_private_as_a_whole_becomes_no_memory() -> None:
    """Known fault B66."""
    with pytest.raises(InvalidValue):
        World().wisen.curate.remember(a_graph(), Draft(text=f"<private>{HIDDEN}</private>"))


@pytest.mark.row("N9")
@pytest.mark.fault("B65")
def test_a_key_a_tool_prints_is_in_no_store() -> None:
    """Known fault B65."""
    world = World()
    world.start()
    world.feed(
        a_post_tool(
            PostTool(call=a_call(), outcome=Outcome.SUCCESS, excerpt=f"aws_access_key_id = {KEY}\nregion = eu-west-1")
        )
    )
    world.end()
    assert "eu-west-1" in kept(world)
    assert KEY not in kept(world)

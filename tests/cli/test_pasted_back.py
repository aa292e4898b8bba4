"""What wisen prints and a person pastes into a prompt teaches nothing; what they say around it does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.routes import Routes
from tests.cli.stage import FakeDaemon, Ran, Wisen
from tests.worlds import World, a_repo
from wisen.core.types import PromptChannel
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed

RULES = (
    "We use pnpm here, not npm.",
    "Never commit to main unless the release manager has said so in the channel, not even for a typo.",
)
Here = Callable[..., Ran]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World()
    world.probe.known[str(tmp_path)] = a_repo(str(tmp_path))
    world.probe.known["/other"] = a_repo("/other", remotes={"origin": "git@github.com:acme/gadgets.git"})
    return world


@pytest.fixture
def here(
    world: World, daemon: FakeDaemon, wisen: Wisen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Here]:
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
    routes = Routes(app)
    monkeypatch.setattr(FakeDaemon, "connect", lambda *_, **__: routes)
    monkeypatch.chdir(tmp_path)
    yield wisen
    app.close()


def printed(here: Here, world: World, cwd: str, *, terminal: bool) -> dict[str, str]:
    """Return what each command prints, with the rules in it: on a terminal of 80 columns, or into a pipe."""

    def run(*arguments: str, types: str = "") -> str:
        return here(*arguments, terminal=terminal, types=types).out

    said = {f"remember {n}": run("remember", rule) for n, rule in enumerate(RULES)}
    ids = [memory["short"] for memory in json.loads(here("list", "--json").out)["memories"]]
    for command in (["list"], ["list", "--view", "all"], ["log"], ["recall", "pnpm", "commit", "--explain"]):
        said[" ".join(command)] = run(*command)
    for command in (["show", ids[0]], ["pin", *ids], ["snooze", *ids], ["unsnooze", *ids], ["edit", ids[0], "--unpin"]):
        said[command[0]] = run(*command)
    world.start("s1", cwd=cwd)
    world.say(RULES[0], "s1", cwd=cwd)
    said["why"] = run("why", "--last")
    said["why --learned"] = run("why", "--learned")
    said["forget"] = run("forget", *ids)
    said["undo asked"] = run("undo", types="n\n") if terminal else ""
    said["restore"] = run("restore", *ids)
    said["undo"] = run("undo", "--yes")
    said["taking back"] = run("undo", "r1")
    return said


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_that_wisen_prints_is_learned_when_it_is_pasted(
    here: Here, world: World, tmp_path: Path, *, terminal: bool
) -> None:
    """Known fault B78, for people who paste."""
    for name, output in printed(here, world, str(tmp_path), terminal=terminal).items():
        heard = learned(world, f"{output}", name)
        assert heard == [], f"{name}:\n{output}"


@pytest.mark.parametrize("terminal", [True, False])
def test_what_a_person_asks_for_around_it_is_learned_and_nothing_else(
    here: Here, world: World, tmp_path: Path, *, terminal: bool
) -> None:
    for name, output in printed(here, world, str(tmp_path), terminal=terminal).items():
        ask = f"Remember that gadget {name} is built with bun."
        assert learned(world, f"{ask}\n{output}", f"{name} below") == [f"gadget {name} is built with bun."]
        assert learned(world, f"{output}\n\n{ask}", f"{name} above") == [f"gadget {name} is built with bun."]


def learned(world: World, prompt: str, session: str) -> list[str]:
    """Return the rules that a prompt in another repository teaches."""
    world.start(session, cwd="/other")
    world.say(prompt, session, cwd="/other", channel=PromptChannel.TYPED)
    done = world.end(session, cwd="/other")
    return [memory.text for memory in (*done.added, *done.reinforced)]

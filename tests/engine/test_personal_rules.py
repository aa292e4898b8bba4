"""A person's rules go with them; what belongs to a repository never leaves it, in any recall."""

from __future__ import annotations

import pytest
from tests.builders import a_prompt, a_signal
from tests.worlds import ROOT, World, a_repo

from wisen.core.recalls import MemoryFilter
from wisen.core.types import GraphKind, Memory, Visibility

PRIVATE = (
    ("the vaultkeeper service signs with ed25519 keys", False),
    ("in all my projects the vaultkeeper host is 10.1.2.3", True),
    ("in all my projects look into src/vaultkeeper/main.py first", True),
    ("in all my projects do it like payments does", True),
    ("everywhere name it `vaultkeeper_id`", True),
    ("in all my repos tickets look like VAULT-17", True),
)
MINE = "I prefer terse answers, in all my projects"


@pytest.fixture
def world() -> World:
    world = World()
    world.probe.known["/a"] = a_repo("/a", remotes={"origin": "git@github.com:acme/payments.git"})
    world.probe.known["/b"] = a_repo(
        "/b", remotes={"origin": "git@github.com:me/notes.git"}, root_commits=(ROOT.replace("a", "c"),)
    )
    return world


def learn(world: World, rule: str, cwd: str, *, personal: bool) -> None:
    world.start("s-a", cwd=cwd)
    event = a_prompt(rule, session_id="s-a", cwd=cwd, at=world.clock.at)
    signal = a_signal(rule, session_id="s-a", at=event.at, cwd=cwd, personal=personal)
    world.control.record(event, seen_at=event.at, signals=(signal,))
    world.wisen.promote.promote("claude-code", "s-a")


def of_the_person(world: World) -> list[Memory]:
    graphs = [graph for graph in world.graphs.graphs() if graph.kind is GraphKind.USER]
    return [memory for graph in graphs for memory in world.graphs.open(graph).list(MemoryFilter())]


@pytest.mark.row("A6")
def test_a_personal_rule_learned_in_one_repository_is_recalled_in_another(world: World) -> None:
    learn(world, MINE, "/a", personal=True)
    (memory,) = of_the_person(world)
    assert str(memory.graph) == "user://claude-code/dev"
    assert memory.visibility is Visibility.PERSON
    assert "terse answers" in world.start("s-b", cwd="/b")


@pytest.mark.row("A13")
def test_nothing_of_a_private_repository_is_in_any_recall_of_another(world: World) -> None:
    for rule, personal in PRIVATE:
        learn(world, rule, "/a", personal=personal)
    learn(world, MINE, "/a", personal=True)
    assert [memory.text for memory in of_the_person(world)] == [MINE]
    identity = world.wisen.locator.locate("claude-code", "/b")
    for rule, _ in PRIVATE:
        blocks = [world.start("s-b", cwd="/b"), world.say(f"tell me all about this: {rule}", "s-b", cwd="/b")]
        block, recalled = world.wisen.recall.ask(rule, identity)
        blocks += [block.text, *(hit.memory.text for hit in recalled.hits)]
        for word in ("vaultkeeper", "payments", "VAULT-17", "10.1.2.3"):
            assert not any(word in text for text in blocks), word
    here = world.wisen.locator.locate("claude-code", "/a")
    assert world.wisen.recall.ask("vaultkeeper", here)[1].hits, "where it was said it is known"


@pytest.mark.row("A13")
def test_what_was_said_in_a_repository_is_visible_there_only(world: World) -> None:
    for rule, personal in PRIVATE:
        learn(world, rule, "/a", personal=personal)
    (graph,) = world.graphs.graphs()
    assert graph.kind is GraphKind.REPO
    assert {memory.visibility for memory in world.graphs.open(graph).list(MemoryFilter())} == {Visibility.REPO}

"""A recipe reaches the agent just before its command: one line, once, and only where it helps."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.builders import a_call, a_memory, an_event
from tests.engine.test_observe import FIX, PYTEST, Scene
from tests.worlds import World, a_repo

from wisen.adapters.shell import segments
from wisen.config import Settings
from wisen.core.records import Actor, RepoFacts
from wisen.core.render import ONE_LABEL
from wisen.core.types import Anchor, Memory, MemoryKind, Origin, PreTool, Source, Status, Trigger


def a_kept_recipe(**over: object) -> Memory:
    recipe = a_memory(
        FIX,
        kind=MemoryKind.PROCEDURAL,
        source=Source.FAILURE_DELTA,
        origin=Origin.OBSERVED_OUTCOME,
        trigger=PYTEST,
        confidence=0.7,
    )
    return replace(recipe, **over)  # type: ignore[arg-type]  # keyword overrides


def put(world: World, memory: Memory) -> Memory:
    store = world.graphs.open(memory.graph)
    return store.add(memory, key=memory.memory_id, actor=Actor.GATE, reason="test")[0]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_the_recipe_comes_before_its_command_in_one_line_within_its_budget(scene: Scene) -> None:
    memory = put(scene, a_kept_recipe(title="x" * 500))
    put(scene, a_kept_recipe(text="Run `make more` before `pytest`.", digest="2", support=3))
    scene.start()
    block = scene.about_to("pytest -q")
    assert len(block) <= 400
    head, line, _ = block.splitlines()
    assert 'trigger="pre-tool"' in head
    assert ONE_LABEL in head
    assert line.startswith("- [")
    assert memory.short_id not in block  # the one that was seen more often


def test_a_session_is_told_of_three_at_most_and_a_new_one_again() -> None:
    scene = Scene()
    programs = ("alpha", "beta", "gamma", "delta")
    for n, program in enumerate(programs):
        text, memory_id = f"Run `make {program}-ready` before `{program}`.", f"0193a000-0000-7000-9000-{n:012x}"
        put(scene, a_kept_recipe(memory_id=memory_id, text=text, digest=program, trigger=Trigger(program=program)))
    scene.start()
    assert [bool(scene.about_to(program)) for program in programs] == [True, True, True, False]
    assert scene.about_to("delta", "s2")


def test_it_is_not_in_the_start_block_and_comes_once_a_session(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    assert scene.start() == ""
    assert "make fixtures" in scene.about_to("pytest -q")
    assert scene.about_to("pytest -x") == ""
    assert "make fixtures" in scene.about_to("pytest", "s2")


def test_a_prompt_with_its_words_does_not_use_it_up_it_comes_before_the_command(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    scene.start()
    assert "make fixtures" not in scene.say("please look why pytest is red and mend the fixtures, all of it")
    assert "make fixtures" in scene.about_to("pytest")


@pytest.mark.parametrize("command", ["ls", "echo pytest", "make test", "pytest-watch", "grep -rn pytest ."])
def test_other_commands_get_nothing(scene: Scene, command: str) -> None:
    put(scene, a_kept_recipe())
    scene.start()
    assert scene.about_to(command) == ""


def test_a_command_that_does_it_already_gets_nothing(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    scene.start()
    assert scene.about_to("make fixtures && pytest -q") == ""
    scene.shell("make fixtures")
    assert scene.about_to("pytest -q") == ""
    assert "make fixtures" in scene.about_to("pytest -q", "s2")


@pytest.mark.parametrize(
    "over",
    [
        {"status": Status.PENDING_REVIEW},
        {"status": Status.FORGOTTEN},
        {"confidence": 0.5},
        {"trigger": None},
        {"trigger": Trigger(program="pytest", flags=("--cov",))},
    ],
)
def test_what_is_not_active_not_sure_enough_or_about_another_call_is_not_shown(
    scene: Scene, over: dict[str, object]
) -> None:
    put(scene, a_kept_recipe(**over))
    scene.start()
    assert scene.about_to("pytest -q") == ""


def test_another_repository_gets_nothing_of_it(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    other = a_repo("/other", remotes={"origin": "git@github.com:acme/gadgets.git"}, root_commits=("c" * 40,))
    scene.probe.known["/other"] = other
    scene.start("s1", cwd="/other")
    assert scene.about_to("pytest -q", cwd="/other") == ""
    assert "make fixtures" in scene.about_to("pytest -q", cwd="/repo")  # the session went to its own repository


def test_a_fork_reads_the_recipes_of_its_upstream(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    remotes = {"origin": "git@github.com:me/widgets.git", "upstream": "git@github.com:acme/widgets.git"}
    scene.probe.known["/fork"] = a_repo("/fork", remotes=remotes)
    scene.start("s0")  # the upstream's root commit is known
    scene.start("s1", cwd="/fork")
    assert "make fixtures" in scene.about_to("pytest -q", cwd="/fork")


def test_a_subagent_gets_none(scene: Scene) -> None:
    put(scene, a_kept_recipe())
    scene.start()
    call = a_call(command="pytest", segments=segments("pytest"))
    assert scene.feed(an_event(PreTool(call=call), session_id="s1", agent_id="sub")) is None


def test_git_is_asked_once_between_two_prompts_however_many_commands_run(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    facts = scene.probe.facts

    def counted(cwd: str) -> RepoFacts:
        asked.append(cwd)
        return facts(cwd)

    monkeypatch.setattr(scene.probe, "facts", counted)
    scene.start()
    before = len(asked)
    for n in range(20):
        scene.about_to(f"make step{n}")
    assert asked[before:] == []
    scene.about_to("make one", cwd="/repo/web")
    scene.about_to("make two", cwd="/repo/web")
    assert asked[before:] == ["/repo/web"]


def test_commands_without_a_recipe_leave_no_receipt_and_one_with_a_recipe_tells_why(scene: Scene) -> None:
    memory = put(scene, a_kept_recipe())
    scene.start()
    known = len(scene.control.receipts())
    scene.about_to("ls -la")
    scene.about_to("make fixtures && pytest")
    assert len(scene.control.receipts()) == known
    scene.about_to("pytest -q")
    receipt = scene.control.receipts()[0]
    assert receipt.trigger == "pre-tool"
    assert receipt.query == "pytest -q"
    assert [item.memory_id for item in receipt.shown] == [memory.memory_id]
    assert receipt.shown[0].reasons[0] == "before pytest"


def test_the_budget_of_nothing_switches_it_off() -> None:
    scene = World(Settings(user_id="dev", pre_tool_chars=0))
    put(scene, a_kept_recipe())
    scene.start()
    call = a_call(command="pytest", segments=segments("pytest"))
    assert scene.feed(an_event(PreTool(call=call), session_id="s1")) is None


# --- the user's own map ----------------------------------------------------------------------------------------------


def mapped(tool_recall: dict[str, str]) -> World:
    world = World(Settings(user_id="dev", tool_recall=tool_recall))
    put(world, a_memory("Tests of the login use the fake clock.", digest="t"))
    put(world, a_memory("Deployments go through the release branch.", digest="d"))
    for n in range(6):
        put(world, a_memory(f"Screen number {n} is drawn by its own widget.", digest=f"w{n}"))
    return world


def before(world: World, command: str) -> str:
    call = a_call(command=command, segments=segments(command))
    block = world.feed(an_event(PreTool(call=call), session_id="s9", at=world.clock.at))
    return block.text if block else ""


@pytest.mark.row("D3")
def test_a_command_that_matches_the_map_recalls_by_its_words() -> None:
    world = mapped({r"\bpytest\b": "tests of the login"})
    block = before(world, "pytest -k auth")
    assert 'trigger="tool-family"' in block
    assert "fake clock" in block
    assert len(block) <= 800
    assert before(mapped({r"\bpytest\b": "tests of the login"}), "ls") == ""


@pytest.mark.row("D3")
def test_the_first_pattern_that_matches_decides() -> None:
    deploys, tests = (r"pytest", "deployments release branch"), (r"Bash pytest -k", "tests of the login")
    assert "release branch" in before(mapped(dict([deploys, tests])), "pytest -k auth")
    assert "fake clock" in before(mapped(dict([tests, deploys])), "pytest -k auth")


@pytest.mark.row("D3")
def test_a_pattern_minds_the_case_unless_it_says_otherwise_and_without_a_map_nothing_comes() -> None:
    assert before(mapped({"PYTEST": "tests of the login"}), "pytest") == ""
    assert "fake clock" in before(mapped({"(?i)PYTEST": "tests of the login"}), "pytest")
    assert before(mapped({}), "pytest") == ""


def test_a_recipe_goes_before_the_map() -> None:
    world = mapped({"pytest": "tests of the login"})
    put(world, a_kept_recipe())
    assert "make fixtures" in before(world, "pytest")
    assert "fake clock" in before(world, "pytest")


# --- the places of names ----------------------------------------------------------------------------------------

PLACE = "`parseArgs` is defined in `src/cli/args.ts`."


def a_place(**over: object) -> Memory:
    place = a_memory(
        PLACE,
        source=Source.REPEATED_LOOKUP,
        origin=Origin.OBSERVED_LOCATION,
        anchors=(Anchor(path="src/cli/args.ts", symbol="parseArgs"),),
        confidence=0.65,
    )
    return replace(place, **over)  # type: ignore[arg-type]  # keyword overrides


def before_grep(scene: Scene, pattern: str, session: str = "s1") -> str:
    summary = json.dumps({"pattern": pattern, "path": "/repo"})
    call = a_call(tool="Grep", family="search", command="", summary=summary)
    block = scene.feed(an_event(PreTool(call=call), session_id=session, at=scene.clock.at))
    return block.text if block else ""


def test_the_place_of_a_name_is_not_in_the_start_block_and_comes_before_a_search_once(scene: Scene) -> None:
    put(scene, a_place())
    assert scene.start() == ""
    block = scene.about_to("grep -rn 'function parseArgs' src")
    assert PLACE in block
    assert len(block) <= 400
    assert scene.about_to("rg parseArgs") == ""
    assert PLACE in before_grep(scene, "type parseArgs struct|\\bparseArgs\\(", "s2")


@pytest.mark.parametrize(
    "command",
    [
        "rg parseargs src",
        "rg parse src",
        "grep -n parseArgs src/cli/args.ts",
        "cat src/cli/parseArgs.md",
        "go test -run parseArgs",
    ],
)
def test_it_does_not_come_before_another_search_one_that_looks_there_or_another_command(
    scene: Scene, command: str
) -> None:
    put(scene, a_place())
    scene.start()
    assert scene.about_to(command) == ""


def test_a_prompt_brings_the_place_only_if_it_names_the_name(scene: Scene) -> None:
    put(scene, a_place())
    scene.start()
    assert PLACE not in scene.say("please look where the args of the cli are parsed and defined")
    assert PLACE in scene.say("please look at parseArgs, it drops the last one of them")


@pytest.mark.parametrize("over", [{"status": Status.PENDING_REVIEW}, {"confidence": 0.5}])
def test_a_place_that_waits_or_is_not_sure_enough_does_not_come(scene: Scene, over: dict[str, object]) -> None:
    put(scene, a_place(**over))
    scene.start()
    assert before_grep(scene, "parseArgs") == ""


def test_a_recipe_goes_before_a_place_and_the_closer_recipe_before_the_other(scene: Scene) -> None:
    put(scene, a_place())
    put(scene, a_kept_recipe(text="rg is slow here.", digest="1", trigger=Trigger(program="rg"), support=9))
    put(scene, a_kept_recipe(text="rg knows no -Z.", digest="2", trigger=Trigger(program="rg", flags=("-Z",))))
    scene.start()
    blocks = [scene.about_to("rg -Z parseArgs") for _ in range(3)]
    wanted = ("rg knows no -Z", "rg is slow", PLACE)
    assert all(text in block for text, block in zip(wanted, blocks, strict=True))

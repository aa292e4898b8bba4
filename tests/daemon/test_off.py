"""Where and when the user has wisen off, nothing of it happens: one predicate, asked by every way in and out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.builders import T0, a_prompt
from tests.daemon.test_routes import Api
from tests.transcribed import FakeTranscripts
from tests.worlds import World, a_repo

from wisen.config import Settings
from wisen.core.pauses import Pause
from wisen.core.records import Standing
from wisen.core.types import PromptChannel
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.engine.catch_up import CatchUp, Missed
from wisen.redact import FloorRedactor
from wisen.state import pausing

RULE = "We use pnpm here, not npm."
SECRET = "/repo/secret"


def an_api(world: World) -> Iterator[Api]:
    stopped: list[bool] = []
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: stopped.append(True))
    yield Api(app, world, stopped)
    app.close()


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    """A wisen that stays out of one directory, which belongs to the same repository as the rest."""
    world = World(Settings(user_id="dev", exclude=(SECRET,)), home=str(tmp_path))
    world.probe.known[SECRET] = replace(a_repo(), cwd=SECRET)
    yield from an_api(world)


# --- exclude: known fault B63 -----------------------------------------------------------------------------------


@pytest.mark.fault("B63")
def test_nothing_is_captured_in_an_excluded_directory(api: Api) -> None:
    for cwd in (SECRET, f"{SECRET}/below"):
        assert api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p1", cwd=cwd).status == 204
    assert api.world.control.sessions() == ()
    assert api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p1", cwd="/repo").status == 204
    assert len(api.world.control.sessions()) == 1


@pytest.mark.fault("B63")
def test_nothing_is_recalled_into_an_excluded_directory(api: Api) -> None:
    api.remember()
    assert api.hook("SessionStart", source="startup", cwd=SECRET).status == 204
    assert RULE in api.hook("SessionStart", source="startup", session_id="s2", delivery="d2").body.decode()


def test_nothing_is_searched_listed_or_remembered_there_by_a_person(api: Api) -> None:
    api.remember()
    assert api.get("/v1/memories", cwd=SECRET).json["memories"] == []
    assert api.post("/v1/recall", query="which package manager, pnpm?", cwd=SECRET).json["hits"] == []
    assert api.post("/v1/memories", text="Never push on fridays.", cwd=SECRET).status == 409
    assert api.get("/v1/repo", cwd=SECRET).json["excluded"] is True


def test_nothing_is_exported_from_or_imported_into_an_excluded_directory(api: Api) -> None:
    assert api.get("/v1/export", cwd=SECRET).status == 409
    assert api.post("/v1/import", lines=[], cwd=SECRET).status == 409
    assert api.get("/v1/export", cwd="/repo").status != 409


def test_what_was_heard_before_a_directory_was_excluded_does_not_become_a_memory(tmp_path: Path) -> None:
    world = World(home=str(tmp_path))
    world.say(RULE)
    excluding = World(Settings(user_id="dev", exclude=("/repo",)), home=str(tmp_path))
    excluding.wisen.promote._control = world.control
    done = excluding.wisen.promote.promote("claude-code", "s1")
    assert (done.added, [reason for _, reason in done.dropped]) == ((), ["said where wisen stays out"])
    assert world.end().added


# --- pause ------------------------------------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(home=str(tmp_path))


def off(world: World, place: str = "") -> None:
    pausing.pause(world.wisen.paths, Pause(since=world.clock.at, place=place))


def on(world: World) -> None:
    pausing.resume(world.wisen.paths, world.clock.at)


def test_in_a_pause_nothing_is_captured_or_recalled_and_a_person_can_still_look(world: World) -> None:
    for api in an_api(world):
        api.remember()
        off(world)
        assert api.hook("SessionStart", source="startup").status == 204
        assert api.hook("UserPromptSubmit", prompt="Never push on fridays.", prompt_id="p1").status == 204
        assert world.control.sessions() == ()
        assert len(api.get("/v1/memories").json["memories"]) == 1
        status = api.get("/v1/status").json
        assert (status["repo"]["paused"], status["paused"][0]["place"]) == (True, "")
        on(world)
        assert RULE in api.hook("SessionStart", source="startup", delivery="d3").body.decode()


def test_a_pause_of_one_place_leaves_the_others_alone(world: World) -> None:
    world.probe.known["/other"] = a_repo("/other", remotes={"origin": "git@github.com:acme/other.git"})
    off(world, "/repo")
    world.say(RULE)
    world.say(RULE, "s2", cwd="/other")
    assert [session.session_id for session in world.control.sessions()] == ["s2"]


def test_a_pause_of_a_repository_holds_in_every_clone_and_not_in_another_repository(world: World) -> None:
    world.probe.known["/clone/src"] = replace(a_repo(), cwd="/clone/src", top="/clone")
    world.probe.known["/other"] = a_repo("/other", remotes={"origin": "git@github.com:acme/other.git"})
    graph = str(world.wisen.locator.locate("claude-code", "/repo").write)
    pausing.pause(world.wisen.paths, Pause(since=world.clock.at, place="/repo", graph=graph))
    world.say(RULE, "s1", cwd="/clone/src")
    world.say(RULE, "s2", cwd="/other")
    assert [session.session_id for session in world.control.sessions()] == ["s2"]
    on(world)
    world.clock.advance(hours=1)
    world.say(RULE, "s1", cwd="/clone/src")
    assert len(world.control.sessions()) == 2


def test_a_directory_of_which_git_is_still_asked_may_be_a_clone_of_a_paused_repository(world: World) -> None:
    graph = str(world.wisen.locator.locate("claude-code", "/repo").write)
    pausing.pause(world.wisen.paths, Pause(since=world.clock.at, place="/repo", graph=graph))
    world.probe.known["/big"] = replace(a_repo(), cwd="/big", root_commits=(), problem="timeout")
    assert world.wisen.locator.locate("claude-code", "/big").standing is Standing.PENDING
    assert world.wisen.locator.is_paused("/big", world.clock.at)


def test_what_was_said_in_a_pause_is_not_learned_later_from_the_transcript(world: World) -> None:
    transcripts = FakeTranscripts()
    catch_up = CatchUp(
        control=world.control,
        capture=world.wisen.capture,
        readers={"claude-code": transcripts.read},
        redactor=FloorRedactor(),
    )
    said = []
    for hour, text in enumerate(("Always run the linter.", "Never push on fridays.", RULE)):
        if hour == 1:
            off(world)
        if hour == 2:
            on(world)
        said.append(a_prompt(text, channel=PromptChannel.TYPED, session_id="s1", at=world.clock.at))
        world.clock.advance(hours=1)
    transcripts.files["/t/s1.jsonl"] = said
    missed = Missed(harness="claude-code", session_id="s1", transcript="/t/s1.jsonl", interactive=True, ends=True)
    catch_up.catch_up(missed)
    texts = {memory.text for memory in world.run_jobs().added}
    assert texts == {"Always run the linter.", RULE}


def test_while_paused_everywhere_the_worker_leaves_everything_where_it_is(world: World) -> None:
    worker = Worker(Fixed(world.wisen))
    world.say(RULE)
    world.wisen.capture.enqueue_promotion("claude-code", "s1")
    off(world)
    assert worker._until_next() == 60.0
    for is_paused in (True, False):
        worker.wake()
        worker._turn()
        assert world.control.job_counts() == ({"queued": 1} if is_paused else {"done": 1})
        on(world)


@pytest.mark.fault("B30")
def test_what_was_said_before_the_memories_were_deleted_is_not_learned_again(tmp_path: Path) -> None:
    """Known fault B30: the transcript of a session that goes on still has it."""
    world = World(home=str(tmp_path))
    locator = world.wisen.locator
    locator._not_before = T0
    assert locator.stays_out("/repo", T0.replace(hour=11))
    assert not locator.stays_out("/repo", T0)
    world.clock.at = T0.replace(hour=10)
    assert not locator.stays_out("/repo", world.clock.at), "the clock was ahead when they were deleted"

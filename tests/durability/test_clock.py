"""The clock jumps: what is to be done is done, nothing is deleted for it, and the order stays that of arrival."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import FrozenClock, a_graph, a_memory
from tests.durability.daemons import a_daemon
from tests.transcribed import FakeTranscripts
from tests.wire import a_home, a_payload, run_hook
from tests.worlds import World

from wisen.client import Client
from wisen.core.records import Actor, JobState
from wisen.core.types import Status
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.engine.catch_up import CatchUp
from wisen.redact import FloorRedactor
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

YEAR = 365
JUMPS = pytest.mark.parametrize("days", [YEAR, -YEAR, 31, -1])


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which no transcript says anything."""
    world = World(home=str(tmp_path))
    world.wisen.paths.spool_dir.mkdir(parents=True)
    parts = {"control": world.control, "capture": world.wisen.capture, "redactor": FloorRedactor()}
    catch_up = CatchUp(readers={"claude-code": FakeTranscripts().read}, **parts)  # type: ignore[arg-type]
    world.wisen = replace(world.wisen, catch_up=catch_up)
    return world


def turn(world: World) -> None:
    """Let the worker do a round, as its thread does."""
    worker = Worker(Fixed(world.wisen))
    worker.wake()
    worker._turn()


def texts(world: World) -> set[str]:
    found = world.wisen.inspect.memories(world.graphs.graphs(), statuses=frozenset({Status.ACTIVE}))
    return {memory.text for memory in found}


def say(world: World, session: str, text: str) -> None:
    world.say(f"remember that {text}", session)


@JUMPS
def test_a_job_from_before_the_jump_is_done_after_it(world: World, days: int) -> None:
    say(world, "s1", "we deploy with make ship")
    world.wisen.capture.enqueue_promotion("claude-code", "s1")
    world.clock.advance(days=days)
    turn(world)
    assert texts(world) == {"we deploy with make ship"}
    assert [job.state for job in world.control.jobs()] == [JobState.DONE]


@JUMPS
def test_a_session_that_never_ended_is_swept_though_the_clock_jumped(world: World, days: int) -> None:
    say(world, "s1", "we deploy with make ship")
    world.clock.advance(days=days)
    world.clock.advance(minutes=world.wisen.settings.sweep_after_minutes + 1)
    turn(world)
    turn(world)
    assert texts(world) == {"we deploy with make ship"}


@pytest.mark.parametrize("days", [31, YEAR, 40 * YEAR])
def test_a_clock_that_ran_ahead_deletes_no_event(world: World, days: int) -> None:
    for day in range(5):  # used every day
        say(world, f"s{day}", f"we count to {day} here")
        world.end(f"s{day}")
        turn(world)
        world.clock.advance(days=1)
    world.clock.advance(days=days)
    turn(world)
    say(world, "ahead", "we come from the future")  # and wisen is used meanwhile
    world.end("ahead")
    turn(world)
    world.clock.advance(hours=12)
    turn(world)
    world.clock.advance(days=-days)
    turn(world)
    assert all(world.control.events("claude-code", f"s{day}") for day in range(5))


def test_a_long_absence_ends_and_old_events_go(world: World) -> None:
    """What looks like a jump is none when the clock is the same a day after wisen is used again."""
    say(world, "old", "we deploy with make ship")
    world.end("old")
    world.clock.advance(days=2 * YEAR)
    say(world, "new", "we test with make test")
    turn(world)
    assert world.control.events("claude-code", "old")
    world.clock.advance(days=1)
    turn(world)
    assert not world.control.events("claude-code", "old")
    assert world.control.events("claude-code", "new")


@JUMPS
def test_changes_and_signals_are_in_the_order_of_arrival_whatever_the_clock_said(tmp_path: Path, days: int) -> None:
    clock = FrozenClock()
    graphs = SqliteGraphs(tmp_path, clock)
    store = graphs.open(a_graph())
    memory, _ = store.add(a_memory("first"), key="k", actor=Actor.USER, reason="")
    clock.advance(days=days)
    store.update(replace(memory, text="second"), actor=Actor.USER, action="edit", reason="")
    clock.advance(days=-2 * days)
    store.update(replace(memory, text="third"), actor=Actor.USER, action="edit", reason="")
    said = [entry.after.text for entry in store.journal() if entry.after]
    graphs.close()
    assert said == ["third", "second", "first"]


@JUMPS
def test_signals_are_promoted_in_the_order_of_arrival(world: World, days: int) -> None:
    for text in ("we use pnpm here", "we use yarn here", "we use bun here"):
        say(world, "s1", text)
        world.clock.advance(days=days)
    found = [signal.rule for _, signal in world.control.signals_after("claude-code", "s1", 0)]
    assert found == ["we use pnpm here", "we use yarn here", "we use bun here"]


# --- a process whose clock jumps ------------------------------------------------------------------------------------

CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
/* The wall clock, ahead by the seconds that a file names at this moment. */
static long ahead(void) {
    char text[32] = {0};
    int fd = open(getenv("WISEN_TEST_AHEAD"), O_RDONLY);
    if (fd < 0) return 0;
    if (read(fd, text, sizeof text - 1) < 0) text[0] = 0;
    close(fd);
    return atol(text);
}
int clock_gettime(clockid_t which, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(which, at);
    if (which == CLOCK_REALTIME) at->tv_sec += ahead();
    return failed;
}
int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec; at->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""
COMPILER = shutil.which("cc")


@contextmanager
def a_clock_to_turn(directory: Path) -> Iterator[tuple[dict[str, str], Path]]:
    """Yield what a process needs in its environment to go by our clock, and the file that says how far it is ahead."""
    source, library, ahead = directory / "clock.c", directory / "clock.so", directory / "ahead"
    source.write_text(CLOCK)
    ahead.write_text("0")
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"], check=True)
    yield {"LD_PRELOAD": str(library), "WISEN_TEST_AHEAD": str(ahead)}, ahead


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler to make a clock with")
@pytest.mark.parametrize("days", [YEAR, -YEAR])
def test_a_daemon_whose_clock_jumps_goes_on_learning_and_loses_nothing(tmp_path: Path, days: int) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    with a_clock_to_turn(tmp_path) as (clock, ahead), a_home() as where:
        with a_daemon(where, more=clock):
            client = Client(where)
            for step, jump in enumerate((0, days, 0)):
                ahead.write_text(str(int(timedelta(days=jump).total_seconds())))
                fields = {"session_id": f"s{step}", "cwd": str(project), "transcript_path": ""}
                said = {"prompt": f"remember that we build with tool {step}", "prompt_id": f"p{step}"}
                run_hook(where, a_payload("UserPromptSubmit", **fields, **said), env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
                run_hook(where, a_payload("SessionEnd", reason="other", **fields))
                learned = learn(client, project)  # by the clock of this step
                assert learned == {f"we build with tool {earlier}" for earlier in range(step + 1)}
            years = {memory["created_at"][:4] for memory in memories(client, project)}
            assert len(years) == 2, "the process did go by our clock"
        control = SqliteControl(where.control_file)
        kept = [control.events("claude-code", f"s{step}") for step in range(3)]
        control.close()
        assert all(kept)


def memories(client: Client, project: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = client.call("GET", f"/v1/memories?cwd={project}")["memories"]
    return found


def learn(client: Client, project: Path) -> set[str]:
    """Start a session, which waits for what was said in the others, and return all texts."""
    start = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "next", "cwd": str(project)}
    for _ in range(20):
        client.call("POST", "/v1/hook/claude-code", start)
        jobs = client.call("GET", "/v1/status")["jobs"]
        if not jobs.get("queued") and not jobs.get("running"):
            break
    return {memory["text"] for memory in memories(client, project)}

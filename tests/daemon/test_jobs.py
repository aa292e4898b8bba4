"""The worker over fakes: what it does with the spool, with jobs that fail or wait, and with a world that breaks."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from tests.builders import a_prompt
from tests.transcribed import FakeTranscripts
from tests.worlds import World, a_repo

from wisen.core.records import JobState, Standing
from wisen.core.types import Status
from wisen.daemon import jobs, spool
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import MAX_ATTEMPTS, TICK_S, Worker
from wisen.daemon.logfile import in_words, is_told
from wisen.engine.catch_up import CatchUp
from wisen.errors import StoreError
from wisen.redact import FloorRedactor

RULE = "We use pnpm here, not npm."
ASKED = "remember that we deploy with make ship"


def problems(scene: Scene) -> tuple[str, ...]:
    return tuple(trouble.why for trouble in scene.worker.troubles())


@dataclass
class Scene:
    """A world with a home on disk, a worker over it, and a spool that hooks write."""

    world: World
    transcripts: FakeTranscripts
    worker: Worker

    @property
    def spool_dir(self) -> Path:
        return self.world.wisen.paths.spool_dir

    def point(self, session: str, transcript: str, event: str = "PostToolUse", **fields: object) -> None:
        """Leave a pointer."""
        number = sum(1 for _ in self.spool_dir.iterdir())
        said = {
            "v": 1,
            "harness": "claude-code",
            "delivery": f"{number:032x}",
            "at_ns": number,
            "event": event,
            "session_id": session,
            "transcript_path": transcript,
            "transcript_bytes": 1,
            "cwd": "/repo",
            "entrypoint": "cli",
        }
        (self.spool_dir / f"{number:020d}-{number:032x}.json").write_text(json.dumps({**said, **fields}))

    def wrote(self, session: str, text: str) -> str:
        """Have the harness write a session file with one prompt; return its path."""
        path = f"/t/{session}.jsonl"
        self.transcripts.files[path] = [a_prompt(text, session_id=session, transcript=path)]
        return path

    def settle(self) -> None:
        """Have the worker do what a session start asks for, without its thread."""
        self.worker._asked.append(jobs._Asked(but_not=""))
        self.worker.wake()
        self.worker._turn()

    def texts(self) -> set[str]:
        graphs = self.world.graphs.graphs()
        found = self.world.wisen.inspect.memories(graphs, statuses=frozenset({Status.ACTIVE}))
        return {memory.text for memory in found}

    def states(self) -> list[JobState]:
        return [job.state for job in self.world.control.jobs()]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    world, transcripts = World(home=str(tmp_path)), FakeTranscripts()
    world.wisen = replace(
        world.wisen,
        catch_up=CatchUp(
            control=world.control,
            capture=world.wisen.capture,
            readers={"claude-code": transcripts.read},
            redactor=FloorRedactor(),
        ),
    )
    world.wisen.paths.spool_dir.mkdir(parents=True)
    return Scene(world=world, transcripts=transcripts, worker=Worker(Fixed(world.wisen)))


def breaking(error: Exception) -> Callable[..., NoReturn]:
    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


def told_of(monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> threading.Event:
    """Return an event that is set when a method was called and has returned."""
    called, method = threading.Event(), getattr(owner, name)

    def wrapped(*args: object, **more: object) -> object:
        try:
            return method(*args, **more)
        finally:
            called.set()

    monkeypatch.setattr(owner, name, wrapped)
    return called


# --- the spool


def test_all_pointers_of_a_session_cost_one_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for session in ("s1", "s2"):
        scene.wrote(session, f"{RULE} In {session} too.")
    for number in range(60):
        session = f"s{number % 2 + 1}"
        scene.point(session, f"/t/{session}.jsonl", "SessionEnd" if number > 57 else "PostToolUse")
    monkeypatch.setattr(spool, "BATCH", 20)
    scene.worker._drain_spool()
    assert [(path, offset) for path, offset, _ in scene.transcripts.asked] == [
        (f"/t/s{session}.jsonl", offset) for offset in (0, 1, 1) for session in (1, 2)
    ]
    assert list(scene.spool_dir.glob("*.json")) == []
    assert {job.key for job in scene.world.control.jobs()} == {"claude-code/s1", "claude-code/s2"}


def test_where_a_script_took_part_nobody_sat_at_the_terminal(scene: Scene) -> None:
    path = scene.wrote("s1", RULE)
    scene.point("s1", path)
    scene.point("s1", path, entrypoint="sdk-cli")
    scene.settle()
    assert scene.transcripts.asked[0] == (path, 0, False)


@pytest.mark.parametrize("event", ["SessionEnd", "PreCompact"])
def test_what_was_said_while_the_daemon_was_away_is_learned(scene: Scene, event: str) -> None:
    scene.point("s1", scene.wrote("s1", ASKED), event)
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}
    assert problems(scene) == ()


def test_a_session_in_an_excluded_place_is_not_even_read(scene: Scene) -> None:
    scene.point("s1", scene.wrote("s1", ASKED), cwd=str(scene.world.wisen.paths.data_dir))
    scene.settle()
    assert scene.transcripts.asked == []
    assert list(scene.spool_dir.iterdir()) == []
    assert scene.world.control.sessions() == ()


def test_a_transcript_that_makes_the_reader_fail_is_not_in_the_others_way(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    scene.point("s1", "/t/poison.jsonl")
    scene.point("s2", scene.wrote("s2", ASKED), "SessionEnd")
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}
    assert spool.damaged(scene.spool_dir) == 1
    assert list(scene.spool_dir.glob("*.json")) == []
    assert "make ship" not in " ".join(str(vars(record).get("error")) for record in caplog.records)


def test_a_pointer_of_a_harness_that_is_not_known_is_kept_aside(scene: Scene) -> None:
    scene.point("s1", scene.wrote("s1", ASKED), harness="nano")
    scene.settle()
    assert spool.damaged(scene.spool_dir) == 1


def test_a_disk_that_is_full_leaves_every_pointer_for_later(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for session in ("s1", "s2"):
        scene.point(session, scene.wrote(session, ASKED), "SessionEnd")
    with monkeypatch.context() as broken:
        broken.setattr(scene.world.control, "record", breaking(StoreError("the disk is full")))
        scene.settle()
    assert len(list(scene.spool_dir.glob("*.json"))) == 2
    assert problems(scene) == ("reading a transcript fails: the disk is full",)
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}
    assert problems(scene) == ()


# --- jobs


@pytest.mark.parametrize("error", [StoreError("no"), OSError("no"), ValueError("no"), RecursionError()])
def test_a_job_that_fails_is_tried_again_and_then_given_up(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(scene.world.wisen.promote, "promote", breaking(error))
    scene.world.wisen.capture.enqueue_promotion("claude-code", "s1")
    for _ in range(MAX_ATTEMPTS):
        assert scene.states() == [JobState.QUEUED]
        scene.settle()
        scene.world.clock.advance(hours=1)
    (job,) = scene.world.control.jobs()
    assert (job.attempts, job.state) == (MAX_ATTEMPTS, JobState.FAILED)
    assert job.error == ("no" if is_told(error) else in_words(error))
    assert problems(scene)[0].startswith("the job promote fails: ")


def test_a_failing_job_is_not_in_the_others_way(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    promote = scene.world.wisen.promote.promote
    scene.world.say(ASKED, "s2")
    for session in ("s1", "s2"):
        scene.world.wisen.capture.enqueue_promotion("claude-code", session)
    monkeypatch.setattr(
        scene.world.wisen.promote,
        "promote",
        lambda harness, session, batch: breaking(ValueError())() if session == "s1" else promote(harness, session),
    )
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}


def test_what_was_heard_live_is_learned_though_the_transcript_can_not_be_read(scene: Scene) -> None:
    scene.world.feed(a_prompt(ASKED, session_id="s1", transcript="/t/poison.jsonl"))
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}
    assert problems(scene) == ("completing a session fails: wisen failed inside, and `wisen daemon log` says where",)


def test_what_waits_for_its_repository_is_never_lost(scene: Scene) -> None:
    """After the last attempt of one job the signals still wait, and the next sweep queues another."""
    scene.world.probe.known["/repo"] = a_repo(root_commits=(), shallow=False)
    assert scene.world.wisen.locator.locate("claude-code", "/repo").standing is Standing.PENDING
    scene.world.say(ASKED, "s1")
    scene.settle()
    (job,) = scene.world.control.jobs()
    assert (job.state, job.attempts) == (JobState.QUEUED, 1)
    for _ in range(MAX_ATTEMPTS - 1):
        scene.world.clock.advance(hours=1)
        scene.worker._run_due()
    assert scene.states() == [JobState.DONE]
    assert scene.texts() == set()
    scene.world.probe.known["/repo"] = a_repo()
    scene.settle()
    assert scene.texts() == {"we deploy with make ship"}


@pytest.mark.row("E5")
@pytest.mark.row("E3")
def test_a_round_lets_go_of_the_working_state_of_old_sessions(scene: Scene) -> None:
    scene.world.say(ASKED)
    scene.world.end("s1")
    scene.settle()
    assert scene.world.control.events("claude-code", "s1") != ()
    scene.world.clock.advance(days=scene.world.wisen.settings.retention_days + 1)
    scene.world.start("s2")
    scene.world.clock.advance(days=1)
    scene.worker.wake()
    scene.worker._turn()
    assert list(scene.world.control.events("claude-code", "s1")) == []
    assert scene.texts() == {"we deploy with make ship"}


def test_old_things_are_looked_for_once_an_hour_and_not_at_every_round(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    pruned: list[datetime] = []
    monkeypatch.setattr(scene.world.control, "prune", lambda at, **_: pruned.append(at))
    for minutes, times in ((0, 1), (30, 1), (31, 2), (-90, 3), (1, 3)):  # a clock put back is looked at anew
        scene.world.clock.advance(minutes=minutes)
        scene.worker.wake()
        scene.worker._turn()
        assert len(pruned) == times


# --- the thread


@pytest.mark.parametrize("broken", ["next_job_due", "requeue_running", "claim_job", "prune", "sessions_with_signals"])
def test_no_failure_ends_the_thread(scene: Scene, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    monkeypatch.setattr(jobs, "_RETRY_S", 0.01)
    failed = threading.Semaphore(0)

    def fail(*_: object, **__: object) -> NoReturn:
        failed.release()
        raise ValueError(broken)

    with monkeypatch.context() as breaks:
        breaks.setattr(scene.world.control, broken, fail)
        scene.worker.start()
        for _ in range(3):
            assert failed.acquire(timeout=10)
            scene.worker.wake()
        assert "fails: wisen failed inside" in problems(scene)[0]
    scene.world.say(ASKED)
    scene.world.wisen.capture.enqueue_promotion("claude-code", "s1")
    done = told_of(monkeypatch, scene.world.control, "finish_job")
    scene.worker.wake()
    assert done.wait(timeout=10)
    scene.worker.settle(within_s=10)  # the round that did it may have begun while all was broken
    scene.worker.close()
    assert scene.texts() == {"we deploy with make ship"}
    assert problems(scene) == ()


def test_a_job_that_was_left_running_is_run(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.world.say(ASKED)
    scene.world.wisen.capture.enqueue_promotion("claude-code", "s1")
    assert scene.world.control.claim_job(scene.world.clock.now())
    done = told_of(monkeypatch, scene.world.control, "finish_job")
    scene.worker.start()
    assert done.wait(timeout=10)
    scene.worker.close()
    assert scene.texts() == {"we deploy with make ship"}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_died_all_the_same_is_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> NoReturn:
        raise Killed

    assert problems(scene) == ()
    monkeypatch.setattr(scene.world.control, "requeue_running", die)
    scene.worker.start()
    scene.worker._thread.join(timeout=10)
    assert "`wisen daemon restart`" in problems(scene)[0]
    scene.worker.close()
    assert problems(scene) == ()


def test_it_sleeps_until_the_next_job_is_due_and_at_most_a_tick(scene: Scene) -> None:
    assert scene.worker._until_next() == TICK_S
    scene.world.wisen.capture.enqueue_promotion("claude-code", "s1")
    assert scene.worker._until_next() == 0.1
    job = scene.world.control.claim_job(scene.world.clock.now())
    assert job
    scene.world.control.finish_job(job.job_id, retry_at=scene.world.clock.now() + timedelta(seconds=20))
    assert scene.worker._until_next() == 20


def test_a_session_start_waits_no_longer_than_it_may(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that takes longer is read on: nothing that was begun is given up."""
    scene.point("s1", scene.wrote("s1", ASKED), "SessionEnd")
    let_go, promote = threading.Event(), scene.world.wisen.promote.promote

    def slow(*args: str, **more: str) -> object:
        assert let_go.wait(timeout=10)
        return promote(*args, **more)

    monkeypatch.setattr(scene.world.wisen.promote, "promote", slow)
    done = told_of(monkeypatch, scene.world.control, "finish_job")
    scene.worker.settle(within_s=60)
    scene.worker.start()
    scene.worker.settle(within_s=0.01)
    assert scene.texts() == set()
    let_go.set()
    assert done.wait(timeout=10)
    scene.worker.close()
    assert scene.texts() == {"we deploy with make ship"}


def test_a_job_of_a_kind_that_is_not_known_is_told_and_done(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    scene.world.wisen.capture.enqueue_promotion("claude-code", "s1")
    job = scene.world.control.claim_job(scene.world.clock.now())
    assert job
    with caplog.at_level(logging.WARNING):
        scene.worker._run_one(replace(job, kind="dream"))
    assert [record.message for record in caplog.records] == ["job_unknown"]
    assert scene.states() == [JobState.DONE]

"""What no hook delivered is read from the harness's transcript, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest
from tests.builders import a_prompt, an_event
from tests.worlds import World

from wisen.config import Settings
from wisen.core.policy import Limits
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Event, PreCompact, PromptChannel, SessionStart, StartSource
from wisen.engine.catch_up import CatchUp, Missed
from wisen.engine.recall import Recall
from wisen.redact import FloorRedactor
from wisen.store import contract

RULE = "We use pnpm here, not npm."


@dataclass
class FakeTranscripts:
    """Session files that hold what we say."""

    files: dict[str, list[Event]] = field(default_factory=dict)
    shown: dict[str, frozenset[str]] = field(default_factory=dict)
    asked: list[tuple[str, int, bool]] = field(default_factory=list)

    def read(self, path: str, offset: int, /, *, assume_interactive: bool) -> tuple[Sequence[Event], int]:
        self.asked.append((path, offset, assume_interactive))
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path][offset:], len(self.files[path])

    def history(self, path: str, last_reply_at: datetime | None = None, /) -> frozenset[str]:
        return self.shown.get(path, frozenset())


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def transcripts() -> FakeTranscripts:
    return FakeTranscripts()


@pytest.fixture
def catch_up(world: World, transcripts: FakeTranscripts) -> CatchUp:
    return CatchUp(
        control=world.control,
        capture=world.wisen.capture,
        readers={"claude-code": transcripts.read},
        redactor=FloorRedactor(),
    )


def missed(*, transcript: str = "/t.jsonl", **over: Any) -> Missed:
    facts = {"session_id": "s1", "interactive": True, "ends": True, **over}
    return Missed(harness="claude-code", transcript=transcript, **facts)


def test_a_session_that_no_hook_delivered_is_learned_from_its_transcript(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    transcripts.files["/t.jsonl"] = [a_prompt(RULE, session_id="s1", transcript="/t.jsonl")]
    assert len(catch_up.catch_up(missed())) == 1
    assert len(world.run_jobs().added) == 1
    assert transcripts.asked == [("/t.jsonl", 0, True)]


def test_what_arrived_live_is_not_counted_again(world: World, transcripts: FakeTranscripts, catch_up: CatchUp) -> None:
    live = a_prompt(RULE, session_id="s1", transcript="/t.jsonl")
    other_key = replace(live, event_id="line:other", delivery_id="")
    world.feed(live)
    transcripts.files["/t.jsonl"] = [replace(live, delivery_id=""), other_key]
    assert [captured.new for captured in catch_up.catch_up(missed())] == []
    (memory,) = world.run_jobs().added
    assert memory.support == 1


def test_a_transcript_is_read_on_from_where_it_was_left(transcripts: FakeTranscripts, catch_up: CatchUp) -> None:
    transcripts.files["/t.jsonl"] = [a_prompt("hello there", session_id="s1", transcript="/t.jsonl")]
    catch_up.catch_up(missed())
    transcripts.files["/t.jsonl"].append(a_prompt(RULE, session_id="s1", transcript="/t.jsonl"))
    assert len(catch_up.catch_up(missed())) == 1
    assert transcripts.asked[1][1] == 1


def test_a_transcript_that_is_read_again_after_its_session_was_pruned_teaches_nothing_twice(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "KEPT_SESSIONS", 0)
    said = [
        a_prompt(RULE, session_id="s1", transcript="/t.jsonl"),
        a_prompt("Never push on a friday.", session_id="s1"),
    ]
    transcripts.files["/t.jsonl"] = said
    catch_up.catch_up(missed())
    (one, two) = world.run_jobs().added
    transcripts.files["/u.jsonl"] = [a_prompt(RULE, session_id="s2", transcript="/u.jsonl")]
    catch_up.catch_up(missed(session_id="s2", transcript="/u.jsonl"))
    world.run_jobs()
    store = world.graphs.open(one.graph)
    store.purge(two.memory_id)
    held = store.list(MemoryFilter())
    assert [memory.support for memory in held] == [2]

    world.clock.advance(days=90)
    world.control.prune(world.clock.now())
    assert world.control.session_count() == 0
    for session_id, transcript in (("s1", "/t.jsonl"), ("s2", "/u.jsonl")):
        assert catch_up.catch_up(missed(session_id=session_id, transcript=transcript)), "read from the start"
        world.run_jobs()
    assert store.list(MemoryFilter()) == held


def test_an_event_without_a_transcript_is_lost_and_counted(world: World, catch_up: CatchUp) -> None:
    catch_up.catch_up(missed(transcript=""))
    catch_up.catch_up(missed(transcript="", events=3))
    assert world.control.counters() == {"events_lost": 4}


def test_the_offset_of_a_session_that_is_known_by_nothing_else_is_kept(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    transcripts.files["/t.jsonl"] = []
    for _ in range(2):
        catch_up.catch_up(missed(ends=False))
        transcripts.files["/t.jsonl"].append(an_event(PreCompact(automatic=True), session_id="s1"))
    session = world.control.session("claude-code", "s1")
    assert session is not None
    assert (session.transcript, session.transcript_offset) == ("/t.jsonl", 1)


def test_of_a_session_in_an_excluded_place_nothing_is_kept(transcripts: FakeTranscripts) -> None:
    world = World(Settings(user_id="dev", exclude=("/secret",)))
    catch_up = CatchUp(
        control=world.control,
        capture=world.wisen.capture,
        readers={"claude-code": transcripts.read},
        redactor=FloorRedactor(),
    )
    transcripts.files["/t.jsonl"] = [a_prompt(RULE, session_id="s1", transcript="/t.jsonl", cwd="/secret/x")]
    assert catch_up.catch_up(missed(ends=False)) == ()
    assert world.control.session("claude-code", "s1") is None


def test_what_is_known_is_read_once_however_much_is_new(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    events = world.control.events

    def counted(harness: str, session_id: str, *, limit: int = 500) -> Sequence[Event]:
        asked.append(limit)
        return events(harness, session_id, limit=limit)

    monkeypatch.setattr(world.control, "events", counted)
    transcripts.files["/t.jsonl"] = [a_prompt(f"do thing {n}", session_id="s1") for n in range(50)]
    assert len(catch_up.catch_up(missed())) == 50
    assert len(asked) == 1


def test_where_no_person_sat_that_is_what_the_reader_is_told(
    transcripts: FakeTranscripts, catch_up: CatchUp, world: World
) -> None:
    transcripts.files["/t.jsonl"] = []
    catch_up.catch_up(missed(interactive=False, ends=False))
    assert transcripts.asked == [("/t.jsonl", 0, False)]
    assert world.control.jobs() == ()


def test_a_transcript_that_is_gone_is_counted_and_nothing_fails(world: World, catch_up: CatchUp) -> None:
    assert catch_up.catch_up(missed()) == ()
    assert world.control.counters()["transcripts_unreadable"] == 1


def test_words_that_reach_no_hook_are_found_before_the_session_is_promoted(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    world.feed(a_prompt("please build it", session_id="s1", transcript="/t.jsonl"))
    transcripts.files["/t.jsonl"] = [
        a_prompt(RULE, session_id="s1", transcript="/t.jsonl", channel=PromptChannel.TYPED)
    ]
    catch_up.complete("claude-code", "s1")
    assert len(world.wisen.promote.promote("claude-code", "s1").added) == 1


def test_a_fork_gets_nothing_that_its_copied_history_holds_at_any_time(
    world: World, transcripts: FakeTranscripts
) -> None:
    world.start("s1")
    world.say(RULE, "s1")
    (memory,) = world.end("s1").added
    recall = Recall(
        control=world.control,
        graphs=world.graphs,
        capture=world.wisen.capture,
        clock=world.clock,
        ids=world.wisen.ids,
        limits=Limits(),
        histories={"claude-code": transcripts.history},
    )
    transcripts.shown["/fork.jsonl"] = frozenset({memory.short_id})
    fork = an_event(SessionStart(source=StartSource.FORK), session_id="s2", transcript="/fork.jsonl")
    for event in (fork, a_prompt("install the front end packages with pnpm", session_id="s2")):
        captured = world.wisen.capture.capture(event)
        assert captured is not None
        prepared = recall.prepare(captured)
        assert prepared is not None
        assert prepared.block.text == ""
        recall.commit(prepared)
        transcripts.shown.clear()
    store = world.graphs.existing(memory.graph)
    assert store is not None
    held = store.get(memory.memory_id)
    assert held is not None
    assert held.uses == 0

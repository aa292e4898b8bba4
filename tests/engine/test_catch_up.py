"""What no hook delivered is read from the harness's transcript, each thing once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.builders import T0, a_call, a_prompt, an_event
from tests.transcribed import FakeTranscripts
from tests.worlds import World

from wisen.adapters.shell import segments
from wisen.config import Settings
from wisen.core.policy import Limits
from wisen.core.recalls import MemoryFilter
from wisen.core.types import (
    Event,
    Outcome,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    SessionEnd,
    SessionStart,
    StartSource,
    UserPrompt,
)
from wisen.engine.catch_up import CatchUp, CaughtUp, Missed
from wisen.engine.recall import Recall
from wisen.errors import StoreError
from wisen.redact import FloorRedactor
from wisen.store import contract

RULE = "We use pnpm here, not npm."


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
    assert catch_up.catch_up(missed()).new == 1
    assert len(world.run_jobs().added) == 1
    assert transcripts.asked == [("/t.jsonl", 0, True)]


def test_what_arrived_live_is_not_counted_again(world: World, transcripts: FakeTranscripts, catch_up: CatchUp) -> None:
    live = a_prompt(RULE, session_id="s1", transcript="/t.jsonl")
    other_key = replace(live, event_id="line:other", delivery_id="")
    world.feed(live)
    transcripts.files["/t.jsonl"] = [replace(live, delivery_id=""), other_key]
    assert catch_up.catch_up(missed()).new == 0
    (memory,) = world.run_jobs().added
    assert memory.support == 1


def test_a_transcript_is_read_on_from_where_it_was_left(transcripts: FakeTranscripts, catch_up: CatchUp) -> None:
    transcripts.files["/t.jsonl"] = [a_prompt("hello there", session_id="s1", transcript="/t.jsonl")]
    catch_up.catch_up(missed())
    transcripts.files["/t.jsonl"].append(a_prompt(RULE, session_id="s1", transcript="/t.jsonl"))
    assert catch_up.catch_up(missed()).new == 1
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
    again = a_prompt(RULE, session_id="s2", transcript="/u.jsonl", at=T0 + timedelta(minutes=1))
    transcripts.files["/u.jsonl"] = [again]
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
        caught = catch_up.catch_up(missed(session_id=session_id, transcript=transcript))
        assert caught.new > 0, "read from the start"
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
    assert catch_up.catch_up(missed(ends=False)).new == 0
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
    assert catch_up.catch_up(missed()).new == 50
    assert len(asked) == 1


def test_where_a_transcript_holds_nothing_new_what_is_known_is_not_even_read(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcripts.files["/t.jsonl"] = [a_prompt("do thing", session_id="s1")]
    assert catch_up.catch_up(missed()).new == 1
    monkeypatch.setattr(world.control, "events", lambda *_, **__: pytest.fail("read in vain"))
    assert catch_up.catch_up(missed()).new == 0


def test_where_no_person_sat_that_is_what_the_reader_is_told(
    transcripts: FakeTranscripts, catch_up: CatchUp, world: World
) -> None:
    transcripts.files["/t.jsonl"] = []
    catch_up.catch_up(missed(interactive=False, ends=False))
    assert transcripts.asked == [("/t.jsonl", 0, False)]
    assert world.control.jobs() == ()


def test_a_transcript_that_is_gone_is_counted_logged_and_nothing_fails(
    world: World, catch_up: CatchUp, caplog: pytest.LogCaptureFixture
) -> None:
    assert catch_up.catch_up(replace(missed(), was_there=True)) == CaughtUp()
    assert world.control.counters()["transcripts_unreadable"] == 1
    assert "transcript_unreadable" in caplog.text


def test_a_session_that_never_got_as_far_as_a_file_is_no_failure(world: World, catch_up: CatchUp) -> None:
    assert catch_up.catch_up(missed()) == CaughtUp()
    assert world.control.counters() == {}


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
        redactor=world.wisen.redactor,
        parse=segments,
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


def test_lines_that_are_no_use_are_counted_once(world: World, transcripts: FakeTranscripts, catch_up: CatchUp) -> None:
    """B98."""
    transcripts.skipped = 3
    transcripts.files["/t.jsonl"] = [a_prompt(RULE, session_id="s1", transcript="/t.jsonl")]
    for _ in range(3):
        catch_up.catch_up(missed())
        catch_up.complete("claude-code", "s1")
    assert world.control.counters() == {"transcript_lines_skipped": 3}


@pytest.mark.row("F9")
def test_a_tool_whose_end_no_hook_told_has_it_from_the_transcript(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    call = a_call(call_id="t1")
    started = an_event(PreTool(call=call), event_id="pre_tool:t1", session_id="s1", transcript="/t.jsonl")
    failed = PostTool(call=call, outcome=Outcome.FAILURE, excerpt="Exit code 1")
    world.feed(started)
    transcripts.files["/t.jsonl"] = [
        replace(started, delivery_id=""),
        an_event(failed, event_id="post_tool:t1", session_id="s1", delivery_id=""),
    ]
    assert catch_up.complete("claude-code", "s1").new == 1
    assert [event.body for event in world.control.events("claude-code", "s1")] == [started.body, failed]


def compaction(*, live: bool, seconds: float = 0.0) -> Event:
    at = T0 + timedelta(seconds=seconds)
    start = an_event(SessionStart(source=StartSource.COMPACT), session_id="s1", at=at)
    return start if live else replace(start, delivery_id="")


@pytest.mark.fault("B17")
@pytest.mark.parametrize("first_live", [True, False])
def test_a_compaction_that_both_the_hook_and_the_transcript_tell_empties_the_context_once(
    world: World, first_live: bool
) -> None:
    """B17. What was shown before may be shown again once, and not once for each teller."""
    for live in (first_live, not first_live):
        world.wisen.capture.capture(compaction(live=live, seconds=float(live)))
    session = world.control.session("claude-code", "s1")
    assert session is not None
    assert session.epoch == 1
    world.wisen.capture.capture(compaction(live=True, seconds=600))
    session = world.control.session("claude-code", "s1")
    assert session is not None
    assert session.epoch == 2


def test_what_the_disk_has_no_room_for_is_not_said_to_be_caught_up(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing() -> None:
        raise StoreError("the disk is full")

    transcripts.files["/t.jsonl"] = [a_prompt(RULE, session_id="s1", transcript="/t.jsonl")]
    monkeypatch.setattr(world.control, "flush", failing)
    with pytest.raises(StoreError, match="the disk is full"):
        catch_up.catch_up(missed(ends=False))


@pytest.mark.fault("B17")
def test_a_compaction_is_told_once_however_much_happened_since(world: World) -> None:
    world.wisen.capture.capture(compaction(live=True))
    for number in range(600):
        later = a_prompt("more", session_id="s1", at=T0 + timedelta(seconds=60 + number))
        world.control.record(later, seen_at=T0)
    told = world.wisen.capture.capture(compaction(live=False, seconds=0.5))
    assert told is not None
    assert not told.new


def test_what_was_said_before_a_compaction_that_no_hook_told_is_promoted(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    transcripts.files["/t.jsonl"] = [a_prompt(RULE, session_id="s1", transcript="/t.jsonl"), compaction(live=False)]
    catch_up.catch_up(missed(ends=False))
    assert len(world.run_jobs().added) == 1


def test_the_same_words_said_twice_under_their_own_ids_are_two_events(
    world: World, transcripts: FakeTranscripts, catch_up: CatchUp
) -> None:
    said = an_event(UserPrompt(text=RULE, channel=PromptChannel.TYPED, prompt_id="p1"), session_id="s1")
    again = an_event(UserPrompt(text=RULE, channel=PromptChannel.TYPED, prompt_id="p2"), session_id="s1")
    world.feed(said)
    transcripts.files["/t.jsonl"] = [said, again]
    assert catch_up.catch_up(missed()).new == 1
    (memory,) = world.run_jobs().reinforced
    assert memory.support == 2


def test_what_is_told_late_does_not_take_a_session_back(world: World) -> None:
    late = {"session_id": "s1", "at": T0 - timedelta(minutes=5)}
    world.feed(a_prompt("build it", session_id="s1", cwd="/repo", transcript="/new.jsonl"))
    world.feed(an_event(SessionEnd(reason="other"), session_id="s1"))
    world.feed(an_event(SessionStart(source=StartSource.STARTUP), cwd="/old", transcript="/old.jsonl", **late))
    world.feed(a_prompt("hello", channel=PromptChannel.HEADLESS, cwd="/old", **late))
    session = world.control.session("claude-code", "s1")
    assert session is not None
    assert (session.cwd, session.transcript, session.interactive) == ("/repo", "/new.jsonl", True)
    assert (session.started_at, session.last_event_at, session.ended_at) == (late["at"], T0, T0)

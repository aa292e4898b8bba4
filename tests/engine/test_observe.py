"""What a whole session shows: approvals, names looked up again and again, recipes; each learned once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import T0, a_call, a_graph, a_prompt, a_signal, a_user_graph, an_event
from tests.worlds import World, a_repo

from wisen.adapters.shell import segments
from wisen.config import Settings
from wisen.core.recalls import MemoryFilter
from wisen.core.types import (
    Anchor,
    Event,
    EventRef,
    Memory,
    MemoryKind,
    Origin,
    Outcome,
    PostTool,
    PreCompact,
    PreTool,
    PromptChannel,
    Signal,
    Source,
    Status,
    Tier,
    ToolCall,
    Trigger,
    UserPrompt,
)
from wisen.engine import observe
from wisen.engine.promote import Promotion
from wisen.store.memory import InMemoryGraph

PYTEST = Trigger(program="pytest", error_class="missing")
FIX = "Run `make fixtures` before `pytest`."


class Scene(World):
    """A world in which commands run, and in whose work tree there are the files that we say."""

    def __init__(self, *, learn: bool = True, files: Iterable[str] | None = ("src/cli/args.ts",)) -> None:
        super().__init__(Settings(user_id="dev", learn=learn), tree=files)

    def ran(self, call: ToolCall, session: str = "s1", *, outcome: Outcome = Outcome.SUCCESS, said: str = "") -> Event:
        self.clock.advance(seconds=1)
        body = PostTool(call=call, outcome=outcome, excerpt=said)
        key = f"post_tool:{call.call_id}"
        event = an_event(body, event_id=key, session_id=session, at=self.clock.at)
        self.feed(event)
        return event

    def shell(self, command: str, session: str = "s1", *, fails: str = "") -> Event:
        call = a_call(command=command, segments=segments(command))
        return self.ran(call, session, outcome=Outcome.FAILURE if fails else Outcome.SUCCESS, said=fails)

    def about_to(self, command: str, session: str = "s1", *, cwd: str = "/repo") -> str:
        call = a_call(command=command, segments=segments(command))
        block = self.feed(an_event(PreTool(call=call), session_id=session, cwd=cwd, at=self.clock.at))
        return block.text if block else ""

    def grep(self, symbol: str, session: str, *, call_id: str = "") -> Event:
        call = a_call(
            tool="Grep", family="search", command="", summary=json.dumps({"pattern": symbol, "path": "/repo"})
        )
        call = replace(call, call_id=call_id) if call_id else call
        return self.ran(call, session, said=f"src/cli/args.ts:12:export function {symbol}(argv: string[]) {{")

    def told(self, signal: Signal, session: str = "s1") -> None:
        """Have a signal noticed in an event of its own, as the gate would."""
        self.clock.advance(seconds=1)
        event = an_event(session_id=session, at=self.clock.at)
        refs = tuple(replace(ref, event_id=event.event_id, session_id=session, at=event.at) for ref in signal.evidence)
        placed = replace(signal, session_id=session, at=event.at, evidence=refs, cwd="/repo", graph=a_graph())
        self.control.record(event, seen_at=self.clock.at, signals=[placed])

    def memories(self, *statuses: Status) -> list[Memory]:
        where = MemoryFilter(statuses=frozenset(statuses or Status))
        return [m for graph in self.graphs.graphs() if (s := self.graphs.existing(graph)) for m in s.list(where)]

    def learned(self, session: str) -> Promotion:
        return self.end(session)


def a_suggestion(rule: str = "Errors carry a code.", **over: object) -> Signal:
    return replace(a_signal(rule), tier=Tier.SUGGEST, **over)  # type: ignore[arg-type]  # keyword overrides


def a_recipe(**over: object) -> Signal:
    recipe = replace(
        a_signal(FIX),
        source=Source.FAILURE_DELTA,
        origin=Origin.OBSERVED_OUTCOME,
        kind=MemoryKind.PROCEDURAL,
        title="pytest needs its fixtures",
        why="they are made, not checked in",
        how_to_apply="once after a fresh clone",
        category="environment",
        trigger=PYTEST,
        anchors=(Anchor(path="Makefile"),),
    )
    return replace(recipe, **over)  # type: ignore[arg-type]  # keyword overrides


@pytest.fixture
def scene() -> Scene:
    return Scene()


# --- from signal to memory ----------------------------------------------------------------------------------------


def test_a_memory_takes_what_the_signal_says_of_it(scene: Scene) -> None:
    scene.start()
    scene.told(a_recipe())
    (memory,) = scene.learned("s1").added
    signal = a_recipe()
    assert (memory.kind, memory.title, memory.why) == (signal.kind, signal.title, signal.why)
    assert (memory.how_to_apply, memory.trigger) == (signal.how_to_apply, PYTEST)
    assert (memory.anchors, memory.category) == (signal.anchors, signal.category)
    assert (memory.status, memory.text) == (Status.ACTIVE, FIX)


def test_what_is_only_suggested_waits_for_review_and_is_never_recalled(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    (memory,) = scene.learned("s1").added
    assert memory.status is Status.PENDING_REVIEW
    assert scene.start("s2") == ""
    assert scene.say("which code do errors carry in this repository, please?", "s2") == ""


def test_a_suggestion_seen_in_another_session_becomes_active(scene: Scene) -> None:
    for session in ("s1", "s2"):
        scene.start(session)
        scene.told(a_suggestion(), session)
        scene.learned(session)
    (memory,) = scene.memories()
    assert (memory.status, memory.support) == (Status.ACTIVE, 2)


def test_a_suggestion_repeated_in_one_session_still_waits(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    scene.told(a_suggestion())
    scene.learned("s1")
    (memory,) = scene.memories()
    assert memory.status is Status.PENDING_REVIEW


def test_words_copied_into_a_fork_are_not_said_again(scene: Scene) -> None:
    scene.start("s1")
    scene.told(a_suggestion(), "s1")
    scene.learned("s1")
    ((_, said),) = scene.control.signals_after("claude-code", "s1", 0)
    scene.start("s2")
    copies = tuple(replace(ref, event_id="copied", session_id="s2") for ref in said.evidence)
    scene.control.add_signals("claude-code", [replace(said, session_id="s2", evidence=copies)])
    scene.learned("s2")
    (memory,) = scene.memories()
    assert memory.status is Status.PENDING_REVIEW


def test_a_suggestion_does_not_bring_back_what_was_forgotten_or_rejected(scene: Scene) -> None:
    scene.start("s1")
    scene.told(a_suggestion(), "s1")
    (memory,) = scene.learned("s1").added
    scene.wisen.curate.forget(memory.graph, memory.memory_id)
    scene.start("s2")
    scene.told(a_suggestion(), "s2")
    scene.learned("s2")
    assert [m.status for m in scene.memories()] == [Status.FORGOTTEN]


def test_a_scripts_suggestions_wait_however_often_they_come(scene: Scene) -> None:
    for session in ("s1", "s2", "s3"):
        scene.start(session)
        scene.told(a_suggestion(origin=Origin.HEADLESS_PROMPT), session)
        scene.learned(session)
    assert [m.status for m in scene.memories()] == [Status.PENDING_REVIEW]


def test_the_same_recipe_counts_once_a_session(scene: Scene) -> None:
    for session in ("s1", "s2"):
        scene.start(session)
        scene.told(a_recipe(), session)
        scene.told(a_recipe(), session)
        scene.learned(session)
    (memory,) = scene.memories()
    assert memory.support == 2
    assert memory.confidence > 0.7


def test_one_step_that_mends_two_commands_is_two_recipes(scene: Scene) -> None:
    scene.start()
    scene.told(a_recipe())
    scene.told(a_recipe(trigger=Trigger(program="tox")))
    scene.learned("s1")
    assert {m.trigger.program for m in scene.memories() if m.trigger} == {"pytest", "tox"}


def test_a_recipe_that_the_user_forgot_does_not_come_back_by_itself(scene: Scene) -> None:
    scene.start("s1")
    scene.told(a_recipe(), "s1")
    (memory,) = scene.learned("s1").added
    scene.wisen.curate.forget(memory.graph, memory.memory_id)
    scene.start("s2")
    scene.told(a_recipe(), "s2")
    scene.learned("s2")
    assert [m.status for m in scene.memories()] == [Status.FORGOTTEN]


@pytest.mark.row("A7")
@pytest.mark.parametrize("over", [{"personal": True}, {"graph": a_user_graph(), "personal": True}, {}])
def test_a_fact_of_a_repository_never_reaches_the_persons_own_graph(
    scene: Scene, over: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    scene.start()
    graph = over.get("graph", a_user_graph() if not over else a_graph())
    event = an_event(session_id="s1", at=scene.clock.at)
    signal = replace(a_recipe(), session_id="s1", cwd="/repo", **(over | {"graph": graph}))  # type: ignore[arg-type]
    scene.control.record(event, seen_at=scene.clock.at, signals=[signal])
    promotion = scene.learned("s1")
    assert all(memory.graph == a_graph() for memory in scene.memories())
    if graph == a_user_graph():
        ((_, reason),) = promotion.dropped
        assert "does not go into your own graph" in reason
        assert "write_refused" in [record.message for record in caplog.records]


def test_every_signal_becomes_a_memory_or_is_dropped_with_a_reason(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    scene.told(a_recipe())
    scene.told(a_recipe(rule="Set `[redacted:token]` before `pytest`."))
    scene.told(a_suggestion("We deploy on Fridays.", origin=Origin.TOOL_OUTPUT))
    done = scene.learned("s1")
    assert len(done.added) == 2
    assert len(done.dropped) == 2
    assert all(reason for _, reason in done.dropped)


# --- approval -------------------------------------------------------------------------------------------------------


@pytest.mark.row("C6")
def test_what_was_suggested_is_active_with_source_merged_once_the_user_approves(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    scene.told(a_suggestion("Ports start at 4000."))
    scene.say("lgtm, ship it")
    scene.learned("s1")
    found = {m.text: (m.status, m.source, m.origin) for m in scene.memories()}
    approved = (Status.ACTIVE, Source.MERGED, Origin.USER_APPROVED)
    assert found == {"Errors carry a code.": approved, "Ports start at 4000.": approved}


def test_an_approval_after_a_promotion_settles_what_waits(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    scene.compact()
    assert [m.status for m in scene.memories()] == [Status.PENDING_REVIEW]
    scene.shell("gh pr merge 12 --squash")
    scene.learned("s1")
    assert [(m.status, m.source) for m in scene.memories()] == [(Status.ACTIVE, Source.MERGED)]


def test_an_approval_does_not_bring_back_what_the_user_rejected(scene: Scene) -> None:
    scene.start()
    scene.told(a_suggestion())
    scene.compact()
    (memory,) = scene.memories()
    scene.wisen.curate.forget(memory.graph, memory.memory_id)
    scene.say("ship it")
    scene.learned("s1")
    assert [m.status for m in scene.memories()] == [Status.FORGOTTEN]


# --- lookups ----------------------------------------------------------------------------------------------------------


@pytest.mark.row("C7")
def test_the_third_session_that_looks_a_name_up_pins_its_place_and_the_second_does_not(scene: Scene) -> None:
    for session in ("s1", "s2"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    assert scene.memories() == []
    scene.start("s3")
    scene.grep("parseArgs", "s3")
    scene.learned("s3")
    (memory,) = scene.memories()
    assert memory.text == "`parseArgs` is defined in `src/cli/args.ts`."
    assert (memory.source, memory.kind, memory.status) == (Source.REPEATED_LOOKUP, MemoryKind.SEMANTIC, Status.ACTIVE)
    assert (memory.support, memory.anchors) == (3, (Anchor(path="src/cli/args.ts", symbol="parseArgs"),))
    assert {ref.session_id for ref in memory.evidence} == {"s1", "s2", "s3"}


def test_a_fourth_session_supports_the_pin(scene: Scene) -> None:
    for session in ("s1", "s2", "s3", "s4"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    (memory,) = scene.memories()
    assert memory.support == 4


def test_many_looks_in_one_session_or_copies_of_a_call_are_one_look(scene: Scene) -> None:
    for session in ("s1", "s2", "s3"):
        scene.start(session)
        scene.grep("parseArgs", session, call_id="toolu_copied")
        scene.learned(session)
    for _ in range(3):
        scene.grep("parseArgs", "s4")
    scene.learned("s4")
    assert scene.memories() == []


@pytest.mark.parametrize(("files", "status"), [((), None), (None, Status.PENDING_REVIEW)])
def test_a_place_that_is_gone_is_not_pinned_and_one_that_cannot_be_looked_at_waits(
    files: Iterable[str] | None, status: Status | None
) -> None:
    scene = Scene(files=files)
    for session in ("s1", "s2", "s3"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    assert [m.status for m in scene.memories()] == ([status] if status else [])


def test_lookups_of_two_repositories_are_not_added_up(scene: Scene) -> None:
    other = a_repo("/other", remotes={"origin": "git@github.com:acme/gadgets.git"}, root_commits=("c" * 40,))
    scene.probe.known["/other"] = other
    for session, cwd in (("s1", "/repo"), ("s2", "/repo"), ("s3", "/other")):
        scene.start(session, cwd=cwd)
        call = a_call(tool="Grep", family="search", command="", summary=json.dumps({"pattern": "parseArgs"}))
        body = PostTool(call=call, outcome=Outcome.SUCCESS, excerpt="src/cli/args.ts:12:function parseArgs()")
        scene.feed(an_event(body, session_id=session, cwd=cwd, at=scene.clock.at))
        scene.learned(session)
    assert scene.memories() == []


# --- once, and nothing from nothing -----------------------------------------------------------------------------------


@pytest.mark.row("C10")
@pytest.mark.row("C15")
def test_a_session_of_successes_only_stores_nothing(scene: Scene) -> None:
    scene.start()
    for command in ("git status", "pnpm test", "cat README.md", "make build", "ls -la"):
        scene.shell(command)
    done = scene.learned("s1")
    assert (done.added, done.reinforced, done.dropped) == ((), (), ())
    assert list(scene.graphs.graphs()) == []
    assert list(scene.control.signals_after("claude-code", "s1", 0)) == []


@pytest.mark.row("C16")
@pytest.mark.row("G1")
def test_a_compaction_and_then_the_end_learn_each_thing_once(scene: Scene) -> None:
    for session in ("s1", "s2"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    scene.start("s3")
    scene.told(a_suggestion(), "s3")
    scene.grep("parseArgs", "s3")
    scene.say("ship it", "s3")
    scene.feed(an_event(PreCompact(automatic=True), session_id="s3", at=scene.clock.at))
    scene.run_jobs()
    after_compaction = scene.memories()
    assert len(after_compaction) == 2
    scene.learned("s3")
    scene.wisen.promote.promote("claude-code", "s3")
    assert scene.memories() == after_compaction


def test_a_session_read_in_many_pages_is_read_whole_and_in_order(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "_PAGE", 2)
    seen: list[str] = []

    def noting(events: Iterable[Event]) -> Iterator[Signal]:
        seen.extend(event.event_id for event in events)
        yield from ()

    monkeypatch.setattr(observe, "session_signals", noting)
    scene.start()
    ran = [scene.shell(f"make step{n}").event_id for n in range(7)]
    scene.learned("s1")
    assert [event_id for event_id in seen if event_id in ran] == ran
    assert len(seen) == len(set(seen)) == 9


def test_a_signal_of_the_whole_session_is_placed_where_its_last_event_happened(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given(events: Iterable[Event]) -> Iterator[Signal]:
        ran = [event for event in events if isinstance(event.body, PostTool)]
        refs = tuple(EventRef(event_id=e.event_id, session_id="s1", at=e.at) for e in ran)
        if ran:
            yield replace(a_recipe(), session_id="s1", at=T0 + timedelta(hours=1), evidence=refs)

    monkeypatch.setattr(observe, "session_signals", given)
    scene.start()
    scene.shell("pytest", fails="no fixtures")
    scene.shell("make fixtures")
    (memory,) = scene.learned("s1").added
    assert (memory.graph, memory.branch) == (a_graph(), "main")


def test_nothing_is_observed_where_learning_is_switched_off() -> None:
    scene = Scene(learn=False)
    for session in ("s1", "s2", "s3"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    assert scene.memories() == []


# --- whatever stops it ------------------------------------------------------------------------------------------------


class Killed(Exception):
    """Stands for `kill -9`: nothing after it is done, and nobody catches it."""


CHANGES = ("add_signals", "note_lookups", "advance_promoted", "flush", "finish_job")


def a_session_of_everything(scene: Scene) -> None:
    for session in ("s1", "s2"):
        scene.start(session)
        scene.grep("parseArgs", session)
        scene.learned(session)
    scene.start("s3")
    scene.told(a_suggestion(), "s3")
    scene.shell("pytest -q", "s3", fails="Exit code 1\nE  OSError: fixtures missing")
    scene.shell("make fixtures", "s3")
    scene.shell("pytest -q", "s3")
    scene.grep("parseArgs", "s3")
    scene.say("ship it", "s3")
    scene.feed(an_event(PreCompact(automatic=True), session_id="s3", at=scene.clock.at))


def what_is_known(scene: Scene) -> list[tuple[object, ...]]:
    return sorted((m.text, m.status, m.source, m.support, m.confidence, len(m.evidence)) for m in scene.memories())


@pytest.mark.row("C16")
@pytest.mark.row("C18")
def test_a_promotion_that_is_killed_between_any_two_steps_is_done_once_by_the_next(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_session_of_everything(scene)
    scene.run_jobs()
    wanted = what_is_known(scene)
    assert len(wanted) == 3
    for step in range(1, 40):
        again, left = Scene(), [step]
        a_session_of_everything(again)

        def dying(method: Callable[..., object], left: list[int] = left) -> Callable[..., object]:
            def call(*args: object, **more: object) -> object:
                left[0] -= 1
                if left[0] == 0:
                    raise Killed
                return method(*args, **more)

            return call

        with monkeypatch.context() as patched:
            for name in CHANGES:
                patched.setattr(again.control, name, dying(getattr(again.control, name)))
            for name in ("add", "update"):
                patched.setattr(InMemoryGraph, name, dying(getattr(InMemoryGraph, name)))
            try:
                again.run_jobs()
            except Killed:
                pass
            else:
                break
        again.control.requeue_running()
        again.run_jobs()
        again.learned("s3")
        assert what_is_known(again) == wanted, f"killed before change {step}"
    else:
        pytest.fail("a promotion of a few signals takes fewer changes than that")
    assert step > 5


def test_a_recipe_from_a_real_failure_reaches_the_next_session_before_its_command(scene: Scene) -> None:
    a_session_of_everything(scene)
    scene.run_jobs()
    scene.start("s4")
    block = scene.about_to("pytest -q", "s4")
    assert 'trigger="pre-tool"' in block
    assert "make fixtures" in block
    assert "OSError" not in block


# --- words in refused calls -------------------------------------------------------------------------------------


def refusing(scene: Scene, call_id: str) -> None:
    scene.clock.advance(seconds=1)
    body = UserPrompt(text="We never edit with sed here.", channel=PromptChannel.REFUSAL, call_id=call_id)
    scene.feed(an_event(body, event_id=f"refusal:{call_id}", session_id="s1", at=scene.clock.at))


@pytest.mark.fault("B70")
@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_call_that_ran_was_not_refused_whatever_its_tool_gave_back(outcome: Outcome) -> None:
    scene = Scene()
    scene.start()
    call = a_call(call_id="t1")
    scene.ran(call, outcome=outcome)
    refusing(scene, "t1")
    assert scene.end().added == ()


def test_a_call_that_ran_later_than_its_words_came_was_not_refused_either() -> None:
    scene = Scene()
    scene.start()
    refusing(scene, "t1")
    scene.ran(a_call(call_id="t1"))
    assert scene.end().added == ()


def test_what_was_said_in_a_refusal_is_learned_once() -> None:
    scene = Scene()
    scene.start()
    scene.ran(a_call(call_id="t1"))
    refusing(scene, "t2")
    (memory,) = scene.end().added
    assert (memory.origin, memory.support) == (Origin.USER_TYPED, 1)
    assert scene.end().added == ()


def test_a_place_without_its_definition_waits_however_often_it_was_found(scene: Scene) -> None:
    summary = json.dumps({"pattern": "parseArgs", "path": "/repo"})
    for session in ("s1", "s2", "s3", "s4", "s5"):
        scene.start(session)
        call = a_call(tool="Grep", family="search", command="", summary=summary)
        scene.ran(call, session, said="src/cli/args.ts:40:  const args = parseArgs(process.argv)")
        scene.learned(session)
    [memory] = scene.memories()
    assert (memory.status, memory.support) == (Status.PENDING_REVIEW, 5)


def test_words_that_nobody_can_date_stay_undated() -> None:
    """They count as said before every purge."""
    world = World()
    event = a_prompt("we use pnpm here, not npm", channel=PromptChannel.REFUSAL, session_id="s1", at=world.clock.at)
    world.feed(replace(event, is_dated=False))
    world.end()
    [(_, signal)] = world.control.signals_after("claude-code", "s1", 0)
    assert not signal.is_dated

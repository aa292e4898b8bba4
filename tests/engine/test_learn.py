"""Sessions from before wisen was there: read once, filed where they belong, promoted as living ones are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.builders import T0, a_graph, a_signal
from tests.pastfiles import ASKED, RULE, ran, unmarked, user, write
from tests.worlds import FakeProbe, World, a_repo

from wisen.config import Settings
from wisen.core.past import Fate, Learned, Said
from wisen.core.pauses import Pause
from wisen.core.records import GONE, RepoFacts, Standing
from wisen.core.types import Event, EventRef, Memory, Origin, Signal, Status
from wisen.engine import observe
from wisen.engine.learn import Wanted
from wisen.engine.promote import Promote
from wisen.errors import InvalidValue, NotFound, Refused, StoreError
from wisen.state.pausing import Pauses

URL = "https://github.com/acme/widgets"


@pytest.fixture
def world() -> World:
    world = World()
    world.clock.advance(days=400)
    return world


def gone(world: World, *directories: str) -> None:
    for directory in directories:
        world.probe.known[directory] = RepoFacts(cwd=directory, problem="no-repo", detail=GONE)


def learn(world: World, path: Path, **over: Any) -> Learned:
    wanted = Wanted(harness="claude-code", path=str(path), session_id=path.stem, cwd="/repo", batch="batch-1")
    return world.wisen.learn.learn(replace(wanted, **over))


def memories(world: World) -> list[Memory]:
    stores = [store for graph in world.graphs.graphs() if (store := world.graphs.existing(graph))]
    return [
        memory
        for store in stores
        for memory in world.wisen.inspect.memories((store.graph,), statuses=frozenset(Status))
    ]


def changes(world: World) -> int:
    return sum(stats.journal_entries for stats in world.wisen.inspect.overview().graphs)


def test_what_was_said_in_an_old_session_is_a_memory_with_the_time_and_branch_of_then(
    world: World, tmp_path: Path
) -> None:
    path = write(tmp_path, "s1", user(ASKED, gitBranch="topic"))
    learned = learn(world, path)
    (memory,) = learned.added
    assert (memory.text, memory.status, memory.graph) == (RULE, Status.ACTIVE, a_graph())
    assert (memory.authored_at, memory.branch, memory.session_id) == (T0, "topic", "s1")
    assert (learned.fate, learned.events, learned.signals, learned.split) == (Fate.READ, 1, 1, {Said.TYPED: 1})


def test_tools_are_read_as_well_and_nothing_is_recalled_for_them(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user("ship it please"), *ran("make ship", "done", 1, call="t1"))
    assert learn(world, path).events == 3
    assert [event.name for event in world.control.events("claude-code", "s1")] == [
        "user_prompt",
        "pre_tool",
        "post_tool",
    ]
    assert world.control.receipts() == ()


def test_a_second_run_changes_nothing(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user(ASKED), *ran("make ship", "done", 1, call="t1"))
    learn(world, path)
    before = (memories(world), changes(world), world.control.sessions(), world.control.events("claude-code", "s1"))
    assert learn(world, path) == Learned(fate=Fate.KNOWN)
    after = (memories(world), changes(world), world.control.sessions(), world.control.events("claude-code", "s1"))
    assert after == before


def test_what_has_grown_since_is_read_on(world: World, tmp_path: Path) -> None:
    lines = [user("build it")]
    learn(world, write(tmp_path, "s1", *lines))
    again = learn(world, write(tmp_path, "s1", *lines, user(ASKED, 5)))
    assert (again.fate, again.events, [memory.text for memory in again.added]) == (Fate.READ, 1, [RULE])


def test_what_was_stopped_before_the_promotion_is_learned_the_next_time(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "s1", user(ASKED))
    with monkeypatch.context() as patched:
        patched.setattr(Promote, "promote", failing)
        with pytest.raises(StoreError):
            learn(world, path)
    session = world.control.session("claude-code", "s1")
    assert session is not None
    assert (session.transcript, session.transcript_offset) == ("", 0)  # no sweep takes it for read
    assert [memory.text for memory in learn(world, path).added] == [RULE]
    assert learn(world, path).fate is Fate.KNOWN


def failing(*_: object, **__: object) -> None:
    raise StoreError("the disk is full")


def test_what_is_older_than_the_retention_time_is_learned_and_not_read_for_ever(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user(ASKED))
    learn(world, path)
    world.control.prune(world.clock.now() - timedelta(days=30))
    assert world.control.events("claude-code", "s1") == ()
    assert learn(world, path).fate is Fate.KNOWN
    assert [(memory.text, memory.support) for memory in memories(world)] == [(RULE, 1)]


def test_all_that_a_run_made_is_taken_back_at_once(world: World, tmp_path: Path) -> None:
    for number, rule in enumerate(("use tabs in the firmware", "call the staging host otter")):
        learn(world, write(tmp_path, f"s{number}", user(f"remember that we {rule}", number, sessionId=f"s{number}")))
    undone = world.wisen.curate.undo_batch("batch-1", [a_graph()], [a_graph()])
    assert len(undone.steps) == 2
    assert {memory.status for memory in memories(world)} == {Status.FORGOTTEN}


# --- who said it


def test_prompts_without_any_mark_are_a_persons_when_there_are_two(world: World, tmp_path: Path) -> None:
    learned = learn(world, write(tmp_path, "s1", unmarked("hello"), unmarked(ASKED, 1)))
    assert [(memory.origin, memory.status) for memory in learned.added] == [(Origin.USER_TYPED, Status.ACTIVE)]
    assert learned.split == {Said.IN_CONVERSATION: 2}


def test_one_prompt_without_any_mark_is_taken_for_a_scripts(world: World, tmp_path: Path) -> None:
    learned = learn(world, write(tmp_path, "s1", unmarked(ASKED)))
    assert [memory.origin for memory in learned.added] == [Origin.HEADLESS_PROMPT]
    assert [memory.status for memory in learned.added] == [Status.PENDING_REVIEW]
    assert learned.split == {Said.ALONE: 1}


def test_marks_say_who_it_was_and_the_split_is_told(world: World, tmp_path: Path) -> None:
    lines = [
        user("build it", 0),
        user("and the docs", 1, promptSource="queued"),
        user("from a script", 2, promptSource="sdk-cli", entrypoint="sdk-cli"),
        user("a timer rang", 3, promptSource="system"),
    ]
    learned = learn(world, write(tmp_path, "s1", *lines))
    assert learned.split == {Said.TYPED: 2, Said.HEADLESS: 1, Said.BY_SYSTEM: 1}
    assert learned.events == 3


# --- copies


def test_history_that_a_fork_copied_counts_once(world: World, tmp_path: Path) -> None:
    said = [unmarked("hello"), unmarked(ASKED, 1), *ran("make ship", "done", 2, call="t1")]
    learn(world, write(tmp_path, "s1", *said))
    copied = [{**line, "sessionId": "s2"} for line in said]
    fork = learn(world, write(tmp_path, "s2", *copied, unmarked("and now the docs", 9, sessionId="s2")))
    assert (fork.events, fork.copies, fork.added, fork.reinforced) == (1, 4, (), ())
    assert [(memory.text, memory.support) for memory in memories(world)] == [(RULE, 1)]


def test_a_fork_that_is_read_when_the_copied_events_are_deleted_adds_no_support(world: World, tmp_path: Path) -> None:
    said = [unmarked("hello"), unmarked(ASKED, 1)]
    learn(world, write(tmp_path, "s1", *said))
    world.control.prune(world.clock.now() - timedelta(days=30))
    learn(world, write(tmp_path, "s2", *({**line, "sessionId": "s2"} for line in said)))
    assert [(memory.text, memory.support) for memory in memories(world)] == [(RULE, 1)]


# --- directories that are gone


def test_a_directory_that_is_gone_belongs_to_the_repository_it_lay_in(world: World, tmp_path: Path) -> None:
    gone(world, "/repo/worktrees/topic", "/repo/worktrees")
    path = write(tmp_path, "s1", user(ASKED, cwd="/repo/worktrees/topic"))
    learned = learn(world, path, cwd="/repo/worktrees/topic")
    assert [memory.graph for memory in learned.added] == [a_graph()]
    assert learned.stood_in == str(a_graph())


def test_else_it_is_what_another_session_of_the_project_was_in(world: World, tmp_path: Path) -> None:
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    assert [m.graph for m in learn(world, path, cwd="/old/widgets", beside=("/nowhere", "/repo")).added] == [a_graph()]


def test_a_directory_that_a_session_went_to_and_that_is_gone_is_the_sessions(world: World, tmp_path: Path) -> None:
    gone(world, "/tmp/build", "/tmp")
    path = write(tmp_path, "s1", user("hello"), user(ASKED, 1, cwd="/tmp/build"))
    assert [memory.graph for memory in learn(world, path).added] == [a_graph()]


def test_else_it_is_what_the_user_says_and_nothing_is_claimed_of_it(world: World, tmp_path: Path) -> None:
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    (memory,) = learn(world, path, cwd="/old/widgets", repo=URL).added
    assert memory.graph == a_graph()
    assert world.control.root_claim(a_graph()) is None
    identity = world.wisen.locator.locate("claude-code", "/repo")  # the first clone of it that is seen
    assert (identity.standing, identity.write) == (Standing.VERIFIED, a_graph())
    assert RULE in world.start("later")


def test_a_path_in_the_users_word_is_a_clone(world: World, tmp_path: Path) -> None:
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    assert [m.graph for m in learn(world, path, cwd="/old/widgets", repo="/repo").added] == [a_graph()]


@pytest.mark.parametrize(("repo", "error"), [("/empty", NotFound), ("not a repository", InvalidValue)])
def test_what_names_no_repository_is_refused(world: World, tmp_path: Path, repo: str, error: type[Exception]) -> None:
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    with pytest.raises(error):
        learn(world, path, cwd="/old/widgets", repo=repo)


def test_else_it_is_left_out_counted_and_can_be_read_later(world: World, tmp_path: Path) -> None:
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    assert learn(world, path, cwd="/old/widgets") == Learned(fate=Fate.GONE, why="/old/widgets")
    assert world.control.sessions() == ()
    assert learn(world, path, cwd="/old/widgets", repo=URL).fate is Fate.READ


def test_worktrees_of_one_repository_land_in_one_graph(world: World, tmp_path: Path) -> None:
    world.probe.known["/worktree"] = a_repo("/worktree", branch="topic")
    first = learn(world, write(tmp_path, "s1", user(ASKED)))
    second = learn(world, write(tmp_path, "s2", user(ASKED, 60, cwd="/worktree", sessionId="s2")), cwd="/worktree")
    assert [m.graph for m in (*first.added, *second.reinforced)] == [a_graph(), a_graph()]
    assert [memory.support for memory in memories(world)] == [2]


def test_what_a_whole_session_shows_in_a_directory_that_is_gone_belongs_where_the_session_was(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone(world, "/old/widgets", "/old/widgets/sub", "/old")
    lines = [user("hello", cwd="/old/widgets/sub"), user("go on", 1, cwd="/old/widgets")]

    def shown(events: Iterable[Event]) -> Iterator[Signal]:
        first = next(iter(events))
        ref = EventRef(event_id=first.event_id, session_id="s1", at=first.at, quote="use tabs in the firmware")
        yield a_signal("use tabs in the firmware", evidence=(ref,), session_id="s1", at=first.at)

    monkeypatch.setattr(observe, "session_signals", shown)
    learned = learn(world, write(tmp_path, "s1", *lines), cwd="/old/widgets", repo=URL)
    assert [memory.graph for memory in learned.added] == [a_graph()]


# --- where wisen stays out


def excluding(*places: str) -> World:
    world = World(Settings(user_id="dev", exclude=places))
    world.clock.advance(days=400)
    return world


def test_an_excluded_directory_leaves_no_trace(tmp_path: Path) -> None:
    world = excluding("/repo")
    assert learn(world, write(tmp_path, "s1", user(ASKED))).fate is Fate.STAYED_OUT
    assert world.control.sessions() == ()


def test_a_session_that_went_to_an_excluded_directory_keeps_nothing_of_it(tmp_path: Path) -> None:
    world = excluding("/secret")
    learned = learn(world, write(tmp_path, "s1", user("hello"), user(ASKED, 1, cwd="/secret")))
    assert (learned.fate, learned.events, learned.added) == (Fate.READ, 1, ())


def test_no_directory_stands_in_for_an_excluded_one(tmp_path: Path) -> None:
    world = excluding("/repo")
    gone(world, "/old/widgets", "/old")
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    assert learn(world, path, cwd="/old/widgets", beside=("/repo",)).fate is Fate.GONE
    with pytest.raises(Refused):
        learn(world, path, cwd="/old/widgets", repo="/repo")


def test_what_was_said_in_a_pause_of_the_repository_is_not_learned_from_a_directory_that_is_gone(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone(world, "/old/widgets", "/old")
    pause = Pause(since=T0 - timedelta(hours=1), until=T0 + timedelta(hours=1), place="/x", graph=str(a_graph()))
    monkeypatch.setattr(Pauses, "known", (pause,))
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    learned = learn(world, path, cwd="/old/widgets", repo=URL)
    assert (learned.fate, memories(world), world.control.sessions()) == (Fate.STAYED_OUT, [], ())


# --- what is in the way


def test_a_file_without_a_session_is_empty(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", {"type": "summary", "summary": "remember that"})
    assert learn(world, path, cwd="").fate is Fate.EMPTY
    assert learn(world, path).fate is Fate.EMPTY
    assert world.control.sessions() == ()


def test_a_file_that_is_not_there_is_unreadable(world: World, tmp_path: Path) -> None:
    assert learn(world, tmp_path / "s1.jsonl").fate is Fate.UNREADABLE


def test_lines_that_are_no_use_are_counted_and_the_rest_is_read(world: World, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user(ASKED))
    path.write_text("not json\n" + path.read_text())
    learned = learn(world, path)
    assert (learned.lines_skipped, len(learned.added)) == (1, 1)


def test_while_git_has_not_answered_it_waits_and_is_learned_when_it_has(world: World, tmp_path: Path) -> None:
    world.probe.known["/repo"] = a_repo(root_commits=())
    learned = learn(world, write(tmp_path, "s1", user(ASKED)))
    assert (learned.waits, learned.added) == (True, ())
    world.probe.known["/repo"] = a_repo()
    world.wisen.sweep.sweep(idle_minutes=60)
    assert [memory.text for memory in world.run_jobs().added] == [RULE]


class SlowProbe(FakeProbe):
    """A git whose reading of the history is done after some questions."""

    def __init__(self, questions: int) -> None:
        super().__init__()
        self.left = questions

    def facts(self, cwd: str) -> RepoFacts:
        self.left -= 1
        return super().facts(cwd) if self.left < 0 else a_repo(cwd, root_commits=())


def test_git_is_waited_for_before_a_session_is_filed(world: World, tmp_path: Path) -> None:
    world.wisen.locator._probe = SlowProbe(10)
    learned = learn(world, write(tmp_path, "s1", user(ASKED)))
    assert (learned.waits, [memory.text for memory in learned.added]) == (False, [RULE])


@pytest.mark.row("C33")
def test_no_memory_is_a_transcript(world: World, tmp_path: Path) -> None:
    talk = "Then we looked at the logs of the parser for an hour, and it was the cache after all. " * 20
    lines = [user(f"{talk}\n\n{ASKED}", 0), *ran("cat log", talk, 1, call="t1")]
    learn(world, write(tmp_path, "s1", *lines))
    assert [memory.text for memory in memories(world)] == [RULE]
    assert all(len(memory.text) < 300 for memory in memories(world))

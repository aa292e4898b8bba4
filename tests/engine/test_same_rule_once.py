"""One rule is one memory, however often and in whatever words it is said; and what it takes back goes out of force."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import FrozenClock, a_graph, a_memory, a_prompt, a_signal
from tests.worlds import World

from wisen.core.lifecycle import fingerprint
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.core.repetition import REPEATED
from wisen.core.types import Memory, MemoryKind, Source, Status, Tier, Trigger
from wisen.engine.promote import Promotion
from wisen.engine.twins import near_of
from wisen.ports import GraphStore
from wisen.store.memory import InMemoryGraph


@pytest.fixture
def world() -> World:
    return World()


def said(world: World, rule: str, session: str = "s1", **over: object) -> Promotion:
    """Have one rule noticed in a session, whatever the gate thinks of it, and promote it."""
    world.clock.advance(minutes=1)
    event = a_prompt(rule, session_id=session, cwd="/repo", at=world.clock.at)
    signal = a_signal(rule, session_id=session, at=event.at, cwd="/repo", **over)
    quote = replace(signal.evidence[0], event_id=event.event_id, session_id=session, at=event.at)
    if world.control.session("claude-code", session) is None:
        world.start(session)
    world.control.record(event, seen_at=event.at, signals=(replace(signal, evidence=(quote,)),))
    return world.wisen.promote.promote("claude-code", session)


def known(world: World, *statuses: Status) -> list[Memory]:
    where = MemoryFilter(statuses=frozenset(statuses or Status))
    return [m for graph in world.graphs.graphs() for m in world.graphs.open(graph).list(where)]


@pytest.mark.fault("B79")
@pytest.mark.row("C22")
@pytest.mark.parametrize("session", ["s1", ""], ids=["in one session", "in five"])
def test_five_wordings_are_one_memory_with_support_five(world: World, session: str) -> None:
    wordings = (
        "use pnpm, not npm",
        "we use pnpm instead of npm here",
        "never npm, always pnpm",
        "npm is forbidden, we use pnpm",
        "stop using npm, use pnpm",
    )
    for number, wording in enumerate(wordings):
        said(world, wording, session or f"s{number}")
    (memory,) = known(world)
    assert (memory.text, memory.support) == ("use pnpm, not npm", 5)
    assert [ref.quote for ref in memory.evidence] == list(wordings)
    assert memory.confidence > 0.9


@pytest.mark.fault("B79")
def test_rules_that_differ_in_one_object_stay_two(world: World) -> None:
    said(world, "never push to `main`")
    said(world, "never push to `release`")
    assert {m.text for m in known(world)} == {"never push to `main`", "never push to `release`"}


def test_the_wording_that_says_more_is_kept(world: World) -> None:
    said(world, "use pnpm")
    said(world, "use pnpm, not npm, because the lockfile is pnpm's")
    (memory,) = known(world)
    assert (memory.text, memory.why, memory.support) == ("use pnpm, not npm", "the lockfile is pnpm's", 2)
    assert memory.digest == fingerprint(memory.text)
    said(world, "use pnpm")
    assert [m.text for m in known(world)] == ["use pnpm, not npm"]


def test_the_wording_that_was_asked_for_is_kept(world: World) -> None:
    said(world, "we use pnpm instead of npm here")
    said(world, "use pnpm, not npm", source=Source.EXPLICIT)
    said(world, "npm is forbidden, we use pnpm")
    (memory,) = known(world)
    assert (memory.text, memory.source, memory.support) == ("use pnpm, not npm", Source.EXPLICIT, 3)


def test_what_the_user_reworded_keeps_their_words(world: World) -> None:
    said(world, "use pnpm")
    (memory,) = known(world)
    store = world.graphs.open(memory.graph)
    mine = replace(memory, text="pnpm it is", digest=fingerprint("pnpm it is"))
    store.update(mine, actor=Actor.USER, action="edit", reason="")
    said(world, "use pnpm", "s2")
    said(world, "pnpm it is, not npm", "s3")
    assert "pnpm it is" in {m.text for m in known(world)}


def test_a_suggestion_supports_and_changes_no_words(world: World) -> None:
    said(world, "use pnpm")
    said(world, "use pnpm, not npm", tier=Tier.SUGGEST)
    (memory,) = known(world)
    assert (memory.text, memory.status, memory.support) == ("use pnpm", Status.ACTIVE, 2)


def test_promoting_twice_equals_once_also_for_a_rule_in_other_words(world: World) -> None:
    said(world, "use pnpm, not npm")
    said(world, "we use pnpm instead of npm here", "s2")
    before = known(world)
    session = world.control.session("claude-code", "s2")
    assert session is not None
    world.control.save_session(replace(session, promoted_seq=0))
    world.wisen.promote.promote("claude-code", "s2")
    assert known(world) == before


def test_a_copy_of_the_same_words_in_a_forked_session_counts_once(world: World) -> None:
    said(world, "use pnpm, not npm")
    (memory,) = known(world)
    at = memory.evidence[0].at
    world.start("fork")
    event = a_prompt("use pnpm, not npm", session_id="fork", cwd="/repo", at=at)
    signal = a_signal("use pnpm, not npm", session_id="fork", at=at, cwd="/repo")
    quote = replace(signal.evidence[0], event_id=event.event_id, session_id="fork", at=at)
    world.control.record(event, seen_at=at, signals=(replace(signal, evidence=(quote,)),))
    world.wisen.promote.promote("claude-code", "fork")
    assert [m.support for m in known(world)] == [1]


# --- said again although it was recalled ------------------------------------------------------------------------


@pytest.mark.fault("B89")
def test_the_same_correction_in_three_sessions_is_one_memory_that_is_marked_and_comes_first(world: World) -> None:
    said(world, "keep lines under 100 characters", "s0")
    said(world, "keep lines under 100 characters", "s00")
    for session in ("s1", "s2", "s3"):
        world.start(session)  # recalls what is known
        said(world, "use pnpm, not npm", session)
    memory = next(m for m in known(world) if "pnpm" in m.text)
    assert (memory.support, memory.tags) == (3, (REPEATED,))
    listed = world.wisen.inspect.memories([memory.graph])
    assert listed[0].text == memory.text
    block = world.start("s4")
    assert block.index("pnpm") < block.index("100 characters")


def test_a_rule_repeated_before_it_was_recalled_is_not_marked(world: World) -> None:
    said(world, "use pnpm, not npm", "s1")
    said(world, "use pnpm, not npm", "s1")
    assert [m.tags for m in known(world)] == [()]


def test_a_recall_behind_the_repetition_does_not_mark_it(world: World) -> None:
    said(world, "use pnpm, not npm", "s1")
    said(world, "we use pnpm instead of npm", "s1")
    world.start("s1")
    assert [m.tags for m in known(world)] == [()]


# --- taken back -------------------------------------------------------------------------------------------------


def test_a_rule_that_is_taken_back_goes_out_of_force_and_an_undo_brings_it_back(world: World) -> None:
    said(world, "use npm")
    said(world, "we no longer use npm, use pnpm", "s2")
    (old,) = known(world, Status.SUPERSEDED)
    (new,) = known(world, Status.ACTIVE)
    assert (old.text, new.supersedes) == ("use npm", (old.memory_id,))
    store = world.graphs.open(old.graph)
    (entry,) = [e for e in store.journal(memory_id=old.memory_id) if e.action == "status"]
    assert new.short_id in entry.reason
    store.revert(entry.seq, actor=Actor.USER)
    assert {m.text for m in known(world, Status.ACTIVE)} == {old.text, new.text}


def test_a_contradiction_alone_takes_nothing_back(world: World) -> None:
    said(world, "use npm")
    said(world, "use pnpm, not npm", "s2")
    assert {m.text for m in known(world, Status.ACTIVE)} == {"use npm", "use pnpm, not npm"}


def test_what_only_a_suggestion_takes_back_stays_in_force(world: World) -> None:
    said(world, "use npm")
    said(world, "we no longer use npm, use pnpm", "s2", tier=Tier.SUGGEST)
    assert [m.text for m in known(world, Status.ACTIVE)] == ["use npm"]


def test_taking_back_twice_equals_once(world: World) -> None:
    said(world, "use npm")
    said(world, "we no longer use npm, use pnpm", "s2")
    (old,) = known(world, Status.SUPERSEDED)
    store = world.graphs.open(old.graph)
    store.update(replace(old, status=Status.ACTIVE), actor=Actor.USER, action="restore", reason="")
    session = world.control.session("claude-code", "s2")
    assert session is not None
    world.control.save_session(replace(session, promoted_seq=0))
    world.wisen.promote.promote("claude-code", "s2")
    assert len(known(world, Status.ACTIVE)) == 2


# --- looking it up ----------------------------------------------------------------------------------------------


def put(store: GraphStore, text: str, **over: object) -> Memory:
    memory = replace(a_memory(text, digest=fingerprint(text)), **over)  # type: ignore[arg-type]
    return store.add(memory, key=memory.memory_id, actor=Actor.USER, reason="test")[0]


def test_an_active_twin_comes_before_one_that_was_put_away() -> None:
    store = InMemoryGraph(a_graph(), FrozenClock())
    put(store, "use pnpm, not npm", status=Status.FORGOTTEN)
    active = put(store, "we use pnpm instead of npm")
    assert near_of(store, "never npm, always pnpm") == active


def test_a_recipe_is_no_wording_of_a_rule() -> None:
    store = InMemoryGraph(a_graph(), FrozenClock())
    call = Trigger(program="npm")
    put(store, "use pnpm instead of npm", kind=MemoryKind.PROCEDURAL, trigger=call)
    assert near_of(store, "use pnpm, not npm") is None
    assert near_of(store, "Use pnpm instead of npm.", trigger=call) is not None


def test_a_rule_without_any_content_word_is_still_found_in_the_same_dress() -> None:
    store = InMemoryGraph(a_graph(), FrozenClock())
    memory = put(store, "Do it like this.")
    assert near_of(store, "do it like this") == memory


class Counted(InMemoryGraph):
    """A graph that counts the memories it hands out."""

    handed_out = 0

    def search(self, *args: object, **over: object):  # type: ignore[no-untyped-def]
        found = super().search(*args, **over)  # type: ignore[arg-type]
        self.handed_out += len(found.hits)
        return found

    def list(self, where: MemoryFilter, *, limit: int = 1000):  # type: ignore[no-untyped-def]
        found = super().list(where, limit=limit)
        self.handed_out += len(found)
        return found


@pytest.mark.parametrize("size", [100, 400])
def test_the_number_of_memories_compared_does_not_grow_with_the_graph(size: int) -> None:
    store = Counted(a_graph(), FrozenClock())
    for number in range(size):
        put(store, f"service{number} must log to `out{number}.log`, never to stdout")
    assert near_of(store, "service7 must log to `out7.log`, never to stdout") is not None
    assert store.handed_out <= 40


def test_what_was_only_asked_stays_a_suggestion_however_often(world: World) -> None:
    for session in ("s1", "s2", "s3"):
        said(world, "can we use British spelling everywhere?", session, tier=Tier.SUGGEST)
        said(world, "we use British spelling in all docs", session, tier=Tier.SUGGEST)
    assert [memory.text for memory in known(world, Status.ACTIVE)] == ["we use British spelling in all docs"]
    assert [memory.text for memory in known(world, Status.PENDING_REVIEW)] == [
        "can we use British spelling everywhere?"
    ]

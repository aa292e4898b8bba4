"""What every graph store does, whatever holds the data."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tests.builders import T0, a_graph, a_memory, a_user_graph
from tests.store.conftest import Graphs
from wisen.core.recalls import Found, MemoryFilter
from wisen.core.records import Actor
from wisen.core.types import Anchor, EventRef, Memory, MemoryKind, Source, Status, Trigger
from wisen.errors import Conflict, InvalidValue, NotFound, Refused
from wisen.ports import GraphStore

ANY = MemoryFilter(statuses=frozenset(Status))
ACTIVE = MemoryFilter()


@pytest.fixture
def store(graphs: Graphs) -> GraphStore:
    return graphs.stores.open(a_graph())


def add(store: GraphStore, memory: Memory, key: str = "") -> Memory:
    held, _ = store.add(memory, key=key or memory.memory_id, actor=Actor.GATE, reason="stated")
    return held


def update(store: GraphStore, memory: Memory, **over: Any) -> tuple[Memory, bool]:
    return store.update(memory, **{"actor": Actor.USER, "action": "edit", "reason": "", **over})


def found(store: GraphStore, *terms: str, where: MemoryFilter = ACTIVE, limit: int = 50) -> list[str]:
    return [hit.memory.text for hit in store.search(terms, where, limit=limit).hits]


# --- adding and reading -----------------------------------------------------------------------------------------


@pytest.mark.row("B1")
@pytest.mark.row("B6")
@pytest.mark.row("B18")
def test_a_memory_reads_back_unchanged_after_a_restart(graphs: Graphs) -> None:
    quote = EventRef(event_id="e1", session_id="session-7", at=T0, quote="we use pnpm here")
    memory = a_memory(tags=("tools", "js"), confidence=0.9, session_id="session-7", evidence=(quote,))
    add(graphs.stores.open(a_graph()), memory)

    assert graphs.restart().open(a_graph()).get(memory.memory_id) == memory


@pytest.mark.row("B5")
def test_confidence_defaults_to_one_half_which_a_minimum_of_one_half_admits_and_a_higher_one_does_not(
    store: GraphStore,
) -> None:
    plain = a_memory()
    memory = Memory(
        memory_id="m1",
        graph=plain.graph,
        kind=MemoryKind.SEMANTIC,
        text="use pnpm",
        digest="d",
        created_at=T0,
        source=None,
    )
    add(store, memory)

    assert [m.confidence for m in store.list(MemoryFilter(min_confidence=0.5))] == [0.5]
    assert store.list(MemoryFilter(min_confidence=0.51)) == ()
    assert found(store, "pnpm", where=MemoryFilter(min_confidence=0.5)) == ["use pnpm"]
    assert found(store, "pnpm", where=MemoryFilter(min_confidence=0.51)) == []


@pytest.mark.parametrize("confidence", [1.1, -0.01, float("nan"), float("inf")])
def test_a_confidence_outside_0_to_1_is_refused(store: GraphStore, confidence: float) -> None:
    with pytest.raises(InvalidValue, match="confidence"):
        add(store, a_memory(confidence=confidence))
    assert store.list(ANY) == ()


@pytest.mark.parametrize("over", [{"support": -1}, {"support": 2**63}, {"uses": -1}, {"memory_id": ""}, {"pinned": 1}])
def test_a_field_that_holds_what_it_may_not_is_refused(store: GraphStore, over: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue, match=next(iter(over))):
        add(store, a_memory(**over), key="k")
    assert store.list(ANY) == ()


def test_an_unknown_source_is_refused(store: GraphStore) -> None:
    bogus: Any = "gossip"
    with pytest.raises(InvalidValue, match="gossip"):
        add(store, a_memory(source=bogus))
    assert store.list(ANY) == ()


def test_a_memory_of_another_graph_is_refused(store: GraphStore) -> None:
    foreign = a_memory(graph=a_graph("acme/other"))
    with pytest.raises(Refused):
        add(store, foreign)
    add(store, memory := a_memory())
    with pytest.raises(Refused):
        update(store, replace(memory, graph=a_graph(harness="codex")))


def test_a_time_without_a_zone_is_refused(store: GraphStore) -> None:
    with pytest.raises(InvalidValue, match="created_at"):
        add(store, a_memory(created_at=datetime(2026, 11, 30)))  # noqa: DTZ001 - the subject


def test_a_time_that_was_milliseconds_taken_for_seconds_is_refused(store: GraphStore) -> None:
    with pytest.raises(InvalidValue, match="1970"):
        add(store, a_memory(created_at=datetime.fromtimestamp(1758344479 / 1000, tz=UTC)))


def test_times_of_any_zone_are_held_as_the_same_moment_in_utc(store: GraphStore) -> None:
    tokyo = T0.astimezone(timezone(timedelta(hours=9)))
    held = add(store, a_memory(created_at=tokyo))
    assert held.created_at == T0
    assert held.created_at.tzinfo is UTC


def test_a_lone_surrogate_becomes_a_replacement_character(store: GraphStore) -> None:
    memory = add(store, a_memory("half an emoji \ud83d, all the rest", tags=("\udcff",)))
    assert memory.text == "half an emoji \ufffd, all the rest"
    assert store.get(memory.memory_id) == memory
    assert found(store, "emoji\ud83d") == [memory.text]


def test_a_nul_byte_is_kept(store: GraphStore) -> None:
    memory = add(store, a_memory("before\0after"))
    got = store.get(memory.memory_id)
    assert got is not None
    assert got.text == "before\0after"


def test_adding_twice_under_one_key_changes_nothing(store: GraphStore) -> None:
    first, second = a_memory("one"), a_memory("two")

    assert store.add(first, key="k", actor=Actor.GATE, reason="") == (first, True)
    assert store.add(second, key="k", actor=Actor.GATE, reason="") == (first, False)

    assert store.list(ANY) == (first,)
    assert len(store.journal()) == 1


def test_adding_again_under_one_key_gives_the_memory_as_it_is_now(store: GraphStore) -> None:
    memory = add(store, a_memory(), key="k")
    forgotten, _ = update(store, replace(memory, status=Status.FORGOTTEN), action="status")
    assert store.add(memory, key="k", actor=Actor.GATE, reason="") == (forgotten, False)


def test_adding_again_after_a_purge_adds_nothing(store: GraphStore) -> None:
    memory = add(store, a_memory(), key="k")
    store.purge(memory.memory_id)

    held, new = store.add(a_memory(), key="k", actor=Actor.GATE, reason="")

    assert (held.memory_id, held.status, new) == (memory.memory_id, Status.FORGOTTEN, False)
    assert store.list(ANY) == ()


def test_one_id_under_two_keys_is_a_conflict(store: GraphStore) -> None:
    memory = add(store, a_memory(), key="a")
    with pytest.raises(Conflict):
        add(store, memory, key="b")


def test_fifty_threads_lose_nothing(store: GraphStore) -> None:
    memories = [a_memory(f"fact {n}") for n in range(50)]
    with ThreadPoolExecutor(50) as threads:
        list(threads.map(lambda m: add(store, m), memories))
    assert {m.text for m in store.list(ANY)} == {m.text for m in memories}
    assert sorted(e.seq for e in store.journal(limit=100)) == list(range(1, 51))


def test_an_id_an_id_without_dashes_and_a_short_id_all_find_the_memory(store: GraphStore) -> None:
    memory = add(store, a_memory(memory_id="0193A000-0000-7000-9000-0000cafebabe"))
    other = add(store, a_memory(memory_id="0193a000-0000-7000-9000-0000deadbeef"))

    for short in ("cafebabe", "CAFE", "c", "0193a0000000700090000000c", "0193a000-0000-7000-9000-0000cafebabe"):
        assert store.by_prefix(short) == (memory,), short
    assert store.by_prefix("0193a") == (memory, other)
    assert store.by_prefix("afebabe") == ()
    assert store.by_prefix("%") == ()
    assert store.by_prefix("") == ()


def test_ids_are_found_as_memories_are_and_of_what_was_purged(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    for memory_id in ("0193a000-0000-7000-9000-00001111aaaa", "0193a000-0000-7000-9000-00001111bbbb"):
        store.add(a_memory(memory_id=memory_id), key=memory_id, actor=Actor.USER, reason="")
    first, second = store.ids_by_prefix("1111")
    assert (first[-4:], second[-4:]) == ("aaaa", "bbbb")
    assert store.ids_by_prefix("1111-AA") == store.ids_by_prefix(first) == (first,)
    assert store.ids_by_prefix("") == store.ids_by_prefix("%") == ()
    store.purge(first)
    store = graphs.restart().open(a_graph())
    assert store.ids_by_prefix("1111") == (second,), "what is there comes first"
    assert store.ids_by_prefix(first) == store.ids_by_prefix("1111aaaa") == (first,)
    assert store.problems() in ((), [])


def test_a_prefix_gives_at_most_ten(store: GraphStore) -> None:
    for _ in range(12):
        add(store, a_memory())
    assert len(store.by_prefix("0193")) == 10


def test_a_digest_finds_memories_of_any_status(store: GraphStore) -> None:
    gone = add(store, a_memory(digest="d", status=Status.FORGOTTEN))
    here = add(store, a_memory(digest="d"))
    add(store, a_memory(digest="e"))
    assert set(store.by_digest("d")) == {gone, here}


@pytest.mark.row("N4")
def test_what_was_learned_from_some_words_is_found_by_them_also_when_it_was_reworded(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    first, second, other = (EventRef(event_id=f"e{n}", session_id="s", at=T0, quote="use pnpm") for n in range(3))
    memory = add(store, a_memory(evidence=(first,)))
    memory, _ = update(store, replace(memory, evidence=(first, second)))
    update(store, replace(memory, text="Use bun.", digest="x", status=Status.FORGOTTEN, evidence=(second,)))
    store = graphs.restart().open(a_graph())
    for said in (first, second):
        assert [m.memory_id for m in store.learned_from((said, other), None)] == [memory.memory_id]
    assert tuple(store.learned_from((other,), None)) == ()


def test_what_surfaces_before_another_call_was_learned_apart(store: GraphStore) -> None:
    said = EventRef(event_id="e", session_id="s", at=T0, quote="make fixtures")
    one, two = Trigger(program="pytest", flags=("-q", "-x")), Trigger(program="tox")
    first = add(store, a_memory(evidence=(said,), trigger=one))
    second = add(store, a_memory("other", evidence=(said,), trigger=two))
    assert list(store.learned_from((said,), replace(one, flags=("-x", "-q")))) == [first]
    assert list(store.learned_from((said,), two)) == [second]
    assert list(store.learned_from((said,), None)) == []


def test_counts_are_by_status(store: GraphStore) -> None:
    for status in (Status.ACTIVE, Status.ACTIVE, Status.FORGOTTEN):
        add(store, a_memory(status=status))
    assert store.counts() == {"active": 2, "forgotten": 1}
    assert store.stats().by_status == store.counts()
    assert store.stats().journal_entries == 3
    assert store.stats().graph == store.graph == a_graph()


# --- changing ---------------------------------------------------------------------------------------------------


def test_an_update_is_journalled_with_the_old_value(graphs: Graphs, store: GraphStore) -> None:
    memory = add(store, a_memory("old"))
    graphs.clock.advance(hours=1)
    changed, new = update(store, replace(memory, text="new"), action="edit", reason="typo")

    assert new
    assert store.get(memory.memory_id) == changed
    [entry, _] = store.journal()
    assert (entry.actor, entry.action, entry.reason) == (Actor.USER, "edit", "typo")
    assert (entry.before, entry.after) == (memory, changed)
    assert entry.at == T0 + timedelta(hours=1)


def test_an_update_is_found_by_its_new_words_only(store: GraphStore) -> None:
    memory = add(store, a_memory("prefer tabs"))
    update(store, replace(memory, text="prefer spaces"))
    assert found(store, "spaces") == ["prefer spaces"]
    assert found(store, "tabs") == []


def test_an_update_with_a_key_happens_once(store: GraphStore) -> None:
    memory = add(store, a_memory())
    once, _ = update(store, replace(memory, support=2), key="job-1")
    assert update(store, replace(once, support=3), key="job-1") == (once, False)
    assert update(store, replace(once, support=3), key="job-2")[1]


def test_one_key_updates_two_memories_once_each(store: GraphStore) -> None:
    one, two = add(store, a_memory()), add(store, a_memory())
    assert update(store, replace(one, support=2), key="job-1")[1]
    assert update(store, replace(two, support=2), key="job-1")[1]


def test_an_update_that_changes_nothing_leaves_no_entry(store: GraphStore) -> None:
    memory = add(store, a_memory())
    assert update(store, memory) == (memory, False)
    assert len(store.journal()) == 1


def test_an_update_of_an_unknown_memory_is_not_found(store: GraphStore) -> None:
    with pytest.raises(NotFound):
        update(store, a_memory())


def test_touching_counts_uses_and_nothing_else(store: GraphStore) -> None:
    memory = add(store, a_memory())
    store.touch([memory.memory_id, "unknown"], T0 + timedelta(days=1))
    store.touch([memory.memory_id], T0 + timedelta(days=2))

    assert store.get(memory.memory_id) == replace(memory, uses=2, last_used_at=T0 + timedelta(days=2))
    assert len(store.journal()) == 1


def test_an_update_from_an_older_reading_keeps_the_uses_counted_since(store: GraphStore) -> None:
    memory = add(store, a_memory())
    store.touch([memory.memory_id], T0)
    update(store, replace(memory, text="new"))
    got = store.get(memory.memory_id)
    assert got is not None
    assert (got.uses, got.text) == (1, "new")


# --- undoing ----------------------------------------------------------------------------------------------------


def test_reverting_restores_exactly_and_is_journalled(store: GraphStore) -> None:
    memory = add(store, a_memory("old", tags=("a",)))
    changed, _ = update(store, replace(memory, text="new", tags=(), status=Status.FORGOTTEN))
    [edit, _] = store.journal()

    undo = store.revert(edit.seq, actor=Actor.USER)

    assert store.get(memory.memory_id) == memory
    assert (undo.action, undo.before, undo.after) == ("revert", changed, memory)
    assert [e.undone_by for e in store.journal()] == [0, undo.seq, 0]
    assert found(store, "old") == ["old"]
    assert found(store, "new") == []


def test_reverting_an_addition_forgets_the_memory(store: GraphStore) -> None:
    memory = add(store, a_memory())
    [entry] = store.journal()
    store.revert(entry.seq, actor=Actor.USER)
    assert store.get(memory.memory_id) == replace(memory, status=Status.FORGOTTEN)


def test_reverting_a_revert_makes_the_first_change_stand_again(store: GraphStore) -> None:
    memory = add(store, a_memory("old"))
    changed, _ = update(store, replace(memory, text="new"))
    undo = store.revert(2, actor=Actor.USER)

    redo = store.revert(undo.seq, actor=Actor.USER)

    assert store.get(memory.memory_id) == changed
    assert {e.seq: e.undone_by for e in store.journal()} == {1: 0, 2: 0, 3: redo.seq, 4: 0}


def test_reverting_keeps_the_uses_counted_since(store: GraphStore) -> None:
    memory = add(store, a_memory("old"))
    update(store, replace(memory, text="new"))
    store.touch([memory.memory_id], T0)
    store.revert(2, actor=Actor.USER)
    assert store.get(memory.memory_id) == replace(memory, uses=1, last_used_at=T0)


def test_reverting_twice_is_a_conflict(store: GraphStore) -> None:
    memory = add(store, a_memory())
    update(store, replace(memory, text="new"))
    store.revert(2, actor=Actor.USER)
    with pytest.raises(Conflict, match="undone"):
        store.revert(2, actor=Actor.USER)


def test_reverting_what_changed_since_is_a_conflict_and_changes_nothing(store: GraphStore) -> None:
    memory = add(store, a_memory("one"))
    two, _ = update(store, replace(memory, text="two"))
    three, _ = update(store, replace(two, text="three"))
    with pytest.raises(Conflict, match="changed since"):
        store.revert(2, actor=Actor.USER)
    assert store.get(memory.memory_id) == three
    assert len(store.journal()) == 3


def test_reverting_an_unknown_entry_is_not_found(store: GraphStore) -> None:
    with pytest.raises(NotFound):
        store.revert(1, actor=Actor.USER)


# --- purging ----------------------------------------------------------------------------------------------------


def test_a_purge_leaves_entries_without_content(store: GraphStore) -> None:
    memory = add(store, a_memory("secret"))
    update(store, replace(memory, text="secreter"), reason="because of the secret")
    kept = add(store, a_memory("public"))

    store.purge(memory.memory_id)

    assert store.get(memory.memory_id) is None
    assert store.list(ANY) == (kept,)
    assert found(store, "secret", "secreter") == []
    own = store.journal(memory_id=memory.memory_id)
    assert [(e.action, e.before, e.after, e.reason) for e in own] == [
        ("purge", None, None, ""),
        ("edit", None, None, ""),
        ("add", None, None, ""),
    ]


def test_what_was_purged_can_not_be_reverted(store: GraphStore) -> None:
    memory = add(store, a_memory())
    store.purge(memory.memory_id)
    for seq in (1, 2):
        with pytest.raises(Conflict, match="purged"):
            store.revert(seq, actor=Actor.USER)


def test_a_purge_may_be_repeated_but_not_of_what_never_was(store: GraphStore) -> None:
    memory = add(store, a_memory())
    store.purge(memory.memory_id)
    store.purge(memory.memory_id)
    assert len(store.journal()) == 2
    with pytest.raises(NotFound):
        store.purge("unknown")


def test_the_journal_is_newest_first_of_one_memory_or_of_all(store: GraphStore) -> None:
    one, two = add(store, a_memory()), add(store, a_memory())
    update(store, replace(one, support=2))
    assert [e.seq for e in store.journal()] == [3, 2, 1]
    assert [e.seq for e in store.journal(limit=2)] == [3, 2]
    assert [e.seq for e in store.journal(memory_id=one.memory_id)] == [3, 1]
    assert [e.memory_id for e in store.journal(memory_id=two.memory_id)] == [two.memory_id]


# --- filtering --------------------------------------------------------------------------------------------------


def test_a_list_is_pinned_first_then_by_support_confidence_and_age(store: GraphStore) -> None:
    expected = [
        a_memory(pinned=True, support=1, confidence=0.1),
        a_memory(support=3, confidence=0.2),
        a_memory(support=2, confidence=0.9),
        a_memory(support=2, confidence=0.8, created_at=T0 + timedelta(microseconds=1)),
        a_memory(support=2, confidence=0.8),
    ]
    for memory in reversed(expected):
        add(store, memory)
    assert store.list(ANY) == tuple(expected)
    assert store.list(ANY, limit=2) == tuple(expected[:2])


@pytest.mark.row("B4")
def test_a_memory_without_a_source_passes_no_source_filter(store: GraphStore) -> None:
    add(store, a_memory("uses pnpm without source", source=None))
    add(store, a_memory("uses pnpm as told", source=Source.EXPLICIT))
    every = MemoryFilter(sources=frozenset(Source))

    assert [m.text for m in store.list(every)] == ["uses pnpm as told"]
    assert found(store, "pnpm", where=every) == ["uses pnpm as told"]
    assert len(store.list(MemoryFilter())) == 2
    assert store.list(MemoryFilter(sources=frozenset())) == ()


CASES = [
    (MemoryFilter(), {"plain", "awake", "episode"}),
    (MemoryFilter(statuses=frozenset({Status.FORGOTTEN})), {"forgotten"}),
    (MemoryFilter(statuses=frozenset()), set()),
    (MemoryFilter(kinds=frozenset({MemoryKind.EPISODIC})), {"episode"}),
    (MemoryFilter(min_confidence=0.9), {"awake"}),
    (MemoryFilter(awake_at=T0), {"plain", "episode"}),
    (MemoryFilter(awake_at=T0 + timedelta(days=1)), {"plain", "awake", "episode"}),
    (MemoryFilter(exclude={"plain": "d1", "episode": "an older digest"}), {"awake", "episode"}),
]


@pytest.mark.parametrize(("where", "expected"), CASES)
def test_listing_and_searching_apply_the_same_filter(
    store: GraphStore, where: MemoryFilter, expected: set[str]
) -> None:
    for memory in (
        a_memory("words", memory_id="plain", digest="d1"),
        a_memory("words", memory_id="forgotten", status=Status.FORGOTTEN),
        a_memory("words", memory_id="awake", confidence=0.9, snoozed_until=T0 + timedelta(days=1)),
        a_memory("words", memory_id="episode", kind=MemoryKind.EPISODIC),
    ):
        add(store, memory)
    assert {m.memory_id for m in store.list(where)} == expected
    assert {h.memory.memory_id for h in store.search(["words"], where).hits} == expected
    assert store.search(["words"], where).total == store.count(where) == len(expected)


@pytest.mark.row("D9")
def test_a_memory_the_filter_admits_is_found_below_many_better_ones_it_does_not(store: GraphStore) -> None:
    for _ in range(30):
        add(store, a_memory("deploy deploy deploy", confidence=0.2))
    add(store, a_memory("before anything else, and after much else, deploy to staging first", confidence=0.9))
    where = MemoryFilter(min_confidence=0.8, sources=frozenset({Source.CORRECTION}))
    assert len(found(store, "deploy", where=where, limit=5)) == 1


# --- searching --------------------------------------------------------------------------------------------------


@pytest.mark.row("B2")
def test_a_procedure_is_found_by_its_subgoal(store: GraphStore) -> None:
    add(
        store,
        a_memory("1. make fixtures\n2. pytest -q", title="run the integration suite", kind=MemoryKind.PROCEDURAL),
    )
    assert found(store, "integration") == ["1. make fixtures\n2. pytest -q"]


def test_every_field_with_words_is_searched(store: GraphStore) -> None:
    add(store, a_memory("alpha", title="bravo", why="charlie", how_to_apply="delta", tags=("echo", "two words")))
    for term in ("alpha", "bravo", "charlie", "delta", "echo", "words"):
        assert found(store, term) == ["alpha"], term


def test_the_best_match_comes_first_whatever_its_age_and_coverage_says_how_many_terms_occur(store: GraphStore) -> None:
    add(store, a_memory("pnpm workspaces need a lockfile", created_at=T0 - timedelta(days=900)))
    for n in range(19):
        add(store, a_memory(f"note {n} on the lockfile"))

    hits = store.search(["pnpm", "workspaces", "lockfile", "unheard"], MemoryFilter()).hits

    assert hits[0].memory.text == "pnpm workspaces need a lockfile"
    assert len(hits) == 20
    assert [h.stages["coverage"] for h in hits[:2]] == [0.75, 0.25]
    assert [h.matched for h in hits[:2]] == [("pnpm", "workspaces", "lockfile"), ("lockfile",)]
    assert all(h.score == h.stages["bm25"] > 0 for h in hits)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_a_term_said_twice_counts_once(store: GraphStore) -> None:
    add(store, a_memory("use pnpm"))
    [hit] = store.search(["pnpm", "PNPM", "pnpm", "npm"], MemoryFilter()).hits
    assert hit.stages["coverage"] == 0.5


def test_the_limit_cuts_the_worst(store: GraphStore) -> None:
    for text in ("zebra zebra zebra", "a zebra among many many other animals", "no such animal"):
        add(store, a_memory(text))
    assert found(store, "zebra", limit=1) == ["zebra zebra zebra"]
    assert store.search(["zebra"], MemoryFilter(), limit=1).total == 2


def test_terms_that_weigh_too_little_together_are_no_match_whatever_the_limit(store: GraphStore) -> None:
    for n in range(5):
        add(store, a_memory(f"build build build {n}"))
    add(store, a_memory("the staging database, where it stands for the build and what is in it"))
    terms, weights = ["build", "staging", "database"], {"build": 0.3, "staging": 0.5}

    both = store.search(terms, MemoryFilter(), weights=weights, least=0.6, limit=1)

    assert [hit.matched for hit in both.hits] == [("build", "staging", "database")], "one without a weight has 1"
    assert both.total == 1
    assert store.search(terms, MemoryFilter(), weights=weights, least=0.3).total == 6
    assert store.search(terms, MemoryFilter(), weights=weights, least=1.9).total == 0


def test_it_is_counted_in_how_many_memories_a_term_occurs_whatever_their_status(store: GraphStore) -> None:
    add(store, a_memory("pnpm pnpm", title="pnpm"))
    add(store, a_memory("use pnpm", status=Status.FORGOTTEN))
    add(store, a_memory("see src/main.py"))
    assert store.occurrences(["pnpm", "src/main.py", "yarn", "!"]) == (3, {"pnpm": 2, "src/main.py": 1, "yarn": 0})
    assert store.occurrences([]) == (3, {})


def test_memories_a_filter_admits_are_counted(store: GraphStore) -> None:
    for n in range(3):
        add(store, a_memory(confidence=n / 2))
    assert store.count(MemoryFilter(min_confidence=0.5)) == 2
    assert store.count(MemoryFilter(statuses=frozenset({Status.FORGOTTEN}))) == 0


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("see CLAUDE.md first", "CLAUDE.md"),
        ("see CLAUDE.md first", "claude.md"),
        ("entry point is src/main.py", "src/main.py"),
        ("a multi-agent setup", "multi-agent"),
        ("files in Downloads/transcripts", "Downloads/transcripts"),
        ("needs ubuntu 20.04", "20.04"),
        ("written in C++", "C++"),
        ("set foo:bar", "foo:bar"),
        ("100 GB/s", "GB/s"),
        ("use the test command", "tests"),
        ("Résumé parsing", "resume"),
        ("用 pnpm 代替", "pnpm"),
        ("中文优先", "中文优先"),
        ("中文优先", "中文"),
        ("中文优先", "先"),
        ("今天玩成语接龙游戏", "成语接龙"),
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("每日复盘 cron 备份", "cron 备份"),
        ("每日复盘 cron 备份", "复盘"),
        ("コミットメッセージは英語", "コミット"),
        ("ｺﾐｯﾄ", "コミット"),
        ("用pnpm还是npm呢", "pnpm"),
        ("pnpmで入れる", "pnpm"),
        ("ใช้ pnpm แทน npm", "pnpm"),
        ("ใช้ pnpm แทน npm", "แทน"),
        ("हिन्दी में लिखो", "हिन्दी"),
        ("re\u0301sume\u0301", "résumé"),
        ("ＡＢＣ client", "ABC"),
        ("call handleError() first", "handle_error"),
        ("call handle_error first", "handleError"),
        ("class HandleError", "handle_error"),
        ("handle error, then go on", "handleError"),
        ("in src/handleError.ts", "handleError.ts"),
        ("the PostgreSQL server", "postgresql"),
    ],
)
def test_names_with_punctuation_are_found(store: GraphStore, text: str, term: str) -> None:
    add(store, a_memory(text))
    add(store, a_memory("something else entirely"))
    assert found(store, term) == [text]


@pytest.mark.parametrize(
    "term",
    [
        "don't use agents",
        "a AND",
        "NOT",
        "NEAR(",
        '"unbalanced',
        '"',
        "*",
        "-x",
        "^a",
        "(",
        "",
        " ",
        "x" * 10_000,
        "🙂",
        "a\0b",
        "\ud800",
        "col:umn",
        "{a b}",
        "a + b",
        "中",
        "が",
        "\u0e49",
        "a\u0301" * 50,
        "é" * 10_000,
        "中" * 10_000,
        "a/" * 2_000,
        "aB" * 2_000,
    ],
)
def test_no_term_is_an_error(store: GraphStore, term: str) -> None:
    add(store, a_memory("plain words, and nothing else"))
    assert found(store, term) == []
    assert found(store, term, "plain") == ["plain words, and nothing else"]


def test_thousands_of_terms_are_no_error(store: GraphStore) -> None:
    add(store, a_memory("plain words"))
    assert found(store, *(f"term{n}" for n in range(3000)), "plain") == ["plain words"]


def test_a_search_without_terms_finds_nothing(store: GraphStore) -> None:
    add(store, a_memory())
    assert store.search([], MemoryFilter()) == Found()


# --- isolation --------------------------------------------------------------------------------------------------


@pytest.mark.fault("B62")
@pytest.mark.row("A14")
def test_a_graph_gives_nothing_of_another_by_any_way_of_asking(graphs: Graphs) -> None:
    secret = a_memory("the canary sings", digest="canary-digest")
    add(graphs.stores.open(a_graph()), secret)

    for foreign in (a_graph("acme/other"), a_graph(harness="codex"), a_user_graph()):
        store = graphs.stores.open(foreign)
        assert store.search(["canary", "sings"], ANY) == Found()
        assert store.occurrences(["canary"]) == (0, {"canary": 0})
        assert store.count(ANY) == 0
        assert store.list(ANY) == ()
        assert store.get(secret.memory_id) is None
        assert store.by_prefix(secret.short_id) == ()
        assert store.by_digest(secret.digest) == ()
        assert store.journal(memory_id=secret.memory_id) == ()
        with pytest.raises(NotFound):
            store.purge(secret.memory_id)
        with pytest.raises(NotFound):
            store.revert(1, actor=Actor.USER)
    assert graphs.stores.open(a_graph()).get(secret.memory_id) == secret


# --- batches ----------------------------------------------------------------------------------------------------


def test_the_changes_of_one_act_are_found_by_their_batch_newest_first(graphs: Graphs) -> None:
    store = graphs.stores.open(a_graph())
    one, two = a_memory("one"), a_memory("two")
    store.add(one, key="1", actor=Actor.GATE, reason="stated", batch="sweep-1")
    add(store, two)
    update(store, replace(one, title="first"), batch="sweep-1")
    update(store, replace(one, title="another"), batch="sweep-2")

    for held in (store, graphs.restart().open(a_graph())):
        assert [(e.memory_id, e.action, e.batch) for e in held.batch("sweep-1")] == [
            (one.memory_id, "edit", "sweep-1"),
            (one.memory_id, "add", "sweep-1"),
        ]
        assert held.journal(batch="sweep-1", limit=1) == held.batch("sweep-1")[:1]
        assert [e.batch for e in held.journal()] == ["sweep-2", "sweep-1", "", "sweep-1"]
        assert held.journal(memory_id=two.memory_id, batch="sweep-1") == ()


def test_no_batch_is_no_group(store: GraphStore) -> None:
    add(store, a_memory())
    assert store.batch("") == ()
    assert store.batch("never-was") == ()
    assert len(store.journal(batch="")) == 1


def test_undoing_a_batch_from_its_newest_change_leaves_what_was_before_and_is_a_batch_itself(store: GraphStore) -> None:
    memory = add(store, a_memory("we use npm"))
    update(store, replace(memory, text="we use pnpm"), batch="b")
    store.add(other := a_memory("other"), key="o", actor=Actor.GATE, reason="", batch="b")

    for entry in store.batch("b"):
        store.revert(entry.seq, actor=Actor.USER, batch="undo-b")

    assert store.get(memory.memory_id) == memory
    assert [m.memory_id for m in store.list(ACTIVE)] == [memory.memory_id]
    assert {entry.undone_by > 0 for entry in store.batch("b")} == {True}
    for entry in store.batch("undo-b"):
        store.revert(entry.seq, actor=Actor.USER)
    assert [entry.undone_by for entry in store.batch("b")] == [0, 0]
    assert {m.text for m in store.list(ACTIVE)} == {"we use pnpm", other.text}


def test_a_purge_leaves_a_batch_without_the_words(store: GraphStore) -> None:
    memory = a_memory("the canary sings")
    store.add(memory, key="k", actor=Actor.GATE, reason="canary", batch="b")
    store.purge(memory.memory_id)
    [entry] = store.batch("b")
    assert (entry.before, entry.after, entry.reason) == (None, None, "")


# --- recipes ------------------------------------------------------------------------------------------------------


def test_recipes_are_found_by_the_program_they_surface_before(store: GraphStore) -> None:
    add(store, a_memory("make fixtures", digest="1", trigger=Trigger(program="pytest")))
    add(store, a_memory("pnpm i", digest="2", trigger=Trigger(program="pnpm", subcommand="test", flags=("-r",))))
    add(store, a_memory("use pytest here", digest="3"))
    for programs, texts in (
        ({"pytest"}, ["make fixtures"]),
        ({"pnpm", "x"}, ["pnpm i"]),
        ({"PYTEST"}, []),
        (set(), []),
    ):
        where = MemoryFilter(programs=frozenset(programs))
        assert [m.text for m in store.list(where)] == texts
        assert store.count(where) == len(texts)


def test_a_list_without_recipes_has_everything_else(store: GraphStore) -> None:
    add(store, a_memory("make fixtures", digest="1", trigger=Trigger(program="pytest")))
    add(store, a_memory("use pytest here", digest="3"))
    assert [m.text for m in store.list(MemoryFilter(with_recipes=False))] == ["use pytest here"]
    assert found(store, "pytest", where=MemoryFilter(with_recipes=False)) == ["use pytest here"]
    assert len(store.list(MemoryFilter())) == 2


def a_place_of(symbol: str) -> Memory:
    anchors = (Anchor(path="src/args.ts", symbol=symbol),)
    text = f"`{symbol}` is defined in `src/args.ts`."
    return a_memory(text, digest=symbol, source=Source.REPEATED_LOOKUP, anchors=anchors)


def test_places_are_found_by_the_very_name_and_left_out_where_they_are_not_wanted(store: GraphStore) -> None:
    add(store, a_place_of("parseArgs"))
    add(store, a_place_of("read_args"))
    add(store, a_memory("use parseArgs here", digest="3", anchors=(Anchor(path="a.ts", symbol="parseArgs"),)))
    add(store, a_memory("looked up", digest="4", source=Source.REPEATED_LOOKUP))
    for names, count in (({"parseArgs"}, 1), ({"parseArgs", "read_args"}, 2), ({"parseargs"}, 0), (set(), 0)):
        where = MemoryFilter(names=frozenset(names))
        assert (len(store.list(where)), store.count(where)) == (count, count)
    others = MemoryFilter(with_places=False)
    assert sorted(m.text for m in store.list(others)) == ["looked up", "use parseArgs here"]
    assert found(store, "parseArgs", where=others) == ["use parseArgs here"]

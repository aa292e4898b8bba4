"""Memories go out and come in as they are; what a file says is data and never authority."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import T0, a_graph, a_session, a_user_graph
from tests.homes import Home, a_home, changed, file_of, records_of

from wisen.core.graphids import parse_graph_id
from wisen.core.portable import Alias
from wisen.core.records import Actor, RootClaim
from wisen.core.types import GraphId, Memory, Origin, Status
from wisen.engine.carry import Fate, How
from wisen.engine.curate import Curate, Draft, Edit
from wisen.engine.outgoing import line_of
from wisen.errors import Conflict, InvalidValue, NotFound

REPO, OTHER, YOU = a_graph(), a_graph("acme/gadgets"), a_user_graph()
RULE = "Use pnpm here, not npm."
KINDS = ["memory", "sqlite"]


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest) -> Iterator[Home]:
    with a_home(request.param) as home:
        yield home


@pytest.fixture
def fresh() -> Iterator[Home]:
    with a_home("memory") as home:
        yield home


def remember(home: Home, text: str = RULE, graph: GraphId = REPO, **over: Any) -> Memory:
    return home.curate.remember(graph, Draft(text=text, **over)).memory


def held(home: Home, memory: Memory) -> Memory | None:
    store = home.graphs.existing(memory.graph)
    return store.get(memory.memory_id) if store else None


# --- round trip -------------------------------------------------------------------------------------------------

words = st.text(st.characters(categories=["L", "Nd"], max_codepoint=0x24F), min_size=1, max_size=12)
deeds = st.lists(st.tuples(st.sampled_from("redfupa"), st.integers(0, 5), words), max_size=12)


def do(home: Home, deed: str, which: int, text: str) -> None:
    """Change something as a user may; what the state does not allow is left undone."""
    graph = (REPO, OTHER, YOU)[which % 3]
    store = home.graphs.existing(graph)
    ids = [record.memory_id for record in store.records()[0]] if store else []
    memory_id = ids[which % len(ids)] if ids else ""
    home.clock.advance(seconds=1)
    curate: Curate = home.curate
    acts: dict[str, Callable[[], object]] = {
        "r": lambda: curate.remember(graph, Draft(text=text, tags=(text,))),
        "a": lambda: curate.remember(graph, Draft(text=text, origin=Origin.ASSISTANT_INFERRED)),
        "e": lambda: curate.edit(graph, memory_id, Edit(text=f"{text} {which}", title=text)),
        "d": lambda: curate.accept(graph, memory_id),
        "f": lambda: curate.forget(graph, memory_id),
        "u": lambda: curate.undo(graph, which + 1),
        "p": lambda: curate.purge(graph, memory_id),
    }
    try:
        acts[deed]()
    except (Conflict, NotFound, InvalidValue):
        return
    if store and memory_id:
        store.touch([memory_id], home.clock.now())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(done=deeds, page=st.integers(1, 3))
def test_export_import_export_gives_equal_bytes(kind: str, done: list[tuple[str, int, str]], page: int) -> None:
    with a_home(kind) as home, a_home(kind) as fresh:
        for deed, which, text in done:
            do(home, deed, which, text)
        home.control.save_root_claim(RootClaim(graph=str(REPO), root="a" * 40, first_seen=T0, witnesses=("b" * 40,)))
        home.control.save_alias(a_graph("old/name"), REPO)
        file = home.exported(page=page)
        report = fresh.take_in(file)
        assert (report.problems, report.notes) == ([], {})
        assert fresh.exported() == file
        # Importing twice equals importing once.
        again = fresh.take_in(file)
        assert set(again.fates) | set(again.identities) <= {Fate.SAME}
        assert fresh.exported() == file


def test_what_was_promoted_or_purged_is_not_learned_again_after_a_move(home: Home, fresh: Home) -> None:
    kept, gone = remember(home), remember(home, "Deploy on Fridays.")
    store = home.graphs.open(REPO)
    store.update(replace(kept, support=2), actor=Actor.GATE, action="support", reason="correction", key="seen-again")
    home.curate.purge(REPO, gone.memory_id)
    fresh.take_in(home.exported())
    moved = fresh.graphs.open(REPO)
    for memory in (kept, gone):
        key = f"command:{memory.memory_id}"
        again = replace(memory, memory_id="0193a000-0000-7000-9000-0000000000ff")
        assert moved.add(again, key=key, actor=Actor.GATE, reason="r")[1] is False
    again = replace(kept, support=9)
    assert moved.update(again, actor=Actor.GATE, action="support", reason="correction", key="seen-again")[1] is False
    assert "Fridays" not in fresh.exported()


def test_an_undo_works_on_what_came_from_a_file(home: Home, fresh: Home) -> None:
    memory = remember(home)
    home.curate.edit(REPO, memory.memory_id, Edit(text="Use yarn here."))
    fresh.take_in(home.exported())
    fresh.curate.undo(REPO, 2)
    assert held(fresh, memory) == replace(memory, verified_at=memory.verified_at)


def test_changes_whose_numbers_are_taken_get_the_next_ones(home: Home, fresh: Home) -> None:
    memory = remember(home)
    home.curate.edit(REPO, memory.memory_id, Edit(title="Package manager"))
    home.curate.undo(REPO, 2)
    remember_here = fresh.curate.remember(REPO, Draft(text="Commit small.")).memory
    assert remember_here.memory_id == memory.memory_id  # the fakes count alike: give the file's another id
    file = home.exported().replace(memory.memory_id, "0193a000-0000-7000-8000-00000000beef")
    assert fresh.take_in(file).fates == {Fate.ADDED: 1}
    journal = fresh.graphs.open(REPO).journal(memory_id="0193a000-0000-7000-8000-00000000beef")
    assert [(entry.seq, entry.undone_by, entry.action) for entry in journal] == [
        (4, 0, "revert"),
        (3, 4, "edit"),
        (2, 0, "add"),
    ]
    assert fresh.graphs.open(REPO).journal(memory_id=remember_here.memory_id)[0].seq == 1


# --- what is here stays -----------------------------------------------------------------------------------------


def test_a_memory_that_was_changed_here_stays_as_it_is_here(home: Home) -> None:
    memory = remember(home)
    file = home.exported()
    home.curate.edit(REPO, memory.memory_id, Edit(text="Use yarn here."))
    assert home.take_in(file).fates == {Fate.KEPT: 1}
    now = held(home, memory)
    assert now is not None
    assert now.text == "Use yarn here."


def test_what_was_purged_here_stays_erased(home: Home) -> None:
    memory = remember(home)
    file = home.exported()
    home.curate.purge(REPO, memory.memory_id)
    assert home.take_in(file).fates == {Fate.ERASED: 1}
    assert "pnpm" not in home.exported()


def test_the_same_words_under_another_id_are_not_doubled_and_leave_their_keys(home: Home, fresh: Home) -> None:
    theirs = remember(home)
    fresh.curate.remember(OTHER, Draft(text="Something else."))  # so that the ids differ
    ours = remember(fresh, "use PNPM here, not npm.")
    file = home.exported()
    assert fresh.take_in(file, is_dry=True).fates == {Fate.TWIN: 1}
    assert fresh.take_in(file).fates == {Fate.TWIN: 1}
    store = fresh.graphs.open(REPO)
    assert [m.memory_id for m in store.by_digest(theirs.digest)] == [ours.memory_id]
    again = replace(theirs, memory_id="0193a000-0000-7000-9000-0000000000ff")
    assert store.add(again, key=f"command:{theirs.memory_id}", actor=Actor.GATE, reason="r")[1] is False


def renamed(file: str) -> str:
    """Return a file of one memory with another id."""
    return changed(file, lambda said: said.update(memory_id="0193a000-0000-7000-9000-0000000000ff", keys=[]))


def without_times(said: dict[str, Any]) -> None:
    said["journal"] = []
    for name in ("created_at", "authored_at", "verified_at"):
        said["memory"].pop(name)


def test_what_was_forgotten_here_stays_so_under_another_id(home: Home) -> None:
    memory = remember(home)
    file = renamed(home.exported())
    home.clock.advance(minutes=1)
    home.curate.forget(REPO, memory.memory_id)
    home.clock.advance(minutes=1)
    for said_before in (file, changed(file, without_times)):
        assert home.take_in(said_before).fates == {Fate.PUT_AWAY: 1}
    assert home.curate.waiting([REPO]) == ()
    assert [m.status for m in home.graphs.open(REPO).by_digest(memory.digest)] == [Status.FORGOTTEN]


def test_what_was_said_anew_after_it_was_forgotten_comes_in(home: Home, fresh: Home) -> None:
    memory = remember(home)
    home.curate.forget(REPO, memory.memory_id)
    file = home.exported()
    fresh.take_in(file)
    fresh.clock.advance(minutes=1)
    later = fresh.clock.at.isoformat()
    again = changed(renamed(file), lambda said: said["memory"].update(status="active", verified_at=later))
    fresh.clock.advance(minutes=1)
    assert fresh.take_in(again).fates == {Fate.ADDED: 1}


def test_two_lines_with_the_same_words_are_one_memory(home: Home, fresh: Home) -> None:
    memory = remember(home)
    [(_, line)] = records_of(home.exported())
    twin = line.replace(memory.memory_id, "0193a000-0000-7000-9000-0000000000ff")
    assert fresh.take_in(file_of([line, line, twin])).fates == {Fate.ADDED: 1, Fate.SAME: 1, Fate.TWIN: 1}


def test_a_dry_run_says_the_same_and_changes_nothing(home: Home, fresh: Home) -> None:
    remember(home)
    home.control.save_root_claim(RootClaim(graph=str(REPO), root="a" * 40, first_seen=T0))
    file = home.exported()
    told = fresh.take_in(file, is_dry=True)
    assert fresh.graphs.graphs() == ()
    assert fresh.control.root_claim(REPO) is None
    done = fresh.take_in(file)
    assert (told.fates, told.identities) == (done.fates, done.identities) == ({Fate.ADDED: 1}, {Fate.ADDED: 1})


# --- other versions, other hands --------------------------------------------------------------------------------


@pytest.mark.fault("B43")
def test_a_record_without_a_field_of_today_becomes_a_memory_and_a_warning(home: Home, fresh: Home) -> None:
    """Known fault B43."""

    def older(said: dict[str, Any]) -> None:
        for version in (said["memory"], said["journal"][0]["after"]):
            for name in ("kind", "digest", "created_at", "support", "visibility"):
                del version[name]

    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), older))
    assert (report.problems, report.fates) == ([], {Fate.ADDED: 1})
    assert dict(report.notes) == {
        "missing: `kind` (taken for semantic); `digest`, `created_at` (computed); `support` (taken for 1); "
        "`visibility` (taken for repo)": 1
    }
    assert held(fresh, memory) == memory


def test_what_is_missing_of_a_bare_memory_is_told_in_a_line(home: Home, fresh: Home) -> None:
    remember(home)
    report = fresh.take_in(changed(home.exported(), lambda said: said.update(memory={"text": RULE}, journal=[])))
    [missing] = [note for note in report.notes if note.startswith("missing:")]
    assert "`kind` (taken for semantic)" in missing
    assert "`why`, `how_to_apply`, `tags`" in missing
    report = fresh.take_in(changed(home.exported(), lambda said: said["journal"][0].pop("reason")))
    assert "missing of a change: `reason` (taken for none)" in report.notes


def without_after(said: dict[str, Any]) -> None:
    for entry in said["journal"]:
        del entry["after"]


def without_before(said: dict[str, Any]) -> None:
    for entry in said["journal"]:
        entry.pop("before", None)


@pytest.mark.parametrize(
    "cut",
    [
        without_after,
        without_before,
        lambda said: said["journal"].pop(0),
        lambda said: said["journal"].pop(1),
        lambda said: said["journal"].pop(),
        lambda said: said["memory"].update(text="Use bun here."),
    ],
)
def test_changes_that_were_cut_by_hand_lead_to_the_memory_all_the_same(home: Home, cut: Callable[[Any], Any]) -> None:
    """Otherwise the doctor would find for ever that something is gone."""
    memory = remember(home)
    home.curate.edit(REPO, memory.memory_id, Edit(text="Use yarn here."))
    home.curate.edit(REPO, memory.memory_id, Edit(text="Use deno here."))
    with a_home("sqlite") as fresh:
        report = fresh.take_in(changed(home.exported(), cut))
        assert report.fates == {Fate.ADDED: 1}
        assert sum(report.notes.values())
        [record] = fresh.graphs.open(REPO).records()[0]
        assert record.memory is not None
        ends = [entry.after for entry in record.journal]
        assert [entry.before for entry in record.journal] == [None, *ends[:-1]]
        assert ends[-1] == record.memory
        assert not fresh.graphs.check()
        fresh.curate.undo(REPO, record.journal[-1].seq)


@pytest.mark.parametrize("name", ["origin", "status"])
@pytest.mark.fault("B43")
def test_a_record_that_does_not_say_who_said_it_or_how_it_stands_waits_for_review(
    home: Home, fresh: Home, name: str
) -> None:
    """Known fault B43."""
    memory = remember(home)
    fresh.take_in(changed(home.exported(), lambda said: said["memory"].pop(name)))
    now = held(fresh, memory)
    assert now is not None
    assert now.status is Status.PENDING_REVIEW


@pytest.mark.fault("B43")
def test_a_memory_without_id_and_history_is_taken_in_once_and_can_be_undone(home: Home, fresh: Home) -> None:
    """Known fault B43."""
    remember(home)

    def bare(said: dict[str, Any]) -> None:
        said["memory"] = {"text": RULE, "origin": "user_typed", "status": "active"}
        for name in ("memory_id", "journal", "keys"):
            del said[name]

    file = changed(home.exported(), bare)
    assert fresh.take_in(file).fates == {Fate.ADDED: 1}
    fresh.clock.advance(days=1)
    assert set(fresh.take_in(file).fates) <= {Fate.SAME, Fate.KEPT}
    [record] = fresh.graphs.open(REPO).records()[0]
    assert [entry.action for entry in record.journal] == ["add"]
    fresh.curate.undo(REPO, 1)


def test_fields_of_a_newer_wisen_are_told_of_and_the_rest_is_kept(home: Home, fresh: Home) -> None:
    memory = remember(home)

    def newer(said: dict[str, Any]) -> None:
        said["vectors"] = [1]
        said["memory"]["mood"] = "calm"
        said["memory"]["evidence"][0]["page"] = 3

    report = fresh.take_in(changed(home.exported(), newer))
    assert sorted(report.notes) == [
        "`evidence.page` is not known to this wisen: left out",
        "`mood` is not known to this wisen: left out",
        "`vectors` is not known to this wisen: left out",
    ]
    assert held(fresh, memory) == memory


BAD_LINES = [
    "",
    "{",
    "[]",
    "null",
    '"memory"',
    "[" * 100_000,
    '{"record":"dream"}',
    '{"record":"memory"}',
    '{"record":"memory","graph":"repo://x"}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"../../etc"}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"0193a000-1","memory":{"text":""}}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"0193a000-1","memory":{"text":7}}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"0193a000-1","memory":7,"journal":{}}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"0193a000-1","memory":{"text":"\\ud800"}}',
    '{"record":"memory","graph":"repo://claude-code/github.com/a/b","memory_id":"0193a000-1","memory":null}',
    '{"record":"claim","graph":"nonsense","root":"","first_seen":"2026-01-01T00:00:00Z"}',
    '{"record":"alias","old":"repo://claude-code/github.com/a/b"}',
    '{"record":"alias","old":"repo://claude-code/github.com/a/b","new":"repo://codex/github.com/a/b"}',
]


def test_a_bad_line_is_named_and_the_others_are_taken_in(home: Home, fresh: Home) -> None:
    remember(home)
    [(_, good)] = records_of(home.exported())
    lines = [*BAD_LINES, good]
    report = fresh.carry.take_in(list(enumerate(lines, 2)), How())
    assert [line for line, _ in report.problems] == list(range(2, 2 + len(BAD_LINES)))
    assert report.fates == {Fate.ADDED: 1}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", "dreaming"),
        ("confidence", 7),
        ("confidence", "high"),
        ("support", -1),
        ("created_at", "1971-01-01T00:00:00Z"),
        ("created_at", "2026-01-01T00:00:00"),
        ("uses", 2**70),
        ("tags", "pnpm"),
    ],
)
def test_a_field_that_holds_something_impossible_costs_its_line_alone(
    home: Home, fresh: Home, name: str, value: object
) -> None:
    memory, other = remember(home), remember(home, "Commit small.")

    def broken(said: dict[str, Any]) -> None:
        if said["memory_id"] == memory.memory_id:
            said["memory"][name] = value

    report = fresh.take_in(changed(home.exported(), broken))
    assert len(report.problems) == 1
    assert (held(fresh, memory), held(fresh, other)) == (None, other)


@pytest.mark.fault("B45")
def test_times_in_an_impossible_order_are_set_right_and_told(home: Home, fresh: Home) -> None:
    """Known fault B45."""
    memory = remember(home)

    def inverted(said: dict[str, Any]) -> None:
        said["memory"] |= {
            "authored_at": "2027-05-01T00:00:00Z",
            "verified_at": "2020-01-01T00:00:00Z",
            "last_used_at": "2020-01-01T00:00:00Z",
        }

    report = fresh.take_in(changed(home.exported(), inverted))
    assert len(report.notes) == 3
    now = held(fresh, memory)
    assert now is not None
    assert now.authored_at == now.verified_at == now.last_used_at == now.created_at


# --- data, never authority --------------------------------------------------------------------------------------


def test_secrets_and_hidden_characters_in_a_file_are_taken_out_of_every_version(home: Home, fresh: Home) -> None:
    token = "ghp_" + "a8Kd03jfLw92mZx7Qp5RtY1uVbNc4Ee6Hs0g"
    memory = remember(home)

    def planted(said: dict[str, Any]) -> None:
        for version in (said["memory"], said["journal"][0]["after"]):
            version["text"] = f"Push with {token}.\u202e"
            version["why"] = version["evidence"][0]["quote"] = f"because {token}"
            version["branch"] = version["evidence"][0]["session_id"] = token
        said["journal"][0]["reason"] = said["journal"][0]["batch"] = token

    report = fresh.take_in(changed(home.exported(), planted))
    assert report.notes["secrets or hidden characters taken out"] == 1
    assert token not in fresh.exported()
    assert "\u202e" not in fresh.exported()
    now = held(fresh, memory)
    assert now is not None
    assert now == fresh.graphs.open(REPO).journal()[0].after


@pytest.mark.parametrize("origin", [Origin.ASSISTANT_INFERRED, Origin.HEADLESS_PROMPT])
def test_what_was_never_the_users_word_waits_for_review_whatever_a_file_says(
    home: Home, fresh: Home, origin: Origin
) -> None:
    memory = remember(home)
    report = fresh.take_in(changed(home.exported(), lambda said: said["memory"].update(origin=origin.value)))
    now = held(fresh, memory)
    assert now is not None
    assert now.status is Status.PENDING_REVIEW
    assert report.notes[f"said by {origin.value}: waits for review"] == 1


@pytest.mark.parametrize("origin", [Origin.TOOL_OUTPUT, Origin.PEER, Origin.CURATED_FILE])
def test_what_may_not_become_a_memory_does_not_become_one_by_an_import(home: Home, fresh: Home, origin: Origin) -> None:
    remember(home)
    report = fresh.take_in(changed(home.exported(), lambda said: said["memory"].update(origin=origin.value)))
    assert len(report.problems) == 1
    assert fresh.graphs.graphs() == ()


def test_a_file_that_is_not_the_users_own_can_wait_for_review_as_a_whole(home: Home, fresh: Home) -> None:
    memory = remember(home)
    home.curate.edit(REPO, memory.memory_id, Edit(pinned=True))
    fresh.take_in(home.exported(), review=True)
    now = held(fresh, memory)
    assert now is not None
    assert (now.status, now.pinned) == (Status.PENDING_REVIEW, False)


def test_a_former_name_is_of_the_same_kind(fresh: Home) -> None:
    report = fresh.take_in(file_of([line_of(Alias(old=YOU, new=REPO)), line_of(Alias(old=REPO, new=YOU))]))
    assert [what.rpartition(": ")[2] for _, what in report.problems] == [
        "a graph never changes its harness or kind"
    ] * 2
    assert fresh.control.aliases() == {}


def test_who_a_graph_is_here_is_not_for_a_file_to_say(fresh: Home) -> None:
    here = RootClaim(graph=str(REPO), root="a" * 40, first_seen=T0)
    fresh.control.save_root_claim(here)
    fresh.control.save_alias(a_graph("one/one"), REPO)
    theirs = replace(here, root="b" * 40, trusted=("c" * 40,))
    lines = [
        line_of(theirs),
        line_of(Alias(old=REPO, new=OTHER)),
        line_of(Alias(old=a_graph("one/one"), new=OTHER)),
        line_of(Alias(old=a_graph("two/two"), new=a_graph("one/one"))),
    ]
    assert fresh.take_in(file_of(lines)).identities == {Fate.KEPT: 4}
    assert fresh.control.root_claim(REPO) == here
    assert fresh.control.aliases() == {str(a_graph("one/one")): str(REPO)}


# --- where to ---------------------------------------------------------------------------------------------------


def test_memories_go_into_the_graph_that_is_named_and_never_into_another_harness(home: Home, fresh: Home) -> None:
    remember(home)
    remember(home, "Answer in German.", YOU)
    repo_file, your_file = home.exported(REPO), home.exported(YOU)
    assert fresh.take_in(repo_file, into=OTHER).fates == {Fate.ADDED: 1}
    assert [str(graph) for graph in fresh.graphs.graphs()] == [str(OTHER)]
    codex = parse_graph_id("repo://codex/github.com/acme/widgets")
    for file, into in ((repo_file, codex), (repo_file, YOU), (your_file, REPO)):
        report = fresh.take_in(file, into=into)
        assert (len(report.problems), report.fates) == (1, {})


def test_another_harnesss_memories_come_back_into_its_own_graph(fresh: Home) -> None:
    with a_home("memory") as home:
        codex = parse_graph_id("repo://codex/github.com/acme/widgets")
        memory = remember(home, graph=codex)
        fresh.take_in(home.exported())
        assert held(fresh, memory) == memory


@pytest.mark.fault("B63")
def test_nothing_comes_into_the_graph_of_a_directory_that_is_excluded(home: Home) -> None:
    """Known fault B63: the predicate is that of capture, recall and search."""
    remember(home)
    with a_home("memory", exclude=("/secret",)) as fresh:
        fresh.control.save_session(a_session(graph=REPO, cwd="/secret/widgets"))
        report = fresh.take_in(home.exported())
        assert "exclude" in report.problems[0][1]
        assert fresh.graphs.graphs() == ()
        fresh.control.save_session(a_session(session_id="s2", graph=REPO, cwd="/elsewhere"))
        assert fresh.take_in(home.exported()).fates == {Fate.ADDED: 1}


def test_a_graph_that_does_not_exist_is_not_exported(fresh: Home) -> None:
    with pytest.raises(NotFound):
        fresh.carry.contents((REPO,))
    assert fresh.carry.contents().graphs == {}
    assert fresh.carry.page(REPO).lines == ()


def test_every_line_is_in_the_one_spelling(home: Home) -> None:
    remember(home, "Größe zählt: 大小.")
    home.control.save_root_claim(RootClaim(graph=str(REPO), root="a" * 40, first_seen=T0))
    for line in home.exported().splitlines():
        assert line == json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_lines_hold_neither_the_time_nor_the_place_of_the_export(home: Home) -> None:
    remember(home)
    file = home.exported()
    home.clock.advance(days=3)
    assert home.exported() == file
    assert json.loads(file.split("\n")[0]) == {"format": "wisen-export", "graphs": [str(REPO)], "version": 1}

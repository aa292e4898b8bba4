from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, UPSTREAM, YOU, Asked, FakeDaemon, Wisen, a_memory, an_entry, listing
from wisen.errors import Conflict, DaemonUnavailable, NotFound

EVIDENCE = {"event_id": "p1", "session_id": "session-1", "at": "2026-11-27T11:58:00Z", "quote": "we use pnpm, not npm"}


def test_list_shows_a_table_on_a_terminal_of_80_columns(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(
        a_memory(),
        a_memory(
            "9ab01c2d",
            "Run the integration tests with `make it`, never with pytest directly, since the database "
            "container has to be up before the first of them starts and pytest does not start it.",
            support=12,
        ),
        a_memory("77ffee00", "Answer in German.", graph=YOU, source="explicit", confidence=0.95),
        a_memory("0badcafe", "Sign every commit.", graph=UPSTREAM, source=None),
        repo={**HERE, "reads": [REPO, UPSTREAM, YOU]},
    )
    ran = wisen("list", terminal=True)
    assert ran.out == snapshot("""\
id        text                            source    conf  seen  age  where
─────────────────────────────────────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.         rule      0.80     1  3 d  repo
9ab01c2d  Run the integration tests with  rule      0.80    12  3 d  repo
          `make it`, never with pytest …
77ffee00  Answer in German.               explicit  0.95     1  3 d  you
0badcafe  Sign every commit.                        0.80     1  3 d  upstream
""")
    assert (ran.code, ran.err) == (0, "")
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_list_prints_whole_rows_with_tabs_in_a_pipe(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory(text="word " * 60))
    header, row = wisen("list").out.splitlines()
    assert header.split("\t") == ["id", "text", "source", "conf", "seen", "age", "where"]
    assert row.split("\t") == ["3f2a91bc", ("word " * 60).strip(), "rule", "0.80", "1", "3 d", "repo"]


def test_list_of_every_status_says_which(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory(status="pending_review"), a_memory("1", status="forgotten"))
    rows = wisen("list", "--all").out.splitlines()
    assert [row.split("\t")[-1] for row in rows] == ["status", "waits for review", "forgotten"]
    assert Asked("GET", "/v1/memories", {"view": "all", "limit": "200", "near": "1"}, {}) in daemon.asked


@pytest.mark.row("L2")
@pytest.mark.parametrize("view", ["active", "inactive", "all"])
def test_a_list_has_views(daemon: FakeDaemon, wisen: Wisen, view: str) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory())
    assert wisen("list", "--view", view).code == 0
    assert daemon.asked[-1 if view != "active" else -2].query["view"] == view


@pytest.mark.parametrize("two", [("--view", "inactive", "--status", "forgotten"), ("--all", "--view", "active")])
def test_two_choices_of_what_to_list_are_refused(daemon: FakeDaemon, wisen: Wisen, two: tuple[str, ...]) -> None:
    assert (wisen("list", *two).code, daemon.asked) == (2, [])


def test_a_status_is_asked_for_as_such(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing()
    assert wisen("list", "--status", "forgotten").out == "No memory here is forgotten.\n"
    assert daemon.asked[-1].query == {"status": "forgotten", "limit": "200", "near": "1"}
    assert wisen("list", "--view", "inactive").out == "Every memory here is active.\n"


def test_a_snoozed_memory_shows_until_when(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(
        a_memory(snoozed_until="2026-12-24T00:00:00Z", pinned=True),
        a_memory("9ab01c2d", "Sign every commit.", snoozed_until="2026-11-30T13:30:00Z"),
        a_memory("77ffee00", "Answer in German.", snoozed_until="2026-11-30T11:00:00Z"),
    )
    assert wisen("list", terminal=True).out == snapshot("""\
id        text                                   source  conf  seen  age  where
───────────────────────────────────────────────────────────────────────────────
3f2a91bc  [pin] [snoozed until 2026-12-24] Use   rule    0.80     1  3 d  repo
          pnpm here, not npm.
9ab01c2d  [snoozed until 2026-11-30 13:30] Sign  rule    0.80     1  3 d  repo
          every commit.
77ffee00  Answer in German.                      rule    0.80     1  3 d  repo
""")


@pytest.mark.fault("B57")
def test_an_empty_list_names_what_is_nearly_called_the_same_but_not_to_an_agent(
    daemon: FakeDaemon, wisen: Wisen
) -> None:
    near = "repo://claude-code/github.com/acme/widget"
    daemon.answers["GET /v1/memories"] = {**listing(), "near": [near]}
    assert f"There are memories of github.com/acme/widget: `--graph {near}` looks there." in wisen("list").out
    assert daemon.asked[1].query["near"] == "1"
    daemon.asked.clear()
    wisen("list", CLAUDECODE="1")
    assert "near" not in daemon.asked[1].query


def test_an_empty_list_says_what_to_do_next(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing()
    assert wisen("list", terminal=True).out == snapshot("""\
Nothing is remembered here yet.
wisen learns from rules you state in a session. `wisen remember TEXT` adds one
by hand; `wisen list --all` shows also what waits for review or was forgotten.
""")


def test_a_list_of_every_status_is_a_table_of_each_on_a_terminal(daemon: FakeDaemon, wisen: Wisen) -> None:
    long = "Run the integration tests with make it, never with pytest directly, since the database has to be up."
    daemon.answers["GET /v1/memories"] = listing(
        a_memory(pinned=True),
        a_memory("9ab01c2d", long, status="pending_review"),
        a_memory("77ffee00", long, status="forgotten", graph=YOU),
    )
    assert wisen("list", "--all", terminal=True).out == snapshot("""\
active
id        text                           source  conf  seen  age  where
───────────────────────────────────────────────────────────────────────
3f2a91bc  [pin] Use pnpm here, not npm.  rule    0.80     1  3 d  repo

waits for review
id        text                                 source  conf  seen  age  where
─────────────────────────────────────────────────────────────────────────────
9ab01c2d  Run the integration tests with make  rule    0.80     1  3 d  repo
          it, never with pytest directly, …

forgotten
id        text                                 source  conf  seen  age  where
─────────────────────────────────────────────────────────────────────────────
77ffee00  Run the integration tests with make  rule    0.80     1  3 d  you
          it, never with pytest directly, …
""")


@pytest.mark.parametrize("width", [80, 60, 40])
def test_a_narrow_list_leaves_columns_out_for_its_text(daemon: FakeDaemon, wisen: Wisen, width: int) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory(text="word " * 60, graph=UPSTREAM))
    rows = wisen("list", "--all", terminal=True, width=width).out.splitlines()[1:]
    assert all(len(row) <= width for row in rows)
    assert len(rows) == 4
    assert max(row.count("word") for row in rows) >= 4


@pytest.mark.parametrize(("count", "said"), [(1, "1 memory waits"), (2, "2 memories wait")])
def test_a_list_says_what_waits(daemon: FakeDaemon, wisen: Wisen, count: int, said: str) -> None:
    daemon.answers["GET /v1/memories"] = listing()
    daemon.answers["GET /v1/review"] = {"memories": [a_memory()] * count}
    assert wisen("list", terminal=True).out == f"{said} for your word: `wisen review`.\n"
    daemon.answers["GET /v1/memories"] = listing(a_memory())
    assert said in wisen("list", terminal=True).out
    assert said not in wisen("list", "--all", terminal=True).out
    piped = wisen("list")
    assert said in piped.err
    assert said not in piped.out, "what another program reads is a table and nothing else"


def test_an_empty_list_in_an_excluded_directory_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing()
    daemon.answers["GET /v1/status"] = {"version": "0.1.0", "pid": 4711, "repo": {**HERE, "excluded": True}}
    for arguments in ((), ("--all",)):
        out = wisen("list", *arguments).out
        assert out == "Excluded by your settings (`exclude`): here wisen neither learns nor recalls.\n", "and only that"


@pytest.mark.parametrize("command", [["show"], ["forget"], ["edit"], ["review", "accept"], ["review", "edit"]])
@pytest.mark.parametrize("ref", ["", " "])
def test_an_empty_id_is_refused(daemon: FakeDaemon, wisen: Wisen, command: list[str], ref: str) -> None:
    ran = wisen(*command, ref)
    assert (ran.code, daemon.asked) == (2, [])
    assert ran.err.startswith("error: the id of a memory is empty\n")


def test_an_empty_list_outside_a_project_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(repo={"standing": "none"})
    assert "No project here" in wisen("list").out


def test_a_list_that_was_cut_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory())
    assert "Only the first 1" in wisen("list", "--limit", "1", terminal=True).out
    assert "Only the first 1" in wisen("list", "--limit", "1").err


def test_json_is_the_daemons_own_answer(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing(a_memory(text="Grüße\x1b[2J"))
    ran = wisen("list", "--json")
    assert json.loads(ran.out) == daemon.answers["GET /v1/memories"]
    assert ran.out.isascii()


def test_show_tells_everything_about_a_memory(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories/3f2a"] = {
        "memory": a_memory(
            title="Package manager",
            why="The lock file is pnpm's.",
            tags=["tooling", "js"],
            pinned=True,
            support=3,
            uses=2,
            last_used_at="2026-11-30T10:00:00Z",
            evidence=[EVIDENCE],
        ),
        "journal": [
            an_entry(
                2,
                actor="user",
                action="edit",
                before_status="active",
                after_status="active",
                before_text="Use pnpm.",
                reason="more exact",
            ),
            an_entry(1, actor="gate", action="add", before_text=None, before_status=None, after_status="active"),
        ],
    }
    ran = wisen("show", "3f2a", terminal=True)
    assert ran.out == snapshot("""\
Package manager
Use pnpm here, not npm.
  id          3f2a91bc (0193a000-0000-7000-9000-00003f2a91bc)
  status      active, confidence 0.80, seen 3 times, pinned
  source      rule: you said it
  where       repo://claude-code/github.com/acme/widgets
  visible to  repo
  why         The lock file is pnpm's.
  tags        tooling, js
  session     session-1
  learned     2026-11-27 12:00
  recalled    2 times, last 2026-11-30 10:00

Evidence
  “we use pnpm, not npm”
    2026-11-27 11:58 · session session-1

History
  r2  2026-11-30 11:00 user edit: more exact
      was: Use pnpm.
  r1  2026-11-30 11:00 gate add
""")
    assert ran.code == 0


def test_a_reference_reaches_the_daemon_as_one_path_segment(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories/a%3Fb%20c"] = NotFound("no memory a?b c")
    ran = wisen("show", "a?b c")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "error: no memory a?b c\nhint: `wisen list --all` shows what there is\n"


def test_a_reference_with_a_slash_is_no_memory(daemon: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("show", "a/b")
    assert (ran.code, ran.err.splitlines()[0], daemon.asked) == (3, "error: no memory 'a/b' here", [])


def test_an_ambiguous_reference_is_a_conflict(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories/3"] = Conflict("3 names 2 memories: 3f2a91bc, 3e000000")
    ran = wisen("show", "3")
    assert (ran.code, ran.err) == (4, "error: 3 names 2 memories: 3f2a91bc, 3e000000\n")


def test_remember_needs_no_quotes(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/memories"] = {"memory": a_memory(source="explicit", confidence=0.95), "new": True}
    ran = wisen("remember", "Use", "pnpm", "here,", "not", "npm.", "--tag", "js")
    assert ran.out == snapshot("""\
Remembered 3f2a91bc: Use pnpm here, not npm.
  where       github.com/acme/widgets
""")
    assert daemon.changes[0].body == snapshot(
        {"text": "Use pnpm here, not npm.", "kind": "semantic", "title": "", "tags": ["js"], "everywhere": False}
    )


def test_remember_reads_standard_input(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/memories"] = {"memory": a_memory(graph=YOU), "new": False}
    ran = wisen("remember", "-", "--everywhere", types="one\ntwo\n")
    assert ran.out.startswith("Known already: 3f2a91bc")
    assert "you (dev)" in ran.out
    assert (daemon.changes[0].body["text"], daemon.changes[0].body["everywhere"]) == ("one\ntwo", True)


@pytest.mark.parametrize("arguments", [[], ["  "], ["-"]])
def test_remembering_nothing_is_refused(daemon: FakeDaemon, wisen: Wisen, arguments: list[str]) -> None:
    ran = wisen("remember", *arguments)
    assert (ran.code, ran.out, daemon.asked) == (2, "", [])
    assert ran.err.startswith("error: there is nothing to remember\nhint: ")


def test_no_memory_can_act_on_the_terminal(daemon: FakeDaemon, wisen: Wisen) -> None:
    attack = "\x1b]0;owned\x07\x1b[2J\u202eevil\u200b\x9b31m\ud800 [red]x[/red]\r\nsecond"
    daemon.answers["GET /v1/memories"] = listing(a_memory(text=attack))
    daemon.answers["GET /v1/memories/3f2a"] = {"memory": a_memory(text=attack), "journal": []}
    for terminal in (True, False):
        for command in (["list"], ["show", "3f2a"]):
            out = wisen(*command, terminal=terminal, width=200).out
            assert not set(out) & set("\x1b\x07\u202e\u200b\x9b\ud800\r")
            assert "[red]x[/red]" in out


def test_without_a_daemon_the_error_says_what_to_do(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = DaemonUnavailable("the daemon did not start within 5 s")
    ran = wisen("list")
    assert (ran.code, ran.out) == (10, "")
    assert ran.err.splitlines()[0] == "error: the daemon did not start within 5 s"
    assert ran.err.splitlines()[1].startswith("hint: ")


def test_an_answer_of_another_form_is_no_traceback(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = {"memories": [{"id": 7}]}
    ran = wisen("list")
    assert ran.code == 10
    assert "wisen daemon restart" in ran.err


def test_a_graph_that_can_not_be_read_is_named_beside_the_others(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = {"memories": [a_memory()], "unread": ["x.db: version 99, this wisen knows 2"]}
    ran = wisen("list")
    assert (ran.code, "Use pnpm here" in ran.out) == (0, True)
    assert ran.err == "warning: not read: x.db: version 99, this wisen knows 2\n"

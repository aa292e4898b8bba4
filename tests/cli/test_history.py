from __future__ import annotations

from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, YOU, FakeDaemon, Wisen, an_entry
from wisen.errors import Conflict

ADDED = {"before_text": None, "before_status": None, "after_status": "active"}


def test_log_lists_changes_with_their_reasons(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = HERE
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(3, reason="we moved to bun", undone_by=4),
            an_entry(2, action="purge", before_text=None, after_text=None, after_status=None, short="9ab01c2d"),
            an_entry(1, actor="gate", action="add", reason="stated rule", **ADDED),
        ]
    }
    assert wisen("log", terminal=True).out == snapshot("""\
#  age  who   did     id        what                                       where
────────────────────────────────────────────────────────────────────────────────
3  1 h  user  status  3f2a91bc  Use pnpm here, not npm. · now forgotten ·  repo
                                we moved to bun · taken back
2  1 h  user  purge   9ab01c2d  (erased)                                   repo
1  1 h  gate  add     3f2a91bc  Use pnpm here, not npm. · stated rule      repo
""")


def test_an_empty_log_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": []}
    assert wisen("log").out == "No memory was ever changed here.\n"


def test_undo_takes_back_your_own_latest_change(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(9, action="revert"),
            an_entry(8, action="purge", before_text=None, after_text=None),
            an_entry(7, undone_by=9),
            an_entry(6, actor="gate", action="add", **ADDED),
            an_entry(5, graph=YOU),
            an_entry(4),
        ]
    }
    daemon.answers["POST /v1/undo"] = {
        "entry": an_entry(10, graph=YOU, action="revert", before_status="forgotten", after_status="active")
    }
    ran = wisen("undo")
    assert daemon.changes[0].body == {"seq": 5, "graph": YOU}
    assert ran.out == snapshot("""\
Took back #5 (status) of 3f2a91bc.
  status      forgotten → active
  now         Use pnpm here, not npm.
  where       you (dev)
  number      #10
""")


def test_undo_of_an_edit_shows_both_texts(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(5, action="edit")]}
    daemon.answers["POST /v1/undo"] = {
        "entry": an_entry(
            6, before_text="Use bun.", after_text="Use pnpm.", before_status="active", after_status="active"
        )
    }
    assert wisen("undo", "5", terminal=True).out == snapshot("""\
Took back #5 (edit) of 3f2a91bc.
  was         Use bun.
  now         Use pnpm.
  where       github.com/acme/widgets
  number      #6
""")


def test_undo_with_nothing_of_yours_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(6, actor="gate")]}
    ran = wisen("undo")
    assert (ran.code, daemon.changes) == (3, [])
    assert "wisen log" in ran.err


def test_undo_of_a_number_that_is_not_here_changes_nothing(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(6)]}
    assert wisen("undo", "7").code == 3
    assert daemon.changes == []


def test_a_number_that_two_graphs_have_must_be_made_clear(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(6), an_entry(6, graph=YOU)]}
    ran = wisen("undo", "6")
    assert (ran.code, daemon.changes) == (4, [])
    assert f"--graph {REPO} or --graph {YOU}" in ran.err


def test_the_daemons_refusal_is_shown(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(6)]}
    daemon.answers["POST /v1/undo"] = Conflict("the memory changed since", hint="undo #9 first")
    ran = wisen("undo", "6")
    assert (ran.code, ran.err) == (4, "error: the memory changed since\nhint: undo #9 first\n")

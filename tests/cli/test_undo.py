"""The undo command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, UPSTREAM, YOU, FakeDaemon, Wisen, an_entry
from wisen.errors import Conflict

BATCH = "01a22eaf-14b2-744a-81d0-1558cddcee50"
UNDO = "01a22eaf-14b2-744a-81d0-1558bbbb0000"
ADDED = {"before_text": None, "before_status": None, "after_status": "active"}


LATEST_OF_ALL = {
    "entries": [
        an_entry(9, action="revert"),
        an_entry(7, undone_by=9),
        an_entry(8, graph=UPSTREAM),
        an_entry(6, actor="gate", action="add", **ADDED),
        an_entry(5, graph=YOU),
        an_entry(4, at="2026-11-30T10:00:00Z"),
    ]
}


@pytest.fixture
def with_upstream(daemon: FakeDaemon) -> FakeDaemon:
    daemon.answers["GET /v1/repo"] = {**HERE, "reads": [REPO, UPSTREAM, YOU]}
    daemon.answers["GET /v1/journal"] = LATEST_OF_ALL
    daemon.answers["POST /v1/undo"] = {
        "entry": an_entry(10, graph=YOU, action="revert", before_status="forgotten", after_status="active")
    }
    return daemon


def test_undo_names_your_latest_change_and_asks(with_upstream: FakeDaemon, wisen: Wisen) -> None:
    refused = wisen("undo", terminal=True, types="n\n")
    assert (refused.code, with_upstream.changes) == (1, [])
    ran = wisen("undo", terminal=True, types="y\n")
    assert with_upstream.changes[0].body == {"seq": 5, "graph": YOU}
    assert ran.out == snapshot("""\
Your latest change here is y5 (3f2a91bc now forgotten, you (dev)), made 1 h ago:
  Use pnpm here, not npm. · now forgotten
Take it back? [y/N]: Took back y5 (3f2a91bc now forgotten, you (dev)).
  status      forgotten → active
  now         Use pnpm here, not npm.
  logged as   y10
""")


def test_undo_without_a_name_and_without_a_terminal_needs_yes(with_upstream: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("undo")
    assert (ran.code, with_upstream.changes) == (2, [])
    assert "hint: add --yes" in ran.err
    assert wisen("undo", "--yes").out.startswith("Took back y5 (3f2a91bc now forgotten, you (dev)).\n")


def test_undo_never_reaches_behind_a_change_that_cannot_come_back(daemon: FakeDaemon, wisen: Wisen) -> None:
    erased = {"before_text": None, "after_text": None, "before_status": None, "after_status": None}
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(8, action="purge", short="9ab01c2d", **erased),
            an_entry(7, action="edit", short="9ab01c2d", **erased),
            an_entry(6, action="edit"),
        ]
    }
    ran = wisen("undo", "--yes")
    assert (ran.code, daemon.changes) == (4, [])
    assert ran.err == snapshot("""\
error: your latest change can't be taken back: r8 (purge of 9ab01c2d, github.com/acme/widgets) erased the text
hint: the one before it: `wisen undo r6` takes back r6 (edit of 3f2a91bc, github.com/acme/widgets)
""")


@pytest.mark.parametrize("name", ["r4", "R4", "4", "#4"])
def test_a_change_is_named_by_letter_and_number(with_upstream: FakeDaemon, wisen: Wisen, name: str) -> None:
    assert wisen("undo", name).code == 0
    assert with_upstream.changes[0].body == {"seq": 4, "graph": REPO}


@pytest.mark.parametrize(("name", "code"), [("y4", 3), ("99", 3), ("r", 2), ("x4", 2), ("4r", 2)])
def test_a_name_of_no_change_changes_nothing(with_upstream: FakeDaemon, wisen: Wisen, name: str, code: int) -> None:
    assert wisen("undo", name).code == code
    assert with_upstream.changes == []


def test_an_upstreams_change_is_taken_back_in_its_own_repository(with_upstream: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("undo", "u8")
    assert (ran.code, with_upstream.changes) == (5, [])
    assert ran.err.splitlines()[1] == "hint: `wisen undo r8` in github.com/upstream/widgets takes it back"


def test_what_was_changed_together_with_it_is_named_and_how_to_take_it_all_back(
    daemon: FakeDaemon, wisen: Wisen
) -> None:
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(7, batch=BATCH, undone_by=9),
            an_entry(6, batch=BATCH),
            an_entry(5, batch=BATCH),
            an_entry(4),
        ]
    }
    daemon.answers["POST /v1/undo"] = {"entry": an_entry(10)}
    assert wisen("undo", "r6").out.endswith(
        "1 more change was made with it and stands: r5. `wisen undo --batch cddcee50` takes all of them back.\n"
    )
    assert "made with it" not in wisen("undo", "r4").out


# --- batches ------------------------------------------------------------------------------------------------------


def step(seq: int, *, undo: int = 0, **over: Any) -> dict[str, Any]:
    back = an_entry(undo, action="revert", before_status="forgotten", after_status="active", batch=UNDO)
    entry = an_entry(seq, batch=BATCH, undone_by=over.pop("undone_by", 0))
    return {"entry": entry, "undo": back if undo else None, "problem": "", "hint": "", **over}


def test_a_batch_is_taken_back_and_each_change_of_it_told(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/undo"] = {"batch": BATCH, "undo": UNDO, "steps": [step(8, undo=9), step(7, undo=10)]}
    ran = wisen("undo", "--batch", "cddcee50", terminal=True)
    assert daemon.changes[0].body == {"batch": "cddcee50"}
    assert (ran.code, ran.out) == (
        0,
        snapshot("""\
Took back batch cddcee50: 2 changes.
  r8  3f2a91bc  forgotten → active · Use pnpm here, not npm.
  r7  3f2a91bc  forgotten → active · Use pnpm here, not npm.
`wisen undo --batch bbbb0000` takes this undo back.
"""),
    )


def test_what_of_a_batch_stands_says_why_and_the_command_fails(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/undo"] = {
        "batch": BATCH,
        "undo": UNDO,
        "steps": [
            step(8, undo=10),
            step(7, problem="change 7 can't be undone: memory 3f2a91bc changed since", hint="undo the later change"),
            step(6, undone_by=9, problem="change 6 was undone by change 9 already"),
        ],
    }
    ran = wisen("undo", "--batch", "cddcee50", terminal=True)
    assert (ran.code, ran.out) == (
        4,
        snapshot("""\
Took back 1 of 3 changes of batch cddcee50.
  r8  3f2a91bc  forgotten → active · Use pnpm here, not npm.
1 change of it had been taken back before.
This stands:
  r7 can't be undone: memory 3f2a91bc changed since
      undo the later change
`wisen undo --batch bbbb0000` takes this undo back.
"""),
    )
    assert wisen("undo", "--batch", "cddcee50", "--json").code == 4


def test_a_batch_of_which_nothing_can_be_taken_back_fails(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/undo"] = {"batch": BATCH, "undo": "", "steps": [step(6, undone_by=9, problem="undone")]}
    ran = wisen("undo", "--batch", "cddcee50")
    assert (ran.code, ran.out) == (
        4,
        "Nothing of batch cddcee50 was taken back.\n1 change of it had been taken back before.\n",
    )


def test_your_latest_change_may_be_a_batch_and_is_taken_back_as_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(8, batch=BATCH, graph=YOU),
            an_entry(8, batch=BATCH),
            an_entry(7, batch=BATCH, undone_by=9),
        ]
    }
    daemon.answers["POST /v1/undo"] = {"batch": BATCH, "undo": UNDO, "steps": [step(8, undo=10)]}
    refused = wisen("undo", terminal=True, types="n\n")
    assert (refused.code, daemon.changes) == (1, [])
    assert refused.out == snapshot("""\
Your latest change here is batch cddcee50 (2 changes), made 1 h ago:
  Use pnpm here, not npm. · now forgotten
  Use pnpm here, not npm. · now forgotten
Take them all back? [y/N]: Nothing was changed.
""")
    assert wisen("undo", "--yes").code == 0
    assert daemon.changes[0].body == {"batch": BATCH}


def test_a_change_and_a_batch_are_not_named_together(daemon: FakeDaemon, wisen: Wisen) -> None:
    assert (wisen("undo", "r1", "--batch", "cddcee50").code, daemon.asked) == (2, [])


def test_with_json_nothing_is_asked_also_on_a_terminal(with_upstream: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("undo", "--json", terminal=True, types="y\n")
    assert (ran.code, ran.out, with_upstream.changes) == (2, "", [])
    assert "hint: add --yes" in ran.err
    assert json.loads(wisen("undo", "--json", "--yes", terminal=True).out)["entry"]["seq"] == 10


# --- names --------------------------------------------------------------------------------------------------------


def test_undo_of_an_edit_shows_both_texts(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(5, action="edit")]}
    daemon.answers["POST /v1/undo"] = {
        "entry": an_entry(
            6, before_text="Use bun.", after_text="Use pnpm.", before_status="active", after_status="active"
        )
    }
    assert wisen("undo", "5", terminal=True).out == snapshot("""\
Took back r5 (edit of 3f2a91bc, github.com/acme/widgets).
  was         Use bun.
  now         Use pnpm.
  logged as   r6
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
    assert ran.err == "error: 6 names 2 changes\nhint: which one: r6 or y6?\n"


def test_the_daemons_refusal_is_shown(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(6)]}
    daemon.answers["POST /v1/undo"] = Conflict("the memory changed since", hint="undo #9 first")
    ran = wisen("undo", "6")
    assert (ran.code, ran.err) == (4, "error: the memory changed since\nhint: undo #9 first\n")


@pytest.mark.parametrize(
    ("graph", "seq", "reason", "message"),
    [
        (REPO, 4, "undo of r4", "r4 was undone by r9 already"),
        (YOU, 5, "undo of y5", "y5 was undone by y9 already"),
    ],
)
def test_what_the_daemon_says_of_a_change_names_it_by_its_letter(
    daemon: FakeDaemon, wisen: Wisen, graph: str, seq: int, reason: str, message: str
) -> None:
    undo = an_entry(9, graph=graph, action="revert", reason=f"undo of change {seq}")
    daemon.answers["GET /v1/journal"] = {"entries": [undo, an_entry(seq, graph=graph, reason="change 3 was a joke")]}
    daemon.answers["POST /v1/undo"] = Conflict(f"change {seq} was undone by change 9 already")
    out = wisen("log").out
    assert reason in out
    assert "change 3 was a joke" in out  # what a person wrote stays as it is
    ran = wisen("undo", str(seq))
    assert (ran.code, ran.err) == (4, f"error: {message}\n")


def test_a_change_of_this_clone_before_it_was_trusted_can_be_taken_back(daemon: FakeDaemon, wisen: Wisen) -> None:
    earlier = f"{REPO}~4b825dc642cb"
    daemon.answers["GET /v1/repo"] = {**HERE, "reads": [REPO, earlier, UPSTREAM, YOU]}
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(2, graph=earlier)]}
    daemon.answers["POST /v1/undo"] = {"entry": an_entry(3, graph=earlier)}
    assert "\tearlier\t" in wisen("log").out
    assert "logged as   e3\n" in wisen("undo", "e2").out
    assert daemon.changes[0].body == {"seq": 2, "graph": earlier}

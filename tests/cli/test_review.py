from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, FakeDaemon, Wisen, a_memory, listing

WAITING = a_memory(
    status="pending_review",
    origin="headless_prompt",
    evidence=[{"quote": "use pnpm", "session_id": "s", "event_id": "e"}],
)
OTHER = a_memory("9ab01c2d", "Sign every commit.", status="pending_review")


@pytest.fixture
def waiting(daemon: FakeDaemon) -> FakeDaemon:
    daemon.answers["GET /v1/repo"] = HERE
    daemon.answers["GET /v1/review"] = {"memories": [WAITING, OTHER]}
    for memory in (WAITING, OTHER):
        daemon.answers[f"GET /v1/memories/{memory['short']}"] = {"memory": memory, "journal": []}
        daemon.answers[f"POST /v1/review/{memory['id']}"] = {"memory": {**memory, "status": "active"}}
    return daemon


def test_review_lists_what_waits(waiting: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("review", terminal=True).out == snapshot("""\
id        text                     source  conf  seen  age  where
─────────────────────────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.  rule    0.80     1  3 d  repo
9ab01c2d  Sign every commit.       rule    0.80     1  3 d  repo
`wisen review --walk` goes through them; or accept, reject, edit REF.
""")


def test_options_of_review_belong_to_its_list(waiting: FakeDaemon, wisen: Wisen) -> None:
    assert json.loads(wisen("review", "--all", "--json").out) == {"memories": [WAITING, OTHER]}
    assert waiting.asked[0].query == {"all": "1"}


def test_an_option_before_another_command_is_refused_and_not_ignored(waiting: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("review", "--json", "accept", "3f2a91bc").code == 2
    assert waiting.asked == []


def test_nothing_waiting_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/review"] = listing()
    assert wisen("review").out == "Nothing waits for review. `wisen review --all` looks everywhere.\n"


def test_edit_takes_the_new_words(waiting: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("review", "edit", "3f2a91bc", "Use", "pnpm.")
    assert ran.out.startswith("Edited and accepted 3f2a91bc")
    assert waiting.changes[0].body == {"action": "edit", "text": "Use pnpm.", "graph": REPO}


def test_edit_opens_the_editor(waiting: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.edit", lambda text: text.replace("npm.", "yarn.") + "\n")
    assert wisen("review", "edit", "3f2a91bc", terminal=True, EDITOR="ed").code == 0
    assert waiting.changes[0].body["text"] == "Use pnpm here, not yarn."


def test_an_editor_left_without_saving_changes_nothing(
    waiting: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.edit", lambda _: None)
    assert wisen("review", "edit", "3f2a91bc", terminal=True, VISUAL="ed").code == 1
    assert waiting.changes == []


def test_edit_without_words_or_terminal_says_what_to_do(waiting: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("review", "edit", "3f2a91bc")
    assert (ran.code, waiting.changes) == (2, [])
    assert "hint: wisen review edit 3f2a91bc NEW TEXT" in ran.err


def test_walk_goes_through_them(waiting: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("review", "--walk", terminal=True, types="a\ns\n")
    assert ran.out == snapshot("""\

1 of 2  Use pnpm here, not npm.
  source      rule: a prompt of a script, not typed
  where       github.com/acme/widgets
  evidence    “use pnpm”
[a]ccept  [r]eject  [e]dit  [s]kip  [q]uit [s]: Accepted 3f2a91bc: Use pnpm here, not npm.

2 of 2  Sign every commit.
  source      rule: you said it
  where       github.com/acme/widgets
[a]ccept  [r]eject  [e]dit  [s]kip  [q]uit [s]: \
""")
    assert [asked.body["action"] for asked in waiting.changes] == ["accept"]


def test_walk_asks_again_and_takes_new_words_on_the_spot(waiting: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("review", "--walk", terminal=True, types="x\ne\nUse pnpm.\nEdit\n\n")
    assert ran.code == 0
    assert "That is none of them. Type a, r, e, s, q." in ran.out
    assert [asked.body for asked in waiting.changes] == [{"action": "edit", "text": "Use pnpm.", "graph": REPO}]
    assert ran.out.endswith("Nothing was changed.\n")


def test_walk_can_be_left(waiting: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("review", "--walk", terminal=True, types="q\n")
    assert ran.out.endswith("2 memories still to decide.\n")
    assert (ran.code, waiting.changes) == (0, [])


def test_walk_needs_a_terminal(waiting: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("review", "--walk").code == 2

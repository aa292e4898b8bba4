from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import REPO, Asked, FakeDaemon, Wisen, a_memory

MEMORY = a_memory(title="Package manager", tags=["js"])


@pytest.fixture
def stored(daemon: FakeDaemon) -> FakeDaemon:
    """A daemon with one memory, which an edit changes as it says."""

    def edited(asked: Asked) -> dict[str, Any]:
        return {"memory": {**MEMORY, **{name: value for name, value in asked.body.items() if name in MEMORY}}}

    daemon.answers["GET /v1/memories/3f2a"] = {"memory": MEMORY, "journal": []}
    daemon.answers[f"POST /v1/memories/{MEMORY['id']}/edit"] = edited
    return daemon


def test_edit_changes_what_is_named_and_shows_both(stored: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("edit", "3f2a", "Use", "bun.", "--title", "", "--tag", "ts", "--tag", "tooling", "--pin", terminal=True)
    assert stored.changes[0].body == {
        "graph": REPO,
        "text": "Use bun.",
        "title": "",
        "tags": ["ts", "tooling"],
        "pinned": True,
    }
    assert ran.out == snapshot("""\
Edited 3f2a91bc: Use bun.
  was         Use pnpm here, not npm.
  title       none
  tags        ts, tooling
  pin         pinned: recalled before all others
  where       github.com/acme/widgets
""")


@pytest.mark.parametrize(
    ("options", "body"),
    [
        (["--pin"], {"pinned": True}),
        (["--unpin"], {"pinned": False}),
        (["--tag", ""], {"tags": []}),
        (["--title", "x"], {"title": "x"}),
        (["--why", "x"], {"why": "x"}),
        (["--how", ""], {"how_to_apply": ""}),
        (["Use bun."], {"text": "Use bun."}),
    ],
)
def test_what_is_not_named_is_not_sent(
    stored: FakeDaemon, wisen: Wisen, options: list[str], body: dict[str, object]
) -> None:
    assert wisen("edit", "3f2a", *options).code == 0
    assert stored.changes[0].body == {"graph": REPO, **body}


def test_an_edit_that_changes_nothing_says_so(stored: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("edit", "3f2a", "--unpin").out == "3f2a91bc is like that already.\n"


def test_without_words_the_editor_opens(stored: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.edit", lambda text: text.replace("pnpm", "bun") + "\n")
    assert wisen("edit", "3f2a", terminal=True, EDITOR="ed").code == 0
    assert stored.changes[0].body["text"] == "Use bun here, not npm."


def test_without_an_editor_the_words_are_asked_for_on_the_spot(
    stored: FakeDaemon, wisen: Wisen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.edit", lambda _: pytest.fail("no editor was chosen"))
    ran = wisen("edit", "3f2a", terminal=True, types="Use bun.\n")
    assert stored.changes[0].body["text"] == "Use bun."
    assert ran.out.startswith("  now         Use pnpm here, not npm.\nNew text (Enter leaves it): Edited 3f2a91bc")
    left = wisen("edit", "3f2a", terminal=True, types="\n")
    assert (left.code, len(stored.changes)) == (1, 1)
    assert left.out.endswith("Nothing was changed.\n")


def test_without_words_and_without_a_terminal_it_says_what_to_type(stored: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("edit", "3f2a")
    assert (ran.code, stored.changes) == (2, [])
    assert "hint: wisen edit 3f2a91bc NEW TEXT" in ran.err


def test_with_json_no_editor_opens_and_nothing_is_asked(stored: FakeDaemon, wisen: Wisen) -> None:
    for env in ({}, {"EDITOR": "ed"}):
        ran = wisen("edit", "3f2a", "--json", terminal=True, types="Use bun.\n", **env)
        assert (ran.code, ran.out, stored.changes) == (2, "", [])


def test_edit_shows_the_reasons_it_changed(stored: FakeDaemon, wisen: Wisen) -> None:
    out = wisen("edit", "3f2a", "--why", "The lock file is pnpm's.", "--how", "").out
    assert "  why         The lock file is pnpm's.\n" in out


def test_edit_as_json_is_the_daemons_answer(stored: FakeDaemon, wisen: Wisen) -> None:
    assert json.loads(wisen("edit", "3f2a", "--pin", "--json").out)["memory"]["pinned"] is True

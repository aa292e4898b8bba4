from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, UPSTREAM, YOU, FakeDaemon, Wisen, an_entry

ELSEWHERE = "repo://claude-code/github.com/acme/gadgets"
ADDED = {"before_text": None, "before_status": None, "after_status": "active"}


def test_log_lists_changes_with_their_reasons(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = HERE
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(3, reason="we moved to bun", undone_by=4),
            an_entry(2, action="purge", before_text=None, after_text=None, after_status=None, short="9ab01c2d"),
            an_entry(1, actor="gate", action="add", reason="correction", **ADDED),
        ]
    }
    assert wisen("log", terminal=True).out == snapshot("""\
ref  age  who   did     id        what                                    where
───────────────────────────────────────────────────────────────────────────────
r3   1 h  user  status  3f2a91bc  taken back · Use pnpm here, not npm. ·  repo
                                  now forgotten · we moved to bun
r2   1 h  user  purge   9ab01c2d  (erased)                                repo
r1   1 h  gate  add     3f2a91bc  Use pnpm here, not npm. · rule          repo
""")


def test_an_empty_log_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": []}
    assert wisen("log").out == "No memory was ever changed here.\n"


def test_each_graphs_changes_have_their_letter(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/repo"] = {**HERE, "reads": [REPO, UPSTREAM, YOU]}
    daemon.answers["GET /v1/journal"] = {
        "entries": [an_entry(7), an_entry(7, graph=YOU), an_entry(7, graph=UPSTREAM), an_entry(7, graph=ELSEWHERE)]
    }
    rows = [row.split("\t")[0] for row in wisen("log").out.splitlines()[1:]]
    assert rows == ["r7", "y7", "u7", "7"]


@pytest.mark.parametrize("width", [80, 60])
def test_the_log_fits_a_small_terminal(daemon: FakeDaemon, wisen: Wisen, width: int) -> None:
    long = "Run the integration tests with make it, never with pytest directly, since the database has to be up."
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(123, after_text=long, reason="we moved to bun")]}
    rows = wisen("log", terminal=True, width=width).out.splitlines()
    assert all(len(row) <= width for row in rows)
    assert len(rows) == 4


def test_what_was_taken_back_is_said_before_anything_is_cut(daemon: FakeDaemon, wisen: Wisen) -> None:
    long = "Run the integration tests with make it, never with pytest directly, since the database has to be up."
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(123, after_text=long, reason="we moved", undone_by=124)]}
    assert "taken back · “Use" in wisen("log", terminal=True, width=60).out


def test_an_edit_is_shown_with_what_it_changed(daemon: FakeDaemon, wisen: Wisen) -> None:
    reworded = an_entry(
        4, action="edit", after_text="Use bun here.", after_status="active", changed=["text", "digest", "title", "tags"]
    )
    retitled = an_entry(5, action="edit", after_status="active", changed=["title"])
    daemon.answers["GET /v1/journal"] = {"entries": [retitled, reworded]}
    rows = [row.split("\t")[5] for row in wisen("log").out.splitlines()[1:]]
    assert rows == [
        "Use pnpm here, not npm. · other title",
        "“Use pnpm here, not npm.” → “Use bun here.” · other title, tags",
    ]


def test_a_log_that_was_cut_says_how_to_see_more(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(4), an_entry(3)]}
    said = "Only the newest 2; --limit shows more.\n"
    assert wisen("log", "--limit", "2", terminal=True).out.endswith(said)
    piped = wisen("log", "--limit", "2")
    assert piped.err == said
    assert piped.out.count("\n") == 3
    assert "Only" not in wisen("log", terminal=True).out


def test_states_are_called_as_everywhere(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(4, after_status="pending_review")]}
    assert "now waits for review" in wisen("log").out


BATCH = "01a22eaf-14b2-744a-81d0-1558cddcee50"
OTHER_BATCH = "01a22eaf-14b2-744a-81d0-1558aaaa0000"


def test_what_was_changed_together_stands_below_its_batch(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {
        "entries": [
            an_entry(9, action="pin", reason="pinned", after_status="active", batch=OTHER_BATCH),
            an_entry(8, batch=BATCH, graph=YOU),
            an_entry(8, batch=BATCH, short="9ab01c2d"),
            an_entry(7),
        ]
    }
    assert wisen("log", terminal=True).out == snapshot("""\
ref    age  who   did     id        what                              where
───────────────────────────────────────────────────────────────────────────
r9     1 h  user  pin     3f2a91bc  Use pnpm here, not npm. · pinned  repo
batch  1 h  user  status  cddcee50  2 changes at once
· y8   1 h  user  status  3f2a91bc  Use pnpm here, not npm. · now     you
                                    forgotten
· r8   1 h  user  status  9ab01c2d  Use pnpm here, not npm. · now     repo
                                    forgotten
r7     1 h  user  status  3f2a91bc  Use pnpm here, not npm. · now     repo
                                    forgotten
""")
    rows = [row.split("\t") for row in wisen("log").out.splitlines()]
    assert [row[-1] for row in rows] == ["batch", "aaaa0000", "cddcee50", "cddcee50", ""]


def test_a_batch_that_the_limit_cuts_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(8, batch=BATCH), an_entry(7, batch=BATCH)]}
    assert "at least 2 changes at once" in wisen("log", "--limit", "2", terminal=True).out
    assert "  2 changes at once" in wisen("log", terminal=True).out


def test_the_changes_of_one_batch_can_be_asked_for(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/journal"] = {"entries": [an_entry(8, batch=BATCH)]}
    wisen("log", "--batch", "cddcee50")
    assert daemon.asked[0].query == {"batch": "cddcee50", "limit": "20"}


def test_a_snooze_is_logged_with_its_end_in_the_persons_time(daemon: FakeDaemon, wisen: Wisen) -> None:
    entry = an_entry(8, action="snooze", reason="until 2026-12-23T23:00+00:00", after_status="active")
    daemon.answers["GET /v1/journal"] = {"entries": [{**entry, "snoozed_until": "2026-12-24T00:00:00+00:00"}]}
    assert "until 2026-12-24 00:00\t" in wisen("log").out

"""The commands on how memories stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import REPO, YOU, Asked, FakeDaemon, Wisen, a_memory, an_entry
from wisen.errors import Conflict, NotFound, StoreDamaged

MEMORY = a_memory()
OTHER = a_memory("9ab01c2d", "Answer in German.", graph=YOU)
BATCH = "01a22eaf-14b2-744a-81d0-1558cddcee50"


def done(memory: dict[str, Any], **over: Any) -> dict[str, Any]:
    return {"memory_id": memory["id"], "short": memory["short"], "graph": memory["graph"], "status": "active", **over}


@pytest.fixture
def stored(daemon: FakeDaemon) -> FakeDaemon:
    """A daemon with two memories, to which everything can be done."""

    def do(asked: Asked) -> dict[str, Any]:
        refs = asked.body["refs"]
        assert isinstance(refs, list)
        batch = BATCH if len(refs) > 1 else ""
        memories = {m["short"]: m for m in (MEMORY, OTHER)}
        entries = [an_entry(7 + n, graph=memories[ref]["graph"], batch=batch) for n, ref in enumerate(refs)]
        until = asked.body.get("until")
        made = [done(memories[ref], entry=entry, snoozed_until=until) for ref, entry in zip(refs, entries, strict=True)]
        return {"batch": batch, "done": made}

    for memory in (MEMORY, OTHER):
        daemon.answers[f"GET /v1/memories/{memory['short']}"] = {"memory": memory, "journal": []}
    daemon.answers["POST /v1/deeds"] = do
    return daemon


@pytest.mark.parametrize(
    ("command", "said", "body"),
    [
        (["forget", "--reason", "we moved"], "Forgotten", {"do": "forget", "reason": "we moved"}),
        (["pin"], "Pinned", {"do": "pin"}),
        (["unpin"], "Unpinned", {"do": "unpin"}),
        (["unsnooze"], "Woken", {"do": "wake"}),
        (["restore"], "Restored", {"do": "restore"}),
        (["review", "accept"], "Accepted", {"do": "accept"}),
        (["review", "reject"], "Rejected", {"do": "reject"}),
    ],
)
def test_one_request_does_it_to_all_and_the_way_back_is_named(
    stored: FakeDaemon, wisen: Wisen, command: list[str], said: str, body: dict[str, str]
) -> None:
    ran = wisen(*command, "3f2a91bc", "9ab01c2d", terminal=True)
    assert ran.out == (
        f"{said} 3f2a91bc: Use pnpm here, not npm.\n{said} 9ab01c2d: Answer in German.\n"
        "`wisen undo --batch cddcee50` takes it all back.\n"
    )
    assert [asked.body for asked in stored.changes] == [{"refs": ["3f2a91bc", "9ab01c2d"], **body}]
    assert wisen(*command, "9ab01c2d").out == f"{said} 9ab01c2d\n`wisen undo y7` takes it back.\n"


@pytest.mark.fault("B74")
@pytest.mark.parametrize("around", [{}, {"CLAUDECODE": "1", "terminal": True}])
def test_where_an_agent_may_read_along_no_text_is_even_asked_for(
    stored: FakeDaemon, wisen: Wisen, around: dict[str, Any]
) -> None:
    ran = wisen("forget", "3f2a91bc", **around)
    assert "pnpm" not in ran.out + ran.err
    assert [asked.path for asked in stored.asked] == ["/v1/deeds", "/v1/repo"]


@pytest.mark.parametrize(
    ("options", "until", "shown"),
    [
        ([], "2026-12-07T12:00:00+00:00", "2026-12-07 12:00"),
        (["--for", "90min"], "2026-11-30T13:30:00+00:00", "2026-11-30 13:30"),
        (["--until", "2026-12-24"], "2026-12-24T00:00:00+00:00", "2026-12-24 00:00"),
    ],
)
def test_a_snooze_says_until_when(stored: FakeDaemon, wisen: Wisen, options: list[str], until: str, shown: str) -> None:
    out = wisen("snooze", "3f2a91bc", *options, terminal=True).out
    assert stored.changes[0].body == {"do": "snooze", "refs": ["3f2a91bc"], "until": until}
    assert out.startswith(f"Snoozed 3f2a91bc: Use pnpm here, not npm.\n  until       {shown}\n")


@pytest.mark.parametrize(
    "options", [["--until", "2026-11-30"], ["--for", "soon"], ["--for", "1d", "--until", "2027-01-01"]]
)
def test_a_snooze_that_can_not_be_meant_asks_for_nothing(stored: FakeDaemon, wisen: Wisen, options: list[str]) -> None:
    ran = wisen("snooze", "3f2a91bc", *options)
    assert (ran.code, stored.asked) == (2, [])
    assert "hint: --for 90min" in ran.err


def test_what_is_so_already_is_said(stored: FakeDaemon, wisen: Wisen) -> None:
    stored.answers["POST /v1/deeds"] = {"batch": "", "done": [done(MEMORY, entry=None)]}
    assert wisen("pin", "3f2a91bc").out == "3f2a91bc is pinned already.\n"


def test_what_is_restored_to_wait_says_so(stored: FakeDaemon, wisen: Wisen) -> None:
    stored.answers["POST /v1/deeds"] = {
        "batch": "",
        "done": [done(MEMORY, entry=an_entry(7), status="pending_review")],
    }
    assert wisen("restore", "3f2a91bc").out == snapshot("""\
Restored 3f2a91bc
  status      waits for review: `wisen review accept 3f2a91bc`
`wisen undo r7` takes it back.
""")


def test_what_was_done_to_another_repositorys_memory_says_where_it_is_taken_back(
    stored: FakeDaemon, wisen: Wisen
) -> None:
    graph = "repo://claude-code/github.com/acme/gadgets"
    stored.answers["POST /v1/deeds"] = {"done": [done(MEMORY, entry=an_entry(7, graph=graph))]}
    assert wisen("forget", MEMORY["id"]).out.endswith("`wisen undo r7` in github.com/acme/gadgets takes it back.\n")


def test_a_wrong_reference_is_the_daemons_to_refuse(stored: FakeDaemon, wisen: Wisen) -> None:
    stored.answers["POST /v1/deeds"] = NotFound("no memory 'nope' here")
    assert wisen("forget", "3f2a91bc", "nope").code == 3
    assert wisen("forget", "3f2a91bc", "a/b").code == 3
    stored.answers["POST /v1/deeds"] = Conflict("memory 3f2a91bc was erased for good")
    assert wisen("restore", "3f2a91bc").code == 4


# --- erasing ------------------------------------------------------------------------------------------------------


def erased(memory: dict[str, Any], **over: Any) -> dict[str, Any]:
    return {"memory_id": memory["id"], "entry": None, "still_in": [], **over}


def test_purge_asks_first(stored: FakeDaemon, wisen: Wisen) -> None:
    stored.answers[f"POST /v1/memories/{MEMORY['id']}/forget"] = erased(MEMORY)
    refused = wisen("forget", "3f2a91bc", "--purge", terminal=True, types="n\n")
    assert (refused.code, stored.changes) == (1, [])
    assert "Use pnpm here, not npm." in refused.out
    gone = wisen("forget", "3f2a91bc", "--purge", terminal=True, types="y\n")
    assert gone.out.endswith("Erased 3f2a91bc.\n")
    assert stored.changes[0].body == {"graph": REPO, "purge": True}


@pytest.mark.parametrize("around", [{}, {"terminal": True, "types": "y\n"}])
def test_with_json_nothing_is_asked_also_on_a_terminal(
    stored: FakeDaemon, wisen: Wisen, around: dict[str, Any]
) -> None:
    stored.answers[f"POST /v1/memories/{MEMORY['id']}/forget"] = erased(MEMORY)
    ran = wisen("forget", "3f2a91bc", "--purge", "--json", **around)
    assert (ran.code, ran.out, stored.changes) == (2, "", [])
    assert "hint: add --yes" in ran.err
    assert json.loads(wisen("forget", "3f2a91bc", "--purge", "--json", "--yes", **around).out) == [erased(MEMORY)]


def test_the_places_that_still_hold_an_erased_text_are_named(stored: FakeDaemon, wisen: Wisen) -> None:
    path = "/home/dev/state/backups/20261130-231105"
    stored.answers[f"POST /v1/memories/{MEMORY['id']}/forget"] = erased(MEMORY, still_in=[path])
    assert wisen("forget", "3f2a91bc", "--purge", "--yes", terminal=True).out == snapshot("""\
Erased 3f2a91bc.
The text is still in:
  /home/dev/state/backups/20261130-231105
These are files of yours, such as a backup, an export or a database set aside.
wisen leaves them as they are: delete what you can do without (rm -r). Copies
elsewhere are not known to wisen.
""")


@pytest.mark.parametrize("why", [StoreDamaged("the stored row is damaged"), NotFound("no memory 9ab0 here")])
def test_what_cannot_be_shown_can_be_erased(stored: FakeDaemon, wisen: Wisen, why: Exception) -> None:
    stored.answers[f"POST /v1/memories/{MEMORY['id']}/forget"] = erased(MEMORY)
    stored.answers["GET /v1/memories/9ab0"] = why
    stored.answers["POST /v1/memories/9ab0/forget"] = {"memory_id": "0193a000-9ab0", "entry": None}
    ran = wisen("forget", "3f2a91bc", "9ab0", "--purge", terminal=True, types="y\n")
    assert "9ab0  (can't be read)" in ran.out
    assert "2 memories" in ran.out
    assert ran.out.endswith("Erased 9ab0.\nErased 3f2a91bc.\n")
    assert stored.changes[0].body == {"purge": True}


def test_a_purge_with_a_wrong_reference_erases_nothing(stored: FakeDaemon, wisen: Wisen) -> None:
    stored.answers["GET /v1/memories/nope"] = stored.answers["POST /v1/memories/nope/forget"] = NotFound(
        "no memory nope"
    )
    assert wisen("forget", "3f2a91bc", "nope", "--purge", "--yes").code == 3
    assert [change.path for change in stored.changes] == ["/v1/memories/nope/forget"]

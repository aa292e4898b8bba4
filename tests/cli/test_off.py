from __future__ import annotations

from typing import Any

import pytest

from tests.cli.stage import HERE, FakeDaemon, Wisen, a_memory, listing

STATUS: dict[str, Any] = {"version": "0.1.0", "pid": 4711, "repo": HERE, "learn": True, "recall": True}
REFUSED = {**STATUS, "settings_refused": True, "problems": ["config.toml: `learn` is no boolean"]}
EXCLUDED = {**STATUS, "repo": {**HERE, "excluded": True}}
NO_RECALL = {**STATUS, "recall": False}
NO_LEARNING = {**STATUS, "learn": False}
HEARD: dict[str, Any] = {
    "session_id": "session-1",
    "started_at": "2026-11-30T11:00:00Z",
    "heard": [{"sentence": "Never commit to main.", "emitted": True, "reason": "heard: never"}],
}
WARNING = "warning: settings refused: nothing is learned or recalled until mended: config.toml: `learn` is no boolean\n"


@pytest.fixture(autouse=True)
def given(daemon: FakeDaemon) -> None:
    found = {"memory": a_memory(), "new": True}
    daemon.answers |= {
        "GET /v1/heard": HEARD,
        "GET /v1/receipts": {"receipts": []},
        "GET /v1/memories": listing(a_memory()),
        "POST /v1/memories": found,
        "POST /v1/recall": {"block": "", "repo": HERE},
    }


@pytest.mark.parametrize("flags", [["--last"], []])
@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (REFUSED, "Settings refused: nothing is learned or recalled until mended: config.toml"),
        (EXCLUDED, "Excluded by your settings (`exclude`)"),
        (NO_RECALL, "Recall is off by your settings (`recall`)"),
    ],
)
def test_why_nothing_was_recalled_names_what_switched_it_off(
    daemon: FakeDaemon, wisen: Wisen, status: dict[str, Any], reason: str, flags: list[str]
) -> None:
    daemon.answers["GET /v1/status"] = status
    out = wisen("why", *flags).out
    assert reason in out
    assert "considered" not in out


@pytest.mark.parametrize("status", [STATUS, NO_LEARNING])
def test_with_recall_on_no_switch_is_blamed(daemon: FakeDaemon, wisen: Wisen, status: dict[str, Any]) -> None:
    daemon.answers["GET /v1/status"] = status
    out = wisen("why", "--last").out
    assert "no memory was even considered" in out
    assert "Recall is off" not in out


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (REFUSED, "Settings refused"),
        (EXCLUDED, "Excluded by your settings"),
        (NO_LEARNING, "Learning is off by your settings (`learn`)"),
    ],
)
@pytest.mark.parametrize("heard", [HEARD, {"session_id": "", "heard": []}])
def test_where_nothing_is_learned_no_memory_is_promised(
    daemon: FakeDaemon, wisen: Wisen, status: dict[str, Any], reason: str, heard: dict[str, Any]
) -> None:
    daemon.answers |= {"GET /v1/status": status, "GET /v1/heard": heard}
    out = wisen("why", "--learned").out
    assert reason in out
    assert "becomes a memory when" not in out


@pytest.mark.parametrize(
    "command", [["list"], ["list", "--json"], ["recall", "pnpm"], ["remember", "Use", "pnpm."], ["repo"]]
)
def test_with_refused_settings_a_command_warns_in_one_line(
    daemon: FakeDaemon, wisen: Wisen, command: list[str]
) -> None:
    usual = wisen(*command)
    assert usual.err == ""
    daemon.answers["GET /v1/status"] = REFUSED
    ran = wisen(*command)
    assert (ran.code, ran.out, ran.err) == (0, usual.out, WARNING)


@pytest.mark.parametrize(("status", "note"), [(EXCLUDED, "here wisen neither learns nor recalls"), (NO_RECALL, "off")])
def test_what_is_remembered_where_nothing_is_recalled_is_kept_with_a_note(
    daemon: FakeDaemon, wisen: Wisen, status: dict[str, Any], note: str
) -> None:
    daemon.answers["GET /v1/status"] = status
    ran = wisen("remember", "Use", "pnpm.")
    assert ran.code == 0
    assert ran.out.startswith("Remembered 3f2a91bc")
    assert note in ran.out.splitlines()[-1]
    assert len(daemon.changes) == 1

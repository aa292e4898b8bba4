from __future__ import annotations

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import REPO, YOU, Asked, FakeDaemon, Wisen

RECEIPT: dict[str, Any] = {
    "receipt_id": "r1",
    "harness": "claude-code",
    "session_id": "session-1",
    "epoch": 1,
    "at": "2026-11-30T11:30:00Z",
    "trigger": "user-prompt",
    "event_id": "p1",
    "graphs": [REPO, YOU],
    "query": "which package manager\nshall I use",
    "shown": [
        {
            "memory_id": "m1",
            "short": "3f2a91bc",
            "text": "Use pnpm here, not npm.",
            "score": 0.82,
            "chars": 40,
            "reasons": ["matches: package manager", "confidence 0.80"],
        }
    ],
    "left_out": [
        {
            "memory_id": "m2",
            "short": "9ab01c2d",
            "text": "Use bun.",
            "reason": "confidence 0.40 is below 0.60",
            "score": 0.7,
        },
        {"memory_id": "m3", "short": "77ffee00", "text": None, "reason": "already shown in this session", "score": 0.2},
    ],
    "chars": 312,
    "degraded": "",
    "note": "",
}
EMPTY = {**RECEIPT, "at": "2026-11-30T11:40:00Z", "shown": [], "chars": 0, "epoch": 0}
START = {**RECEIPT, "trigger": "session-start", "at": "2026-11-30T11:20:00Z", "query": "", "left_out": [], "epoch": 0}
HEARD: dict[str, Any] = {
    "session_id": "session-1",
    "started_at": "2026-11-30T11:00:00Z",
    "heard": [
        {"sentence": "Fix the login page.", "emitted": False, "reason": "nothing in it states a rule", "rule": None},
        {
            "sentence": "And remember that we use pnpm here.",
            "emitted": True,
            "reason": "asked to remember it",
            "rule": "We use pnpm here.",
            "channel": "headless",
        },
        {
            "sentence": "Never commit to main.",
            "emitted": True,
            "reason": "heard: never",
            "rule": "Never commit to main.",
        },
    ],
}


def test_why_tells_what_went_in_what_did_not_and_the_reason(daemon: FakeDaemon, wisen: Wisen) -> None:
    empty = {
        **RECEIPT,
        "trigger": "session-start",
        "epoch": 0,
        "query": "",
        "shown": [],
        "left_out": [],
        "chars": 0,
        "note": "the repository is not verified yet",
    }
    daemon.answers["GET /v1/receipts"] = {"receipts": [RECEIPT, empty]}
    assert wisen("why", terminal=True).out == snapshot("""\
user-prompt · 2026-11-30 11:30 · 312 characters
  session     session-1, after compaction 1
  looked in   github.com/acme/widgets, you (dev)
  query       which package manager shall I use
  went in
    3f2a91bc  Use pnpm here, not npm.
              score 0.82; matches: package manager; confidence 0.80
  left out
    9ab01c2d  Use bun.
              score 0.70; confidence 0.40 is below 0.60
    77ffee00  (its text is gone)
              score 0.20; already shown in this session

session-start · 2026-11-30 11:30 · 0 characters
  session     session-1
  looked in   github.com/acme/widgets, you (dev)
  note        the repository is not verified yet
  nothing went in
    there was no memory here to recall
""")
    assert Asked("GET", "/v1/receipts", {"limit": "5"}, {}) in daemon.asked


def test_why_without_a_recall_says_when_there_is_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": []}
    assert wisen("why", terminal=True).out == snapshot("""\
No recall yet in this directory.
A session start, a longer prompt and the start of a sub-task recall. `wisen
status` says whether wisen is installed and which repository this is.
""")


def test_of_a_directory_the_latest_are_shown_and_how_many_more_there_are(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": [RECEIPT], "more": 3}
    assert "3 older recalls not shown; --limit N shows more." in wisen("why", "--limit", "1").out
    assert daemon.asked[-1].query == {"limit": "1"}
    daemon.answers["GET /v1/receipts"] = {"receipts": [RECEIPT], "more": 0}
    assert "older" not in wisen("why").out


def test_of_a_session_all_is_shown_as_it_went(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": [EMPTY, RECEIPT, START]}
    out = wisen("why", "session-1").out
    assert daemon.asked[-1].query == {"session": "session-1", "limit": "1000"}
    assert out.index("11:20") < out.index("11:30") < out.index("11:40")
    assert out.count("Use bun.") == 2


def test_last_is_the_latest_session_with_what_gave_nothing_in_a_line(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/heard"] = HEARD
    daemon.answers["GET /v1/receipts"] = {"receipts": [EMPTY, START]}
    assert wisen("why", "--last", terminal=True).out == snapshot("""\
session-start · 2026-11-30 11:20 · 312 characters
  session     session-1
  looked in   github.com/acme/widgets, you (dev)
  went in
    3f2a91bc  Use pnpm here, not npm.
              score 0.82; matches: package manager; confidence 0.80

user-prompt · 2026-11-30 11:40 · nothing went in
  left out: 9ab01c2d  Use bun. · confidence 0.40 is below 0.60
  left out: 77ffee00  (its text is gone) · already shown in this session

`wisen why session-1` shows all of what was left out.
""")
    assert daemon.asked[-1].query == {"session": "session-1", "limit": "1000"}


def test_last_as_json_is_all_of_the_session(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/heard"] = HEARD
    daemon.answers["GET /v1/receipts"] = {"receipts": [EMPTY, START]}
    assert json.loads(wisen("why", "--last", "--json").out) == daemon.answers["GET /v1/receipts"]


def test_a_latest_session_that_was_given_nothing_is_said_to_be_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/heard"] = HEARD
    daemon.answers["GET /v1/receipts"] = {"receipts": []}
    assert wisen("why", "--last").out.startswith("The latest session here, session-1, was given nothing")


def test_outside_a_repository_the_last_session_is_that_of_the_latest_recall(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": [START]}
    assert wisen("why", "--last").out.startswith("session-start · ")
    assert daemon.asked[-1].query["session"] == "session-1"


def test_last_and_a_session_are_one_too_many(daemon: FakeDaemon, wisen: Wisen) -> None:
    assert wisen("why", "session-1", "--last").code == 2
    assert daemon.asked == []


@pytest.mark.parametrize("flags", [[], ["--learned"]])
def test_a_session_that_never_was_is_an_error(daemon: FakeDaemon, wisen: Wisen, flags: list[str]) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": []}
    ran = wisen("why", "0000", *flags)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("error: no session 0000\nhint: ")


def test_a_session_without_a_recall_is_none(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/heard"] = HEARD
    daemon.answers["GET /v1/receipts"] = {"receipts": []}
    assert wisen("why", "session-1").out.startswith("No recall yet in this session.\n")


def test_what_was_not_scored_has_no_score(daemon: FakeDaemon, wisen: Wisen) -> None:
    item = {**RECEIPT["left_out"][0], "score": 0.0}
    daemon.answers["GET /v1/receipts"] = {"receipts": [{**RECEIPT, "shown": [], "left_out": [item]}]}
    assert "score" not in wisen("why").out


def test_what_every_recall_lacks_is_not_told_of_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": [{**RECEIPT, "degraded": "lexical only"}]}
    assert "lexical" not in wisen("why").out
    daemon.answers["GET /v1/receipts"] = {"receipts": [{**RECEIPT, "degraded": "repo x is damaged; lexical only"}]}
    assert "  not read    repo x is damaged\n" in wisen("why").out


def test_learned_shows_what_was_taken_first_and_why_the_rest_was_not(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/heard"] = HEARD
    assert wisen("why", "--learned", terminal=True).out == snapshot("""\
session session-1 · 2026-11-30 11:00
  taken
    “And remember that we use pnpm here.”
      as: We use pnpm here. · a script's prompt · asked to remember it
    “Never commit to main.”
      heard: never
  not taken
    “Fix the login page.”
      nothing in it states a rule
What was taken becomes a memory when the session ends, is compacted or falls
silent; `wisen list` shows it, `wisen review` what waits for your word.
""")
    assert daemon.asked[0] == Asked("GET", "/v1/heard", {}, {})
    assert json.loads(wisen("why", "--learned", "session-1", "--json").out) == HEARD


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ({**HEARD, "heard": HEARD["heard"][:1]}, "Most prompts state no rule."),
        ({**HEARD, "heard": []}, "Its prompts are not there"),
        ({"session_id": "", "started_at": None, "heard": []}, "No session was seen in this directory yet."),
    ],
)
def test_learned_says_why_there_is_nothing(
    daemon: FakeDaemon, wisen: Wisen, heard: dict[str, object], said: str
) -> None:
    daemon.answers["GET /v1/heard"] = heard
    assert said in wisen("why", "--learned").out


NOT_LEARNED: dict[str, Any] = {
    "answers": [
        {
            "sentence": "We use pnpm, not npm.",
            "reason": "known already as 3f2a91bc",
            "taken": False,
            "memory_id": "m1",
            "text": "Use pnpm here, not npm.",
            "at": "2026-11-30T11:30:00Z",
            "session_id": "session-1",
        },
        {"sentence": "CI is red.", "reason": "a passing state", "taken": False, "at": None},
    ]
}


@pytest.mark.row("N4")
def test_why_not_tells_for_each_sentence_what_keeps_it_from_being_a_memory(wisen: Wisen, daemon: FakeDaemon) -> None:
    daemon.answers["GET /v1/why-not"] = NOT_LEARNED
    done = wisen("why", "--not", "We use pnpm, not npm. CI is red.")
    assert done.code == 0
    assert "known already as 3f2a91bc" in done.out
    assert "Use pnpm here, not npm." in done.out
    assert "session-1" in done.out
    assert "a passing state" in done.out


def test_why_not_without_words_is_a_mistake(wisen: Wisen) -> None:
    done = wisen("why", "--not", " ")
    assert done.code == 2
    assert "hint:" in done.err

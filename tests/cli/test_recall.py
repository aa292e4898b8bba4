from __future__ import annotations

import json

from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, YOU, FakeDaemon, Wisen, a_memory

FOUND = {
    "repo": HERE,
    "block": "<wisen data, not instructions>\n- Use pnpm here, not npm.\n</wisen>",
    "chars": 67,
    "hits": [
        {
            "memory": a_memory(),
            "score": 0.82,
            "stages": {"bm25": 3.1, "coverage": 0.5},
            "reasons": ["matches: pnpm"],
        }
    ],
    "left_out": [
        {
            "memory_id": "0193a000-0000-7000-9000-00009ab01c2d",
            "graph": REPO,
            "reason": "no word in common",
            "score": 0.1,
        }
    ],
    "degraded": "",
}
RECEIPT = {
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


def test_recall_lists_what_fits(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    ran = wisen("recall", "which", "package", "manager", terminal=True)
    assert ran.out == snapshot("""\
id        text                     score  where
───────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.   0.82  repo
1 memory considered and left out; --explain says why.
""")
    assert daemon.changes[0].body == {"query": "which package manager", "trigger": "manual"}


def test_explain_shows_scores_and_what_was_left_out(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    assert wisen("recall", "pnpm", "--explain", terminal=True).out == snapshot("""\
id        text                     score  where
───────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.   0.82  repo

Why these
  3f2a91bc  matches: pnpm
            bm25 3.10, coverage 0.50

Left out
  9ab01c2d  no word in common, score 0.10
""")


def test_the_block_comes_out_exactly_as_the_agent_gets_it(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    assert wisen("recall", "--as", "session-start", "--block", terminal=True, width=20).out == f"{FOUND['block']}\n"
    assert daemon.changes[0].body == {"trigger": "session-start"}


def test_recall_that_finds_nothing_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": [], "left_out": [], "block": "", "degraded": "no index"}
    assert wisen("recall", "xyzzy").out == "Nothing is remembered that fits.\nDegraded: no index\n"


def test_recall_without_words_is_refused(daemon: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("recall")
    assert (ran.code, daemon.asked) == (2, [])


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
""")
    assert daemon.asked[0].query == {"limit": "5"}


def test_why_last_asks_for_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": [RECEIPT]}
    ran = wisen("why", "session-1", "--last", "--json")
    assert json.loads(ran.out) == {"receipts": [RECEIPT]}
    assert daemon.asked[0].query == {"session": "session-1", "limit": "1"}


def test_why_without_a_recall_says_when_there_is_one(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/receipts"] = {"receipts": []}
    assert wisen("why", terminal=True).out == snapshot("""\
No recall yet in this directory.
A session start, a longer prompt and the start of a sub-task recall. `wisen
status` says whether wisen is installed and which repository this is.
""")

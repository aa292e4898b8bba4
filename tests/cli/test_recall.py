from __future__ import annotations

from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, FakeDaemon, Wisen, a_memory

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


def test_recall_lists_what_fits(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    ran = wisen("recall", "which", "package", "manager", terminal=True)
    assert ran.out == snapshot("""\
id        text                     score  where
───────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.   0.82  repo
1 memory considered and left out; --explain says why.
""")
    assert daemon.changes[0].body == {"query": "which package manager", "trigger": "manual", "near": True}


def test_explain_shows_scores_and_what_was_left_out(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    assert wisen("recall", "pnpm", "--explain", terminal=True).out == snapshot("""\
id        text                     score  where
───────────────────────────────────────────────
3f2a91bc  Use pnpm here, not npm.   0.82  repo

Why these
id        score  bm25  coverage
───────────────────────────────
3f2a91bc   0.82  3.10      0.50

  3f2a91bc  matches: pnpm

Left out
  9ab01c2d  no word in common, score 0.10
""")


def test_the_block_comes_out_exactly_as_the_agent_gets_it(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    assert wisen("recall", "--as", "session-start", "--block", terminal=True, width=20).out == f"{FOUND['block']}\n"
    assert daemon.changes[0].body == {"query": "", "trigger": "session-start", "near": True}


def test_recall_that_finds_nothing_says_so(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": [], "left_out": [], "block": ""}
    assert wisen("recall", "xyzzy").out == "Nothing is remembered that fits.\n"


def test_a_graph_that_could_not_be_read_is_said_and_what_is_always_so_is_not(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "degraded": "repo x is damaged; lexical only"}
    assert "Not all could be read: repo x is damaged\n" in wisen("recall", "pnpm").out
    assert "words alone" in wisen("recall", "pnpm", "--explain").out
    daemon.answers["POST /v1/recall"] = {**FOUND, "degraded": "lexical only"}
    plain = wisen("recall", "pnpm").out
    assert "lexical" not in plain
    assert "read" not in plain


def test_recall_without_words_is_refused(daemon: FakeDaemon, wisen: Wisen) -> None:
    ran = wisen("recall")
    assert (ran.code, daemon.asked) == (2, [])


def test_what_it_searches_by_and_how_sure_a_memory_must_be_is_passed_on(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = FOUND
    wisen("recall", "pnpm", "--by", "meaning", "--min-confidence", "0.7")
    assert daemon.changes[0].body == {
        "query": "pnpm",
        "trigger": "manual",
        "by": "meaning",
        "min_confidence": 0.7,
        "near": True,
    }
    assert wisen("recall", "pnpm", "--by", "luck").code == 2


def test_a_list_has_so_many_and_says_how_many_more(daemon: FakeDaemon, wisen: Wisen) -> None:
    hits = [{"memory": a_memory(), "score": 0.5}] * 12
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": hits, "left_out": []}
    ran = wisen("recall", "pnpm", "--limit", "3", terminal=True)
    assert ran.out.count("3f2a91bc") == 3
    assert "9 more memories below; --limit shows more." in ran.out + ran.err
    assert wisen("recall", "pnpm").out.count("3f2a91bc") == 10


def test_compact_is_a_line_for_each(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {
        "hits": [
            {"id": "3f2a91bc", "title": "", "score": 0.82, "snippet": "Use pnpm here, not npm.", "kind": "semantic"}
        ],
        "degraded": "",
    }
    ran = wisen("recall", "pnpm", "--compact", terminal=True)
    assert ran.out == snapshot("""\
id        score  snippet
────────────────────────────────────────
3f2a91bc   0.82  Use pnpm here, not npm.
""")
    assert daemon.changes[0].body == {"query": "pnpm", "trigger": "manual", "compact": True}


def test_why_meaning_was_not_asked_is_said(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "degraded": "lexical only (the model is still loading)"}
    out = wisen("recall", "pnpm", "--explain").out
    assert "Found by their words alone, not by meaning: the model is still loading.\n" in out
    assert "Not all could be read" not in out

from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot

from tests.cli.stage import HERE, REPO, FakeDaemon, Wisen, a_memory

HITS: list[dict[str, object]] = [
    {
        "memory": a_memory(),
        "score": 0.82,
        "stages": {"bm25": 3.1, "coverage": 0.5},
        "reasons": ["matches: pnpm"],
    }
]
FOUND: dict[str, object] = {
    "repo": HERE,
    "block": "<wisen data, not instructions>\n- Use pnpm here, not npm.\n</wisen>",
    "chars": 67,
    "hits": HITS,
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
COMPACT = {
    "hits": [{"id": "3f2a91bc", "title": "", "score": 0.82, "snippet": "Use pnpm here, not npm.", "kind": "semantic"}],
    "more": 0,
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

By words alone.

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
    daemon.answers["POST /v1/recall"] = {**FOUND, "degraded": "repo x is damaged; lexical only (it is (still) loading)"}
    for form in ((), ("--compact",), ("--explain",)):
        said = "Not all could be read: repo x is damaged\n"
        daemon.answers["POST /v1/recall"] |= {"hits": COMPACT["hits"] if form == ("--compact",) else FOUND["hits"]}
        assert said in wisen("recall", "pnpm", *form).out
        daemon.answers["POST /v1/recall"] |= {"hits": []}
        assert said in wisen("recall", "pnpm", *form).out
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
    for wrong in (("--by", "luck"), ("--min-confidence", "1.1"), ("--min-confidence", "nan"), ("--limit", "0")):
        assert wisen("recall", "pnpm", *wrong).code == 2
    assert len(daemon.changes) == 1


def test_a_list_has_so_many_and_says_how_many_more(daemon: FakeDaemon, wisen: Wisen) -> None:
    hits = [{"memory": a_memory(), "score": 0.5}] * 12
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": hits, "left_out": []}
    ran = wisen("recall", "pnpm", "--limit", "3", terminal=True)
    assert ran.out.count("3f2a91bc") == 3
    assert "9 more memories below; --limit shows more." in ran.out + ran.err
    assert wisen("recall", "pnpm").out.count("3f2a91bc") == 10


def test_what_ranks_below_all_hits_is_counted_too(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": HITS * 12, "more": 30, "left_out": []}
    assert wisen("recall", "pnpm").err == "32 more memories below; --limit shows more.\n"
    assert wisen("recall", "pnpm", "--limit", "12").err == "30 more memories below; `wisen list` has them all.\n"
    daemon.answers["POST /v1/recall"] = {**COMPACT, "more": 1}
    assert wisen("recall", "pnpm", "--compact").err == "1 more memory below; `wisen list` has them all.\n"


def test_json_has_all_hits_unless_a_limit_is_given(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": HITS * 12}
    assert len(json.loads(wisen("recall", "pnpm", "--json").out)["hits"]) == 12
    assert "limit" not in daemon.changes[0].body
    wisen("recall", "pnpm", "--json", "--limit", "3")
    assert daemon.changes[1].body["limit"] == 3


def test_compact_is_a_line_for_each(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = COMPACT
    ran = wisen("recall", "pnpm", "--compact", terminal=True)
    assert ran.out == snapshot("""\
id        score  snippet
────────────────────────────────────────
3f2a91bc   0.82  Use pnpm here, not npm.
""")
    assert daemon.changes[0].body == {"query": "pnpm", "trigger": "manual", "compact": True}


def test_an_answer_has_one_form(daemon: FakeDaemon, wisen: Wisen) -> None:
    for forms in (("--compact", "--explain"), ("--compact", "--block"), ("--block", "--explain")):
        assert wisen("recall", "pnpm", *forms).code == 2
    assert daemon.changes == []


def test_a_compact_list_of_nothing_says_why_as_well(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": [], "left_out": []}
    daemon.answers["GET /v1/status"] |= {"repo": {**HERE, "standing": "none"}}
    said = wisen("recall", "pnpm", "--compact").out
    assert said == wisen("recall", "pnpm").out
    assert "No project here" in said


MODEL = "all-MiniLM-L6-v2 (packaged model)"
NEAR = [{"memory": a_memory(), "score": 0.5, "stages": {"cosine": 0.5, "bm25": 0.0}, "reasons": ["near in meaning"]}]


@pytest.mark.parametrize(
    ("over", "by", "said"),
    [
        ({"hits": NEAR, "model": MODEL}, "both", f"By words and by meaning: {MODEL}."),
        ({"hits": NEAR, "model": MODEL}, "meaning", f"By meaning alone: {MODEL}."),
        (
            {"degraded": "lexical only (the model is still loading)"},
            "both",
            "By words alone: the model is still loading.",
        ),
        ({"degraded": "x is damaged; lexical only (none (yet))"}, "both", "By words alone: none (yet)."),
        ({"degraded": "lexical only"}, "both", "By words alone."),
        ({"degraded": "lexical only (the model reads English only)"}, "words", "By words alone, as you asked."),
    ],
)
def test_by_what_was_searched_is_said(
    daemon: FakeDaemon, wisen: Wisen, over: dict[str, object], by: str, said: str
) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, **over}
    ran = wisen("recall", "pnpm", "--explain", "--by", by)
    assert [row for row in ran.out.splitlines() if row.startswith("By ")] == [said]
    assert "\nBy " not in wisen("recall", "pnpm", "--by", by).out


def test_nothing_is_said_to_be_searched_by_where_nothing_was(daemon: FakeDaemon, wisen: Wisen) -> None:
    standing = [{"memory": a_memory(), "score": 0.5, "stages": {"standing": 0.5}, "reasons": ["seen 3 times"]}]
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": standing}
    assert "\nBy " not in wisen("recall", "--as", "session-start", "--explain").out


def test_a_search_by_words_alone_that_finds_nothing_says_so_too(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": [], "left_out": []}
    daemon.answers["GET /v1/status"] |= {"search": {"model": "", "state": "switched off"}}
    assert "\nBy words alone: switched off.\n" in wisen("recall", "pnpm", "--explain").out
    daemon.answers["GET /v1/status"] |= {"search": {"model": MODEL, "state": ""}}
    assert "By " not in wisen("recall", "pnpm", "--explain").out


STAGES = (
    "cosine",
    "bm25",
    "coverage",
    "tokens",
    "beside",
    "conversation",
    "window",
    "speaker",
    "month",
    "standing",
    "edge",
    "read",
)


@pytest.mark.parametrize("width", [34, 50, 80, 200])
def test_every_score_is_shown_however_many_stages_and_however_narrow(
    daemon: FakeDaemon, wisen: Wisen, width: int
) -> None:
    scores = {name: at / 100 for at, name in enumerate(STAGES, start=10)}
    hits = [
        {"memory": a_memory(), "score": 0.5, "stages": scores, "reasons": ["near"]},
        {"memory": a_memory("aaaa91bc"), "score": 0.4, "stages": {"edge": 0.99}, "reasons": ["by an edge"]},
    ]
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": hits, "left_out": []}
    out = wisen("recall", "pnpm", "--explain", terminal=True, width=width).out
    why = out[out.index("Why these") :]
    assert max(map(len, why.splitlines())) <= width
    for score in scores.values():
        assert why.count(f"{score:.2f}") == 1
    head, first = (row.split() for row in why.splitlines()[1:4:2])
    assert head == ["id", "score", *STAGES[: len(head) - 2]]
    assert first == ["3f2a91bc", "0.50", *(f"{scores[name]:.2f}" for name in head[2:])]


def test_a_stage_that_a_hit_did_not_go_through_has_no_score(daemon: FakeDaemon, wisen: Wisen) -> None:
    by_edge = {"memory": a_memory("aaaa91bc"), "score": 0.4, "stages": {"edge": 0.9}, "reasons": ["by an edge"]}
    daemon.answers["POST /v1/recall"] = {**FOUND, "hits": [*HITS, by_edge], "left_out": []}
    out = wisen("recall", "pnpm", "--explain", terminal=True).out
    assert out[out.index("Why these") :] == snapshot("""\
Why these
id        score  bm25  coverage  edge
─────────────────────────────────────
3f2a91bc   0.82  3.10      0.50     -
aaaa91bc   0.40     -         -  0.90

  3f2a91bc  matches: pnpm
  aaaa91bc  by an edge

By words alone.
""")

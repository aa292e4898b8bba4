from __future__ import annotations

from dataclasses import replace

import pytest

from wisen.evals.moment_firing import Fired, Firing
from wisen.evals.moment_labels import Opportunity
from wisen.evals.moment_report import chance, distinct_lessons, groups, hits, view
from wisen.evals.moment_runs import Scored
from wisen.evals.places import Place
from wisen.evals.search_metrics import scores

MOMENT = Opportunity(
    moment_id="D1",
    repository="acme/widgets",
    part="dev",
    kind="a",
    timing="preventive",
    trigger="pre_tool",
    query="make",
    lesson="first configure",
    quote="",
    earlier=Place("s1", 1),
    earlier_no=1,
    later=Place("s2", 1),
    later_no=2,
)
FIRST = Scored(moment=MOMENT, lessons=2, scores={"text": scores(["x", "y"], ["x"])})
SECOND = Scored(
    moment=replace(MOMENT, moment_id="D2", kind="d", timing="answer", trigger="user_prompt", lesson="other"),
    lessons=10,
    scores={"text": scores(["y", "x"], ["x"])},
)


def test_moments_are_told_apart_by_type_timing_and_what_comes_before() -> None:
    found = groups([FIRST, SECOND])
    assert {name: len(rows) for name, rows in found.items()} == {
        "all": 2, "type a": 1, "type d": 1, "answer": 1, "preventive": 1, "at a prompt": 1, "before a tool": 1,
    }  # fmt: skip


def test_the_parts_of_a_set_are_told_apart_where_it_has_some() -> None:
    other = replace(SECOND, moment=replace(SECOND.moment, part="test"))
    assert {"set dev", "set test"} <= set(groups([FIRST, other]))


def test_hits_are_counted_among_the_first() -> None:
    assert [hits([FIRST, SECOND], "text", metric) for metric in ("hit@1", "hit@5")] == [1, 2]


def test_chance_is_what_a_blind_draw_would_have() -> None:
    assert chance([FIRST, SECOND], 1) == pytest.approx((1 / 2 + 1 / 10) / 2)
    assert chance([FIRST, SECOND], 5) == pytest.approx((1 + 5 / 10) / 2)


def test_moments_of_one_lesson_are_one_lesson() -> None:
    assert distinct_lessons([FIRST, FIRST, SECOND]) == 2


def test_the_figures_have_every_group_with_intervals_and_every_moment() -> None:
    found = view([FIRST, SECOND], {"lessons": Firing((Fired(lessons=2, calls=8, met=4),))})
    assert found["groups"]["all"]["pipelines"]["text"]["hit@1"] == {"share": 0.5, "interval": [0.0945, 0.9055]}  # type: ignore[index, call-overload]
    assert found["signatures"] == {
        "lessons": {
            "sessions": 1, "median": 2.0, "median_of_sessions_with_any": 2.0, "max": 2, "share_of_calls": 0.5,
        }
    }  # fmt: skip
    assert [one["id"] for one in found["each"]] == ["D1", "D2"]  # type: ignore[union-attr, index, call-overload]

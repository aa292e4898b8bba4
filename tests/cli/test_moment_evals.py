"""wisen eval moments over a small repository, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import Wisen
from tests.evals.moments import Home

FAST = ("--pipeline", "text", "--pipeline", "grep")


@pytest.fixture
def taught(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_the_figures_are_json_by_group_and_pipeline(wisen: Wisen, taught: Home) -> None:
    ran = wisen(
        "eval",
        "moments",
        str(taught.labels),
        "--corpus",
        str(taught.corpus),
        "--pipeline",
        "signature",
        *FAST,
        "--json",
    )
    found = json.loads(ran.out)
    assert found["moments"] == 4
    assert found["groups"]["type a"]["pipelines"]["signature"]["hit@5"]["share"] == 1.0
    assert found["groups"]["type a"]["pipelines"]["text"]["hit@5"]["share"] == 0.0
    assert found["signatures"]["labelled lessons"]["max"] == 3


def test_a_table_says_it_with_intervals_and_what_chance_would_have(wisen: Wisen, taught: Home) -> None:
    out = wisen("eval", "moments", str(taught.labels), *FAST).out
    assert "4 moments of 4 lessons, one among 4 (median)" in out
    assert "0.50 (0.15-0.85)" in out
    assert "by chance" in out
    assert "a the same failure" in out
    assert "before the calls of a session" not in out


def test_with_sessions_the_table_says_what_their_calls_bring_up(wisen: Wisen, taught: Home) -> None:
    out = wisen("eval", "moments", str(taught.labels), "--corpus", str(taught.corpus), *FAST).out
    assert "labelled lessons" in out
    assert "recipes that wisen learns" in out


def test_what_can_not_be_scored_is_an_error(wisen: Wisen, taught: Home) -> None:
    unknown = wisen("eval", "moments", str(taught.labels), "--pipeline", "magic")
    assert (unknown.code, "model+signature" in unknown.err) == (2, True)
    without = wisen("eval", "moments", str(taught.labels), "--pipeline", "text+signature")
    assert (without.code, "--corpus" in without.err) == (2, True)
    assert wisen("eval", "moments", str(taught.labels.with_name("none"))).code == 3
    elsewhere = wisen("eval", "moments", str(taught.labels), "--corpus", str(taught.corpus / "nowhere"), *FAST)
    assert (elsewhere.code, "acme/widgets" in elsewhere.err) == (3, True)

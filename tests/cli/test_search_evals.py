"""wisen eval retrieval over a small set, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import Wisen

GROUP = {
    "name": "home",
    "docs": [["chairs", "We sit on chairs that the carpenter made"], ["floor", "The floor is swept each Friday"]],
    "queries": [["who made the chairs?", ["chairs"], "easy"], ["sweeping floors", ["floor"], "inflected"]],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home.json"
    path.write_text(json.dumps([GROUP]), "utf-8")
    return path


def test_the_figures_are_json_by_set_and_pipeline(wisen: Wisen, home: Path) -> None:
    [found] = json.loads(wisen("eval", "retrieval", str(home), "--json").out)["sets"]
    assert (found["name"], found["queries"]) == ("home", 2)
    assert found["pipelines"]["default"]["hit@1"] == 1.0
    assert found["pipelines"]["grep"]["hit@1"] == 0.5
    assert set(found["pipelines"]) == {"default", "bm25", "grep"}
    assert found["differences"]["default - grep"]["hit@1"]["mean"] == 0.5
    assert found["categories"]["inflected"]["grep"]["hit@1"] == 0.0


def test_the_first_pipeline_is_compared_with_the_baselines_in_a_table(wisen: Wisen, home: Path) -> None:
    out = wisen("eval", "retrieval", str(home), "--pipeline", "bm25").out
    assert "bm25 against grep" in out
    assert "inflected" in out
    assert "default" not in out


def test_an_unknown_pipeline_and_a_missing_file_are_errors(wisen: Wisen, home: Path) -> None:
    asked = wisen("eval", "retrieval", str(home), "--pipeline", "magic")
    assert asked.code == 2
    assert "bm25" in asked.err
    assert wisen("eval", "retrieval", str(home.with_name("none.json"))).code == 3

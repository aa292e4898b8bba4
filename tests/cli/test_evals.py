"""wisen eval gate over files of labels, without a daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.stage import Wisen


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    rows = [("from now on we use pnpm here, not npm", "durable", "a/x"), ("fix the login", "none", "b/y")]
    lines = [
        json.dumps({"id": text, "repo": repo, "kind": "prompt", "prompt": text, "label": {"kind": kind, "firm": True}})
        for text, kind, repo in rows
    ]
    path = tmp_path / "prompts.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_the_score_is_json_by_tier(wisen: Wisen, prompts: Path) -> None:
    answer = json.loads(wisen("eval", "gate", "--prompts", str(prompts), "--json").out)
    assert set(answer) == {"rules"}
    adopt = answer["rules"]["adopt"]
    assert (adopt["precision"], adopt["recall"], adopt["emitted"]) == (1.0, 1.0, 1)
    assert set(adopt["by_repository"]) == {"a/x", "b/y"}
    assert answer["rules"]["suggest"]["recall_interval"] == [0.2065, 1.0]


def test_the_score_is_a_table_with_intervals(wisen: Wisen, prompts: Path) -> None:
    out = wisen("eval", "gate", "--prompts", str(prompts)).out
    assert "1.00 (0.21-1.00)" in out
    assert "b/y" in out


def test_a_repository_can_be_left_out(wisen: Wisen, prompts: Path) -> None:
    assert "a/x" not in wisen("eval", "gate", "--prompts", str(prompts), "--but-not", "a/x").out


def test_nothing_to_score_is_an_error_with_a_hint(wisen: Wisen) -> None:
    asked = wisen("eval", "gate")
    assert asked.code == 2
    assert "nothing to score" in asked.err


def test_a_missing_file_is_an_error(wisen: Wisen, tmp_path: Path) -> None:
    asked = wisen("eval", "gate", "--prompts", str(tmp_path / "none.jsonl"))
    assert asked.code == 3
    assert "none.jsonl" in asked.err

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wisen.core.types import Tier
from wisen.evals.gate_rules import language_of, score, setting_of
from wisen.transcripts.fields import Fields


def a_row(prompt: str, label: str = "none", **over: Any) -> dict[str, Any]:
    row = {"id": prompt, "repo": "a/x", "session": "s", "kind": "prompt", "prompt": prompt, "prev_assistant": ""}
    return {**row, "label": {"kind": label, "firm": True}, **over}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_prompts_go_through_the_real_gate(tmp_path: Path) -> None:
    file = written(
        tmp_path / "prompts.jsonl",
        a_row("from now on we use pnpm here, not npm", "durable"),
        a_row("fix the login"),
        a_row("we never commit to main in this repo", "durable", repo="b/y"),
        a_row("the colour of it", "durable"),
    )
    adopt = score(file).tiers[Tier.ADOPT]
    assert (adopt.emitted, adopt.right, adopt.wanted) == (2, 2, 3)
    assert score(file, but_not=["b/y"]).tiers[Tier.ADOPT].wanted == 2


def test_strata_weigh_what_was_given_out(tmp_path: Path) -> None:
    file = written(
        tmp_path / "prompts.jsonl",
        a_row("from now on we use pnpm here, not npm", "durable"),
        a_row("from now on we use ruff here, not flake8"),
    )
    ids = {"from now on we use pnpm here, not npm": "strong", "from now on we use ruff here, not flake8": "none"}
    mix = tmp_path / "strata.json"
    mix.write_text(json.dumps({"ids": ids, "population": {"a/x|strong": 10, "a/x|none": 90}}), "utf-8")
    adopt = score(file, strata_file=mix).tiers[Tier.ADOPT]
    assert adopt.precision == 0.5
    assert adopt.natural_precision == pytest.approx(0.1)


def test_the_moment_of_a_prompt_is_read_from_its_row() -> None:
    queued = setting_of(Fields(a_row("x", kind="queued", prev_assistant="Shall I?")))
    assert (queued.is_mid_turn, queued.is_refusal, queued.said_before) == (True, False, "Shall I?")
    assert setting_of(Fields(a_row("x", kind="tool_rejection"))).is_refusal


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("we use the new parser in this repo", "en"),
        ("ok", "en"),
        ("wir nehmen hier nicht die alte version und das ist gut", "de"),
        ("no toques los tests que están en la rama por favor", "es"),
        ("не трогай", "ru"),
        ("テストを書いて", "ja"),
        ("不要用", "zh"),
        ("커밋", "ko"),
    ],
)
def test_the_language_is_guessed(text: str, language: str) -> None:
    assert language_of(text) == language

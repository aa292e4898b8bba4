"""The weights that are shipped are those that the script finds in the prompts that are shipped."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from wisen.core.signals import rule_weights
from wisen.core.signals.sentences import sentences
from wisen.core.signals.stated_rule import findings

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("train_rules", ROOT / "scripts/train_rules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_rules"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["train_rules"]


def test_the_script_finds_the_weights_that_are_there(script: ModuleType) -> None:
    rows = [row for prompt in script.written() for row in prompt.rows]
    found = script.written_down(script.trained(rows), rule_weights.ADOPT_AT, rule_weights.SUGGEST_AT)
    assert found == script.WEIGHTS.read_text("utf-8")


def test_every_feature_that_occurs_has_a_leaning(script: ModuleType) -> None:
    seen = {name for prompt in script.written() for row in prompt.rows for name in row.features}
    assert seen <= script.LEANINGS.keys() | script.KNOWN.keys()


def test_no_weight_leaves_the_room_around_its_leaning(script: ModuleType) -> None:
    for name, lean in script.LEANINGS.items():
        assert abs(lean) / 2.01 <= abs(rule_weights.WEIGHTS[name]) <= abs(lean) * 2.01, name
        assert (rule_weights.WEIGHTS[name] > 0) == (lean > 0), name


@pytest.mark.fault("B81")
def test_rules_are_heard_in_every_language_that_was_written_for_it(script: ModuleType) -> None:
    heard: dict[str, list[bool]] = {}
    for path in sorted(script.PROMPTS.glob("*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            if row["label"] == "durable":
                found = any(finding.rule for finding in findings(sentences(row["text"])))
                heard.setdefault(row["lang"], []).append(found)
    shares = {language: sum(found) / len(found) for language, found in heard.items()}
    assert len(shares) == 12
    assert min(shares.values()) > 1 / 3, shares

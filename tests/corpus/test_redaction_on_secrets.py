"""How many provider secrets the redaction floor takes out, and how many near-misses it takes for one."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.corpus.data import shared

from wisen.redact import FloorRedactor

pytestmark = pytest.mark.corpus


def test_most_secrets_go_and_most_near_misses_stay() -> None:
    redact = FloorRedactor().redact
    caught = secrets = alarms = near_misses = 0
    with gzip.open(shared("safety", "secrets.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            touched = redact(row["text"]) != row["text"]
            secrets += row["label"]
            near_misses += not row["label"]
            caught += touched and bool(row["label"])
            alarms += touched and not row["label"]
    print(f"\nsecrets taken out: {caught} of {secrets} ({caught / secrets:.2f})")
    print(f"near-misses taken for one: {alarms} of {near_misses} ({alarms / near_misses:.2f})")
    assert caught / secrets > 0.6
    assert alarms / near_misses < 0.25


def test_rules_of_real_guides_pass_untouched() -> None:
    redact = FloorRedactor().redact
    rules = touched = 0
    with gzip.open(shared("safety", "benign-rules.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            text = next(value for key, value in row.items() if key in {"text", "rule"})
            rules += 1
            touched += redact(text) != text
    print(f"\nrules with a false alarm: {touched} of {rules}")
    assert touched / rules < 0.01

"""How many secrets the redaction floor takes out, and how much it takes for one: near-misses, rules, tool output."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from tests.corpus.data import shared

from wisen.redact import FloorRedactor

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]

PLACEHOLDER = "[redacted:"
EVERY_NTH_SESSION = 3
HITS_PER_MB = 3


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
    assert caught / secrets > 0.85
    assert alarms / near_misses < 0.14


def test_rules_of_real_guides_pass_untouched() -> None:
    redact = FloorRedactor().redact
    rules = touched = 0
    with gzip.open(shared("safety", "benign-rules.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            text = next(value for key, value in row.items() if key in {"text", "rule"})
            rules += 1
            touched += redact(text) != text
    print(f"\nrules with a false alarm: {touched} of {rules}")
    assert not touched


def outputs() -> Iterator[str]:
    """Yield what tools printed in real sessions, every third session of every repository."""
    for folder in sorted(shared("corpus").glob("*/events")):
        for path in sorted(folder.glob("*.jsonl.gz"))[::EVERY_NTH_SESSION]:
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                yield from (event["output"] for event in map(json.loads, lines) if isinstance(event.get("output"), str))


def test_tool_output_of_real_sessions_is_all_but_untouched() -> None:
    redact = FloorRedactor().redact
    size = hits = 0
    for output in outputs():
        size += len(output.encode())
        hits += redact(output).count(PLACEHOLDER) - output.count(PLACEHOLDER)
    print(f"\nredactions in tool output: {hits} in {size / 1e6:.1f} MB")
    assert hits < HITS_PER_MB * size / 1e6

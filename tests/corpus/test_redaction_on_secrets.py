"""How many secrets the redaction floor takes out, and how much it takes for one: near-misses, rules, tool output."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest
from tests.corpus.data import shared

from wisen.redact import FloorRedactor, forms
from wisen.redact.providers import FORMS

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]

PLACEHOLDER = "[redacted:"
EVERY_NTH_SESSION = 3
HITS_PER_MB = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A text of the set: of one rule of one scanner, with a secret or a near-miss."""

    rule: str
    text: str
    is_secret: bool


def rows() -> list[Row]:
    with gzip.open(shared("safety", "secrets.jsonl.gz"), "rt", encoding="utf-8") as lines:
        read = map(json.loads, lines)
        return [Row(f"{row['source']} {row['rule']}", row["text"], bool(row["label"])) for row in read]


@dataclass(slots=True)
class Share:
    """So many of so many."""

    hits: int = 0
    of: int = 0

    def add(self, *, hit: bool) -> None:
        self.hits += hit
        self.of += 1

    @property
    def share(self) -> float:
        return self.hits / self.of

    def __str__(self) -> str:
        low, high = wilson(self.hits, self.of)
        return f"{self.hits} of {self.of}: {self.share:.3f} (95 %: {low:.3f} to {high:.3f})"


def wilson(hits: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share. Wilson 1927."""
    share, square = hits / of, z * z / of
    middle = (share + square / 2) / (1 + square)
    reach = z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return middle - reach, middle + reach


def judged(found: Sequence[Row]) -> tuple[Share, Share]:
    """Return (secrets taken out, near-misses taken for one)."""
    redact = FloorRedactor().redact
    caught, alarms = Share(), Share()
    for row in found:
        (caught if row.is_secret else alarms).add(hit=redact(row.text) != row.text)
    return caught, alarms


def test_most_secrets_go_and_most_near_misses_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    caught, alarms = judged(rows())
    monkeypatch.setattr(forms, "is_published", lambda _: False)
    _, unlisted = judged(rows())
    print(f"\nsecrets taken out: {caught}")
    print(f"near-misses taken for one: {alarms}")
    print(f"the same without the list of published keys: {unlisted}")
    assert caught.share >= 0.85
    assert alarms.share <= 0.06


def test_secrets_of_a_kind_that_no_form_lists_go_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind is judged without the forms that find any of it, as if its provider were unknown."""
    by_rule: Mapping[str, list[Row]] = defaultdict(list)
    for row in rows():
        by_rule[row.rule].append(row)
    caught, alarms = Share(), Share()
    for of_rule in by_rule.values():
        theirs = {form.kind for form in FORMS if any(re.search(form.pattern, row.text) for row in of_rule)}
        monkeypatch.setattr(forms, "FORMS", [form for form in FORMS if form.kind not in theirs])
        for total, part in zip((caught, alarms), judged(of_rule), strict=True):
            total.hits += part.hits
            total.of += part.of
    print(f"\nsecrets of kinds left out, taken out: {caught}")
    print(f"near-misses of kinds left out, taken for one: {alarms}")
    assert caught.share >= 0.70
    assert alarms.share <= 0.06


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


HASH = re.compile(r"(?<![0-9a-zA-Z])(?:[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-zA-Z])")


def test_tool_output_of_real_sessions_is_all_but_untouched_and_no_hash_goes() -> None:
    redact = FloorRedactor().redact
    size = hits = hashes = 0
    for output in outputs():
        out = redact(output)
        size += len(output.encode())
        hits += out.count(PLACEHOLDER) - output.count(PLACEHOLDER)
        hashes += len(HASH.findall(output)) - len(HASH.findall(out))
    print(
        f"\nredactions in tool output: {hits} in {size / 1e6:.1f} MB ({hits / (size / 1e6):.2f} a MB), {hashes} hashes"
    )
    assert hits < HITS_PER_MB * size / 1e6
    assert not hashes

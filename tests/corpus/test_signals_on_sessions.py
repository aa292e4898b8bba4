"""What the gate makes of real prompts: precision and recall on labelled ones, and how often it speaks at all.

Nothing of the data is quoted here. A positive that an annotator was not sure of counts for nothing; recall is over the
firm ones. Half of the labelled prompts were drawn for a cue word, so that these rates are not a session's; and the cues
were written with these prompts at hand: it is development data, and the intervals are wide.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.builders import a_prompt
from tests.corpus.data import shared

from wisen.core.gate import signals_of

pytestmark = [pytest.mark.corpus, pytest.mark.timeout(300)]


def wilson(hits: int, total: int) -> str:
    """Return `p [low, high]`: a rate with its 95 % Wilson interval."""
    if total == 0:
        return "n/a"
    z, p = 1.96, hits / total
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{p:.2f} [{centre - half:.2f}, {centre + half:.2f}] ({hits} of {total})"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def test_what_is_emitted_is_mostly_worth_it() -> None:
    hits = false_alarms = found = firm = 0
    for row in rows(shared("corpus", "labels", "prompts.jsonl.gz")):
        label = row["label"]
        durable = label["kind"] == "durable"
        emitted = bool(signals_of(a_prompt(row["prompt"])))
        firm += durable and label["firm"]
        found += emitted and durable and label["firm"]
        if emitted and not label["doubt"]:
            hits += durable
            false_alarms += not durable
    print(f"\nprecision {wilson(hits, hits + false_alarms)}, recall {wilson(found, firm)}")
    assert hits / (hits + false_alarms) >= 0.35
    assert found >= 2


def test_the_gate_is_silent_on_nearly_every_prompt() -> None:
    prompts = speaking = 0
    for path in sorted(shared("corpus").glob("*/events/*.jsonl.gz")):
        for row in rows(path):
            if row["event"] == "user_prompt":
                prompts += 1
                speaking += bool(signals_of(a_prompt(row["text"])))
    print(f"\nprompts with a signal: {wilson(speaking, prompts)}")
    assert prompts > 1_000
    assert 0 < speaking / prompts < 0.05


def test_what_tools_printed_never_speaks() -> None:
    # They are full of rules. Pasted bare, without a fence, they look as much like the user's words as they can.
    texts = speaking = 0
    for path in sorted(shared("corpus").glob("*/events/*.jsonl.gz"))[::10]:
        for row in rows(path):
            if row["event"] == "post_tool" and row.get("output"):
                texts += 1
                speaking += bool(signals_of(a_prompt(f"look at this:\n{row['output']}")))
    print(f"\ntool outputs that pass for the user's words when pasted bare: {wilson(speaking, texts)}")
    assert texts > 1_000
    assert speaking / texts < 0.05

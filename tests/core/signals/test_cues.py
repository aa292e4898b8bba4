from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wisen.core.signals.cues import Family, has
from wisen.core.signals.cues_against import AGAINST
from wisen.core.signals.cues_around import FOR
from wisen.core.signals.wording import folded

PROMPTS = Path(__file__).resolve().parents[3] / "training/rules"


def test_a_family_is_found_by_any_of_its_patterns() -> None:
    family = Family("pets", (r"\bcats?\b", "кошка|猫"))
    assert [text for text in ("a cat", "моя кошка", "猫", "a dog", "собака") if has(family, text)] == [
        "a cat",
        "моя кошка",
        "猫",
    ]
    assert not has(Family("none", ()), "a cat")


@pytest.mark.parametrize("family", [*FOR, *AGAINST], ids=lambda family: family.name)
def test_leaving_out_what_is_in_another_script_changes_no_answer(family: Family) -> None:
    texts = [
        folded(json.loads(line)["text"])
        for path in sorted(PROMPTS.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    every = re.compile("|".join(family.patterns)) if family.patterns else None
    plain = [text for text in texts if text.isascii()]
    assert [has(family, text) for text in plain] == [bool(every and every.search(text)) for text in plain]

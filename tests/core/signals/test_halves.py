"""What a rule only introduces, and is a secret or stands below a heading, leaves no half of it behind."""

from __future__ import annotations

import pytest
from tests.builders import a_prompt

from wisen.core.gate import explain
from wisen.core.signals.halves import HALF
from wisen.redact import FloorRedactor

KEY = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
AGE = "AGE-SECRET-KEY-1" + "QYZ7PLMN4VRT2XKW" * 3 + "QYZ7PLMN4V"
PUBLIC = "# public key: age1qyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3290gq"


def learned(text: str) -> list[str]:
    return [verdict.sentence for verdict in explain(a_prompt(FloorRedactor().redact(text))) if verdict.emitted]


@pytest.mark.parametrize(
    "text",
    [
        f"We always do it so: [Interface]\nPrivateKey = {KEY}",
        f"Always use this tunnel on every machine: [Interface]\nAddress = 10.0.0.2\nPrivateKey = {KEY}",
        "We always keep the log settings here: [handlers]\nkeys = console",
        f"Always use this for staging: {PUBLIC}\n{AGE}",
        "We always start the api with: PORT=8080\nDB_PASSWORD=Zq8mLx!v3T",
        f"Wir machen das immer so: [Interface]\nPrivateKey = {KEY}",
        f"Siempre usamos esto: {PUBLIC}\n{AGE}",
        f"我们总是这样做：[Interface]\nPrivateKey = {KEY}",
    ],
)
def test_a_rule_without_what_it_introduces_is_not_learned(text: str) -> None:
    assert learned(text) == []


def test_the_reason_is_told() -> None:
    verdicts = explain(a_prompt("We always keep the log settings here: [handlers]\nkeys = console"))
    assert HALF in [verdict.reason for verdict in verdicts]


@pytest.mark.parametrize(
    "rule",
    [
        "Always start files with: # frozen_string_literal: true",
        "We always put lint rules under: [tool.ruff]",
        "We always use pnpm here: not npm.",
        "We always start the api with: PORT=8080",
    ],
)
@pytest.mark.parametrize("after", ["", "\nNever push to main.", "\n\nDB_PASSWORD=Zq8mLx!v3T"])
def test_a_rule_that_is_whole_is_learned_whatever_else_is_said(rule: str, after: str) -> None:
    assert rule in learned(rule + after)

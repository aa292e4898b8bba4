"""How many of the sentences that tell a secret without a key's form are caught, and do ordinary ones stay?"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from tests.redact import tuned, untuned

from wisen.core.gate import holds_withheld
from wisen.redact import FloorRedactor

redact = FloorRedactor().redact


def leaks(attack: str) -> bool:
    """Tell whether one of the secrets in braces is still in the text."""
    pieces = re.split(r"[{}]", attack)
    told = redact("".join(pieces))
    return any(secret in told for secret in pieces[1::2])


def leaking(attacks: Sequence[str]) -> list[str]:
    return [attack for attack in attacks if leaks(attack)]


@pytest.mark.parametrize("attack", tuned.ATTACKS)
def test_a_secret_told_without_its_noun_or_with_it_elsewhere_goes(attack: str) -> None:
    assert not leaks(attack)
    assert holds_withheld(redact(re.sub(r"[{}]", "", attack)))


@pytest.mark.parametrize("text", [*tuned.ORDINARY, *untuned.ORDINARY])
def test_an_ordinary_sentence_like_them_stays(text: str) -> None:
    assert redact(text) == text


def test_most_of_the_sentences_the_rules_were_not_made_on_are_caught() -> None:
    missed = leaking(untuned.ATTACKS)
    caught = len(untuned.ATTACKS) - len(missed)
    print(f"\ncaught of the sentences not tuned on: {caught} of {len(untuned.ATTACKS)}")
    assert caught / len(untuned.ATTACKS) >= LEAST_CAUGHT


LEAST_CAUGHT = 0.7

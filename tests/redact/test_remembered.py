from __future__ import annotations

from wisen.redact import FloorRedactor, RememberingRedactor
from wisen.redact.remembered import _CLEAN_TEXTS

SECRET = "the password is Sommer2024!x for the staging host"


class Counting:
    """A redactor that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def redact(self, text: str) -> str:
        self.asked.append(text)
        return FloorRedactor().redact(text)

    def problems(self) -> tuple[str, ...]:
        return ("slow",)


def test_what_came_out_once_is_not_gone_through_again() -> None:
    inner = Counting()
    redactor = RememberingRedactor(inner)
    clean = redactor.redact(SECRET)
    assert clean == FloorRedactor().redact(SECRET) != SECRET
    assert redactor.redact(clean) == clean
    assert redactor.redact(clean) == clean
    assert inner.asked == [SECRET]


def test_a_secret_is_taken_out_each_time() -> None:
    redactor = RememberingRedactor(FloorRedactor())
    assert [redactor.redact(SECRET) for _ in range(2)] == [FloorRedactor().redact(SECRET)] * 2


def test_no_text_is_kept_and_not_many_digests() -> None:
    redactor = RememberingRedactor(FloorRedactor())
    for number in range(_CLEAN_TEXTS + 10):
        redactor.redact(f"a sentence of no interest, number {number}")
    assert len(redactor._clean) == _CLEAN_TEXTS
    assert all(len(digest) == 16 for digest in redactor._clean)


def test_half_a_character_can_be_remembered() -> None:
    assert RememberingRedactor(FloorRedactor()).redact("half a character: \ud800") == "half a character: \ud800"


def test_what_keeps_the_inner_one_from_its_best_is_told() -> None:
    assert RememberingRedactor(Counting()).problems() == ("slow",)

from __future__ import annotations

import pytest

from wisen.core.signals.says_nothing import says_nothing


@pytest.mark.parametrize(
    "text",
    [
        *("i said no", "no", "stop", "not now", "wait", "no, wait a second", "stop, i already said no", "nope!"),
        *("nein, jetzt nicht", "ahora no", "pas maintenant", "agora não", "не сейчас", "nie teraz", "khoan đã"),
        *("non adesso, aspetta", "不要", "等一下", "やめて", "ちょっと待って", "안 돼", "잠깐만"),
    ],
)
def test_an_answer_says_nothing_to_know_later(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text", ["no emojis", "stop mocking", "not on fridays", "不要用npm", "やめて、npmは", "", "..."]
)
def test_a_word_of_what_it_is_about_says_something(text: str) -> None:
    assert not says_nothing(text)

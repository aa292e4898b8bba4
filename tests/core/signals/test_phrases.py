from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.phrases import Idea, ideas_in, indexed, is_english, words_of

WORK = Idea("work", english="commit*|pull request|set up", others="коммит*|提交|rama", shared=True)
NOW = Idea("now", english="for now|just this once", others="por ahora|今回")


def found(text: str, *, english: bool = True) -> set[str]:
    return ideas_in(indexed((WORK, NOW), english=english), text, words_of(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("commit it", {"work"}),
        ("it was committed, for now", {"work", "now"}),
        ("open a pull request", {"work"}),
        ("pull the request", set()),
        ("precommitted", set()),
        ("just this, once", {"now"}),
    ],
)
def test_words_phrases_and_stems_are_found(text: str, names: set[str]) -> None:
    assert found(text) == names


def test_other_languages_have_their_own_phrases_and_only_the_shared_ones_of_english() -> None:
    assert found("por ahora sin commit", english=False) == {"now", "work"}
    assert found("for now", english=False) == set()
    assert found("por ahora", english=True) == set()


@pytest.mark.parametrize("english", [True, False])
def test_a_script_without_spaces_is_found_inside_a_word(english: bool) -> None:
    assert found("不要提交代码", english=english) == {"work"}


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("we use the new one in this repo", True),
        ("wir nehmen hier die neue version", False),
        ("не трогай это", False),
        ("pnpm", True),
        ("", True),
    ],
)
def test_english_is_told_from_the_rest(text: str, english: bool) -> None:
    assert is_english(words_of(text)) is english


@given(st.text(max_size=80))
def test_any_text_can_be_looked_up(text: str) -> None:
    assert found(text) <= {"work", "now"}

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.scripts import kind_of, reads_like_a_sentence, substance


@given(st.text(st.characters(codec="utf-8", max_codepoint=0x24F)))
def test_a_latin_text_says_as_much_as_it_has_characters(text: str) -> None:
    assert substance(text) == len(text)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("x" * 29, 29),
        ("пожалуйста", 10),
        ("为什么登录按钮不能用", 30),
        ("ログインできない", 16),
        ("로그인이 안 됩니다", 2 * 8 + 2),
        ("用pnpm", 7),
        ("ใช้ pnpm", 8),
        ("👍 ok", 4),
    ],
)
def test_an_ideograph_says_as_much_as_three_letters_and_a_syllable_as_two(text: str, letters: int) -> None:
    assert substance(text) == letters


def test_every_character_is_of_one_kind() -> None:
    kinds = {char: kind_of(char) for char in "aÉ7Ж中々ひカーﾊ한ก้\u0e33_ .-()🙂、・。"}
    assert "".join(kinds.values()) == "LUDUHHRKKKGTTT" + "." * 10


@given(st.text())
def test_any_text_says_at_least_its_length(text: str) -> None:
    assert substance(text) >= len(text)


@pytest.mark.parametrize(
    ("name", "is_sentence"),
    [
        ("parse_args", False),
        ("manual-commit-hook-test", False),
        ("0012-use-sqlite", False),
        ("always-push-straight-to-main", True),
        ("说明", False),
        ("这个项目里我们总是跳过代码审查", True),
    ],
)
def test_a_name_of_many_parts_reads_like_a_sentence(name: str, is_sentence: bool) -> None:
    assert reads_like_a_sentence(name) is is_sentence

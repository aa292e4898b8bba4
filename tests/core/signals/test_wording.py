from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.wording import cleaned, without_lead_in


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("no, use uv", "use uv"),
        ("Actually the docs live in docs/", "the docs live in docs/"),
        ("I told you before: use uv", "use uv"),
        ("нет, не так", "не так"),
        ("By the way, use uv", "use uv"),
        ("FYI use uv", "use uv"),
        ("sure, but use uv", "use uv"),
        ("how many times do I have to tell you not to use pip", "not to use pip"),
        ("now use uv", "now use uv"),
        ("nothing happens", "nothing happens"),
    ],
)
def test_lead_ins_go_and_words_that_only_begin_like_one_stay(text: str, bare: str) -> None:
    assert without_lead_in(text) == bare


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("use uv, please", "use uv"),
        ("«use uv»", "use uv"),
        ("`a` and `b`", "`a` and `b`"),
        ("**use uv**", "use uv"),
        ("use   uv\there", "use uv here"),
        ("a healthy node prints ok", "a healthy node prints ok"),
        ("a healthy node prints ok, ok?", "a healthy node prints ok"),
        ("pw = Sommer2024!", "pw = Sommer2024!"),
    ],
)
def test_courtesies_quotes_and_emphasis_are_cleaned_off(text: str, kept: str) -> None:
    assert cleaned(text) == kept


@given(st.text(max_size=80))
def test_cleaning_invents_no_word_and_settles(text: str) -> None:
    once = cleaned(text)
    assert set(once) <= set(text) | {" "}
    assert len(once) <= len(text)

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.wording import cleaned, contrast, folded, is_about_tools, is_personal, without_lead_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("use pnpm, not npm", ("pnpm", "npm")),
        ("ruff statt flake8", ("ruff", "flake8")),
        ("put it in tests/unit instead of test/", ("tests/unit", "test/")),
        ("use `Foo` not `Bar`", ("foo", "bar")),
        ("use ruff for linting here, not flake8.", ("ruff", "flake8")),
        ("requestsではなくhttpxを使って", ("requests", "httpx")),
        ("не requests, а httpx", ("requests", "httpx")),
        ("不要用npm，用pnpm", ("npm", "pnpm")),
    ],
)
def test_two_names_in_contrast_are_found(text: str, names: tuple[str, str]) -> None:
    assert contrast(folded(text)) == names


@pytest.mark.parametrize("text", ["it is a bug, not a feature", "left, not right", "pnpm, not pnpm", "use pnpm"])
def test_two_plain_words_are_no_names(text: str) -> None:
    assert contrast(folded(text)) is None


def test_tools_are_told_from_files_and_symbols() -> None:
    assert is_about_tools(("pnpm", "npm"))
    assert not is_about_tools(("a.py", "b.py"))


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("no, use uv", "use uv"),
        ("Actually the docs live in docs/", "the docs live in docs/"),
        ("I told you before: use uv", "use uv"),
        ("нет, не так", "не так"),
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
    ],
)
def test_courtesies_quotes_and_emphasis_are_cleaned_off(text: str, kept: str) -> None:
    assert cleaned(text) == kept


@pytest.mark.parametrize(
    "text",
    ["use tabs everywhere", "in all my projects", "for every repo", "überall", "en todos mis proyectos", "所有项目"],
)
def test_words_for_everywhere_are_heard(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize("text", ["in every file", "in all tests", "in this repo", "always"])
def test_other_words_for_all_are_not_everywhere(text: str) -> None:
    assert not is_personal(text)


@given(st.text(max_size=80))
def test_cleaning_invents_no_word_and_settles(text: str) -> None:
    once = cleaned(text)
    assert set(once) <= set(text) | {" "}
    assert len(once) <= len(text)

from __future__ import annotations

import pytest

from wisen.core.signals.names import contrast, is_about_tools
from wisen.core.signals.wording import folded


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("use pnpm, not npm", ("pnpm", "npm")),
        ("ruff statt flake8", ("ruff", "flake8")),
        ("instead of pip, use uv", ("pip", "uv")),
        ("put it in tests/unit instead of test/", ("tests/unit", "test/")),
        ("use `Foo` not `Bar`", ("foo", "bar")),
        ("use ruff for linting here, not flake8.", ("ruff", "flake8")),
        ("requestsではなくhttpxを使って", ("requests", "httpx")),
        ("не requests, а httpx", ("requests", "httpx")),
        ("不要用npm，用pnpm", ("npm", "pnpm")),
        ("the api lives in services/api, not in backend/", ("services/api", "backend/")),
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

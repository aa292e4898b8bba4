from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.snippets import snippet

LONG = (
    "The importer of parquet files lives in tools now. " * 3 + "It needs docker compose before it runs. " + "End. " * 30
)


def test_a_short_text_is_whole_and_one_line() -> None:
    assert snippet("Use pnpm,\n  not npm.", ("pnpm",), 150) == "Use pnpm, not npm."


def test_a_long_one_is_cut_around_the_first_word_that_matched() -> None:
    found = snippet(LONG, ("docker compose", "docker"), 80)
    assert "docker compose" in found
    assert (found[0], found[-1]) == ("…", "…")
    assert len(found) <= 80
    assert snippet(LONG, (), 40).startswith("The importer of parquet")


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=5), max_size=3), st.integers(20, 150))
def test_it_is_never_longer_nor_more_than_a_line(text: str, matched: list[str], most: int) -> None:
    found = snippet(text, matched, most)
    assert len(found) <= most
    assert "\n" not in found


@pytest.mark.parametrize("most", [20, 21, 150])
def test_text_without_spaces_is_cut_between_characters(most: int) -> None:
    assert len(snippet("漢字" * 200, ("漢字",), most)) <= most

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.snippets import snippet

LONG = (
    "The importer of parquet files lives in tools now. " * 3 + "It needs docker compose before it runs. " + "End. " * 30
)
BESIDE = "Because of this way there is certainly nothing else to say in such a place. " * 4
FAMILY = "👩\u200d👩\u200d👧"


def test_a_short_text_is_whole_and_one_line() -> None:
    assert snippet("Use pnpm,\n  not npm.", ("pnpm",), 150) == "Use pnpm, not npm."


def test_a_long_one_is_cut_around_the_first_word_that_matched() -> None:
    found = snippet(LONG, ("docker compose", "docker"), 80)
    assert "docker compose" in found
    assert (found[0], found[-1]) == ("…", "…")
    assert len(found) <= 80
    assert snippet(LONG, (), 40).startswith("The importer of parquet")


@pytest.mark.parametrize(
    ("term", "there"),
    [
        ("use", "use pnpm"),  # not in "Because"
        ("cache", "Caching"),
        ("entry", "entries"),
        ("entries", "entry"),
        ("kafka", "Straße kafka"),  # folded, it is longer
        ("cafe", "Café"),
        ("gateway", "apigatewayv2"),
        ("検索", "検索"),
    ],
)
def test_the_word_itself_is_looked_for_then_what_is_like_it(term: str, there: str) -> None:
    assert there in snippet(f"{BESIDE}We say {there} here. {BESIDE}", (term,), 60)
    assert there not in snippet(f"{BESIDE}We say {there} here. {BESIDE}", (), 60)


def test_a_match_in_text_without_spaces_is_shown() -> None:
    assert "検索" in snippet("漢字" * 200 + "検索は遅い。" + "漢字" * 200, ("検索",), 40)


@pytest.mark.parametrize("character", ["e\u0301", FAMILY, "🇩🇪", "👍🏽"])
@pytest.mark.parametrize("matched", [(), ("pnpm",)])
def test_what_a_reader_takes_for_one_character_is_never_torn(character: str, matched: tuple[str, ...]) -> None:
    text = f"{character * 30}pnpm{character * 30}"
    for most in range(20, len(text)):
        cut = snippet(text, matched, most).strip("…")
        assert set(cut.replace(character, "")) <= set("pnpm")


@given(st.text(max_size=400), st.lists(st.text(min_size=1, max_size=5), max_size=3), st.integers(20, 150))
def test_it_is_never_longer_nor_more_than_a_line_and_always_of_the_text(
    text: str, matched: list[str], most: int
) -> None:
    found = snippet(text, matched, most)
    assert len(found) <= most
    assert "\n" not in found
    assert found.removeprefix("…").removesuffix("…") in " ".join(text.split())

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.cli.screen import Column, Screen, clipped, one_line, visible

ANYTHING = st.text(st.characters(), max_size=60)


@given(ANYTHING)
def test_visible_text_holds_nothing_that_acts_or_hides(text: str) -> None:
    shown = visible(text)
    assert all(char.isprintable() or char == "\n" or char.isspace() or ord(char) > 0x9F for char in shown)
    assert "\x1b" not in shown
    shown.encode()
    assert visible(shown) == shown


@pytest.mark.parametrize("text", ["naïve 日本語 👩‍💻 नमस्ते", "a\nb", "[bold]{}%s"])
def test_ordinary_text_of_every_language_stays(text: str) -> None:
    assert visible(text) == text


@given(ANYTHING, st.integers(1, 50))
def test_clipped_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    assert len(clipped(text, limit)) <= limit
    assert "\n" not in clipped(text, limit)


def test_one_line_joins_what_was_several() -> None:
    assert one_line("  a\tb\n\nc ") == "a b c"


@pytest.mark.parametrize("width", [1, 20, 40, 80, 300])
def test_a_table_never_fails_for_its_width(capsys: pytest.CaptureFixture[str], width: int) -> None:
    columns = [Column(name="id"), Column(name="text", flexible=True, max_lines=2), Column(name="n", numeric=True)]
    Screen(terminal=True, colour=False, width=width).table(columns, [["3f2a91bc", "日本語 " * 30, "12"], ["", "", ""]])
    assert capsys.readouterr().out


def test_a_wrapped_line_keeps_its_indent(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(terminal=True, colour=False, width=36).fields([("why", "one two three four five"), ("empty", "")])
    assert capsys.readouterr().out == "  why         one two three four\n              five\n"


def test_colours_are_only_where_they_were_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for colour in (True, False):
        Screen(terminal=True, colour=colour, width=80).line("x", tone="bad")
        assert ("\x1b" in capsys.readouterr().out) is colour

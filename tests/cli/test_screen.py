from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.cli.screen import Column, Screen, clipped, one_line, visible, wrapped

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


@pytest.mark.parametrize("error_width", [0, 30])
def test_what_stands_on_standard_error_is_wrapped_where_that_is_a_terminal(
    capsys: pytest.CaptureFixture[str], error_width: int
) -> None:
    screen = Screen(terminal=False, colour=False, width=80, error_width=error_width)
    screen.aside("one two three four five six seven")
    screen.warn("one two three four five six")
    whole = "one two three four five six seven\nwarning: one two three four five six\n"
    rows = "one two three four five six\nseven\nwarning: one two three four\n         five six\n"
    assert capsys.readouterr() == ("", rows if error_width else whole)


def test_an_indented_paragraph_goes_on_further_in(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(terminal=True, colour=False, width=26).line("changes:\n  add hooks for SessionStart, UserPromptSubmit")
    assert capsys.readouterr().out == "changes:\n  add hooks for\n    SessionStart,\n    UserPromptSubmit\n"


@given(ANYTHING, st.integers(1, 100), st.integers(0, 12))
def test_wrapping_loses_no_word_and_breaks_none(text: str, width: int, indent: int) -> None:
    assert " ".join(wrapped(visible(text), width, indent=indent)).split() == visible(text).split()


def test_columns_that_can_be_spared_make_room(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [Column(name="id"), Column(name="text", flexible=True), Column(name="a", spare=2)]
    columns.append(Column(name="b", spare=1))
    for width, heads in ((80, "id text a b"), (46, "id text b"), (30, "id text")):
        Screen(terminal=True, colour=False, width=width).table(columns, [["1", "word " * 20, "x" * 8, "y" * 8]])
        assert " ".join(capsys.readouterr().out.splitlines()[0].split()) == heads


def test_a_short_text_needs_no_room(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [Column(name="text", flexible=True), Column(name="a", spare=1)]
    Screen(terminal=True, colour=False, width=20).table(columns, [["word", "x"]])
    assert capsys.readouterr().out.split()[:2] == ["text", "a"]


@pytest.mark.parametrize(("typed", "chosen"), [("\n", "no"), ("Y\n", "yes"), ("yes\n", "yes"), ("maybe\nn\n", "no")])
def test_a_question_is_asked_until_it_is_answered(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str, chosen: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert Screen(terminal=True, colour=False, width=80).choose("Sure?", ("yes", "no"), default="no") == chosen
    assert ("That is none of them. Type y, n." in capsys.readouterr().out) is typed.startswith("maybe")


def test_colours_are_only_where_they_were_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for colour in (True, False):
        Screen(terminal=True, colour=colour, width=80).line("x", tone="bad")
        assert ("\x1b" in capsys.readouterr().out) is colour

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.asking import ask_in, asked_at_the_end, opens_with_an_ask, spelled


@pytest.mark.parametrize(
    ("text", "before", "rest"),
    [
        ("remember that ids are uuids", "", "ids are uuids"),
        ("fix the build and remember that ids are uuids", "fix the build", "ids are uuids"),
        ("before you start: remember that ids are uuids", "before you start:", "ids are uuids"),
        ("that is it, please remember it", "that is it,", ""),
        ("**Remember**: ids are uuids", "", "ids are uuids"),
        ("(remember that ids are uuids)", "", "ids are uuids"),
        ("#remember ids are uuids", "", "ids are uuids"),
        ("I need you to remember something: ids are uuids", "", "ids are uuids"),
    ],
)
def test_an_ask_is_found_at_any_clause_boundary(text: str, before: str, rest: str) -> None:
    ask = ask_in(text)
    assert ask is not None
    assert (ask.before, ask.rest) == (before, rest)


@pytest.mark.parametrize(
    "text",
    [
        "the app should remember that I am logged in",
        "the app should save the tab and remember that I am logged in",
        "I can't remember that",
        "I remember that this worked",
        "do you remember that we talked",
        'add a test that types "remember that x is y" into the field',
        "the remember-me cookie",
        "renumber the sections: one to nine",
        "in December, ask again",
    ],
)
def test_an_ask_inside_a_clause_or_a_quotation_is_none(text: str) -> None:
    assert ask_in(text) is None


@pytest.mark.parametrize("slip", ["rember", "remeber", "remmeber", "remebmer", "rememebr", "renember", "Remembr"])
def test_a_slip_of_the_fingers_is_still_an_ask(slip: str) -> None:
    ask = ask_in(f"{slip} that ids are uuids")
    assert ask is not None
    assert ask.rest == "ids are uuids"


@pytest.mark.parametrize("word", ["remembers", "remembered", "member", "renumber", "render", "remeber_me"])
def test_another_word_is_no_slip(word: str) -> None:
    assert spelled(f"the {word} thing") == f"the {word} thing"


@pytest.mark.parametrize(
    "line", ["remember: x", "- please remember that x", "1. remember x", "# remember x", "[important] remember: x"]
)
def test_a_line_may_open_with_an_ask(line: str) -> None:
    assert opens_with_an_ask(line)


@pytest.mark.parametrize("line", ["remember(x);", "we remember that", "> remember that x"])
def test_a_line_that_only_holds_the_word_does_not_open_with_an_ask(line: str) -> None:
    assert not opens_with_an_ask(line)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("우리는 pnpm을 쓴다는 걸 기억해줘", "우리는 pnpm을 쓴다"),
        ("포트는 9000이라고 기억해줘", "포트는 9000이라고 기억해줘"),
        ("pnpm kullandığımızı unutma", "pnpm kullandığımızı unutma"),
        ("このプロジェクトではpnpmを使うことを覚えておいて", "このプロジェクトではpnpmを使う"),
        ("we use pnpm", ""),
    ],
)
def test_an_ask_at_the_end_is_cut_off_only_where_a_whole_clause_is_left(text: str, rule: str) -> None:
    assert asked_at_the_end(text) == rule


@given(st.text(alphabet=st.sampled_from("remb ,.:-()\"'*#’é记住기억해 that"), max_size=120))
def test_what_is_found_was_said(text: str) -> None:
    ask = ask_in(text)
    if ask:
        assert set(ask.before + ask.rest) <= set(text) | set("remember")

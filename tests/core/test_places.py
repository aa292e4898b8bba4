"""The place of a name comes back with that very name."""

from __future__ import annotations

import pytest
from tests.builders import a_memory

from wisen.core.places import is_known_already, is_place, names_in_prose, parts_of, place_of
from wisen.core.types import Anchor, Memory, Origin, Source

ANCHOR = Anchor(path="src/cli/args.ts", symbol="parseArgs")


def a_place(symbol: str = "parseArgs") -> Memory:
    return a_memory(
        f"`{symbol}` is defined in `{ANCHOR.path}`.",
        source=Source.REPEATED_LOOKUP,
        origin=Origin.OBSERVED_LOCATION,
        anchors=(Anchor(path=ANCHOR.path, symbol=symbol),),
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("where does parseArgs read them, and read_config?", ("parseArgs", "read_config")),
        ("please look at `Session` and at sessions", ("Session",)),
        ("parse the args of the session, all of them", ()),
        ("HTTPServer, HTTP and JSON", ("HTTPServer",)),
    ],
)
def test_names_in_a_text_look_like_code_or_stand_in_backquotes(text: str, names: tuple[str, ...]) -> None:
    assert names_in_prose(text) == names


@pytest.mark.parametrize(
    ("name", "parts"), [("readConfig", 2), ("read_config", 2), ("Config", 1), ("Config2", 1), ("HTTPServer", 2)]
)
def test_a_name_has_the_words_it_is_made_of(name: str, parts: int) -> None:
    assert len(parts_of(name)) == parts


def test_only_what_was_looked_up_again_and_again_is_a_place() -> None:
    assert is_place(a_place())
    assert place_of(a_place()) == "parseArgs"
    assert not is_place(a_memory(anchors=(ANCHOR,)))
    assert not is_place(a_memory(source=Source.REPEATED_LOOKUP))


def test_a_search_in_the_very_file_needs_no_place() -> None:
    assert is_known_already(a_place(), "grep -n parseArgs src/cli/args.ts")
    assert not is_known_already(a_place(), "grep -rn parseArgs src")

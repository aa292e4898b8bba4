from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import T0, a_graph, a_signal

from wisen.core.proof import tokens, unproven
from wisen.core.types import Candidate, EventRef, Excerpt, Signal


def of(signal: Signal) -> str:
    return unproven(Candidate(graph=a_graph(), signal=signal))


@pytest.mark.fault("B77")
def test_a_rule_in_the_users_words_is_proven_by_its_quote() -> None:
    assert of(a_signal("tests live in tests/unit, see docs/testing.md and #12")) == ""


@pytest.mark.fault("B77")
@pytest.mark.parametrize("field", ["rule", "title", "why", "how_to_apply"])
@pytest.mark.parametrize(
    "invented", ["src/auth/token.py", "config.yaml", "3f9a1c2", "#4711", "v1.4.2", "https://example.com/x"]
)
def test_a_path_hash_or_id_that_nobody_said_is_named(field: str, invented: str) -> None:
    signal = replace(a_signal("use pnpm here"), **{field: f"use pnpm here, see {invented}"})  # type: ignore[arg-type]
    assert invented in of(signal)


def test_line_breaks_and_case_make_no_difference() -> None:
    quote = EventRef(event_id="e", session_id="s", at=T0, quote="look into\nSrc/Main.py  please")
    assert of(a_signal("look into src/main.py", evidence=(quote,))) == ""


def test_the_window_of_a_candidate_proves_as_well() -> None:
    signal = replace(a_signal("use pnpm here"), why="see src/a.py")
    window = (Excerpt(label="call", text="cat src/a.py"),)
    assert unproven(Candidate(graph=a_graph(), signal=signal, window=window)) == ""


def test_what_only_looks_like_a_hash_or_a_path_is_left_alone() -> None:
    assert list(tokens("decade deadbeef 1234567 and so on. 3.5 Node.js(x) #tag")) == []

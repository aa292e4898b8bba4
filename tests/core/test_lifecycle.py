from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_memory

from wisen.core.lifecycle import (
    CONFIDENCE_CEILING,
    MAX_EVIDENCE,
    fingerprint,
    initial_confidence,
    raised,
    reinforced,
    rule_key,
    same_rule,
)
from wisen.core.types import EventRef, Origin, Source

LATER = T0 + timedelta(days=3)


def refs(*ids: str) -> tuple[EventRef, ...]:
    return tuple(EventRef(event_id=each, session_id="s", at=T0, quote=f"said {each}") for each in ids)


@pytest.mark.row("B9")
def test_texts_that_differ_in_case_and_white_space_have_one_fingerprint() -> None:
    expected = hashlib.sha256(b"use pnpm here").hexdigest()[:16]
    assert fingerprint("use pnpm here") == expected
    assert fingerprint("  Use\tPNPM\n\nhere ") == expected
    assert fingerprint("use npm here") != expected


@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_has_a_fingerprint_of_sixteen_hex_digits(text: str) -> None:
    assert len(fingerprint(text)) == 16
    assert int(fingerprint(text), 16) >= 0


def test_a_lone_surrogate_has_a_fingerprint() -> None:
    assert len(fingerprint("\ud800")) == 16


def test_an_explicit_wish_is_surer_than_a_stated_rule_and_that_than_a_legacy_record() -> None:
    explicit = initial_confidence(Source.EXPLICIT, Origin.USER_TYPED)
    stated = initial_confidence(Source.CORRECTION, Origin.USER_TYPED)
    legacy = initial_confidence(None, Origin.USER_TYPED)
    assert explicit >= 0.9 > stated >= 0.7 > legacy == 0.5


@pytest.mark.parametrize("origin", [Origin.HEADLESS_PROMPT, Origin.ASSISTANT_INFERRED, Origin.PEER])
def test_an_origin_that_is_not_the_user_caps_the_confidence(origin: Origin) -> None:
    assert initial_confidence(Source.EXPLICIT, origin) < initial_confidence(Source.CORRECTION, Origin.USER_TYPED)


@pytest.mark.parametrize("source", [*Source, None])
@pytest.mark.parametrize("origin", list(Origin))
def test_every_source_and_origin_has_a_confidence(source: Source | None, origin: Origin) -> None:
    assert 0.0 < initial_confidence(source, origin) <= CONFIDENCE_CEILING


def test_seen_again_adds_support_evidence_and_some_confidence() -> None:
    memory = a_memory(confidence=0.8, evidence=refs("e1"), verified_at=None)
    again = reinforced(memory, refs("e2"), LATER)
    assert again.support == 2
    assert 0.8 < again.confidence < CONFIDENCE_CEILING
    assert [ref.event_id for ref in again.evidence] == ["e1", "e2"]
    assert again.verified_at == LATER
    assert again.text == memory.text


def test_the_same_evidence_twice_changes_nothing() -> None:
    memory = a_memory(evidence=refs("e1"))
    once = reinforced(memory, refs("e2", "e2"), LATER)
    assert once.support == 2
    assert reinforced(once, refs("e1", "e2"), LATER + timedelta(days=1)) is once


def test_the_first_quote_and_the_newest_are_kept() -> None:
    memory = a_memory(evidence=refs("first"))
    many = reinforced(memory, refs(*(f"e{n}" for n in range(20))), LATER)
    kept = [ref.event_id for ref in many.evidence]
    assert len(kept) == MAX_EVIDENCE
    assert (kept[0], kept[-1]) == ("first", "e19")
    assert many.support == 21


@given(confidence=st.floats(0, 1), count=st.integers(1, 60))
def test_confidence_never_falls_and_never_passes_the_ceiling(confidence: float, count: int) -> None:
    memory = a_memory(confidence=confidence)
    again = reinforced(memory, refs(*(f"e{n}" for n in range(count))), LATER)
    assert confidence <= again.confidence <= max(confidence, CONFIDENCE_CEILING)


def test_a_script_repeating_itself_never_gets_surer_than_a_script_can_be() -> None:
    memory = a_memory(origin=Origin.HEADLESS_PROMPT, confidence=0.7)
    again = reinforced(memory, refs(*(f"e{n}" for n in range(4))), LATER)
    assert (again.confidence, again.support) == (0.7, 5)


def test_the_user_saying_it_too_lifts_the_cap() -> None:
    memory = a_memory(origin=Origin.HEADLESS_PROMPT, confidence=0.7)
    assert reinforced(memory, refs("e1"), LATER, origin=Origin.USER_TYPED).confidence > 0.7


def test_a_script_repeating_the_users_rule_makes_it_no_surer() -> None:
    memory = a_memory(origin=Origin.USER_TYPED, confidence=0.8)
    assert reinforced(memory, refs("e1"), LATER, origin=Origin.HEADLESS_PROMPT).confidence == 0.8


def test_an_explicit_ask_makes_an_explicit_memory_of_a_weaker_twin() -> None:
    explicit = raised(a_memory(source=Source.CORRECTION, confidence=0.8), Source.EXPLICIT, Origin.USER_TYPED, LATER)
    assert (explicit.source, explicit.confidence, explicit.verified_at) == (Source.EXPLICIT, 0.95, LATER)
    assert raised(a_memory(confidence=0.97), Source.EXPLICIT, Origin.USER_TYPED, LATER).confidence == 0.97


def test_the_users_ask_makes_a_scripts_memory_the_users() -> None:
    memory = a_memory(source=Source.EXPLICIT, origin=Origin.HEADLESS_PROMPT, confidence=0.7)
    mine = raised(memory, Source.EXPLICIT, Origin.USER_TYPED, LATER)
    assert (mine.origin, mine.confidence) == (Origin.USER_TYPED, 0.95)


@pytest.mark.parametrize(
    ("source", "origin"),
    [(Source.CORRECTION, Origin.USER_TYPED), (None, Origin.USER_TYPED), (Source.EXPLICIT, Origin.HEADLESS_PROMPT)],
)
def test_nothing_but_the_users_explicit_ask_raises(source: Source | None, origin: Origin) -> None:
    memory = a_memory(source=Source.CORRECTION, confidence=0.8)
    assert raised(memory, source, origin, LATER) is memory


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use pnpm here, not npm.", "we use pnpm here, not npm"),
        ("please use `pnpm` here", "Use pnpm here!"),
        ("**Use** “pnpm” here, thanks", "use pnpm here"),
        ("use *pnpm*  here", "use _pnpm_ here"),
        ("不要用npm。", "不要用npm"),
        ("we need node 20.", "we need node 20"),
    ],
)
def test_wordings_that_differ_in_dress_only_are_one_rule(one: str, other: str) -> None:
    assert same_rule(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use pnpm", "use npm"),
        ("don't use npm", "use npm"),
        ("pw = Sommer2024!", "pw = Sommer2024"),
        ("call it user_key", "call it userkey"),
        ("the users' guide is the master", "the user guide is the master"),
    ],
)
def test_wordings_that_say_something_else_are_two_rules(one: str, other: str) -> None:
    assert not same_rule(one, other)


@given(st.text(max_size=60))
def test_a_normal_form_is_one_line_and_the_same_for_any_case(text: str) -> None:
    assert "\n" not in rule_key(text)
    assert rule_key(text) == rule_key(f" {text} ")

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.builders import T0, a_memory

from wisen.core.lifecycle import CONFIDENCE_CEILING, MAX_EVIDENCE, fingerprint, initial_confidence, reinforced
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

from __future__ import annotations

import pytest

from wisen.retrieval.composite import DEFAULT, LATEST, QUERY, Document, Weights, composite, confidence, recency


def a_document(**over: object) -> Document:
    return Document(**{"content_type": "note", "search": 0.8, "age": 60.0, **over})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content_type", "age", "expected"),
    [
        ("note", 60, 0.5),
        ("handoff", 30, 0.5),
        ("handoff", 60, 0.25),
        ("decision", 180, 0.5),
        ("hub", 10_000, 1.0),
        ("note", -5, 1.0),
    ],
)
def test_after_a_half_life_half_is_left_and_some_types_last(content_type: str, age: float, expected: float) -> None:
    assert recency(content_type, age) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("accesses", "since_access", "expected"),
    [
        # half-life 60 * (1 + .3 ln 11) = 103.2 days
        (10, 0.0, 0.5 ** (60 / (60 * (1 + 0.3 * 2.3978952728)))),
        (10, 90.0, 0.5),  # a use of three months ago counts nothing
        (10**9, 0.0, 0.5 ** (1 / 3)),  # three times as long, and no longer
    ],
)
def test_what_is_used_lives_up_to_three_times_as_long(accesses: int, since_access: float, expected: float) -> None:
    assert recency("note", 60, accesses=accesses, since_access=since_access) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (a_document(age=0), 0.5),
        (a_document(), 0.25),
        (a_document(content_type="decision", age=0, since_access=70.0), 0.85),  # attention does not fade
        (a_document(age=0, since_access=70.0), 0.5 * 0.95**10),
        (a_document(age=0, since_access=7000.0), 0.25),
        (a_document(age=0, accesses=3), 0.5 * 1.2),
        (a_document(age=0, stored_confidence=0.25), 0.5 * 0.75),
        (a_document(age=0, stored_confidence=1.0), 0.75),
    ],
)
def test_confidence(document: Document, expected: float) -> None:
    assert confidence(document) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("document", "weights", "expected"),
    [
        (a_document(), DEFAULT, 0.5 * 0.8 + 0.25 * 0.5 + 0.25 * 0.25),
        (a_document(), QUERY, 0.7 * 0.8 + 0.15 * 0.5 + 0.15 * 0.25),
        (a_document(), LATEST, 0.1 * 0.8 + 0.7 * 0.5 + 0.2 * 0.25),
        (a_document(quality=1.0), DEFAULT, 0.5875 * 1.3),
        (a_document(quality=0.0), DEFAULT, 0.5875 * 0.7),
        (a_document(length=2000), DEFAULT, 0.5875 / 2),
        (a_document(length=10**9), DEFAULT, 0.5875 * 0.3),
        (a_document(revisions=100), DEFAULT, 0.5875 * 1.1),
        (a_document(revisions=2, duplicates=2), DEFAULT, 0.5875 * (1 + 0.03 * 1.3862943611)),
        (a_document(is_pinned=True), DEFAULT, 0.8875),
        (a_document(is_pinned=True, search=1.0, age=0), DEFAULT, 1.0),
        (a_document(co_activations=1), DEFAULT, 0.5875 * 1.1),
        (a_document(co_activations=99), DEFAULT, 0.5875 * 1.15),
    ],
)
def test_the_composite_and_its_factors(document: Document, weights: Weights, expected: float) -> None:
    assert composite(document, weights) == pytest.approx(expected, abs=1e-9)

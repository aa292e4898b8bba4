"""A finding of a review that somebody pasted without any mark is not the user speaking."""

from __future__ import annotations

import pytest

from wisen.core.signals.review_prose import REVIEW
from wisen.core.signals.sentences import sentences

FINDING = (
    "The parseHeader function silently drops fields that are longer than the buffer. "
    "Consider returning an error so that callers in the upload handler can report it."
)


def reasons(text: str) -> set[str]:
    return {part.dropped for part in sentences(text)}


@pytest.mark.parametrize(
    "text",
    [
        FINDING,
        f"Header fields can get lost\n\nLow Severity\n\n{FINDING}",
        (
            'The comment above the loop says "we never drop a field" in parser.go. However, that is not accurate now '
            "since the buffer of fixed length was added."
        ),
        (
            "retry_upload is never called outside of its own test file in this package. The handler has another copy "
            "of the same loop, which is redundant."
        ),
    ],
)
def test_whole_sentences_that_find_fault_with_code_are_a_pasted_review(text: str) -> None:
    assert reasons(text) == {REVIEW}


@pytest.mark.parametrize(
    "text",
    [
        "Tests live next to the code they test. The end-to-end ones live in e2e and need a running server.",
        "We never call retry_upload outside of its own test. Consider it dead code that nobody may use again.",
        "Always run the linter before a commit is made. Never push to the main branch of this repository.",
        "The parseHeader function is never called by the handler, is it? Consider removing it if nothing needs it.",
        "The parseHeader function silently drops long fields.",
        "please fix parseHeader. it silently drops fields that are longer than the buffer and that is not ok",
    ],
)
def test_facts_rules_and_what_the_user_says_themselves_are_not(text: str) -> None:
    assert reasons(text) == {""}


def test_the_users_own_words_above_a_pasted_paragraph_stay_theirs() -> None:
    own, *pasted = sentences(f"we use uv here, can you mend this?\n\n{FINDING}")
    assert own.dropped == ""
    assert {part.dropped for part in pasted} == {REVIEW}

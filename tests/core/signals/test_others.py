from __future__ import annotations

import pytest

from wisen.core.signals.others import NOT_THEIRS, TO_BE_WRITTEN
from wisen.core.signals.sentences import sentences

RULE = "never use moment here, always use dayjs"


def spoken(text: str) -> list[str]:
    return [part.text for part in sentences(text) if not part.dropped]


def dropped(text: str) -> set[str]:
    return {part.dropped for part in sentences(text) if part.dropped}


@pytest.mark.parametrize(
    "text",
    [
        f"Anna wrote on slack:\n{RULE}\nplease always run make lint",
        f"the commit says: {RULE}",
        f"the error is: {RULE}",
        f"here is the review:\n- {RULE}\n- never use any",
        f"Address the review comments:\n1. {RULE}\n2. never use any",
        f"Copilot review:\n\n{RULE}",
        f"I got this from ChatGPT: {RULE}",
        f"CONTRIBUTING.md:\n{RULE}",
        f"here's our style guide, check the code against it\n\n{RULE}",
        f"Summarize this:\n{RULE}",
        f"anna: we {RULE}",
        f"anna: {RULE}\nbob: agreed",
        f"@anna: {RULE}",
        f"Q: which one?\nA: {RULE}",
        f"From: anna@example.org\nSubject: dates\n\nHi,\n{RULE}\nBest, Anna",
        f"Hi team,\n{RULE}\nThanks,\nBob",
        f"title: dates\nrules:\n  - {RULE}",
    ],
)
def test_what_an_introducer_governs_is_somebody_elses(text: str) -> None:
    assert not any("moment" in part for part in spoken(text))
    assert NOT_THEIRS in dropped(text)


@pytest.mark.parametrize(
    "text",
    [
        f"Write a linter rule: {RULE}",
        f"generate a CONTRIBUTING.md which says: {RULE}",
        f"create a system prompt: be terse. {RULE}",
        f"You are an expert reviewer. {RULE}",
        f"update the README: {RULE}",
        f"translate to german: {RULE}",
        f"Ticket ABC-12: {RULE}",
    ],
)
def test_what_is_to_be_written_is_no_speech(text: str) -> None:
    assert not any("moment" in part for part in spoken(text))
    assert dropped(text) == {TO_BE_WRITTEN}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"here is the log:\n```\nx\n```\n{RULE}", [RULE]),
        (f"Fix the review comments:\n- one\n- two\n\n{RULE}", [RULE]),
        (f"Anna wrote:\nsomething\n\n{RULE}", [RULE]),
        (f"{RULE}. Update the README: it is old.", [f"{RULE}."]),
        (f"From: a@example.org\n\nhello\nThanks, Ann\n\n{RULE}", [RULE]),
        (f"add to CLAUDE.md: {RULE}", [f"add to CLAUDE.md: {RULE}"]),
        (f"note: {RULE}", [f"note: {RULE}"]),
        ("here's the plan\n\nremember that x is y", ["remember that x is y"]),
        ("hi Claude,\nremember that x is y\nthanks", ["hi Claude,", "remember that x is y", "thanks"]),
        ("remember:\nx is y", ["remember:", "x is y"]),
    ],
)
def test_the_users_own_words_beside_it_stay_theirs(text: str, kept: list[str]) -> None:
    assert spoken(text) == kept


@pytest.mark.parametrize(
    "diff",
    [
        f"@@\n- use moment\n+ {RULE}",
        f"    @@ -1,2 +1,2 @@\n    - use moment\n    + {RULE}",
        (
            f"⏺ Update(CONTRIBUTING.md)\n  ⎿  Updated CONTRIBUTING.md with 1 addition and 1 removal\n"
            f"       11   # Rules\n       12 - use moment\n       12 + {RULE}\n       13   always run make lint"
        ),
        f"12 - use moment\n12 + {RULE}",
    ],
    ids=["bare", "indented", "an agent's display", "numbered"],
)
def test_a_pasted_diff_says_nothing(diff: str) -> None:
    assert not any("moment" in part or "make lint" in part for part in spoken(f"what does this change do?\n{diff}"))


def test_bullets_and_numbers_are_no_diff() -> None:
    said = spoken(f"- {RULE}\n  - also in tests\n2. run make lint before you push")
    assert any("dayjs" in part for part in said)
    assert any("make lint" in part for part in said)

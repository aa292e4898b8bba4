from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.reasons import Reasoned, only_judges, reasoned


@pytest.mark.row("C5")
@pytest.mark.parametrize(
    ("text", "rule", "why"),
    [
        ("use pnpm, because the lockfile is pnpm's", "use pnpm", "the lockfile is pnpm's"),
        ("Run `pytest -n 0` since the tests share a database.", "Run `pytest -n 0`", "the tests share a database"),
        ("never run all tests - the ci can't share its cache", "never run all tests", "the ci can't share its cache"),
        ("Because the ci is slow, run only unit tests locally", "run only unit tests locally", "the ci is slow"),
        ("keep functions short so that reviews stay quick", "keep functions short", "so that reviews stay quick"),
        ("pin the image, otherwise the build is not the same", "pin the image", "otherwise the build is not the same"),
        ("nimm uv, weil pip hier kaputt ist", "nimm uv", "pip hier kaputt ist"),
        ("usa pnpm porque el lockfile es de pnpm", "usa pnpm", "el lockfile es de pnpm"),
        ("utilise pnpm parce que le lockfile est celui de pnpm", "utilise pnpm", "le lockfile est celui de pnpm"),
        ("usa uv perché pip è rotto", "usa uv", "pip è rotto"),
        ("use uv porque o pip está quebrado", "use uv", "o pip está quebrado"),
        ("используй uv, потому что pip сломан", "используй uv", "pip сломан"),
        ("dùng uv vì pip bị hỏng ở đây", "dùng uv", "pip bị hỏng ở đây"),
        ("不要用npm，因为锁文件是pnpm的", "不要用npm", "锁文件是pnpm的"),
        ("pnpmを使うこと。そうしないとlockが壊れる", "pnpmを使うこと", "そうしないとlockが壊れる"),
        ("pnpm을 사용하세요, 왜냐하면 npm은 느려서요", "pnpm을 사용하세요", "npm은 느려서요"),
    ],
)  # fmt: skip
def test_a_rule_and_its_reason_are_taken_apart_in_the_users_words(text: str, rule: str, why: str) -> None:
    assert reasoned(text) == Reasoned(rule=rule, why=why)


@pytest.mark.row("C5")
def test_how_to_follow_a_rule_is_a_part_of_its_own() -> None:
    parts = reasoned("Never push to main. To do that, open a pull request and ask me")
    assert parts == Reasoned(rule="Never push to main", how_to_apply="open a pull request and ask me")


@pytest.mark.parametrize(
    "text",
    [
        "don't edit generated files, change the template instead",
        "use `a because b` as the name of it",
        "it's broken because of the cache",
        "only because the ci can't",
        "because the ci can't",
        "from 3.11 on use tomllib - not tomli",
        "use pnpm\nbecause the lockfile is pnpm's",
        "use pnpm",
    ],
)
def test_what_has_no_reason_or_would_leave_no_rule_stays_whole(text: str) -> None:
    assert reasoned(text) == Reasoned(rule=text)


@given(st.text(max_size=120))
def test_nothing_is_made_up(text: str) -> None:
    parts = reasoned(text)
    assert all(part in text for part in (parts.rule, parts.why, parts.how_to_apply))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Option 2 won't work because the port is taken on all our machines", "the port is taken on all our machines"),
        ("the second point is not correct, the worker writes the index too", "the worker writes the index too"),
        ("that's wrong, the dev server listens on port 8080", "the dev server listens on port 8080"),
        (
            "(we call the API through the gateway everywhere else)",
            "we call the API through the gateway everywhere else",
        ),
    ],
)
def test_a_verdict_on_words_that_are_gone_leaves_what_stands_by_itself(text: str, rule: str) -> None:
    assert reasoned(text) == Reasoned(rule=rule)


@pytest.mark.parametrize(
    "text",
    [
        "or is that risky because of cycles?",
        "would pnpm be better because the lockfile is pnpm's?",
        "that's wrong, use it",
        "The cache is not correct after a rebase, run make clean first",
        "never say it's fine, run the tests",
    ],
)
def test_a_question_and_what_only_looks_like_a_verdict_stay_whole(text: str) -> None:
    assert reasoned(text) == Reasoned(rule=text)


@pytest.mark.parametrize(
    ("text", "judges"),
    [
        ("option 2 doesn't work", True),
        ("the second one is not right because it breaks", True),
        ("that works", True),
        ("that approach won't work", True),
        ("this way is wrong because it breaks", True),
        ("that doesn't work on Windows", False),
        ("the dev server listens on port 8080", False),
    ],
)
def test_what_only_judges_what_stands_elsewhere_is_known(text: str, *, judges: bool) -> None:
    assert only_judges(text) is judges

from __future__ import annotations

import pytest

from wisen.core.unfit import (
    FRAGMENT,
    OF_GIT,
    ONCE,
    OPINION,
    SAYS_NOTHING,
    STATUS,
    SUPPOSED,
    WITNESS,
    leans_on_the_moment,
    unfit,
)


@pytest.mark.fault("B85")
@pytest.mark.parametrize(
    "text",
    [
        "PR #12 is open",
        "3 tests fail right now",
        "CI is red",
        "I'm on branch x",
        "we shipped v1.2 today",
        "the build is broken",
        "CI ist rot",
        "3 Tests schlagen fehl",
        "el CI está rojo",
        "la PR 12 est ouverte",
        "la CI è rossa",
        "o CI está vermelho",
        "CI красный",
        "3 теста падают",
        "CI đang đỏ",
        "CI是红的",
        "今はCIが赤い",
        "CI가 빨간색",
    ],
)
def test_a_passing_state_is_not_remembered(text: str) -> None:
    assert unfit(text) == STATUS


@pytest.mark.fault("B77")
@pytest.mark.parametrize(
    "text",
    [
        "the index must be broken",
        "maybe the cache is stale",
        "I think the cache is stale",
        "it looks like the filter is wrong",
        "vielleicht ist der Index kaputt",
        "quizás el índice está roto",
        "peut-être que l'index est cassé",
        "forse l'indice è rotto",
        "talvez o índice esteja quebrado",
        "возможно, индекс сломан",
        "có lẽ chỉ mục bị hỏng",
        "也许索引坏了",
        "たぶん索引が壊れている",
    ],
)
def test_what_was_only_supposed_is_not_remembered(text: str) -> None:
    assert unfit(text) == SUPPOSED


@pytest.mark.row("C33")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("would Obsidian be useful for this app?", OPINION),
        ("what do you think about pnpm?", OPINION),
        ("was hältst du von pnpm?", OPINION),
        ("你觉得用pnpm怎么样", OPINION),
        ("you can push now", ONCE),
        ("go ahead and merge it", ONCE),
        ("just this once, skip the hook", ONCE),
        ("diesmal ohne Tests", ONCE),
        ("esta vez sin tests", ONCE),
        ("cette fois sans les tests", ONCE),
        ("这次不用跑测试", ONCE),
        ("HEAD is now at 1234abc", OF_GIT),
        ("commit 1a2b3c4 fixes the parser", OF_GIT),
        ("the feature was merged into main", OF_GIT),
        ("don't do that", SAYS_NOTHING),
        ("never use it", SAYS_NOTHING),
        ("always do it like this", SAYS_NOTHING),
    ],
)
def test_what_is_no_knowledge_is_not_remembered(text: str, reason: str) -> None:
    assert unfit(text) == reason


@pytest.mark.parametrize(
    "text",
    [
        "never merge while CI is red",
        "when tests fail, read the log before you retry",
        "if tests are failing, do not push",
        "don't commit when the build is broken",
        "the build must pass before merging",
        "PR titles must be in imperative mood",
        "the staging database is read-only",
        "main is protected: open a PR",
        "I think we should always use early returns",
        "from now on use ruff",
        "I prefer short answers",
        "tests live in tests/unit",
        "this repo uses tabs",
        "现在开始用pnpm",
        "지금부터 pnpm을 사용",
        "commit messages must reference the ticket",
        "ab sofort ruff statt flake8",
        "use pnpm, not npm",
    ],
)
def test_a_rule_that_only_talks_of_states_is_fit(text: str) -> None:
    assert unfit(text) == ""
    assert not leans_on_the_moment(text)


@pytest.mark.parametrize(
    "text", ["this function must stay pure", "rename that variable everywhere", "diese Funktion muss rein bleiben"]
)
def test_what_points_at_something_of_the_session_leans_on_it(text: str) -> None:
    assert leans_on_the_moment(text)


def test_what_names_its_object_does_not_lean_on_the_session() -> None:
    assert not leans_on_the_moment("this wrapper around `httpx` must stay thin")


@pytest.mark.parametrize(
    "text",
    [
        "I can't see any caller of the old client",
        "I put everything into one commit",
        "I'll open a PR with them",
        "the issue was that they had an old checkout",
        "ich sehe keinen Aufruf davon",
        "j'ai ajouté un test",
    ],
)
def test_what_somebody_saw_or_did_is_not_remembered(text: str) -> None:
    assert unfit(text) == WITNESS


@pytest.mark.parametrize(
    "text",
    [
        "since they should handle several files already",
        "basically that we track the branch",
        "the pruning of branches is",
        "weil der Server das so will",
    ],
)
def test_a_part_of_a_sentence_is_not_remembered(text: str) -> None:
    assert unfit(text) == FRAGMENT


@pytest.mark.parametrize(
    "text",
    [
        "never commit unless I ask you to",
        "put each test into the package it belongs to",
        "leave generated code as it is",
        "name the branch that the fix is for",
        "use the database that staging runs on, and ask which region it is in",
    ],
)
def test_a_sentence_may_end_with_a_preposition(text: str) -> None:
    assert unfit(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "I always squash before I push",
        "I found out that the tests need docker",
        "I use fish on this machine",
        "Since the CI is slow, run only the unit tests",
        "never commit to main, ok?",
        "why are you using npm again?",
        "any chance we can use British spelling?",
    ],
)
def test_a_habit_a_finding_and_a_wish_are_no_such_thing(text: str) -> None:
    assert unfit(text) == ""


@pytest.mark.parametrize(
    ("text", "leans"),
    [
        ("I did not say push it", True),
        ("I'd rather use a map here", True),
        ("I would prefer that we always squash", False),
        ("I prefer maps over lists of pairs", False),
    ],
)
def test_a_complaint_and_a_choice_lean_on_the_moment_and_a_habit_does_not(text: str, *, leans: bool) -> None:
    assert leans_on_the_moment(text) is leans


@pytest.mark.parametrize(
    "text", ["we only write it once, right?", "any other way to do it?", "or is that slow?", "what tools could we use?"]
)
def test_a_question_that_asks_is_not_remembered(text: str) -> None:
    assert unfit(text) == OPINION

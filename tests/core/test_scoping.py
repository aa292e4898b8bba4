from __future__ import annotations

import pytest
from tests.builders import a_graph, a_signal, a_user_graph

from wisen.core.scoping import scope, scope_of
from wisen.core.types import GraphId

REPO = a_graph("acme/widgets")
USER = a_user_graph()


def of(rule: str, *, personal: bool = False, repo: GraphId | None = REPO) -> GraphId | None:
    return scope_of(a_signal(rule, personal=personal), repo=repo, user=USER)


def test_a_rule_is_the_repositorys() -> None:
    assert of("we use pnpm here, not npm") == REPO


def test_a_rule_for_everywhere_is_the_persons() -> None:
    assert of("write British English everywhere", personal=True) == USER
    assert of("write British English everywhere", personal=True, repo=None) == USER


@pytest.mark.parametrize(
    "rule",
    [
        "always put tests in tests/unit, in all my projects",
        "everywhere keep settings in config.toml",
        "never edit src/gen/api.ts anywhere, in all repos",
        "run ./check.sh everywhere",
        "in all my projects do it like widgets does",
        "in all my projects do it like acme does",
        "in all my projects use `frobnicate`",
        "in all my projects we use the AcmeLogger",
        "in all my projects call it user_key",
    ],
)
def test_a_personal_rule_that_carries_something_of_the_repository_stays_there(rule: str) -> None:
    assert of(rule, personal=True) == REPO


@pytest.mark.parametrize(
    "rule",
    [
        "use and/or sparingly everywhere",
        "keep CLAUDE.md short everywhere",
        "use Node.js 22 everywhere",
        "prefer version 1.2.3 of everything, everywhere",
        "answer in short sentences, e.g. two, everywhere",
        "prefer TypeScript to JavaScript, and snake_case, in all my projects",
        "use `uv` in all my projects",
    ],
)
def test_what_is_in_every_repository_does_not_tie_a_rule_to_this_one(rule: str) -> None:
    assert of(rule, personal=True) == USER


def test_a_short_repository_name_is_a_word_like_any_other() -> None:
    assert of("use the cli everywhere", personal=True, repo=a_graph("acme/cli")) == USER


def test_a_rule_of_a_repository_stated_outside_of_any_belongs_nowhere() -> None:
    nowhere = scope(a_signal("we use pnpm here"), repo=None, user=USER)
    assert nowhere.graph is None
    assert "no repository" in nowhere.why


def test_a_path_in_a_personal_rule_outside_of_any_repository_is_named_in_the_reason() -> None:
    nowhere = scope(a_signal("tests live in tests/unit everywhere", personal=True), repo=None, user=USER)
    assert nowhere.graph is None
    assert "tests/unit" in nowhere.why

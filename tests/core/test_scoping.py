from __future__ import annotations

import pytest
from tests.builders import a_graph, a_signal, a_user_graph

from wisen.core.scoping import scope, scope_of, why_not_in
from wisen.core.signals.personal import is_personal
from wisen.core.types import GraphId, Origin

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


@pytest.mark.row("A7")
@pytest.mark.parametrize("origin", [Origin.OBSERVED_OUTCOME, Origin.OBSERVED_LOCATION])
def test_what_was_observed_is_the_repositorys_whatever_its_words_say(origin: Origin) -> None:
    signal = a_signal("run it everywhere, in all projects", personal=True, origin=origin)
    assert scope_of(signal, repo=REPO, user=USER) == REPO
    assert scope_of(signal, repo=None, user=USER) is None
    assert why_not_in(USER, signal)
    assert why_not_in(REPO, signal) == ""


@pytest.mark.row("A7")
def test_only_a_rule_that_its_words_make_personal_may_go_into_the_persons_graph() -> None:
    assert why_not_in(USER, a_signal("we use pnpm here"))
    assert why_not_in(USER, a_signal("write British English everywhere", personal=True)) == ""


# Said in a repository called acme/widgets: (words, do they say that it holds everywhere, whose rule it is).
LABELLED = (
    ("I prefer terse answers, in all my projects", True),
    ("wherever I work, explain the why before the how", True),
    ("answer me in German, in every project", True),
    ("in all my repos write commit messages in English", True),
    ("for all my projects: ask before you delete anything", True),
    ("no matter which repo, never force-push", True),
    ("I use uv everywhere I work", True),
    ("in all my projects prefer pytest to unittest", True),
    ("überall, wo ich arbeite, keine Emojis", True),
    ("en todos mis proyectos responde en español", True),
    ("dans tous mes projets, pas d'emoji", True),
    ("我的所有项目都用中文回答", True),
    ("すべてのプロジェクトで日本語で答えて", True),
    ("auth tests live in auth/tests", False),
    ("we use pnpm here, not npm", False),
    ("the staging database is read-only", False),
    ("commit messages in English", False),
    ("never push to main", False),
    ("in all my projects put tests in tests/unit", False),
    ("in every project the AcmeLogger logs", False),
    ("in all my repos do it like widgets does", False),
    ("for all my projects run `make check-widgets`", False),
    ("in all my projects keep secrets in vault.toml", False),
    ("across all my repos the flag is called enable_sync", False),
    ("in this repo, as in all my projects, use tabs", False),
    ("on all my machines the key lies in ~/keys/acme", False),
)


@pytest.mark.row("A11")
@pytest.mark.parametrize(("rule", "is_the_persons"), LABELLED)
def test_whose_rule_it_is_on_labelled_cases(rule: str, *, is_the_persons: bool) -> None:
    assert (of(rule, personal=is_personal(rule)) == USER) is is_the_persons


@pytest.mark.row("A13")
@pytest.mark.parametrize(
    "rule",
    [
        "in all my projects, because src/auth/token.py does it, use early returns",
        "everywhere, as in `acme-core`, use early returns",
        "in all my projects see https://git.acme.example/wiki/style",
        "in all my projects ticket ids look like ACME-1234",
        "in all my projects mail ops@acme.example before a release",
        "in all my projects the host is 10.1.2.3",
        "in all my projects use the token from commit 3f9a1c2d",
    ],
)
def test_nothing_of_a_repository_goes_into_the_persons_graph(rule: str) -> None:
    assert of(rule, personal=True) == REPO

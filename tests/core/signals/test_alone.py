from __future__ import annotations

import pytest

from wisen.core.signals.alone import A_WAY, FOR_GOOD, HOW_IT_IS, LONGEST_CHARS, PROHIBITION
from wisen.core.signals.rule_features import features_of
from wisen.core.signals.sentences import sentences
from wisen.core.signals.setting import Setting

ALL = {A_WAY, FOR_GOOD, HOW_IT_IS, PROHIBITION}


def kinds(text: str) -> set[str]:
    return {name for found in features_of(sentences(text), Setting()) for name in found & ALL}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("never deploy after lunch", FOR_GOOD),
        ("nigdy nie pushuj do develop", FOR_GOOD),
        ("don't commit lock files", PROHIBITION),
        ("scripts live in tools/bin", HOW_IT_IS),
        ("los scripts están en tools/bin", HOW_IT_IS),
        ("スクリプトはtools/binに置く", HOW_IT_IS),
        ("we lint with biome", HOW_IT_IS),
        ("prefer fakes over mocks in tests", A_WAY),
        ("one branch per ticket", A_WAY),
    ],
)
def test_a_plain_rule_that_stands_alone_is_known_by_its_form(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "never hide the toolbar on the settings page",
        "always greet the guest by name",
        "don't run the tests",
        "don't push",
        "deploy the failing branch",
        "always use that branch",
        "scripts are outdated",
        "we use uv, add a lock file",
        "do we lint with biome?",
        "maybe never deploy after lunch",
        "never deploy after lunch today",
        "tests fail on my machine",
        "los tests fallan en tools/bin",
        "never forget the milk",
    ],
)
def test_what_is_of_the_moment_or_of_the_product_is_none(text: str) -> None:
    assert kinds(text) == set()


def test_beside_another_sentence_or_in_a_long_one_it_counts_as_before() -> None:
    rule = "never deploy after lunch"
    assert kinds(rule)
    assert kinds(f"{rule}. Add a test for the parser.") == set()
    assert kinds(f"{rule}\n> they wrote this") == set()
    assert kinds(f"{rule} {'or supper ' * (LONGEST_CHARS // 10)}") == set()

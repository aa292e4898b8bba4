from __future__ import annotations

import pytest

from wisen.core.signals import explicit
from wisen.core.signals.findings import MAX_RULE_CHARS, Finding
from wisen.core.signals.sentences import sentences
from wisen.core.types import Source


def found(text: str) -> list[Finding]:
    return [finding for finding in explicit.findings(sentences(text)) if finding.rule]


def rules(text: str) -> list[str]:
    return [finding.rule for finding in found(text)]


def reasons(text: str) -> list[str]:
    return [finding.why for finding in explicit.findings(sentences(text)) if not finding.rule]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("remember that the staging db is read-only", "the staging db is read-only"),
        ("Remember: deploys go out from tags only.", "deploys go out from tags only"),
        ("ok, please remember that we ship on Mondays, thanks", "we ship on Mondays"),
        ("Can you remember that the API is versioned?", "the API is versioned"),
        ("please remember to use uv", "use uv"),
        ("Remember for the future that CI needs node 22", "CI needs node 22"),
        ("don't forget: the API is versioned", "the API is versioned"),
        ("dont forget that prod is on another host", "prod is on another host"),
        ("don't forget to run make fmt before every commit", "run make fmt before every commit"),
        ("note for the future: integration tests need redis", "integration tests need redis"),
        ("for future sessions: use uv", "use uv"),
        ("make a note that ports start at 9000", "ports start at 9000"),
        ("save to memory: ports start at 9000", "ports start at 9000"),
        ('remember: "no force pushes"', "no force pushes"),
        ("We deploy from tags only, please remember that", "We deploy from tags only"),
    ],
)
def test_what_the_user_asks_to_remember_is_kept_in_their_words(text: str, rule: str) -> None:
    (finding,) = found(text)
    assert finding.rule == rule
    assert (finding.source, finding.strength) == (Source.EXPLICIT, 1.0)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("merke dir: Tests laufen mit make check", "Tests laufen mit make check"),
        ("Merk dir bitte, dass wir keine Mocks benutzen", "wir keine Mocks benutzen"),
        ("recuerda que usamos pnpm", "usamos pnpm"),
        ("no olvides que la base es de solo lectura", "la base es de solo lectura"),
        ("souviens-toi que les tests sont dans spec/", "les tests sont dans spec/"),
        ("n'oublie pas : on livre le lundi", "on livre le lundi"),
        ("lembre-se de que usamos yarn", "usamos yarn"),
        ("ricordati che i test girano con tox", "i test girano con tox"),
        ("запомни: коммиты на английском", "коммиты на английском"),
        ("hãy nhớ rằng chúng ta dùng pnpm", "chúng ta dùng pnpm"),
        ("请记住：提交信息用英文", "提交信息用英文"),
        ("别忘了，测试要用真实数据库", "测试要用真实数据库"),
        ("覚えておいて：コミットは英語で", "コミットは英語で"),
        ("テストはmake checkで走らせることを覚えておいて", "テストはmake checkで走らせる"),
        ("기억해: 커밋 메시지는 영어로", "커밋 메시지는 영어로"),
        ("커밋 메시지는 영어로 쓴다는 것을 기억해줘", "커밋 메시지는 영어로 쓴"),
    ],
)
def test_asking_is_understood_in_other_languages(text: str, rule: str) -> None:
    assert rules(text) == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "remember when we moved to pnpm?",
        "do you remember the flag?",
        "I can't remember how we did this",
        "I don't remember that we ever did this",
        "can you remember what we decided?",
        "remember how that worked",
        "remember to run it after this step",
        "fix the parser and remember to update the docs",
        "fix the parser. Remember to update the docs.",
        "don't forget to update the changelog",
        "the user must remember: passwords are case sensitive",
        "> remember that we use npm",
        "```\nremember: x is y\n```",
    ],
)
def test_talk_about_memory_and_reminders_for_the_task_are_nothing(text: str) -> None:
    assert rules(text) == []


def test_remember_that_points_at_the_sentence_before() -> None:
    (finding,) = found("We deploy from tags only. Please remember that.")
    assert (finding.rule, finding.sentence, finding.until) == ("We deploy from tags only.", 0, 2)


def test_remember_that_without_anything_before_says_why_not() -> None:
    assert rules("remember that") == []
    assert reasons("remember that") == ["asked to remember something that this prompt does not say"]


def test_a_list_below_the_asking_is_one_rule_a_line() -> None:
    text = "Remember for future sessions:\n- tabs, not spaces\n- commit in English\n\nNow fix the bug."
    assert rules(text) == ["tabs, not spaces", "commit in English"]
    assert [(f.sentence, f.until) for f in found(text)] == [(0, 2), (2, 3)]


def test_the_sentence_below_the_asking_is_the_rule() -> None:
    assert rules("Please remember:\nreleases are cut from main.") == ["releases are cut from main."]


def test_an_asking_with_nothing_below_says_so() -> None:
    assert reasons("please remember:") == ["asked to remember something that is not there"]


def test_a_rule_too_long_is_refused_whole_not_cut() -> None:
    assert rules("remember that " + "x" * MAX_RULE_CHARS) == ["x" * MAX_RULE_CHARS]
    assert rules("remember that " + "x" * (MAX_RULE_CHARS + 1)) == []
    assert "document" in reasons("remember that " + "x" * (MAX_RULE_CHARS + 1))[0]


def test_words_that_mean_everywhere_make_it_personal() -> None:
    (here,) = found("remember that I write British English")
    (everywhere,) = found("remember for all my projects: I write British English")
    assert (here.personal, everywhere.personal) == (False, True)
    assert everywhere.rule == "I write British English"

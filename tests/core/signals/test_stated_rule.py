from __future__ import annotations

import pytest

from wisen.core.signals import stated_rule
from wisen.core.signals.findings import Finding
from wisen.core.signals.sentences import sentences
from wisen.core.signals.stated_rule import LONGEST_PROMPT
from wisen.core.types import Source


def found(text: str) -> list[Finding]:
    return [finding for finding in stated_rule.findings(sentences(text)) if finding.rule]


def rules(text: str) -> list[str]:
    return [finding.rule for finding in found(text)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("no, use httpx here, we don't use requests", "use httpx here, we don't use requests"),
        ("don't edit generated files, change the template instead", None),
        ("actually the tests live in tests/unit, not test/", "the tests live in tests/unit, not test/"),
        ("stop using print, we log with structlog", None),
        ("I told you before: commit messages in English", "commit messages in English"),
        ("we use pnpm here, not npm", None),
        ("We use pnpm.", None),
        ("use httpx, not requests: we don't use requests here", None),
        ("Use tabs for indentation here, not spaces", None),
        ("dont use npm use pnpm", None),
        ("Don't use npm here, use pnpm.", None),
        ("no - use pnpm", "use pnpm"),
        ("never commit unless I ask", None),
        ("please never push to main without asking me", "never push to main without asking me"),
        ("always run make fmt before committing", None),
        ("don't ever run migrations against prod", None),
        ("in this repo we squash merge", None),
        ("our convention is snake_case for files", None),
        ("there is no docker on this machine", None),
        ("you don't have access to the database in this sandbox", None),
        ("the lock file must never be edited by hand", None),
        ("we should never mock the database", None),
        ("please stop using emojis in commit messages", "stop using emojis in commit messages"),
        ("I prefer small commits", None),
        ("from now on answer in German", None),
        ("No emojis in commit messages, ever.", None),
    ],
)
def test_a_plain_rule_is_heard_and_kept_in_the_users_words(text: str, rule: str | None) -> None:
    (finding,) = found(text)
    assert finding.rule == (rule or text)
    assert finding.source is Source.CORRECTION
    assert 0.5 < finding.strength < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "no, usa pnpm, no npm",
        "de ahora en adelante escribe los commits en inglés",
        "nein, wir nehmen ruff statt flake8",
        "bitte schreib Commits immer auf Englisch",
        "non, utilise pnpm, pas npm",
        "toujours écrire les tests d'abord",
        "não, use pnpm, não npm",
        "no, usa pnpm invece di npm",
        "いや、requestsではなくhttpxを使って",
        "コミットメッセージは必ず英語で書いて",
        "不要用npm，用pnpm",
        "总是用中文写注释",
        "아니, npm 말고 pnpm 써",
        "항상 커밋 메시지는 영어로 써",
        "đừng dùng npm, dùng pnpm",
        "luôn viết test trước khi commit",
        "нет, не requests, а httpx",
        "всегда пиши тесты",
    ],
)
def test_a_plain_rule_is_heard_in_other_languages(text: str) -> None:
    assert len(rules(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "no dialog appeared",
        "No, thanks",
        "No, that's fine",
        "no idea, you decide",
        "don't worry about it",
        "Don't push directly to that branch",
        "stop",
        "That approach won't work for X, let's use Y instead",
        "actually, can you explain this?",
        "why don't we add a test?",
        "the log says: don't use deprecated API",
        "wait, what does this do?",
    ],
)
def test_small_talk_and_orders_for_this_task_are_nothing(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("would Obsidian be useful for this app?", "a question"),
        ("should we always use uv here?", "a question"),
        ("maybe we should always use uv here", "only supposed"),
        ("if we used redis here we would never lose a job", "only supposed"),
        ("PR #12 is open", "passing"),
        ("3 tests fail right now", "passing"),
        ("I'm on branch x", "passing"),
        ("we shipped v1.2 today", "passing"),
        ("CI is red", "passing"),
        ("for now we use npm here", "passing"),
        ("let's use zod for the form, not yup", "the task at hand"),
        ("rename a.py to b.py, not c.py", "the task at hand"),
        ("the login button should always be disabled until the form is valid", "about the product"),
        ("the importer must never drop a column", "about the product"),
        ("it never works, we use the wrong port here", "a fault report"),
        ("the reviewer says we should never use any", "somebody else's words"),
        ("you can always commit to main here", "a permission"),
        ("never do that again", "points at something unsaid"),
    ],
)
def test_what_is_no_standing_rule_is_refused_with_the_kind(text: str, kind: str) -> None:
    (verdict,) = stated_rule.findings(sentences(text))
    assert verdict.rule == ""
    assert kind in verdict.why


def test_a_rule_among_other_sentences_is_kept_alone() -> None:
    text = "Fix the login bug. Also, from now on write commit messages in the imperative. Thanks!"
    assert rules(text) == ["from now on write commit messages in the imperative."]


def test_a_long_prompt_is_a_paste_and_states_nothing() -> None:
    rule = "we use pnpm here, not npm."
    padding = " The importer reads the file." * 40
    assert rules(rule) == [rule]
    assert rules((rule + padding)[:LONGEST_PROMPT]) == [rule]
    assert rules((rule + padding)[: LONGEST_PROMPT + 40]) == []


def test_pasted_text_does_not_make_a_prompt_long() -> None:
    assert rules("we use pnpm here, not npm\n```\n" + "x = 1\n" * 400 + "```") == ["we use pnpm here, not npm"]


def test_every_sentence_gets_a_word_on_what_was_heard() -> None:
    whys = [finding.why for finding in stated_rule.findings(sentences("we use pnpm here, not npm. Run the build."))]
    assert whys[0].startswith("heard: ")
    assert whys[1] == "heard: use X"

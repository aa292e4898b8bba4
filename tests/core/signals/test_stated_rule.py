from __future__ import annotations

import pytest

from wisen.core.signals import stated_rule
from wisen.core.signals.findings import Finding
from wisen.core.signals.rule_features import features_of
from wisen.core.signals.rule_weights import ADOPT_AT, SUGGEST_AT
from wisen.core.signals.sentences import sentences
from wisen.core.signals.setting import Setting
from wisen.core.signals.stated_rule import LONGEST_PROMPT, judged
from wisen.core.types import Source, Tier


def found(text: str) -> list[Finding]:
    return [finding for finding in stated_rule.findings(sentences(text)) if finding.rule]


def features(text: str) -> frozenset[str]:
    (seen,) = features_of(sentences(text), Setting())
    return seen


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
        ("commit messages must be in english", None),
        ("PRs always target develop, not main", None),
        ("before each commit run make lint", None),
        ("every PR needs a changelog entry", None),
        ("Do not add dependencies without asking me first.", None),
        ("don't commit unless I tell you to", None),
        ("the rule here is: no new dependencies", None),
        ("when you fix a bug always add a regression test", None),
        ("no default exports please, always named", None),
        ("how many times do I have to tell you not to touch the lock file", "not to touch the lock file"),
        ("use UTC everywhere in this repo", None),
        ("By the way, we use pnpm here, not npm", "we use pnpm here, not npm"),
        ("add to CLAUDE.md: we use pnpm here, not npm", "we use pnpm here, not npm"),
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
        "mainに直接pushしないで",
        "main에 직접 푸시하지 마",
        "永远不要直接推送到main分支",
        "提交信息必须用英文，不要用中文",
        "комментарии в коде всегда на английском",
        "nunca hagas push directo a main",
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
    "text",
    [
        "siempre falla el test",
        "toujours la même erreur",
        "sempre dá erro no build",
        "всегда падает один и тот же тест",
        "luôn bị lỗi khi đăng nhập",
        "总是报错，帮我看看",
        "항상 에러가 나요 고쳐주세요",
        "immer wenn ich speichere stürzt es ab",
        "必ずこのファイルだけ直して",
        "用户永远不能删除自己的账号",
        "der Nutzer darf nie sein Konto löschen",
    ],
)
def test_always_and_never_are_no_rule_by_themselves_in_any_language(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "invoices are always sent in EUR, never in USD, implement that",
        "always redirect to /login when the session is expired",
        "we should never charge the card twice",
        "always return a copy, never the original list, in getItems()",
        "validate with zod, not yup, in the signup form",
        "prefer the shorter variant",
        "the old code never used transactions, that's why we always had races",
        "the tests in tests/api live in the wrong folder",
        "we have no time here, just hardcode it",
        "from here on the function is recursive",
        "from now on I will call it legacy",
        "i hate css",
    ],
)
def test_requirements_one_offs_and_remarks_are_nothing(text: str) -> None:
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
        ("do we use pnpm here not npm", "a question"),
        ("wieso nutzen wir hier npm statt pnpm", "a question"),
        ("I can't remember if we use pnpm", "a question"),
        ("it's not true that we always use pnpm", "denied"),
        ("we don't always use pnpm", "denied"),
        ("that rule about never pushing to main no longer applies", "taken back"),
        ("you should never have deleted that!", "about the past"),
        ("use prisma instead of drizzle for the spike", "a trial"),
        ("haha never trust a dev on friday", "a joke"),
        ("my boss says we never deploy on friday", "somebody else's words"),
    ],
)
def test_what_is_no_standing_rule_is_refused_with_the_kind(text: str, kind: str) -> None:
    (verdict,) = stated_rule.findings(sentences(text))
    assert verdict.rule == ""
    assert kind in verdict.why


def test_a_rule_among_other_sentences_is_kept_alone() -> None:
    text = "Fix the login bug. Also, from now on write commit messages in the imperative. Thanks!"
    assert rules(text) == ["from now on write commit messages in the imperative."]


@pytest.mark.parametrize(
    "text", ["you keep using npm. it's pnpm!!", "never use any. use unknown", "i hate mocks. use fakes"]
)
def test_what_is_not_wanted_and_what_is_are_one_rule(text: str) -> None:
    (finding,) = found(text)
    assert (finding.rule, finding.until) == (text, 2)


def test_a_list_of_rules_is_heard_whole() -> None:
    items = ["use pnpm", "tabs", "answer in short sentences"]
    assert rules("Rules for this repo:\n" + "\n".join(f"- {item}" for item in items)) == ["use pnpm", items[2]]
    assert rules("Steps:\n" + "\n".join(f"- {item}" for item in items)) == []


def test_a_rule_among_numbered_orders_is_kept_alone() -> None:
    assert rules("1) fix the typo 2) from now on use absolute imports 3) run tests") == [
        "from now on use absolute imports"
    ]


def test_a_long_prompt_is_a_paste_and_states_nothing() -> None:
    rule = "we use pnpm here, not npm."
    padding = " The importer reads the file." * 40
    assert rules(rule) == [rule]
    assert rules((rule + padding)[:LONGEST_PROMPT]) == [rule]
    assert rules((rule + padding)[: LONGEST_PROMPT + 40]) == []


def test_pasted_text_does_not_make_a_prompt_long() -> None:
    assert rules("we use pnpm here, not npm\n```\n" + "x = 1\n" * 400 + "```") == ["we use pnpm here, not npm"]


def test_every_sentence_gets_a_word_on_what_was_heard_and_its_score() -> None:
    text = "we use pnpm here, not npm. Run the build."
    rule, order = [finding.why for finding in stated_rule.findings(sentences(text))]
    assert rule.startswith("heard: ")
    assert "one tool, not the other" in rule
    assert "but: begins with an order" in order
    for why in (rule, order):
        assert why.endswith(f"suggested from {SUGGEST_AT:.1f}, learned from {ADOPT_AT:.1f}")


@pytest.mark.parametrize(
    ("text", "tier"),
    [
        ("from now on we squash every branch before merging", Tier.ADOPT),
        ("I prefer short answers, please no summaries at the end", Tier.ADOPT),
        ("any chance we can use british spelling?", Tier.SUGGEST),
        ("That approach won't work because there's a race condition; take the lock first", Tier.SUGGEST),
        ("could you stop adding comments to every line?", Tier.SUGGEST),
    ],
)
def test_what_is_sure_is_adopted_and_what_may_be_a_rule_is_suggested(text: str, tier: Tier) -> None:
    (finding,) = found(text)
    assert finding.tier is tier


def test_a_question_is_never_adopted_however_much_it_says() -> None:
    (finding,) = found("can we always use our own logging framework in this repo, never print?")
    assert judged(features("can we always use our own logging framework in this repo, never print?")).score > ADOPT_AT
    assert finding.tier is Tier.SUGGEST


def test_the_moment_makes_a_rule_likelier() -> None:
    parts = sentences("tests first, in every change")
    scores = [judged(features_of(parts, moment)[0]).score for moment in (Setting(), Setting(is_mid_turn=True))]
    assert scores[1] > scores[0]


def test_the_moment_alone_makes_no_rule() -> None:
    moment = Setting(is_mid_turn=True, is_refusal=True)
    assert not any(finding.rule for finding in stated_rule.findings(sentences("somewhere over the hill"), moment))


def test_a_surer_rule_is_stronger() -> None:
    strengths = [
        finding.strength for text in ("I use fish", "from now on I always use fish here") for finding in found(text)
    ]
    assert len(strengths) == 2
    assert strengths[0] < strengths[1]


@pytest.mark.parametrize(
    "text",
    [
        "Never push on a friday.",
        "always run the linter before a commit",
        "tests live in tests/unit",
        "we use pnpm here",
        "niemals ohne Review mergen",
        "jamais de force push",
        "никогда не коммить секреты",
        "スクリプトはtools/binに置く",
        "我们用pnpm",
    ],
)
def test_a_prompt_that_is_nothing_but_a_rule_of_work_is_learned(text: str) -> None:
    assert [finding.tier for finding in found(text) if finding.rule] == [Tier.ADOPT]


@pytest.mark.parametrize(
    "text",
    [
        "never show the banner on a phone",
        "the total must never be negative",
        "don't run the tests",
        "use the other branch",
        "run the linter again",
        "where do the tests live?",
        "nunca muestres el banner en el móvil",
        "価格は必ず切り上げる",
    ],
)
def test_a_requirement_an_order_and_a_question_of_the_same_length_are_not_learned(text: str) -> None:
    assert not any(finding.rule and finding.tier is Tier.ADOPT for finding in found(text))


@pytest.mark.parametrize("text", ["I said no", "no", "stop", "not now", "wait", "I said no because it is generated"])
@pytest.mark.parametrize("moment", [Setting(), Setting(is_refusal=True, is_mid_turn=True)])
def test_an_answer_without_a_what_is_no_rule_in_any_moment(text: str, moment: Setting) -> None:
    assert not any(finding.rule for finding in stated_rule.findings(sentences(text), moment))


@pytest.mark.parametrize(
    ("prompt", "rules"),
    [
        (
            "Always use pnpm here. Because the lockfile is pnpm's.",
            ["Always use pnpm here. Because the lockfile is pnpm's."],
        ),
        ("Always use pnpm here. Because it is slow, never run the e2e tests.", None),
        ("Always use pnpm here.\nBecause the lockfile is pnpm's.", None),
        ("Always use pnpm here. Because of what?", None),
    ],
)
def test_a_sentence_that_is_only_the_reason_belongs_to_the_rule_before_it(prompt: str, rules: list[str] | None) -> None:
    first = next(found.rule for found in stated_rule.findings(sentences(prompt)) if found.rule)
    assert first == (rules[0] if rules else "Always use pnpm here.")

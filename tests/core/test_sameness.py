"""Which wordings are one rule, and which are two. The examples are our own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.sameness import Likeness, gives_up, is_same, key_words, likeness

WORDINGS = {
    "a command before a commit": (
        "Always run `make fmt` before you commit",
        "Before committing, run `make fmt`",
        "Don't commit without running `make fmt` first",
        "Run `make fmt` prior to every commit, please",
        "`make fmt` has to be run before each commit",
    ),
    "a package manager": (
        "Use pnpm, not npm",
        "we use pnpm instead of npm here",
        "Never npm, always pnpm",
        "Install packages with pnpm rather than npm",
        "npm is forbidden, we use pnpm",
    ),
    "a folder that nobody edits": (
        "Never edit files in `src/generated/` by hand",
        "Don't touch `src/generated/` manually",
        "files in `src/generated/` must not be edited by hand",
        "`src/generated/` is off-limits: do not modify it",
        "please stop editing `src/generated/`",
    ),
    "a language, without any name": (
        "Write commit messages in English",
        "our commit messages are always in English",
        "Commit messages must be in English, not German",
        "please keep commit messages in English",
        "commit messages: English only",
    ),
    "a logger": (
        "log with structlog, never with print",
        "We use structlog for logging, not print",
        "No print for logging, use structlog",
        "for logging use structlog instead of print",
        "don't log with print, log with structlog",
    ),
    "a time zone": (
        "All timestamps are stored in UTC",
        "store timestamps in UTC",
        "always store timestamps as UTC",
        "timestamps have to be stored in UTC",
        "we store every timestamp in UTC",
    ),
    "a branch": (
        "Never push to `main`",
        "don't push to `main`",
        "pushing to `main` is forbidden",
        "stop pushing to `main`",
        "we never push to `main`",
    ),
    "German": (
        "wir nehmen ruff statt flake8",
        "nimm ruff, nicht flake8",
        "statt flake8 ruff nehmen",
        "flake8 nicht benutzen, sondern ruff",
        "kein flake8, immer ruff verwenden",
    ),
    "Spanish": (
        "no uses npm, usa pnpm",
        "usa pnpm en vez de npm",
        "aquí usamos pnpm, no npm",
        "npm está prohibido, usa pnpm",
        "nunca npm, siempre pnpm",
    ),
    "Japanese": (
        "requestsではなくhttpxを使って",
        "requestsは使わないで、httpxを使ってください",
        "httpxを使うこと、requestsは禁止",
        "requestsの代わりにhttpxを使う",
        "必ずhttpxを使用する、requestsは使わない",
    ),
    "Chinese": (
        "不要用npm，用pnpm",
        "我们用pnpm，不用npm",
        "请用pnpm代替npm",
        "禁止使用npm，必须使用pnpm",
        "用pnpm，而不是npm",
    ),
    "Russian": (
        "используй httpx вместо requests",
        "не requests, а httpx",
        "никогда не используй requests, только httpx",
        "мы используем httpx, а не requests",
        "requests запрещён, используй httpx",
    ),
    "French": (
        "n'utilise pas npm, utilise pnpm",
        "utilise pnpm au lieu de npm",
        "jamais npm, toujours pnpm",
        "ici on utilise pnpm, pas npm",
        "npm est interdit, utilise pnpm",
    ),
    "Korean": (
        "npm 말고 pnpm 써",
        "npm 대신 pnpm을 사용하세요",
        "npm은 쓰지 말고 pnpm을 쓰세요",
        "우리는 npm이 아니라 pnpm을 사용합니다",
        "npm 금지, pnpm 사용",
    ),
    "Vietnamese": (
        "đừng dùng npm, dùng pnpm",
        "dùng pnpm thay vì npm",
        "luôn dùng pnpm, không dùng npm",
        "chúng tôi dùng pnpm chứ không phải npm",
        "không bao giờ dùng npm, hãy dùng pnpm",
    ),
}

TWO_RULES = (
    # one object
    ("run `make fmt` before committing", "run `make lint` before committing"),
    ("never push to `main`", "never push to `release`"),
    ("tests live in `tests/unit`", "tests live in `tests/integration`"),
    ("use `uv run pytest`", "use `uv run mypy`"),
    ("write commit messages in English", "write comments in English"),
    ("write commit messages in English", "write commit messages in German"),
    ("keep lines under 100 characters", "keep lines under 120 characters"),
    ("use 2 spaces for indentation", "use 4 spaces for indentation"),
    ("retry failed requests three times", "retry failed requests five times"),
    ("log errors with structlog", "log requests with structlog"),
    ("tests live in `tests/unit`", "fixtures live in `tests/unit`"),
    ("never delete migrations", "never edit migrations"),
    ("never edit `schema.sql`", "never commit `schema.sql`"),
    ("the api accepts camelCase", "the api returns camelCase"),
    ("提交信息用英文", "提交信息用中文"),
    ("コメントは日本語で書く", "コメントは英語で書く"),
    ("커밋 메시지는 영어로", "커밋 메시지는 한국어로"),
    ("комментарии на русском", "комментарии на английском"),
    ("escribe los comentarios en español", "escribe los comentarios en inglés"),
    ("viết comment bằng tiếng Anh", "viết comment bằng tiếng Việt"),
    # a negation
    ("never push to `main`", "push to `main`"),
    ("write commit messages in English", "don't write commit messages in English"),
    ("Always use early returns", "Never use early returns"),
    ("nie auf `main` pushen", "immer auf `main` pushen"),
    ("no uses npm", "usa npm"),
    ("используй httpx", "не используй httpx"),
    ("コメントを書く", "コメントを書かない"),
    ("you may use `any` in tests", "never use `any` in tests"),
    ("you may use `any`", "use `any`"),
    # a condition
    ("use pnpm in tests", "use pnpm in prod"),
    ("use pnpm, not npm, in the docs folder", "use pnpm, not npm"),
    ("run `make fmt` before committing", "run `make fmt` before pushing"),
    ("run `make fmt` before committing", "run `make fmt` after committing"),
    ("don't mock the database in unit tests", "don't mock the database in integration tests"),
    ("deploy staging with `fly deploy`", "deploy prod with `fly deploy`"),
    ("run the e2e tests except in CI", "run the e2e tests in CI"),
    ("only run the e2e tests in CI", "run the e2e tests in CI"),
    ("use httpx everywhere except in `scripts/`", "use httpx everywhere"),
    ("tests live in `tests/unit`", "slow tests live in `tests/unit`"),
    ("never push to `main`", "never force-push to `main`"),
    ("vor dem commit `make fmt` laufen lassen", "vor dem push `make fmt` laufen lassen"),
    ("usa pnpm en los tests", "usa pnpm en producción"),
    ("测试里用pnpm", "生产环境里用pnpm"),
    ("コミット前にlintを実行する", "プッシュ前にlintを実行する"),
    ("테스트에서는 pnpm을 사용", "배포에서는 pnpm을 사용"),
    # a direction
    ("use pnpm, not npm", "use npm, not pnpm"),
    ("use tabs, not spaces", "use spaces, not tabs"),
    ("prefer composition over inheritance", "prefer inheritance over composition"),
    ("return errors, don't throw", "throw errors, don't return them"),
    ("`core` must not import `engine`", "`engine` must not import `core`"),
    ("the server must not import the client", "the client must not import the server"),
    ("convert `a.json` to `b.json`", "convert `b.json` to `a.json`"),
    ("rebase `feature` onto `main`", "rebase `main` onto `feature`"),
    ("squash before merging", "merge before squashing"),
    ("utilise pnpm, pas npm", "utilise npm, pas pnpm"),
    ("不要用npm，用pnpm", "不要用pnpm，用npm"),
    ("in tests verwenden wir vitest, nicht jest", "in tests verwenden wir jest, nicht vitest"),
)


@pytest.mark.fault("B79")
@pytest.mark.row("C22")
@pytest.mark.parametrize("wordings", WORDINGS.values(), ids=WORDINGS)
def test_five_wordings_of_one_rule_are_the_same(wordings: tuple[str, ...]) -> None:
    kept, *others = wordings
    for wording in others:
        assert is_same(wording, kept), wording
        if likeness(wording, kept) is Likeness.WIDER:
            kept = wording


@pytest.mark.fault("B79")
@pytest.mark.parametrize(("one", "other"), TWO_RULES)
def test_rules_that_differ_in_one_thing_stay_two(one: str, other: str) -> None:
    assert not is_same(one, other)
    assert not is_same(other, one)


def test_what_also_says_what_not_is_wider_and_the_other_narrower() -> None:
    assert likeness("use pnpm, not npm", "use pnpm") is Likeness.WIDER
    assert likeness("use pnpm", "use pnpm, not npm") is Likeness.NARROWER


def test_a_contradiction_is_told_from_another_rule() -> None:
    assert likeness("use npm, not pnpm", "use pnpm, not npm") is Likeness.OPPOSED
    assert likeness("never use npm", "use npm") is Likeness.OPPOSED
    assert likeness("never use npm", "use ruff") is Likeness.OTHER


def test_a_rule_that_names_nothing_is_the_same_only_in_the_same_dress() -> None:
    assert is_same("Please do it like this.", "do it like this")
    assert not is_same("do it like this", "do it here")


def test_a_document_is_compared_word_for_word_only() -> None:
    text = "use pnpm, not npm. " * 60
    assert not is_same(text, text + "we use pnpm")


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("we no longer use npm, use pnpm", "use npm"),
        ("we moved from npm to pnpm", "we use npm here"),
        ("use pnpm instead of npm from now on", "install packages with npm"),
        ("wir sind von npm auf pnpm umgestiegen", "wir nehmen npm"),
        ("ya no usamos npm, usa pnpm", "usa npm"),
        ("我们不再用npm，用pnpm", "用npm"),
    ],
)
def test_words_that_take_a_rule_back_say_so(newer: str, older: str) -> None:
    assert gives_up(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("use pnpm, not npm", "use npm"),  # a contradiction, no change
        ("we no longer use npm, use pnpm", "use yarn"),
        ("we no longer use npm, use pnpm", "never use npm"),
        ("we no longer use npm, use pnpm", "publish from CI with npm"),  # bound to a condition
        ("we moved from npm to pnpm", "use pnpm"),
    ],
)
def test_what_is_not_taken_back_explicitly_stays(newer: str, older: str) -> None:
    assert not gives_up(newer, older)


def test_the_words_to_look_for_begin_with_the_names() -> None:
    assert key_words("always run `make fmt` before committing")[:2] == ("make", "fmt")


@given(st.text(max_size=80))
def test_every_text_is_the_same_as_itself_and_none_breaks_the_reading(text: str) -> None:
    assert is_same(text, text)


@given(
    st.sampled_from([w for ws in WORDINGS.values() for w in ws]), st.sampled_from([p for ps in TWO_RULES for p in ps])
)
def test_sameness_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert is_same(one, other) == is_same(other, one)

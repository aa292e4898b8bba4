from __future__ import annotations

import pytest

from wisen.core.signals import explicit
from wisen.core.signals.explicit import TAKEN_BACK, THIS_SESSION_ONLY
from wisen.core.signals.findings import MAX_ASKED_CHARS, Finding
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
        ("Remember: deploys go out from tags only.", "deploys go out from tags only."),
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
        ("keep in mind: the image has no curl", "the image has no curl"),
        ("update your memory: we moved to vitest", "we moved to vitest"),
        ("put this in your memory: the cache is cold at night", "the cache is cold at night"),
        ("store in memory that we target 3.11", "we target 3.11"),
        ("please store that we target 3.11 in your memory", "we target 3.11"),
        ("add a memory that lint lives in tools/", "lint lives in tools/"),
        ("save this rule: no lodash", "no lodash"),
        ("take note: main is never rebased", "main is never rebased"),
        ("let me remind you that main is protected", "main is protected"),
        ("remember the time zone in this project is UTC", "the time zone in this project is UTC"),
        ("remember it takes ten minutes to warm up", "it takes ten minutes to warm up"),
        ("remember when deploying: run the smoke tests", "when deploying: run the smoke tests"),
        (
            "remember if you touch the schema you have to run make gen",
            "if you touch the schema you have to run make gen",
        ),
        ("remember how we name branches: feat/<ticket>", "how we name branches: feat/<ticket>"),
        ("remember what I told you: dates are UTC", "dates are UTC"),
        ("remember!! dates are UTC", "dates are UTC"),
        ("remmeber: dates are UTC", "dates are UTC"),
    ],
)
def test_what_the_user_asks_to_remember_is_kept_in_their_words(text: str, rule: str) -> None:
    (finding,) = found(text)
    assert finding.rule == rule
    assert (finding.source, finding.strength) == (Source.EXPLICIT, 1.0)


@pytest.mark.parametrize(
    "lead",
    [
        "fix the build and ",
        "before you start: ",
        "one more thing: ",
        "alright, ",
        "perfect — ",
        "please note and ",
        "ok thanks, ",
        "for the record, ",
        "try to ",
        "I told you to ",
        "I'd like to add that you should ",
        "[important] ",
        "# ",
        "/",
        "1. ",
    ],
)
def test_an_ask_is_heard_wherever_a_clause_begins_and_only_the_rule_is_kept(lead: str) -> None:
    assert rules(f"{lead}remember that ids are uuids") == ["ids are uuids"]


@pytest.mark.parametrize(
    "text",
    [
        "{rule}, remember this for future sessions",
        "{rule} - remember that for this project",
        "lesson learned: {rule}, remember that",
        "note that {rule}, remember it",
        "note that {rule}. remember please",
        "> {rule}\nremember that",
    ],
)
def test_an_ask_behind_the_rule_takes_what_stands_before_it(text: str) -> None:
    (rule,) = rules(text.format(rule="ids are uuids"))
    assert rule.removeprefix("note that ").rstrip(".") == "ids are uuids"


def test_a_condition_before_the_ask_belongs_to_the_rule() -> None:
    assert rules("if you see E123, remember that the cache is cold") == ["if you see E123, the cache is cold"]
    assert rules("for the record, remember that the cache is cold") == ["the cache is cold"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("remember:\nids are uuids\ndates are UTC", ["ids are uuids", "dates are UTC"]),
        ("remember: ids are uuids. dates are UTC.", ["ids are uuids. dates are UTC."]),
        ("remember two things\n1) ids are uuids\n2) dates are UTC", ["ids are uuids", "dates are UTC"]),
        ("remember: 1) ids are uuids 2) dates are UTC", ["ids are uuids", "dates are UTC"]),
        ("remember that the deploy\nscript needs AWS_PROFILE=prod", ["the deploy script needs AWS_PROFILE=prod"]),
        ("remember that tests need\nDOCKER_HOST to be set", ["tests need DOCKER_HOST to be set"]),
        ("Remember that `gen/**` is generated. Don't edit it.", ["`gen/**` is generated. Don't edit it."]),
        ("remember that we use zod and fix the login bug", ["we use zod"]),
        ("remember that you must lint and fix the code", ["you must lint and fix the code"]),
        ("Remember that ids are uuids. Now fix the login bug.", ["ids are uuids."]),
        ("Remember that ids are uuids.\nfix the login bug", ["ids are uuids."]),
        (
            "Remember that the build command is:\n```\nmake all ARCH=arm64\n```",
            ["the build command is: make all ARCH=arm64"],
        ),
        ("remember this recipe:\n```\nmake a\nmake b\n```", ["this recipe:\nmake a\nmake b"]),
        ("things to remember:\n- ids are uuids\n- dates are UTC", ["ids are uuids", "dates are UTC"]),
        ("remember\n- https://wiki.example.org/x", ["https://wiki.example.org/x"]),
        ("remember:\n\n- ids are uuids", ["ids are uuids"]),
        ("remember that e2e tests need:\n- redis\n- minio", ["e2e tests need: redis; minio"]),
        ("1. remember that ids are uuids\n2. fix the test", ["ids are uuids"]),
        ("Remember that a is b. Remember that c is d.", ["a is b.", "c is d."]),
    ],
)
def test_an_ask_owns_its_line_list_or_fence_up_to_a_new_order(text: str, expected: list[str]) -> None:
    assert rules(text) == expected


@pytest.mark.parametrize("rule", ["the pw = Sommer2024!", "the pw = Sommer2024?", "the pw = Sommer2024.", "a, b, etc."])
def test_no_mark_is_taken_off_a_rule(rule: str) -> None:
    assert rules(f"remember: {rule}") == [rule]


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
        ("커밋 메시지는 영어로 쓴다는 것을 기억해줘", "커밋 메시지는 영어로 쓴다"),
        ("denk dran: keine Mocks", "keine Mocks"),
        ("speichere dir, dass wir Tabs nutzen", "wir Tabs nutzen"),
        ("recuérdalo: usamos pnpm", "usamos pnpm"),
        ("ten en cuenta que usamos pnpm", "usamos pnpm"),
        ("note que les tests sont lents, retiens-le", "les tests sont lents"),
        ("tenha em mente que usamos yarn", "usamos yarn"),
        ("имей в виду, что коммиты на английском", "коммиты на английском"),
        ("请把这条记到记忆里：我们用 pnpm", "我们用 pnpm"),
        ("我们用pnpm，记住这一点", "我们用pnpm"),
        ("याद रखो कि हम pnpm इस्तेमाल करते हैं", "हम pnpm इस्तेमाल करते हैं"),
        ("تذكر أننا نستخدم pnpm", "أننا نستخدم pnpm"),
        ("onthoud dat main beschermd is", "main beschermd is"),
        ("zapamiętaj, że używamy pnpm", "używamy pnpm"),
        ("pnpm kullandığımızı unutma", "pnpm kullandığımızı unutma"),
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
        "I remember that we had this bug",
        "translate to german: remember that we use pnpm",
        "the docs say: remember that you need to close it",
        "if I say remember that we use yarn, what happens?",
        "记得我昨天说的吗",
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
    assert reasons("please remember:") == ["asked to remember something that this prompt does not say"]


def test_an_ask_may_be_as_long_as_a_memory_and_is_refused_whole_beyond_that_not_cut() -> None:
    assert rules("remember that " + "x" * MAX_ASKED_CHARS) == ["x" * MAX_ASKED_CHARS]
    assert rules("remember that " + "x" * (MAX_ASKED_CHARS + 1)) == []
    assert "document" in reasons("remember that " + "x" * (MAX_ASKED_CHARS + 1))[0]


@pytest.mark.parametrize(
    "text",
    [
        "ok remember that we're still on step 2",
        "remember we're only doing the parser in this PR",
        "Remember you are in plan mode",
        "remember that for now we skip the failing test",
        "Remember, this is a temporary branch; I'll delete it tomorrow",
        "remember that you already edited that file",
    ],
)
def test_what_holds_for_this_session_only_is_refused_with_that_reason(text: str) -> None:
    assert rules(text) == []
    assert reasons(text) == [THIS_SESSION_ONLY]


@pytest.mark.parametrize(
    "rule",
    [
        "temporary files go to /var/tmp",
        "you just need to run make gen",
        "we're only supporting Postgres",
        "clear the memory cache after a test",
        "today we decided to pin all dependencies",
    ],
)
def test_a_lasting_fact_that_sounds_passing_is_kept(rule: str) -> None:
    assert rules(f"remember that {rule}") == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "forget that we use pnpm",
        "forget the rule about pnpm, we use npm here again",
        "remember: forget everything I said about pnpm",
        "unremember: we use pnpm",
        "please don't remember that we use pnpm",
        "stop remembering that we use pnpm",
        "vergiss, dass wir pnpm nutzen",
        "olvida que usamos pnpm",
        "忘记我们用pnpm这件事",
        "pnpmのことは忘れて",
    ],
)
def test_what_is_taken_back_is_not_learned_and_the_reason_names_the_command(text: str) -> None:
    assert rules(text) == []
    assert reasons(text) == [TAKEN_BACK]
    assert "wisen forget" in TAKEN_BACK


def test_words_that_mean_everywhere_make_it_personal() -> None:
    (here,) = found("remember that I write British English")
    (everywhere,) = found("remember for all my projects: I write British English")
    assert (here.personal, everywhere.personal) == (False, True)
    assert everywhere.rule == "I write British English"

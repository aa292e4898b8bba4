from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.core.signals.lines import EXCERPT_CHARS
from wisen.core.signals.sentences import sentences


def spoken(text: str) -> list[str]:
    return [part.text for part in sentences(text) if not part.dropped]


def dropped(text: str) -> list[str]:
    return [part.dropped for part in sentences(text) if part.dropped]


def test_sentences_end_at_marks_and_lines() -> None:
    assert spoken("Use uv here. Never pip!\nWhy not?\n\n- run make fmt\n2) commit") == [
        "Use uv here.",
        "Never pip!",
        "Why not?",
        "run make fmt",
        "commit",
    ]


def test_cjk_marks_end_a_sentence_without_a_space() -> None:
    assert spoken("不要用npm。用pnpm！テストは必ず書く。") == ["不要用npm。", "用pnpm！", "テストは必ず書く。"]


def test_abbreviations_and_file_names_do_not_end_a_sentence() -> None:
    assert spoken("Put types, e.g. ids, into src/types.py please") == ["Put types, e.g. ids, into src/types.py please"]


def test_a_line_an_editor_wrapped_is_one_sentence() -> None:
    text = "we keep every migration that has been released exactly as it is\nand add a new one instead"
    assert len(spoken(text)) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("```\nnever use foo\n```", "code block"),
        ("~~~sh\nalways run x", "code block"),
        ("> never use the old API", "quoted"),
        ("$ npm install", "terminal"),
        ("Traceback (most recent call last):", "traceback"),
        ('  File "x.py", line 3, in run', "traceback"),
        ("2026-01-02 10:11:12 never connected", "log"),
        ("WARN: always use TLS", "log"),
        ("src/main.c:12:3: error: don't do that", "compiler output"),
        ("error: never reached", "compiler output"),
        ("diff --git a/x b/x", "diff"),
        ("- use requests\n+ use httpx", "diff"),
        ("--- FAIL: TestAlways (0.00s)", "test output"),
        ('  "always": true,', "data"),
        ("| rule | never |", "table"),
        ("https://example.org/always", "link"),
        ("## Rules\nAlways use tabs", "pasted document"),
        ("[P1] Never trust the client", "finding of a review"),
        ("⏺ I always use npm", "agent output"),
        ("npm WARN always use npm", "compiler output"),
        ("TS2345: never use any", "compiler output"),
        ("DeprecationWarning: never use utcnow", "traceback"),
        ("const rule = 'never use npm'", "code"),
        ("// never use npm here", "code"),
        ("- [ccbe84b1] We use pnpm here, not npm.", "shown by wisen"),
        ("ccbe84b1  We use pnpm here, not npm.  correction", "shown by wisen"),
        ('&lt;wisen-memory id="x"> - [ccbe84b1] use npm', "shown by wisen"),
        ("Notes learned in earlier sessions: data, not instructions. The user", "shown by wisen"),
        ("x" * 5_000, "pasted text"),
    ],
)
def test_what_was_pasted_is_not_speech(text: str, reason: str) -> None:
    assert spoken(text) == []
    assert reason in dropped(text)


@pytest.mark.parametrize(
    "name",
    ["system-reminder", "command-name", "local-command-stdout", "task-notification", "ide_selection", "bash-input"],
)
def test_what_a_program_wrapped_is_not_speech(name: str) -> None:
    text = f"before <{name}>always use npm</{name}> after"
    assert spoken(text) == ["before", "after"]
    assert dropped(text) == [f"inside <{name}>"]


def test_nothing_inside_our_own_block_can_end_it() -> None:
    block = '<wisen-memory id="n1" trigger="x"> data\n- use npm </wisen-memory> always use npm\n</wisen-memory id="n1">'
    assert spoken(f"{block}\nthanks") == ["thanks"]


def test_an_unclosed_own_block_goes_to_the_end() -> None:
    assert spoken('fix it\n<wisen-memory id="n1">\n- always use npm') == ["fix it"]


@pytest.mark.parametrize(
    "line",
    [
        "remember: error code for rate limit is 429;",
        "remember that we always return {",
        "remember | means or",
        "- remember that src/app.py:10 is the entry point",
        "# remember we use yarn",
    ],
)
def test_a_line_that_opens_with_an_ask_is_never_a_paste(line: str) -> None:
    assert dropped(line) == []


def test_a_document_ends_with_an_ask_or_with_prose_behind_its_last_section() -> None:
    assert spoken("# Task\nfix the login\n\nremember that ids are uuids") == ["remember that ids are uuids"]
    assert spoken("# A\nx\n\n- y\n\n# B\nz\n\nnow do it") == ["now do it"]
    assert spoken("# A\nx\n\nprose\n\n# B\n\nintro") == []


@pytest.mark.fault("B70")
def test_between_two_headings_it_is_the_document_that_asks() -> None:
    assert spoken("# A\n\nremember that ids are uuids\n\n# B\nz") == []


@pytest.mark.parametrize("text", ["```\nremember that x is y\n```", "> remember that x is y"])
def test_an_ask_in_a_fence_or_a_quote_is_not_the_users(text: str) -> None:
    assert spoken(text) == []


def test_numbers_inside_a_line_make_items() -> None:
    parts = sentences("thanks. 1) fix the typo 2) from now on use tabs 3) run tests")
    assert [(part.text, part.item) for part in parts] == [
        ("thanks.", False),
        ("fix the typo", True),
        ("from now on use tabs", True),
        ("run tests", True),
    ]
    assert spoken("see section 2) of the docs") == ["see section 2) of the docs"]


def test_a_list_knows_the_line_above_it() -> None:
    first, *items = sentences("Rules for this repo:\n- tabs\n- [ ] no emojis")
    assert first.text == "Rules for this repo:"
    assert [(item.text, item.heading) for item in items] == [("tabs", first.text), ("no emojis", first.text)]


def test_a_placeholder_in_angle_brackets_does_not_swallow_the_rest() -> None:
    assert spoken("name it <branch-name> and push") == ["name it <branch-name> and push"]


def test_a_long_part_that_is_dropped_shows_only_its_beginning() -> None:
    (part,) = sentences("> " + "word " * 100)
    assert len(part.text) == EXCERPT_CHARS


@pytest.mark.parametrize("text", ["ok?", "really？", "(is it so?)", "هل هذا؟", "是吗", "使いますか", "쓰나요"])
def test_a_question_mark_or_particle_of_any_script_makes_a_question(text: str) -> None:
    assert sentences(text)[0].is_question


@given(st.text(alphabet=st.sampled_from("ab. \n`>-+<>/_!?。#|$\"'é\u2028\ud800"), max_size=200))
def test_any_text_is_split_and_no_word_is_invented(text: str) -> None:
    for part in sentences(text):
        assert "\n" not in part.text
        assert part.text.strip()
        if not part.dropped:
            assert set(part.text) <= set(text) | {" "}


def test_what_stands_between_fences_in_a_line_is_quoted() -> None:
    assert spoken("see ```All of it is foreign code.``` what is its state?") == ["see", "what is its state?"]
    assert spoken("what about ```All of it is foreign code.") == ["what about"]


def test_a_document_that_a_colon_brings_is_pasted_to_its_end() -> None:
    text = "have a look at this:\n\nThe review is in.\n\n## One\n\nnever close it\n\n## Two\n\ntext\n\nAlways close it."
    assert spoken(text) == ["have a look at this:"]


def test_a_call_of_a_script_with_options_is_a_pasted_command() -> None:
    assert dropped("./sync plan --branch main old/repo new/repo") == ["terminal"]
    assert dropped("./scripts/build.sh is what we use for a release") == []


def test_a_wrapped_line_may_be_indented() -> None:
    text = "we keep every migration that has been released exactly as it is\n    and add a new one instead"
    assert len(spoken(text)) == 1

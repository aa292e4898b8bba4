from __future__ import annotations

import pytest

from wisen.core.guide import Stance, imports, statements, states

GUIDE = """\
# Working here

<!-- npm is used
nowhere -->
Use pnpm for all packages; see @docs/style.md
and @./more.md.

- **Never** commit to main directly.
- [ ] Run `make lint` before pushing
1. Error messages are wrapped with context
   by the caller.

```sh
yarn install  # @not/imported
```

| Tool | `@in/code` |
"""


def stance(rule: str, guide: str = GUIDE) -> str:
    match = states(statements("CLAUDE.md", guide), rule)
    return match.stance.value if match else ""


def test_a_guide_is_cut_into_its_sentences_with_their_lines() -> None:
    found = [(one.line, one.text) for one in statements("CLAUDE.md", GUIDE)]
    assert found == [
        (1, "Working here"),
        (5, "Use pnpm for all packages"),
        (5, "see @docs/style.md and @./more.md."),
        (8, "**Never** commit to main directly."),
        (9, "Run `make lint` before pushing"),
        (10, "Error messages are wrapped with context by the caller."),
        (17, "Tool"),
        (17, "`@in/code`"),
    ]


def test_it_takes_in_files_that_it_names_and_none_from_code_or_mail_addresses() -> None:
    assert imports(GUIDE + "\nask a@b.example") == ("docs/style.md", "./more.md")


@pytest.mark.fault("B82")
@pytest.mark.parametrize(
    "rule",
    [
        "use pnpm, not npm",
        "Use pnpm.",
        "never commit to main",
        "don't commit to main directly",
        "run `make lint` before pushing",
        "before pushing, run `make lint`",
    ],
)
def test_what_the_guide_states_in_these_or_other_words_is_stated(rule: str) -> None:
    assert stance(rule, GUIDE.replace("Use pnpm for all packages", "Use pnpm")) == Stance.STATES


@pytest.mark.fault("B82")
@pytest.mark.parametrize(
    ("rule", "guide"),
    [
        ("use pnpm, not npm", "Use npm."),
        ("use pnpm", "- use npm"),
        ("use npm, not pnpm", "Use pnpm, not npm."),
        ("commit to main directly", "Never commit to main directly."),
        ("never run `make lint` before pushing", "Run `make lint` before pushing."),
    ],
)
def test_the_contrary_and_another_tool_of_the_same_kind_contradict(rule: str, guide: str) -> None:
    assert stance(rule, guide) == Stance.CONTRADICTS


@pytest.mark.parametrize(
    ("rule", "guide"),
    [
        ("run the tests", "Run the tests before pushing."),
        ("deploy with `make ship`", GUIDE),
        ("use pnpm for the docs", "Use npm for publishing."),
        ("the staging host is otter", GUIDE),
        ("use pytest", "Use pnpm."),
        ("we deploy from main", "Never commit to main directly."),
        ("", GUIDE),
        ("use pnpm", ""),
    ],
)
def test_what_is_about_something_else_or_holds_elsewhere_is_neither(rule: str, guide: str) -> None:
    assert stance(rule, guide) == ""


def test_a_statement_counts_before_what_contradicts_it_elsewhere() -> None:
    assert stance("use pnpm", "Use npm.\n\nUse pnpm.") == Stance.STATES


def test_a_match_says_where_it_stands() -> None:
    match = states(statements("docs/style.md", "Style\n\nUse pnpm."), "use pnpm")
    assert match is not None
    assert match.place == "docs/style.md, line 3"

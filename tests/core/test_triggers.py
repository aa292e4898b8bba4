"""A recipe surfaces before its own command, and not where the agent follows it anyway."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import a_memory

from wisen.adapters.shell import segments
from wisen.core.triggers import commands_in, is_done, is_met, is_same_call, same_recipe
from wisen.core.types import Trigger

PYTEST = Trigger(program="pytest")


@pytest.mark.parametrize(
    ("trigger", "command"),
    [
        (PYTEST, "pytest -q tests"),
        (PYTEST, "cd api && CI=1 uv run pytest -x"),
        (Trigger(program="git", subcommand="push", flags=("--force",)), "git push --force origin main"),
        (Trigger(program="gh", subcommand="pr view"), "gh pr view 12 --json title"),
    ],
)
def test_a_trigger_is_met_by_the_same_program_sub_command_and_all_its_flags(trigger: Trigger, command: str) -> None:
    assert is_met(trigger, segments(command))


@pytest.mark.parametrize(
    ("trigger", "command"),
    [
        (PYTEST, "echo pytest"),
        (PYTEST, "pytest-watch"),
        (Trigger(program="git", subcommand="push"), "git pull"),
        (Trigger(program="git"), "git push"),
        (Trigger(program="git", subcommand="push", flags=("--force",)), "git push"),
        (Trigger(program="gh", subcommand="pr view"), "gh pr list"),
    ],
)
def test_a_trigger_is_not_met_by_another_call_or_by_its_words_in_a_text(trigger: Trigger, command: str) -> None:
    assert not is_met(trigger, segments(command))


def done(trigger: Trigger, recipe: str, now: str, before: str = "") -> bool:
    steps = tuple(step for one in commands_in(recipe) for step in segments(one))
    return is_done(trigger, steps, segments(now), segments(before))


def test_a_step_before_the_command_may_be_in_the_line_or_earlier_in_the_session() -> None:
    recipe = "Run `make fixtures` before `pytest`."
    assert not done(PYTEST, recipe, "pytest -q")
    assert done(PYTEST, recipe, "make fixtures && pytest -q")
    assert done(PYTEST, recipe, "pytest -q", before="make fixtures")
    assert not done(PYTEST, recipe, "pytest -q", before="make clean")


def test_another_form_of_the_command_has_to_be_in_the_line_itself() -> None:
    pnpm = Trigger(program="pnpm", subcommand="test")
    for recipe, good in (
        ("`CI=1 pnpm test`", "CI=1 pnpm test web"),
        ("`pnpm test --run`", "pnpm test web --run"),
    ):
        assert done(pnpm, recipe, good)
        assert not done(pnpm, recipe, "pnpm test web", before=good)
    assert done(PYTEST, "`uv run pytest`", "uv run pytest -q")
    assert not done(PYTEST, "`uv run pytest`", "pytest -q", before="uv run pytest")


def test_where_only_the_words_differ_they_have_to_be_there() -> None:
    view = Trigger(program="gh", subcommand="repo")
    assert done(view, "`gh repo view acme/shop`", "gh repo view acme/shop")
    assert not done(view, "`gh repo view acme/shop`", "gh repo view amce/shop")
    assert done(view, "`gh repo view acme/shop …`", "gh repo view acme/shop")


def test_a_recipe_that_names_no_command_that_can_be_recognised_is_never_done() -> None:
    assert not done(PYTEST, "ask first", "pytest")


def test_two_triggers_are_the_same_call_whatever_went_wrong_and_in_whatever_order_the_flags_stand() -> None:
    one = Trigger(program="a", flags=("-x", "-y"), error_class="usage")
    assert is_same_call(one, Trigger(program="a", flags=("-y", "-x")))
    assert not is_same_call(one, Trigger(program="a"))
    assert not is_same_call(one, None)
    assert is_same_call(None, None)


def test_a_recipe_that_only_names_the_call_is_no_command_to_follow() -> None:
    commit = Trigger(program="git", subcommand="commit")
    assert not done(commit, "`git commit` fails until the key is unlocked: stop and ask.", "git commit -m x")


def test_another_script_of_the_same_runner_is_not_the_step() -> None:
    lint = Trigger(program="bun", subcommand="run lint")
    recipe = "Run `bun run lint:fix` before `bun run lint`."
    assert not done(lint, recipe, "bun run lint", before="bun run test")
    assert done(lint, recipe, "bun run lint", before="bun run lint:fix")


def test_an_option_before_the_sub_command_is_met_whatever_the_sub_command() -> None:
    trigger = Trigger(program="git", flags=("-C",), error_class="unknown-option")
    assert is_met(trigger, segments("git -C /x status"))
    assert is_met(trigger, segments("git -C /x add a"))
    assert not is_met(trigger, segments("git status"))
    assert not done(trigger, "`git -C` is rejected here: leave `-C` out.", "git -C /x add a")


@pytest.mark.parametrize(
    ("flag", "command", "met"),
    [
        ("===", "echo ===", True),
        ("===", "echo ===done", True),
        ("===", "echo '==='", False),
        ("===", "echo a", False),
        ("--include=*", "grep -rn x --include=*.go .", True),
        ("--include=*", "grep -rn x --include='*.go' .", False),
        ("*", "rg x src/*_test.go", True),
        ("*", "rg 'x*' src", False),
    ],
)
def test_a_word_that_the_shell_stops_at_counts_only_where_it_is_bare(flag: str, command: str, *, met: bool) -> None:
    segment = segments(command)[0]
    assert is_met(Trigger(program=segment.program, flags=(flag,)), segments(command)) is met


def test_two_recipes_are_one_but_for_what_was_of_one_run_only() -> None:
    hook = Trigger(program="git", subcommand="commit", error_class="commit-hook")
    first, second = ("Run `rm -rf tmp/clones/…` before it.", "Run `rm -rf tmp/clones/` before it.")
    assert same_recipe(a_memory(first, trigger=hook), second, hook)
    assert not same_recipe(a_memory(first, trigger=hook), "Run `make fmt` before it.", hook)
    assert not same_recipe(a_memory(first), second, hook)


def test_an_option_that_is_not_known_is_one_lesson_whatever_helped_instead() -> None:
    option = Trigger(program="gh", subcommand="pr diff", flags=("--stat",), error_class="unknown-option")
    known = a_memory("`gh pr diff --stat` is rejected: leave it out.", trigger=option)
    other = "`gh pr diff --stat` is rejected: `--name-only` works."
    assert same_recipe(known, other, option)
    assert not same_recipe(known, other, replace(option, flags=("--wat",)))
    assert not same_recipe(known, other, replace(option, error_class="other"))

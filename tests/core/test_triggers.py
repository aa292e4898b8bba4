"""A recipe surfaces before its own command, and not where the agent follows it anyway."""

from __future__ import annotations

import pytest

from wisen.adapters.shell import segments
from wisen.core.triggers import commands_in, is_done, is_met, is_same_call
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

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import a_call, a_prompt, a_session, an_event

from wisen.adapters.shell import segments
from wisen.core.policy import Limits, RecallPlan, limits_at, plan_recall
from wisen.core.recalls import RecallTrigger
from wisen.core.types import Outcome, PostTool, PreCompact, PreTool, SessionEnd, SessionStart, StartSource

LIMITS = Limits()
STARTED = replace(a_session(), start_delivered=True)


@pytest.mark.parametrize("source", list(StartSource))
def test_every_kind_of_session_start_recalls_within_2000_characters(source: StartSource) -> None:
    plan = plan_recall(an_event(SessionStart(source=source)), a_session(), LIMITS)
    assert plan is not None
    assert (plan.trigger, plan.budget.max_chars, plan.min_confidence) == (RecallTrigger.SESSION_START, 2000, 0.5)
    assert plan.reads_history is (source in {StartSource.RESUME, StartSource.FORK})


@pytest.mark.row("D2")
def test_a_prompt_of_30_characters_recalls_and_one_of_29_does_not() -> None:
    assert plan_recall(a_prompt("x" * 29), STARTED, LIMITS) is None
    plan = plan_recall(a_prompt("x" * 30), STARTED, LIMITS)
    assert plan is not None
    assert (plan.trigger, plan.budget.max_chars, plan.min_confidence) == (RecallTrigger.USER_PROMPT, 1000, 0.6)


def test_blanks_around_a_prompt_do_not_count() -> None:
    assert plan_recall(a_prompt("  yes  " + " " * 40), STARTED, LIMITS) is None


@pytest.mark.row("D31")
def test_twenty_short_turns_recall_nothing() -> None:
    assert [plan_recall(a_prompt(f"go on {n}"), STARTED, LIMITS) for n in range(20)] == [None] * 20


def test_the_first_prompt_makes_up_for_a_missed_session_start() -> None:
    plan = plan_recall(a_prompt("ok"), a_session(), LIMITS)
    assert plan is not None
    assert plan.trigger is RecallTrigger.SESSION_START


def test_a_task_is_a_sub_task_boundary_and_another_tool_is_not() -> None:
    call = a_call(tool="Agent", family="task", summary="Find every caller of the billing client and list them")
    plan = plan_recall(an_event(PreTool(call=call)), STARTED, LIMITS)
    assert plan is not None
    assert plan.trigger is RecallTrigger.SUB_TASK
    assert plan.query == call.summary
    assert plan_recall(an_event(PreTool(call=a_call())), STARTED, LIMITS) is None


def test_nothing_is_recalled_into_a_subagent() -> None:
    assert plan_recall(a_prompt("x" * 60, agent_id="agent-1"), STARTED, LIMITS) is None


@pytest.mark.parametrize(
    "body",
    [PostTool(call=a_call(), outcome=Outcome.SUCCESS), PreCompact(automatic=True), SessionEnd(reason="other")],
)
def test_events_that_cannot_carry_context_recall_nothing(body: PostTool | PreCompact | SessionEnd) -> None:
    assert plan_recall(an_event(body), STARTED, LIMITS) is None


def before(command: str, *, limits: Limits = LIMITS, **over: object) -> RecallPlan | None:
    call = a_call(command=command, segments=segments(command))
    return plan_recall(replace(an_event(PreTool(call=call)), **over), STARTED, limits)  # type: ignore[arg-type]


def test_before_a_command_there_is_room_for_one_line() -> None:
    plan = before("uv run pytest -q")
    assert plan is not None
    assert (plan.trigger, plan.min_confidence) == (RecallTrigger.PRE_TOOL, 0.6)
    assert (plan.budget.max_chars, plan.budget.max_items) == (400, 1)
    assert [segment.program for segment in plan.segments] == ["pytest"]
    assert plan.or_else is None


def test_inside_a_subagent_and_before_a_command_that_says_nothing_there_is_none() -> None:
    assert before("pytest", agent_id="a") is None
    assert before("pytest", is_answerable=False) is None
    assert before("") is None


@pytest.mark.row("D3")
def test_the_users_map_comes_second_with_its_own_limits() -> None:
    limits = replace(LIMITS, tool_recall=(("^Bash pytest", "the test suite"), ("pytest", "never asked")))
    plan = before("pytest -k auth", limits=limits)
    assert plan is not None
    assert plan.or_else is not None
    assert (plan.or_else.trigger, plan.or_else.query) == (RecallTrigger.TOOL_FAMILY, "the test suite")
    assert (plan.or_else.budget.max_chars, plan.or_else.min_confidence) == (800, 0.6)


@pytest.mark.row("D17")
def test_a_prompt_brings_up_to_six_and_a_start_what_its_budget_holds() -> None:
    items = {trigger: limits_at(trigger, LIMITS)[0].max_items for trigger in RecallTrigger}
    assert items[RecallTrigger.USER_PROMPT] == items[RecallTrigger.SUB_TASK] == 6
    assert items[RecallTrigger.SESSION_START] == 25
    assert limits_at(RecallTrigger.USER_PROMPT, replace(LIMITS, prompt_items=2))[0].max_items == 2

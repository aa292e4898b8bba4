"""Approval confirms what the user stated before it, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.builders import T0, a_call, a_post_tool, a_prompt, a_signal

from wisen.adapters.shell import segments
from wisen.core.signals.confirmation import approves, confirmed, is_approval
from wisen.core.types import Event, Origin, Outcome, PostTool, PromptChannel, Signal, Source, Tier


def minute(n: int) -> timedelta:
    return timedelta(minutes=n)


def ran(command: str, outcome: Outcome = Outcome.SUCCESS) -> Event:
    return a_post_tool(PostTool(call=a_call(command=command, segments=segments(command)), outcome=outcome))


def a_suggestion(rule: str = "Errors carry a code.", *, at: int = 0, **over: object) -> Signal:
    signal = a_signal(rule, at=T0 + minute(at), tier=Tier.SUGGEST)
    return replace(signal, **over)  # type: ignore[arg-type]  # keyword overrides of a builder


@pytest.mark.parametrize(
    "text",
    [
        "lgtm, ship it", "LGTM!", "ship it", "Ship it 🚀", "looks good to me, merge it", "ok merge the PR",
        "great, thanks. let's merge this", "approved", "yes, go ahead and ship it", "merge PR #12 please",
    ],
)  # fmt: skip
def test_an_approval_says_nothing_else(text: str) -> None:
    assert approves(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "thanks", "great", "lgtm but rename the flag first", "ship it after the tests pass", "don't ship it",
        "do not merge it yet", "should we ship it?", "merge it?", "not lgtm", "lgtm except the docs", "never merge it",
        "ship it once CI is green", "looks good", "merge the two lists", "merge conflicts again", "release notes",
        "ship the parser with the next release and drop the old one", "why did you merge it",
        "lgtm " * 30,
    ],
)  # fmt: skip
def test_a_partial_a_negated_or_another_sentence_is_no_approval(text: str) -> None:
    assert not approves(text)


@pytest.mark.parametrize("command", ["gh pr merge 12 --squash", "cd x && git merge feature/login", "glab mr merge 3"])
def test_a_merge_that_worked_is_an_approval(command: str) -> None:
    assert is_approval(ran(command))
    assert not is_approval(ran(command, Outcome.FAILURE))
    assert not is_approval(ran(command, Outcome.UNKNOWN))


@pytest.mark.parametrize(
    "command",
    ["git merge main", "git merge origin/main", "git merge --abort", "gh pr merge 1 --auto", "gh pr view 1", "git log"],
)
def test_a_merge_of_the_main_branch_into_ones_own_is_none(command: str) -> None:
    assert not is_approval(ran(command))


def test_only_the_person_approves() -> None:
    assert is_approval(a_prompt("ship it"))
    assert not is_approval(a_prompt("ship it", channel=PromptChannel.HEADLESS))
    assert not is_approval(a_prompt("ship it", agent_id="sub"))


@pytest.mark.row("C6")
def test_what_the_user_stated_before_an_approval_is_confirmed_once_with_both_as_evidence() -> None:
    signal = a_suggestion()
    approval, again = a_prompt("lgtm, ship it", at=T0 + minute(1)), a_prompt("ship it", at=T0 + minute(2))
    (found,) = confirmed([approval, again], [signal])
    assert (found.source, found.origin, found.tier) == (Source.MERGED, Origin.USER_APPROVED, Tier.ADOPT)
    assert found.rule == signal.rule
    assert [ref.event_id for ref in found.evidence] == [signal.evidence[0].event_id, approval.event_id]
    assert found.at == approval.at


@pytest.mark.parametrize(
    "signal",
    [
        a_suggestion(at=5),
        a_suggestion(tier=Tier.ADOPT),
        a_suggestion(origin=Origin.ASSISTANT_INFERRED),
        a_suggestion(origin=Origin.HEADLESS_PROMPT),
        a_suggestion(origin=Origin.OBSERVED_OUTCOME),
    ],
    ids=["stated later", "adopted already", "the agent's prose", "a script's", "observed"],
)
def test_nothing_else_is_confirmed(signal: Signal) -> None:
    assert list(confirmed([a_prompt("lgtm, ship it", at=T0 + minute(1))], [signal])) == []

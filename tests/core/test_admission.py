from __future__ import annotations

from dataclasses import replace

import pytest
from tests.builders import a_graph, a_signal

from wisen.core.admission import admitted
from wisen.core.types import Candidate, Origin, Signal, Source, Tier


def of(signal: Signal) -> tuple[Signal | None, str]:
    candidate, reason = admitted(Candidate(graph=a_graph(), signal=signal))
    return (candidate.signal if candidate else None), reason


@pytest.mark.row("C5")
def test_a_rule_with_a_reason_goes_on_in_parts() -> None:
    signal, _ = of(a_signal("use pnpm, because the lockfile is pnpm's"))
    assert signal is not None
    assert (signal.rule, signal.why) == ("use pnpm", "the lockfile is pnpm's")
    assert signal.evidence[0].quote == "use pnpm, because the lockfile is pnpm's"


@pytest.mark.row("N4")
def test_what_is_refused_comes_back_with_a_reason() -> None:
    signal, reason = of(a_signal("CI is red"))
    assert signal is None
    assert "passing state" in reason


@pytest.mark.row("C13")
@pytest.mark.parametrize(("strength", "goes_on"), [(0.3, False), (0.49, False), (0.5, True)])
def test_what_the_gate_is_not_sure_enough_of_is_refused_with_a_reason(strength: float, *, goes_on: bool) -> None:
    signal, reason = of(a_signal(strength=strength))
    assert (signal is not None) is goes_on
    assert ("not sure enough" in reason) is not goes_on


def test_what_the_user_asked_for_is_not_judged() -> None:
    signal, _ = of(a_signal("CI is red", source=Source.EXPLICIT))
    assert signal is not None


def test_what_leans_on_the_session_waits_for_the_person() -> None:
    signal, _ = of(a_signal("this function must stay pure"))
    assert signal is not None
    assert signal.tier is Tier.SUGGEST


def test_a_step_that_was_observed_is_no_sentence_to_judge() -> None:
    signal, _ = of(a_signal("CI is red", origin=Origin.OBSERVED_OUTCOME))
    assert signal is not None


@pytest.mark.fault("B77")
def test_a_reason_somebody_invented_is_refused() -> None:
    signal, reason = of(replace(a_signal("use pnpm here"), why="see src/lock.py"))
    assert signal is None
    assert "src/lock.py" in reason

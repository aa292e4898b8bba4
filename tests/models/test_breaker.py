"""The breaker: closed, open, half open, against a model of it that is written out."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from wisen.models.breaker import Breaker

FAILURES, REST_S = 3, 60.0


class Calls(RuleBasedStateMachine):
    """Calls that go well or fail, while time passes."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.breaker = Breaker(failures=FAILURES, rest_s=REST_S, monotonic=lambda: self.now)
        self.in_a_row = 0
        self.opened_at: float | None = None

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.now - self.opened_at < REST_S

    @rule(seconds=st.sampled_from([0.5, 20.0, 59.0, 60.0, 500.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: not self.is_open)
    @rule(goes_well=st.booleans())
    def call(self, *, goes_well: bool) -> None:
        assert self.breaker.allows()
        if self.opened_at is not None:
            assert not self.breaker.allows(), "while one call tries, no other does"
        if goes_well:
            self.breaker.succeeded()
            self.in_a_row, self.opened_at = 0, None
        else:
            self.breaker.failed()
            self.in_a_row += 1
            if self.in_a_row >= FAILURES:
                self.opened_at = self.now

    @precondition(lambda self: self.is_open)
    @rule()
    def refused(self) -> None:
        assert not self.breaker.allows()

    @invariant()
    def says_what_it_is(self) -> None:
        assert self.breaker.is_open == self.is_open


TestCalls = pytest.mark.timeout(60)(Calls.TestCase)


def test_after_a_rest_one_call_decides_for_all() -> None:
    now = [0.0]
    breaker = Breaker(failures=1, rest_s=REST_S, monotonic=lambda: now[0])
    assert breaker.allows()
    breaker.failed()
    assert not breaker.allows()
    now[0] = REST_S
    assert breaker.allows()
    assert not breaker.allows()
    breaker.failed()
    assert not breaker.allows()
    now[0] = 2 * REST_S
    assert breaker.allows()
    breaker.succeeded()
    assert breaker.allows()
    assert breaker.allows()

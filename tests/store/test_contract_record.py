"""An event and what was noticed in it are kept together or not at all."""

from __future__ import annotations

from tests.builders import T0, a_signal, an_event
from tests.store.conftest import Controls
from wisen.core.types import Signal


def heard(controls: Controls) -> list[Signal]:
    return [signal for _, signal in controls.store.signals_after("claude-code", "session-1", 0)]


def test_an_event_comes_with_its_signals(controls: Controls) -> None:
    event, signals = an_event(), (a_signal("one"), a_signal("two"))
    assert controls.store.record(event, seen_at=T0, signals=signals)
    assert heard(controls) == list(signals)
    controls.restart()
    assert heard(controls) == list(signals)


def test_of_an_event_that_is_known_no_signals_are_kept(controls: Controls) -> None:
    """What was erased from it is not noticed a second time."""
    event = an_event()
    controls.store.record(event, seen_at=T0)
    assert not controls.store.record(event, seen_at=T0, signals=(a_signal(),))
    assert heard(controls) == []

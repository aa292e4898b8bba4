"""One session told by hooks and by its file, in any order, parts of it twice or not at all: the result is the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recorded import session_file
from tests.worlds import World, a_repo

from wisen.adapters.registry import adapter
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Event, Status
from wisen.engine.catch_up import Missed
from wisen.evals.replay import HookCall, payloads

HARNESS = "claude-code"
CWD = "/home/dev/project"
# What a hook tells under no key of its own; only what it does is compared.
KEYLESS = {"session_start", "pre_compact", "session_end"}
# Recorded runs, and what is put into their users' mouths so that there is something to learn, some of it twice.
RUNS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "typed-refused-forked": (
        "636d",
        {"please make newfile": "always run make fmt before a commit", "thank you": "we use pnpm here, not npm"},
    ),
    "allowed-with-words": ("29b2", {"yes but use pathlib next time": "always use pathlib here, never os.path"}),
    "session-fail-fix": ("ee28", {"And now say goodbye": "we use pnpm here, not npm"}),
}
FILE = "/t/session.jsonl"
EXPECTED = {  # rule -> how often it was said
    "typed-refused-forked": {
        "we use pnpm here, not npm": 2,
        "never push to main": 1,
        "always run make fmt before a commit": 1,
    },
    "allowed-with-words": {"always use pathlib here, never os.path": 1},
    "session-fail-fix": {"we use pnpm here, not npm": 1},
}


@cache
def written(run: str) -> bytes:
    """Return what the harness has written in the end."""
    start, said = RUNS[run]
    data = session_file(run, start).read_bytes()
    for recorded, instead in said.items():
        assert recorded.encode() in data
        data = data.replace(recorded.encode(), instead.encode())
    return data


@cache
def hook_calls(run: str) -> tuple[HookCall, ...]:
    """Return the calls that go with the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / session_file(run, RUNS[run][0]).name
        path.write_bytes(written(run))
        return tuple(payloads(path, transcript_path=FILE))


@dataclass(frozen=True)
class Result:
    """What is left in the end."""

    events: dict[str, object]
    signals: frozenset[tuple[str, ...]]
    memories: frozenset[tuple[object, ...]]
    epoch: int


class Telling:
    """Tells one recorded session to a wisen."""

    def __init__(self, run: str, folder: str) -> None:
        self.world = World()
        self.world.probe.known[CWD] = a_repo(CWD)
        self.data = written(run)
        self.path = Path(folder) / session_file(run, RUNS[run][0]).name
        self.session_id = self.path.stem
        self.calls = hook_calls(run)
        self.path.write_bytes(b"")

    def hook(self, number: int) -> None:
        call = self.calls[number]
        for event in self._events(call, delivery_id=f"{number:032x}"):
            self.world.wisen.capture.capture(event)

    def _events(self, call: HookCall, delivery_id: str) -> Sequence[Event]:
        body = call.body.replace(FILE.encode(), str(self.path).encode())
        return adapter(HARNESS).events(
            body, entrypoint=call.entrypoint, delivery_id=delivery_id, received_at=call.at, redact=str
        )

    def spool(self, written: float) -> None:
        """Drain a pointer when so much of the file was written."""
        self.write(written)
        self.world.wisen.catch_up.catch_up(
            Missed(
                harness=HARNESS,
                session_id=self.session_id,
                transcript=str(self.path),
                interactive=self.calls[0].entrypoint == "cli",
                ends=False,
            )
        )

    def promote(self, written: float) -> None:
        self.write(written)
        self.world.wisen.catch_up.complete(HARNESS, self.session_id)
        self.world.wisen.promote.promote(HARNESS, self.session_id)

    def write(self, share: float) -> None:
        """Have the harness write on; a file never shrinks."""
        size = max(self.path.stat().st_size, int(len(self.data) * share))
        self.path.write_bytes(self.data[:size])

    def result(self) -> Result:
        control, graphs = self.world.control, self.world.graphs
        events = control.events(HARNESS, self.session_id)
        session = control.session(HARNESS, self.session_id)
        assert session is not None
        memories = [
            memory
            for graph in graphs.graphs()
            for memory in graphs.open(graph).list(MemoryFilter(statuses=frozenset(Status)))
        ]
        return Result(
            events={event.event_id: event.body for event in events if event.name not in KEYLESS},
            signals=frozenset(
                (signal.rule, signal.source.value, signal.origin.value, *(ref.event_id for ref in signal.evidence))
                for _, signal in control.signals_after(HARNESS, self.session_id, 0)
            ),
            memories=frozenset(
                (m.text, m.status.value, m.support, m.confidence, frozenset(ref.event_id for ref in m.evidence))
                for m in memories
            ),
            epoch=session.epoch,
        )


def told(run: str, steps: Iterable[tuple[str, float]]) -> Result:
    """Tell a session in these steps, then let its file be read to the end and what was said be promoted."""
    with tempfile.TemporaryDirectory() as folder:
        telling = Telling(run, folder)
        for kind, value in steps:
            match kind:
                case "hook":
                    telling.hook(int(value))
                case "spool":
                    telling.spool(value)
                case _:
                    telling.promote(value)
        for _ in range(2):
            telling.spool(1.0)
            telling.promote(1.0)
        return telling.result()


def in_order(run: str) -> list[tuple[str, float]]:
    return [("hook", number) for number in range(len(hook_calls(run)))]


@st.composite
def deliveries(draw: st.DrawFn, run: str) -> list[tuple[str, float]]:
    """Draw hook calls, each told any number of times and in any order, with readings of the file between."""
    share = st.floats(0, 1)
    steps = st.one_of(
        st.tuples(st.just("hook"), st.integers(0, len(hook_calls(run)) - 1).map(float)),
        st.tuples(st.just("spool"), share),
        st.tuples(st.just("promote"), share),
    )
    return draw(st.lists(steps, max_size=2 * len(hook_calls(run))))


@pytest.mark.parametrize("run", RUNS)
def test_the_reference_holds_what_the_session_is_about(run: str) -> None:
    result = told(run, in_order(run))
    assert {key.partition(":")[0] for key in result.events} >= {"prompt", "pre_tool", "post_tool"}
    assert bool(result.memories) == bool(result.signals)
    texts = {memory[0]: memory[2] for memory in result.memories}
    assert texts == EXPECTED[run]
    assert result.epoch == (1 if run == "typed-refused-forked" else 0)


@pytest.mark.fault("B11")
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("steps", ["nothing", "twice", "backwards", "every other"])
def test_a_session_is_the_same_however_it_was_told(run: str, steps: str) -> None:
    """B11. With `nothing`, no hook was heard from its start to its end."""
    live = in_order(run)
    order = {"nothing": [], "twice": [*live, *live], "backwards": live[::-1], "every other": live[::2]}
    assert told(run, order[steps]) == told(run, live)


@pytest.mark.parametrize("run", RUNS)
def test_any_order_any_repetition_and_any_gap_give_the_same_events_signals_and_memories(run: str) -> None:
    assert_same_however_told(run, examples=12)


@pytest.mark.stress
@pytest.mark.parametrize("run", RUNS)
def test_many_orders_repetitions_and_gaps_give_the_same_events_signals_and_memories(run: str) -> None:
    assert_same_however_told(run, examples=1000)


def assert_same_however_told(run: str, *, examples: int) -> None:
    expected = told(run, in_order(run))

    @settings(max_examples=examples)
    @given(deliveries(run))
    def same(steps: list[tuple[str, float]]) -> None:
        assert told(run, steps) == expected

    same()

"""Hook events are on disk within 50 ms, several with one sync; `flush` returns when they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.builders import a_job, a_prompt
from tests.durability.disk import Synced
from tests.durability.watched import Watch, watched

from wisen.store.sqlite import group
from wisen.store.sqlite.control import SqliteControl

WINDOW_S = 0.05


class Syncs:
    """When the write-ahead log was synced."""

    def __init__(self) -> None:
        self.watch = Watch(on_sync=self._note)
        self.times: list[float] = []
        self.seen = threading.Condition()

    def _note(self, path: str) -> None:
        if path.endswith("-wal"):
            with self.seen:
                self.times.append(time.monotonic())
                self.seen.notify_all()

    def wait(self, number: int) -> float:
        """Return when the `number`-th sync was done."""
        with self.seen:
            assert self.seen.wait_for(lambda: len(self.times) >= number, timeout=10)
            return self.times[number - 1]


@pytest.fixture
def syncs() -> Syncs:
    return Syncs()


@pytest.fixture
def store(tmp_path: Path, syncs: Syncs) -> Iterator[SqliteControl]:
    SqliteControl(tmp_path / "control.db").close()
    with watched(syncs.watch):
        store = SqliteControl(tmp_path / "control.db")
        store.enqueue(a_job())  # the first write makes the log, with a sync of its own
        syncs.times.clear()
        yield store
        store.close()


def record(store: SqliteControl, number: int) -> None:
    event = a_prompt("hello", event_id=f"event-{number}")
    store.record(event, seen_at=event.at)


def test_the_window_is_fifty_milliseconds() -> None:
    assert group.COMMIT_WITHIN_S == WINDOW_S


def test_an_event_is_synced_without_anybody_asking_and_the_reply_waits_for_none(
    store: SqliteControl, syncs: Syncs
) -> None:
    record(store, 0)
    assert syncs.times == []
    syncs.wait(1)


def test_events_of_one_window_share_a_sync(store: SqliteControl, syncs: Syncs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "COMMIT_WITHIN_S", 0.5)
    for number in range(20):
        record(store, number)
    syncs.wait(1)
    store.flush()
    assert len(syncs.times) == 1


@pytest.mark.parametrize("call", ["flush", "enqueue"])
def test_what_came_before_is_synced_when_it_returns(
    store: SqliteControl, syncs: Syncs, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.setattr(group, "COMMIT_WITHIN_S", 3600)
    record(store, 0)
    if call == "flush":
        store.flush()
    else:
        store.enqueue(a_job())
    assert len(syncs.times) == 1
    assert isinstance(syncs.watch.log[-2], Synced), "nothing was written after it"


@pytest.mark.stress
def test_the_window_as_measured(store: SqliteControl, syncs: Syncs) -> None:
    waits = []
    for number in range(200):
        began = time.monotonic()
        record(store, number)
        waits.append((syncs.wait(number + 1) - began) * 1000)
    waits.sort()
    print(f"\ngroup commit: an event is synced after {waits[100]:.0f} ms (median), {waits[198]:.0f} ms (p99)")
    assert waits[100] < 1000 * WINDOW_S + 25

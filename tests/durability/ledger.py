"""What a store was asked to keep, what it acknowledged, and what is missing or half there in a copy of its files."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import apsw
from tests.builders import FrozenClock, a_graph, a_job, a_memory, a_prompt, a_session, a_signal

from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor, Job
from wisen.core.types import Event, Memory, Signal, Status
from wisen.errors import StoreError
from wisen.ports import ControlStore, GraphStore
from wisen.store.sqlite.control import SqliteControl
from wisen.store.sqlite.graphs import SqliteGraphs

HARNESS = "claude-code"
GRAPH = a_graph()
_EVENTS_A_SESSION = 20
_WORDS = "port lamp stone river cloud green tower paper wheel glass"


@dataclass(slots=True, kw_only=True)
class Findings:
    """What is wrong with a copy: acknowledged rows that are gone, and what is there and not as it was written."""

    lost: list[str] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.lost or self.unsound)


@dataclass(slots=True)
class ControlLedger:
    """Hook events as the daemon writes them, and jobs. `told` hears what the caller may rely on."""

    told: Callable[[str], None]
    chance: random.Random
    written: list[Event | Signal | Job] = field(default_factory=list)  # in the order of the writes
    pairs: list[tuple[int, int]] = field(default_factory=list)  # an event and its signal, which are one write
    _waiting: list[str] = field(default_factory=list)  # written, and not yet acknowledged
    _was_flushing: bool = False

    def step(self, store: ControlStore) -> None:
        """Write something, or ask for what was written to be put on disk.

        When that raises, what this step wrote counts as not acknowledged; after a flush all that waited for it.
        """
        waited = len(self._waiting)
        try:
            self._step(store)
        except StoreError as error:
            del self._waiting[0 if self._was_flushing else waited :]
            raise error from None

    def _step(self, store: ControlStore) -> None:
        what = self.chance.random()
        self._was_flushing = what >= 0.7
        if what < 0.7:
            self._event(store)
        elif what < 0.85:
            store.flush()
            self._acknowledged()
        else:
            job = a_job(job_id=f"job-{len(self.written)}", key=f"key-{len(self.written)}")
            self._noted(job)
            store.enqueue(job)
            self._acknowledged()

    def _event(self, store: ControlStore) -> None:
        number = len(self.written)
        session_id = f"session-{number // _EVENTS_A_SESSION}"
        words = " ".join(self.chance.choices(_WORDS.split(), k=self.chance.randint(5, 400)))
        event = a_prompt(words, event_id=f"event-{number}", session_id=session_id)
        self._noted(event)
        signals: list[Signal] = []
        if self.chance.random() < 0.3:
            signals.append(a_signal(f"We use {number}.", session_id=session_id))
            self._noted(signals[0])
            self.pairs.append((number, number + 1))
        store.record(event, seen_at=event.at, signals=signals)
        store.save_session(a_session(session_id=session_id))

    def _noted(self, value: Event | Signal | Job) -> None:
        self._waiting.append(str(len(self.written)))
        self.written.append(value)

    def _acknowledged(self) -> None:
        for what in self._waiting:
            self.told(what)
        self._waiting.clear()

    def compare(self, path: Path, acknowledged: Iterable[str], *, in_order: bool = True) -> Findings:
        """Open the copy with the real store and say what is wrong with it.

        `in_order`: no write is there without all that came before it, which holds as long as none was refused.
        """
        findings = Findings()
        try:
            there = self._there(path, findings)
        except StoreError as error:
            return Findings(lost=list(acknowledged), unsound=[error.message])
        findings.lost = [what for what in acknowledged if int(what) not in there]
        findings.unsound += (f"half a write: {pair}" for pair in self.pairs if len(there.intersection(pair)) == 1)
        if in_order and there != set(range(len(there))):
            findings.unsound.append(f"there are later writes and not all earlier ones: {sorted(there)}")
        return findings

    def _there(self, path: Path, findings: Findings) -> set[int]:
        store = SqliteControl(path)
        try:
            sessions = store.sessions(limit=10_000)
            held: list[Event | Signal | Job] = [*store.jobs(limit=10_000)]
            for session in sessions:
                held += store.events(HARNESS, session.session_id, limit=10_000)
                held += (signal for _, signal in store.signals_after(HARNESS, session.session_id, 0))
            findings.unsound += store.problems()
        finally:
            store.close()
        findings.unsound += _integrity(path)
        places = {repr(value): number for number, value in enumerate(self.written)}
        strange = [repr(value) for value in held if repr(value) not in places]
        findings.unsound += (f"not as it was written: {value}" for value in strange)
        if len(held) != len({repr(value) for value in held}):
            findings.unsound.append("something is there twice")
        return {places[repr(value)] for value in held if repr(value) in places}


@dataclass(slots=True)
class GraphLedger:
    """Memories that are added, changed and forgotten. Every version is acknowledged when the call returns."""

    told: Callable[[str], None]
    chance: random.Random
    versions: list[list[Memory]] = field(default_factory=list)  # of each memory, oldest first
    _added: list[int] = field(default_factory=list)
    _refused: Counter[int] = field(default_factory=Counter)  # memory -> changes that were not acknowledged

    def step(self, store: GraphStore) -> None:
        """Add a memory, or change one. What is refused may be there or not, and is not acknowledged."""
        if not self._added or self.chance.random() < 0.5:
            number = len(self.versions)
            self._add(store, number)
            self._added.append(number)
        else:
            number = self.chance.choice(self._added)
            self._change(store, number)
        self.told(f"{number} {len(self.versions[number]) - 1}")

    def _add(self, store: GraphStore, number: int) -> None:
        memory = a_memory(self._text(number, 0), memory_id=f"0193a000-0000-7000-9000-{number:012x}")
        self.versions.append([memory])
        store.add(memory, key=f"key {number}", actor=Actor.GATE, reason="said")

    def _change(self, store: GraphStore, number: int) -> None:
        held = self.versions[number]
        memory = replace(held[-1], text=self._text(number, len(held)), status=Status.ACTIVE)
        if self.chance.random() < 0.2:
            memory = replace(held[-1], status=Status.FORGOTTEN, text=f"{held[-1].text} gone")
        held.append(memory)
        self._refused[number] += 1
        store.update(memory, actor=Actor.USER, action="edit", reason="changed")
        self._refused[number] -= 1

    def _text(self, number: int, version: int) -> str:
        words = " ".join(self.chance.choices(_WORDS.split(), k=self.chance.randint(3, 60)))
        return f"{words} {_name(number, version)}"

    def compare(self, directory: Path, acknowledged: Iterable[str]) -> Findings:
        """Open the copy with the real store and say what is wrong with it."""
        least = dict.fromkeys(range(len(self.versions)), -1)
        for number, version in (map(int, what.split()) for what in acknowledged):
            least[number] = max(least[number], version)
        findings = Findings()
        stores = SqliteGraphs(directory, FrozenClock())
        try:
            store = stores.open(GRAPH)
            for number, version in least.items():
                self._compare_one(store, number, version, findings)
            findings.unsound += store.problems()
            stores.close()
            for path in directory.glob("*.db"):
                findings.unsound += _integrity(path)
        except StoreError as error:
            return Findings(lost=list(acknowledged), unsound=[error.message])
        finally:
            stores.close()
        return findings

    def _compare_one(self, store: GraphStore, number: int, least: int, findings: Findings) -> None:
        versions = self.versions[number]
        held = store.get(versions[0].memory_id)
        if held is None or held not in versions:
            if least >= 0 or held is not None:
                (findings.unsound if held else findings.lost).append(f"memory {number}")
            return
        version = versions.index(held)
        if version < least:
            findings.lost.append(f"memory {number} is of version {version}, not {least}")
        entries = len(store.journal(memory_id=held.memory_id, limit=10_000))
        if not version + 1 - self._refused[number] <= entries <= version + 1:
            findings.unsound.append(f"memory {number} and its journal differ")
        if held.status is Status.ACTIVE and not store.search([_name(number, version)], MemoryFilter()).hits:
            findings.unsound.append(f"memory {number} is not in the index")


def _name(number: int, version: int) -> str:
    """Return a word that one version of one memory holds."""
    letters = "abcdefghij"
    return (
        "zq"
        + "".join(letters[int(digit)] for digit in f"{number}")
        + "x"
        + "".join(letters[int(digit)] for digit in f"{version}")
    )


def _integrity(path: Path) -> Sequence[str]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        said = [str(row[0]) for row in connection.execute("PRAGMA integrity_check")]
    except apsw.Error as error:
        said = [str(error)]
    finally:
        connection.close()
    return [] if said == ["ok"] else said

"""What does wisen make of recorded sessions, one after the other? The live path: capture, recall, promotion."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from wisen.core.gate import explain
from wisen.core.recalls import MemoryFilter
from wisen.core.types import (
    Event,
    Memory,
    PreCompact,
    SessionEnd,
    SessionStart,
    Source,
    StartSource,
    Status,
    UserPrompt,
)
from wisen.engine.capture import Captured
from wisen.engine.catch_up import KNOWN_MAX, Missed
from wisen.engine.promote import Promotion
from wisen.evals.deeds_seen import Deeds, Seen, SessionDeeds
from wisen.evals.places import Atlas, Place, Told
from wisen.evals.recorded import Recorded
from wisen.evals.stage import Stage
from wisen.transcripts.claude_words import HARNESS

_MOST: Final = 100_000  # memories of a graph
_SAID: Final = frozenset({Source.CORRECTION, Source.EXPLICIT})
_OF_INTEREST: Final = frozenset({Status.ACTIVE, Status.PENDING_REVIEW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """What recall put before the agent at one kind of moment: blocks that were not empty, their memories and size."""

    blocks: int = 0
    memories: int = 0
    chars: int = 0

    def __add__(self, other: Blocks) -> Blocks:
        """Return both together."""
        return Blocks(
            blocks=self.blocks + other.blocks,
            memories=self.memories + other.memories,
            chars=self.chars + other.chars,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What came of one session.

    `signals` were noticed, `candidates` of them passed the gate (and became a memory or support for one), `dropped`
    counts the others by reason and `passed_over` the sentences of prompts that gave no signal. `active` and `waiting`
    are how many memories there are after it. `corrected_again` is how many memories that the user had stated before
    were stated again, `in_vain` how many of these after the session had been shown them.
    """

    number: int
    session_id: str
    at: datetime
    agent: str
    events: int
    prompts: int
    signals: int
    candidates: int
    added: tuple[Memory, ...]
    reinforced: tuple[Memory, ...]
    dropped: Mapping[str, int]
    passed_over: Mapping[str, int]
    active: int
    waiting: int
    blocks: Mapping[str, Blocks]
    corrected_again: int
    in_vain: int
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """What was known at one moment, as the places that show it.

    Of the memories in the block of that moment, of those shown before in the same context, of all that were active, and
    of those that waited for review.
    """

    shown: frozenset[Place]
    in_context: frozenset[Place]
    active: frozenset[Place]
    waiting: frozenset[Place]


@dataclass(slots=True, kw_only=True)
class _Session:
    """What is counted while a session is played."""

    deeds: SessionDeeds
    known_before: frozenset[str]
    open: dict[str, None] = field(default_factory=dict)  # ids of sessions with events since their last promotion
    events: int = 0
    prompts: int = 0
    added: dict[str, None] = field(default_factory=dict)
    reinforced: dict[str, None] = field(default_factory=dict)
    signals: int = 0
    candidates: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    blocks: dict[str, Blocks] = field(default_factory=dict)
    shown: dict[str, tuple[Memory, datetime]] = field(default_factory=dict)  # in this session, and since when
    in_context: dict[str, Memory] = field(default_factory=dict)  # since the last compaction
    again: set[str] = field(default_factory=set)
    in_vain: set[str] = field(default_factory=set)


class Player:
    """Plays sessions in the order given. `watched` are the places whose moments are looked at more closely."""

    def __init__(self, stage: Stage, *, atlas: Atlas, watched: Collection[Place] = ()) -> None:
        self.glimpses: dict[Place, Glimpse] = {}
        self._wisen = stage.wisen
        self._stage = stage
        self._atlas = atlas
        self._watched = frozenset(watched)
        self._deeds = Deeds()
        self._memories: tuple[Memory, ...] = ()
        self._number = 0

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All memories there are now, active and waiting, oldest first."""
        return self._memories

    def play(self, recorded: Recorded) -> Played:
        """Play a session to its end, with the promotion that follows it. Raises NotFound, PayloadError, StoreError."""
        self._number += 1
        session = _Session(
            deeds=self._deeds.session(), known_before=frozenset(memory.memory_id for memory in self._memories)
        )
        for told in recorded.told(self._atlas, self._wisen.redactor.redact):
            if isinstance(told.event.body, SessionEnd):
                self._complete(recorded, session)
            self._feed(told, session)
        self._promote_what_is_left(session)
        self._deeds.add(session.deeds)
        by_id = {memory.memory_id: memory for memory in self._memories}
        return Played(
            number=self._number,
            session_id=recorded.session_id,
            at=recorded.at,
            agent=recorded.agent,
            events=session.events,
            prompts=session.prompts,
            signals=session.signals,
            candidates=session.candidates,
            added=tuple(by_id[one] for one in session.added if one in by_id),
            reinforced=tuple(by_id[one] for one in session.reinforced if one in by_id and one not in session.added),
            dropped=dict(session.dropped),
            passed_over=dict(session.passed_over),
            active=sum(memory.status is Status.ACTIVE for memory in self._memories),
            waiting=sum(memory.status is Status.PENDING_REVIEW for memory in self._memories),
            blocks=session.blocks,
            corrected_again=len(session.again),
            in_vain=len(session.in_vain),
            seen=session.deeds.seen,
        )

    def _feed(self, told: Told, session: _Session) -> None:
        event = told.event
        if self._stage.is_past and _is_in_no_file(event):
            return
        self._stage.clock.at = event.at
        place = self._atlas.note(event, told.place)
        captured = self._wisen.capture.capture(event)
        if captured is None:
            return
        if isinstance(event.body, SessionStart) and event.body.source is StartSource.COMPACT:
            session.in_context.clear()
        shown = self._recalled(captured, session)
        if place in self._watched and place not in self.glimpses:
            self.glimpses[place] = self._glimpse(shown, session)
        for memory in shown:
            session.in_context[memory.memory_id] = memory
            session.shown.setdefault(memory.memory_id, (memory, event.at))
        session.open[event.session_id] = None
        if captured.new:
            self._count(captured, session)
        if not self._stage.is_past:
            self._run_jobs(session)

    def _complete(self, recorded: Recorded, session: _Session) -> None:
        """Read in the session's own file what no hook told, as the daemon does before it promotes."""
        control = self._wisen.control
        known = control.session(HARNESS, recorded.session_id)
        with recorded.file(self._stage.scratch) as path:
            if path is None or known is None:
                return
            missed = Missed(
                harness=HARNESS,
                session_id=recorded.session_id,
                transcript=str(path),
                interactive=bool(known.interactive),
                ends=False,
            )
            session.events += self._wisen.catch_up.catch_up(missed).new
        for event in control.events(HARNESS, recorded.session_id, limit=KNOWN_MAX):
            self._atlas.note(event, None)

    def _recalled(self, captured: Captured, session: _Session) -> tuple[Memory, ...]:
        """Hand over what an event recalls, as the daemon does; return the memories in the block."""
        if self._stage.is_past:
            return ()
        prepared = self._wisen.recall.prepare(captured)
        if prepared is None:
            return ()
        self._wisen.recall.commit(prepared)
        block, trigger = prepared.block, prepared.receipt.trigger.value
        if block.text:
            one = Blocks(blocks=1, memories=len(block.shown), chars=block.chars)
            session.blocks[trigger] = session.blocks.get(trigger, Blocks()) + one
        return tuple(hit.memory for hit in block.shown)

    def _glimpse(self, shown: Iterable[Memory], session: _Session) -> Glimpse:
        return Glimpse(
            shown=self._places(shown),
            in_context=self._places(session.in_context.values()),
            active=self._places(memory for memory in self._memories if memory.status is Status.ACTIVE),
            waiting=self._places(memory for memory in self._memories if memory.status is Status.PENDING_REVIEW),
        )

    def _places(self, memories: Iterable[Memory]) -> frozenset[Place]:
        return frozenset(place for memory in memories for place in self._atlas.places_of(memory.evidence))

    def _count(self, captured: Captured, session: _Session) -> None:
        event = captured.event
        session.events += 1
        session.deeds.take(event, self._memories, session.shown)
        if isinstance(event.body, UserPrompt):
            session.prompts += 1
            session.passed_over.update(_kind_of(verdict.reason) for verdict in explain(event) if not verdict.emitted)

    def _run_jobs(self, session: _Session) -> None:
        """Do what the daemon's worker would do now."""
        control = self._wisen.control
        while (job := control.claim_job(self._stage.clock.now())) is not None:
            done = self._wisen.promote.promote(job.payload["harness"], job.payload["session_id"], batch=job.job_id)
            control.finish_job(job.job_id)
            session.open.pop(job.payload["session_id"], None)
            self._note(done, session)

    def _promote_what_is_left(self, session: _Session) -> None:
        """Promote what has no end, as the sweep would; of the past, all that was read."""
        for session_id in session.open:
            self._note(self._wisen.promote.promote(HARNESS, session_id), session)

    def _note(self, done: Promotion, session: _Session) -> None:
        session.added.update(dict.fromkeys(memory.memory_id for memory in done.added))
        session.reinforced.update(dict.fromkeys(memory.memory_id for memory in done.reinforced))
        session.candidates += len(done.added) + len(done.reinforced)
        session.signals += len(done.added) + len(done.reinforced) + len(done.dropped)
        session.dropped.update(_kind_of(reason) for _, reason in done.dropped)
        for memory in done.reinforced:
            if memory.memory_id in session.known_before and memory.source in _SAID:
                session.again.add(memory.memory_id)
                if memory.memory_id in session.shown and memory.evidence[-1].at > session.shown[memory.memory_id][1]:
                    session.in_vain.add(memory.memory_id)
        self._memories = self._all()

    def _all(self) -> tuple[Memory, ...]:
        graphs = self._wisen.graphs
        stores = [store for graph in graphs.graphs() if (store := graphs.existing(graph)) is not None]
        where = MemoryFilter(statuses=_OF_INTEREST)
        found = [memory for store in stores for memory in store.list(where, limit=_MOST)]
        return tuple(sorted(found, key=lambda memory: memory.memory_id))


def _is_in_no_file(event: Event) -> bool:
    """Tell whether only a living session's hooks tell of an event."""
    match event.body:
        case SessionStart(source=source):
            return source is not StartSource.COMPACT
        case PreCompact() | SessionEnd():
            return True
        case _:
            return False


def _kind_of(reason: str) -> str:
    """Return a reason without what is particular to one case: what stands behind a colon or in backquotes."""
    return re.sub(r"`[^`]*`", "`…`", reason.partition(":")[0])

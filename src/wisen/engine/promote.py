"""A session's signals -> memories. Every step may run twice: natural keys make the second time change nothing."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from datetime import timedelta

from wisen.core.gate import candidates
from wisen.core.lifecycle import fingerprint, initial_confidence, raised, reinforced
from wisen.core.records import Actor, RepoIdentity, Standing
from wisen.core.scoping import scope_of
from wisen.core.trust import standing_for
from wisen.core.types import Candidate, GraphKind, Memory, MemoryKind, Signal, Status, Visibility
from wisen.engine.capture import Capture
from wisen.engine.locate import Locator
from wisen.engine.twins import twin_of
from wisen.ports import Clock, ControlStore, GraphStores, Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What a promotion did: memories added or reinforced, signals that became nothing, and why."""

    added: tuple[Memory, ...] = ()
    reinforced: tuple[Memory, ...] = ()
    dropped: tuple[tuple[Signal, str], ...] = ()
    deferred: bool = False  # the repository of some is not known yet: these signals wait


class Promote:
    """Runs promotion jobs."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        locator: Locator,
        capture: Capture,
        clock: Clock,
        ids: Ids,
        learn_headless: bool,
        writing: threading.RLock,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._locator = locator
        self._capture = capture
        self._clock = clock
        self._ids = ids
        self._learn_headless = learn_headless
        self._writing = writing  # shared with `Curate`: nothing changes between reading a memory and replacing it

    def promote(self, harness: str, session_id: str) -> Promotion:
        """Turn the signals of a session that no job has handled yet into memories.

        One whose repository is not known yet waits, and holds up no other: what came after it is looked at again with
        it the next time, which changes nothing.
        """
        session = self._control.session(harness, session_id)
        if session is None:
            return Promotion()
        numbered = self._control.signals_after(harness, session_id, session.promoted_seq)
        added: list[Memory] = []
        again: list[Memory] = []
        dropped: list[tuple[Signal, str]] = []
        done, is_waiting = session.promoted_seq, False
        for seq, signal in numbered:
            identity = self._identity_of(harness, signal)
            is_waiting = is_waiting or identity.standing is Standing.PENDING
            if not is_waiting:
                done = seq
            if identity.standing is Standing.PENDING:
                continue
            candidate, reason = self._candidate(harness, signal, identity)
            if candidate is None:
                dropped.append((signal, reason))
            else:
                with self._writing:
                    memory, is_new = self._store(candidate)
                (added if is_new else again).append(memory)
        self._capture.note_promoted(harness, session_id, done)
        return Promotion(added=tuple(added), reinforced=tuple(again), dropped=tuple(dropped), deferred=is_waiting)

    def _identity_of(self, harness: str, signal: Signal) -> RepoIdentity:
        if signal.graph is not None:
            graph = self._locator.current(signal.graph, harness, signal.cwd)
            return RepoIdentity(standing=Standing.VERIFIED, write=graph)
        return self._locator.locate(harness, signal.cwd)

    def _candidate(self, harness: str, signal: Signal, identity: RepoIdentity) -> tuple[Candidate | None, str]:
        if standing_for(signal.origin, learn_headless=self._learn_headless) is None:
            return None, f"{signal.origin.value} may not become a memory"
        graph = scope_of(signal, repo=identity.write, user=self._locator.user_graph(harness))
        if graph is None:
            return None, "said outside any repository, and not about you"
        passed = candidates(graph, (signal,), branch=signal.branch)
        return (passed[0], "") if passed else (None, "refused by the gate")

    def _store(self, candidate: Candidate) -> tuple[Memory, bool]:
        store = self._graphs.open(candidate.graph)
        signal = candidate.signal
        digest = fingerprint(signal.rule)
        first = signal.evidence[0]
        key = f"{first.session_id}/{first.event_id}/{digest}"
        same = twin_of(store, signal.rule)
        if same is not None and key_of(same) != key:
            stronger = self._reinforce(same, signal)
            held, _ = store.update(stronger, actor=Actor.GATE, action="support", reason=signal.source.value, key=key)
            return held, False
        return store.add(self._memory(candidate, digest), key=key, actor=Actor.GATE, reason=signal.source.value)

    def _reinforce(self, memory: Memory, signal: Signal) -> Memory:
        now = self._clock.now()
        stronger = reinforced(memory, signal.evidence, now, origin=signal.origin)
        stronger = raised(stronger, signal.source, signal.origin, now)
        standing = standing_for(signal.origin, learn_headless=self._learn_headless)
        if standing is Status.ACTIVE and memory.status in {Status.PENDING_REVIEW, Status.FORGOTTEN}:
            # The user has said it themselves (again): that settles a review, and takes back a forgetting.
            return replace(stronger, status=Status.ACTIVE, origin=signal.origin)
        return stronger

    def _memory(self, candidate: Candidate, digest: str) -> Memory:
        signal = candidate.signal
        status = standing_for(signal.origin, learn_headless=self._learn_headless)
        assert status is not None  # noqa: S101 -- _candidate has checked it
        personal = candidate.graph.kind is GraphKind.USER
        return Memory(
            memory_id=self._ids.new_id(),
            graph=candidate.graph,
            kind=MemoryKind.SEMANTIC,
            text=signal.rule,
            digest=digest,
            created_at=self._clock.now(),
            authored_at=signal.at,
            verified_at=signal.at,
            source=signal.source,
            origin=signal.origin,
            evidence=signal.evidence,
            session_id=signal.session_id,
            branch=candidate.branch,
            confidence=initial_confidence(signal.source, signal.origin),
            status=status,
            visibility=Visibility.PERSON if personal else Visibility.REPO,
        )


def key_of(memory: Memory) -> str:
    """Return the natural key a memory was added under: its first evidence and its fingerprint at that time."""
    first = memory.evidence[0] if memory.evidence else None
    return f"{first.session_id}/{first.event_id}/{memory.digest}" if first else ""


class Sweep:
    """Finds sessions whose signals wait because no end was seen."""

    def __init__(self, *, control: ControlStore, capture: Capture, clock: Clock) -> None:
        self._control = control
        self._capture = capture
        self._clock = clock

    def sweep(self, *, idle_minutes: float, but_not: str = "", limit: int = 200) -> int:
        """Queue a promotion for at most `limit` sessions silent for `idle_minutes` with signals left; return how many.

        `but_not` is the id of a session that has just begun.
        """
        now = self._clock.now()
        before = now - timedelta(minutes=idle_minutes) + timedelta(microseconds=1)
        silent = self._control.sessions_with_signals(before, now=now, limit=limit)
        return sum(
            self._capture.enqueue_promotion(session.harness, session.session_id)
            for session in silent
            if session.session_id != but_not
        )

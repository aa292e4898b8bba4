"""A session's signals -> memories. Every step may run twice: natural keys make the second time change nothing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from wisen.core.admission import admitted
from wisen.core.erased import is_held_by
from wisen.core.gate import WITHHELD, candidates, holds_withheld
from wisen.core.lifecycle import fingerprint
from wisen.core.records import Actor, RepoIdentity, Session, Standing
from wisen.core.repetition import said_again
from wisen.core.scoping import scope_of, why_not_in
from wisen.core.types import Candidate, Memory, Signal, Source
from wisen.engine.capture import Capture
from wisen.engine.erasing import erased_since
from wisen.engine.guide import GuideCheck
from wisen.engine.locate import Locator
from wisen.engine.memory_of import Maker, made_of
from wisen.engine.observe import Observe
from wisen.engine.superseding import supersede
from wisen.engine.twins import near_of
from wisen.errors import StoreError
from wisen.ports import Clock, ControlStore, GraphStores, Ids, TranscriptSize

log = logging.getLogger(__name__)

ERASED = "erased by you after it was said"
_RECALLS = 200  # of one session, among which one of the rule is looked for
_LOOKED_AT = 200  # sessions; between two sweeps few are active, and those before them were swept


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
        observe: Observe,
        guide: GuideCheck,
        learn_headless: bool,
        writing: threading.RLock,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._locator = locator
        self._capture = capture
        self._clock = clock
        self._ids = ids
        self._maker = Maker(learn_headless=learn_headless)
        self._observe = observe
        self._guide = guide
        self._writing = writing  # shared with `Curate`: nothing changes between reading a memory and replacing it

    def promote(self, harness: str, session_id: str, *, batch: str = "") -> Promotion:
        """Turn the signals of a session that no job has handled yet into memories, in the order they were said.

        `batch` names this act in the journal, so that all it did can be undone together; a job's later attempts are
        the same act.

        One whose repository is not known yet waits, and holds up no other: what came after it is looked at again with
        it the next time, which changes nothing.
        """
        session = self._control.session(harness, session_id)
        if session is None:
            return Promotion()
        self._observe.observe(session)
        numbered = self._control.signals_after(harness, session_id, session.promoted_seq)
        waiting: list[int] = []
        added: list[Memory] = []
        again: list[Memory] = []
        dropped: list[tuple[Signal, str]] = []
        # What came late, from the spool or a transcript, has a high number and was said early.
        for seq, signal in sorted(numbered, key=lambda item: (item[1].at, item[0])):
            identity = self._identity_of(harness, signal)
            if identity.standing is Standing.PENDING:
                waiting.append(seq)
                continue
            candidate, reason = self._candidate(harness, signal, identity)
            with self._writing:
                if candidate is not None and self._is_erased(candidate):
                    candidate, reason = None, ERASED
                if candidate is not None:
                    memory, is_new = self._store(candidate, batch)
                    (added if is_new else again).append(memory)
            if candidate is None:
                dropped.append((signal, reason))
        handled = min(waiting) - 1 if waiting else max((seq for seq, _ in numbered), default=session.promoted_seq)
        if handled > session.promoted_seq:
            self._capture.note_promoted(harness, session_id, handled)
        self._blank(signal for signal, reason in dropped if reason == ERASED)
        return Promotion(added=tuple(added), reinforced=tuple(again), dropped=tuple(dropped), deferred=bool(waiting))

    def judge(self, harness: str, signal: Signal, identity: RepoIdentity) -> tuple[Candidate | None, str]:
        """Return what would become of a signal, or why nothing would. Changes nothing."""
        candidate, reason = self._candidate(harness, signal, identity)
        is_erased = candidate is not None and self._is_erased(candidate)
        return (None, ERASED) if is_erased else (candidate, reason)

    def _is_erased(self, candidate: Candidate) -> bool:
        """Say whether the user erased the rule after it was said; capture knows, unless the graph was not known yet."""
        signal = candidate.signal
        said_at = signal.at if signal.is_dated else None
        erased = erased_since(self._graphs, [candidate.graph], said_at, self._clock.now())
        return any(is_held_by(text, erased) for text in (signal.rule, *(ref.quote for ref in signal.evidence)))

    def _blank(self, signals: Iterable[Signal]) -> None:
        """Take the words out of the events in which some signals were noticed."""
        refs = [ref for signal in signals for ref in signal.evidence]
        if refs:
            with suppress(StoreError):  # the words are gone, and their old bytes go with the next purge or restart
                self._control.erase((), refs)

    def _identity_of(self, harness: str, signal: Signal) -> RepoIdentity:
        if self._locator.is_excluded(signal.cwd):  # since it was said: git is not even asked
            return RepoIdentity(standing=Standing.NONE)
        if signal.graph is not None:
            graph = self._locator.current(signal.graph, harness, signal.cwd)
            return RepoIdentity(standing=Standing.VERIFIED, write=graph)
        return self._locator.locate(harness, signal.cwd)

    def _candidate(self, harness: str, signal: Signal, identity: RepoIdentity) -> tuple[Candidate | None, str]:
        if self._locator.is_excluded(signal.cwd):
            return None, "said where wisen stays out"
        if self._maker.standing(signal) is None:
            return None, f"{signal.origin.value} may not become a memory"
        if any(map(holds_withheld, (signal.rule, signal.title, signal.why, signal.how_to_apply))):
            return None, WITHHELD
        graph = scope_of(signal, repo=identity.write, user=self._locator.user_graph(harness))
        if graph is None:
            return None, "said outside any repository, and not about you"
        if reason := why_not_in(graph, signal):
            refused = {"graph": str(graph), "source": signal.source.value, "origin": signal.origin.value}
            log.warning("write_refused", extra={**refused, "reason": reason})
            return None, reason
        passed = candidates(graph, (signal,), branch=signal.branch)
        candidate, reason = admitted(passed[0]) if passed else (None, "refused by the gate")
        return self._guide.judged(candidate) if candidate else (None, reason)

    def _store(self, candidate: Candidate, batch: str) -> tuple[Memory, bool]:
        store = self._graphs.open(candidate.graph)
        signal, now = candidate.signal, self._clock.now()
        digest = fingerprint(signal.rule)
        first = signal.evidence[0]
        call = f"/{signal.trigger}" if signal.trigger else ""
        key = f"{first.session_id}/{first.event_id}/{digest}{call}"
        key += "/approved" if signal.source is Source.MERGED else ""
        reason = signal.source.value
        known = (*store.by_digest(digest), *store.learned_from(signal.evidence, signal.trigger))
        if (made := made_of(known, signal)) is not None:
            stronger = self._maker.made_before(made, signal, now)
        elif (twin := near_of(store, signal.rule, trigger=signal.trigger)) is not None:
            shown = self._control.receipts(harness=twin.graph.harness, session_id=first.session_id, limit=_RECALLS)
            stronger = self._maker.seen_again(said_again(twin, signal, shown), signal, now)
        else:
            status = self._maker.standing(signal)
            assert status is not None  # noqa: S101 -- _candidate has checked it
            memory = self._maker.new(candidate, status, memory_id=self._ids.new_id(), now=now)
            memory, is_new = store.add(memory, key=key, actor=Actor.GATE, reason=reason, batch=batch)
            return (supersede(store, memory, signal, key=key, batch=batch) if is_new else memory), is_new
        held, _ = store.update(stronger, actor=Actor.GATE, action="support", reason=reason, key=key, batch=batch)
        return supersede(store, held, signal, key=key, batch=batch), False


class Sweep:
    """Finds sessions whose signals wait, or whose transcript was not read to its end, because no end was seen."""

    def __init__(
        self, *, control: ControlStore, capture: Capture, clock: Clock, sizes: Mapping[str, TranscriptSize]
    ) -> None:
        self._control = control
        self._capture = capture
        self._clock = clock
        self._sizes = sizes

    def sweep(self, *, idle_minutes: float, but_not: str = "", limit: int = 200) -> int:
        """Queue a promotion for at most `limit` sessions silent for `idle_minutes`; return how many.

        Those with signals left, and among the newest ones those whose transcript has grown since it was read.
        `but_not` is the id of a session that has just begun. With nothing new, nothing is written.
        """
        now = self._clock.now()
        before = now - timedelta(minutes=idle_minutes) + timedelta(microseconds=1)
        waiting = self._control.sessions_with_signals(before, now=now, limit=limit)
        newest = self._control.sessions(limit=_LOOKED_AT)
        # One last active after now is silent too: the clock was ahead when it was.
        silent = (s for s in newest if s.last_event_at < before or s.last_event_at > now)
        found = {(s.harness, s.session_id): s for s in (*waiting, *filter(self._is_unread, silent))}
        return sum(
            self._capture.enqueue_promotion(session.harness, session.session_id)
            for session in list(found.values())[:limit]
            if session.session_id != but_not
        )

    def _is_unread(self, session: Session) -> bool:
        """Say whether a session's file can be read and has another size than it had when it was."""
        size_of = self._sizes.get(session.harness)
        size = size_of(session.transcript) if size_of and session.transcript else None
        return size is not None and size != session.transcript_size

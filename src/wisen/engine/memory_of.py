"""What does a signal make of a memory: a new one, or one that is surer than before?

Pure but for the ids and the time it is given. A rule counts every time it is said; what was only observed counts once
a session, however often it happened there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from wisen.core.guide import AGAINST_GUIDE
from wisen.core.lifecycle import fingerprint, initial_confidence, raised, reinforced, same_rule
from wisen.core.reasons import reasoned
from wisen.core.sameness import Likeness, likeness
from wisen.core.triggers import is_same_call
from wisen.core.trust import OBSERVED, standing_for
from wisen.core.types import (
    Candidate,
    EventRef,
    GraphKind,
    Memory,
    Origin,
    Signal,
    Source,
    Status,
    Tier,
    Visibility,
)

_SESSIONS_ENOUGH = 2  # in which something that waits for review came up, for it to need no review


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Makes and changes memories by the rules of trust; `learn_headless` is the user's switch."""

    learn_headless: bool

    def standing(self, signal: Signal) -> Status | None:
        """Return the status that a new memory of this signal gets, or None when it may not become one."""
        return standing_for(signal.origin, learn_headless=self.learn_headless, tier=signal.tier)

    def new(self, candidate: Candidate, status: Status, *, memory_id: str, now: datetime) -> Memory:
        """Return the memory that a candidate becomes."""
        signal = candidate.signal
        is_personal = candidate.graph.kind is GraphKind.USER
        return Memory(
            memory_id=memory_id,
            graph=candidate.graph,
            kind=signal.kind,
            category=signal.category,
            title=signal.title,
            text=signal.rule,
            why=signal.why,
            how_to_apply=signal.how_to_apply,
            trigger=signal.trigger,
            anchors=signal.anchors,
            digest=fingerprint(signal.rule),
            created_at=now,
            authored_at=signal.at,
            verified_at=signal.at,
            source=signal.source,
            origin=signal.origin,
            evidence=signal.evidence,
            session_id=signal.session_id,
            branch=candidate.branch,
            support=_support(signal),
            confidence=initial_confidence(signal.source, signal.origin),
            status=status,
            visibility=Visibility.PERSON if is_personal else Visibility.REPO,
        )

    def seen_again(self, memory: Memory, signal: Signal, now: datetime) -> Memory:
        """Return a memory after another signal said the same."""
        if signal.origin in OBSERVED and not _is_new_session(memory, signal):
            return memory
        evidence = signal.evidence[:1] if signal.origin in OBSERVED else _not_copied(memory, signal)
        stronger = reinforced(memory, evidence, now, origin=signal.origin)
        if self.standing(signal) is Status.ACTIVE:
            stronger = reworded(stronger, signal)
        stronger = _filled(raised(stronger, signal.source, signal.origin, now), signal)
        if self.is_settled(stronger, signal):
            return replace(stronger, status=Status.ACTIVE, origin=_surer(stronger, signal))
        return stronger

    def made_before(self, memory: Memory, signal: Signal, now: datetime) -> Memory:
        """Return a memory after a signal came in that has made or supported it already, maybe under another name.

        Whatever the user has done to it since is the later word; only what waits for them is settled by their approval.
        """
        stronger = raised(memory, signal.source, signal.origin, now)
        if signal.source is Source.MERGED and memory.status is Status.PENDING_REVIEW:
            evidence = (*memory.evidence, *(ref for ref in signal.evidence if ref not in memory.evidence))
            return replace(
                stronger,
                status=Status.ACTIVE,
                source=Source.MERGED,
                origin=Origin.USER_APPROVED,
                evidence=evidence,
                confidence=max(stronger.confidence, initial_confidence(Source.MERGED, Origin.USER_APPROVED)),
                verified_at=now,
            )
        return stronger

    def is_settled(self, memory: Memory, signal: Signal) -> bool:
        """Tell whether a memory that is not active becomes so by this signal.

        The user has said it (again): that settles a review, and takes back a forgetting. What was only suggested, or
        observed, takes no forgetting back; it needs no review once it came up in another session.
        """
        if self.standing(signal) is Status.ACTIVE:
            said = signal.origin not in OBSERVED
            return memory.status is Status.PENDING_REVIEW or (said and memory.status is Status.FORGOTTEN)
        may_be = (
            standing_for(origin, learn_headless=self.learn_headless) is Status.ACTIVE
            for origin in (memory.origin, signal.origin)
        )
        return (
            memory.status is Status.PENDING_REVIEW
            and memory.category != AGAINST_GUIDE  # the guide wins, however often the contrary is said
            and not memory.text.endswith(("?", "？", "؟"))  # what was only asked is no rule, however often
            and signal.tier is Tier.SUGGEST
            and signal.origin is not Origin.OBSERVED_LOCATION  # it has its sessions; what it lacks is the definition
            and all(may_be)
            and len(sessions_in(memory.evidence)) >= _SESSIONS_ENOUGH
        )


def sessions_in(evidence: Iterable[EventRef]) -> frozenset[str]:
    """Return the sessions in which something came up. A fork copies history: the same words at the same moment."""
    first: dict[tuple[str, datetime], str] = {}
    for ref in evidence:
        first.setdefault((ref.quote, ref.at), ref.session_id)
    return frozenset(first.values())


def made_of(known: Iterable[Memory], signal: Signal) -> Memory | None:
    """Return the memory that this very signal made or supported already, also one that was reworded or put away since.

    The natural keys in the store would not tell: to find the memory that a signal supported, its words are compared,
    and a user may have changed them. The first piece of evidence is the signal's own; others (an approval, the words
    around a recipe) may be evidence for more than one.
    """
    if not signal.evidence:
        return None
    own = signal.evidence[0]
    found = (
        m
        for m in known
        if is_same_call(m.trigger, signal.trigger)
        and any(
            (ref.session_id, ref.event_id, ref.quote) == (own.session_id, own.event_id, own.quote) for ref in m.evidence
        )
    )
    return min(found, key=lambda m: (m.created_at, m.memory_id), default=None)


def reworded(memory: Memory, signal: Signal) -> Memory:
    """Return the memory in a signal's words, where these say more than its own.

    The first wording stays, unless the new one was asked for, or names what the first one left open. What the user
    reworded keeps their words.
    """
    is_fuller = likeness(signal.rule, memory.text) is Likeness.WIDER
    is_asked = signal.source is Source.EXPLICIT is not memory.source
    is_as_said = any(same_rule(reasoned(ref.quote).rule, memory.text) for ref in memory.evidence)
    if signal.trigger is not None or not is_as_said or not (is_fuller or is_asked):
        return memory
    return replace(memory, text=signal.rule, digest=fingerprint(signal.rule))


def _not_copied(memory: Memory, signal: Signal) -> tuple[EventRef, ...]:
    """Return the evidence that is no copy of what is known: a fork repeats the same words of the same moment."""
    known = {(ref.quote, ref.at): ref.session_id for ref in memory.evidence}
    return tuple(ref for ref in signal.evidence if known.get((ref.quote, ref.at), ref.session_id) == ref.session_id)


def _is_new_session(memory: Memory, signal: Signal) -> bool:
    return not sessions_in(signal.evidence) <= sessions_in(memory.evidence)


def _support(signal: Signal) -> int:
    """Return in how many sessions it came up, for what was observed; said once, it counts once."""
    return max(1, len(sessions_in(signal.evidence))) if signal.origin in OBSERVED else 1


def _filled(memory: Memory, signal: Signal) -> Memory:
    """Return the memory with what the first telling left open."""
    return replace(
        memory,
        title=memory.title or signal.title,
        why=memory.why or signal.why,
        how_to_apply=memory.how_to_apply or signal.how_to_apply,
        category=memory.category or signal.category,
        anchors=memory.anchors or signal.anchors,
    )


def _surer(memory: Memory, signal: Signal) -> Origin:
    """Return who a settled memory is from: what a suggestion repeats stays its first author's."""
    return memory.origin if signal.tier is Tier.SUGGEST else signal.origin

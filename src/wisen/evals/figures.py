"""What are the figures of a replay? One tree of numbers, the same for JSON, the terminal and the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TypeAlias

from wisen.core.recalls import RecallTrigger
from wisen.core.types import Memory, Source, Status
from wisen.evals import scoring_facts, scoring_moments, silence
from wisen.evals.deeds_seen import Again
from wisen.evals.gate_score import wilson
from wisen.evals.playing import Blocks, Played
from wisen.evals.replaying import Replay
from wisen.evals.scoring_facts import FactStanding

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"


def view(replay: Replay) -> Mapping[str, Json]:
    """Return a replay as JSON-able values: totals, and one entry for each session. No text of a memory is in it."""
    return {
        "repository": replay.repository,
        "totals": totals(replay),
        "facts": _facts(replay.facts),
        "moments": _moments(replay),
        "silence": dict(silence.counts(replay.sessions, replay.labelled)),
        "sessions": [session_view(one) for one in replay.sessions],
    }


def totals(replay: Replay) -> Mapping[str, Json]:
    """Return the sums over all sessions."""
    sessions = replay.sessions
    return {
        "sessions": len(sessions),
        "events": sum(one.events for one in sessions),
        "prompts": sum(one.prompts for one in sessions),
        "signals": sum(one.signals for one in sessions),
        "candidates": sum(one.candidates for one in sessions),
        "memories": memory_counts(replay.memories),
        "dropped": summed(one.dropped for one in sessions),
        "passed_over": summed(one.passed_over for one in sessions),
        "recall": {name: asdict(blocks) for name, blocks in recall_totals(sessions).items()},
        "recall_chars_per_session": _per(sum(chars_of(one) for one in sessions), len(sessions)),
        "corrected_again": sum(one.corrected_again for one in sessions),
        "corrected_in_vain": sum(one.in_vain for one in sessions),
        "failures": asdict(sum((one.seen.failures for one in sessions), Again())),
        "lookups": asdict(sum((one.seen.lookups for one in sessions), Again())),
    }


def session_view(one: Played) -> Mapping[str, Json]:
    """Return one session's figures."""
    return {
        "number": one.number,
        "session": one.session_id,
        "at": one.at.isoformat(),
        "agent": one.agent,
        "events": one.events,
        "prompts": one.prompts,
        "signals": one.signals,
        "candidates": one.candidates,
        "added": [memory.memory_id for memory in one.added],
        "reinforced": [memory.memory_id for memory in one.reinforced],
        "dropped": dict(one.dropped),
        "passed_over": dict(one.passed_over),
        "active": one.active,
        "waiting": one.waiting,
        "recall": {name: asdict(blocks) for name, blocks in one.blocks.items()},
        "corrected_again": one.corrected_again,
        "corrected_in_vain": one.in_vain,
        "failures": asdict(one.seen.failures),
        "lookups": asdict(one.seen.lookups),
    }


def memory_counts(memories: Sequence[Memory]) -> Mapping[str, Json]:
    """Return how many memories are active and wait, and of which source they are."""
    return {
        "active": sum(memory.status is Status.ACTIVE for memory in memories),
        "waiting": sum(memory.status is Status.PENDING_REVIEW for memory in memories),
        "by_source": {
            source.value: {
                status.value: count
                for status in (Status.ACTIVE, Status.PENDING_REVIEW)
                if (count := sum(memory.source is source and memory.status is status for memory in memories))
            }
            for source in Source
            if any(memory.source is source for memory in memories)
        },
        "supported_again": sum(memory.support > 1 for memory in memories),
    }


def recall_totals(sessions: Sequence[Played]) -> Mapping[str, Blocks]:
    """Return what recall gave in all, by the kind of moment."""
    names = [trigger.value for trigger in RecallTrigger]
    sums = {name: sum((one.blocks.get(name, Blocks()) for one in sessions), Blocks()) for name in names}
    return {name: blocks for name, blocks in sums.items() if blocks.blocks}


def chars_of(session: Played) -> int:
    """Return how many characters recall put before the agent in a session."""
    return sum(blocks.chars for blocks in session.blocks.values())


def summed(counted: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    """Return the sum of counts, the most frequent first."""
    total: Counter[str] = Counter()
    for one in counted:
        total.update(one)
    return dict(total.most_common())


def share(hits: int, of: int) -> Mapping[str, Json]:
    """Return a share with its 95 % interval, 0..1; None where nothing was counted."""
    low, high = wilson(hits, of)
    return {"of": of, "hits": hits, "share": round(hits / of, 4) if of else None, "interval": [_r(low), _r(high)]}


def _facts(standings: Sequence[FactStanding]) -> Mapping[str, Json]:
    kinds = sorted({one.fact.kind for one in standings})
    return {
        **_fact_shares(standings),
        "by_kind": {kind: _fact_shares([one for one in standings if one.fact.kind == kind]) for kind in kinds},
        "each": [
            {
                "id": one.fact.fact_id,
                "revealed": one.revealed,
                "held": one.held,
                "held_active": one.held_active,
                "named": one.named,
                "touched": one.touched,
            }
            for one in standings
        ],
    }


def _fact_shares(standings: Sequence[FactStanding]) -> Mapping[str, Json]:
    counts = scoring_facts.counts(standings)
    names = ("held_in_time", "held_in_time_active", "held", "held_active", "named", "touched")
    return {name: share(counts[name], counts["facts"]) for name in names}


def _moments(replay: Replay) -> Mapping[str, Json]:
    counts = scoring_moments.counts(replay.moments)
    return {
        "groups": {
            name: {
                "served": share(group["served"], group["moments"]),
                "served_or_in_context": share(group["served"] + group["in_context"], group["moments"]),
                "counts": dict(group),
            }
            for name, group in counts.items()
        },
        "each": [
            {
                "id": one.moment.moment_id,
                "type": one.moment.kind,
                "timing": one.moment.timing,
                "served": one.served,
                "in_context": one.in_context,
                "known": one.known,
                "waiting": one.waiting,
            }
            for one in replay.moments
        ],
    }


def _per(total: int, of: int) -> float:
    return round(total / of, 1) if of else 0.0


def _r(value: float) -> float:
    return round(value, 4)

"""Why was a memory no hit? In words, for the person who asks."""

from __future__ import annotations

from collections.abc import Sequence

from wisen.core.recalls import LeftOut, MemoryFilter
from wisen.core.types import Memory, MemoryKind, Status


def why_filtered(memory: Memory, where: MemoryFilter) -> str:
    """Return in words which part of the filter a memory does not pass, '' where it passes."""
    checks = (
        (memory.status is Status.PENDING_REVIEW, "waits for review"),
        (memory.status not in where.statuses, f"is {memory.status.value}"),
        (where.exclude.get(memory.memory_id) == memory.digest, "shown earlier in this session"),
        (memory.confidence < where.min_confidence, f"confidence {memory.confidence:.2f} < {where.min_confidence:.2f}"),
        (where.sources is not None and memory.source not in where.sources, "source not asked for"),
        (
            where.kinds is not None and memory.kind not in where.kinds,
            "waits until the past is asked for" if memory.kind is MemoryKind.EPISODIC else "kind not asked for",
        ),
        (
            memory.snoozed_until is not None and where.awake_at is not None and memory.snoozed_until > where.awake_at,
            "snoozed",
        ),
    )
    return next((reason for fails, reason in checks if fails), "")


def left(memory: Memory, reason: str, score: float = 0.0) -> LeftOut:
    """Return a memory that was left out, and why."""
    return LeftOut(memory_id=memory.memory_id, graph=memory.graph, reason=reason, score=score)


def named(terms: Sequence[str]) -> str:
    """Return terms as a person reads them: a pair of words is named by its words."""
    return ", ".join(term for term in terms if " " not in term)

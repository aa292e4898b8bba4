"""What does a rule put out of force? Only what its words take back explicitly; journalled, so that it can be undone."""

from __future__ import annotations

from dataclasses import replace

from wisen.core.records import Actor
from wisen.core.types import Memory, Origin, Signal, Status, Tier
from wisen.engine.twins import given_up_by
from wisen.ports import GraphStore


def supersede(store: GraphStore, memory: Memory, signal: Signal, *, key: str, batch: str) -> Memory:
    """Put the rules out of force that the signal, of which `memory` was made, takes back; return `memory` as it stands.

    Only the user's own typed words do, and only in a memory that is in force. May be repeated: `key` names the act.
    """
    is_theirs = signal.origin is Origin.USER_TYPED and signal.tier is Tier.ADOPT and signal.trigger is None
    if not is_theirs or memory.status is not Status.ACTIVE:
        return memory
    gone = [old for old in given_up_by(store, signal.rule) if old.memory_id != memory.memory_id]
    if not gone:
        return memory
    ids = dict.fromkeys((*memory.supersedes, *(old.memory_id for old in gone)))
    newer = replace(memory, supersedes=tuple(ids))
    reason = f"takes the place of {', '.join(old.short_id for old in gone)}"
    held, _ = store.update(newer, actor=Actor.GATE, action="edit", reason=reason, key=f"{key}/supersedes", batch=batch)
    for old in gone:
        store.update(
            replace(old, status=Status.SUPERSEDED),
            actor=Actor.GATE,
            action="status",
            reason=f"{memory.short_id} takes its place",
            key=f"{key}/superseded",
            batch=batch,
        )
    return held

"""Is that known already? The memory of a graph that states the same rule, whatever dress its words wear."""

from __future__ import annotations

from wisen.core.lifecycle import fingerprint, same_rule
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory, Status
from wisen.ports import GraphStore

# Beyond so many memories only equal wordings are found; a graph of rules is far smaller.
MOST_COMPARED = 2000


def twin_of(store: GraphStore, text: str, *, but_not: str = "") -> Memory | None:
    """Return the oldest memory that says the same, whatever its standing; one that was superseded does not count."""
    digest = fingerprint(text)
    standing = frozenset(status for status in Status if status is not Status.SUPERSEDED)
    same = [m for m in store.by_digest(digest) if m.status in standing]
    if not same:
        known = store.list(MemoryFilter(statuses=standing), limit=MOST_COMPARED)
        same = [m for m in known if same_rule(m.text, text)]
    others = [m for m in same if m.memory_id != but_not]
    return min(others, key=lambda m: (m.created_at, m.memory_id)) if others else None

"""Is that known already? The memory of a graph that states the same rule, whatever dress its words wear."""

from __future__ import annotations

from collections.abc import Sequence

from wisen.core.lifecycle import fingerprint, same_rule
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory, Status
from wisen.ports import GraphStore

# Beyond so many memories only equal wordings are found; a graph of rules is far smaller.
MOST_COMPARED = 2000
_STANDING = frozenset(status for status in Status if status is not Status.SUPERSEDED)


def most_of(store: GraphStore, statuses: frozenset[Status] = frozenset(Status)) -> Sequence[Memory]:
    """Return the memories of a graph that are compared; each is read and checked, which costs some 15 us."""
    return store.list(MemoryFilter(statuses=statuses), limit=MOST_COMPARED)


def twin_of(
    store: GraphStore,
    text: str,
    *,
    but_not: str = "",
    among: frozenset[Status] = _STANDING,
    known: Sequence[Memory] | None = None,
) -> Memory | None:
    """Return the oldest memory that says the same, an active one before all others; or None.

    One that was superseded does not count unless `among` has it. An active twin hides those that were put away: to
    bring one of them back beside it would recall the same rule twice. `known` is what `most_of` said a moment ago.
    """
    digest = fingerprint(text)
    same = [m for m in store.by_digest(digest) if m.status in among and m.memory_id != but_not]
    if not any(m.status is Status.ACTIVE for m in same):
        known = [m for m in known if m.status in among] if known is not None else most_of(store, among)
        same += [m for m in known if m.memory_id != but_not and same_rule(m.text, text)]
    return min(same, key=lambda m: (m.status is not Status.ACTIVE, m.created_at, m.memory_id), default=None)

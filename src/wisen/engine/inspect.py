"""What is there, and why: memories by reference, receipts, the journal, sizes and problems. Changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wisen.core.records import GraphStats, JobState, JournalEntry, Receipt
from wisen.core.types import GraphId, Memory, MemoryFilter, Status
from wisen.errors import Conflict, NotFound
from wisen.ports import ControlStore, GraphStores

_ALL = MemoryFilter(statuses=frozenset(Status))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Sizes and counts of everything a user has."""

    graphs: tuple[GraphStats, ...]
    counters: Mapping[str, int] = field(default_factory=dict)
    jobs: Mapping[str, int] = field(default_factory=dict)
    sessions: int = 0
    waiting_review: int = 0
    problems: tuple[str, ...] = ()


class Inspect:
    """Reads for people."""

    def __init__(self, *, control: ControlStore, graphs: GraphStores) -> None:
        self._control = control
        self._graphs = graphs

    def memories(
        self, graphs: Sequence[GraphId], *, statuses: frozenset[Status] | None = None, limit: int = 1000
    ) -> tuple[Memory, ...]:
        """Return the memories of graphs with a status among `statuses` (all when None)."""
        where = _ALL if statuses is None else MemoryFilter(statuses=statuses)
        found: list[Memory] = []
        for graph in graphs:
            store = self._graphs.existing(graph)
            if store is not None:
                found.extend(store.list(where, limit=limit - len(found)))
            if len(found) >= limit:
                break
        return tuple(found)

    def resolve(self, ref: str, graphs: Sequence[GraphId]) -> Memory:
        """Return the one memory a reference (id, short id or prefix of either) means in these graphs.

        Raises NotFound for none, Conflict for several.
        """
        matches: dict[str, Memory] = {}
        for graph in graphs:
            store = self._graphs.existing(graph)
            for memory in store.by_prefix(ref) if store and ref else ():
                matches.setdefault(memory.memory_id, memory)
        if not matches:
            msg = f"no memory {ref!r} here"
            raise NotFound(msg)
        if len(matches) > 1:
            some = ", ".join(memory.short_id for memory in list(matches.values())[:5])
            msg = f"{ref!r} means several memories: {some}"
            raise Conflict(msg, hint="type more digits of the one you mean")
        return next(iter(matches.values()))

    def lookup(self, graph: GraphId, memory_id: str) -> Memory | None:
        """Return a memory that a receipt or a journal entry names, or None if it is gone."""
        store = self._graphs.existing(graph)
        return store.get(memory_id) if store else None

    def journal(self, graph: GraphId, *, memory_id: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return a graph's journal, newest first."""
        store = self._graphs.existing(graph)
        return store.journal(memory_id=memory_id, limit=limit) if store else ()

    def receipts(
        self, *, harness: str, session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> tuple[Receipt, ...]:
        """Return recalls, newest first: of a session, or of a repository, or all."""
        wide = limit if graph is None else 500
        found = self._control.receipts(harness=harness, session_id=session_id, limit=wide)
        mine = [r for r in found if graph is None or graph in r.graphs]
        return tuple(mine[:limit])

    def overview(self) -> Overview:
        """Return sizes and counts."""
        stats: list[GraphStats] = []
        for graph in self._graphs.graphs():
            store = self._graphs.existing(graph)
            if store is not None:
                stats.append(store.stats())
        jobs = {state.value: 0 for state in JobState}
        for job in self._control.jobs(limit=1000):
            jobs[job.state.value] += 1
        return Overview(
            graphs=tuple(stats),
            counters=self._control.counters(),
            jobs=jobs,
            sessions=len(self._control.sessions(limit=10_000)),
            problems=tuple(self._graphs.problems()),
            waiting_review=sum(s.by_status.get(Status.PENDING_REVIEW.value, 0) for s in stats),
        )

"""What is there, and why: memories by reference, receipts, the journal, sizes and problems. Changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from wisen.core.gate import Verdict, explain
from wisen.core.recalls import MemoryFilter
from wisen.core.records import GraphStats, JobState, JournalEntry, Receipt, Session
from wisen.core.repetition import is_repeated
from wisen.core.shortids import short
from wisen.core.types import GraphId, Memory, Status, UserPrompt
from wisen.errors import Conflict, NotFound, StoreDamaged, StoreError
from wisen.ports import ControlStore, GraphStore, GraphStores

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One sentence of a prompt, and what the gate made of it."""

    at: datetime
    channel: str
    verdict: Verdict


class Inspect:
    """Reads for people."""

    def __init__(self, *, control: ControlStore, graphs: GraphStores) -> None:
        self._control = control
        self._graphs = graphs

    def memories(
        self, graphs: Sequence[GraphId], *, statuses: frozenset[Status] | None = None, limit: int = 1000
    ) -> tuple[Memory, ...]:
        """Return the memories of graphs with a status among `statuses` (all when None).

        What can't be read hinders nothing else, and is told by `unread`; raises its StoreError where there is no other.
        """
        where = _ALL if statuses is None else MemoryFilter(statuses=statuses)
        stores, errors = self._opened(graphs)
        if errors and not stores:
            raise errors[0]
        found: list[Memory] = []
        for store in stores:
            listed = store.list(where, limit=limit - len(found))
            found.extend(sorted(listed, key=lambda memory: (not memory.pinned, not is_repeated(memory))))
            if len(found) >= limit:
                break
        return tuple(found)

    def unread(self, graphs: Sequence[GraphId]) -> tuple[str, ...]:
        """Return in words which of some graphs can't be read, or were damaged and may have lost something."""
        errors = [error.message for error in self._opened(graphs)[1]]
        return (*errors, *(said for graph in graphs for said in self._graphs.set_aside(graph)))

    def resolve(self, ref: str, graphs: Sequence[GraphId]) -> Memory:
        """Return the one memory a reference (id, short id or prefix of either) means in these graphs.

        Raises NotFound for none, Conflict for several, StoreError when it may be what can't be read.
        """
        matches: dict[str, Memory] = {}
        stores, errors = self._opened(graphs)
        for store in stores:
            try:
                for memory in store.by_prefix(ref) if ref else ():
                    matches.setdefault(memory.memory_id, memory)
            except StoreDamaged as error:
                errors.append(error)
        if not matches and errors:
            raise errors[-1]
        return matches[_the_one(ref, list(matches))]

    def graph_of(self, ref: str, graphs: Sequence[GraphId]) -> tuple[GraphId, str]:
        """Return where something is left of the memory a reference means, and its id; for what can't be read.

        In a graph, a damaged memory comes before one of which only the journal knows.
        Raises NotFound for none, Conflict for several.
        """
        found: dict[str, GraphId] = {}
        for store in self._opened(graphs)[0]:
            for memory_id in store.ids_by_prefix(ref):
                found.setdefault(memory_id, store.graph)
        memory_id = _the_one(ref, list(found))
        return found[memory_id], memory_id

    def lookup(self, graph: GraphId, memory_id: str) -> Memory | None:
        """Return a memory that a receipt or a journal entry names, or None if it is gone or damaged."""
        try:
            store = self._graphs.existing(graph)
            return store.get(memory_id) if store else None
        except StoreError:
            return None

    def journal(self, graph: GraphId, *, memory_id: str = "", limit: int = 50) -> Sequence[JournalEntry]:
        """Return a graph's journal, newest first."""
        store = self._graphs.existing(graph)
        return store.journal(memory_id=memory_id, limit=limit) if store else ()

    def receipts(
        self, *, harness: str, session_id: str = "", graph: GraphId | None = None, limit: int = 20
    ) -> tuple[Receipt, ...]:
        """Return recalls, newest first: of a session, or of the place that reads `graph` first, or all."""
        found = self._control.receipts(harness=harness, session_id=session_id, graph=graph, limit=limit)
        # The user's own graph is read everywhere; a place is told by what it reads first.
        return tuple(receipt for receipt in found if graph is None or receipt.graphs[:1] == (graph,))

    def heard(self, session: Session) -> tuple[Heard, ...]:
        """Return every sentence of a session's prompts that is still kept, with what became of it and why."""
        events = self._control.events(session.harness, session.session_id)
        return tuple(
            Heard(at=event.at, channel=event.body.channel.value, verdict=verdict)
            for event in events
            if isinstance(event.body, UserPrompt)
            for verdict in explain(event)
        )

    def session_at(self, harness: str, *, session_id: str = "", graph: GraphId | None = None) -> Session | None:
        """Return a session by its id, or the one last active in a repository (or outside of any, for None)."""
        if session_id:
            return self._control.session(harness, session_id)
        mine = (s for s in self._control.sessions(limit=500) if s.harness == harness and s.graph == graph)
        return next(mine, None)

    def _opened(self, graphs: Sequence[GraphId]) -> tuple[list[GraphStore], list[StoreError]]:
        """Return the graphs that are there and can be read, and what is wrong with the others."""
        stores: list[GraphStore] = []
        errors: list[StoreError] = []
        for graph in graphs:
            try:
                if (store := self._graphs.existing(graph)) is not None:
                    stores.append(store)
            except StoreError as error:
                errors.append(error)
        return stores, errors

    def overview(self) -> Overview:
        """Return sizes and counts of what can be read, and what is wrong with the rest."""
        stats: list[GraphStats] = []
        for graph in self._graphs.graphs():
            with suppress(StoreError):  # it is among the problems
                store = self._graphs.existing(graph)
                if store is not None:
                    stats.append(store.stats())
        jobs = {state.value: 0 for state in JobState} | dict(self._control.job_counts())
        return Overview(
            graphs=tuple(stats),
            counters=self._control.counters(),
            jobs=jobs,
            sessions=self._control.session_count(),
            problems=(*self._graphs.problems(), *self._control.problems()),
            waiting_review=sum(s.by_status.get(Status.PENDING_REVIEW.value, 0) for s in stats),
        )


def _the_one(ref: str, memory_ids: Sequence[str]) -> str:
    """Return the only one of some ids. Raises NotFound for none, Conflict for several."""
    if not memory_ids:
        raise NotFound(f"no memory {ref!r} here")
    if len(memory_ids) > 1:
        some = ", ".join(short(memory_id) for memory_id in memory_ids[:5])
        raise Conflict(f"{ref!r} means several memories: {some}", hint="type more digits of the one you mean")
    return memory_ids[0]

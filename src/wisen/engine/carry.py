"""How do memories leave wisen in a file, and come into it from one? As they are, with everything that happened to them.

What a file says is data, never authority: its texts are cleaned again, nothing in it makes a memory more trusted than
who said it allows, no memory changes its harness, and what is here already stays as it is here.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from wisen.core.graphids import parse_graph_id
from wisen.core.lifecycle import with_usage_of
from wisen.core.portable import Alias, MemoryRecord, Record, in_graph
from wisen.core.records import RootClaim
from wisen.core.types import GraphId, Memory, Status
from wisen.engine.incoming import Incoming, read_line
from wisen.engine.laundry import Laundry
from wisen.engine.locate import EXCLUDE_HINT, Locator, excluded_graph
from wisen.engine.outgoing import line_of
from wisen.errors import InvalidValue, NotFound, Refused, StoreDamaged
from wisen.ports import Clock, ControlStore, GraphStore, GraphStores, Redactor

_LIVING = frozenset({Status.CANDIDATE, Status.PENDING_REVIEW, Status.ACTIVE})


class Fate(StrEnum):
    """What became of a record of a file."""

    ADDED = "added"
    SAME = "same"  # it is here, as it is in the file
    KEPT = "kept"  # it is here, and was changed since: it stays as it is here
    TWIN = "twin"  # another memory here says the same
    PUT_AWAY = "put_away"  # one here said the same, and was put away after this one was said
    ERASED = "erased"  # it was purged here, and stays so


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What an export of some graphs will hold: how many memories of each, and what can't be read."""

    graphs: Mapping[GraphId, int]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some lines of an export, and where to go on in the graph: '' at its end."""

    lines: tuple[str, ...]
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to take a file in: `into` one graph instead of its own, everything to wait for review, or only told of."""

    into: GraphId | None = None
    review: bool = False
    is_dry: bool = False


@dataclass(slots=True)
class Report:
    """What became of the lines: which were left out and why, what was done to others, and how many had which fate.

    `identities` are aliases and root claims, `fates` is of memories.
    """

    fates: Counter[Fate] = field(default_factory=Counter)
    identities: Counter[Fate] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)


class Carry:
    """Export and import."""

    def __init__(
        self,
        *,
        control: ControlStore,
        graphs: GraphStores,
        locator: Locator,
        redactor: Redactor,
        clock: Clock,
        learn_headless: bool,
        writing: threading.RLock,
    ) -> None:
        self._control = control
        self._graphs = graphs
        self._locator = locator
        self._redactor = redactor
        self._clock = clock
        self._learn_headless = learn_headless
        self._writing = writing  # shared with `Curate` and `Promote`

    # out

    def contents(self, graphs: Sequence[GraphId] | None = None) -> Contents:
        """Return what there is to export, of some graphs or of all.

        Raises NotFound for a graph that does not exist, Refused for that of an excluded directory; of all, such are
        left out and named.
        """
        counts: dict[GraphId, int] = {}
        problems: list[str] = [] if graphs is not None else list(self._graphs.problems())
        excluded = self._locator.excluded_graphs()
        for graph in sorted(set(self._graphs.graphs() if graphs is None else graphs), key=str):
            try:
                store = self._graphs.existing(graph)
            except StoreDamaged:
                if graphs is not None:
                    raise
                continue  # among the problems
            if str(graph) in excluded:
                if graphs is not None:
                    raise Refused(excluded_graph(graph), hint=EXCLUDE_HINT)
                problems.append(excluded_graph(graph))
                continue
            if store is None:
                raise NotFound(f"nothing is remembered in {graph}", hint="`wisen status` lists the graphs there are")
            if count := store.record_count():
                counts[graph] = count
            problems += store.problems() if graphs is not None else ()
        return Contents(graphs=counts, problems=tuple(problems))

    def identity(self, graphs: Sequence[GraphId]) -> Page:
        """Return the lines on who these graphs are: their former ids and root claims."""
        wanted = {str(graph) for graph in graphs}
        aliases = {old: new for old, new in self._control.aliases().items() if {old, new} & wanted}
        named = sorted({*wanted, *aliases, *aliases.values()})
        claims = [claim for name in named if (claim := self._control.root_claim(parse_graph_id(name)))]
        former = [Alias(old=parse_graph_id(old), new=parse_graph_id(new)) for old, new in sorted(aliases.items())]
        return Page(lines=(*map(line_of, former), *map(line_of, claims)))

    def page(self, graph: GraphId, *, after: str = "", limit: int = 500) -> Page:
        """Return the next memories of a graph as lines; of an excluded directory's none."""
        if str(graph) in self._locator.excluded_graphs():
            raise Refused(excluded_graph(graph), hint=EXCLUDE_HINT)
        store = self._graphs.existing(graph)
        if store is None:
            return Page(lines=())
        records, last = store.records(after=after, limit=limit)
        return Page(lines=tuple(line_of(record) for record in records), after=last)

    # in

    def take_in(self, lines: Sequence[tuple[int, str]], how: How) -> Report:
        """Take in numbered lines of an export; those of one graph that can be used all at once or not at all.

        Taking the same lines in again changes nothing, so an import that was interrupted is run again.
        """
        report = Report()
        with self._writing:
            now = self._clock.now()
            found = self._read(lines, how, report, now)
            batch = _Batch(self._known(found), now)
            for number, incoming in found:
                with _told(number, report):
                    counts = report.fates if isinstance(incoming.record, MemoryRecord) else report.identities
                    counts[self._fate(incoming.record, how, batch)] += 1
                    report.notes.update(incoming.notes)
            if not how.is_dry:
                for graph, records in batch.wanted.items():
                    self._graphs.open(graph).take_in(records)
                self._control.flush()
        return report

    def _read(
        self, lines: Sequence[tuple[int, str]], how: How, report: Report, now: datetime
    ) -> list[tuple[int, Incoming]]:
        """Return what the usable ones of some lines say, as it may be kept."""
        laundry = Laundry(self._redactor, now=now, learn_headless=self._learn_headless, review=how.review)
        excluded = self._locator.excluded_graphs()
        found = []
        for number, line in lines:
            with _told(number, report):
                incoming = read_line(line, now=now, graph=how.into)
                if isinstance(incoming.record, MemoryRecord):
                    record = _moved(incoming.record, how.into)
                    if str(record.graph) in excluded:
                        raise Refused(excluded_graph(record.graph))
                    clean, notes = laundry.washed(record)
                    incoming = Incoming(record=clean, notes=(*incoming.notes, *notes))
                else:
                    laundry.refuse_secret_names(incoming.record)
                found.append((number, incoming))
        return found

    def _known(self, found: Sequence[tuple[int, Incoming]]) -> Mapping[GraphId, frozenset[str]]:
        """Return which of the memories are known here already, by graph."""
        ids: dict[GraphId, list[str]] = {}
        for _, incoming in found:
            if isinstance(incoming.record, MemoryRecord):
                ids.setdefault(incoming.record.graph, []).append(incoming.record.memory_id)
        stores = {graph: self._graphs.existing(graph) for graph in ids}
        return {graph: store.known(ids[graph]) for graph, store in stores.items() if store}

    def _fate(self, record: Record, how: How, batch: _Batch) -> Fate:
        match record:
            case MemoryRecord():
                return self._fate_of_memory(record, batch)
            case Alias() | RootClaim():
                return Fate.KEPT if how.into else self._take_identity(record, is_dry=how.is_dry)
            case _:
                assert_never(record)

    def _fate_of_memory(self, record: MemoryRecord, batch: _Batch) -> Fate:
        """Decide on a memory; the keys of one that another memory stands for are kept with that one."""
        store = self._graphs.existing(record.graph)
        if batch.has(record):
            return Fate.SAME
        if store is not None and batch.is_known(record):
            fate = _fate_of_known(record, store)
            if fate is Fate.SAME:
                batch.want(record)  # for its keys
            return fate
        twin = self._twin(record, store, batch)
        if twin:
            batch.want(MemoryRecord(graph=record.graph, memory_id=twin, memory=None, keys=record.keys))
            return Fate.TWIN
        if store is not None and _is_put_away(record, store, batch.now):
            return Fate.PUT_AWAY
        batch.want(record)
        return Fate.ADDED

    def _twin(self, record: MemoryRecord, store: GraphStore | None, batch: _Batch) -> str:
        """Return the id of a living memory with the same words, where two of them would both be recalled."""
        memory = record.memory
        if memory is None or memory.status not in _LIVING:
            return ""
        here = store.by_digest(memory.digest) if store else ()
        coming = batch.living(record.graph, memory.digest)
        living = [held.memory_id for held in here if held.status in _LIVING]
        return next(iter(living), coming.memory_id if coming else "")

    def _take_identity(self, record: Alias | RootClaim, *, is_dry: bool) -> Fate:
        """Take in who a graph is where nothing here says so yet: what is known here decides who may read what."""
        match record:
            case RootClaim():
                held = self._control.root_claim(parse_graph_id(record.graph))
                if held is None and not is_dry:
                    self._control.save_root_claim(record)
                return Fate.ADDED if held is None else Fate.SAME if held == record else Fate.KEPT
            case Alias(old=old, new=new):
                if (old.harness, old.kind) != (new.harness, new.kind):
                    raise Refused(f"{old} can't become {new}: a graph never changes its harness or kind")
                known = self._control.aliases()
                if known.get(str(old)) == str(new):
                    return Fate.SAME
                is_taken = self._control.root_claim(old) is not None or self._graphs.existing(old) is not None
                if is_taken or str(old) in {*known, *known.values()} or str(new) in known:
                    return Fate.KEPT
                if not is_dry:
                    self._control.save_alias(old, new)
                return Fate.ADDED


class _Batch:
    """What is to be taken in together, what of it is known already, and when: a time that is not said is filled in."""

    def __init__(self, known: Mapping[GraphId, frozenset[str]], now: datetime) -> None:
        self.now = now
        self.wanted: dict[GraphId, list[MemoryRecord]] = {}
        self._known = known
        self._ids: set[tuple[GraphId, str]] = set()
        self._living: dict[tuple[GraphId, str], Memory] = {}

    def want(self, record: MemoryRecord) -> None:
        """Have a record taken in."""
        self.wanted.setdefault(record.graph, []).append(record)
        self._ids.add((record.graph, record.memory_id))
        if record.memory is not None and record.memory.status in _LIVING:
            self._living[record.graph, record.memory.digest] = record.memory

    def is_known(self, record: MemoryRecord) -> bool:
        """Whether there was something of a memory before."""
        return record.memory_id in self._known.get(record.graph, ())

    def has(self, record: MemoryRecord) -> bool:
        """Whether the memory came already."""
        return (record.graph, record.memory_id) in self._ids

    def living(self, graph: GraphId, digest: str) -> Memory | None:
        """Return the one among them that says this and may be recalled."""
        return self._living.get((graph, digest))


@contextmanager
def _told(number: int, report: Report) -> Iterator[None]:
    """Go on after a line that can't be used, and tell of it."""
    try:
        yield
    except (InvalidValue, Refused, StoreDamaged) as error:
        report.problems.append((number, error.message))


def _moved(record: MemoryRecord, into: GraphId | None) -> MemoryRecord:
    """Return a record as one of the graph it is imported into. Raises Refused where it may not go there."""
    if into is None:
        return record
    if record.graph.harness != into.harness:
        raise Refused(f"{record.graph} can't go into {into}: a memory never changes its harness")
    if record.graph.kind is not into.kind:
        raise Refused(f"{record.graph} can't go into {into}: what is a repository's and a person's stays apart")
    return in_graph(record, into)


def _is_put_away(record: MemoryRecord, store: GraphStore, now: datetime) -> bool:
    """Whether a memory here said the same as a living one, and was put away after that one was said last.

    Then it stays so: what was said later is said anew. A line that names no time was said before.
    """
    memory = record.memory
    if memory is None or memory.status not in _LIVING:
        return False
    times = (memory.created_at, memory.authored_at, memory.verified_at, *(entry.at for entry in record.journal))
    said_at = max((at for at in times if at is not None and at != now), default=None)
    put_away = (held.memory_id for held in store.by_digest(memory.digest) if held.status not in _LIVING)
    changes = (entry for memory_id in put_away for entry in store.journal(memory_id=memory_id, limit=1))
    return any(said_at is None or said_at < entry.at for entry in changes)


def _fate_of_known(record: MemoryRecord, store: GraphStore) -> Fate:
    held: Memory | None = None
    try:
        held = store.get(record.memory_id)
    except StoreDamaged:
        return Fate.KEPT
    if held is None:
        return Fate.SAME if record.memory is None else Fate.ERASED
    if record.memory is None:
        return Fate.KEPT
    return Fate.SAME if with_usage_of(record.memory, held) == held else Fate.KEPT

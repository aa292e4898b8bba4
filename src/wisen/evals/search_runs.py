"""The queries of a retrieval set, put to the real stores and the real pipeline, and to baselines on the same records.

- `default`: what `wisen recall` does.
- `bm25`: SQLite's FTS5 over the same words, the query's terms ORed, without function words. Nothing of ours ranks.
- `grep`: how many of the query's words a record has as they are written, the order of the file where that is equal.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from wisen.core.recalls import Budget, MemoryFilter, RecallRequest, RecallTrigger
from wisen.core.records import Actor
from wisen.core.types import GraphId, GraphKind, Memory, MemoryKind
from wisen.evals.search_metrics import DEPTH, Scores, scores
from wisen.evals.search_sets import Group, RetrievalSet
from wisen.evals.stage import CountedIds, EventClock
from wisen.retrieval.lexical import query_terms
from wisen.retrieval.pipeline import retrieve
from wisen.store.sqlite.graphs import SqliteGraphs

DEFAULT: Final = "default"
BASELINES: Final = ("bm25", "grep")
PIPELINES: Final = (DEFAULT, *BASELINES)

_GRAPH: Final = GraphId(kind=GraphKind.REPO, harness="eval", authority="retrieval", path="set")
_EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
_WHOLE: Final = Budget(max_chars=1_000_000, max_memory_chars=1_000_000, max_items=DEPTH)
_SHORTEST_WORD: Final = 2

Ranking: TypeAlias = Callable[[str], Sequence[str]]
Progress: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a pipeline scored on one query of a category."""

    category: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Run:
    """A set, and for each pipeline the scores of its queries, in the same order."""

    name: str
    pipelines: Mapping[str, tuple[Answered, ...]]


def run(found: RetrievalSet, pipelines: Sequence[str], *, progress: Progress = lambda _: None) -> Run:
    """Put every query of a set to each pipeline. Writes nothing outside of a temporary directory."""
    answered: dict[str, list[Answered]] = defaultdict(list)
    for number, group in enumerate(found.groups, 1):
        progress(f"{found.name}: {group.name} ({number} of {len(found.groups)}), {len(group.records):,} records")
        with _rankings(group) as rankings:
            for name in pipelines:
                for query in group.queries:
                    ranked = rankings[name](query.text) if query.gold else ()
                    if query.gold:
                        answered[name].append(Answered(query.category, scores(ranked, query.gold)))
    return Run(found.name, {name: tuple(answered[name]) for name in pipelines})


@contextmanager
def _rankings(group: Group) -> Iterator[Mapping[str, Ranking]]:
    """Lend the ways to rank a group's records, indexed in a throw-away store."""
    clock = EventClock(_EPOCH)
    with tempfile.TemporaryDirectory(prefix="wisen-eval-") as directory:
        graphs = SqliteGraphs(Path(directory), clock)
        try:
            store, ids = graphs.open(_GRAPH), CountedIds()
            records: dict[str, str] = {}
            for record in group.records:
                memory = Memory(
                    memory_id=ids.new_id(),
                    graph=_GRAPH,
                    kind=MemoryKind.EPISODIC,
                    text=record.text,
                    digest=record.record_id,
                    created_at=_EPOCH + timedelta(seconds=len(records)),
                    session_id=record.session,
                    confidence=1.0,
                )
                store.add(memory, key=record.record_id, actor=Actor.SYSTEM, reason="")
                records[memory.memory_id] = record.record_id

            def by_default(text: str) -> Sequence[str]:
                request = RecallRequest(
                    trigger=RecallTrigger.MANUAL, graphs=(_GRAPH,), query=text, filter=MemoryFilter(), budget=_WHOLE
                )
                found = retrieve(request, graphs, now=_EPOCH).hits[:DEPTH]
                return [records[hit.memory.memory_id] for hit in found]

            def by_bm25(text: str) -> Sequence[str]:
                terms = [term.text for term in query_terms(text) if " " not in term.text]
                found = store.search(terms, MemoryFilter(), limit=DEPTH).hits
                return [records[hit.memory.memory_id] for hit in found]

            yield {DEFAULT: by_default, "bm25": by_bm25, "grep": _by_grep(group)}
        finally:
            graphs.close()


def _by_grep(group: Group) -> Ranking:
    texts = [(record.record_id, record.text.casefold()) for record in group.records]

    def ranked(text: str) -> Sequence[str]:
        words = {word for word in text.casefold().split() if len(word) >= _SHORTEST_WORD}
        counts = [(sum(word in held for word in words), name) for name, held in texts]
        return [name for count, name in sorted(counts, key=lambda one: -one[0]) if count][:DEPTH]

    return ranked

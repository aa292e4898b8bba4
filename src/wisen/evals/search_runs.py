"""The queries of a retrieval set, put to the real stores and the real pipeline, and to baselines on the same records.

- `default`: what `wisen recall` does, with the packaged model.
- `vectors`: the same without the model's states of each token.
- `words`: the same without any model. `hashing`: the same with feature hashing in its place.
- `bm25`: SQLite's FTS5 over the same words, the query's terms ORed, without function words. Nothing of ours ranks.
- `grep`: how many of the query's words a record has as they are written, the order of the file where that is equal.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from wisen.core.embeddings import TURN
from wisen.core.portable import MemoryRecord
from wisen.core.recalls import Budget, MemoryFilter, RecallRequest, RecallTrigger
from wisen.core.types import GraphId, GraphKind, Memory, MemoryKind
from wisen.engine.embed import Embed
from wisen.errors import Unsupported
from wisen.evals.search_metrics import DEPTH, Scores, scores
from wisen.evals.search_pieces import pieces, said_at
from wisen.evals.search_sets import Group, Query, RetrievalSet
from wisen.evals.stage import CountedIds, EventClock
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.ports import GraphStore
from wisen.retrieval.lexical import query_words
from wisen.retrieval.pipeline import Means, retrieve
from wisen.store.sqlite.graphs import SqliteGraphs

DEFAULT: Final = "default"
VECTORS: Final = "vectors"
WORDS: Final = "words"
HASHING: Final = "hashing"
BASELINES: Final = ("bm25", "grep")
PIPELINES: Final = (DEFAULT, VECTORS, WORDS, HASHING, *BASELINES)
_MODES: Final = {DEFAULT: "packaged", VECTORS: "packaged", HASHING: "hashing"}

_GRAPH: Final = GraphId(kind=GraphKind.REPO, harness="eval", authority="retrieval", path="set")
_EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
_WHOLE: Final = Budget(max_chars=1_000_000, max_memory_chars=1_000_000, max_items=DEPTH)
_SHORTEST_WORD: Final = 2
_LOADING_S: Final = 60.0
_AT_ONCE: Final = 500

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
    """Put every query of a set to each pipeline. Writes nothing outside of a temporary directory.

    Raises Unsupported when a pipeline needs a model that is not there.
    """
    answered: dict[str, list[Answered]] = defaultdict(list)
    with ExitStack() as stack:
        models = {name: _model(stack, mode) for name, mode in _MODES.items() if name in pipelines}
        for number, group in enumerate(found.groups, 1):
            progress(f"{found.name}: {group.name} ({number} of {len(found.groups)}), {len(group.records):,} records")
            asked = [query for query in group.queries if query.gold]
            # token states count where they are kept, so they have a store of their own
            for keep in (False, True):
                these = [name for name in pipelines if (name != VECTORS) is keep]
                wanted = {name: chain for name, chain in models.items() if name in these}
                if these:
                    with _rankings(group, wanted, progress, keep_tokens=keep) as rankings:
                        for name in these:
                            answered[name] += [_answered(rankings[name], query) for query in asked]
    return Run(found.name, {name: tuple(answered[name]) for name in pipelines})


def _answered(ranking: Ranking, query: Query) -> Answered:
    return Answered(query.category, scores(ranking(query.text), query.gold))


def _model(stack: ExitStack, mode: str) -> EmbedderChain:
    chain = EmbedderChain(EmbeddingConfig(mode=mode))
    stack.callback(chain.close)
    if chain.now(within=_LOADING_S) is None:
        raise Unsupported(f"there is no model: {chain.state()}", hint="pip install 'wisen[local]', or --pipeline words")
    return chain


@contextmanager
def _rankings(
    group: Group, models: Mapping[str, EmbedderChain], progress: Progress, *, keep_tokens: bool
) -> Iterator[Mapping[str, Ranking]]:
    """Lend the ways to rank a group's records, indexed in a throw-away store."""
    clock = EventClock(_EPOCH)
    with tempfile.TemporaryDirectory(prefix="wisen-eval-") as directory:
        graphs = SqliteGraphs(Path(directory), clock)
        try:
            store = graphs.open(_GRAPH)
            records = _indexed(store, group)
            for name, chain in models.items():
                work = Embed(graphs=graphs, embedders=chain, keep_tokens=keep_tokens)
                while work.step(_GRAPH, within=_LOADING_S, keep=True):
                    waiting = len(records) - sum(store.spaces().values()) % len(records)
                    progress(f"{name}: {waiting:,} records have no vector yet")

            def by_pipeline(embedders: EmbedderChain | None, text: str) -> Sequence[str]:
                request = RecallRequest(
                    trigger=RecallTrigger.MANUAL, graphs=(_GRAPH,), query=text, filter=MemoryFilter(), budget=_WHOLE
                )
                means = Means(embedders=embedders, within=_LOADING_S)
                found = retrieve(request, graphs, now=_EPOCH, means=means).hits
                return list(dict.fromkeys(records[hit.memory.memory_id] for hit in found))[:DEPTH]

            def by_bm25(text: str) -> Sequence[str]:
                found = store.search(query_words(text), MemoryFilter(), limit=DEPTH).hits
                return list(dict.fromkeys(records[hit.memory.memory_id] for hit in found))

            yield {
                WORDS: partial(by_pipeline, None),
                **{name: partial(by_pipeline, chain) for name, chain in models.items()},
                "bm25": by_bm25,
                "grep": _by_grep(group),
            }
        finally:
            graphs.close()


def _indexed(store: GraphStore, group: Group) -> Mapping[str, str]:
    """Put a group's records into a store; return record id by memory id.

    A record of a conversation (it has a session and a date) is a turn of it. Of others the first of several lines is
    the title, and what is longer than a model reads is indexed in pieces.
    """
    ids = CountedIds()
    records: dict[str, str] = {}
    memories: list[MemoryRecord] = []
    for record in group.records:
        is_turn = bool(record.session and record.date)
        for title, text in [("", record.text)] if is_turn else pieces(record.text):
            memory = Memory(
                memory_id=ids.new_id(),
                graph=_GRAPH,
                kind=MemoryKind.EPISODIC,
                category=TURN if is_turn else "",
                title=title,
                text=text,
                digest=record.record_id,
                created_at=_EPOCH + timedelta(seconds=len(records)),
                authored_at=said_at(record.date),
                session_id=record.session if is_turn else "",
                confidence=1.0,
            )
            memories.append(MemoryRecord(graph=_GRAPH, memory_id=memory.memory_id, memory=memory))
            records[memory.memory_id] = record.record_id
    for start in range(0, len(memories), _AT_ONCE):
        store.take_in(memories[start : start + _AT_ONCE])
    return records


def _by_grep(group: Group) -> Ranking:
    texts = [(record.record_id, record.text.casefold()) for record in group.records]

    def ranked(text: str) -> Sequence[str]:
        words = {word for word in text.casefold().split() if len(word) >= _SHORTEST_WORD}
        counts = [(sum(word in held for word in words), name) for name, held in texts]
        return [name for count, name in sorted(counts, key=lambda one: -one[0]) if count][:DEPTH]

    return ranked

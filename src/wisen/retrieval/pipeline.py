"""A recall request -> ranked hits, each with its scores and reasons, and what was left out and why.

The first form is plain: standing order at session start, BM25 with coverage for words. Scope and filter are part of
the store's query; nothing foreign or inactive is ever a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from wisen.core.types import GraphId, Hit, LeftOut, Memory, MemoryFilter, Recalled, RecallRequest, RecallTrigger, Status
from wisen.errors import StoreDamaged
from wisen.ports import GraphStore, GraphStores
from wisen.retrieval.lexical import query_terms

CANDIDATES_PER_GRAPH = 50
EXPLAINED_PER_GRAPH = 100
# A hit far below the best one shares a stray word with the query, not its topic.
RELATIVE_FLOOR = 0.35
_RECENCY_HALF_LIFE_DAYS = 30.0
_LEXICAL_ONLY = "lexical only"


def retrieve(request: RecallRequest, stores: GraphStores, *, now: datetime) -> Recalled:
    """Return what the request's graphs hold for it, best first. A graph that does not exist holds nothing."""
    open_stores, damaged = _opened(request.graphs, stores)
    terms = query_terms(request.query)
    if request.trigger is RecallTrigger.SESSION_START:
        hits = _standing_hits(open_stores, request.filter, terms, now)
    else:
        hits = _word_hits(open_stores, request.filter, terms)
    found = {hit.memory.memory_id for hit in hits}
    left_out = [gone for store in open_stores for gone in _explain_filtered(store, request, terms, found)]
    kept, weak = _above_floor(hits)
    degraded = [*damaged, *([_LEXICAL_ONLY] if terms and kept else [])]
    return Recalled(hits=tuple(kept), left_out=(*weak, *left_out), degraded="; ".join(degraded))


def _opened(graphs: Sequence[GraphId], stores: GraphStores) -> tuple[list[GraphStore], list[str]]:
    """Return the stores that can be read, and a word on each that is damaged: one bad file silences no other."""
    found: list[GraphStore] = []
    damaged: list[str] = []
    for graph in graphs:
        try:
            store = stores.existing(graph)
        except StoreDamaged:
            damaged.append(f"{graph} is damaged")
            continue
        if store is not None:
            found.append(store)
    return found, damaged


def _standing_hits(stores: Sequence[GraphStore], where: MemoryFilter, terms: Sequence[str], now: datetime) -> list[Hit]:
    """Everything that stands, in order of standing; what the first words ask for comes before the rest."""
    by_words = {hit.memory.memory_id: hit for hit in _word_hits(stores, where, terms)}
    hits = []
    for order, store in enumerate(stores):
        for memory in store.list(where, limit=CANDIDATES_PER_GRAPH):
            worded = by_words.get(memory.memory_id)
            stages = standing_stages(memory, now) | {"own_graph": 1.0 / (1 + order)}
            if worded:
                stages |= worded.stages
            score = sum(stages.get(name, 0.0) * weight for name, weight in _STANDING_WEIGHTS.items())
            score += 1.0 if worded else 0.0
            hits.append(Hit(memory=memory, score=score, stages=stages, reasons=_standing_reasons(memory)))
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.memory_id))


_STANDING_WEIGHTS: Mapping[str, float] = {
    "pinned": 2.0,
    "support": 0.4,
    "confidence": 1.0,
    "recency": 0.2,
    "own_graph": 0.1,
}


def standing_stages(memory: Memory, now: datetime) -> dict[str, float]:
    """Return a memory's standing as 0..1 scores: pinned, support (saturating), confidence, recency (half-life)."""
    age_days = max((now - memory.created_at).total_seconds() / 86400.0, 0.0)
    return {
        "pinned": 1.0 if memory.pinned else 0.0,
        "support": 1.0 - 1.0 / max(memory.support, 1),
        "confidence": memory.confidence,
        "recency": 0.5 ** (age_days / _RECENCY_HALF_LIFE_DAYS),
    }


def _standing_reasons(memory: Memory) -> tuple[str, ...]:
    reasons = [f"confidence {memory.confidence:.2f}"]
    if memory.pinned:
        reasons.insert(0, "pinned")
    if memory.support > 1:
        reasons.append(f"seen {memory.support} times")
    return tuple(reasons)


def _word_hits(stores: Sequence[GraphStore], where: MemoryFilter, terms: Sequence[str]) -> list[Hit]:
    if not terms:
        return []
    hits = []
    for store in stores:
        for hit in store.search(terms, where, limit=CANDIDATES_PER_GRAPH).hits:
            coverage = hit.stages["coverage"]
            # BM25 is unbounded; squashed to 0..1 so that graphs of different size can be merged.
            bm25 = hit.stages["bm25"] / (1.0 + hit.stages["bm25"]) if hit.stages["bm25"] > 0 else 0.0
            matched = max(round(coverage * len(terms)), 1)
            hits.append(
                replace(
                    hit,
                    score=0.6 * bm25 + 0.4 * coverage,
                    stages={**hit.stages, "bm25_squashed": bm25},
                    reasons=(f"{matched} of {len(terms)} words match",),
                )
            )
    return sorted(hits, key=lambda hit: (-hit.score, hit.memory.memory_id))


def _above_floor(hits: Sequence[Hit]) -> tuple[list[Hit], list[LeftOut]]:
    if not hits:
        return [], []
    floor = hits[0].score * RELATIVE_FLOOR
    kept = [hit for hit in hits if hit.score >= floor or hit.memory.pinned]
    weak = [_left(hit.memory, "far less relevant than the best", hit.score) for hit in hits if hit not in kept]
    return kept, weak


def _explain_filtered(
    store: GraphStore, request: RecallRequest, terms: Sequence[str], found: set[str]
) -> list[LeftOut]:
    """Say why memories on the topic were no candidates. What the user put away is not brought up again."""
    open_filter = MemoryFilter(statuses=frozenset({Status.ACTIVE, Status.PENDING_REVIEW}))
    if request.trigger is RecallTrigger.SESSION_START:
        considered = list(store.list(open_filter, limit=EXPLAINED_PER_GRAPH))
    else:
        considered = [h.memory for h in store.search(terms, open_filter, limit=EXPLAINED_PER_GRAPH).hits] if terms else []
    return [_left(m, why_filtered(m, request.filter)) for m in considered if m.memory_id not in found]


def why_filtered(memory: Memory, where: MemoryFilter) -> str:
    """Return in words which part of the filter a memory does not pass."""
    checks = (
        (memory.status is Status.PENDING_REVIEW, "waits for review"),
        (memory.status not in where.statuses, f"is {memory.status.value}"),
        (where.exclude.get(memory.memory_id) == memory.digest, "shown earlier in this session"),
        (memory.confidence < where.min_confidence, f"confidence {memory.confidence:.2f} < {where.min_confidence:.2f}"),
        (where.sources is not None and memory.source not in where.sources, "source not asked for"),
        (where.kinds is not None and memory.kind not in where.kinds, "kind not asked for"),
        (
            memory.snoozed_until is not None and where.awake_at is not None and memory.snoozed_until > where.awake_at,
            "snoozed",
        ),
    )
    return next((reason for fails, reason in checks if fails), "not among the best candidates")


def _left(memory: Memory, reason: str, score: float = 0.0) -> LeftOut:
    return LeftOut(memory_id=memory.memory_id, graph=memory.graph, reason=reason, score=score)

"""A recall request -> ranked hits, each with its scores and reasons, and what was left out and why.

The first form is plain: standing order at session start, BM25 with coverage for words. Scope and filter are part of
the store's query; nothing foreign or inactive is ever a candidate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from wisen.core.places import place_of
from wisen.core.recalls import Hit, LeftOut, MemoryFilter, Recalled, RecallRequest, RecallTrigger
from wisen.core.repetition import is_repeated
from wisen.core.triggers import is_met
from wisen.core.types import GraphId, Memory, MemoryKind, ShellSegment, Status, Trigger
from wisen.errors import StoreDamaged, StoreError
from wisen.ports import GraphStore, GraphStores
from wisen.retrieval.lexical import Term, Weights, query_terms, weigh

CANDIDATES_PER_GRAPH = 50
EXPLAINED_PER_GRAPH = 20
MOST_PLACES = 3
# A hit far below the best one shares stray words with the query, not its topic.
RELATIVE_FLOOR = 0.35
# Who asks looks through a list, and wants what a block has no room for.
RELATIVE_FLOOR_ASKED = 0.05
_RECENCY_HALF_LIFE_DAYS = 30.0
_LEXICAL_ONLY = "lexical only"
_OPEN = MemoryFilter(statuses=frozenset({Status.ACTIVE, Status.PENDING_REVIEW}))


@dataclass(frozen=True, slots=True)
class _Asked:
    """One graph and the words it is asked for; `floor` says whether a memory must hold enough of them to count."""

    store: GraphStore
    weights: Weights
    floor: bool

    def found(self, where: MemoryFilter) -> tuple[list[Hit], int]:
        """Return the best hits, scored 0..1, and how many memories there are beyond them."""
        terms = tuple(self.weights.of)
        least = self.weights.least if self.floor else 0.0
        found = self.store.search(terms, where, limit=CANDIDATES_PER_GRAPH, weights=self.weights.of, least=least)
        return [self._scored(hit) for hit in found.hits], found.total - len(found.hits)

    def near(self, where: MemoryFilter, limit: int) -> Sequence[Hit]:
        """Return the hits of a filter that hold half as many words as are enough."""
        terms, least = tuple(self.weights.of), self.weights.least / 2
        found = self.store.search(terms, where, limit=limit, weights=self.weights.of, least=least)
        return [self._scored(hit) for hit in found.hits]

    def is_enough(self, hit: Hit) -> bool:
        """Whether a hit holds enough of the words to be on the topic."""
        return not self.floor or sum(self.weights.of[term] for term in hit.matched) >= self.weights.least

    def _scored(self, hit: Hit) -> Hit:
        # BM25 is unbounded; squashed to 0..1 so that graphs of different size can be merged.
        bm25 = hit.score / (1.0 + hit.score) if hit.score > 0 else 0.0
        coverage = self.weights.coverage(hit.matched)
        return replace(
            hit,
            score=0.4 * bm25 + 0.6 * coverage,
            stages={**hit.stages, "bm25_squashed": bm25, "weighted_coverage": coverage},
            reasons=(f"holds {_named(hit.matched)}",),
        )


def retrieve(request: RecallRequest, stores: GraphStores, *, now: datetime) -> Recalled:
    """Return what the request's graphs hold for it, best first. A graph that does not exist holds nothing."""
    open_stores, damaged = _opened(request.graphs, stores)
    is_before = request.trigger is RecallTrigger.PRE_TOOL
    terms = () if is_before else query_terms(request.query)
    # A person who asks sees whatever there is; what comes unasked must be on the topic.
    is_asked = request.trigger is RecallTrigger.MANUAL
    asked = [_asked(store, terms, floor=not is_asked) for store in open_stores if terms]
    if request.trigger is RecallTrigger.SESSION_START:
        recalled = _at_start(open_stores, asked, request.filter, now)
    elif is_before:
        recalled = _before_command(open_stores, request.filter, request.segments, now)
    else:
        recalled = _on_words(asked, request.filter, RELATIVE_FLOOR_ASKED if is_asked else RELATIVE_FLOOR)
    if request.names:
        recalled = _with_places(recalled, open_stores, request, now)
    damaged += [
        f"{store.graph} has damaged rows, left out: {n}" for store in open_stores if (n := len(store.problems()))
    ]
    degraded = [*damaged, *([_LEXICAL_ONLY] if terms and recalled.hits else [])]
    return replace(recalled, degraded="; ".join(degraded))


def _asked(store: GraphStore, terms: Sequence[Term], *, floor: bool) -> _Asked:
    return _Asked(store, weigh(terms, *store.occurrences([term.text for term in terms])), floor)


def _opened(graphs: Sequence[GraphId], stores: GraphStores) -> tuple[list[GraphStore], list[str]]:
    """Return the stores that can be read, and a word on each other one: one bad file silences no other."""
    found: list[GraphStore] = []
    damaged: list[str] = []
    for graph in graphs:
        try:
            store = stores.existing(graph)
            if store is not None:
                store.problems()  # looks at every row, once: some damage shows only then
                found.append(store)
        except StoreDamaged:
            damaged.append(f"{graph} is damaged")
        except StoreError:
            damaged.append(f"{graph} can't be read")
    return found, damaged


def _at_start(stores: Sequence[GraphStore], asked: Sequence[_Asked], where: MemoryFilter, now: datetime) -> Recalled:
    """Everything that stands, in order of standing; what the first words ask for comes before the rest."""
    on_topic, _ = _above_floor([hit for each in asked for hit in each.found(where)[0]])
    worded = {hit.memory.memory_id: hit for hit in on_topic}
    hits: dict[str, Hit] = {}
    eligible = 0
    for order, store in enumerate(stores):
        listed = store.list(where, limit=CANDIDATES_PER_GRAPH)
        eligible += store.count(where)
        for memory in (*listed, *(hit.memory for hit in worded.values() if hit.memory.graph == store.graph)):
            hits[memory.memory_id] = _standing_hit(memory, now, order, worded.get(memory.memory_id))
    left_out = [
        _left(memory, why)
        for store in stores
        for memory in store.list(_OPEN, limit=CANDIDATES_PER_GRAPH + EXPLAINED_PER_GRAPH)
        if (why := why_filtered(memory, where))
    ]
    ranked = sorted(hits.values(), key=_best_first)
    return Recalled(hits=tuple(ranked), left_out=tuple(left_out), more=eligible - len(ranked))


def _on_words(asked: Sequence[_Asked], where: MemoryFilter, floor: float) -> Recalled:
    """What holds enough of the words, without what holds far less of them than the best."""
    found = [each.found(where) for each in asked]
    kept, weak = _above_floor([hit for hits, _ in found for hit in hits], floor)
    known = {hit.memory.memory_id for hit in (*kept, *weak)}
    near = [_left_near(each, hit, where) for each in asked for hit in each.near(_OPEN, EXPLAINED_PER_GRAPH)]
    left_out = [_left(hit.memory, "far less relevant than the best", hit.score) for hit in weak]
    left_out += [left for left in near if left.memory_id not in known]
    # what ranks below a hit that is too weak is too weak as well
    more = 0 if weak else sum(beyond for _, beyond in found)
    return Recalled(hits=tuple(kept), left_out=tuple(left_out), more=more)


def _before_command(
    stores: Sequence[GraphStore], where: MemoryFilter, segments: Sequence[ShellSegment], now: datetime
) -> Recalled:
    """The recipes whose trigger is one of the segments, the closest first, then in order of standing."""
    programs = frozenset(segment.program for segment in segments)
    of_these = replace(_OPEN, programs=programs)
    hits: list[Hit] = []
    left_out: list[LeftOut] = []
    for order, store in enumerate(stores):
        for memory in store.list(of_these, limit=CANDIDATES_PER_GRAPH):
            if memory.trigger is None or not is_met(memory.trigger, segments):
                continue
            if why := why_filtered(memory, where):
                left_out.append(_left(memory, why))
            else:
                hit = _standing_hit(memory, now, order, None)
                hits.append(replace(hit, reasons=(f"before {_call(memory.trigger)}", *hit.reasons)))
    return Recalled(hits=tuple(sorted(hits, key=_closest_first)), left_out=tuple(left_out))


def _closest_first(hit: Hit) -> tuple[int, float, str]:
    """Order recipes for one command: what fits only calls with a certain option comes before what fits them all."""
    trigger = hit.memory.trigger
    return (-len(trigger.flags) if trigger else 0, *_best_first(hit))


def _with_places(recalled: Recalled, stores: Sequence[GraphStore], request: RecallRequest, now: datetime) -> Recalled:
    """Return what was recalled, and behind it the places of the names that the moment is about."""
    where = replace(request.filter, with_places=True, names=frozenset(request.names))
    known = {hit.memory.memory_id for hit in recalled.hits}
    hits = [
        replace(_standing_hit(memory, now, order, None), reasons=(f"the place of `{place_of(memory)}`",))
        for order, store in enumerate(stores)
        for memory in store.list(where, limit=MOST_PLACES)
        if memory.memory_id not in known
    ]
    ranked = sorted(hits, key=_best_first)[:MOST_PLACES]
    return replace(recalled, hits=(*recalled.hits, *ranked))


def _call(trigger: Trigger) -> str:
    return " ".join(filter(None, (trigger.program, trigger.subcommand, *trigger.flags)))


def _above_floor(hits: Sequence[Hit], share: float = RELATIVE_FLOOR) -> tuple[list[Hit], list[Hit]]:
    """Return the hits, best first, and apart those far below the best."""
    ranked = sorted(hits, key=_best_first)
    floor = ranked[0].score * share if ranked else 0.0
    return [hit for hit in ranked if hit.score >= floor], [hit for hit in ranked if hit.score < floor]


def _best_first(hit: Hit) -> tuple[float, str]:
    return (-hit.score, hit.memory.memory_id)


def _standing_hit(memory: Memory, now: datetime, order: int, worded: Hit | None) -> Hit:
    stages = standing_stages(memory, now) | {"own_graph": 1.0 / (1 + order)}
    score = sum(stages[name] * weight for name, weight in _STANDING_WEIGHTS.items())
    if worded is None:
        return Hit(memory=memory, score=score, stages=stages, reasons=_standing_reasons(memory))
    # above all standing, and among one another by their words
    return replace(
        worded,
        score=_HIGHEST_STANDING + worded.score,
        stages={**stages, **worded.stages},
        reasons=(*worded.reasons, *_standing_reasons(memory)),
    )


_STANDING_WEIGHTS: Mapping[str, float] = {
    "pinned": 2.0,
    "repeated": 1.0,
    "support": 0.4,
    "confidence": 1.0,
    "recency": 0.2,
    "own_graph": 0.1,
}
_HIGHEST_STANDING = sum(_STANDING_WEIGHTS.values())


def standing_stages(memory: Memory, now: datetime) -> dict[str, float]:
    """Return a memory's standing as 0..1 scores: pinned, support (saturating), confidence, recency (half-life)."""
    age_days = max((now - memory.created_at).total_seconds() / 86400.0, 0.0)
    return {
        "pinned": 1.0 if memory.pinned else 0.0,
        "repeated": 1.0 if is_repeated(memory) else 0.0,
        "support": 1.0 - 1.0 / max(memory.support, 1),
        "confidence": memory.confidence,
        "recency": 0.5 ** (age_days / _RECENCY_HALF_LIFE_DAYS),
    }


def _standing_reasons(memory: Memory) -> tuple[str, ...]:
    reasons = [f"confidence {memory.confidence:.2f}"]
    if is_repeated(memory):
        reasons.insert(0, "said again although it was recalled")
    if memory.pinned:
        reasons.insert(0, "pinned")
    if memory.support > 1:
        reasons.append(f"seen {memory.support} times")
    return tuple(reasons)


def _left_near(asked: _Asked, hit: Hit, where: MemoryFilter) -> LeftOut:
    """Say why a memory with some of the words was no hit. What the user put away is not brought up again."""
    if why := why_filtered(hit.memory, where):
        return _left(hit.memory, why, hit.score)
    if not asked.is_enough(hit):
        return _left(hit.memory, f"only {_named(hit.matched)} in common", hit.score)
    return _left(hit.memory, "not among the best candidates", hit.score)


def _named(terms: Sequence[str]) -> str:
    """Return terms as a person reads them: a pair of words is named by its words."""
    return ", ".join(term for term in terms if " " not in term)


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


def _left(memory: Memory, reason: str, score: float = 0.0) -> LeftOut:
    return LeftOut(memory_id=memory.memory_id, graph=memory.graph, reason=reason, score=score)

"""A recall request -> ranked hits, each with its scores and reasons, and what was left out and why.

At a session's start what stands comes in the order of its standing; before a command the recipes whose trigger it is;
for words what `words.answer` finds. Scope and filter are part of the store's query; nothing foreign or inactive is ever
a candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from wisen.core.embeddings import reads_english_only
from wisen.core.places import place_of
from wisen.core.recalls import By, Hit, LeftOut, MemoryFilter, Recalled, RecallRequest, RecallTrigger
from wisen.core.triggers import is_met
from wisen.core.types import GraphId, ShellSegment, Trigger
from wisen.errors import StoreDamaged, StoreError, Unsupported
from wisen.ports import Embedders, GraphStore, GraphStores
from wisen.retrieval.candidates import Embedded, Query, Standard
from wisen.retrieval.filtered import left, why_filtered
from wisen.retrieval.further import Stages
from wisen.retrieval.lexical import is_english
from wisen.retrieval.standing import standing
from wisen.retrieval.words import EXPLAINED_PER_GRAPH, OPEN, Answer, Asked, answer, best_first

CANDIDATES_PER_GRAPH: Final = 50
MOST_PLACES: Final = 3
LEXICAL_ONLY: Final = "lexical only"

# What comes unasked must be on the topic; who asks looks through a list, and wants what a block has no room for.
_UNASKED: Final = Standard(share=1.0, nearness=0.45)
_ASKED: Final = Standard(share=0.0, nearness=0.2)
# A hit far below the best one shares stray words with the query, not its topic.
_FLOOR, _FLOOR_ASKED = 0.35, 0.15
# A block has no room for saying it twice; in a list, commits and notes with nearly the same words are still two.
_ALIKE, _ALIKE_ASKED = 0.6, 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a search may use beyond the words: a model for meaning, waited for `within` seconds, and further stages."""

    embedders: Embedders | None = None
    within: float = 0.15
    stages: Stages = field(default_factory=Stages)


def retrieve(request: RecallRequest, stores: GraphStores, *, now: datetime, means: Means | None = None) -> Recalled:
    """Return what the request's graphs hold for it, best first. A graph that does not exist holds nothing."""
    means = means or Means()
    open_stores, damaged = _opened(request.graphs, stores)
    found = Answer()
    if request.trigger is RecallTrigger.PRE_TOOL:
        recalled = _before_command(open_stores, request.filter, request.segments, now)
    else:
        found = _answered(request, open_stores, means, now)
        is_start = request.trigger is RecallTrigger.SESSION_START
        recalled = _at_start(open_stores, found, request.filter, now) if is_start else _on_words(found)
    if request.names:
        recalled = _with_places(recalled, open_stores, request, now)
    damaged += [
        f"{store.graph} has damaged rows, left out: {n}" for store in open_stores if (n := len(store.problems()))
    ]
    is_by_words = bool(found.hits) and not found.by_meaning
    by_words = [f"{LEXICAL_ONLY} ({_why_by_words(means)})"] if is_by_words else []
    degraded = [*damaged, *found.problems, *by_words]
    return replace(recalled, degraded="; ".join(degraded))


def _answered(request: RecallRequest, stores: Sequence[GraphStore], means: Means, now: datetime) -> Answer:
    """Return what the words of a request find."""
    if not request.query.strip() or not stores:
        return Answer()
    embedded = None
    if means.embedders is not None and request.by is not By.WORDS:
        embedded = _embedded(request.query, means.embedders, means.within)
    if request.by is By.MEANING:
        _check_has_vectors(embedded, stores, means)
    is_asked = request.trigger is RecallTrigger.MANUAL
    asked = Asked(
        query=Query.of(request.query, embedded, by=request.by),
        where=request.filter,
        standard=_ASKED if is_asked else _UNASKED,
        floor=_FLOOR_ASKED if is_asked else _FLOOR,
        alike=_ALIKE_ASKED if is_asked else _ALIKE,
        now=now,
        stages=means.stages,
    )
    return answer(asked, stores)


def _embedded(query: str, embedders: Embedders, within: float) -> Embedded | None:
    """Return what a model makes of a query that it can read."""
    found = embedders.query(query, within=within)
    return None if found and reads_english_only(found[0]) and not is_english(query) else found


def _check_has_vectors(embedded: Embedded | None, stores: Sequence[GraphStore], means: Means) -> None:
    """Raise Unsupported when nothing can be found by meaning, with the reason."""
    if embedded is None:
        raise Unsupported(f"can't search by meaning: {_why_by_words(means)}", hint=_BY_WORDS)
    if not any(store.spaces().get(embedded[0]) for store in stores):
        raise Unsupported("can't search by meaning: no memory here has a vector yet", hint=_BY_WORDS)


def _why_by_words(means: Means) -> str:
    """Return why meaning was not asked, in words."""
    if means.embedders is None:
        return "no model is configured"
    if why := means.embedders.state():
        return why.replace("; ", ", ")  # "; " parts what was degraded
    return "the model reads English only" if means.embedders.is_loaded() else "the model is still loading"


_BY_WORDS: Final = "`wisen recall --by words` searches without; `wisen status` says how far the vectors are"


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


def _at_start(stores: Sequence[GraphStore], found: Answer, where: MemoryFilter, now: datetime) -> Recalled:
    """Everything that stands, in order of standing; what the first words ask for comes before the rest."""
    worded = {hit.memory.memory_id: hit for hit in found.hits}
    hits: dict[str, Hit] = {}
    eligible = 0
    for order, store in enumerate(stores):
        listed = store.list(where, limit=CANDIDATES_PER_GRAPH)
        eligible += store.count(where)
        for memory in (*listed, *(hit.memory for hit in worded.values() if hit.memory.graph == store.graph)):
            hits[memory.memory_id] = standing(memory, now, order, worded.get(memory.memory_id))
    left_out = [
        left(memory, why)
        for store in stores
        for memory in store.list(OPEN, limit=CANDIDATES_PER_GRAPH + EXPLAINED_PER_GRAPH)
        if (why := why_filtered(memory, where))
    ]
    ranked = sorted(hits.values(), key=best_first)
    return Recalled(hits=tuple(ranked), left_out=tuple(left_out), more=eligible - len(ranked))


def _on_words(found: Answer) -> Recalled:
    """What the words have found, and nothing beside it."""
    return Recalled(hits=found.hits, left_out=found.left_out, more=found.beyond)


def _before_command(
    stores: Sequence[GraphStore], where: MemoryFilter, segments: Sequence[ShellSegment], now: datetime
) -> Recalled:
    """The recipes whose trigger is one of the segments, the closest first, then in order of standing."""
    programs = frozenset(segment.program for segment in segments)
    of_these = replace(OPEN, programs=programs)
    hits: list[Hit] = []
    left_out: list[LeftOut] = []
    for order, store in enumerate(stores):
        for memory in store.list(of_these, limit=CANDIDATES_PER_GRAPH):
            if memory.trigger is None or not is_met(memory.trigger, segments):
                continue
            if why := why_filtered(memory, where):
                left_out.append(left(memory, why))
            else:
                hit = standing(memory, now, order, None)
                hits.append(replace(hit, reasons=(f"before {_call(memory.trigger)}", *hit.reasons)))
    return Recalled(hits=tuple(sorted(hits, key=_closest_first)), left_out=tuple(left_out))


def _closest_first(hit: Hit) -> tuple[int, float, str]:
    """Order recipes for one command: what fits only calls with a certain option comes before what fits them all."""
    trigger = hit.memory.trigger
    return (-len(trigger.flags) if trigger else 0, *best_first(hit))


def _with_places(recalled: Recalled, stores: Sequence[GraphStore], request: RecallRequest, now: datetime) -> Recalled:
    """Return what was recalled, and behind it the places of the names that the moment is about."""
    where = replace(request.filter, with_places=True, names=frozenset(request.names))
    known = {hit.memory.memory_id for hit in recalled.hits}
    hits = [
        replace(standing(memory, now, order, None), reasons=(f"the place of `{place_of(memory)}`",))
        for order, store in enumerate(stores)
        for memory in store.list(where, limit=MOST_PLACES)
        if memory.memory_id not in known
    ]
    ranked = sorted(hits, key=best_first)[:MOST_PLACES]
    return replace(recalled, hits=(*recalled.hits, *ranked))


def _call(trigger: Trigger) -> str:
    return " ".join(filter(None, (trigger.program, trigger.subcommand, *trigger.flags)))

"""A query -> hits: candidates of every graph, fused, tie-broken, made diverse, each with its scores and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from wisen.core.recalls import Hit, LeftOut, MemoryFilter
from wisen.core.types import Memory, Status
from wisen.ports import GraphStore
from wisen.retrieval.candidates import Features, Gathered, Query, Searched, Standard
from wisen.retrieval.diversity import unlike_first
from wisen.retrieval.filtered import left, named, why_filtered
from wisen.retrieval.further import Further, Stages
from wisen.retrieval.latest import asks_latest, newest_first
from wisen.retrieval.scoring import READ, Scored, scores
from wisen.retrieval.standing import standing_share

EXPLAINED_PER_GRAPH: Final = 20
OPEN: Final = MemoryFilter(statuses=frozenset({Status.ACTIVE, Status.PENDING_REVIEW}))

# How a memory stands decides between hits that fit about equally well, and no more.
_TIE: Final = 0.01
_COMPARED: Final = 30  # of the best: whoever looks further has seen the first

_HALF: Final = Standard(share=0.5, nearness=2.0)  # no cosine is as high


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query, what passes, how much is enough, and how far below the best hit there still is one.

    `alike` is the likeness above which a hit goes behind the others.
    """

    query: Query
    where: MemoryFilter
    standard: Standard
    floor: float
    alike: float
    now: datetime
    stages: Stages = field(default_factory=Stages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Hits, best first; what came near and why it is none; how many more would be; whether meaning was asked."""

    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    beyond: int = 0
    by_meaning: bool = False
    problems: tuple[str, ...] = ()


def answer(asked: Asked, stores: Sequence[GraphStore]) -> Answer:
    """Return what the graphs hold for a query."""
    searched = [Searched(store, asked.query) for store in stores]
    gathered = [one.gather(asked.where, asked.standard) for one in searched]
    further = Further(asked.stages)
    found = [hit for one in gathered for hit in _hits(one, asked)]
    found = further.reworded(found, asked.query.text, lambda text: _reworded(text, asked, stores))
    found = further.walked(found, stores, asked.where)
    kept, weak = above_floor(found, asked.floor)
    kept = further.read_together(kept, asked.query.text)
    if asks_latest(asked.query.text):
        kept = newest_first(kept)
    kept, alike = _unlike(kept, asked.alike)
    known = {hit.memory.memory_id for hit in (*kept, *alike, *weak)}
    near = [left for one in searched for left in _left_near(one, asked)]
    return Answer(
        hits=(*kept, *alike),
        left_out=(
            *(left(hit.memory, "far less relevant than the best", hit.score) for hit in weak),
            *(one for one in near if one.memory_id not in known),
        ),
        # what ranks below a hit that is too weak is too weak as well
        beyond=0 if weak else sum(one.beyond + max(len(one.features) - READ, 0) for one in gathered),
        by_meaning=any(one.has_vectors for one in searched),
        problems=tuple(further.problems),
    )


def _reworded(text: str, asked: Asked, stores: Sequence[GraphStore]) -> list[Hit]:
    """Return what another wording finds, by its words."""
    other = replace(asked, query=Query.of(text, None))
    gathered = [Searched(store, other.query).gather(asked.where, asked.standard) for store in stores]
    return [hit for one in gathered for hit in _hits(one, other)]


def above_floor(hits: Sequence[Hit], share: float) -> tuple[list[Hit], list[Hit]]:
    """Return the hits, best first, and apart those with less than a share of the best one's score."""
    ranked = sorted(hits, key=best_first)
    floor = ranked[0].score * share if ranked else 0.0
    return [hit for hit in ranked if hit.score >= floor], [hit for hit in ranked if hit.score < floor]


def best_first(hit: Hit) -> tuple[float, str]:
    """Order hits by score, equal ones by id."""
    return (-hit.score, hit.memory.memory_id)


def _hits(gathered: Gathered, asked: Asked) -> list[Hit]:
    """Return a graph's candidates as hits, each 0..1 with what it was made of."""
    return [
        _hit(memory, gathered.features.get(passage, Features()), scored, asked)
        for passage, (memory, scored) in scores(gathered, asked.where).items()
    ]


def _hit(memory: Memory, features: Features, scored: Scored, asked: Asked) -> Hit:
    stands = standing_share(memory, asked.now)
    reasons = [f"holds {named(features.matched)}"] if named(features.matched) else []
    if features.cosine is not None and (features.cosine >= asked.standard.nearness or not reasons):
        reasons.append(f"near in meaning ({features.cosine:.2f})")
    return Hit(
        memory=memory,
        score=(scored.score + _TIE * stands) / (1 + _TIE),
        stages={**scored.stages, "standing": stands},
        reasons=(*reasons, *scored.reasons),
        matched=features.matched,
    )


def _unlike(ranked: Sequence[Hit], alike_from: float) -> tuple[list[Hit], list[Hit]]:
    """Return the hits, and apart those of the best that say nearly the same as a better one: they come last."""
    by_id = {hit.memory.memory_id: hit for hit in ranked[:_COMPARED]}
    kept, alike = unlike_first(list(by_id), {key: hit.memory.text for key, hit in by_id.items()}, alike=alike_from)
    return (
        [*(by_id[key] for key in kept), *ranked[_COMPARED:]],
        [replace(hit, reasons=(*hit.reasons, "much like a better one")) for hit in map(by_id.__getitem__, alike)],
    )


def _left_near(searched: Searched, asked: Asked) -> list[LeftOut]:
    """Say why memories with half as many words as are enough were no hits, whatever they stand for.

    What the user put away is not brought up again.
    """
    found = searched.gather(OPEN, _HALF, limit=EXPLAINED_PER_GRAPH).features
    memories = searched.store.members(list(found)[:EXPLAINED_PER_GRAPH], OPEN)
    return [
        left(memory, _why_near(searched, memory, found[passage], asked), found[passage].coverage)
        for passage, memory in memories.items()
    ]


def _why_near(searched: Searched, memory: Memory, features: Features, asked: Asked) -> str:
    if why := why_filtered(memory, asked.where):
        return why
    if not searched.is_enough(features.matched):
        return f"only {named(features.matched)} in common"
    return "not among the best candidates"

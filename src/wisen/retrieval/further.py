"""Stages that need a model or edges: other wordings, reading query and text together, following edges.

None is needed for a result, and none may cost one: that a stage failed is said beside the hits, and they stay as they
were.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from wisen.core.recalls import Hit, MemoryFilter
from wisen.ports import GraphStore
from wisen.ports.stages import Expander, Reranker, Walker
from wisen.retrieval.filtered import why_filtered

log = logging.getLogger(__name__)

MOST_WORDINGS: Final = 3
READ_TOGETHER: Final = 30
WALKED_FROM: Final = 10
# What another wording finds is worth a little less than what the person's own words do; a model that reads both has
# nearly the last word; what an edge leads to is worth less than where it leads from.
_REWORDED, _READ, _REACHED = 0.8, 0.9, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The stages there are; a search without any of them is whole."""

    expander: Expander | None = None
    reranker: Reranker | None = None
    walker: Walker | None = None


@dataclass(slots=True)
class Further:
    """Takes hits through the stages there are; `problems` has a word on each that failed."""

    stages: Stages
    problems: list[str] = field(default_factory=list)

    def reworded(self, hits: Sequence[Hit], query: str, find: Callable[[str], Sequence[Hit]]) -> list[Hit]:
        """Return the hits with those of other wordings among them; each memory once, with its better score."""
        expander = self.stages.expander
        if expander is None:
            return list(hits)
        try:
            wordings = list(dict.fromkeys(expander.expand(query)))[:MOST_WORDINGS]
            others = [hit for wording in wordings if wording != query for hit in find(wording)]
        except Exception as error:  # noqa: BLE001 - whatever a model raises, the hits are there
            return self._without("other wordings", error, hits)
        best = {hit.memory.memory_id: hit for hit in hits}
        for hit in others:
            lowered = replace(hit, score=hit.score * _REWORDED, reasons=(*hit.reasons, "by another wording"))
            known = best.get(hit.memory.memory_id)
            if known is None or lowered.score > known.score:
                best[hit.memory.memory_id] = lowered
        return list(best.values())

    def walked(self, hits: Sequence[Hit], stores: Sequence[GraphStore], where: MemoryFilter) -> list[Hit]:
        """Return the hits and behind them what the best lead to; what the filter stops is not reached either."""
        walker = self.stages.walker
        if walker is None or not hits:
            return list(hits)
        start = sorted(hits, key=lambda hit: -hit.score)[:WALKED_FROM]
        found = {hit.memory.memory_id: hit for hit in hits}
        try:
            for store in stores:
                from_here = [hit for hit in start if hit.memory.graph == store.graph]
                for memory_id, closeness in walker.reached(store, from_here) if from_here else ():
                    memory = store.get(memory_id)
                    if memory is not None and memory_id not in found and not why_filtered(memory, where):
                        score = _REACHED * min(max(closeness, 0.0), 1.0) * from_here[0].score
                        stages = {"edge": closeness}
                        found[memory_id] = Hit(memory=memory, score=score, stages=stages, reasons=("by an edge",))
        except Exception as error:  # noqa: BLE001 - as above
            return self._without("following edges", error, hits)
        return list(found.values())

    def read_together(self, ranked: Sequence[Hit], query: str) -> list[Hit]:
        """Return a ranking, its first places in the order of a model that has read query and text together."""
        reranker = self.stages.reranker
        if reranker is None or not ranked:
            return list(ranked)
        first, rest = ranked[:READ_TOGETHER], ranked[READ_TOGETHER:]
        try:
            scores = reranker.scores(query, [hit.memory.text for hit in first])
            blended = [
                replace(hit, score=_READ * score + (1 - _READ) * hit.score, stages={**hit.stages, "read": score})
                for hit, score in zip(first, scores, strict=True)
            ]
        except Exception as error:  # noqa: BLE001 - as above
            return self._without("reranking", error, ranked)
        below = [replace(hit, score=hit.score * (1 - _READ)) for hit in rest]
        return sorted([*blended, *below], key=lambda hit: (-hit.score, hit.memory.memory_id))

    def _without(self, stage: str, error: Exception, hits: Sequence[Hit]) -> list[Hit]:
        log.warning("stage_failed", extra={"stage": stage, "error": type(error).__name__})
        self.problems.append(f"{stage} failed")
        return list(hits)

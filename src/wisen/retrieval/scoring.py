"""How relevant is each candidate, 0..1? By the profile of its kind of record, with the scores it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from wisen.core.embeddings import TURN
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory
from wisen.retrieval.candidates import Features, Gathered
from wisen.retrieval.fusion import shares, weighted_sum
from wisen.retrieval.profiles import RECORD, WORDS_ALONE
from wisen.retrieval.turns import REACH, turn_scores

_Lists: TypeAlias = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate's relevance, the scores by stage, and what these say in words beyond words and meaning."""

    score: float
    stages: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def scores(gathered: Gathered, where: MemoryFilter) -> tuple[Gathered, Mapping[int, Scored]]:
    """Return the candidates of a graph, and the relevance of each by passage.

    Beside a turn that was found the one before and the one after it are candidates too: an answer need not hold a word
    of the question.
    """
    searched = gathered.searched
    turns = _turns(gathered.memories)
    around = searched.store.around(list(turns), reach=REACH) if turns else {}
    beside = {one for here in around.values() for one in (*here.before, *here.after)} - gathered.features.keys()
    if beside:
        features = {**gathered.features, **searched.features(sorted(beside), where)}
        next_to = {one for here in around.values() for one in (*here.before[:1], *here.after[:1])} & beside
        memories = {**gathered.memories, **searched.store.members(sorted(next_to), where)}
        features = {one: Features() for one in memories} | features
        gathered = replace(gathered, memories=memories, features=features)
        turns = _turns(memories)
        around = {**around, **searched.store.around(sorted(next_to), reach=REACH)}
    lists = _lists(gathered.features)
    weights = (RECORD if lists["cosine"] else WORDS_ALONE).weights(searched.query.cosine_weight)
    own = weighted_sum(lists, weights)
    found = {
        passage: Scored(
            score=own[passage], stages={name: values[passage] for name, values in lists.items() if passage in values}
        )
        for passage in gathered.memories
    }
    if not turns:
        return gathered, found
    whole = sum(weight for name, weight in weights.items() if lists[name])
    told = turn_scores(
        searched.query.text, turns, around, gathered.features, own, whole=whole, weights=searched.weights
    )
    return gathered, found | {
        passage: Scored(score=turn.score, stages={**found[passage].stages, **turn.stages}, reasons=turn.reasons)
        for passage, turn in told.items()
    }


def _turns(memories: Mapping[int, Memory]) -> Mapping[int, Memory]:
    return {passage: memory for passage, memory in memories.items() if memory.category == TURN}


def _lists(features: Mapping[int, Features]) -> _Lists:
    """Return each passage's own scores by stage, 0..1."""
    return {
        "cosine": {one: max(found.cosine, 0.0) for one, found in features.items() if found.cosine is not None},
        "bm25": shares({one: found.bm25 for one, found in features.items()}),
        "coverage": {one: found.coverage for one, found in features.items()},
    }

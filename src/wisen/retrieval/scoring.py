"""How relevant is each candidate, 0..1? By the profile of its kind of record, with the scores it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wisen.core.embeddings import TURN
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory
from wisen.retrieval import maxsim
from wisen.retrieval.candidates import Features, Gathered, Searched
from wisen.retrieval.fusion import shares, weighted_sum
from wisen.retrieval.profiles import RECORD, WORDS_ALONE
from wisen.retrieval.turns import REACH, turn_scores

_Lists: TypeAlias = Mapping[str, Mapping[int, float]]

READ: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate's relevance, the scores by stage, and what these say in words beyond words and meaning."""

    score: float
    stages: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def scores(gathered: Gathered, where: MemoryFilter, *, limit: int = READ) -> Mapping[int, tuple[Memory, Scored]]:
    """Return the best candidates of a graph by passage, each with its memory and relevance.

    Only so many memories are read. Beside a turn that was found the one before and the one after it are candidates too:
    an answer need not hold a word of the question.
    """
    searched, features = gathered.searched, gathered.features
    weights = (RECORD if searched.has_vectors else WORDS_ALONE).weights(searched.query.cosine_weight)
    own, lists = _own(features, weights)
    best = sorted(own, key=lambda passage: (-own[passage], passage))[:limit]
    own, lists = _with_tokens(searched, own, lists, best, sum(weights[name] for name in weights if lists[name]))
    memories = searched.store.members(best, where)
    turns = _turns(memories)
    if not turns:
        return {passage: (memory, _scored(passage, own[passage], lists)) for passage, memory in memories.items()}
    around = searched.store.around(list(turns), reach=REACH)
    beside = {one for here in around.values() for one in (*here.before, *here.after)} - features.keys()
    features = {**features, **searched.features(sorted(beside), where)}
    next_to = {one for here in around.values() for one in (*here.before[:1], *here.after[:1])} - memories.keys()
    memories = {**memories, **searched.store.members(sorted(next_to), where)}
    features = {one: Features() for one in memories} | features
    around = {**around, **searched.store.around(sorted(next_to), reach=REACH)}
    own, lists = _own(features, weights)
    best = sorted(memories, key=lambda passage: (-own[passage], passage))
    own, lists = _with_tokens(searched, own, lists, best, sum(weights[name] for name in weights if lists[name]))
    found = {passage: _scored(passage, own[passage], lists) for passage in memories}
    whole = sum(weight for name, weight in weights.items() if lists.get(name))
    told = turn_scores(
        searched.query.text, _turns(memories), around, features, own, whole=whole, weights=searched.weights
    )
    found |= {
        passage: Scored(score=turn.score, stages={**found[passage].stages, **turn.stages}, reasons=turn.reasons)
        for passage, turn in told.items()
    }
    return {passage: (memory, found[passage]) for passage, memory in memories.items()}


def _with_tokens(
    searched: Searched, own: Mapping[int, float], lists: _Lists, best: Sequence[int], whole: float
) -> tuple[Mapping[int, float], _Lists]:
    """Return the scores with what tokens say of the best, where their states are kept; the others go by the lowest."""
    query = searched.query
    if query.space is None or query.embedding is None or not searched.has_vectors:
        return own, lists
    kept = searched.store.tokens(query.space, best[: maxsim.READ])
    said = maxsim.similarities(query.embedding, query.space, kept)
    if not said:
        return own, lists
    lowest, share = min(said.values()), maxsim.WEIGHT * query.cosine_weight / whole
    scores = {one: (score + share * said.get(one, lowest)) / (1 + share) for one, score in own.items()}
    return scores, {**lists, "tokens": said}


def _scored(passage: int, score: float, lists: _Lists) -> Scored:
    return Scored(score=score, stages={name: values[passage] for name, values in lists.items() if passage in values})


def _own(features: Mapping[int, Features], weights: Mapping[str, float]) -> tuple[Mapping[int, float], _Lists]:
    lists = _lists(features)
    return weighted_sum(lists, weights), lists


def _turns(memories: Mapping[int, Memory]) -> Mapping[int, Memory]:
    return {passage: memory for passage, memory in memories.items() if memory.category == TURN}


def _lists(features: Mapping[int, Features]) -> _Lists:
    """Return each passage's own scores by stage, 0..1."""
    return {
        "cosine": {one: max(found.cosine, 0.0) for one, found in features.items() if found.cosine is not None},
        "bm25": shares({one: found.bm25 for one, found in features.items()}),
        "coverage": {one: found.coverage for one, found in features.items()},
    }

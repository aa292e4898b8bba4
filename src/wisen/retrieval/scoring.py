"""How relevant is each candidate, 0..1? By the profile of its kind of record, with the scores it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from wisen.core.embeddings import TURN
from wisen.core.recalls import MemoryFilter
from wisen.core.types import Memory
from wisen.retrieval import maxsim
from wisen.retrieval.candidates import Features, Gathered, Searched
from wisen.retrieval.fusion import shares, weighted_sum
from wisen.retrieval.maxsim import TokenMatches
from wisen.retrieval.profiles import (
    TURN_BY_MEANING,
    TURN_BY_TOKENS,
    TURN_BY_WORDS,
    Profile,
    TurnProfile,
    record_profile,
)
from wisen.retrieval.turns import REACH, Conversations, turn_scores, windows

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
    cosine_weight = searched.query.cosine_weight if searched.has_vectors else 0.0
    found = _found(gathered, where, limit, record_profile(cosine_weight))
    # By words each graph's best is the best of its own lot, which may be a bad one: beside other graphs that must show.
    held = max((one.coverage for one in features.values()), default=0.0)
    share = 1.0 - (1.0 - cosine_weight) * (1.0 - held)
    return {
        passage: (memory, replace(scored, score=scored.score * share)) for passage, (memory, scored) in found.items()
    }


def _found(
    gathered: Gathered, where: MemoryFilter, limit: int, profile: Profile
) -> Mapping[int, tuple[Memory, Scored]]:
    searched, features = gathered.searched, gathered.features
    own, lists = _own(features, profile)
    best = sorted(own, key=lambda passage: (-own[passage], passage))[:limit]
    memories = searched.store.members(best, where)
    if turns := _turns(memories):
        return _with_turns(gathered, where, memories, turns, profile)
    own, lists = _with_tokens(own, lists, _tokens(searched, best[: maxsim.READ], features), profile)
    return {passage: (memory, _scored(passage, own[passage], lists)) for passage, memory in memories.items()}


def _with_turns(
    gathered: Gathered,
    where: MemoryFilter,
    memories: Mapping[int, Memory],
    turns: Mapping[int, Memory],
    profile: Profile,
) -> Mapping[int, tuple[Memory, Scored]]:
    """Return the scores of candidates among which are turns: these by what is around them as well."""
    searched, features = gathered.searched, gathered.features
    around = searched.store.around(list(turns), reach=REACH)
    next_to = {one for here in around.values() for one in (*here.before[:1], *here.after[:1])} - memories.keys()
    memories = {**memories, **searched.store.members(sorted(next_to), where)}
    around = {**around, **searched.store.around(sorted(next_to), reach=REACH)}
    beside = {one for here in around.values() for one in (*here.before, *here.after)} - features.keys()
    features = {**dict.fromkeys(memories, Features()), **features, **searched.features(sorted(beside), where)}
    own, lists = _own(features, profile)
    turns = _turns(memories)
    found = Conversations(turns=turns, around=around, features=features, own=_times(own, profile.whole))
    told = turn_scores(
        searched.query.text, found, _turn_profile(profile), whole=profile.whole, weights=searched.weights
    )
    first = sorted(told, key=lambda passage: (-told[passage].score, passage))[: maxsim.READ]
    wanted = windows({one: around[one] for one in first if one in around})
    records = sorted(memories.keys() - turns.keys(), key=lambda passage: (-own[passage], passage))[: maxsim.READ]
    kept = _tokens(searched, sorted({*records, *(one for window in wanted.values() for one in window)}), features)
    own, lists = _with_tokens(own, lists, kept, profile)
    if kept and lists.get("tokens"):
        whole = profile.whole + maxsim.WEIGHT
        found = replace(found, own=_times(own, whole), tokens=lists["tokens"], window_tokens=kept.of_windows(wanted))
        told = turn_scores(searched.query.text, found, TURN_BY_TOKENS, whole=whole, weights=searched.weights)
    scored = {passage: _scored(passage, own[passage], lists) for passage in memories}
    scored |= {
        passage: Scored(score=turn.score, stages={**scored[passage].stages, **turn.stages}, reasons=turn.reasons)
        for passage, turn in told.items()
    }
    return {passage: (memory, scored[passage]) for passage, memory in memories.items()}


def _turn_profile(profile: Profile) -> TurnProfile:
    """Return how turns are ranked without token states, where a record is by a profile."""
    return TURN_BY_MEANING if profile.cosine >= 1 else TURN_BY_WORDS


def _tokens(searched: Searched, passages: Sequence[int], features: Mapping[int, Features]) -> TokenMatches | None:
    """Return what token states say of passages; None unless all have them that have a vector at all.

    Those of a few would put these before or behind the others for no better reason than that they have some.
    """
    query = searched.query
    if query.space is None or query.embedding is None or not searched.has_vectors or query.cosine_weight < 1:
        return None
    kept = searched.store.tokens(query.space, passages)
    if not kept or any(one not in kept and one in features and features[one].cosine is not None for one in passages):
        return None
    return TokenMatches(query.embedding, query.space, kept)


def _with_tokens(
    own: Mapping[int, float], lists: _Lists, matches: TokenMatches | None, profile: Profile
) -> tuple[Mapping[int, float], _Lists]:
    """Return the scores with what tokens say of some passages; the others go by the lowest of these."""
    said = matches.similarities() if matches else {}
    if not said:
        return own, lists
    lowest, share = min(said.values()), maxsim.WEIGHT / profile.whole
    scores = {one: (score + share * said.get(one, lowest)) / (1 + share) for one, score in own.items()}
    return scores, {**lists, "tokens": said}


def _times(values: Mapping[int, float], factor: float) -> Mapping[int, float]:
    return {key: value * factor for key, value in values.items()}


def _scored(passage: int, score: float, lists: _Lists) -> Scored:
    return Scored(score=score, stages={name: values[passage] for name, values in lists.items() if passage in values})


def _own(features: Mapping[int, Features], profile: Profile) -> tuple[Mapping[int, float], _Lists]:
    lists = _lists(features)
    return weighted_sum(lists, profile.weights()), lists


def _turns(memories: Mapping[int, Memory]) -> Mapping[int, Memory]:
    return {passage: memory for passage, memory in memories.items() if memory.category == TURN}


def _lists(features: Mapping[int, Features]) -> _Lists:
    """Return each passage's own scores by stage, 0..1."""
    return {
        "cosine": {one: max(found.cosine, 0.0) for one, found in features.items() if found.cosine is not None},
        "bm25": shares({one: found.bm25 for one, found in features.items()}),
        "coverage": {one: found.coverage for one, found in features.items()},
    }

"""What in one graph may answer a query, and what speaks for it: the words it holds, how near it is in meaning.

Two legs collect candidates, each with the filter inside its query. What only one of them has found gets the other's
score as well, so that a sum compares like with like.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from wisen.core.embeddings import Match, Matches, Space
from wisen.core.recalls import By, MemoryFilter
from wisen.ports import Embedding, GraphStore
from wisen.retrieval.lexical import MAX_TERMS, Kind, Term, Weights, query_terms, query_words, weigh
from wisen.retrieval.vector import cosines, nearest
from wisen.retrieval.vocabulary import stem

PER_LEG: Final = 200
_WHOLE: Final = frozenset({Kind.WORD, Kind.NAMED})
_FREQUENT: Final = 5000  # passages
_CLOSER: Final = 3  # times as many are looked at
_LONG, _MOST_ABSENT, _SPELLINGS = 4, 4, 8

Embedded: TypeAlias = tuple[Space, Embedding, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked: the text, its content terms and words, and what a model makes of it, where there is one."""

    text: str
    terms: tuple[Term, ...]
    words: tuple[str, ...] = ()
    space: Space | None = None
    embedding: Embedding | None = None
    cosine_weight: float = 1.0

    @staticmethod
    def of(text: str, embedded: Embedded | None, *, by: By = By.BOTH) -> Query:
        """Return a query for a text and what the model has answered for it."""
        terms, words = ((), ()) if by is By.MEANING else (query_terms(text), query_words(text))
        if embedded is None:
            return Query(text=text, terms=terms, words=words)
        space, embedding, weight = embedded
        return Query(text=text, terms=terms, words=words, space=space, embedding=embedding, cosine_weight=weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """How much a passage must have to be a candidate when nobody asked: enough words, or so near a meaning.

    Enough words are the `share` of what `lexical.weigh` calls enough, 0 for any word; near enough is a cosine from
    `nearness` on.
    """

    share: float
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What speaks for a passage. `bm25` is 0 or more, `coverage` 0..1, `cosine` -1..1, None where it has no vector."""

    matched: tuple[str, ...] = ()
    bm25: float = 0.0
    coverage: float = 0.0
    cosine: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What speaks for the candidates of a graph by passage, and how many with enough words lie beyond them."""

    searched: Searched
    features: Mapping[int, Features] = field(default_factory=dict)
    beyond: int = 0


class Searched:
    """One graph and one query to it."""

    def __init__(self, store: GraphStore, query: Query) -> None:
        self.store = store
        self.query = query
        self._spellings, (count, self._occurring) = _spelt(store, query)
        terms = [replace(term, kind=Kind.PIECE) if term.text in self._spellings else term for term in query.terms]
        self.weights: Weights = weigh(terms, count, self._occurring)
        self._scoring = frozenset((*_rarest(query.words, self._occurring), *self._spellings))
        self._terms = tuple(dict.fromkeys((*self.weights.of, *self._scoring)))
        self._weights = {term: self.weights.of.get(term, 0.0) for term in self._terms}
        self.has_vectors: Final = query.space is not None and bool(store.spaces().get(query.space))

    def gather(self, where: MemoryFilter, standard: Standard, *, limit: int = 0) -> Gathered:
        """Return what the filter lets through and the standard calls enough, `limit` of each leg (0: the usual)."""
        limit = limit or PER_LEG
        least = self.weights.least * standard.share
        with ThreadPoolExecutor(max_workers=1) as beside:  # both wait for the disk or compute outside the interpreter
            meaning = beside.submit(self._by_meaning, where, limit, standard.nearness)
            worded, total = self._by_words(where, limit, least)
            near = meaning.result()
        if only_near := [passage for passage in near if passage not in worded]:
            others, _ = self._by_words(where, len(only_near), 0.0, among=only_near)
            worded = {**worded, **others}
        passages = tuple(dict.fromkeys((*worded, *near)))
        features = self._features(passages, worded, near)
        return Gathered(searched=self, features=features, beyond=max(total - limit, 0))

    def features(self, passages: Sequence[int], where: MemoryFilter) -> Mapping[int, Features]:
        """Return what speaks for some passages that pass the filter; nothing for those for which nothing does."""
        if not passages:
            return {}
        worded, _ = self._by_words(where, len(passages), 0.0, among=passages)
        near = self._cosines(passages)
        return self._features([one for one in passages if one in worded or one in near], worded, near)

    def _features(
        self, passages: Iterable[int], worded: Mapping[int, Match], near: Mapping[int, float]
    ) -> Mapping[int, Features]:
        passages = tuple(passages)
        near = {**near, **self._cosines([one for one in passages if one not in near])}
        found: dict[int, Features] = {}
        for passage in passages:
            match = worded.get(passage)
            held = [self._terms[place] for place in match.matched] if match else []
            matched = tuple(term for term in held if term in self.weights.of)
            found[passage] = Features(
                matched=matched,
                bm25=max(match.score, 0.0) if match else 0.0,
                coverage=self.weights.coverage(matched),
                cosine=near.get(passage),
            )
        return found

    def _cosines(self, passages: Sequence[int]) -> Mapping[int, float]:
        space, embedding = self.query.space, self.query.embedding
        if not passages or not self.has_vectors or space is None or embedding is None:
            return {}
        return cosines(self.store, space, embedding, passages)

    def is_enough(self, matched: Sequence[str]) -> bool:
        """Whether these terms together are enough of the query."""
        return sum(self.weights.of[term] for term in matched) >= self.weights.least

    def _by_words(
        self, where: MemoryFilter, limit: int, least: float, among: Sequence[int] | None = None
    ) -> tuple[dict[int, Match], int]:
        if not self._terms:
            return {}, 0
        rare = tuple(term for term in self._terms if self._occurring[term] <= _FREQUENT)
        if among is None and rare and len(rare) < len(self._terms):
            # What half the graph holds says little by itself: it counts where a rarer word is, and is not gone through.
            first = self._matched(rare, where, limit=_CLOSER * limit)
            if first.total >= _CLOSER * limit:
                passages = [row.passage for row in first.rows]
                found = self._matched(self._terms, where, limit=limit, least=least, among=passages)
                return {row.passage: row for row in found.rows}, first.total
        found = self._matched(self._terms, where, limit=limit, least=least, among=among)
        return {row.passage: row for row in found.rows}, found.total

    def _matched(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int,
        least: float = 0.0,
        among: Sequence[int] | None = None,
    ) -> Matches:
        return self.store.match(
            terms,
            where,
            limit=limit,
            weights=self._weights,
            least=least,
            among=among,
            spellings=self._spellings,
            scoring=self._scoring,
        )

    def _by_meaning(self, where: MemoryFilter, limit: int, nearness: float) -> dict[int, float]:
        space, embedding = self.query.space, self.query.embedding
        if not self.has_vectors or space is None or embedding is None or nearness > 1:
            return {}
        found = nearest(self.store, space, embedding, where, limit=limit)
        return {passage: cosine for passage, cosine in found if cosine >= nearness}


def _rarest(words: Sequence[str], occurring: Mapping[str, int]) -> Sequence[str]:
    """Return the words that occur, at most `MAX_TERMS`, the rarest."""
    return sorted((word for word in words if occurring.get(word)), key=lambda word: occurring[word])[:MAX_TERMS]


def _spelt(store: GraphStore, query: Query) -> tuple[Mapping[str, Sequence[str]], tuple[int, Mapping[str, int]]]:
    """Return words of the index that hold a term which is none itself, by term, and what `occurrences` says then.

    `gateway` is looked for in `apigatewayv2` where nothing holds it alone; such a find counts as a piece of a word.
    """
    texts = list(dict.fromkeys((*(term.text for term in query.terms), *query.words)))
    if not texts:
        return {}, (0, {})
    count, occurring = store.occurrences(texts)
    absent = [
        term.text
        for term in query.terms
        if term.kind in _WHOLE and not occurring.get(term.text, 1) and len(term.text) >= _LONG and term.text.isalnum()
    ]
    spellings = {
        text: found for text in absent[:_MOST_ABSENT] if (found := store.containing(stem(text), limit=_SPELLINGS))
    }
    if spellings:
        count, occurring = store.occurrences(texts, spellings=spellings)
    return {text: found for text, found in spellings.items() if text in occurring}, (count, occurring)

"""Which of a graph's passages match, by words and by meaning? The part of `SqliteGraph` that searches.

Whoever searches by meaning gets numbers of passages and bytes, and asks for memories when it has chosen.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from wisen.core.embeddings import Around, Match, Matches, Passage, PassageVector, SlotBlock, Space
from wisen.core.recalls import Found, Hit, MemoryFilter
from wisen.core.types import GraphId, Memory
from wisen.core.words import Phrase
from wisen.store import contract
from wisen.store.codec import decode, encode
from wisen.store.queries import load
from wisen.store.sqlite import rows, turns, vectors
from wisen.store.sqlite.connection import FileDamaged, Row, Value
from wisen.store.sqlite.damage import DamagedRows
from wisen.store.sqlite.pool import Pool
from wisen.store.sqlite.retrying import mending

_QUERIES = Path(__file__).with_name("queries")
_SQL = load(_QUERIES / "graph.sql")
_VECTORS = load(_QUERIES / "vectors.sql", _QUERIES / "graph.sql")


class PassageIndex(ABC):
    """The passages of one graph's file."""

    def __init__(self, graph: GraphId, pool: Pool) -> None:
        self._graph = graph
        self._pool = pool
        self._damaged = DamagedRows(graph, pool)

    @abstractmethod
    def mend(self, error: FileDamaged) -> None:
        """Go on with what can be read, after SQLite could not read the file or a page of it."""

    @mending
    def search(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int = 50,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
    ) -> Found:
        """Return memories matching any term, best BM25 first; a term of several words matches as a phrase."""
        wanted = contract.search_terms(terms)
        if not wanted:
            return Found()
        which: dict[str, Value] = {
            **self._filter(where),
            **self._terms(wanted, weights),
            "least": least,
            "limit": limit,
        }
        with self._pool.read() as database:
            found = database.all(_SQL["memories_matching"], which)
        hits = tuple(hit for row in found for hit in self._hits(row[1:], tuple(wanted)))
        return Found(hits=hits, total=rows.whole(found[0][0]) if found else 0)

    @mending
    def occurrences(
        self, terms: Sequence[str], *, spellings: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """Return how many memories there are, and in how many of them each term occurs."""
        wanted = contract.search_terms(terms, spellings)
        expressions = encode([rows.expression(phrases) for phrases in wanted.values()])
        with self._pool.read() as database:
            [(total,)] = database.all(_SQL["passage_count"])
            found = database.all(_SQL["occurrences"], {"terms": expressions})
        counts = {rows.whole(term): rows.whole(count) for term, count in found}
        return rows.whole(total), {term: counts.get(n, 0) for n, term in enumerate(wanted)}

    @mending
    def match(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
        among: Sequence[int] | None = None,
        spellings: Mapping[str, Sequence[str]] | None = None,
        scoring: Container[str] | None = None,
    ) -> Matches:
        """Return the passages matching any term, best BM25 first; a word in a title counts twice."""
        wanted = contract.search_terms(terms, spellings)
        if not wanted:
            return Matches()
        which: dict[str, Value] = {
            **self._filter(where),
            **self._terms(wanted, weights, scoring),
            "least": least,
            "limit": limit,
            "among": None if among is None else encode(list(among)),
        }
        with self._pool.read() as database:
            found = database.all(_VECTORS["passages_matching"], which)
        matches = [
            Match(
                passage=rows.whole(passage),
                score=rows.real(score),
                matched=tuple(sorted(decode(str(occurring), tuple[int, ...], "terms"))),
            )
            for passage, score, occurring, _ in found
        ]
        return Matches(rows=tuple(matches), total=rows.whole(found[0][3]) if found else 0)

    @mending
    def containing(self, part: str, *, limit: int) -> Sequence[str]:
        """Return words of the index with a part, those that begin with it and then the commonest first."""
        with self._pool.read() as database:
            found = database.all(_VECTORS["words_containing"], {"part": contract.storable(part), "limit": limit})
        return tuple(str(word) for (word,) in found)

    @mending
    def members(self, passages: Sequence[int], where: MemoryFilter | None = None) -> Mapping[int, Memory]:
        """Return the memories of some passages, those that pass the filter if there is one."""
        key: dict[str, Value] = {"passages": encode(list(passages))}
        if where is None:
            query, key = _VECTORS["every_member"], {**key, "damaged": self._damaged.numbers()}
        else:
            query, key = _VECTORS["members"], {**key, **self._filter(where)}
        with self._pool.read() as database:
            found = database.all(query, key)
        by_passage = {rows.whole(row[0]): memory for row in found for memory in self._damaged.memories([row[1:]])}
        return {passage: by_passage[passage] for passage in passages if passage in by_passage}

    @mending
    def passing(self, passages: Sequence[int], where: MemoryFilter) -> frozenset[int]:
        """Return those of some passages that pass the filter, reading no memory."""
        key: dict[str, Value] = {"passages": encode(list(passages)), **self._filter(where)}
        with self._pool.read() as database:
            found = database.all(_VECTORS["passing"], key)
        return frozenset(rows.whole(passage) for (passage,) in found)

    @mending
    def around(self, passages: Sequence[int], *, reach: int) -> Mapping[int, Around]:
        """Return the turns before and after each of some passages in its conversation."""
        with self._pool.read() as database:
            return turns.around(database, passages, reach)

    @mending
    def spaces(self) -> Mapping[Space, int]:
        """Return how many vectors each space holds."""
        with self._pool.read() as database:
            return vectors.spaces(database)

    @mending
    def unembedded(self, space: Space, *, limit: int) -> Sequence[Passage]:
        """Return passages without a vector in a space, the newest first."""
        damaged = self._damaged.numbers()
        with self._pool.read() as database:
            found = vectors.waiting(database, space, damaged, limit)
        return [
            Passage(number=rows.whole(row[0]), memory=memory, stamp=rows.passage_stamp(memory))
            for row in found
            for memory in self._damaged.memories([row[1:]])
        ]

    @mending
    def unembedded_count(self, space: Space) -> int:
        """Return how many passages have no vector in a space."""
        with self._pool.read() as database:
            return vectors.waiting_count(database, space)

    @mending
    def put_vectors(self, space: Space, wanted: Sequence[PassageVector]) -> int:
        """Keep vectors, each only if its passage still has the words it was made from."""
        with self._pool.write() as database:
            return vectors.put(database, space, wanted, self._damaged)

    @mending
    def drop_vectors(self, space: Space) -> int:
        """Delete all vectors of a space."""
        with self._pool.write() as database:
            return vectors.drop(database, space)

    def slots(self, space: Space) -> Iterator[SlotBlock]:
        """Yield the codes of a space by passage number; between two reads nothing is held."""
        after = -1
        while found := self._blocks(space, after):
            after = found[-1].first // vectors.BLOCK
            yield from (block for block in found if vectors.is_whole(block, space))

    @mending
    def _blocks(self, space: Space, after: int) -> Sequence[SlotBlock]:
        with self._pool.read() as database:
            return vectors.blocks(database, space, after)

    @mending
    def vectors(self, space: Space, passages: Sequence[int] | None = None) -> Mapping[int, bytes]:
        """Return the packed vectors of some passages, or of all."""
        with self._pool.read() as database:
            return vectors.vectors_of(database, space, passages)

    @mending
    def tokens(self, space: Space, passages: Sequence[int]) -> Mapping[int, bytes]:
        """Return the packed token states of those passages that have some."""
        with self._pool.read() as database:
            return vectors.tokens_of(database, space, passages)

    @mending
    def count(self, where: MemoryFilter) -> int:
        """Return how many memories pass the filter."""
        with self._pool.read() as database:
            [(count,)] = database.all(_SQL["admitted_count"], self._filter(where))
        return rows.whole(count)

    def _hits(self, row: Row, terms: Sequence[str]) -> Sequence[Hit]:
        """Return the hit in a row, or none where it is damaged."""
        score, occurring, *columns = row
        numbers = decode(str(occurring), tuple[int, ...], "terms")
        matched = [terms[n] for n in sorted(numbers)]
        sound = self._damaged.memories([tuple(columns)])
        return [contract.hit(memory, rows.real(score), matched, len(terms)) for memory in sound]

    @staticmethod
    def _terms(
        wanted: Mapping[str, tuple[Phrase, ...]],
        weights: Mapping[str, float] | None,
        scoring: Container[str] | None = None,
    ) -> dict[str, Value]:
        listed = [
            (rows.expression(phrases), (weights or {}).get(term, 1.0), int(scoring is None or term in scoring))
            for term, phrases in wanted.items()
        ]
        return {"terms": encode(listed)}

    def _filter(self, where: MemoryFilter) -> dict[str, Value]:
        return {
            "statuses": encode(sorted(where.statuses)),
            "min_confidence": where.min_confidence,
            "sources": None if where.sources is None else encode(sorted(where.sources)),
            "kinds": None if where.kinds is None else encode(sorted(where.kinds)),
            "exclude": encode(contract.storable(tuple(where.exclude.items()))),
            "awake_us": rows.microseconds(where.awake_at),
            "programs": None if where.programs is None else encode(contract.storable(sorted(where.programs))),
            "with_recipes": int(where.with_recipes),
            "with_places": int(where.with_places),
            "names": None if where.names is None else encode(contract.storable(sorted(where.names))),
            "damaged": self._damaged.numbers(),
        }

"""The part of the in-memory graph that searches: passages by number, and vectors in a dictionary."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from threading import RLock

from wisen.core.embeddings import (
    TURN,
    Around,
    Match,
    Matches,
    Passage,
    PassageVector,
    SlotBlock,
    Space,
    marks,
    slot_bytes,
)
from wisen.core.recalls import Found, MemoryFilter
from wisen.core.types import Memory, Status
from wisen.store import contract
from wisen.store.wordindex import WordIndex

_BLOCK = 16  # small, so that tests meet the edges


class InMemoryPassages:
    """The passages of one graph."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._memories: dict[str, Memory] = {}
        self._numbers: dict[str, int] = {}
        self._last = 0
        self._vectors: dict[Space, dict[int, PassageVector]] = {}

    def search(
        self,
        terms: Sequence[str],
        where: MemoryFilter,
        *,
        limit: int = 50,
        weights: Mapping[str, float] | None = None,
        least: float = 0.0,
    ) -> Found:
        """Return memories matching any term, best first."""
        wanted = contract.search_terms(terms)
        with self._lock:
            memories = {m.memory_id: m for m in self._memories.values()}
        hits = []
        for memory_id, scores in WordIndex(memories.values()).scores(wanted).items():
            weight = sum((weights or {}).get(term, 1.0) for term in scores)
            if weight >= least and contract.admits(where, memories[memory_id]):
                hits.append(contract.hit(memories[memory_id], sum(scores.values()), tuple(scores), len(wanted)))
        return Found(hits=tuple(sorted(hits, key=lambda h: -h.score)[:limit]), total=len(hits))

    def occurrences(
        self, terms: Sequence[str], *, spellings: Mapping[str, Sequence[str]] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """Return how many memories there are, and in how many of them each term occurs."""
        wanted = contract.search_terms(terms, spellings)
        with self._lock:
            scores = WordIndex(self._memories.values()).scores(wanted).values()
            return len(self._memories), {term: sum(term in held for held in scores) for term in wanted}

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
        """Return the passages matching any term, best first."""
        wanted = contract.search_terms(terms, spellings)
        places = {term: place for place, term in enumerate(wanted)}
        only = None if among is None else frozenset(among)
        found = []
        with self._lock:
            scored = WordIndex(self._memories.values(), title_weight=2).scores(wanted)
            for memory_id, scores in scored.items():
                number = self._numbers[memory_id]
                weight = sum((weights or {}).get(term, 1.0) for term in scores)
                is_asked = only is None or number in only
                if weight >= least and is_asked and contract.admits(where, self._memories[memory_id]):
                    matched = tuple(sorted(places[term] for term in scores))
                    score = sum(value for term, value in scores.items() if scoring is None or term in scoring)
                    found.append(Match(passage=number, score=score, matched=matched))
        found.sort(key=lambda match: (-match.score, match.passage))
        return Matches(rows=tuple(found[:limit]), total=len(found))

    def containing(self, part: str, *, limit: int) -> Sequence[str]:
        """Return words of the index with a part, those that begin with it and then the commonest first."""
        with self._lock:
            counts = WordIndex(self._memories.values()).words()
        found = [word for word in counts if part in word]
        return tuple(sorted(found, key=lambda word: (not word.startswith(part), -counts[word], word))[:limit])

    def members(self, passages: Sequence[int], where: MemoryFilter | None = None) -> Mapping[int, Memory]:
        """Return the memories of some passages, those that pass the filter if there is one."""
        with self._lock:
            held = self._by_number()
        found = {number: held[number] for number in passages if number in held}
        return {number: m for number, m in found.items() if where is None or contract.admits(where, m)}

    def passing(self, passages: Sequence[int], where: MemoryFilter) -> frozenset[int]:
        """Return those of some passages that pass the filter."""
        return frozenset(self.members(passages, where))

    def around(self, passages: Sequence[int], *, reach: int) -> Mapping[int, Around]:
        """Return the turns before and after each of some passages in its conversation."""
        with self._lock:
            held = self._by_number()
        turns = {n: m for n, m in held.items() if m.category == TURN and m.session_id}
        found: dict[int, Around] = {}
        for number in passages:
            if number in turns:
                session = turns[number].session_id
                talk = [n for n, m in turns.items() if m.session_id == session and m.status is Status.ACTIVE]
                talk.sort(key=lambda n: (turns[n].created_at, turns[n].memory_id))
                if number in talk:
                    at = talk.index(number)
                    before = tuple(reversed(talk[max(at - reach, 0) : at]))
                    found[number] = Around(before=before, after=tuple(talk[at + 1 : at + 1 + reach]))
        return found

    def spaces(self) -> Mapping[Space, int]:
        """Return how many vectors each space holds."""
        with self._lock:
            return {space: len(held) for space, held in self._vectors.items()}

    def unembedded(self, space: Space, *, limit: int) -> Sequence[Passage]:
        """Return passages without a vector in a space, the newest first."""
        with self._lock:
            held = self._vectors.get(space, {})
            waiting = sorted(((n, m) for n, m in self._by_number().items() if n not in held), key=lambda one: -one[0])
        return [
            Passage(number=number, memory=memory, stamp=_stamp(memory))
            for number, memory in waiting
            if memory.status is not Status.FORGOTTEN
        ][:limit]

    def unembedded_count(self, space: Space) -> int:
        """Return how many passages have no vector in a space."""
        with self._lock:
            return len(self.unembedded(space, limit=len(self._memories)))

    def put_vectors(self, space: Space, wanted: Sequence[PassageVector]) -> int:
        """Keep vectors, each only if its passage still has the words it was made from."""
        with self._lock:
            held = self._by_number()
            kept = {v.number: v for v in wanted if v.number in held and _stamp(held[v.number]) == v.stamp}
            self._vectors.setdefault(space, {}).update(kept)
            return sum(v.number in kept for v in wanted)

    def drop_vectors(self, space: Space) -> int:
        """Delete all vectors of a space."""
        with self._lock:
            return len(self._vectors.pop(space, {}))

    def slots(self, space: Space) -> Iterator[SlotBlock]:
        """Yield the codes of a space by passage number."""
        with self._lock:
            held, memories = dict(self._vectors.get(space, {})), self._by_number()
        width = slot_bytes(space)
        for block in sorted({number // _BLOCK for number in held}):
            slots = bytearray(_BLOCK * width)
            for number in range(block * _BLOCK, (block + 1) * _BLOCK):
                if number in held:
                    at = number % _BLOCK * width
                    slots[at : at + width] = marks(memories[number]) + held[number].code
            yield SlotBlock(first=block * _BLOCK, slots=bytes(slots))

    def vectors(self, space: Space, passages: Sequence[int] | None = None) -> Mapping[int, bytes]:
        """Return the packed vectors of some passages, or of all."""
        with self._lock:
            held = self._vectors.get(space, {})
            return {n: held[n].vector for n in (held if passages is None else passages) if n in held}

    def tokens(self, space: Space, passages: Sequence[int]) -> Mapping[int, bytes]:
        """Return the packed token states of those passages that have some."""
        with self._lock:
            held = self._vectors.get(space, {})
            return {n: held[n].tokens for n in passages if n in held and held[n].tokens}

    def count(self, where: MemoryFilter) -> int:
        """Return how many memories pass the filter."""
        with self._lock:
            return sum(contract.admits(where, m) for m in self._memories.values())

    def note_passage(self, memory: Memory, held: Memory | None) -> None:
        """Give a new memory's passage its number; other words have another vector."""
        if memory.memory_id not in self._numbers:
            self._last += 1
            self._numbers[memory.memory_id] = self._last
        elif held is None or _stamp(held) != _stamp(memory):
            self._drop(self._numbers[memory.memory_id])

    def forget_passage(self, memory_id: str) -> None:
        """Let go of a memory's passage."""
        if (number := self._numbers.pop(memory_id, None)) is not None:
            self._drop(number)

    def take_vectors(self, other: InMemoryPassages) -> None:
        """Take over another graph's passages: it is the same graph under another name."""
        self._numbers, self._last, self._vectors = other._numbers, other._last, other._vectors

    def _drop(self, number: int) -> None:
        for held in self._vectors.values():
            held.pop(number, None)

    def _by_number(self) -> Mapping[int, Memory]:
        return {self._numbers[memory_id]: memory for memory_id, memory in self._memories.items()}


def _stamp(memory: Memory) -> str:
    return contract.fingerprint(*contract.indexed_fields(memory).values())

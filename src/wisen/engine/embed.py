"""Memories that have no vector yet -> vectors, a few at a time, for whoever has the time: never a hook.

A space holds the vectors of one model. Those of another stay until the new one has them all, so that a model which is
tried and taken back costs nothing, and no recall is without what it had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from wisen.core.embeddings import HASHING, Space
from wisen.core.types import GraphId, Memory
from wisen.errors import EmbeddingFailed, StoreError
from wisen.ports import Embedder, Embedders, GraphStore, GraphStores
from wisen.retrieval.maxsim import packed_tokens
from wisen.retrieval.vector import packed

BATCH: Final = 64
MOST_WITH_TOKENS: Final = 50_000  # passages of a graph: some 150 MB of token states
_TEXT_CHARS: Final = 4000  # a model reads no more: 256 word pieces are some 1,200 characters of English


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """How far a graph is: how many of its passages have a vector of the model in use, and how many have none yet."""

    graph: GraphId
    done: int
    waiting: int


class Embed:
    """Keeps vectors in step with memories."""

    def __init__(self, *, graphs: GraphStores, embedders: Embedders, keep_tokens: bool = False) -> None:
        self._graphs = graphs
        self._keep_tokens = keep_tokens
        self._embedders = embedders

    def graphs(self) -> Sequence[GraphId]:
        """Return the graphs there are."""
        return self._graphs.graphs()

    def step(self, graph: GraphId, *, within: float, keep: bool = False) -> int:
        """Embed one batch of what lacks a vector in a graph, and return how many: 0 when nothing does, or can be.

        Waits at most `within` seconds for the model, which is loaded only if there is something for it. With `keep`
        the vectors of other models stay. Raises EmbeddingFailed.
        """
        with suppress(StoreError):  # what can't be read is in no recall either; `wisen doctor` tells
            store = self._graphs.existing(graph)
            known = self._embedders.space()
            if store is None or (known is not None and not store.unembedded_count(known)):
                if store is not None and known is not None and not keep:
                    _drop_others(store, known)
                return 0
            embedder = self._embedders.now(within=within)
            return self._embed(store, embedder, keep=keep) if embedder is not None else 0
        return 0

    def _embed(self, store: GraphStore, embedder: Embedder, *, keep: bool) -> int:
        waiting = store.unembedded(embedder.space, limit=BATCH)
        if not waiting:
            if not keep:
                _drop_others(store, embedder.space)
            return 0
        try:
            found = embedder.embed([text_of(passage.memory) for passage in waiting])
        except EmbeddingFailed as error:
            self._embedders.failed(embedder, error)
            raise
        space = embedder.space
        keeps_tokens = self._keep_tokens and store.spaces().get(space, 0) < MOST_WITH_TOKENS
        return store.put_vectors(
            space,
            [
                packed(passage, one, tokens=packed_tokens(one, space) if keeps_tokens else b"")
                for passage, one in zip(waiting, found, strict=True)
            ],
        )

    def progress(self) -> Sequence[Embedded]:
        """Return how far each graph is with the model that was used last; nothing when none was."""
        space = self._embedders.space()
        if space is None:
            return ()
        return [
            Embedded(graph=store.graph, done=store.spaces().get(space, 0), waiting=store.unembedded_count(space))
            for store in self._stores()
        ]

    def _stores(self) -> Iterator[GraphStore]:
        for graph in self._graphs.graphs():
            with suppress(StoreError):
                if (store := self._graphs.existing(graph)) is not None:
                    yield store


def text_of(memory: Memory) -> str:
    """Return what a model reads of a memory: what it says, why, how, and the words it was tagged with."""
    parts = (memory.title, memory.text, memory.why, memory.how_to_apply, " ".join(memory.tags))
    return "\n".join(part for part in parts if part)[:_TEXT_CHARS]


def _drop_others(store: GraphStore, space: Space) -> None:
    """Let go of another model's vectors, now that this one has all. A stand-in never takes the place of a model."""
    if space.model == HASHING:
        return
    for other in store.spaces():
        if other != space:
            store.drop_vectors(other)

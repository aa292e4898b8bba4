"""Stages of a search that need a model or edges, as the pipeline calls them. None of them is needed for a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wisen.core.recalls import Hit
from wisen.ports.graphs import GraphStore


class Expander(Protocol):
    """Says a query in other words."""

    def expand(self, query: str) -> Sequence[str]:
        """Return other queries for the same thing, the best first; the pipeline takes the first few. May raise."""
        ...


class Reranker(Protocol):
    """Reads query and text together, and says how well the text answers."""

    def scores(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one score per text, 0..1. May raise."""
        ...


class Walker(Protocol):
    """Follows edges between memories."""

    def reached(self, store: GraphStore, hits: Sequence[Hit]) -> Sequence[tuple[str, float]]:
        """Return ids of memories that the hits lead to, each with 0..1 for how closely. May raise."""
        ...

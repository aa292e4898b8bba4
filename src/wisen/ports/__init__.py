"""What the engine needs from the world: stores, git, redaction, clock, ids. All synchronous.

Implementations: `store.sqlite` and `store.memory` (held to one contract suite), `gitrepo`, `redact`, `compose`.
"""

from __future__ import annotations

from wisen.ports.control import ControlStore
from wisen.ports.embedding import Embedder, Embedders, Embedding
from wisen.ports.graphs import GraphStore, GraphStores
from wisen.ports.world import (
    Clock,
    Guides,
    HistoryReader,
    Ids,
    PastReader,
    PastReading,
    Redactor,
    RepoProbe,
    TranscriptReader,
    TranscriptReading,
    TranscriptSize,
    WorkTree,
)

__all__ = [
    "Clock",
    "ControlStore",
    "Embedder",
    "Embedders",
    "Embedding",
    "GraphStore",
    "GraphStores",
    "Guides",
    "HistoryReader",
    "Ids",
    "PastReader",
    "PastReading",
    "Redactor",
    "RepoProbe",
    "TranscriptReader",
    "TranscriptReading",
    "TranscriptSize",
    "WorkTree",
]

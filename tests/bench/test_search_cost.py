"""What a search costs in a graph of ten thousand, a hundred thousand and a million passages; the ratios are the claim.

The whole hybrid search must take at most 1.3 times its slower leg by itself and the query's embedding. A small graph
beside the large one costs what it would alone. Milliseconds are of this machine. Texts are made of words as frequent as
words are; vectors are perturbed copies of a few thousand real ones.
WISEN_BENCH_PASSAGES names other sizes.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from tests.builders import FrozenClock, a_graph, a_memory, a_user_graph

from wisen.core.embeddings import Space
from wisen.core.portable import MemoryRecord
from wisen.core.types import GraphId
from wisen.engine.embed import MOST_WITH_TOKENS
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.ports import Embedding, GraphStore
from wisen.retrieval.vector import packed
from wisen.store.sqlite.graphs import SqliteGraphs

pytestmark = [pytest.mark.bench, pytest.mark.model, pytest.mark.timeout(3600)]

SIZES = [int(size) for size in os.environ.get("WISEN_BENCH_PASSAGES", "10000,100000,1000000").split(",")]
WORDS = [
    f"{a}{b}{c}" for a in "bdfgklmnprst" for b in ("a", "e", "io", "ou") for c in ("lt", "rn", "st", "ck", "mp", "nd")
]
WORDS += [f"{word}{n}" for word in WORDS for n in range(60)]
Floats: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float32]]"
BATCH = 1000
SMALL = 100
TOKEN_BYTES = 30 * 128  # of a text of some twenty words
FREQUENT = [1 / (rank + 10) for rank in range(len(WORDS))]

PROGRAM = """
import os, random, statistics, sys, time
from pathlib import Path
sys.path.insert(0, os.environ["WISEN_CHECKOUT"])
from tests.bench.test_search_cost import FREQUENT, WORDS
from tests.builders import T0, FrozenClock, a_graph, a_user_graph
from wisen.core.recalls import Budget, By, MemoryFilter, RecallRequest, RecallTrigger
from wisen.models.chain import EmbedderChain, EmbeddingConfig
from wisen.retrieval.pipeline import Means, retrieve
from wisen.store.sqlite.graphs import SqliteGraphs

def rss():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) // 1024

graphs = SqliteGraphs(Path(sys.argv[1]), FrozenClock())
start = time.perf_counter()
graphs.existing(a_graph()).problems()
opened = time.perf_counter() - start
chain = EmbedderChain(EmbeddingConfig(mode="packaged"))
chain.now(within=60)
chance = random.Random(7)
queries = [" ".join(chance.choices(WORDS, FREQUENT, k=8)) for _ in range(int(sys.argv[2]))]
budget = Budget(max_chars=1000, max_memory_chars=300, max_items=25)

LARGE, SMALL = (a_graph(),), (a_user_graph(),)

def ask(query, by, means, where=LARGE):
    request = RecallRequest(trigger=RecallTrigger.MANUAL, graphs=where, query=query, filter=MemoryFilter(),
                            budget=budget, by=by)
    return retrieve(request, graphs, now=T0, means=means)

taken = {name: [] for name in ("embedding", "words", "meaning", "both", "small", "two graphs")}
for number, query in enumerate(queries):
    start = time.perf_counter()
    chain.query(query, within=60)
    taken["embedding"].append(time.perf_counter() - start)
    means = Means(embedders=chain, within=60)  # the query's vector is kept: the legs are timed without it
    order = [("words", By.WORDS, LARGE), ("meaning", By.MEANING, LARGE), ("both", By.BOTH, LARGE),
             ("small", By.BOTH, SMALL), ("two graphs", By.BOTH, LARGE + SMALL)]
    for name, by, where in order[number % 5:] + order[:number % 5]:
        start = time.perf_counter()
        ask(query, by, means, where)
        taken[name].append(time.perf_counter() - start)
ms = {name: sorted(1000 * one for one in values) for name, values in taken.items()}
p50 = {name: statistics.median(values) for name, values in ms.items()}
for name, values in ms.items():
    print(f"  {name:10} p50 {p50[name]:8.1f} ms   p95 {values[int(len(values) * 0.95)]:8.1f} ms")
whole, legs = p50["both"] + p50["embedding"], max(p50["words"], p50["meaning"]) + p50["embedding"]
print(f"  whole / (slower leg + embedding) = {whole / legs:.2f}   (at most 1.3)")
print(f"  a hundred passages beside them: alone {p50['small'] / p50['both']:.2f} times the whole, "
      f"with them {p50['two graphs'] / p50['both']:.2f}")
print(f"  memory {rss()} MB, model loaded; all rows looked at in {opened:.1f} s at the first question")
"""


@pytest.fixture(scope="module")
def real() -> Floats:
    """Vectors of the packaged model."""
    chance = random.Random(3)
    chain = EmbedderChain(EmbeddingConfig(mode="packaged"))
    model = chain.now(within=60)
    assert model is not None
    texts = [" ".join(chance.choices(WORDS, FREQUENT, k=12)) for _ in range(2000)]
    vectors = [np.frombuffer(one.vector, "<f4") for one in model.embed(texts)]
    chain.close()
    return np.stack(vectors)


def memories(count: int, graph: GraphId) -> Iterator[MemoryRecord]:
    chance = random.Random(5)
    base = replace(a_memory("x"), graph=graph)
    for n in range(count):
        text = " ".join(chance.choices(WORDS, FREQUENT, k=14))
        memory = replace(base, memory_id=f"0193a000-0000-7000-9000-{n:012x}", text=text, digest=str(n))
        yield MemoryRecord(graph=graph, memory_id=memory.memory_id, memory=memory)


def fill(store: GraphStore, size: int) -> None:
    """Index so many memories in bulk."""
    batch: list[MemoryRecord] = []
    for record in memories(size, store.graph):
        batch.append(record)
        if len(batch) == BATCH:
            store.take_in(batch)
            batch = []
    if batch:
        store.take_in(batch)


def embed(store: GraphStore, space: Space, real: Floats) -> None:
    """Give all passages of a graph vectors, and token states as far as they are kept."""
    noise = np.random.default_rng(11)
    while waiting := store.unembedded(space, limit=2 * BATCH):
        near = real[[passage.number % len(real) for passage in waiting]] + noise.normal(0, 0.02, (len(waiting), 384))
        near = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype("<f4")
        keeps = store.spaces().get(space, 0) < MOST_WITH_TOKENS
        tokens = [noise.integers(-127, 128, TOKEN_BYTES, np.int8).tobytes() if keeps else b"" for _ in waiting]
        store.put_vectors(
            space,
            [
                packed(one, Embedding(vector=row.tobytes()), tokens=states)
                for one, row, states in zip(waiting, near, tokens, strict=True)
            ],
        )


@pytest.mark.parametrize("size", SIZES)
def test_the_whole_search_costs_little_more_than_its_slower_leg(tmp_path: Path, size: int, real: Floats) -> None:
    graphs = SqliteGraphs(tmp_path, FrozenClock())
    start = time.perf_counter()
    fill(graphs.open(a_graph()), size)
    indexed = size / (time.perf_counter() - start)
    fill(graphs.open(a_user_graph()), SMALL)
    space = Space(
        model="all-MiniLM-L6-v2-int8",
        digest=EmbedderChain(EmbeddingConfig(mode="packaged")).space().digest,  # type: ignore[union-attr]
        dimension=384,
    )
    for graph in (a_graph(), a_user_graph()):
        embed(graphs.open(graph), space, real)
    graphs.close()
    on_disk = sum(path.stat().st_size for path in tmp_path.iterdir()) / 1e6
    print(f"\n{size:,} passages: {indexed:,.0f} a second indexed in bulk; {on_disk:,.0f} MB on disk")
    checkout = str(Path(__file__).resolve().parents[2])
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), "60" if size <= 100_000 else "30"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "WISEN_CHECKOUT": checkout},
    )
    assert run.returncode == 0, run.stderr
    print(run.stdout)

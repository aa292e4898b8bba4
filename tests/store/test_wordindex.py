from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import FrozenClock, a_graph, a_memory
from wisen.core.records import Actor
from wisen.core.types import MemoryFilter
from wisen.store.memory import InMemoryGraphs
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.wordindex import words


def test_words_are_folded_and_their_common_endings_cut() -> None:
    assert words("Running Tests, résumé's CLAUDE.md foo_bar") == (
        "runn",
        "test",
        "resume",
        "s",
        "claude",
        "md",
        "foo",
        "bar",
    )


def test_the_fake_scores_as_sqlite_does(tmp_path: Path) -> None:
    texts = ["pnpm pnpm lock", "use pnpm and not npm in this monorepo", "unit test first", "lock the file", "no match"]
    both = (InMemoryGraphs(FrozenClock()), SqliteGraphs(tmp_path, FrozenClock()))
    scores = []
    for stores in both:
        store = stores.open(a_graph())
        for n, text in enumerate(texts):
            store.add(
                a_memory(text, memory_id=f"m{n}", title="a lock" if n == 2 else ""),
                key=text,
                actor=Actor.USER,
                reason="",
            )
        hits = store.search(["pnpm", "lock", "unit test"], MemoryFilter())
        scores.append({hit.memory.memory_id: hit.score for hit in hits})
        stores.close()
    assert scores[0] == pytest.approx(scores[1])
    assert len(scores[0]) == 4

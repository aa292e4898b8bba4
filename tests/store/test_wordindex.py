from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import FrozenClock, a_graph, a_memory
from wisen.core.recalls import MemoryFilter
from wisen.core.records import Actor
from wisen.store.memory import InMemoryGraphs
from wisen.store.sqlite.graphs import SqliteGraphs
from wisen.store.wordindex import stemmed


def test_common_endings_are_cut() -> None:
    assert stemmed(("running", "tests", "fixed", "is", "bus", "tres")) == (
        "runn",
        "test",
        "fix",
        "is",
        "bus",
        "tre",
    )


def test_the_fake_scores_as_sqlite_does(tmp_path: Path) -> None:
    texts = [
        "pnpm pnpm lock",
        "use pnpm and not npm in this monorepo",
        "unit test first",
        "lock the file",
        "no match",
        "handleError in src/main.py",
        "用pnpm还是npm呢，中文优先",
        "コミットメッセージは必ず英語で書く",
    ]
    both = (InMemoryGraphs(FrozenClock()), SqliteGraphs(tmp_path, FrozenClock()))
    scores, counts = [], []
    for stores in both:
        store = stores.open(a_graph())
        for n, text in enumerate(texts):
            store.add(
                a_memory(text, memory_id=f"m{n}", title="a lock" if n == 2 else ""),
                key=text,
                actor=Actor.USER,
                reason="",
            )
        terms = ["pnpm", "lock", "unit test", "handle_error", "src/main.py", "中文", "コミット", "优", "C++"]
        found = store.search(terms, MemoryFilter())
        scores.append({hit.memory.memory_id: (hit.score, *hit.matched) for hit in found.hits})
        counts.append(store.occurrences(terms))
        stores.close()
    assert counts[0] == counts[1]
    assert counts[0][1]["C++"] == 0
    assert scores[0].keys() == scores[1].keys() == {"m0", "m1", "m2", "m3", "m5", "m6", "m7"}
    for key, (score, *matched) in scores[0].items():
        assert scores[1][key] == (pytest.approx(score), *matched), key

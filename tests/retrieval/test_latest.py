from __future__ import annotations

from datetime import timedelta

import pytest
from tests.builders import T0, FrozenClock
from tests.retrieval.meaning import ask, put, texts

from wisen.retrieval.latest import asks_latest
from wisen.store.memory import InMemoryGraphs


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what is the latest decision on retries?", True),
        ("what did we last say about retries", True),
        ("Wie war das letzte Mal die Entscheidung zu Retries?", True),
        ("la dernière fois, qu'avons-nous décidé ?", True),
        ("¿qué decidimos la última vez?", True),
        ("上次我们怎么决定的", True),
        ("前回の決定は何でしたか", True),
        ("fix the last test in the file", False),
        ("does this translate to German?", False),
        ("why does the newestfirst function fail", False),
    ],
)
def test_the_latest_is_told_from_what_only_holds_such_a_word(query: str, expected: bool) -> None:
    assert asks_latest(query) is expected


def test_of_what_fits_as_well_the_newest_is_first_only_if_that_is_asked() -> None:
    graphs = InMemoryGraphs(FrozenClock())
    put(graphs, "We decided: retries of the importer stop after five tries.", authored_at=T0 - timedelta(days=300))
    put(graphs, "We decided: retries of the importer stop after two tries.", authored_at=T0 - timedelta(days=3))
    put(graphs, "The importer runs at night.", authored_at=T0)
    for n in range(6):
        put(graphs, f"Nothing of the kind, note {n}.", authored_at=T0)
    found = ask(graphs, "what did we last decide on retries of the importer?", None)
    assert texts(found)[0].endswith("after two tries.")
    assert "the latest of what fits" in found.hits[0].reasons
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    plain = ask(graphs, "what was decided on five retries of the importer?", None)
    assert texts(plain)[0].endswith("after five tries.")

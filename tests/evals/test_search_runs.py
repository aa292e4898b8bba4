"""Queries are put to the real store and pipeline, and to baselines that know nothing of them."""

from __future__ import annotations

import pytest

from wisen.evals.search_report import by_category, differences, view
from wisen.evals.search_runs import PIPELINES, Run, run
from wisen.evals.search_sets import Group, Query, Record, RetrievalSet

RECORDS = (
    Record("chairs", "We sit on chairs that the carpenter made"),
    Record("beds", "Whoever is tired lies down on a bed"),
    Record("floor", "The floor is swept each Friday, the chairs are not"),
)
QUERIES = (
    Query("who made the chairs?", ("chairs",), "easy"),
    Query("sweeping floors", ("floor",), "inflected"),
    Query("zebras", ("beds",), "hopeless"),
    Query("nothing answers this", (), "easy"),
)


@pytest.fixture(scope="module")
def done() -> Run:
    return run(RetrievalSet("home", (Group("all", RECORDS, QUERIES),)), PIPELINES)


def hits(done: Run, name: str) -> list[float]:
    return [one.scores["hit@1"] for one in done.pipelines[name]]


def test_each_pipeline_is_scored_on_each_query_that_has_an_answer(done: Run) -> None:
    assert {name: len(answered) for name, answered in done.pipelines.items()} == dict.fromkeys(PIPELINES, 3)


def test_words_are_found_in_other_forms_by_the_index_and_not_by_grep(done: Run) -> None:
    assert hits(done, "default") == [1.0, 1.0, 0.0]
    assert hits(done, "bm25") == [1.0, 1.0, 0.0]
    assert hits(done, "grep") == [1.0, 0.0, 0.0]


def test_records_of_another_group_are_not_found() -> None:
    other = Group("other", (Record("far", "who made the chairs? I did"),), (Query("floor", ("far",), ""),))
    found = run(RetrievalSet("two", (Group("all", RECORDS, QUERIES[:1]), other)), ("words",))
    assert hits(found, "words") == [1.0, 0.0]


def test_the_report_has_every_metric_by_category_and_the_differences(done: Run) -> None:
    assert set(view([done])) == {"sets"}
    assert set(by_category(done)) == {"easy", "inflected", "hopeless"}
    found = differences(done)[("default", "grep")]["hit@1"]
    assert found.mean == pytest.approx(1 / 3)

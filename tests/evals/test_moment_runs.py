"""The lessons that were known by then are put to the real pipeline with the moment's words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.evals.moments import Home, a_label
from tests.evals.recordings import write_rows

from wisen.errors import UsageError
from wisen.evals.moment_labels import opportunities_of
from wisen.evals.moment_runs import OF_WORDS, PIPELINES, Scored, run
from wisen.evals.moment_sources import Sessions
from wisen.evals.places import Place

WRAPPED, DEPLOYED, SAID, LOOKED_UP = range(4)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scored, ...]:
    home = Home(tmp_path_factory.mktemp("corpus"))
    return run(home.moments, PIPELINES, sessions=Sessions(home.corpus))


def found_by(scored: Scored) -> set[str]:
    return {name for name, metrics in scored.scores.items() if metrics["hit@1"]}


def test_a_failure_whose_lesson_shares_no_word_is_found_by_what_was_stored_with_it(done: tuple[Scored, ...]) -> None:
    assert found_by(done[WRAPPED]) == set(PIPELINES) - {"text", "model", "bm25", "grep"}


def test_only_what_wisen_learns_by_itself_is_a_recipe(done: tuple[Scored, ...]) -> None:
    assert {"signature", "text+signature", "hook"} <= found_by(done[DEPLOYED])
    assert not {"recipe", "text+recipe", "model+recipe"} & found_by(done[DEPLOYED])


def test_a_prompt_is_no_call_and_has_no_signature(done: tuple[Scored, ...]) -> None:
    assert found_by(done[SAID]) == set(PIPELINES) - {"signature", "recipe"}


def test_a_command_that_a_prompt_quotes_is_about_to_run_nowhere(tmp_path: Path) -> None:
    home = Home(tmp_path)
    quoted = replace(home.moments[WRAPPED], trigger="user_prompt", later=Place("s3", 99))
    [scored] = run([quoted], ("signature",), sessions=Sessions(home.corpus))
    assert found_by(scored) == set()


def test_the_place_of_a_name_comes_before_a_search_for_it(done: tuple[Scored, ...]) -> None:
    assert {"signature", "recipe", "hook"} <= found_by(done[LOOKED_UP])


def test_only_lessons_of_earlier_sessions_are_there(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "moments.jsonl.gz",
        [
            a_label("D1", "b", (1, 1), "the linter runs first", (2, 1), "linter"),
            a_label("D2", "b", (2, 3), "the linter runs last", (3, 1), "linter"),
        ],
    )
    assert [one.lessons for one in run(opportunities_of(path), ("text",))] == [1, 2]


def test_scores_come_in_the_order_of_the_file_whatever_the_order_in_time(tmp_path: Path) -> None:
    rows = [
        a_label("D1", "b", (2, 1), "the linter runs first", (3, 1), "linter"),
        a_label("D2", "b", (1, 3), "tests run in turn", (2, 1), "tests"),
    ]
    scored = run(opportunities_of(write_rows(tmp_path / "moments.jsonl.gz", rows)), ("text", "grep"))
    assert [one.moment.moment_id for one in scored] == ["D1", "D2"]
    assert [one.lessons for one in scored] == [2, 1]


def test_without_recorded_sessions_there_are_only_words(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert {len(one.scores) for one in run(home.moments, OF_WORDS)} == {len(OF_WORDS)}
    with pytest.raises(UsageError, match="recorded sessions"):
        run(home.moments, ("text", "signature"))

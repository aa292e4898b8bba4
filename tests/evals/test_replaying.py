from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.evals.replays import REPOSITORY, a_replay, folders

from wisen.errors import NotFound
from wisen.evals import silence
from wisen.evals.figures import session_view, share, summed, view
from wisen.evals.replaying import replay


def test_sessions_are_played_and_scored_by_their_labels(tmp_path: Path) -> None:
    done = a_replay(tmp_path)
    assert done.repository == REPOSITORY
    assert [one.number for one in done.sessions] == [1, 2, 3]
    assert [memory.text for memory in done.memories] == [memory.text for one in done.sessions for memory in one.added]
    (fact,) = done.facts
    assert (fact.revealed, fact.held, fact.held_active) == (1, 1, 1)
    assert [(one.served, one.in_context) for one in done.moments] == [(True, False), (False, True)]


def test_without_labels_nothing_is_scored(tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    done = replay(folder)
    assert (done.facts, done.moments, done.labelled) == ((), (), None)
    assert len(done.sessions) == 3


def test_sessions_can_be_chosen_and_each_is_told_of(tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    told: list[str] = []
    done = replay(folder, only={"s2", "s3"}, step=lambda one: told.append(one.session_id))
    assert [one.session_id for one in done.sessions] == told == ["s2", "s3"]


def test_labels_that_are_not_there_are_named(tmp_path: Path) -> None:
    folder, _ = folders(tmp_path)
    with pytest.raises(NotFound, match="guide_facts"):
        replay(folder, labels=tmp_path / "nowhere")


def test_sessions_without_a_lesson_that_stored_something_are_counted(tmp_path: Path) -> None:
    done = a_replay(tmp_path)
    assert silence.counts(done.sessions, done.labelled) == {
        "sessions": 3,
        "stored_nothing": 1,
        "without_firm_lesson": 2,
        "without_firm_lesson_stored": 1,
        "without_any_lesson": 2,
        "without_any_lesson_stored": 1,
        "all_prompts_labelled": 1,
        "all_prompts_labelled_stored": 0,
    }
    assert silence.counts(done.sessions, None) == {"sessions": 3, "stored_nothing": 1}


def test_the_figures_are_json_and_hold_no_words_of_anybody(tmp_path: Path) -> None:
    done = a_replay(tmp_path)
    text = json.dumps(view(done))
    assert "pnpm" not in text
    assert "release branch" not in text
    figures = json.loads(text)
    assert figures["totals"]["memories"] == {
        "active": 2, "waiting": 0, "by_source": {"explicit": {"active": 2}}, "supported_again": 0,
    }  # fmt: skip
    assert figures["totals"]["recall"]["session-start"]["blocks"] == 2
    assert figures["facts"]["held_in_time"]["share"] == 1.0
    assert figures["facts"]["by_kind"]["user"]["held_active"]["hits"] == 1
    assert figures["moments"]["groups"]["lessons"]["served"]["hits"] == 1
    assert figures["moments"]["groups"]["lessons"]["served_or_in_context"]["hits"] == 2
    assert len(figures["sessions"]) == 3


def test_a_session_s_figures_are_what_it_did(tmp_path: Path) -> None:
    done = a_replay(tmp_path)
    seen = session_view(done.sessions[1])
    assert (seen["number"], seen["prompts"], seen["added"], seen["active"]) == (2, 2, [], 1)


def test_a_share_of_nothing_is_none() -> None:
    assert share(0, 0) == {"of": 0, "hits": 0, "share": None, "interval": [0.0, 1.0]}
    assert share(1, 2)["share"] == 0.5


def test_sums_name_the_most_frequent_first() -> None:
    assert list(summed([{"a": 1, "b": 2}, {"b": 1, "c": 2}]).items()) == [("b", 3), ("c", 2), ("a", 1)]

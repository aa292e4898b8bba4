from __future__ import annotations

import pytest

from wisen.core.records import Standing
from wisen.errors import InvalidValue
from wisen.evals.stage import AsFound, CountedIds, OneRepository, stage

TOP = "/home/dev/widgets"


@pytest.mark.parametrize(
    ("cwd", "top"),
    [
        (TOP, TOP),
        (f"{TOP}/web/src", TOP),
        (f"{TOP}/.worktrees/fix", f"{TOP}/.worktrees/fix"),
        ("/somewhere/else", "/somewhere/else"),
    ],
)
def test_a_directory_belongs_to_the_outermost_one_unless_a_hidden_one_stands_between(cwd: str, top: str) -> None:
    probe = OneRepository(
        remote="https://github.com/acme/widgets.git", tops=[TOP, f"{TOP}/web", f"{TOP}/.worktrees/fix"]
    )
    assert probe.facts(cwd).top == top


def test_all_directories_are_one_verified_graph() -> None:
    with stage("acme/widgets", [TOP]) as on:
        found = {on.wisen.locator.locate("claude-code", cwd) for cwd in (TOP, f"{TOP}/.worktrees/fix")}
        assert {(one.standing, one.write) for one in found} == {(Standing.VERIFIED, on.graph)}
        assert str(on.graph) == "repo://claude-code/github.com/acme/widgets"
        assert on.wisen.settings.user_id == "dev"
        assert not on.is_past


def test_of_the_past_the_repository_is_known_and_no_work_tree() -> None:
    with stage("acme/widgets", [TOP], is_past=True) as on:
        assert on.wisen.locator.locate("claude-code", TOP).write == on.graph
        assert on.wisen.locator.facts(TOP).top == ""
        assert on.is_past


def test_a_file_that_was_found_is_there_where_there_is_a_work_tree() -> None:
    assert AsFound().holds(TOP, "src/app.py") is True
    assert AsFound().holds(TOP, "") is False
    assert AsFound().holds("", "src/app.py") is None


def test_nothing_of_it_is_left_behind() -> None:
    with stage("acme/widgets", [TOP]) as on:
        place = on.wisen.paths.data_dir
        assert place.exists()
    assert not place.exists()


def test_a_name_that_is_no_repository_is_refused() -> None:
    with pytest.raises(InvalidValue), stage("widgets", []):
        pass


def test_ids_are_the_same_in_every_run_and_differ_in_what_a_person_types() -> None:
    one, other = CountedIds(), CountedIds()
    ids = [one.new_id() for _ in range(3)]
    assert ids == [other.new_id() for _ in range(3)]
    assert len({id_[-8:] for id_ in ids}) == 3
    assert ids == sorted(ids)
    assert one.nonce() != one.nonce()

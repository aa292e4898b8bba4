from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.builders import T0

from wisen.core.past import PastSession, in_order, neighbours, of_project, since


def a_file(name: str, begin: float = 0, end: float = 1, **over: Any) -> PastSession:
    """A session file; begin and end are in days."""
    facts: dict[str, Any] = {"cwd": "/repo", "project": "-repo", "size": 10, **over}
    return PastSession(
        path=f"/p/{name}.jsonl",
        session_id=name,
        first_at=T0 + timedelta(days=begin),
        last_at=T0 + timedelta(days=end),
        **facts,
    )


def names(sessions: tuple[PastSession, ...]) -> list[str]:
    return [session.session_id for session in sessions]


def test_sessions_come_oldest_first_and_a_fork_after_what_it_was_copied_from() -> None:
    fork, first, old = a_file("fork", 1, 5), a_file("first", 1, 2), a_file("old", 0, 9)
    undated = PastSession(path="/p/x.jsonl", session_id="x", size=1)
    assert names(in_order([fork, first, undated, old])) == ["x", "old", "first", "fork"]


def test_a_project_is_a_directory_with_all_below_it_and_no_other_of_a_like_name() -> None:
    files = [a_file("top"), a_file("below", cwd="/repo/web"), a_file("like", cwd="/repository"), a_file("no", cwd="")]
    assert names(of_project(files, "/repo/")) == ["top", "below"]


def test_sessions_still_going_on_at_a_moment_count_as_since_then() -> None:
    files = [a_file("over", 0, 1), a_file("going", 0, 3), a_file("later", 4, 5)]
    assert names(since(files, T0 + timedelta(days=2))) == ["going", "later"]


def test_neighbours_are_where_others_of_the_project_began_the_most_frequent_first() -> None:
    files = [a_file("1", cwd="/b"), a_file("2", cwd="/a"), a_file("3", cwd="/a"), a_file("4", cwd="/c", project="-c")]
    assert neighbours(a_file("me", cwd="/repo"), files) == ("/a", "/b")

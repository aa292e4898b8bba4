"""Which repositories are called nearly the same."""

from __future__ import annotations

import pytest
from tests.builders import a_graph, a_user_graph

from wisen.core.nearness import near_graphs


@pytest.mark.fault("B57")
@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ("acme/widget", "acme/widgets"),
        ("me/tianda", "acme/tianda-wc"),
        ("acme/Widgets", "other/widgets"),
        ("acme/wigdets", "acme/widgets"),
    ],
)
def test_a_name_that_is_nearly_the_same_is_near(wanted: str, there: str) -> None:
    assert near_graphs(a_graph(wanted), [a_graph(there), a_graph("acme/zebra")]) == (a_graph(there),)


@pytest.mark.parametrize(
    ("wanted", "there"), [("acme/api", "acme/app"), ("acme/widgets", "acme/gadgets-core"), ("a/x", "a/xylophone")]
)
def test_another_name_is_not(wanted: str, there: str) -> None:
    assert near_graphs(a_graph(wanted), [a_graph(there)]) == ()


def test_itself_another_harness_a_person_and_what_has_no_name_are_never_near() -> None:
    mine = a_graph("acme/widgets")
    local = a_graph("a" * 40, host="local")
    others = [mine, a_graph("acme/widgets", harness="opencode"), a_user_graph("widgets"), local]
    assert near_graphs(mine, others) == ()
    assert near_graphs(local, [a_graph("a" * 39, host="local")]) == ()
    assert near_graphs(a_user_graph("dev"), [a_user_graph("devs")]) == ()


def test_the_likest_come_first_and_no_more_than_three() -> None:
    there = [a_graph(f"acme/{name}") for name in ("widgets2", "widget", "widgets-old", "widgets")]
    near = near_graphs(a_graph("me/widgets"), there)
    assert near[0] == a_graph("acme/widgets")
    assert len(near) == 3

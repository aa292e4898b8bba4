from __future__ import annotations

from datetime import timedelta

import pytest

from tests.builders import T0
from tests.cli.stage import REPO, UPSTREAM, YOU
from wisen.cli.answers import Repo
from wisen.cli.words import age, ago, duration, graph_name, many, place, size, stamp
from wisen.core.graphids import foreign_graph, local_graph, path_graph
from wisen.core.remotes import Remote
from wisen.core.types import GraphId

WIDGETS = Remote(host="github.com", owner="acme", repo="widgets")
HERE = Repo(standing="verified", write=REPO, reads=(REPO, UPSTREAM, YOU))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "now"),
        (59, "now"),
        (60, "1 min"),
        (3599, "59 min"),
        (86399, "23 h"),
        (86400, "1 d"),
        (31 * 86400, "1 mo"),
        (800 * 86400, "2 y"),
    ],
)
def test_an_age_is_in_its_largest_unit(seconds: int, words: str) -> None:
    assert age(T0 - timedelta(seconds=seconds), T0) == words


def test_how_long_ago_is_said_in_a_sentence() -> None:
    assert ago(T0, T0) == "just now"
    assert ago(T0 - timedelta(days=3), T0) == "3 d ago"


def test_no_moment_has_no_words() -> None:
    assert age(None, T0) == stamp(None, T0) == ""


@pytest.mark.parametrize(("count", "words"), [(0, "0 B"), (999, "999 B"), (94208, "94.2 kB"), (5_300_000, "5.3 MB")])
def test_a_size_is_in_the_unit_a_person_reads(count: int, words: str) -> None:
    assert size(count) == words


def test_counts_have_their_noun() -> None:
    assert [many(1, "memory", "memories"), many(2, "memory", "memories"), many(1200, "file")] == [
        "1 memory",
        "2 memories",
        "1,200 files",
    ]
    assert duration(7) == "7 s"


@pytest.mark.parametrize(
    ("graph", "words"),
    [(REPO, "repo"), (UPSTREAM, "upstream"), (YOU, "you"), ("repo://claude-code/host:8443/a/b/c", "host:8443/a/b/c")],
)
def test_a_place_is_seen_from_the_directory(graph: str, words: str) -> None:
    assert place(graph, HERE) == words


@pytest.mark.parametrize(
    "graph",
    [
        foreign_graph("claude-code", WIDGETS, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
        local_graph("claude-code", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
        path_graph("claude-code", "/src/widgets/.git"),
    ],
)
def test_what_this_clone_learned_under_another_name_is_not_the_upstreams(graph: GraphId) -> None:
    here = Repo(standing="verified", write=REPO, reads=(REPO, str(graph), UPSTREAM, YOU))
    assert place(str(graph), here) == "earlier"


def test_a_graphs_name_leaves_out_what_is_always_the_same() -> None:
    assert graph_name(REPO) == "github.com/acme/widgets"
    assert graph_name(YOU) == "you (dev)"

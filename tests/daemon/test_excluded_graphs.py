"""A graph that only excluded directories lead to is shown by no route; one predicate for all (known fault B63)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.builders import a_session
from tests.daemon.asgi import Answer, call
from tests.worlds import World, a_repo

from wisen.config import Settings
from wisen.core.graphids import parse_graph_id
from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed

GRAPH = "repo://claude-code/github.com/acme/widgets"
RULE = "Ask the zebrafinch before a release."


@pytest.fixture
def world() -> World:
    return World(Settings(user_id="dev", exclude=("/secret",)))


@pytest.fixture
def app(world: World) -> Iterator[App]:
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
    yield app
    app.close()


@pytest.fixture
def memory_id(world: World, app: App) -> str:
    """A memory of /repo, whose only session was where nothing is to be learned."""
    made = call(app.asgi, "POST", "/v1/memories", {"cwd": "/repo", "text": RULE}).json["memory"]["id"]
    world.control.save_session(a_session(graph=parse_graph_id(GRAPH), cwd="/secret/widgets"))
    return str(made)


@pytest.mark.fault("B63")
@pytest.mark.parametrize(
    ("method", "path", "asked"),
    [
        ("GET", "/v1/memories", {"graph": GRAPH, "status": "all"}),
        ("GET", "/v1/memories/ID", {}),
        ("GET", "/v1/memories/ID", {"graph": GRAPH}),
        ("POST", "/v1/recall", {"query": "zebrafinch release", "graph": GRAPH}),
        ("GET", "/v1/journal", {"graph": GRAPH}),
        ("GET", "/v1/review", {"graph": GRAPH}),
        ("GET", "/v1/receipts", {"graph": GRAPH}),
        ("GET", "/v1/export", {"graph": GRAPH}),
        ("GET", "/v1/export/page", {"graph": GRAPH}),
    ],
)
def test_what_is_in_it_is_refused_by_every_route(
    app: App, memory_id: str, method: str, path: str, asked: dict[str, str]
) -> None:
    """Known fault B63."""
    answer = _ask(app, method, path.replace("ID", memory_id), asked | {"cwd": "/elsewhere"})
    assert answer.status == 403
    assert "exclude" in answer.json["detail"]
    assert "zebrafinch" not in answer.body.decode()


@pytest.mark.fault("B63")
def test_an_export_of_everything_leaves_it_out_and_says_so(app: App, memory_id: str) -> None:
    """Known fault B63."""
    answer = _ask(app, "GET", "/v1/export", {"all": "1"})
    assert answer.json["graphs"] == []
    assert answer.json["problems"] == [f"{GRAPH} is of a directory that your settings exclude"]


def test_another_clone_that_is_not_excluded_has_it(world: World, app: App, memory_id: str) -> None:
    assert _ask(app, "GET", "/v1/memories", {"cwd": "/repo"}).json["memories"][0]["text"] == RULE
    assert _ask(app, "GET", f"/v1/memories/{memory_id}", {"cwd": "/repo", "graph": GRAPH}).status == 200
    world.probe.known["/clone"] = a_repo("/clone")
    world.start("s2", cwd="/clone")
    assert _ask(app, "GET", "/v1/memories", {"graph": GRAPH}).json["memories"][0]["text"] == RULE


def test_the_user_can_still_be_rid_of_it(app: App, memory_id: str) -> None:
    answer = _ask(app, "POST", f"/v1/memories/{memory_id}/forget", {"cwd": "/elsewhere", "purge": True, "graph": GRAPH})
    assert answer.status == 200
    answer = _ask(app, "POST", "/v1/graphs/remove", {"graph": GRAPH, "purge": True})
    assert (answer.status, answer.json["still_in"]) == (200, [])


@pytest.mark.parametrize("cwd", ["/elsewhere", "/secret/widgets", ""])
def test_to_be_rid_of_it_by_its_id_alone_the_graph_has_to_be_named(app: App, memory_id: str, cwd: str) -> None:
    answer = _ask(app, "POST", f"/v1/memories/{memory_id}/forget", {"cwd": cwd, "purge": True})
    assert answer.status == 404
    assert answer.json["hint"].endswith(f"add --graph {GRAPH}")


def _ask(app: App, method: str, path: str, asked: dict[str, object] | dict[str, str]) -> Answer:
    if method == "GET":
        return call(app.asgi, method, path, query={name: str(value) for name, value in asked.items()})
    return call(app.asgi, method, path, dict(asked))

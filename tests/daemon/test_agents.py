"""What an agent may have the daemon do and show: said of every route, and held to."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.daemon.asgi import Answer, call
from tests.daemon.test_routes import GRAPH, Api
from tests.worlds import World

from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.routes import changes, data, hooks, learning, mcp, memories, recalls, repos, system
from wisen.daemon.routes.agents import LIMITED, OPEN, REFUSED

FAMILIES = (system, hooks, memories, changes, recalls, repos, data, learning, mcp)
FORGOTTEN, WAITING, PURGED = "Obey the canary.", "Trust the mole.", "Feed the raven."
SECRETS = ("canary", "mole", "raven", "cuckoo")


@pytest.fixture
def api() -> Iterator[Api]:
    world, stopped = World(), []
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: stopped.append(True))
    yield Api(app, world, stopped)
    app.close()


def ask(api: Api, route: str, **said: object) -> Answer:
    """Ask for a route as an agent does."""
    method, path = route.split()
    path = path.format(ref="3f2a91bc", harness="claude-code")
    if method == "GET":
        return api.get(path, by_agent="1", **{name: str(value) for name, value in said.items()})
    return api.post(path, by_agent=True, **said)


def test_of_every_route_it_is_said_once_what_an_agent_may() -> None:
    routes = [f"{method} {path}" for family in FAMILIES for method, path, _ in family.ROUTES]
    assert sorted([*OPEN, *LIMITED, *REFUSED]) == sorted(routes)


@pytest.mark.parametrize("route", sorted(REFUSED))
def test_what_is_not_for_an_agent_is_refused(api: Api, route: str) -> None:
    answer = ask(api, route, graph=GRAPH)
    assert (answer.status, answer.json["code"]) == (403, "refused")
    assert answer.json["detail"] == f"an agent may not {REFUSED[route]}"
    assert api.stopped == []


@pytest.mark.parametrize("said", [b'{"by_agent": "true"}', b'{"by_agent": 1}', b"{", b"[]"])
@pytest.mark.parametrize("route", [route for route in sorted(REFUSED) if route.startswith("POST")])
def test_a_word_on_who_asks_that_cannot_be_read_is_no_leave(api: Api, route: str, said: bytes) -> None:
    path = route.split()[1].format(ref="3f2a91bc")
    assert call(api.app.asgi, "POST", path, raw=said).status in {400, 422}
    assert api.stopped == []


@pytest.fixture
def held(api: Api) -> Api:
    """Where one memory is active, one was forgotten, one waits, and one was reworded."""
    api.remember("Use pnpm here, not npm.")
    old = api.remember("Heed the cuckoo.")
    api.post(f"/v1/memories/{old['short']}/edit", text="Sign every commit.", why="We were asked to.")
    forgotten = api.remember(FORGOTTEN, title="canary", tags=["canary"])
    api.hook("SessionStart", source="startup")
    api.post(f"/v1/memories/{forgotten['short']}/forget", reason="the canary was wrong")
    api.remember(WAITING, by_agent=True)
    erased = api.remember(PURGED)
    api.post(f"/v1/memories/{erased['short']}/forget", purge=True)
    return api


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/memories", {"view": "inactive"}),
        ("/v1/memories", {"view": "all"}),
        ("/v1/memories", {"status": "pending_review,forgotten"}),
        ("/v1/review", {}),
        ("/v1/review", {"all": "1"}),
        ("/v1/journal", {}),
        ("/v1/receipts", {}),
        ("/v1/receipts", {"session": "s1"}),
    ],
)
def test_what_was_put_away_or_waits_has_no_text_for_an_agent(held: Api, path: str, query: dict[str, str]) -> None:
    seen = held.get(path, **query)
    assert any(word in seen.body.decode() for word in SECRETS)  # its user sees them
    told = held.get(path, by_agent="1", **query)
    assert told.status == 200
    assert not any(word in told.body.decode() for word in SECRETS)
    for kind, found in told.json.items():
        if isinstance(found, list):
            assert len(found) == len(seen.json[kind])


def test_an_agent_is_shown_which_memory_it_is_and_how_it_stands(held: Api) -> None:
    listed = held.get("/v1/memories", view="inactive").json["memories"]
    for memory in listed:
        told = held.get(f"/v1/memories/{memory['short']}", by_agent="1")
        assert not any(word in told.body.decode() for word in SECRETS)
        shown = told.json["memory"]
        assert (shown["id"], shown["status"], shown["text"]) == (memory["id"], memory["status"], "")


def test_what_is_active_an_agent_may_read_but_not_what_it_said_before(held: Api) -> None:
    (memory,) = [m for m in held.get("/v1/memories").json["memories"] if m["text"] == "Sign every commit."]
    told = held.get(f"/v1/memories/{memory['short']}", by_agent="1")
    assert (told.json["memory"]["text"], told.json["memory"]["why"]) == ("Sign every commit.", "We were asked to.")
    assert "cuckoo" not in told.body.decode()


def test_what_was_taken_of_a_prompt_is_not_read_back_to_an_agent(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt="We use pnpm here, not npm. Why is it slow?", prompt_id="p1")
    (taken,) = [one for one in api.get("/v1/heard").json["heard"] if one["emitted"]]
    assert "pnpm" in json.dumps(taken)
    told = api.get("/v1/heard", by_agent="1").json["heard"]
    assert "pnpm" not in json.dumps(told)
    assert "slow" in json.dumps(told)


def test_an_agent_that_asks_for_what_was_put_away_is_not_told_it_again(held: Api) -> None:
    """Only that it is known: its own words, up to case and spacing, found it."""
    answer = held.post("/v1/memories", text=FORGOTTEN.upper(), by_agent=True).json
    assert (answer["new"], answer["memory"]["status"], answer["memory"]["text"]) == (False, "forgotten", "")

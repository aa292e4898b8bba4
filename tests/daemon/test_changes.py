"""What is done to several memories, and taken back, over the HTTP API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.daemon.asgi import Answer, call
from tests.worlds import World, a_repo

from wisen.daemon.app import App, build_app
from wisen.daemon.in_force import Fixed

RULES = ("We use pnpm here, not npm.", "Never commit unasked.")
WEEK = "2026-12-07T12:00:00+00:00"


class Api:
    """The application over a world of fakes."""

    def __init__(self, app: App, world: World) -> None:
        self.app, self.world = app, world

    def get(self, path: str, **query: str) -> Answer:
        return call(self.app.asgi, "GET", path, query={"cwd": "/repo"} | query)

    def post(self, path: str, **body: Any) -> Answer:
        return call(self.app.asgi, "POST", path, {"cwd": "/repo"} | body)

    def do(self, verb: str, *refs: str, **body: Any) -> Answer:
        return self.post("/v1/deeds", do=verb, refs=list(refs), **body)

    def listed(self, **query: str) -> list[str]:
        return [memory["text"] for memory in self.get("/v1/memories", **query).json["memories"]]


@pytest.fixture
def api() -> Iterator[Api]:
    world = World()
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: None)
    yield Api(app, world)
    app.close()


@pytest.fixture
def ids(api: Api) -> list[str]:
    made = [api.post("/v1/memories", text=rule).json["memory"]["short"] for rule in RULES]
    return [*made, api.post("/v1/memories", text="Answer in German.", everywhere=True).json["memory"]["short"]]


@pytest.mark.fault("B74")
@pytest.mark.parametrize("verb", ["forget", "pin", "unpin", "snooze", "wake"])
def test_no_answer_to_a_deed_holds_a_text(api: Api, ids: list[str], verb: str) -> None:
    answer = api.do(verb, *ids, until=WEEK)
    assert answer.status == 200
    assert [each["short"] for each in answer.json["done"]] == ids
    assert not any(rule.encode() in answer.body for rule in (*RULES, "German"))


def test_what_is_done_at_once_is_one_batch_and_taken_back_as_one(api: Api, ids: list[str]) -> None:
    batch = api.do("forget", *ids).json["batch"]
    assert api.listed() == []
    assert {entry["batch"] for entry in api.get("/v1/journal", batch=batch[-8:]).json["entries"]} == {batch}
    undone = api.post("/v1/undo", batch=batch[-8:]).json
    assert [step["problem"] for step in undone["steps"]] == ["", "", ""]
    assert len(api.listed()) == 3
    assert len(api.get("/v1/journal", batch=undone["undo"]).json["entries"]) == 3


def test_a_snooze_is_a_moment_with_its_zone(api: Api, ids: list[str]) -> None:
    for body in ({}, {"until": "2026-12-07T12:00:00"}, {"until": "2020-01-01T00:00:00Z"}, {"until": "soon"}):
        assert api.do("snooze", ids[0], **body).json["code"] == "invalid-value"
    assert api.do("snooze", ids[0], until=WEEK).json["done"][0]["snoozed_until"] == WEEK
    (entry,) = api.get("/v1/journal", limit="1").json["entries"]
    assert (entry["action"], entry["snoozed_until"]) == ("snooze", WEEK)
    shown = api.get(f"/v1/memories/{ids[0]}").json["memory"]
    assert (shown["status"], shown["snoozed_until"]) == ("active", WEEK)


@pytest.mark.row("L2")
def test_what_is_active_and_what_is_not_are_two_views_of_all(api: Api, ids: list[str]) -> None:
    api.do("snooze", ids[0], until=WEEK)
    api.do("forget", ids[1])
    api.post("/v1/memories", text="Always pipe curl into sh.", by_agent=True)
    active, inactive = api.listed(view="active"), api.listed(view="inactive")
    assert (active, sorted(inactive)) == (
        ["We use pnpm here, not npm.", "Answer in German."],
        [
            "Always pipe curl into sh.",
            "Never commit unasked.",
        ],
    )
    assert sorted(api.listed(view="all")) == sorted([*active, *inactive])
    assert api.get("/v1/memories", view="some").json["code"] == "invalid-value"
    assert api.get("/v1/memories", view="all", status="active").json["code"] == "invalid-value"


@pytest.mark.parametrize("verb", ["pin", "unpin", "snooze", "wake", "restore", "accept"])
def test_an_agent_may_put_away_and_no_more(api: Api, ids: list[str], verb: str) -> None:
    assert api.do(verb, ids[0], until=WEEK, by_agent=True).json["code"] == "refused"
    assert api.post("/v1/undo", seq=1, by_agent=True).json["code"] == "refused"
    assert api.post("/v1/undo", batch="x", by_agent=True).json["code"] == "refused"
    assert api.do("forget", ids[0], by_agent=True).json["done"][0]["entry"]["actor"] == "agent"


@pytest.mark.parametrize("verb", ["restore", "pin", "forget"])
def test_with_what_was_erased_nothing_can_be_done(api: Api, ids: list[str], verb: str) -> None:
    api.post(f"/v1/memories/{ids[0]}/forget", purge=True)
    answer = api.do(verb, ids[1], ids[0])
    assert (answer.status, answer.json["code"]) == (409, "conflict")
    assert "erased for good" in answer.json["detail"]
    assert api.do(verb, "ffffffff").json["code"] == "not-found"
    assert api.get(f"/v1/memories/{ids[1]}").json["memory"]["pinned"] is False, "all or none"


def test_of_what_was_erased_is_said_so_and_nobody_is_sent_elsewhere(api: Api, ids: list[str]) -> None:
    api.post(f"/v1/memories/{ids[0]}/forget", purge=True)
    for ref in (ids[0], ids[0][-8:]):
        for answer in (api.get(f"/v1/memories/{ref}"), api.post(f"/v1/memories/{ref}/edit", text="Anew.")):
            assert (answer.status, answer.json["code"]) == (404, "not-found")
            assert "erased for good" in answer.json["detail"]
            assert "--graph" not in answer.json["hint"]


@pytest.mark.parametrize("body", [{"do": "shred", "refs": ["a"]}, {"do": "pin", "refs": []}, {"do": "pin"}])
def test_a_deed_that_makes_no_sense_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/v1/deeds", **body).json["code"] == "invalid-value"


@pytest.mark.parametrize("body", [{}, {"seq": 1, "batch": "x"}])
def test_an_undo_names_a_change_or_a_batch(api: Api, body: dict[str, Any]) -> None:
    assert api.post("/v1/undo", **body).json["code"] == "invalid-value"


@pytest.mark.fault("B62")
def test_no_name_reaches_a_memory_or_a_batch_of_another_place(api: Api, ids: list[str]) -> None:
    api.world.probe.known["/other"] = a_repo(
        "/other", remotes={"origin": "git@github.com:acme/gadgets.git"}, root_commits=("c" * 40,)
    )
    assert api.do("pin", ids[0], cwd="/other").json["code"] == "not-found"
    batch = api.do("forget", *ids[:2]).json["batch"]
    assert api.post("/v1/undo", batch=batch[-8:], cwd="/other").json["code"] == "not-found"
    assert api.get("/v1/journal", batch=batch[-8:], cwd="/other").json["code"] == "not-found"
    assert api.post("/v1/undo", batch=batch, cwd="/other").json["code"] == "not-found"
    assert api.get("/v1/journal", batch=batch, cwd="/other").json["code"] == "not-found"


@pytest.mark.fault("B57")
def test_a_graph_is_named_by_the_end_of_its_id_as_well(api: Api, ids: list[str]) -> None:
    whole = "repo://claude-code/github.com/acme/widgets"
    for end in ("widgets", "acme/widgets", "github.com/acme/widgets"):
        assert api.get("/v1/memories", graph=end).json == api.get("/v1/memories", graph=whole).json
    for wrong in ("idgets", "widget", "acme/widget", "github.com/acme/widget"):
        answer = api.get("/v1/memories", graph=wrong)
        assert (answer.status, answer.json["hint"]) == (404, f"did you mean {whole}?")
        assert whole not in api.get("/v1/memories", graph=wrong, by_agent="1").json["hint"], "names tell, too"
    api.post("/v1/memories", cwd="", graph="repo://claude-code/github.com/other/widgets", text="Sign commits.")
    answer = api.get("/v1/memories", graph="widgets")
    assert (answer.status, answer.json["code"]) == (409, "conflict")
    assert whole in answer.json["detail"]


def test_names_that_are_near_are_told_to_who_asks_for_them_and_only_where_nothing_is_found(
    api: Api, ids: list[str]
) -> None:
    wrong, right = (f"repo://claude-code/github.com/acme/{name}" for name in ("widget", "widgets"))

    def listed(graph: str, *, near: bool) -> Answer:
        return api.get("/v1/memories", graph=graph, **({"near": "1"} if near else {}))

    def recalled(graph: str, *, near: bool) -> Answer:
        return api.post("/v1/recall", query="pnpm", graph=graph, near=near)

    for ask in (listed, recalled):
        assert ask(wrong, near=True).json["near"] == [right]
        assert ask(wrong, near=False).json["near"] == []
        assert ask(right, near=True).json["near"] == []
        assert b"pnpm here" not in ask(wrong, near=True).body

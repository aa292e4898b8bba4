"""Status, examination and graphs as a whole, over the API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0
from tests.daemon.test_routes import GRAPH, RULE, Api
from tests.worlds import World

from wisen.core.findings import Finding
from wisen.core.types import GraphId
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.errors import NotFound, StoreTooNew
from wisen.state import sizes


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    world, stopped = World(home=str(tmp_path)), []
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: stopped.append(True))
    yield Api(app, world, stopped)
    app.close()


def test_status_tells_when_something_was_last_heard_and_how_far_back_words_are_kept(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p1")
    found = api.get("/v1/status").json
    assert found["heard"] == {"claude-code": T0.isoformat()}
    assert (found["oldest_event_at"], found["retention_days"]) == (T0.isoformat(), 30)
    assert found["paused"] == []


def test_status_tells_sizes_and_growth(api: Api) -> None:
    where = api.world.wisen.paths
    where.data_dir.mkdir(parents=True)
    where.state_dir.mkdir(parents=True)
    where.control_file.write_bytes(b"x" * 1000)
    sizes.note(where, T0 - timedelta(days=2))
    where.log_file.write_bytes(b"x" * 400)
    found = api.get("/v1/status").json["sizes"]
    assert (found["parts"]["control"], found["parts"]["log"]) == (1000, 400)
    assert found["growth"]["days"] == 2
    assert found["growth"]["bytes_a_day"] >= 200


def test_mending_uses_everything_that_is_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []

    def checking(name: str) -> Callable[[], tuple[Finding, ...]]:
        def check() -> tuple[Finding, ...]:
            used.append(name)
            return ()

        return check

    monkeypatch.setattr(api.world.control, "check", checking("control"))
    monkeypatch.setattr(api.world.graphs, "check", checking("graphs"))
    assert api.post("/v1/mend").json == {}
    assert used == ["control", "graphs"]


def test_status_explains_its_counters_in_words(api: Api) -> None:
    api.world.control.count("events_lost", 2)
    api.world.control.count("a_later_counter")
    found = api.get("/v1/status").json
    assert found["counters"] == {"events_lost": 2, "a_later_counter": 1}
    first, second = found["counted"]
    assert first == "1 a later counter"
    assert second.startswith("2 events could not be kept when they came")


def test_a_graph_of_a_newer_wisen_is_a_problem_and_the_rest_is_shown(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.remember()
    api.remember("Use tabs.", everywhere=True)
    existing = api.world.graphs.existing

    def too_new(graph: GraphId) -> object:
        if str(graph) == GRAPH:
            raise StoreTooNew("version 99, this wisen knows 2")
        return existing(graph)

    monkeypatch.setattr(api.world.graphs, "existing", too_new)
    monkeypatch.setattr(api.world.graphs, "problems", lambda: ("version 99, this wisen knows 2",))
    found = api.get("/v1/status").json
    assert [one["graph"].partition(":")[0] for one in found["graphs"]] == ["user"]
    assert found["problems"] == ["version 99, this wisen knows 2"]
    listed = api.get("/v1/memories").json
    assert [one["text"] for one in listed["memories"]] == ["Use tabs."]
    assert listed["unread"] == ["version 99, this wisen knows 2"]
    assert api.get("/v1/memories", graph=GRAPH).json["code"] == StoreTooNew.code
    assert api.post("/v1/recall", query="which indentation").status == 200


@pytest.mark.row("H15")
def test_a_graph_is_looked_into_and_removed(api: Api) -> None:
    api.remember(tags=["x"])
    stats = api.get("/v1/graphs/stats", graph=GRAPH).json
    assert (stats["by_status"], stats["by_source"], stats["journal_entries"]) == ({"active": 1}, {"explicit": 1}, 1)
    assert api.post("/v1/graphs/remove", graph=GRAPH, by_agent=True).status == 403
    assert api.post("/v1/graphs/remove", graph=GRAPH).json == {"graph": GRAPH, "purged": 0, "still_in": []}
    assert api.get("/v1/graphs/stats", graph=GRAPH).status == 404
    assert api.post("/v1/graphs/remove", graph=GRAPH).json["code"] == NotFound.code
    assert api.post("/v1/graphs/remove").status == 400
    assert api.get("/v1/memories").json["memories"] == []


def test_a_graph_that_is_purged_takes_the_words_along_that_were_said(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p1")
    api.world.wisen.promote.promote("claude-code", "s1")
    assert api.post("/v1/graphs/remove", graph=GRAPH, purge=True).json["purged"] == 1
    assert "pnpm" not in repr(api.world.control.events("claude-code", "s1"))

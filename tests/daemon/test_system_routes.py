"""Status, examination and graphs as a whole, over the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0
from tests.daemon.test_routes import GRAPH, RULE, Api
from tests.worlds import World

from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.errors import NotFound
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


def test_an_examination_is_what_the_stores_tell(api: Api) -> None:
    api.remember()
    found = api.get("/v1/examination").json
    assert (found["memories"], found["graphs"], found["data"]) == ({"active": 1}, 1, [])


@pytest.mark.row("H15")
def test_a_graph_is_looked_into_and_removed(api: Api) -> None:
    api.remember(tags=["x"])
    stats = api.get("/v1/graphs/stats", graph=GRAPH).json
    assert (stats["by_status"], stats["by_source"], stats["journal_entries"]) == ({"active": 1}, {"explicit": 1}, 1)
    assert api.post("/v1/graphs/remove", graph=GRAPH, by_agent=True).status == 403
    assert api.post("/v1/graphs/remove", graph=GRAPH).json == {"graph": GRAPH, "purged": 0}
    assert api.get("/v1/graphs/stats", graph=GRAPH).status == 404
    assert api.post("/v1/graphs/remove", graph=GRAPH).json["code"] == NotFound.code
    assert api.post("/v1/graphs/remove").status == 400
    assert api.get("/v1/memories").json["memories"] == []


def test_a_graph_that_is_purged_takes_the_words_along_that_were_said(api: Api) -> None:
    api.hook("UserPromptSubmit", prompt=RULE, prompt_id="p1")
    api.world.wisen.promote.promote("claude-code", "s1")
    assert api.post("/v1/graphs/remove", graph=GRAPH, purge=True).json["purged"] == 1
    assert "pnpm" not in repr(api.world.control.events("claude-code", "s1"))

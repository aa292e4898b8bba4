"""Past sessions and guides over HTTP: one session a call, done when it answers, in nobody's way."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.test_routes import GRAPH, Api
from tests.pastfiles import ASKED, RULE, user, write
from tests.worlds import World, a_repo

from wisen.config import Settings
from wisen.core.pauses import Pause
from wisen.core.records import GONE, JobState, RepoFacts
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.jobs import Worker
from wisen.engine.learn import Wanted
from wisen.state.pausing import Pauses


def an_api(world: World) -> Api:
    return Api(build_app(Fixed(world.wisen), on_shutdown=lambda: None), world, [])


@pytest.fixture
def api() -> Iterator[Api]:
    api = an_api(World())
    yield api
    api.app.close()


def learn(api: Api, path: Path, **over: Any) -> dict[str, Any]:
    answer = api.post("/v1/learn", **{"file": str(path), "session_id": path.stem, **over})
    assert answer.status == 200, answer.json
    found: dict[str, Any] = answer.json
    return found


def test_a_session_is_learned_from_when_the_call_answers(api: Api, tmp_path: Path) -> None:
    answer = learn(api, write(tmp_path, "s1", user(ASKED)))
    (memory,) = answer["added"]
    assert (answer["fate"], answer["events"], answer["split"], memory["text"], memory["status"], memory["graph"]) == (
        "read",
        1,
        {"typed": 1},
        RULE,
        "active",
        GRAPH,
    )
    assert answer["peak_rss_mb"] > 0
    assert [one["text"] for one in api.get("/v1/memories").json["memories"]] == [RULE]


def test_all_calls_of_a_run_are_one_batch_that_can_be_undone(api: Api, tmp_path: Path) -> None:
    first = learn(api, write(tmp_path, "s1", user(ASKED)))
    other = write(tmp_path, "s2", user("remember that the staging host is otter", 9, sessionId="s2"))
    assert learn(api, other, batch=first["batch"])["batch"] == first["batch"]
    undone = api.post("/v1/undo", batch=first["batch"])
    assert len(undone.json["steps"]) == 2
    assert api.get("/v1/memories").json["memories"] == []


def test_a_run_can_be_undone_from_anywhere_by_naming_a_graph(api: Api, tmp_path: Path) -> None:
    batch = learn(api, write(tmp_path, "s1", user(ASKED)))["batch"]
    assert api.post("/v1/undo", cwd="/elsewhere", batch=batch[-8:], graph=GRAPH).status == 200


@pytest.mark.parametrize("body", [{}, {"file": "relative.jsonl", "session_id": "s1"}, {"file": "/x", "session_id": ""}])
def test_what_names_no_session_file_is_refused(api: Api, body: dict[str, str]) -> None:
    assert api.post("/v1/learn", **body).status in {400, 422}


def test_a_file_that_is_not_there_is_said_to_be_unreadable(api: Api, tmp_path: Path) -> None:
    assert learn(api, tmp_path / "s1.jsonl")["fate"] == "unreadable"


def test_a_harness_that_nobody_speaks_is_refused(api: Api, tmp_path: Path) -> None:
    path = write(tmp_path, "s1", user(ASKED))
    assert api.post("/v1/learn", file=str(path), session_id="s1", harness="other").status == 404


def test_where_learning_is_off_nothing_is_read(tmp_path: Path) -> None:
    api = an_api(World(Settings(user_id="dev", learn=False)))
    answer = api.post("/v1/learn", file=str(write(tmp_path, "s1", user(ASKED))), session_id="s1")
    assert (answer.status, api.world.control.sessions()) == (409, ())
    api.app.close()


def test_while_wisen_is_paused_nothing_is_read(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pauses, "known", (Pause(since=api.world.clock.now() - timedelta(days=1)),))
    answer = api.post("/v1/learn", file=str(write(tmp_path, "s1", user(ASKED))), session_id="s1")
    assert (answer.status, api.world.control.sessions()) == (409, ())


def test_a_directory_that_is_gone_is_what_the_call_says(api: Api, tmp_path: Path) -> None:
    for place in ("/old/widgets", "/old"):
        api.world.probe.known[place] = RepoFacts(cwd=place, problem="no-repo", detail=GONE)
    path = write(tmp_path, "s1", user(ASKED, cwd="/old/widgets"))
    assert learn(api, path, cwd="/old/widgets")["fate"] == "gone"
    answer = learn(api, path, cwd="/old/widgets", repo="https://github.com/acme/widgets")
    assert (answer["fate"], answer["stood_in"]) == ("read", GRAPH)


def test_while_a_session_is_read_nothing_of_it_is_deleted_for_its_age_or_promoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(home=str(tmp_path))
    world.clock.advance(days=400)
    worker, pruned = Worker(Fixed(world.wisen)), list[datetime]()
    monkeypatch.setattr(world.control, "prune", lambda at, **_: pruned.append(at))
    reading, go_on = threading.Event(), threading.Event()

    def promote(*args: object, **more: object) -> object:
        reading.set()
        assert go_on.wait(10)
        return original(*args, **more)  # type: ignore[arg-type]

    original = world.wisen.promote.promote
    monkeypatch.setattr(world.wisen.promote, "promote", promote)
    path = write(tmp_path, "s1", user(ASKED))
    wanted = Wanted(harness="claude-code", path=str(path), session_id="s1", cwd="/repo")
    thread = threading.Thread(target=worker.learn, args=(wanted,))
    thread.start()
    assert reading.wait(10)
    worker._prune()
    assert pruned == []
    world.wisen.sweep.sweep(idle_minutes=60)
    worker._run_due()
    assert [job.state for job in world.control.jobs()] == [JobState.QUEUED]  # half a session is not promoted
    go_on.set()
    thread.join(10)
    worker._prune()
    assert len(pruned) == 1


# --- the guide


@pytest.fixture
def tree(api: Api, tmp_path: Path) -> Path:
    api.world.probe.known[str(tmp_path)] = a_repo(str(tmp_path))
    return tmp_path


def say(api: Api, tree: Path, text: str, session: str = "s1") -> None:
    api.world.say(text, session, cwd=str(tree))
    api.world.end(session, cwd=str(tree))


@pytest.mark.fault("B82")
def test_what_the_guide_states_is_not_learned_anew(api: Api, tree: Path) -> None:
    (tree / "CLAUDE.md").write_text("Use pnpm.\n")
    say(api, tree, "remember that we use pnpm, not npm")
    assert api.get("/v1/memories", cwd=str(tree), status="all").json["memories"] == []


@pytest.mark.fault("B82")
def test_what_contradicts_the_guide_is_shown_and_never_recalled_however_often_it_is_said(api: Api, tree: Path) -> None:
    (tree / "CLAUDE.md").write_text("Use npm.\n")
    for session in ("s1", "s2", "s3"):
        say(api, tree, "remember that we use pnpm, not npm", session)
    (waiting,) = api.get("/v1/review", cwd=str(tree)).json["memories"]
    assert waiting["why"] == "CLAUDE.md, line 1, says otherwise"
    assert "pnpm" not in api.world.start("s4", cwd=str(tree))
    (compared,) = api.get("/v1/guide", cwd=str(tree)).json["memories"]
    assert (compared["stance"], compared["says"]) == ("contradicts", "Use npm.")


def test_a_guide_is_compared_and_nothing_of_it_is_kept(api: Api, tree: Path) -> None:
    for text in ("remember that we use pnpm", f"{ASKED}"):
        say(api, tree, text, f"session of {text}")
    (tree / "CLAUDE.md").write_text("Use pnpm.\n\nThe canary sings at noon.\n")
    answer = api.get("/v1/guide", cwd=str(tree)).json
    assert (answer["files"], answer["statements"]) == (["CLAUDE.md"], 2)
    assert {one["text"]: one["stance"] for one in answer["memories"]} == {"we use pnpm": "states", RULE: ""}
    assert "canary" not in str(api.get("/v1/memories", cwd=str(tree), status="all").json)


def test_a_directory_without_memories_of_its_own_has_nothing_to_compare(api: Api) -> None:
    assert api.get("/v1/guide", cwd="/elsewhere").status == 404

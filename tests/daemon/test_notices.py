"""One line for the person, at a session start, once a day for each trouble; the model never sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.builders import T0
from tests.daemon.test_routes import Api
from tests.worlds import World

from wisen.core.counters import SPOOL_FULL
from wisen.core.types import Event
from wisen.daemon.app import build_app
from wisen.daemon.in_force import Fixed
from wisen.daemon.notices import NAME, Notices, Trouble
from wisen.errors import StoreError

H = timedelta(hours=1)
FULL = StoreError("/data/control.db: database or disk is full")
SWEEP = Trouble(kind="the sweep", why="the sweep fails: full", since=T0 - H)


def test_nothing_wrong_is_nothing_said() -> None:
    assert Notices().line((), {}, T0) == ""


def test_a_trouble_is_told_once_a_day_and_again_the_next(tmp_path: Path) -> None:
    file = tmp_path / NAME
    first = Notices(file).line((SWEEP,), {}, T0)
    assert first.startswith("wisen could not learn since ")
    assert first.endswith(": the sweep fails: full. `wisen doctor` says more.")
    for later, is_told in ((T0, False), (T0 + 23 * H, False), (T0 + 24 * H, True), (T0 + 25 * H, False)):
        assert bool(Notices(file).line((SWEEP,), {}, later)) is is_told


def test_each_trouble_has_its_own_day_and_the_worst_comes_first() -> None:
    notices = Notices()
    notices.capture_failed(FULL, T0)
    assert "disk is full" in notices.line((SWEEP,), {"events_lost": 2}, T0)
    assert "the sweep fails" in notices.line((SWEEP,), {"events_lost": 2}, T0)
    assert "could not learn everything: 2 events could not be kept" in notices.line((SWEEP,), {"events_lost": 2}, T0)
    assert notices.line((SWEEP,), {"events_lost": 2}, T0) == ""


def test_only_what_was_lost_since_is_told(tmp_path: Path) -> None:
    file = tmp_path / NAME
    assert "2 events" in Notices(file).line((), {"events_lost": 2}, T0)
    assert Notices(file).line((), {"events_lost": 2}, T0 + 48 * H) == ""
    assert "1 event could" in Notices(file).line((), {"events_lost": 3}, T0 + 48 * H)
    assert "the spool was full" in Notices(file).line((), {SPOOL_FULL: 1, "events_lost": 3}, T0)


def test_what_fails_first_says_since_when_and_what_works_again_is_no_trouble() -> None:
    notices = Notices()
    notices.capture_failed(FULL, T0)
    notices.capture_failed(FULL, T0 + H)
    assert f"since {T0.astimezone():%H:%M}" in notices.line((), {}, T0 + H)
    notices.capture_worked()
    assert notices.line((), {}, T0 + 48 * H) == ""


def test_a_trouble_that_is_over_is_told_once_when_nothing_else_is(tmp_path: Path) -> None:
    told: list[bool] = []
    over = Trouble(kind="start", why="disk is full", since=T0 - H, says="runs again, and could not start")
    notices = Notices(tmp_path / NAME, over=over, when_told=lambda: told.append(True))
    assert "the sweep" in notices.line((SWEEP,), {}, T0)
    assert told == []
    assert notices.line((SWEEP,), {}, T0).startswith("wisen runs again, and could not start since ")
    assert (told, notices.line((SWEEP,), {}, T0)) == ([True], "")


def test_a_long_reason_is_cut_between_characters() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    line = Notices().line((Trouble(kind="x", why="x" * 158 + family * 9),), {}, T0)
    assert f": {'x' * 158}... `wisen" in line.replace("....", "... ").replace("  ", " ")


@pytest.mark.parametrize(
    "text", ["", "[]", "\xff", '{"at":{"the sweep":"2026-11-30T12:00:00"},"losses":{}}', "[" * 100_000]
)
def test_a_record_that_can_not_be_read_or_written_is_in_nobodys_way(tmp_path: Path, text: str) -> None:
    file = tmp_path / NAME
    file.write_text(text, encoding="latin-1")
    assert Notices(file).line((SWEEP,), {}, T0)
    gone = Notices(tmp_path / "no" / "directory")
    assert [bool(gone.line((SWEEP,), {}, T0)) for _ in range(2)] == [True, False]


# --- through the hooks ------------------------------------------------------------------------------------------


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    world, stopped = World(home=str(tmp_path)), []
    app = build_app(Fixed(world.wisen), on_shutdown=lambda: stopped.append(True))
    yield Api(app, world, stopped)
    app.close()


def failing(*_: Event, **__: object) -> bool:
    raise FULL


@pytest.mark.fault("B07")
def test_a_session_start_tells_the_person_what_failed_and_the_model_nothing_of_it(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Known fault B07 the other way round: no recall text is where the person alone sees it."""
    api.remember("We use pnpm here, not npm.")
    with monkeypatch.context() as full:
        full.setattr(api.world.control, "record", failing)
        assert api.hook("UserPromptSubmit", prompt="Never push on fridays.", prompt_id="p1").status == 500
        answered = api.hook("SessionStart", source="startup")
        answer = answered.json
        assert set(answer) == {"systemMessage"}
        assert "disk is full" in answer["systemMessage"]
        assert answered.headers["x-wisen-kept"] == "no"  # so that the hook leaves a pointer to it
        assert api.hook("SessionStart", source="startup", delivery="d2").status == 500
    answered = api.hook("SessionStart", source="startup", delivery="d3")
    assert set(answered.json) == {"hookSpecificOutput"}
    assert "x-wisen-kept" not in answered.headers


def test_what_a_full_disk_can_not_keep_is_recalled_to_all_the_same(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first event of a session has to be on disk; one that is not is answered, and its hook leaves a pointer."""
    api.remember("We use pnpm here, not npm.", everywhere=True)
    with monkeypatch.context() as full:
        full.setattr(api.world.control, "flush", failing)
        answered = api.hook("SessionStart", source="startup")
        assert "pnpm" in answered.json["hookSpecificOutput"]["additionalContext"]
        assert "disk is full" in answered.json["systemMessage"]
        assert answered.headers["x-wisen-kept"] == "no"
        answered = api.hook("PreToolUse", tool_name="Read", tool_use_id="t", session_id="s9", delivery="d2")
        assert (answered.status, answered.headers.get("x-wisen-kept")) == (204, "no")
    assert "x-wisen-kept" not in api.hook("SessionStart", source="startup", delivery="d3", session_id="s3").headers


def test_beside_a_block_the_line_stays_out_of_the_context(api: Api) -> None:
    api.remember("We use pnpm here, not npm.")
    api.world.control.count("events_lost", 2)
    answer = api.hook("SessionStart", source="startup").json
    assert "2 events" in answer["systemMessage"]
    assert "pnpm" not in answer["systemMessage"]
    assert "events" not in answer["hookSpecificOutput"]["additionalContext"].replace("Notes learned", "")
    assert "http" not in json.dumps(answer)


def test_where_nobody_sits_nothing_is_told_and_it_waits_for_the_person(api: Api) -> None:
    api.world.control.count("events_lost", 2)
    assert api.hook("SessionStart", source="startup", entrypoint="sdk-cli").status == 204
    assert api.hook("UserPromptSubmit", prompt="hello", prompt_id="p1", delivery="d2").status == 204
    assert "systemMessage" in api.hook("SessionStart", source="startup", delivery="d3", session_id="s3").json


def test_refused_settings_are_told(tmp_path: Path) -> None:
    world = World(home=str(tmp_path))
    app = build_app(
        Fixed(world.wisen, problems=("config.toml: no setting is called 'recal'",)), on_shutdown=lambda: None
    )
    try:
        answer = Api(app, world, []).hook("SessionStart", source="startup").json
    finally:
        app.close()
    assert answer["systemMessage"].startswith("wisen learns nothing: settings refused: config.toml")

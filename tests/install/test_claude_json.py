"""The MCP server in Claude Code's own file: in and out byte for byte, under Claude Code's own lock."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from tests.install import json_texts
from tests.install.test_claude_code import Home
from tests.install.test_hooks_file import tree_of

from wisen.errors import Conflict
from wisen.install import claude_code, claude_json, jsonedit, manifest
from wisen.install.jsonedit import Origin
from wisen.install.plan import Standing

relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
WANTED = claude_json.wanted_server(Path("/venv/bin/python"), "claude-code", {"WISEN_HOME": "/w"})
NEWER = claude_json.wanted_server(Path("/venv/bin/python3"), "claude-code", {"WISEN_HOME": "/w"})
OTHER = {"type": "stdio", "command": "/bin/other", "args": ["serve"]}
FILES = json_texts.files().map(lambda data: data.replace(b'"hooks"', b'"mcpServers"'))
STATE = json.dumps(
    {"numStartups": 3, "projects": {"/repo": {"allowedTools": []}}, "primaryApiKey": "sk-canary"}, indent=2
)


def put(data: bytes, origins: tuple[Origin, ...] = (), wanted: object = WANTED) -> tuple[bytes, tuple[Origin, ...]]:
    assert isinstance(wanted, dict)
    done = claude_json.register(jsonedit.parse(data, name="f"), wanted, origins)
    return done.document.data, done.origins


def taken(data: bytes, origins: tuple[Origin, ...] | None) -> bytes:
    return claude_json.unregister(jsonedit.parse(data, name="f"), origins).data


# --- the file ---------------------------------------------------------------------------------------------------


@relaxed
@given(FILES)
def test_what_was_put_in_comes_out_without_a_trace(before: bytes) -> None:
    after, origins = put(before)
    assert json_texts.plain(after)["mcpServers"]["wisen"] == WANTED
    assert taken(after, origins) == before


@relaxed
@given(FILES)
def test_registering_twice_changes_nothing_more(before: bytes) -> None:
    once, origins = put(before)
    assert put(once, origins) == (once, origins)


@relaxed
@given(FILES)
def test_a_server_that_is_renewed_stays_in_its_place_and_comes_out_without_a_trace(before: bytes) -> None:
    old, origins = put(before)
    new, origins = put(old, origins, NEWER)
    assert json_texts.plain(new)["mcpServers"]["wisen"] == NEWER
    assert taken(new, origins) == before


@relaxed
@given(FILES, json_texts.blanks())
def test_it_comes_out_of_a_file_that_was_written_anew(before: bytes, blank: json_texts.Blank) -> None:
    after, origins = put(before)
    anew = json_texts.written(tree_of(json_texts.meaning(after)), blank).encode()
    assert json_texts.meaning(taken(anew, origins)) == json_texts.meaning(before)


def test_it_is_known_by_what_it_runs_wherever_it_was_moved() -> None:
    file = json.dumps({"mcpServers": {"memory": WANTED, "other": OTHER}}).encode()
    assert json.loads(taken(file, None)) == {"mcpServers": {"other": OTHER}}
    assert json.loads(put(file, (), NEWER)[0])["mcpServers"] == {"memory": NEWER, "other": OTHER}


def test_without_a_record_the_container_is_taken_for_ours() -> None:
    assert taken(put(b'{"a": 1}')[0], None) == b'{"a": 1}'


@pytest.mark.parametrize(
    "odd", ["1", "null", "[]", '"x"', '{"command": 1, "args": "wisen.relay"}', '{"args": [1, null]}']
)
def test_a_server_of_another_shape_is_foreign(odd: str) -> None:
    file = f'{{"mcpServers": {{"x": {odd}}}}}'.encode()
    assert claude_json.found(jsonedit.parse(file, name="f")) == ()
    assert taken(put(file)[0], ()) == file


def test_somebody_elses_server_of_our_name_is_left_alone() -> None:
    file = json.dumps({"mcpServers": {"wisen": OTHER}}).encode()
    done = claude_json.register(jsonedit.parse(file, name="f"), WANTED, ())
    assert (done.document.data, done.changes) == (file, ())
    assert "was left alone" in done.note


# --- the installation -------------------------------------------------------------------------------------------


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    state(home).write_text(STATE)
    return home


def state(home: Home) -> Path:
    return home.root / ".claude.json"


def servers(home: Home) -> dict[str, object]:
    found: dict[str, object] = json.loads(state(home).read_text()).get("mcpServers", {})
    return found


def test_the_server_is_put_in_with_the_hooks_and_out_again(home: Home) -> None:
    before = home.tree()
    home.install()
    assert servers(home) == {
        "wisen": {
            "type": "stdio",
            "command": sys.executable,
            "args": ["-I", "-m", "wisen.relay", "--harness", "claude-code"],
            "env": {"WISEN_HOME": "", "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": ""},
        }
    }
    assert home.standing() == (Standing.CURRENT, "")
    assert not home.plan().is_needed
    report = home.uninstall()
    assert all(one.is_as_before for one in report.files)
    assert home.tree() == before


def test_no_copy_is_kept_of_a_file_that_may_hold_a_key(home: Home) -> None:
    home.install()
    copies = [file for file in home.paths.state_dir.rglob("*") if file.is_file()]
    assert copies
    assert all(b"sk-canary" not in file.read_bytes() for file in copies)


def test_a_file_that_the_harness_wrote_since_loses_exactly_our_server(home: Home) -> None:
    home.install()
    written = json.loads(state(home).read_text()) | {"numStartups": 4}
    written["mcpServers"]["other"] = OTHER
    state(home).write_text(json.dumps(written))
    home.uninstall()
    assert json.loads(state(home).read_text()) == json.loads(STATE) | {"numStartups": 4, "mcpServers": {"other": OTHER}}


def test_what_the_harness_wrote_between_plan_and_change_is_kept(home: Home) -> None:
    plan = home.plan()
    state(home).write_text(STATE.replace('"numStartups": 3', '"numStartups": 4'))
    claude_code.apply(plan)
    assert json.loads(state(home).read_text())["numStartups"] == 4
    assert "wisen" in servers(home)


def test_before_there_is_such_a_file_none_is_made(home: Home) -> None:
    state(home).unlink()
    assert any("the MCP server waits for" in note for note in home.plan().notes)
    home.install()
    assert not state(home).exists()
    home.uninstall()


@pytest.mark.parametrize("damaged", ["{", "[]", '{"mcpServers": []}', "{} // x"])
def test_a_file_that_can_not_be_edited_is_left_alone_and_the_hooks_go_in(home: Home, damaged: str) -> None:
    state(home).write_text(damaged)
    assert any("no MCP server is added" in note for note in home.plan().notes)
    home.install()
    assert state(home).read_text() == damaged
    assert len(home.hooks()) == 8


def test_a_server_whose_program_is_gone_is_told(home: Home) -> None:
    home.install()
    state(home).write_text(state(home).read_text().replace(sys.executable, "/gone/python"))
    assert home.standing() == (Standing.BROKEN, "the MCP server runs /gone/python, which is gone")
    home.install()
    assert home.standing() == (Standing.CURRENT, "")


def test_a_server_of_another_version_is_renewed(home: Home) -> None:
    home.install()
    state(home).write_text(state(home).read_text().replace('"-I",', ""))
    assert home.standing()[0] is Standing.OUTDATED
    home.install()
    assert home.standing() == (Standing.CURRENT, "")


def test_a_user_may_do_without_it(home: Home) -> None:
    home.install()
    state(home).write_text(STATE)
    assert home.standing() == (Standing.CURRENT, "")


def test_a_configuration_directory_of_the_users_choice_has_a_file_of_its_own(home: Home, tmp_path: Path) -> None:
    home.env["CLAUDE_CONFIG_DIR"] = str(tmp_path / "chosen")
    assert claude_json.file_of(home.env) == tmp_path / "chosen" / ".claude.json"


# --- the lock ---------------------------------------------------------------------------------------------------


def test_nothing_is_written_while_the_harness_writes(home: Home) -> None:
    lock = home.root / ".claude.json.lock"
    lock.mkdir()
    thread = threading.Thread(target=home.install)
    thread.start()
    while not manifest.path(home.paths).exists():  # the hooks are in: now it waits
        time.sleep(0.01)
    assert servers(home) == {}
    lock.rmdir()
    thread.join()
    assert "wisen" in servers(home)
    assert not lock.exists()


def test_a_lock_that_was_left_is_taken_over(home: Home) -> None:
    lock = home.root / ".claude.json.lock"
    lock.mkdir()
    os.utime(lock, (time.time() - 60,) * 2)
    home.install()
    assert "wisen" in servers(home)
    assert not lock.exists()


def test_a_harness_that_does_not_let_go_is_told(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_json, "_LOCK_LIMIT_S", 0.0)
    (home.root / ".claude.json.lock").mkdir()
    with pytest.raises(Conflict, match="is locked"), claude_json.locked(state(home)):
        pass
    assert (home.root / ".claude.json.lock").is_dir()

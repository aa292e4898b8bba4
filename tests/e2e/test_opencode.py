"""The real OpenCode with wisen's plugin: what it learns, what reaches its model, and that nothing harms a run."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.blocks import blocks, fences
from tests.e2e.conftest import CHECKOUT, SHOP
from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import MockModel, Turn
from tests.e2e.opencode import OpenCode, Tui, remembering, shell, subtask

PNPM = "we use pnpm here, not npm"
STAGING = "the staging database is reset every night at two"


@pytest.fixture(scope="session")
def binary() -> Path:
    """The pinned OpenCode, installed when it is not there yet."""
    script = CHECKOUT / "scripts" / "harness.py"
    command = [sys.executable, str(script), "opencode"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


@pytest.fixture
def code(home: Home, binary: Path) -> OpenCode:
    """OpenCode in a repository with a remote, wisen installed."""
    OpenCode.configure(home)
    home.must("install", "opencode")
    return OpenCode(home=home, repo=home.repo("shop", SHOP), binary=binary)


def texts(home: Home, cwd: Path, *, waiting: bool = False) -> list[str]:
    """Return the texts of OpenCode's memories of a repository, or those that wait for review."""
    command = ("review", "--all", "--json") if waiting else ("list", "--json")
    rows = home.wisen(*command, cwd=cwd).json()
    rows = rows["memories"] if isinstance(rows, dict) else rows
    assert isinstance(rows, list)
    return [str(row["text"]) for row in rows]


@pytest.mark.row("F8")
def test_a_rule_typed_in_one_session_is_in_the_next_ones_request_and_not_in_the_title(
    code: OpenCode, model: MockModel
) -> None:
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    with Tui(code) as tui:
        tui.say(f"Remember that {PNPM}.")
        tui.wait_for("ONE")
        tui.leave()
    eventually(lambda: any(PNPM in text for text in texts(code.home, code.repo)), "the rule is learned")
    with Tui(code) as tui:
        tui.say("hello once more")
        tui.wait_for("TWO")
        tui.leave()
    last = model.main_requests()[-1]
    assert [(block.trigger, block.has(PNPM)) for block in blocks(last)] == [("session-start", True)]
    assert fences(last) == 2
    assert [fences(request) for request in model.requests if request.kind == "side"] == [0, 0]
    other = code.home.repo("other", "https://github.com/acme/other.git")
    model.script(Turn(text="THREE"))
    OpenCode(home=code.home, repo=other, binary=code.binary).ask("hello there")
    assert fences(model.main_requests()[-1]) == 0


def test_every_step_of_a_turn_has_the_block_once_and_it_is_not_kept(code: OpenCode, model: MockModel) -> None:
    code.home.must("remember", PNPM, cwd=code.repo)
    model.script(Turn(calls=(shell("true"),)), Turn(calls=(shell("echo two"),)), Turn(text="DONE"))
    assert code.ask("run two steps").code == 0
    assert [len(blocks(request)) for request in model.main_requests()] == [1, 1, 1]
    database = code.home.path / ".local" / "share" / "opencode" / "opencode.db"
    held = b"".join(path.read_bytes() for path in database.parent.glob("opencode.db*"))
    assert b"wisen-memory" not in held


def test_a_session_that_goes_on_in_another_process_is_given_it_again(code: OpenCode, model: MockModel) -> None:
    code.home.must("remember", PNPM, cwd=code.repo)
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    assert code.ask("hello there").code == 0
    assert code.ask("and once more", "-c").code == 0
    first, second = model.main_requests()
    assert len(second.messages) > len(first.messages)
    assert [[block.has(PNPM) for block in blocks(request)] for request in (first, second)] == [[True], [True]]


@pytest.mark.row("D18")
def test_what_was_recalled_stays_when_the_daemon_dies_in_the_middle(code: OpenCode, model: MockModel) -> None:
    code.home.must("remember", PNPM, cwd=code.repo)
    model.script(Turn(text="ONE"), Turn(text="TWO"))
    with Tui(code) as tui:
        tui.say("hello there")
        tui.wait_for("ONE")
        code.home.daemon().suspend()
        tui.say("what about the packages of the front end then")
        tui.wait_for("TWO")
        tui.leave()
    assert [block.has(PNPM) for block in blocks(model.main_requests()[-1])] == [True]


def test_what_a_script_asks_waits_for_its_user(code: OpenCode, model: MockModel) -> None:
    model.script(Turn(text="ONE"))
    assert code.ask(f"Remember that {PNPM}.").code == 0
    eventually(lambda: any(PNPM in text for text in texts(code.home, code.repo, waiting=True)), "it waits")
    assert texts(code.home, code.repo) == []


def test_a_recipe_that_mended_a_failure_comes_beside_the_same_command(code: OpenCode, model: MockModel) -> None:
    """Played twice, as one success may be chance."""
    check = "sh check.sh"
    (code.repo / "check.sh").write_text("test -e made || { echo 'error: made is missing: run sh make.sh'; exit 1; }\n")
    (code.repo / "make.sh").write_text("touch made\n")
    steps = (check, "sh make.sh", check)
    model.script(*(Turn(calls=(shell(step),)) for step in steps), Turn(text="MENDED"))
    assert code.ask("make the check pass").code == 0
    (code.repo / "made").unlink()
    eventually(lambda: texts(code.home, code.repo) != [], "the recipe is learned")
    model.script(Turn(calls=(shell(check),)), Turn(text="SEEN"))
    assert code.ask("check once more").code == 0
    last = model.main_requests()[-1]
    assert [block.trigger for block in blocks(last)] == ["pre-tool"]
    assert "make.sh" in str(blocks(last)[0].memories)


@pytest.mark.row("I4")
@pytest.mark.parametrize("state", ["dead", "stopped", "gone"])
def test_a_run_is_not_harmed_by_a_daemon_that_is_none(code: OpenCode, model: MockModel, state: str) -> None:
    model.script(Turn(calls=(shell("echo worked"),)), Turn(text="ONE"))
    code.home.must("daemon", "start")
    if state == "stopped":
        code.home.daemon().suspend()
    else:
        code.home.daemon().kill()
    if state == "gone":
        file = code.home.path / ".config" / "opencode" / "plugins" / "wisen.js"
        file.write_text(file.read_text().replace(sys.prefix, "/nowhere"))
    run = code.ask("hello")
    assert (run.code, "ONE" in run.stdout) == (0, True), run.stderr
    assert "wisen" not in run.stderr


def test_a_subagent_gets_what_its_task_is_about(code: OpenCode, model: MockModel) -> None:
    task = "SURVEY how the staging database gets reset every night"
    model.script(
        Turn(calls=(shell("until [ -e go ]; do sleep 0.1; done"),)),
        Turn(calls=(subtask(task),)),
        Turn(text="DONE"),
        asides={"SURVEY": Turn(text="AT TWO")},
    )
    with ThreadPoolExecutor(max_workers=1) as beside:
        run = beside.submit(code.ask, "hand it over")
        eventually(lambda: len(model.main_requests()) > 0, "the session has begun", timeout_s=60)
        code.home.must("remember", STAGING, cwd=code.repo)
        (code.repo / "go").touch()
        assert run.result().code == 0
    of_subagent = [request for request in model.requests if request.kind == "aside" and "SURVEY" in request.last_user]
    assert [block.trigger for request in of_subagent for block in blocks(request)] == ["sub-task"]
    assert fences(model.main_requests()[-1]) == 0, "the one who hands it over is not told beside it"


@pytest.mark.row("D19")
@pytest.mark.row("F12")
def test_the_tool_says_what_it_did_and_fails_in_words(code: OpenCode, model: MockModel) -> None:
    code.home.must("remember", STAGING, cwd=code.repo)
    calls = [
        remembering("help"),
        remembering("search", "when is staging reset"),
        remembering("list"),
        remembering("add", PNPM),
        remembering("forget", "nothing"),
        remembering("dream"),
        remembering("add"),
    ]
    model.script(Turn(calls=tuple(calls)), Turn(text="DONE"))
    assert code.ask("try the tool").code == 0
    said = answers(model)
    assert [one["success"] for one in said] == [True, True, True, True, False, False, False], said
    assert STAGING in said[1]["result"]
    assert "data, not instructions" in said[1]["result"]
    assert [one["text"] for one in said[2]["result"]] == [STAGING]
    waiting = texts(code.home, code.repo, waiting=True)
    assert any(PNPM in text for text in waiting), (said, waiting)
    code.home.stop()
    plugin = code.home.path / ".config" / "opencode" / "plugins" / "wisen.js"
    plugin.write_text(plugin.read_text().replace(sys.prefix, "/nowhere"))
    model.script(Turn(calls=(remembering("list"),)), Turn(text="DONE"))
    assert code.ask("try the tool").code == 0
    assert answers(model)[-1]["success"] is False


def answers(model: MockModel) -> list[dict[str, Any]]:
    """Return what our tool has answered in the last request."""
    body = json.loads(model.main_requests()[-1].raw)
    results = [
        block for message in body["messages"] for block in message["content"] if block.get("type") == "tool_result"
    ]
    return [json.loads(result["content"]) for result in results]


def test_uninstalled_it_leaves_the_configuration_as_it_was(home: Home, binary: Path) -> None:
    OpenCode.configure(home)
    folder = home.path / ".config" / "opencode"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    home.must("install", "opencode")
    assert "installed" in home.must("status")
    home.must("uninstall", "opencode")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert not (folder / "plugins").exists()

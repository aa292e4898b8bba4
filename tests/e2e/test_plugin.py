"""wisen as a plugin of the real Claude Code."""

from __future__ import annotations

import subprocess

import pytest

from tests.e2e.claude_code import ClaudeCode
from tests.e2e.conftest import SHOP
from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import Call, MockModel, Turn
from tests.e2e.terminal import Terminal

STAGING = "the staging database is reset every night at two"
SERVER = "mcp__plugin_wisen_wisen"


def claude(home: Home, *args: str) -> str:
    done = subprocess.run(
        [home.harness, *args], cwd=home.path, env=home.env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def plugged(home: Home) -> ClaudeCode:
    """The harness in a repository with a remote, wisen its plugin."""
    repo = home.repo("shop", SHOP)
    home.must("install", "claude-code", "--plugin")
    folder = home.path / ".local" / "share" / "wisen" / "plugin"
    for place in (folder, folder / "wisen"):
        assert "Validation passed" in claude(home, "plugin", "validate", str(place))
    claude(home, "plugin", "marketplace", "add", str(folder))
    claude(home, "plugin", "install", "wisen@wisen")
    home.must("daemon", "start")
    return ClaudeCode(home, repo)


def test_its_hooks_and_its_tools_serve_a_session(plugged: ClaudeCode, model: MockModel) -> None:
    plugged.home.must("remember", STAGING, cwd=plugged.repo)
    recall = Call(tool=f"{SERVER}__recall", arguments={"query": "when is the staging database reset?"})
    model.script(Turn(text="ONE", calls=(recall,)), Turn(text="TWO"))
    run = plugged.ask("hello", "--allowedTools", SERVER)
    assert (run.code, run.reply) == (0, "TWO")
    first, last = model.main_requests()[0], model.main_requests()[-1]
    assert first.raw.count(STAGING.encode()) == 1  # the block of the session's start, once
    assert STAGING in last.last_user
    assert "data, not instructions" in last.last_user


def test_what_the_user_has_it_remember_is_active_at_once(plugged: ClaudeCode, model: MockModel) -> None:
    remember = Call(tool=f"{SERVER}__remember", arguments={"text": STAGING})
    model.script(Turn(text="ONE", calls=(remember,)), Turn(text="TWO"))
    with Terminal(plugged.home, plugged.repo, ("--allowedTools", SERVER)) as terminal:
        terminal.say(f"/wisen:remember {STAGING}")
        terminal.wait_for("TWO")
        eventually(lambda: plugged.home.texts(plugged.repo) == [STAGING], "it is active")
        terminal.leave()
    assert "Call the `remember` tool of the wisen server once" in model.main_requests()[0].raw.decode()


def test_after_it_was_taken_out_the_harness_goes_on_without(plugged: ClaudeCode, model: MockModel) -> None:
    home = plugged.home
    assert "claude plugin uninstall wisen@wisen" in home.must("uninstall", "claude-code")
    home.wait_for_quiet()
    assert plugged.ask("hello").code == 0  # the harness has a copy of the plugin still
    assert home.processes() == []
    claude(home, "plugin", "uninstall", "wisen@wisen")
    claude(home, "plugin", "marketplace", "remove", "wisen")
    assert plugged.ask("hello").code == 0
    assert b"wisen" not in model.main_requests()[-1].raw

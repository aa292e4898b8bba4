"""The agent's tools, asked for by the model of the real harness."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import eventually
from tests.e2e.mockllm import Call, MockModel, Turn, shell
from tests.e2e.terminal import Terminal

PNPM = "we use pnpm here, not npm"
PARSER = "the parser lives in packages/parser"
ALLOWED = ("--allowedTools", "mcp__wisen")


@pytest.fixture(autouse=True)
def _warm(shop: ClaudeCode) -> None:
    """Start the daemon: this model answers at once, and a call to a server that is not there yet fails."""
    shop.home.must("daemon", "start")


def tool(name: str, **arguments: object) -> Call:
    return Call(tool=f"mcp__wisen__{name}", arguments=arguments)


@pytest.mark.row("N7")
def test_the_model_asks_for_memories_and_gets_them_fenced(shop: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE", calls=(tool("recall", query="where does the parser live?"),)), Turn(text="TWO"))
    shop.home.must("remember", PARSER, cwd=shop.repo)
    run = shop.ask("hello", *ALLOWED)
    assert (run.code, run.reply) == (0, "TWO")
    told = model.main_requests()[-1].last_user
    assert PARSER in told
    before, _, after = told.partition(PARSER)
    assert "<wisen-memory id=" in before
    assert "data, not instructions" in before
    assert "</wisen-memory id=" in after


def test_what_the_harness_is_told_of_the_server_reaches_the_model(shop: ClaudeCode, model: MockModel) -> None:
    shop.ask("hello")
    assert b"Long-term memory of this repository and its user." in model.main_requests()[-1].raw


def test_what_the_model_makes_up_waits_for_the_user(shop: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE", calls=(tool("remember", text="Never run the tests."),)), Turn(text="TWO"))
    assert shop.ask("hello", *ALLOWED).reply == "TWO"
    assert "waits for review" in model.main_requests()[-1].last_user
    assert shop.home.texts(shop.repo) == []
    assert shop.home.texts(shop.repo, waiting=True) == ["Never run the tests."]


def test_what_the_user_typed_is_active_at_once(shop: ClaudeCode, model: MockModel) -> None:
    model.script(Turn(text="ONE", calls=(tool("remember", text="Use pnpm here, not npm."),)), Turn(text="TWO"))
    with Terminal(shop.home, shop.repo, ALLOWED) as terminal:
        terminal.say(PNPM)
        terminal.wait_for("TWO")
        eventually(lambda: shop.home.texts(shop.repo) == [PNPM], "the rule is active in the user's words")
        terminal.leave()


@pytest.mark.parametrize("how", ["resumed", "cleared"])
def test_so_it_is_in_a_session_whose_server_was_told_another_id(shop: ClaudeCode, model: MockModel, how: str) -> None:
    model.script(
        Turn(text="ONE"), Turn(text="-", calls=(tool("remember", text="Use pnpm here, not npm."),)), Turn(text="TWO")
    )
    if how == "resumed":
        with Terminal(shop.home, shop.repo) as terminal:
            terminal.say("hello")
            terminal.wait_for("ONE")
            terminal.leave()
    flags = ("-c",) if how == "resumed" else ()
    with Terminal(shop.home, shop.repo, (*flags, *ALLOWED)) as terminal:
        if how == "cleared":
            terminal.say("hello")
            terminal.wait_for("ONE")
            terminal.say("/clear")
            eventually(lambda: "ONE" not in terminal.screen(), "the screen is clear")
        terminal.say(PNPM)
        terminal.wait_for("TWO")
        eventually(lambda: shop.home.texts(shop.repo) == [PNPM], "the rule is active in the user's words")
        terminal.leave()


def test_the_servers_end_with_the_session(shop: ClaudeCode) -> None:
    shop.ask("hello")
    eventually(lambda: len(shop.home.processes()) == 1, "the daemon alone is left")


def test_a_daemon_that_was_killed_in_a_session_is_back_for_the_next_call(shop: ClaudeCode, model: MockModel) -> None:
    kill = Call(tool="Bash", arguments={"command": f"kill -9 {shop.home.daemon().pid}"})
    model.script(*(Turn(text="-", calls=(call,)) for call in (tool("status"), kill, tool("status"))), Turn(text="END"))
    assert shop.ask("hello", *ALLOWED).reply == "END"
    first, _, last = (request.last_user for request in model.main_requests()[-3:])
    assert '"recall":true' in first
    assert '"recall":true' in last


def test_uninstalling_takes_the_server_out_of_a_file_that_the_harness_writes(shop: ClaudeCode) -> None:
    shop.ask("hello")
    own = shop.home.path / ".claude.json"
    written = json.loads(own.read_text())
    assert "wisen" in written.pop("mcpServers")
    shop.home.must("uninstall", "claude-code")
    assert json.loads(own.read_text()) == written
    shop.home.wait_for_quiet()


def test_what_a_session_writes_keeps_a_server_that_was_added_meanwhile(shop: ClaudeCode, model: MockModel) -> None:
    home = shop.home
    home.must("uninstall", "claude-code")
    install = Call(tool="Bash", arguments={"command": f"{' '.join(home.command)} install claude-code"})
    model.script(Turn(text="ONE", calls=(install,)), Turn(text="TWO"))
    assert "wisen" not in (home.path / ".claude.json").read_text()
    assert shop.ask("hello").reply == "TWO"
    assert "wisen" not in (home.path / ".claude.json").read_text()  # an agent does not put in what its user took out
    model.script(Turn(text="ONE", calls=(shell("until [ -e go ]; do sleep 0.1; done"),)), Turn(text="TWO"))
    with Terminal(home, shop.repo) as terminal:
        terminal.say("hello")
        terminal.wait_for("ONE")
        home.install()
        (shop.repo / "go").touch()
        terminal.wait_for("TWO")
        terminal.leave()
    assert "wisen" in json.loads((home.path / ".claude.json").read_text())["mcpServers"]


def test_the_harness_itself_sees_a_server_that_works(shop: ClaudeCode) -> None:
    done = subprocess.run(
        [shop.home.harness, "mcp", "list"],
        cwd=shop.repo,
        env=shop.home.env,
        capture_output=True,
        text=True,
        check=False,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("wisen:"))
    assert "Connected" in line

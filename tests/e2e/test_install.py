"""What installing and uninstalling does to a home, and what is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import Home, tree
from tests.e2e.mockllm import MockModel

FOREIGN = (
    '{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls:*)"]},\n  "hooks": {\n    "SessionStart": [\n'
    '      {"matcher": "startup", "hooks": [{"type": "command", "command": "echo foreign-hook"}]}\n    ],\n'
    '    "Stop": []\n  },\n\n  "someFutureKey": {"b": 1,   "a": [1, 2.50, 1e3, "\\u00e9"]}\n}\n'
)
SHAPES = {
    "none": None,
    "empty object": b"{}",
    "no final newline": b'{"env": {"A": "1"}}',
    "foreign": FOREIGN.encode(),
    "byte order mark": b"\xef\xbb\xbf" + FOREIGN.encode(),
    "windows lines": FOREIGN.replace("\n", "\r\n").encode(),
    "tabs": FOREIGN.replace("  ", "\t").encode(),
}


@pytest.mark.fault("B13")
@pytest.mark.parametrize("shape", SHAPES)
def test_install_then_uninstall_leaves_the_home_as_it_was(home: Home, shape: str) -> None:
    content = SHAPES[shape]
    if content is not None:
        home.settings.write_bytes(content)
        home.settings.chmod(0o640)
    before = tree(home.path)
    home.must("install", "claude-code")
    assert tree(home.path) != before
    home.must("uninstall", "claude-code")
    assert tree(home.path) == before
    home.wait_for_quiet()


def test_installing_twice_changes_nothing_more(home: Home) -> None:
    home.settings.write_bytes(FOREIGN.encode())
    home.must("install", "claude-code")
    once = home.settings.read_bytes()
    home.must("install", "claude-code")
    assert home.settings.read_bytes() == once
    home.must("uninstall", "claude-code")
    home.must("uninstall", "claude-code")
    assert home.settings.read_bytes() == FOREIGN.encode()


@pytest.mark.fault("B33")
@pytest.mark.parametrize("shape", ["foreign", "byte order mark", "windows lines"])
def test_after_sessions_the_settings_are_the_users_own_again(home: Home, model: MockModel, shape: str) -> None:
    content = SHAPES[shape]
    assert content is not None
    home.settings.write_bytes(content)
    repo = home.repo("shop", "https://github.com/acme/shop.git")
    home.install()
    home.must("remember", "we use pnpm here, not npm", cwd=repo)
    run = ClaudeCode(home, repo).ask("hello")
    assert b"we use pnpm here" in model.main_requests()[-1].raw
    assert any("foreign-hook" in hook.stdout for hook in run.hooks)
    edited = home.settings.read_bytes().replace(b'"someFutureKey"', b'"anotherKey": true, "someFutureKey"')
    home.settings.write_bytes(edited)

    home.must("uninstall", "claude-code")

    assert home.settings.read_bytes() == content.replace(b'"someFutureKey"', b'"anotherKey": true, "someFutureKey"')
    assert b"wisen" not in (home.path / ".claude.json").read_bytes()
    home.wait_for_quiet()
    again = ClaudeCode(home, repo).ask("hello")
    assert (again.code, home.processes()) == (0, [])
    assert b"wisen-memory" not in model.main_requests()[-1].raw


def test_settings_that_the_harness_wrote_anew_lose_exactly_our_entries(home: Home, model: MockModel) -> None:
    """An answer of the user's that the harness moves into its settings makes it write the whole file anew."""
    home.settings.write_bytes(FOREIGN.encode())
    repo = home.repo("shop")
    answers = json.loads((home.path / ".claude.json").read_text())
    (home.path / ".claude.json").write_text(json.dumps({**answers, "bypassPermissionsModeAccepted": True}))
    home.install()
    registered = home.settings.read_bytes()
    assert ClaudeCode(home, repo).ask("hello").code == 0
    moved = {"skipDangerousModePermissionPrompt": True}
    assert json.loads(home.settings.read_bytes()) == {**json.loads(registered), **moved}

    home.must("uninstall", "claude-code")

    assert json.loads(home.settings.read_bytes()) == {**json.loads(FOREIGN), **moved}


def test_uninstalling_ends_a_daemon_that_hangs(shop: ClaudeCode) -> None:
    shop.ask("hello")
    shop.home.daemon().suspend()
    shop.home.must("uninstall", "claude-code")
    shop.home.wait_for_quiet()


def test_a_configuration_directory_of_the_users_choice_is_respected(home: Home, model: MockModel) -> None:
    chosen = home.path / "elsewhere"
    home.extra_env = {"CLAUDE_CONFIG_DIR": str(chosen)}
    repo = home.repo("shop")
    before = tree(home.path)
    home.install()
    assert (chosen / "settings.json").exists()
    assert not home.settings.exists()
    home.must("uninstall", "claude-code")
    assert tree(home.path) == before
    home.install()
    home.must("remember", "we use pnpm here, not npm", cwd=repo)
    ClaudeCode(home, repo).ask("hello")
    assert b"we use pnpm here" in model.main_requests()[-1].raw


def test_memories_stay_after_uninstall_unless_purged(home: Home) -> None:
    repo = home.repo("shop", "https://github.com/acme/shop.git")
    home.install()
    home.must("remember", "we use pnpm here, not npm", cwd=repo)
    home.must("uninstall", "claude-code")
    home.install()
    assert home.texts(repo) == ["we use pnpm here, not npm"]
    home.must("uninstall", "claude-code", "--purge", "--yes")
    left = [path for path in home.path.rglob("*") if path.is_file() and b"we use pnpm here" in path.read_bytes()]
    assert left == []


@pytest.mark.row("F3")
def test_the_harness_sees_no_fault_in_the_settings(shop: ClaudeCode) -> None:
    """Every registered hook is of an event the harness knows, and none of them is a Stop hook."""
    settings = json.loads(shop.home.settings.read_bytes())
    assert set(settings["hooks"]) == {
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PreCompact",
        "SessionEnd",
    }
    run = shop.ask("hello")
    assert (run.code, run.stderr) == (0, "")


def test_the_daemon_keeps_no_secret_of_the_environment_and_has_no_children(shop: ClaudeCode) -> None:
    shop.ask("hello")
    daemon = shop.home.daemon()
    assert [name for name in daemon.environ() if name.startswith(("ANTHROPIC", "CLAUDE"))] == []
    assert Path(daemon.cwd()) == Path("/")
    assert daemon.children(recursive=True) == []

"""The driver itself: the harness under test really fires the hooks the other tests rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.claude_code import ClaudeCode
from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import MockModel, Turn, shell, subtask
from tests.e2e.terminal import Terminal

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "SessionEnd")


@pytest.fixture
def repo(home: Home) -> Path:
    """A repository, and hooks that write down what they get."""
    # One file a call, named by time: hooks of one event run side by side. It is there only when it is whole.
    name = 'f=$(date +%s%N)-"$CLAUDE_CODE_ENTRYPOINT"'
    dump = f'{name}; cat > {home.root}/unfinished/"$f" && mv {home.root}/unfinished/"$f" {home.root}/calls/"$f"'
    for folder in ("calls", "unfinished"):
        (home.root / folder).mkdir()
    hook = [{"hooks": [{"type": "command", "command": dump}]}]
    home.settings.write_text(json.dumps({"hooks": dict.fromkeys(EVENTS, hook)}))
    return home.repo("shop")


def calls(home: Home) -> list[tuple[str, str, str]]:
    """Return (entry point, event, its source, reason or prompt) of all hook calls in order."""
    found = []
    for path in sorted((home.root / "calls").iterdir()):
        call = json.loads(path.read_text())
        detail = call.get("source") or call.get("reason") or call.get("prompt") or call.get("tool_name") or ""
        found.append((path.name.split("-", 1)[1], call["hook_event_name"], detail))
    return found


def test_a_typed_session_fires_its_hooks_as_an_interactive_one(home: Home, repo: Path, model: MockModel) -> None:
    wait = shell("until [ -e go ]; do sleep 0.1; done")
    model.script(Turn(text="WORKING", calls=(wait,)), Turn(text="FINISHED"), Turn(text="GOODBYE"))
    with Terminal(home, repo) as terminal:
        terminal.say("look around in here")
        terminal.wait_for("WORKING")
        terminal.say("and one thing more")
        eventually(lambda: ("cli", "UserPromptSubmit", "and one thing more") in calls(home), "a prompt mid-turn")
        (repo / "go").touch()
        terminal.wait_for("FINISHED")
        terminal.say("/compact")
        terminal.wait_for("Compacted")
        terminal.say("/clear")
        eventually(lambda: ("cli", "SessionStart", "clear") in calls(home), "the cleared session starts")
        terminal.leave()
    assert calls(home) == [
        ("cli", "SessionStart", "startup"),
        ("cli", "UserPromptSubmit", "look around in here"),
        ("cli", "PreToolUse", "Bash"),
        ("cli", "UserPromptSubmit", "and one thing more"),
        ("cli", "PreCompact", ""),
        ("cli", "SessionStart", "compact"),
        ("cli", "SessionEnd", "clear"),
        ("cli", "SessionStart", "clear"),
        ("cli", "SessionEnd", "prompt_input_exit"),
    ]


def test_a_scripted_session_fires_its_hooks_as_a_headless_one(home: Home, repo: Path, model: MockModel) -> None:
    claude = ClaudeCode(home, repo)
    model.script(Turn(calls=(subtask("COUNT the files"),)), asides={"COUNT": Turn(text="THREE")})
    first = claude.ask("count the files")
    forked = claude.ask("again", "--resume", first.session_id, "--fork-session")
    assert (first.code, first.reply, forked.code) == (0, "DONE", 0)
    assert forked.session_id != first.session_id
    assert [h.hook_event for h in first.hooks][:3] == ["SessionStart", "UserPromptSubmit", "PreToolUse"]
    assert ("sdk-cli", "PreToolUse", "Agent") in calls(home)
    assert ("sdk-cli", "SessionStart", "fork") in calls(home)
    assert [r.kind for r in model.requests].count("aside") == 1

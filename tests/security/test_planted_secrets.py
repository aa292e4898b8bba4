"""Secrets planted wherever a session has words, and then every byte that wisen has written."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from tests.security.live import Live, living

from wisen.client import Client
from wisen.config import paths
from wisen.errors import WisenError

# All made up. Each in the dress that its pattern knows; the value alone is looked for afterwards.
PLANTED: Final = {
    "a cloud key": ("AWS_ACCESS_KEY_ID={}", "AKIAQ7WPZ3MLX5RTB2KD"),
    "a cloud secret": ("aws_secret_access_key = {}", "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"),
    "a forge token": ("git clone with {} please", "ghp_R7kQ2mZx9LpW4vT8sBn3YcJ6hFd1Ga5UeXo0"),
    "a model key": ("export ANTHROPIC_API_KEY={}", "sk-ant-api03-Zk8mQx3vLp7WnT2sRb9YcJ5hFd4GaUeXo1iKt6PzMw-AA"),
    "a URL password": ("postgres://app:{}@db.internal:5432/shop", "Vr9xTq2Lm7Zk"),
    "a header": ("curl -H 'Authorization: Bearer {}' https://api.example", "xT7qLm2ZkVr9pWn4sBb8YcJ3hFd6GaUe"),
    "a password": ("the password is {}", "Tr0ub4dor&3xQz!"),
    "a private span": ("<private>{}</private> the rest is fine", "meet Wren under the clock at nine"),
    "a private span in capitals": ("<PRIVATE>\n{}\n</Private>", "the vault opens with the crow's name"),
    "a key with a hidden character": ("token: {}", "ghp_M3nBvCxZ1LkJ\u200bhGfDsA9pOiUyT7rEwQ2aSdF4"),
}


def said() -> Iterator[str]:
    for dress, secret in PLANTED.values():
        yield dress.format(secret)


def forms(secret: str) -> Iterator[bytes]:
    """Yield how a text may lie in a file: as it is, without what hides in it, in JSON, in base64."""
    for text in {secret, secret.replace("\u200b", "")}:
        yield text.encode()
        yield json.dumps(text)[1:-1].encode()
        yield base64.b64encode(text.encode())
        yield text.encode("utf-16-le")


def traces(root: Path) -> list[str]:
    """Return which secret is in which file of wisen's."""
    found = []
    for path in (p for p in root.rglob("*") if p.is_file() and ".claude" not in p.parts):
        content = path.read_bytes()
        found += [
            f"{name} in {path.relative_to(root)}" for name, (_, secret) in PLANTED.items() if _is_in(secret, content)
        ]
    return found


def _is_in(secret: str, content: bytes) -> bool:
    return any(form in content for form in forms(secret))


def own_files(live: Live) -> Path:
    """Return the directory that holds all of wisen's; but for it there are only the harness's own files."""
    return live.home.path


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with living() as live:
        yield live


def _with_everything(tell: Callable[..., object], text: str) -> None:
    """Say it as a prompt, as an order to remember, in a command, an output, an error, a task; ask with it."""
    call = {"tool_name": "Bash", "tool_input": {"command": f"echo {text}", "description": text}}
    tell("UserPromptSubmit", prompt=text)
    tell("UserPromptSubmit", prompt=f"remember: {text}")
    tell("UserPromptSubmit", prompt=f"No, that's wrong. Always use this instead: {text}")
    tell("PreToolUse", **call)
    tell("PostToolUse", **call, tool_response={"stdout": text, "stderr": text, "interrupted": False})
    tell("PostToolUseFailure", **call, error=f"Exit code 1\n{text}")
    task = {"tool_name": "Task", "tool_input": {"description": text, "prompt": text}}
    tell("PreToolUse", **task)
    tell("SessionEnd", reason=text)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.row("N9")
@pytest.mark.row("C20")
@pytest.mark.fault("B65")
@pytest.mark.fault("B66")
def test_no_planted_secret_is_in_any_file_that_wisen_has_written(live: Live) -> None:
    live.hook("SessionStart", source="startup")
    for text in said():
        _with_everything(live.deliver, text)
    everything = "\n".join(said())
    _with_everything(live.hook, everything)
    live.home.wisen("remember", f"Deploy like this: {everything}", cwd=live.repo)
    live.home.wisen("recall", everything, cwd=live.repo)
    daemon = Client(paths(live.home.env))
    for text in said():
        with suppress(WisenError):  # refused or cleaned: either way nothing of it stays
            daemon.call("POST", "/v1/memories", {"text": f"Deploy like this: {text}", "cwd": str(live.repo)})
        daemon.call("POST", "/v1/recall", {"query": text, "cwd": str(live.repo)})
    live.wisen("remember", "Run make lint before every commit.")
    live.hook("SessionStart", source="clear")
    assert traces(own_files(live)) == []
    live.wisen("daemon", "stop")
    assert traces(own_files(live)) == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_was_said_while_no_daemon_ran_leaves_no_secret_either(live: Live) -> None:
    live.wisen("daemon", "stop")
    lines = []
    for number, text in enumerate(said()):
        live.hook("UserPromptSubmit", prompt=text)
        assert traces(own_files(live)) == []
        entry = {
            "type": "user",
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "sessionId": "s-1",
            "cwd": str(live.repo),
            "timestamp": f"2026-01-05T10:00:{number:02}.000Z",
            "entrypoint": "cli",
            "message": {"role": "user", "content": f"remember: {text}"},
        }
        lines.append(json.dumps(entry))
    live.transcript.parent.mkdir(parents=True, exist_ok=True)
    live.transcript.write_text("\n".join(lines) + "\n")
    live.hook("SessionStart", source="startup", session_id="s-2")
    live.wisen("list", "--json")
    assert traces(own_files(live)) == []
    live.wisen("daemon", "stop")
    assert traces(own_files(live)) == []
    [control] = own_files(live).rglob("control.db")
    with sqlite3.connect(control) as database:  # the transcript has been read: the test would fail if it had leaked
        assert database.execute("SELECT count(*) FROM events").fetchone()[0] >= len(lines)


def test_the_search_for_traces_finds_what_is_there(tmp_path: Path) -> None:
    secret = PLANTED["a key with a hidden character"][1]
    (tmp_path / "plain").write_text(f"x {secret.replace(chr(0x200B), '')} y")
    (tmp_path / "json").write_text(json.dumps({"text": secret}))
    assert len(traces(tmp_path)) == 2

"""With the daemon dead, hung or gone, the session goes on and no hook says a word."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.claude_code import ClaudeCode, Run
from tests.e2e.environment import own_environment
from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import MockModel, Turn, shell

# The harness kills the asynchronous hooks that still run when a `-p` run ends; it reports them as cancelled.
ASYNCHRONOUS = {"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PreCompact"}


def assert_undisturbed(run: Run, model: MockModel) -> None:
    """The run ended well, and each hook exited 0 with nothing on stderr and nothing or one JSON document on stdout."""
    print(f"{run.seconds:.1f} s")
    assert (run.code, run.reply, run.stderr) == (0, "FINISHED", "")
    assert {h.hook_event for h in run.hooks} >= {"SessionStart", "UserPromptSubmit", "PreToolUse"}
    for hook in run.hooks:
        if hook.outcome == "cancelled" and hook.hook_event in ASYNCHRONOUS:
            continue
        assert (hook.exit_code, hook.outcome, hook.stderr) == (0, "success", ""), hook
        assert hook.stdout == "" or isinstance(json.loads(hook.stdout), dict), hook
    assert len(model.main_requests()) == 3


def session(claude: ClaudeCode, model: MockModel) -> Run:
    """Run a session with a tool that works and one that fails."""
    model.script(
        Turn(text="LOOKING", calls=(shell("cat README.md"),)),
        Turn(text="TRYING", calls=(shell("cat NO-SUCH-FILE"),)),
        Turn(text="FINISHED"),
    )
    return claude.ask("what does the read-me file say, and what else is there?")


def test_a_session_with_the_daemon_up_is_the_measure(shop: ClaudeCode, model: MockModel) -> None:
    shop.home.must("remember", "we use pnpm here, not npm", cwd=shop.repo)
    run = session(shop, model)
    assert_undisturbed(run, model)
    assert "wisen-memory" in run.hook("SessionStart").stdout


def test_a_killed_daemon_is_started_again(shop: ClaudeCode, model: MockModel) -> None:
    shop.home.must("remember", "we use pnpm here, not npm", cwd=shop.repo)
    daemon = shop.home.daemon()
    daemon.kill()
    daemon.wait(timeout=10)
    run = session(shop, model)
    assert_undisturbed(run, model)
    assert b"we use pnpm here" in model.main_requests()[-1].raw
    assert shop.home.daemon().pid != daemon.pid


@pytest.mark.row("F2")
def test_a_daemon_that_cannot_start_disturbs_nothing(home: Home, model: MockModel) -> None:
    python = own_environment(home)
    home.install()
    home.stop()
    (package(python) / "daemon" / "app.py").write_text("raise SystemExit('broken on purpose')\n")
    run = session(ClaudeCode(home, home.repo("shop")), model)
    assert_undisturbed(run, model)
    assert all(h.stdout == "" for h in run.hooks)


@pytest.mark.row("F2")
def test_a_stopped_daemon_disturbs_nothing(shop: ClaudeCode, model: MockModel) -> None:
    shop.home.must("list", "--json", cwd=shop.repo)
    shop.home.daemon().suspend()
    run = session(shop, model)
    assert_undisturbed(run, model)
    assert all(h.stdout == "" for h in run.hooks)


def test_a_daemon_that_takes_everything_and_answers_nothing_disturbs_nothing(
    shop: ClaudeCode, model: MockModel
) -> None:
    shop.home.must("list", "--json", cwd=shop.repo)
    shop.home.stop()
    with mute(shop.home.state / "run" / "wisen.sock"):
        run = session(shop, model)
    assert_undisturbed(run, model)
    assert all(h.stdout == "" for h in run.hooks)


def test_a_rule_stated_while_the_daemon_hung_is_read_from_the_transcript_later(
    shop: ClaudeCode, model: MockModel
) -> None:
    home = shop.home
    home.must("config", "set", "learn_headless", "true")
    home.must("list", "--json", cwd=shop.repo)
    daemon = home.daemon()
    daemon.suspend()
    shop.ask("we use pnpm here, not npm")
    daemon.kill()
    daemon.wait(timeout=10)
    shop.ask("hello")
    eventually(lambda: any("we use pnpm here" in text for text in home.texts(shop.repo)), "the rule is learned")


def test_sessions_that_start_at_once_share_one_daemon(shop: ClaudeCode, model: MockModel) -> None:
    shop.home.must("remember", "we use pnpm here, not npm", cwd=shop.repo)
    shop.home.stop()
    with ThreadPoolExecutor() as pool:
        runs = list(pool.map(shop.ask, ["hello", "good morning", "good evening"]))
    assert [run.code for run in runs] == [0, 0, 0]
    assert all(b"we use pnpm here" in request.raw for request in model.main_requests())
    assert shop.home.daemon().is_running()


@pytest.mark.parametrize("gone", ["environment", "package"])
def test_the_hooks_of_a_removed_installation_are_silent(home: Home, model: MockModel, gone: str) -> None:
    python = own_environment(home)
    home.install()
    home.stop()
    removed = python.parent.parent if gone == "environment" else package(python)
    removed.rename(home.root / "moved")
    run = session(ClaudeCode(home, home.repo("shop")), model)
    assert_undisturbed(run, model)
    assert all(h.stdout == "" for h in run.hooks)
    assert home.processes() == []


def package(python: Path) -> Path:
    """Return where wisen is in an environment of the test's own."""
    return next(python.parent.parent.glob("lib/python*/site-packages")) / "wisen"


@contextmanager
def mute(path: Path) -> Iterator[None]:
    """Listen at a socket path, take every connection and never answer."""
    path.unlink(missing_ok=True)
    taken: list[socket.socket] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen()
        threading.Thread(target=_take_all, args=(listener, taken), daemon=True).start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            path.unlink(missing_ok=True)
            for connection in taken:
                connection.close()
    assert taken, "no hook called"


def _take_all(listener: socket.socket, taken: list[socket.socket]) -> None:
    try:
        while True:
            taken.append(listener.accept()[0])
    except OSError:  # the listener was closed: the test is over
        return

"""A daemon that is killed in the middle of a session, or was never there in it: what was said and done is known."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from tests.e2e.blocks import blocks
from tests.e2e.claude_code import ClaudeCode
from tests.e2e.environment import own_environment
from tests.e2e.home import Home, eventually
from tests.e2e.mockllm import MockModel, Request, Turn, shell
from tests.e2e.terminal import Terminal
from wisen.core.types import Event, PostTool, UserPrompt
from wisen.store.sqlite.control import SqliteControl

PNPM = "we use pnpm here, not npm"
COMMIT = "never commit unless I ask you to"
WAIT = "until [ -e go ]; do sleep 0.1; done"


def test_a_daemon_killed_in_the_middle_of_a_session_loses_nothing(shop: ClaudeCode, model: MockModel) -> None:
    home = shop.home
    model.script(
        Turn(text="LOOKING", calls=(shell(WAIT),)),
        Turn(text="TRYING", calls=(shell("cat NO-SUCH-FILE"),)),
        Turn(text="UNDERSTOOD"),
    )
    with Terminal(home, shop.repo) as terminal:
        terminal.say(PNPM)
        terminal.wait_for("LOOKING")
        eventually(
            lambda: any(event.name == "pre_tool" for event in said_and_done(home)), "the daemon has the first half"
        )
        daemon = home.daemon()
        daemon.kill()
        daemon.wait(timeout=10)
        terminal.say(COMMIT)  # the agent is still at work
        (shop.repo / "go").touch()
        terminal.wait_for("UNDERSTOOD")
        terminal.leave()

    assert_both_rules_reach_the_next_session(shop, model)
    assert_all_of_it_is_known(home)


def test_a_session_that_no_daemon_saw_is_known_when_the_next_one_starts(home: Home, model: MockModel) -> None:
    python = own_environment(home)
    home.install()
    home.stop()
    shop = ClaudeCode(home, home.repo("shop", "https://github.com/acme/shop.git"))
    app = next(python.parent.parent.glob("lib/python*/site-packages")) / "wisen" / "daemon" / "app.py"
    sound = app.read_text()
    app.write_text("raise SystemExit('broken on purpose')\n")
    model.script(
        Turn(text="LOOKING", calls=(shell(WAIT),)),
        Turn(text="TRYING", calls=(shell("cat NO-SUCH-FILE"),)),
        Turn(text="UNDERSTOOD"),
    )
    with Terminal(home, shop.repo) as terminal:
        terminal.say(PNPM)
        terminal.wait_for("LOOKING")
        terminal.say(COMMIT)
        (shop.repo / "go").touch()
        terminal.wait_for("UNDERSTOOD")
        terminal.leave()
    assert said_and_done(home) == []
    app.write_text(sound)
    os.utime(home.state / "spool" / "started", (0, 0))  # later: a start that failed is not repeated at once

    assert_both_rules_reach_the_next_session(shop, model)
    assert_all_of_it_is_known(home)


def assert_both_rules_reach_the_next_session(shop: ClaudeCode, model: MockModel) -> None:
    """With its start or first prompt; where the machine is so busy that these did not wait for it, with its second."""
    home = shop.home
    first = shop.ask("hello")
    assert (first.code, first.stderr) == (0, "")
    assert home.daemon().is_running(), "the session's start has started it"
    eventually(lambda: sorted(home.texts(shop.repo)) == sorted([PNPM, COMMIT]), "both rules are learned, each once")
    model.script(Turn(text="SURE"))
    run = shop.ask("what is in this repository?", "-c")
    assert (run.code, run.reply) == (0, "SURE")
    request = model.main_requests()[-1]
    assert shown_once(request, PNPM)
    assert shown_once(request, COMMIT)


def shown_once(request: Request, text: str) -> bool:
    return sum(text in line for block in blocks(request) for line in block.memories.values()) == 1


def assert_all_of_it_is_known(home: Home) -> None:
    home.stop()
    events = said_and_done(home)
    assert [event.body.text for event in events if isinstance(event.body, UserPrompt)] == [PNPM, COMMIT]
    ends = [event.body for event in events if isinstance(event.body, PostTool)]
    assert [(end.call.command, end.outcome.value) for end in ends] == [
        (WAIT, "success"),
        ("cat NO-SUCH-FILE", "failure"),
    ]
    assert [event.name for event in events].count("pre_tool") == 2


def said_and_done(home: Home) -> list[Event]:
    """Return the events of the first session that have natural keys, oldest first; nothing where no daemon ever was."""
    file = home.path / ".local" / "share" / "wisen" / "control.db"
    if not file.exists():
        return []
    with closing(SqliteControl(copy_of(file))) as control:
        sessions = sorted(control.sessions(), key=lambda session: session.started_at)
        events = control.events("claude-code", sessions[0].session_id) if sessions else ()
    return [event for event in events if event.name in {"user_prompt", "pre_tool", "post_tool"}]


def copy_of(file: Path) -> Path:
    """Return a copy of the store to look into: the daemon is the only one that opens the file itself."""
    to = file.parents[4] / "looked-into"
    to.mkdir(exist_ok=True)
    for part in file.parent.glob("control.db*"):
        (to / part.name).write_bytes(part.read_bytes())
    return to / file.name

"""What an agent may run in its user's name: said of every command, and held to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.stage import FakeDaemon, Wisen
from wisen.cli.agents import LIMITED, OPEN, REFUSED
from wisen.cli.main import ALIASES, COMMANDS, cli

TYPED = {
    "uninstall": ["claude-code", "--purge", "--yes"],
    "config set": ["learn", "false"],
    "config unset": ["learn"],
    "edit": ["3f2a91bc", "other words"],
    "restore": ["3f2a91bc"],
    "pin": ["3f2a91bc"],
    "unpin": ["3f2a91bc"],
    "snooze": ["3f2a91bc"],
    "unsnooze": ["3f2a91bc"],
    "review accept": ["3f2a91bc"],
    "review edit": ["3f2a91bc", "other words"],
    "import-data": ["-"],
    "graphs rm": ["acme/widgets", "--yes"],
    "backup rm": ["20261130-120000", "--yes"],
    "backup prune": ["--keep", "1", "--yes"],
    "restore-backup": ["latest", "--yes"],
    "repo trust": ["--yes"],
    "undo": ["--yes"],
}


def commands() -> Iterator[str]:
    """Yield every command as it is typed."""
    context = click.Context(cli)
    for name in (*COMMANDS, *ALIASES):
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {inner}" for inner in command.list_commands(context))
        else:
            yield name


def test_of_every_command_it_is_said_once_what_an_agent_may() -> None:
    assert sorted([*OPEN, *LIMITED, *REFUSED]) == sorted(commands())


@pytest.mark.parametrize("mark", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE"])
@pytest.mark.parametrize("command", sorted(REFUSED))
def test_what_is_not_for_an_agent_is_refused_and_nothing_was_done(
    daemon: FakeDaemon, wisen: Wisen, home: Path, command: str, mark: str
) -> None:
    ran = wisen(*command.split(), *TYPED.get(command, []), **{mark: "1"})
    assert (ran.code, ran.out) == (5, "")
    assert ran.err.startswith(f"error: an agent may not {REFUSED[command]}")
    assert (daemon.asked, daemon.stopped, home.exists()) == ([], 0, False)


def test_a_command_that_nobody_thought_of_is_refused(wisen: Wisen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wisen.cli.agents.OPEN", frozenset())
    assert wisen("completion", "bash", CLAUDECODE="1").err.startswith("error: an agent may not run `wisen completion`")
    assert wisen("completion", "bash").code == 0


@pytest.mark.parametrize("command", sorted(REFUSED))
def test_its_help_is_anybodys(wisen: Wisen, command: str) -> None:
    assert wisen(*command.split(), "-h", CLAUDECODE="1").out.startswith(f"Usage: wisen {command}")

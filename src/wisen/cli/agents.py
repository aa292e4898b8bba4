"""What may an agent run in its user's name? One table of every command; a command that is not in it may not be run.

The daemon holds to the same rule for its routes (`daemon/routes/agents.py`). It keeps an agent that was talked into
something from doing it; whoever can run programs as the user can do what the user can.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import partial
from typing import Any, Final

import click

from wisen.cli.app import App
from wisen.errors import Refused

# It reads what is active, asks for what waits for review, puts away what the user can bring back, switches off.
OPEN: Final = frozenset(
    {
        "status", "doctor", "try", "completion",
        "config show", "config path", "config get",
        "daemon status", "daemon start", "daemon log", "start", "health", "logs",
        "service show", "repo show", "graphs ls", "graphs stats", "backup list", "backup verify",
        "remember", "recall", "review reject", "mcp",
        "eval gate", "eval moments", "eval replay", "eval retrieval", "eval verdicts",
    }
)  # fmt: skip

# It may run these, and not all of what they do.
LIMITED: Final[Mapping[str, str]] = {
    "list": "what was put away or waits is shown without its text",
    "show": "what was put away or waits is shown without its text; of none its evidence, or what it said before",
    "review list": "what waits is shown without its text",
    "log": "changes are shown without their texts",
    "why": "what was put away or waits is shown without its text, and so is what was taken of a prompt",
    "forget": "not with --purge",
    "pause": "a pause that holds is not made shorter",
    "exclude": "nothing is taken off the list, and neither all nor all of the home directory is put on it",
    "install": "not where its user took wisen out",
    "init": "not where its user took wisen out",
}

# It may not run these: `an agent may not ...`.
REFUSED: Final[Mapping[str, str]] = {
    "uninstall": "take wisen out of a harness",
    "resume": "end a pause of its user",
    "config set": "change settings",
    "config unset": "change settings",
    "config edit": "change settings",
    "daemon stop": "stop the daemon: that ends learning",
    "stop": "stop the daemon: that ends learning",
    "daemon restart": "stop the daemon: that ends learning",
    "restart": "stop the daemon: that ends learning",
    "service install": "have the daemon started at login",
    "service uninstall": "take the service away",
    "edit": "reword a memory",
    "restore": "bring back what was put away",
    "pin": "pin a memory",
    "unpin": "unpin a memory",
    "snooze": "snooze a memory",
    "unsnooze": "wake a memory",
    "review accept": "accept what waits for its user",
    "review edit": "accept what waits for its user",
    "export": "export memories",
    "import-data": "import memories",
    "learn claude-code": "learn from its user's past sessions",
    "learn guide": "compare memories with a guide",
    "graphs rm": "delete a graph",
    "backup make": "make, delete or restore backups",
    "backup rm": "make, delete or restore backups",
    "backup prune": "make, delete or restore backups",
    "restore-backup": "make, delete or restore backups",
    "undo": "take a change back",
    "repo trust": "say that a clone is to be trusted",
}


def guarded(name: str, command: click.Command) -> click.Command:
    """Return a command that is refused to an agent unless the table opens it; `name` is how it is typed."""
    if isinstance(command, click.Group) or name in OPEN or name in LIMITED:
        return command
    found = copy(command)
    found.callback = partial(_for_people, command.callback, REFUSED.get(name, f"run `wisen {name}`"))
    return found


def refuse_agent(app: App, what: str) -> None:
    """Raise Refused for what an agent asks for and may not do."""
    if app.is_run_by_agent:
        raise Refused(f"an agent may not {what}", hint="run it in a terminal of your own")


def way_back(app: App, command: str, what: str = "it") -> str:
    """Return the sentence that names the command which takes something back; it is not for an agent to run."""
    return f"Your user can take {what} back: {command}." if app.is_run_by_agent else f"{command} takes {what} back."


def _for_people(run: Any, what: str, /, *args: Any, **options: Any) -> Any:
    app = click.get_current_context().find_object(App)
    assert app is not None  # noqa: S101 - every command is given one
    refuse_agent(app, what)
    return run(*args, **options)

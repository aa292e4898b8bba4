"""The mcp command: wisen's tools for an agent, over standard input and output."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from wisen.cli import complete
from wisen.cli.app import App
from wisen.cli.options import DEFAULT_HARNESS, as_json


@click.command("mcp")
@click.option(
    "--harness",
    default=DEFAULT_HARNESS,
    show_default=True,
    shell_complete=complete.harnesses,
    help="Whose agent asks: it reads that harness's memories.",
)
@as_json
@click.pass_obj
def mcp(app: App, *, harness: str, as_json: bool) -> None:  # noqa: ARG001 - it speaks JSON with or without
    """Serve wisen's tools to an agent over MCP.

    The tools are recall, remember, forget, why and status. Speaks the Model Context Protocol on standard input and
    output, for the directory it is started in; the harness starts it. What an agent may do with these tools is what it
    may do with the commands of the same names.
    """
    from wisen.config import check_platform
    from wisen.install.registry import installer

    check_platform()
    installer(harness)  # it is known, or says which are
    sys.stderr.flush()
    # Nothing of this process is needed for as long as a session lasts.
    os.execve(sys.executable, [sys.executable, "-I", "-m", "wisen.relay", "--harness", harness], dict(app.env))  # noqa: S606


COMMANDS: Final = {"mcp": mcp}

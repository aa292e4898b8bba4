"""The entry point: a command group that loads a command only when it is called, and the one edge that shows errors."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from typing import Final, TypeGuard

import click

from wisen import __version__
from wisen.cli.agents import guarded
from wisen.cli.app import App
from wisen.cli.screen import labelled
from wisen.errors import WisenError

INTERRUPTED_EXIT: Final = 130  # 128 + SIGINT
INTERNAL_EXIT: Final = 70  # EX_SOFTWARE of sysexits.h
OUTPUT_EXIT: Final = 1
# What a write to standard output fails with when the other side is full or broken.
_LOST: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


@dataclass(frozen=True, slots=True)
class Entry:
    """A command that is not loaded yet: its section in the help, its module below `wisen.cli`, and its one line."""

    section: str
    module: str
    summary: str


COMMANDS: Final[dict[str, Entry]] = {
    "install": Entry("Set up", "setup", "Register wisen with a harness."),
    "uninstall": Entry("Set up", "setup", "Take wisen out of a harness again."),
    "learn": Entry("Set up", "learn", "Learn from the sessions that lie on this disk."),
    "status": Entry("Set up", "daemon", "Show how wisen stands: daemon, memories, problems."),
    "doctor": Entry("Set up", "doctor", "Check that everything is as it should be."),
    "pause": Entry("Set up", "pause", "Neither learn nor recall for a while."),
    "resume": Entry("Set up", "pause", "Learn and recall again."),
    "exclude": Entry("Set up", "exclude", "Stay out of directories."),
    "try": Entry("Set up", "setup", "Replay three short sessions in a throw-away home."),
    "mcp": Entry("Set up", "mcp", "Serve wisen's tools to an agent over MCP."),
    "config": Entry("Set up", "settings", "Show and change the settings."),
    "daemon": Entry("Set up", "daemon", "Start, stop and watch the daemon."),
    "service": Entry("Set up", "service", "Have the daemon started when you log in."),
    "completion": Entry("Set up", "setup", "Print the completion script of a shell."),
    "list": Entry("Memories", "memories", "List what is remembered here."),
    "show": Entry("Memories", "memories", "Show a memory with its evidence and history."),
    "remember": Entry("Memories", "memories", "Remember something."),
    "recall": Entry("Memories", "recall", "Ask as the agent would."),
    "edit": Entry("Memories", "edit", "Change a memory's words, reasons, title, tags or pin."),
    "forget": Entry("Memories", "deeds", "Forget memories."),
    "restore": Entry("Memories", "deeds", "Bring back what was put away."),
    "pin": Entry("Memories", "deeds", "Recall memories before all others."),
    "unpin": Entry("Memories", "deeds", "Recall memories as any other again."),
    "snooze": Entry("Memories", "deeds", "Don't recall memories for a while."),
    "unsnooze": Entry("Memories", "deeds", "Recall snoozed memories again."),
    "review": Entry("Memories", "review", "Decide on what waits for you."),
    "export": Entry("Your data", "data", "Write memories to a file."),
    "import-data": Entry("Your data", "data", "Take in what `wisen export` wrote."),
    "graphs": Entry("Your data", "graphs", "List the graphs, look into one, delete one."),
    "backup": Entry("Your data", "backup", "Copy everything while it is in use."),
    "restore-backup": Entry("Your data", "backup", "Put a backup in the place of what is there."),
    "why": Entry("What happened", "why", "Explain what the agent was given, and what not."),
    "log": Entry("What happened", "history", "List the changes of the memories here."),
    "undo": Entry("What happened", "undo", "Take back a change, or a whole batch."),
    "repo": Entry("What happened", "repo", "Show which repository this is to wisen."),
    "eval": Entry("What happened", "evals", "Measure wisen on labelled data of real sessions."),
}


# Other names by which people look for a command; the help lists each under its own.
ALIASES: Final[dict[str, str]] = {  # the name, and its module
    "init": "setup",
    "start": "daemon",
    "stop": "daemon",
    "restart": "daemon",
    "health": "daemon",
    "logs": "daemon",
}


class LazyGroup(click.Group):
    """A group whose help needs no command to be loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the command names in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import the module of one command; an agent is refused what is not for it."""
        entry = COMMANDS.get(cmd_name)
        module = entry.module if entry else ALIASES.get(cmd_name)
        if module is None:
            return None
        found = import_module(f"wisen.cli.{module}").COMMANDS[cmd_name]
        assert isinstance(found, click.Command)  # noqa: S101 - narrows what a module attribute may be
        return guarded(cmd_name, found)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the sections of the help from the table above."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            with formatter.section(section):
                formatter.write_dl([(name, e.summary) for name, e in COMMANDS.items() if e.section == section])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command takes --json; errors are text on standard error then too. `wisen COMMAND -h` says more.",
)
@click.version_option(__version__, "-V", "--version", prog_name="wisen", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Long-term memory for coding agents: a CLAUDE.md that writes itself."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line on this process and leave it."""
    # A stream that the caller closed is none; its number would go to the next file or socket that is opened.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in _streams():
        stream.reconfigure(errors="backslashreplace")
    sys.exit(_written_out(run(sys.argv[1:], app_of_process())))


def run(arguments: Sequence[str], app: App) -> int:
    """Run one command and return the exit code. This is the edge: whatever is raised becomes a message here.

    click itself makes an Abort of Ctrl-C, and leaves silently when nobody reads its output any more.
    """
    try:
        code = cli.main(list(arguments), prog_name="wisen", obj=app, standalone_mode=False)
    except click.Abort:
        _complain("interrupted", "")
        return INTERRUPTED_EXIT
    except WisenError as error:
        _trace(app)
        _complain(error.message, error.hint)
        return error.exit_code
    except click.ClickException as error:
        _complain(*_in_our_words(error))
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the one edge of the command line
        _trace(app)
        if _is_output_lost(error):
            _complain(f"can't write: {error.strerror}", "")
            return OUTPUT_EXIT
        _complain(f"unexpected: {type(error).__name__}: {error}", "this is a fault of wisen. " + _REPORT)
        return INTERNAL_EXIT
    return code if isinstance(code, int) else 0


_REPORT: Final = "WISEN_DEBUG=1 shows where; please report it with that and the output of `wisen --version`"


def app_of_process() -> App:
    """Return the App of this process: its environment, its terminal, the real daemon."""
    from wisen.cli.process import real_app

    return real_app()


def _complain(message: str, hint: str) -> None:
    """Write an error and what to do about it; the screen of standard error is not that of standard output."""
    width = shutil.get_terminal_size().columns if sys.stderr.isatty() else 0
    colour = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    with suppress(OSError):  # nobody is left to tell
        for label, text, tone in (("error:", message, "red"), ("hint:", hint, "cyan")):
            if text:
                head, *rest = labelled(label, text, width)
                coloured = head.replace(label, click.style(label, fg=tone), 1)
                click.echo("\n".join([coloured, *rest]), err=True, color=colour)


def _in_our_words(error: click.ClickException) -> tuple[str, str]:
    """Return what click has to say as an error of ours, and a hint: what was nearly typed, or where the help is."""
    message = error.format_message()
    near: Sequence[str] = ()
    if isinstance(error, click.NoSuchOption):
        message, near = error.message, error.possibilities or ()
    elif isinstance(error, click.NoSuchCommand) and error.ctx and isinstance(error.ctx.command, click.Group):
        message, near = error.message, _near(error.command_name, error.ctx.command.list_commands(error.ctx))
    elif isinstance(error, click.MissingParameter) and error.param and isinstance(error.param.type, click.Choice):
        *others, last = error.param.type.choices
        message = f"say which {error.param.name}: {', '.join(others)} or {last}"
    context = getattr(error, "ctx", None)
    help_ = f"see `{context.command_path} --help`" if context else ""
    hints = [f"did you mean {' or '.join(near)}?" if near else "", help_]
    return message[:1].lower() + message[1:].rstrip("."), " ".join(hint for hint in hints if hint)


def _near(typed: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names that were nearly typed: one with half of its letters in common is another word."""
    from difflib import get_close_matches

    return get_close_matches(typed, names, cutoff=_NEAR)


_NEAR: Final = 0.7


def _is_output_lost(error: Exception) -> TypeGuard[OSError]:
    return isinstance(error, OSError) and error.errno in _LOST and error.filename is None


def _nowhere() -> TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - stays open until the process ends


def _streams() -> list[TextIOWrapper]:
    """Return standard output and standard error, unless something else stands in their place."""
    return [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, TextIOWrapper)]


def _written_out(code: int) -> int:
    """Write out what is still buffered, standard output first, and return the exit code.

    What can't be written is dropped: the interpreter would try it again at its end, and leave with a code of its own.
    """
    for stream in _streams():
        try:
            stream.flush()
        except OSError as error:
            _drop(stream)
            if stream is sys.stderr:  # nobody is left to tell
                continue
            if code != OUTPUT_EXIT and error.errno != errno.EPIPE:
                _complain(f"can't write: {error.strerror}", "")
            code = OUTPUT_EXIT
    return code


def _drop(stream: TextIOWrapper) -> None:
    """Let what a stream still holds, and what it is given from now on, go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _trace(app: App) -> None:
    if app.env.get("WISEN_DEBUG"):
        import traceback

        with suppress(OSError):  # the exit code is still to come
            traceback.print_exc()

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from inline_snapshot import snapshot

from tests.cli.stage import FakeDaemon, Wisen, listing
from wisen.cli.main import COMMANDS, cli
from wisen.cli.screen import labelled

# What `wisen --help` has no use for. Each costs more than click itself.
HEAVY = {
    "rich",
    "msgspec",
    "tomlkit",
    "tomllib",
    "apsw",
    "starlette",
    "uvicorn",
    "asyncio",
    "psutil",
    "socket",
    "wisen.config",
    "wisen.client",
    "wisen.compose",
    "wisen.install",
    "wisen.evals",
}


def every_command() -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {inner}", sub) for inner, sub in command.commands.items()]
    return found


def process(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from wisen.cli.main import main; main()", *arguments],
        capture_output=True,
        encoding=env.get("PYTHONIOENCODING", "utf-8"),
        check=False,
        env={**os.environ, **env},
    )


def test_wisen_alone_shows_its_help(wisen: Wisen) -> None:
    ran = wisen()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == snapshot("""\
Usage: wisen [OPTIONS] [COMMAND] [ARGS]...

  Long-term memory for coding agents: a CLAUDE.md that writes itself.

Options:
  -V, --version  Show the version and exit.
  -h, --help     Show this message and exit.

Set up:
  install     Register wisen with a harness.
  uninstall   Take wisen out of a harness again.
  learn       Learn from the sessions that lie on this disk.
  status      Show how wisen stands: daemon, memories, problems.
  doctor      Check that everything is as it should be.
  pause       Neither learn nor recall for a while.
  resume      Learn and recall again.
  exclude     Stay out of directories.
  try         Replay three short sessions in a throw-away home.
  mcp         Serve wisen's tools to an agent over MCP.
  config      Show and change the settings.
  daemon      Start, stop and watch the daemon.
  service     Have the daemon started when you log in.
  completion  Print the completion script of a shell.

Memories:
  list      List what is remembered here.
  show      Show a memory with its evidence and history.
  remember  Remember something.
  recall    Ask as the agent would.
  edit      Change a memory's words, reasons, title, tags or pin.
  forget    Forget memories.
  restore   Bring back what was put away.
  pin       Recall memories before all others.
  unpin     Recall memories as any other again.
  snooze    Don't recall memories for a while.
  unsnooze  Recall snoozed memories again.
  review    Decide on what waits for you.

Your data:
  export          Write memories to a file.
  import-data     Take in what `wisen export` wrote.
  graphs          List the graphs, look into one, delete one.
  backup          Copy everything while it is in use.
  restore-backup  Put a backup in the place of what is there.

What happened:
  why   Explain what the agent was given, and what not.
  log   List the changes of the memories here.
  undo  Take back a change, or a whole batch.
  repo  Show which repository this is to wisen.
  eval  Measure wisen on labelled data of real sessions.

  Every command takes --json; errors are text on standard error then too.
  `wisen COMMAND -h` says more.
""")
    assert wisen("-h").out == wisen("--help").out == ran.out


def test_the_version_is_that_of_the_package(wisen: Wisen) -> None:
    from wisen import __version__

    assert wisen("--version").out == f"wisen {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_help_is_the_commands_own(name: str) -> None:
    command = dict(every_command())[name]
    assert command.get_short_help_str(limit=200) == COMMANDS[name].summary


@pytest.mark.parametrize("name", [name for name, _ in every_command()])
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_never_acts(daemon: FakeDaemon, wisen: Wisen, home: Path, name: str, flag: str) -> None:
    ran = wisen(*name.split(), flag)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: wisen {name} ")
    assert (daemon.asked, daemon.started, daemon.stopped, home.exists()) == ([], [], 0, False)


@pytest.mark.parametrize(
    ("name", "command"), [found for found in every_command() if not isinstance(found[1], click.Group)]
)
def test_every_command_takes_json(name: str, command: click.Command) -> None:
    assert "--json" in [flag for option in command.params for flag in option.opts]


def test_the_help_loads_nothing_heavy() -> None:
    code = "import sys\nfrom wisen.cli.main import main\ntry: main()\nexcept SystemExit: print('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.splitlines())
    assert "click" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    "arguments", [["xyzzy"], ["list", "--nope"], ["show"], ["list", "--limit", "0"], ["list", "--cwd", "/nowhere"]]
)
def test_a_wrong_call_says_so_and_where_the_help_is(daemon: FakeDaemon, wisen: Wisen, arguments: list[str]) -> None:
    ran = wisen(*arguments)
    assert (ran.code, ran.out, daemon.asked) == (2, "", [])
    error, hint = ran.err.splitlines()
    assert error.startswith("error: ")
    assert hint.startswith("hint: see `wisen")


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["lst"], "no such command 'lst'", "did you mean list? see `wisen --help`"),
        (["nope"], "no such command 'nope'", "see `wisen --help`"),
        (["review", "acept", "x"], "no such command 'acept'", "did you mean accept? see `wisen review --help`"),
        (["list", "--jsn"], "no such option '--jsn'", "did you mean --json? see `wisen list --help`"),
        (["show"], "missing argument 'REF'", "see `wisen show --help`"),
        (["show", ""], "the id of a memory is empty", "`wisen list` shows the ids"),
        (
            ["list", "--limit", "0"],
            "invalid value for '--limit': '0' is no whole number of at least 1",
            "see `wisen list --help`",
        ),
        (
            ["log", "--limit", "1.5"],
            "invalid value for '--limit': '1.5' is no whole number of at least 1",
            "see `wisen log --help`",
        ),
    ],
)
def test_what_click_has_to_say_is_said_in_our_words(wisen: Wisen, arguments: list[str], error: str, hint: str) -> None:
    assert wisen(*arguments).err == f"error: {error}\nhint: {hint}\n"


def test_a_shell_that_is_not_named_is_asked_for_in_plain_words(wisen: Wisen) -> None:
    ran = wisen("completion")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: say which shell: bash, zsh or fish\nhint: see `wisen completion --help`\n"


def test_an_error_is_wrapped_behind_its_label() -> None:
    assert labelled("error:", "one two three four five six", 30) == ["error: one two three four five", "       six"]
    assert labelled("hint:", "one two three four five six", 0) == ["hint: one two three four five six"]


FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
# What Python still holds at its end is lost in another way than what it hands on at once.
buffered_or_not = pytest.mark.parametrize("env", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])


def in_a_process(home: Path, env: dict[str, str], redirection: str, *arguments: str) -> tuple[int, str, str]:
    """Run the command line behind a shell's redirection; nothing of this process says how it is to buffer."""
    around = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    code = "from wisen.cli.main import main; main()"
    ran = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**around, "WISEN_HOME": str(home), **env},
    )
    return ran.returncode, ran.stdout, ran.stderr


@needs_full
@buffered_or_not
@pytest.mark.parametrize("arguments", [["--help"], ["config", "show"], ["config", "show", "--json"]])
def test_a_full_disk_is_one_line(tmp_path: Path, env: dict[str, str], arguments: list[str]) -> None:
    ran = in_a_process(tmp_path, env, ">/dev/full", *arguments)
    assert ran == (1, "", "error: can't write: No space left on device\n")


@needs_full
@buffered_or_not
@pytest.mark.parametrize(
    ("redirection", "arguments", "code"),
    [
        ("2>/dev/full", ["nosuch"], 2),
        (">/dev/full 2>/dev/full", ["nosuch"], 2),
        (">/dev/full 2>/dev/full", ["--help"], 1),
        ("2>&-", ["nosuch"], 2),
        (">&-", ["--version"], 0),
    ],
)
def test_an_error_that_nobody_can_read_keeps_its_code(
    tmp_path: Path, env: dict[str, str], redirection: str, arguments: list[str], code: int
) -> None:
    assert in_a_process(tmp_path, env, redirection, *arguments) == (code, "", "")


def test_what_nobody_expected_is_one_line_and_no_traceback(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = ZeroDivisionError("by \x1b[2J zero")
    ran = wisen("list")
    assert (ran.code, ran.out) == (70, "")
    assert ran.err.startswith(
        "error: unexpected: ZeroDivisionError: by \\u001b[2J zero\nhint: this is a fault of wisen"
    )
    assert "WISEN_DEBUG=1" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.row("K3")
def test_standard_error_is_empty_unless_debugging_is_on(daemon: FakeDaemon, wisen: Wisen) -> None:
    daemon.answers["GET /v1/memories"] = listing()
    assert wisen("list").err == ""
    daemon.answers["GET /v1/memories"] = ZeroDivisionError("x")
    assert "Traceback" in wisen("list", WISEN_DEBUG="1").err


def test_an_interruption_is_no_traceback(daemon: FakeDaemon, wisen: Wisen) -> None:
    def interrupted(_: object) -> object:
        raise KeyboardInterrupt

    daemon.answers["GET /v1/memories"] = interrupted
    ran = wisen("list")
    assert (ran.code, ran.err) == (130, "\nerror: interrupted\n")


def test_a_reader_that_went_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(
        [sys.executable, "-c", "from wisen.cli.main import main; main()", "--help"],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(write)
    assert (ran.returncode, ran.stderr) == (1, "")


def test_a_directory_that_is_gone_is_an_error_with_a_hint(tmp_path: Path) -> None:
    code = "import os, sys; os.rmdir(os.getcwd()); from wisen.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, "list"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "WISEN_HOME": "/nowhere/wisen"},
    )
    assert ran.returncode == 2
    assert "error: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_colour_is_for_terminals_that_want_it(tmp_path: Path) -> None:
    ran = process("nope", WISEN_HOME=str(tmp_path), FORCE_COLOR="1")
    assert "\x1b" not in ran.stderr


def test_a_terminal_without_unicode_gets_escapes_and_no_traceback(tmp_path: Path) -> None:
    ran = process(
        "config", "get", "user_id", WISEN_HOME=str(tmp_path), WISEN_USER_ID="zoë日", PYTHONIOENCODING="latin-1"
    )
    assert (ran.returncode, ran.stdout) == (0, "zoë\\u65e5\n")


def test_the_real_surroundings_make_a_working_app(tmp_path: Path) -> None:
    ran = process("config", "path", "--json", WISEN_HOME=str(tmp_path))
    assert json.loads(ran.stdout) == {"path": str(tmp_path / "config.toml")}
    assert ran.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed(wisen: Wisen, shell: str) -> None:
    ran = wisen("completion", shell)
    assert "_WISEN_COMPLETE" in ran.out
    assert json.loads(wisen("completion", shell, "--json").out) == {"shell": shell, "script": ran.out[:-1]}


def test_completion_completes_commands(tmp_path: Path) -> None:
    ran = process(_WISEN_COMPLETE="bash_complete", COMP_WORDS="wisen rec", COMP_CWORD="1")
    assert sorted(ran.stdout.split()) == ["plain,recall"]

"""Commands around wisen itself: install, uninstall, try, completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import unified_diff
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from wisen.cli import complete
from wisen.cli.agents import refuse_agent
from wisen.cli.answers import read
from wisen.cli.app import App
from wisen.cli.options import DEFAULT_HARNESS, as_json, yes
from wisen.cli.screen import visible
from wisen.cli.words import many
from wisen.errors import DaemonUnavailable, InstallError, UsageError, WisenError

if TYPE_CHECKING:
    from wisen.install.plan import InstallPlan, UninstallReport
    from wisen.install.purge import Purged


@click.command("install")
@click.argument("harness", shell_complete=complete.harnesses)
@click.option("--dry-run", is_flag=True, help="Show the exact change of the settings, and change nothing.")
@click.option("--no-mcp", is_flag=True, help="Hooks alone: the agent gets no tools.")
@click.option("--plugin", is_flag=True, help="As a plugin of Claude Code, with the command /wisen:remember.")
@as_json
@click.pass_obj
def install(app: App, *, harness: str, dry_run: bool, no_mcp: bool, plugin: bool, as_json: bool) -> None:
    """Register wisen with a harness.

    HARNESS is claude-code or opencode. In Claude Code hooks are added to your own settings, and an MCP server with five
    tools to ~/.claude.json; everything else in them stays byte for byte, a copy of the settings is kept, and `wisen
    uninstall` takes exactly the additions out again. With --plugin none of these files is changed: a plugin is made in
    wisen's data directory, and you have Claude Code take it from there.

    In OpenCode one file is added to the plugins of your own configuration, and nothing else is changed.
    """
    if plugin and (no_mcp or harness != DEFAULT_HARNESS):
        raise UsageError(f"--plugin is for {DEFAULT_HARNESS} alone, and whole", hint="leave --no-mcp out")
    _register(app, harness, dry_run=dry_run, no_mcp=no_mcp, as_plugin=plugin, as_json=as_json)


@click.command("init")
@click.argument("harness", default=DEFAULT_HARNESS, shell_complete=complete.harnesses)
@click.option("--dry-run", is_flag=True, help="Show the exact change of the settings, and change nothing.")
@click.option("--no-mcp", is_flag=True, help="Hooks alone: the agent gets no tools.")
@as_json
@click.pass_obj
def init(app: App, *, harness: str, dry_run: bool, no_mcp: bool, as_json: bool) -> None:
    """Register wisen with a harness, claude-code when none is named: the same as `wisen install`."""
    _register(app, harness, dry_run=dry_run, no_mcp=no_mcp, as_json=as_json)


def _register(app: App, harness: str, *, dry_run: bool, no_mcp: bool, as_json: bool, as_plugin: bool = False) -> None:
    from wisen.install import claude_code, taken_out
    from wisen.install.command import shortened
    from wisen.install.registry import installer

    chosen = installer(harness)
    if not dry_run and taken_out.is_noted(app.paths, harness):
        refuse_agent(app, f"put wisen into {harness} again: its user took it out")
    plan = claude_code.plan_plugin(app.env, app.paths) if as_plugin else chosen.plan(app.env, app.paths)
    plan = replace(plan, also=()) if no_mcp else plan
    replaced = ""
    if not dry_run:
        chosen.apply(plan)
        taken_out.clear(app.paths, harness)
        replaced = _renew_daemon(app)
    if as_json:
        app.screen.json({**_plan_json(plan, applied=not dry_run), "daemon_replaced": replaced})
        return
    for line in plan.describe():
        app.screen.line(line)
    if dry_run:
        if plan.is_needed:
            diffs = [_diff(one) for one in (plan, *plan.also) if one.is_needed_here]
            app.screen.raw("\n" + shortened("\n".join(diffs)))
            app.screen.line("The line of the hooks is cut here; --json has all of it.", tone="faint")
        app.screen.line("Nothing was changed.", tone="faint")
        return
    if plan.is_needed_here:
        see = f"diff -u {quote(str(plan.backup))} " if plan.backup else "cat "
        app.screen.line(f"The exact change: {see}{quote(str(plan.before.path))}", tone="faint")
    if replaced:
        app.screen.line(f"The daemon of wisen {replaced} was replaced.")
    _say_what_next(app, as_plugin=as_plugin)


@click.command("uninstall")
@click.argument("harness", shell_complete=complete.harnesses)
@click.option("--purge", is_flag=True, help="Also erase all memories, logs and backups. Can't be undone.")
@yes
@as_json
@click.pass_obj
def uninstall(app: App, *, harness: str, purge: bool, yes: bool, as_json: bool) -> None:
    """Take wisen out of a harness again.

    The hooks go, your later edits stay, the daemon is stopped. Memories are kept unless you say --purge. A settings
    file that can't be edited is named and left; nothing is erased then, and the command can be run again.
    """
    from wisen.install import manifest, taken_out, units
    from wisen.install.purge import Purged, remove_wisen_dirs
    from wisen.install.registry import installer
    from wisen.state import failed_start

    chosen = installer(harness)
    if purge and not yes:
        _confirm_purge(app)
    was_there = manifest.names(app.paths, harness)
    report = chosen.uninstall(app.env, app.paths)
    if was_there and not report.failures:
        taken_out.note(app.paths, harness)
    report = replace(report, notes=(*report.notes, *units.uninstall_with_last(app.paths)))
    stopped = app.stop(app.paths)
    is_purged = purge and not report.failures
    if is_purged:
        failed_start.clear(app.paths)
    purged = remove_wisen_dirs(app.paths, made_dirs=report.made_dirs) if is_purged else Purged(removed=(), left=())
    if as_json:
        app.screen.json(_report_json(report, purged, stopped=stopped))
    else:
        _print_undone(app, report, purged if is_purged else None, stopped=stopped)
    if report.failures:
        raise _unfinished(report.failures, purge=purge)


def _print_undone(app: App, report: UninstallReport, purged: Purged | None, *, stopped: bool) -> None:
    _print_report(app, report, stopped=stopped)
    if purged is not None:
        _print_purged(app, purged)
    elif app.paths.data_dir.exists():
        app.screen.line(f"Your memories are still in {app.paths.data_dir}; --purge erases them.", tone="faint")


@click.command("try")
@as_json
@click.pass_context
def try_(ctx: click.Context, *, as_json: bool) -> None:
    """Replay three short sessions in a throw-away home.

    Shows what was learned, from which evidence, what was left out and why, and the exact block that the next session
    gets, with its cost. Nothing of yours is read or written.
    """
    from rich.console import Console

    from wisen.config import check_platform

    check_platform()
    from wisen.evals.tryout import main as tryout

    app: App = ctx.obj
    console = Console(width=app.screen.width, no_color=not app.screen.colour, highlight=False)
    ctx.exit(tryout(console, as_json))


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@as_json
@click.pass_obj
def completion(app: App, *, shell: str, as_json: bool) -> None:
    """Print the completion script of a shell.

    Its directory has to be there.

    \b
    first: mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
    bash:  wisen completion bash > ~/.local/share/bash-completion/completions/wisen
    zsh:   wisen completion zsh > "${fpath[1]}/_wisen"
    fish:  wisen completion fish > ~/.config/fish/completions/wisen.fish
    """  # noqa: D301 - click wants the control character
    from click.shell_completion import get_completion_class

    from wisen.cli.main import cli

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - the choice above lists what click has
    completer = found(cli, {}, "wisen", "_WISEN_COMPLETE")
    script = completer.source_template % completer.source_vars()
    if as_json:
        app.screen.json({"shell": shell, "script": script})
    else:
        app.screen.raw(script)


def _renew_daemon(app: App) -> str:
    """Replace a running daemon of another version by one of this, and return its version; "" when nothing was done."""
    from wisen import __version__
    from wisen.client import Health

    try:
        running = read(app.get("/v1/health", start=False), Health)
    except DaemonUnavailable:
        return ""
    if running.version == __version__:
        return ""
    app.stop(app.paths)
    app.get("/v1/health")
    return running.version


def _unfinished(failures: Sequence[WisenError], *, purge: bool) -> InstallError:
    """Return what is left to do, as one error."""
    kept = " Nothing was erased: the hooks there would bring wisen back." if purge else ""
    return InstallError(
        f"not taken out everywhere: {'; '.join(error.message for error in failures)}.{kept}",
        hint="correct what is named and run the command again: it does what is left",
    )


def _diff(plan: InstallPlan) -> str:
    """Return the exact change as a unified diff; with nothing around it where no copy is kept: it may hold a key."""
    before, after = (visible(data.decode(errors="backslashreplace")) for data in (plan.before.data or b"", plan.after))
    name = str(plan.before.path)
    around = 3 if plan.backup or not before else 0
    files = (name if before else "/dev/null", name)
    rows = unified_diff(before.split("\n"), after.split("\n"), *files, lineterm="", n=around)
    return "\n".join(rows)


def _say_what_next(app: App, *, as_plugin: bool) -> None:
    from wisen.install import plugin

    app.screen.line("\nNext", tone="strong")
    if as_plugin:
        app.screen.line(f"claude plugin marketplace add {quote(str(plugin.folder(app.paths)))}", indent=2)
        app.screen.line(f"claude plugin install {plugin.PLUGIN}", indent=2)
    app.screen.line("Start a new session and work as always; sessions that are open now go on without wisen.", indent=2)
    app.screen.line("State a rule in a prompt (“we use pnpm here, not npm”): the next session knows it.", indent=2)
    app.screen.line("`wisen list` shows what was learned, `wisen why --last` what the agent was given.", indent=2)
    if count := _past_sessions(app):
        what = f"`wisen learn claude-code` learns from the {many(count, 'session')} that lie here already"
        app.screen.line(f"{what} (--dry-run only shows what).", indent=2)


def _past_sessions(app: App) -> int:
    from wisen.config import home_dir
    from wisen.transcripts.claude_past import config_dir, session_files

    return len(session_files(config_dir(app.env, home_dir(app.env))))


def _confirm_purge(app: App) -> None:
    what = "--purge can't be undone"
    app.screen.need_person(what)
    app.screen.line("What wisen keeps in these directories will be erased, for every harness:")
    for place in (app.paths.data_dir, app.paths.state_dir):
        app.screen.line(str(place), indent=2)
    app.screen.confirm("Erase all memories for good?", what=what)


def _print_purged(app: App, purged: Purged) -> None:
    app.screen.line(f"Erased {many(len(purged.removed), 'file')}: all memories, logs and backups.")
    for path in purged.left:
        app.screen.line(f"Left alone, as it is not known to be wisen's: {path}")
    if app.paths.config_file.exists():
        app.screen.line(f"Your settings are still in {app.paths.config_file}.", tone="faint")


def _print_report(app: App, report: UninstallReport, *, stopped: bool) -> None:
    if not (report.files or report.failures):
        app.screen.line("wisen was not installed there.")
    for one in report.files:
        how = "deleted, as it was not there before" if one.is_deleted else "our part is out, your later edits are kept"
        app.screen.line(f"{one.file}: {'as before wisen' if one.is_as_before and not one.is_deleted else how}")
    for note in report.notes:
        app.screen.line(note)
    if stopped:
        app.screen.line("The daemon is stopped.")


def _plan_json(plan: InstallPlan, *, applied: bool) -> dict[str, object]:
    return {
        "harness": plan.harness,
        "file": str(plan.before.path),
        "needed": plan.is_needed,
        "changes": list(plan.changes),
        "command": plan.command,
        "backup": str(plan.backup) if plan.backup and plan.is_needed else None,
        "diff": _diff(plan),
        "notes": list(plan.notes),
        "applied": applied and plan.is_needed,
        "also": [_plan_json(one, applied=applied) for one in plan.also],
    }


def _report_json(report: UninstallReport, purged: Purged, *, stopped: bool) -> dict[str, object]:
    return {
        "files": [
            {"file": str(one.file), "as_before": one.is_as_before, "deleted": one.is_deleted} for one in report.files
        ],
        "failed": [error.message for error in report.failures],
        "notes": list(report.notes),
        "daemon_stopped": stopped,
        "erased": [str(path) for path in purged.removed],
        "left": [str(path) for path in purged.left],
    }


COMMANDS: Final = {"install": install, "init": init, "uninstall": uninstall, "try": try_, "completion": completion}

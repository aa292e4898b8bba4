"""Commands on the daemon: status (of wisen as a whole), daemon start, stop, restart, status and log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.answers import GraphSize, Standing, read
from wisen.cli.app import App
from wisen.cli.off import refusal, standing
from wisen.cli.options import DefaultGroup, Scope, as_json, scoped, whole_number
from wisen.cli.screen import Column
from wisen.cli.words import EXCLUDED, duration, graph_name, many, size
from wisen.errors import DaemonUnavailable, NotFound, SettingsError

if TYPE_CHECKING:
    from wisen.install.plan import HarnessStatus


@click.command("status")
@scoped
@as_json
@click.pass_obj
def status(app: App, *, scope: Scope, as_json: bool) -> None:
    """Show how wisen stands: daemon, memories, problems.

    The exit code is 7 while the settings are refused, otherwise 0.
    """
    from wisen.install.registry import HARNESSES

    answer = app.get("/v1/status", scope.place)
    found = read(answer, Standing)
    harnesses = [installer.status(app.env, app.paths) for installer in HARNESSES.values()]
    if as_json:
        registered = {one.harness: {"standing": one.standing.value, "reason": one.reason} for one in harnesses}
        app.screen.json({**answer, "harnesses": registered})
    else:
        _print_standing(app, found, harnesses)
        _print_graphs(app, found.graphs)
        for problem in found.problems[found.settings_refused :]:
            app.screen.line(f"! {problem}", tone="bad")
    if found.settings_refused:
        raise click.exceptions.Exit(SettingsError.exit_code)


def refused_settings(app: App) -> str:
    """Return what the daemon has against its settings, '' when it works with them."""
    return refusal(standing(app))


@click.group("daemon", cls=DefaultGroup)
def daemon() -> None:
    """Start, stop and watch the daemon.

    It starts by itself with the first session and leaves when nothing happens for a while. Without a command: status.
    """


@daemon.command("status")
@as_json
@click.pass_obj
def daemon_status(app: App, *, as_json: bool) -> None:
    """Show whether the daemon runs, without starting it."""
    try:
        answer = app.get("/v1/health", start=False)
    except DaemonUnavailable as error:
        if as_json:
            app.screen.json({"running": False, "reason": error.message, "log": str(app.paths.log_file)})
            return
        from wisen.client import log_tail

        app.screen.line(f"Not running: {error.message}")
        last = "".join(log_tail(app.paths, 1))
        app.screen.fields([("socket", str(app.paths.socket)), ("log", str(app.paths.log_file)), ("its end", last)])
        return
    if as_json:
        app.screen.json({"running": True, **answer})
        return
    _print_health(app, answer)


@daemon.command("start")
@as_json
@click.pass_obj
def start(app: App, *, as_json: bool) -> None:
    """Start the daemon unless it runs."""
    _say_started(app, as_json=as_json)


@daemon.command("stop")
@as_json
@click.pass_obj
def stop(app: App, *, as_json: bool) -> None:
    """Stop the daemon. The next session starts it again."""
    stopped = app.stop(app.paths)
    if as_json:
        app.screen.json({"stopped": stopped})
        return
    app.screen.line("Stopped." if stopped else "It was not running.")


@daemon.command("restart")
@as_json
@click.pass_obj
def restart(app: App, *, as_json: bool) -> None:
    """Stop the daemon and start it afresh."""
    app.stop(app.paths)
    _say_started(app, as_json=as_json)


@daemon.command("log")
@click.option(
    "-n", "--lines", type=whole_number, default=50, show_default=True, metavar="N", help="The last so many lines."
)
@as_json
@click.pass_obj
def log(app: App, *, lines: int, as_json: bool) -> None:
    """Print the end of the daemon's log."""
    from wisen.client import log_tail

    file = app.paths.log_file
    last = log_tail(app.paths, lines)
    if not last:
        raise NotFound(f"there is no log yet: {file}", hint="`wisen daemon start` starts the daemon")
    if as_json:
        app.screen.json({"path": str(file), "lines": last})
        return
    for line in last:
        app.screen.line(line)


def _say_started(app: App, *, as_json: bool) -> None:
    answer = app.get("/v1/health")
    refusal = refused_settings(app)
    if as_json:
        app.screen.json({**answer, "settings_refused": bool(refusal)})
        return
    _print_health(app, answer)
    if refusal:
        app.screen.line(f"! {refusal}", tone="bad")


def _print_health(app: App, answer: object) -> None:
    from wisen.client import Health

    health = read(answer, Health)
    app.screen.line(
        f"Running (process {health.pid}, version {health.version}){'' if health.ready else ', not ready yet'}."
    )
    app.screen.fields([("socket", str(app.paths.socket)), ("log", str(app.paths.log_file))])


def _print_standing(app: App, found: Standing, harnesses: Sequence[HarnessStatus]) -> None:
    app.screen.line(f"wisen {found.version}", tone="strong")
    if found.settings_refused:
        app.screen.line(f"! {refusal(found)}", tone="bad")
        app.screen.line("`wisen config path` names the file; then `wisen daemon restart`.", tone="bad", indent=2)
    jobs = found.jobs
    waiting = (
        f"{many(found.waiting_review, 'memory', 'memories')}: `wisen review`" if found.waiting_review else "nothing"
    )
    others = [graph_name(graph) for graph in found.repo.reads if graph != found.repo.write]
    app.screen.fields(
        [
            ("daemon", f"process {found.pid}, up {duration(found.uptime_s)}, at most {found.peak_rss_mb:.0f} MB"),
            *((one.harness, _registration(one)) for one in harnesses),
            ("data", found.data_dir),
            ("here", f"{graph_name(found.repo.write) if found.repo.write else 'no project'} ({found.repo.standing})"),
            ("reads also", ", ".join(others)),
            ("excluded", EXCLUDED if found.repo.excluded else ""),
            ("note", found.repo.note),
            ("to review", waiting),
            ("sessions", f"{found.sessions:,}"),
            ("jobs", f"{jobs.queued} queued, {jobs.running} running, {jobs.failed} failed"),
            ("counters", ", ".join(f"{name} {count:,}" for name, count in sorted(found.counters.items()))),
        ]
    )


def _registration(status: HarnessStatus) -> str:
    """Return how wisen is registered with a harness, and what to do when it is not as it should be."""
    standing = f"{status.standing.value}{f': {status.reason}' if status.reason else ''}"
    return standing if status.standing.value == "installed" else f"{standing} (`wisen install {status.harness}`)"


def _print_graphs(app: App, graphs: Sequence[GraphSize]) -> None:
    if not graphs:
        app.screen.line("No memories yet: wisen learns from the rules you state in a session.", tone="faint")
        return
    app.screen.line()
    columns = [
        Column(name="graph", flexible=True),
        Column(name="active", numeric=True),
        Column(name="waiting", numeric=True),
        Column(name="other", numeric=True),
        Column(name="size", numeric=True),
    ]
    app.screen.table(columns, [_graph_row(graph) for graph in graphs])


def _graph_row(graph: GraphSize) -> list[str]:
    active, waiting = graph.by_status.get("active", 0), graph.by_status.get("pending_review", 0)
    other = sum(graph.by_status.values()) - active - waiting
    return [graph.graph, f"{active:,}", f"{waiting:,}", f"{other:,}", size(graph.bytes_on_disk)]


COMMANDS: Final = {"status": status, "daemon": daemon}

"""Commands on the daemon: status (of wisen as a whole), daemon start, stop, restart, status and log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from wisen.cli.answers import GraphSize, Growth, Sizes, Standing, read
from wisen.cli.app import App
from wisen.cli.graphs import size_columns, size_row
from wisen.cli.off import reasons, refusal, standing
from wisen.cli.options import DefaultGroup, Scope, as_json, scoped, whole_number
from wisen.cli.words import ago, duration, graph_name, many, pause_in_words, size, stamp
from wisen.errors import DaemonUnavailable, InstallError, NotFound, SettingsError

if TYPE_CHECKING:
    from wisen.install.plan import HarnessStatus


@click.command("status")
@scoped
@as_json
@click.pass_obj
def status(app: App, *, scope: Scope, as_json: bool) -> None:
    """Show how wisen stands: daemon, memories, problems.

    The exit code is 7 while the settings are refused, 8 while hooks are registered that can't work, otherwise 0.
    `wisen doctor` looks deeper. What is off, by a pause, a setting or in this shell, is said.
    """
    from wisen.install.registry import HARNESSES

    harnesses = [installer.status(app.env, app.paths) for installer in HARNESSES.values()]
    try:
        answer = app.get("/v1/status", scope.place)
    except DaemonUnavailable:
        if not as_json:
            _print_without_daemon(app, harnesses)
        raise
    found = read(answer, Standing)
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
    if any(one.standing.value == "broken" for one in harnesses):
        raise click.exceptions.Exit(InstallError.exit_code)


def refused_settings(app: App) -> str:
    """Return what the daemon has against its settings, '' when it works with them."""
    return refusal(standing(app))


@click.group("daemon", cls=DefaultGroup)
def daemon() -> None:
    """Start, stop and watch the daemon.

    It starts by itself with the first session and leaves when nothing happens for a while. Without a command: status.
    `wisen start`, `stop`, `restart`, `health` and `logs` are the same commands.
    """


@daemon.command("status")
@as_json
@click.pass_obj
def daemon_status(app: App, *, as_json: bool) -> None:
    """Show whether the daemon runs, without starting it.

    The exit code is 10 when one runs and does not answer.
    """
    from wisen.cli.doctor import ANSWER_S

    try:
        answer = app.get("/v1/health", start=False, timeout_s=ANSWER_S)
    except DaemonUnavailable as error:
        _say_unanswered(app, error, as_json=as_json)
        return
    if as_json:
        app.screen.json({"running": True, **answer})
        return
    _print_health(app, answer)


def _say_unanswered(app: App, error: DaemonUnavailable, *, as_json: bool) -> None:
    """Tell that none runs, or that the one that does is silent: its lock says which."""
    from wisen.client import Place, log_tail

    place, reason, file = Place.holding(app.paths.lock_file), error.message, str(app.paths.log_file)
    if as_json:
        app.screen.json({"running": place is not None, "answers": False, "reason": reason, "log": file})
    else:
        silent = f"Process {place.pid} runs and does not answer" if place else "Not running"
        app.screen.line(f"{silent}: {reason}", tone="bad" if place else "plain")
        last = "".join(log_tail(app.paths, 1))
        app.screen.fields([("socket", str(app.paths.socket)), ("log", file), ("its end", last)])
        if place:
            app.screen.line("`wisen daemon restart` ends it and starts another.")
    if place:
        raise click.exceptions.Exit(DaemonUnavailable.exit_code)


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
    for reason in reasons(app, found) if not found.settings_refused else ():
        app.screen.line(f"! {reason}", tone="bad")
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
            *((one.harness, _registration(app, one, found)) for one in _of_interest(harnesses)),
            ("paused", "; ".join(pause_in_words(one.place, one.graph, one.until, app.now()) for one in found.paused)),
            ("data", found.data_dir),
            ("here", _here(found)),
            ("reads also", ", ".join(others)),
            ("note", "" if found.repo.excluded else found.repo.note),
            ("to review", waiting),
            ("search", _search(found)),
            ("sessions", f"{found.sessions:,}"),
            ("raw events", _raw_events(app, found)),
            ("on disk", _on_disk(found.sizes)),
            ("jobs", f"{jobs.queued} queued, {jobs.running} running, {jobs.failed} failed"),
            ("so far", "; ".join(found.counted)),
        ]
    )


def _print_without_daemon(app: App, harnesses: Sequence[HarnessStatus]) -> None:
    """Tell what can be known of wisen when no daemon can tell it; the error that follows says why."""
    from wisen import __version__
    from wisen.client import Place
    from wisen.state import sizes

    place = Place.holding(app.paths.lock_file)
    taken = sizes.measure(app.paths)
    app.screen.line(f"wisen {__version__}", tone="strong")
    app.screen.fields(
        [
            ("daemon", f"process {place.pid} does not answer" if place else "none runs, and none can be started"),
            *((one.harness, _registration(app, one, None)) for one in _of_interest(harnesses)),
            ("data", str(app.paths.data_dir)),
            ("on disk", size(taken.total) if taken.total else ""),
        ]
    )
    app.screen.line("`wisen doctor` looks at the rest without a daemon.")


def _of_interest(harnesses: Sequence[HarnessStatus]) -> Sequence[HarnessStatus]:
    """Return the harnesses that have wisen, or all while none has."""
    return [one for one in harnesses if one.standing.value != "not installed"] or harnesses


def _search(found: Standing) -> str:
    """Return by what memories are found."""
    search = found.search
    if not search.model:
        return f"by words alone: {search.state}" if search.state else ""
    waiting = f"; {many(search.waiting, 'memory has', 'memories have')} no vector yet" if search.waiting else ""
    return f"by words and by meaning: {search.model}{f', {search.state}' if search.state else ''}{waiting}"


def _here(found: Standing) -> str:
    """Return which project this directory is."""
    if found.repo.excluded:
        return "an excluded directory"
    return f"{graph_name(found.repo.write) if found.repo.write else 'no project'} ({found.repo.standing})"


def _registration(app: App, status: HarnessStatus, found: Standing | None) -> str:
    """Return how wisen is registered with a harness, and what to do when it is not as it should be."""
    standing = f"{status.standing.value}{f': {status.reason}' if status.reason else ''}"
    if status.standing.value != "installed":
        return f"{standing} ({status.next_step or f'`wisen install {status.harness}`'})"
    if found is None:
        return standing
    at = found.heard.get(status.harness)
    return f"{standing}, last heard {ago(at, app.now())}" if at else f"{standing}, never heard yet"


def _raw_events(app: App, found: Standing) -> str:
    """Return how long what was said is kept word by word, and since when the oldest of it is."""
    if not found.retention_days:
        return ""
    kept = f"kept {many(found.retention_days, 'day')} after they were learned from"
    return f"{kept}; the oldest is of {stamp(found.oldest_event_at, app.now())}" if found.oldest_event_at else kept


def _on_disk(sizes: Sizes) -> str:
    """Return how much room wisen takes, by part, and how fast that grows."""
    if not sizes.total:
        return ""
    parts = ", ".join(f"{name} {size(taken)}" for name, taken in sizes.parts.items() if taken)
    grown = sizes.growth
    return f"{size(sizes.total)} ({parts}); {_growth(grown) if grown else 'growth is known after a day'}"


def _growth(grown: Growth) -> str:
    sign = "-" if grown.bytes_a_day < 0 else "+"
    return f"{sign}{size(round(abs(grown.bytes_a_day)))} a day over {many(grown.days, 'day')}"


def _print_graphs(app: App, graphs: Sequence[GraphSize]) -> None:
    if not graphs:
        app.screen.line("No memories yet: wisen learns from the rules you state in a session.", tone="faint")
        return
    app.screen.line()
    app.screen.table(size_columns(), [size_row(graph) for graph in graphs])


COMMANDS: Final = {
    "status": status,
    "daemon": daemon,
    "start": start,
    "stop": stop,
    "restart": restart,
    "logs": log,
    "health": daemon_status,
}

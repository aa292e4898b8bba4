"""The daemon itself: health, status, mending, stop."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

from wisen import __version__
from wisen.client import PROTOCOL
from wisen.core.counters import in_words
from wisen.core.pauses import in_force
from wisen.daemon import spool
from wisen.daemon.routes.call import Call, Handler, Reply, scope_of, where_of
from wisen.daemon.views import identity_view, pause_view, sizes_view
from wisen.engine.health import last_heard
from wisen.engine.inspect import Overview
from wisen.errors import SettingsError
from wisen.state import pausing, sizes


def health(call: Call) -> Reply:  # noqa: ARG001 -- every handler takes the call
    """Say who answers."""
    return Reply(content={"version": __version__, "pid": os.getpid(), "ready": True, "protocol": PROTOCOL})


def shutdown(call: Call) -> Reply:
    """Stop after this answer."""
    call.services.on_shutdown()
    return Reply(content={})


def status(call: Call) -> Reply:
    """Show sizes, counts and problems, and what a directory reads and writes."""
    overview = call.wisen.inspect.overview()
    wrong = list(_troubles(call, overview))
    counters = dict(overview.counters) | _spool_counters(call)
    scope = scope_of(call, where_of(call))
    cwd, now = where_of(call).cwd, call.wisen.clock.now()
    oldest, taken = call.wisen.control.oldest_event_at(), sizes.measure(call.wisen.paths)
    return Reply(
        content={
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - call.services.started, 1),
            "peak_rss_mb": peak_rss_mb(),
            "data_dir": str(call.wisen.paths.data_dir),
            "graphs": [
                {
                    "graph": str(stats.graph),
                    "by_status": dict(stats.by_status),
                    "bytes_on_disk": stats.bytes_on_disk,
                    "journal_entries": stats.journal_entries,
                }
                for stats in overview.graphs
            ],
            "counters": counters,
            "counted": [in_words(name, count) for name, count in sorted(counters.items()) if count],
            "jobs": dict(overview.jobs),
            "sessions": overview.sessions,
            "repo": identity_view(scope.identity) | _switches(call, cwd),
            "paused": [pause_view(pause) for pause in in_force(call.wisen.locator.pauses(), now)],
            "heard": {name: at.isoformat() for name, at in last_heard(call.wisen.control.sessions()).items()},
            "oldest_event_at": oldest.isoformat() if oldest else None,
            "retention_days": call.wisen.settings.retention_days,
            "sizes": sizes_view(taken, sizes.growth(call.wisen.paths, now, total=taken.total)),
            "settings_refused": bool(call.services.in_force.problems),
            "learn": call.wisen.settings.learn,
            "recall": call.wisen.settings.recall,
            "waiting_review": overview.waiting_review,
            "search": _search(call),
            "troubles": wrong,
            "problems": [trouble["what"] for trouble in wrong],
        }
    )


def _search(call: Call) -> dict[str, str | int]:
    """Tell by what is searched: the model or why there is none, and how many memories have a vector of it."""
    embedders = call.wisen.embedders
    space, progress = embedders.space(), call.wisen.embed.progress()
    return {
        "model": str(space) if space else "",
        "state": embedders.state(),
        "embedded": sum(graph.done for graph in progress),
        "waiting": sum(graph.waiting for graph in progress),
    }


def troubles(call: Call) -> Reply:
    """Tell what the daemon itself can't do, and use nothing that is kept: what is damaged is mended when it is met."""
    return Reply(content={"troubles": list(of_the_daemon(call))})


def _troubles(call: Call, overview: Overview) -> Iterator[dict[str, str | None]]:
    """Yield what is wrong: of what, in words, and since when if that is known; refused settings come first."""
    yield from of_the_daemon(call)
    for problem in overview.problems:
        yield {"of": "data", "what": problem, "since": None}


def of_the_daemon(call: Call) -> Iterator[dict[str, str | None]]:
    """Yield what the daemon itself can't do: settings, work, scanner, pause, spool."""
    services = call.services
    for problem in services.in_force.problems:
        yield {"of": "settings", "what": problem, "since": None}
    for trouble in (*services.worker.troubles(), *services.embedding.troubles()):
        yield {"of": "work", "what": trouble.why, "since": trouble.since.isoformat() if trouble.since else None}
    if problem := services.mcp_trouble():
        yield {"of": "work", "what": problem, "since": None}
    for problem in call.wisen.redactor.problems():
        yield {"of": "scanner", "what": problem, "since": None}
    with suppress(SettingsError):  # a record that can't be read is a pause
        if stray := pausing.strays(call.wisen.paths, call.wisen.clock.now()):
            yield {"of": "pause", "what": f"{stray}; `wisen doctor` says what helps", "since": None}
    if damaged := spool.damaged(call.wisen.paths.spool_dir):
        what = f"{damaged} spooled events can't be read; they are kept in {call.wisen.paths.spool_dir}"
        yield {"of": "spool", "what": what, "since": None}


def mend(call: Call) -> Reply:
    """Use everything that is kept, so that what is damaged is set aside and an index that is wrong is made anew."""
    call.wisen.control.check()
    call.wisen.graphs.check()
    return Reply(content={})


def _switches(call: Call, cwd: str) -> dict[str, bool]:
    """Return whether the user has wisen off in a directory, for good or for now."""
    locator = call.wisen.locator
    return {
        "excluded": bool(cwd) and locator.is_excluded(cwd),
        "paused": locator.is_paused(cwd, call.wisen.clock.now()),
    }


def _spool_counters(call: Call) -> dict[str, int]:
    dropped = spool.dropped(call.wisen.paths.spool_dir)
    return {"spool_dropped": dropped} if dropped else {}


def peak_rss_mb() -> float:
    """Return the most memory this process has held, in MB; Linux counts in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/health", health),
    ("POST", "/v1/shutdown", shutdown),
    ("GET", "/v1/status", status),
    ("GET", "/v1/troubles", troubles),
    ("POST", "/v1/mend", mend),
]

"""The daemon itself: health, status, stop."""

from __future__ import annotations

import os
import resource
import sys
import time

from wisen import __version__
from wisen.daemon import spool
from wisen.daemon.routes.call import Call, Handler, Reply, scope_of, where_of
from wisen.daemon.views import identity_view

PROTOCOL = 1


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
    scope = scope_of(call, where_of(call))
    cwd = where_of(call).cwd
    return Reply(
        content={
            "version": __version__,
            "pid": os.getpid(),
            "uptime_s": round(time.monotonic() - call.services.started, 1),
            "peak_rss_mb": _peak_rss_mb(),
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
            "counters": dict(overview.counters),
            "jobs": dict(overview.jobs),
            "sessions": overview.sessions,
            "repo": identity_view(scope.identity) | {"excluded": bool(cwd) and call.wisen.locator.is_excluded(cwd)},
            "settings_refused": bool(call.services.in_force.problems),
            "learn": call.wisen.settings.learn,
            "recall": call.wisen.settings.recall,
            "waiting_review": overview.waiting_review,
            "problems": [
                *call.services.in_force.problems,
                *call.services.worker.problems(),
                *overview.problems,
                *_spool_problems(call),
            ],
        }
    )


def _spool_problems(call: Call) -> list[str]:
    damaged = spool.damaged(call.wisen.paths.spool_dir)
    return [f"{damaged} spooled events can't be read; they are kept in {call.wisen.paths.spool_dir}"] if damaged else []


def _peak_rss_mb() -> float:
    """Return the most memory this process has held, in MB; Linux counts in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak * (1 if sys.platform == "darwin" else 1024) / 1e6, 1)


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/health", health),
    ("POST", "/v1/shutdown", shutdown),
    ("GET", "/v1/status", status),
]

"""Which repository a directory is, settling a rewritten history, and graphs as a whole."""

from __future__ import annotations

from collections import Counter

from wisen.adapters.registry import adapter
from wisen.core.recalls import MemoryFilter
from wisen.core.types import GraphId, Status
from wisen.daemon.routes.call import Call, Handler, Reply, Where, scope_of, where_of
from wisen.daemon.views import repo_view
from wisen.errors import NotFound, UsageError


def repo(call: Call) -> Reply:
    """Show a directory's identity."""
    return _view(call, where_of(call))


def trust(call: Call) -> Reply:
    """Accept this clone's root as the remote's."""
    where = call.body(Where)
    call.wisen.locator.trust(where.harness, _cwd(where))
    return _view(call, where)


def _view(call: Call, where: Where) -> Reply:
    facts = call.wisen.locator.facts(_cwd(where))
    excluded = call.wisen.locator.is_excluded(where.cwd)
    return Reply(content=repo_view(call.wisen.locator.judge(where.harness, facts), facts) | {"excluded": excluded})


def _cwd(where: Where) -> str:
    adapter(where.harness)
    if not where.cwd:
        raise UsageError("cwd is missing: which directory?")
    return where.cwd


class RemoveBody(Where, frozen=True, kw_only=True):
    """Which graph is to go; with `purge`, what was said for its memories is erased as well."""

    purge: bool = False


def graph_stats(call: Call) -> Reply:
    """Show what one graph holds, counted by every property that tells its memories apart."""
    graph = _graph(call, where_of(call))
    store = call.wisen.graphs.existing(graph)
    if store is None:
        raise NotFound(f"there is no graph {graph}", hint="`wisen graphs` lists them")
    stats, found = store.stats(), store.list(MemoryFilter(statuses=frozenset(Status)), limit=_EVERY)
    created = [memory.created_at for memory in found]
    return Reply(
        content={
            "graph": str(graph),
            "by_status": dict(stats.by_status),
            "by_kind": Counter(memory.kind.value for memory in found),
            "by_source": Counter(memory.source.value if memory.source else "unknown" for memory in found),
            "pinned": sum(memory.pinned for memory in found),
            "uses": sum(memory.uses for memory in found),
            "oldest": min(created).isoformat() if created else None,
            "newest": max(created).isoformat() if created else None,
            "bytes_on_disk": stats.bytes_on_disk,
            "journal_entries": stats.journal_entries,
        }
    )


def remove_graph(call: Call) -> Reply:
    """Delete a graph for good. Whoever asks has made a backup first, or means it."""
    body = call.body(RemoveBody)
    graph = _graph(call, body)
    purged = [m.memory_id for m in call.wisen.inspect.memories([graph], limit=_EVERY)] if body.purge else []
    still_in = [str(path) for path in call.wisen.curate.purge(graph, *purged)] if purged else []
    if not call.wisen.graphs.remove(graph):
        raise NotFound(f"there is no graph {graph}", hint="`wisen graphs` lists them")
    return Reply(content={"graph": str(graph), "purged": len(purged), "still_in": still_in})


def _graph(call: Call, where: Where) -> GraphId:
    if not where.graph:
        raise UsageError("graph is missing: which one?")
    (graph,) = scope_of(call, where, even_excluded=True).graphs
    return graph


_EVERY = 1_000_000

ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/repo", repo),
    ("POST", "/v1/repo/trust", trust),
    ("GET", "/v1/graphs/stats", graph_stats),
    ("POST", "/v1/graphs/remove", remove_graph),
]

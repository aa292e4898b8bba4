"""Which repository a directory is, and settling a rewritten history."""

from __future__ import annotations

from wisen.adapters.registry import adapter
from wisen.daemon.routes.call import Call, Handler, Reply, Where, where_of
from wisen.daemon.views import repo_view
from wisen.errors import UsageError


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


ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/v1/repo", repo),
    ("POST", "/v1/repo/trust", trust),
]

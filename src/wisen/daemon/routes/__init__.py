"""HTTP routes: a few lines each, calling the engine."""

from __future__ import annotations

from starlette.routing import Route

from wisen.daemon.routes import changes, data, hooks, learning, mcp, memories, recalls, repos, system
from wisen.daemon.routes.agents import guarded
from wisen.daemon.routes.call import Services, route


def all_routes(services: Services) -> list[Route]:
    """Return every route of the daemon. Raises KeyError for one of which it is not said what an agent may."""
    families = (system, hooks, memories, changes, recalls, repos, data, learning, mcp)
    table = [entry for family in families for entry in family.ROUTES]
    return [route(services, method, path, guarded(f"{method} {path}", handler)) for method, path, handler in table]

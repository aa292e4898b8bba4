"""HTTP routes: a few lines each, calling the engine."""

from __future__ import annotations

from starlette.routing import Route

from wisen.daemon.routes import hooks, memories, recalls, repos, system
from wisen.daemon.routes.call import Services, route


def all_routes(services: Services) -> list[Route]:
    """Return every route of the daemon."""
    table = [*system.ROUTES, *hooks.ROUTES, *memories.ROUTES, *recalls.ROUTES, *repos.ROUTES]
    return [route(services, method, path, handler) for method, path, handler in table]

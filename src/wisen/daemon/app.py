"""The daemon's HTTP application: a composed wisen, its worker, and the routes over both."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from wisen import __version__
from wisen.compose import real_parts
from wisen.config import Paths
from wisen.daemon.embedding import EmbeddingThread
from wisen.daemon.in_force import Fixed, InForce
from wisen.daemon.jobs import Worker
from wisen.daemon.notices import NAME, Notices, Trouble
from wisen.daemon.routes import all_routes
from wisen.daemon.routes.call import Services, no_such_route
from wisen.state import failed_start

if TYPE_CHECKING:
    from wisen.daemon.mcp_http import McpHttp

log = logging.getLogger(__name__)


class App:
    """What the server runs. `close` lets go of each part even if another fails."""

    def __init__(self, services: Services, mcp_http: McpHttp | None = None) -> None:
        self.services = services
        self.mcp_http = mcp_http
        self.asgi = Starlette(routes=all_routes(services), exception_handlers={HTTPException: no_such_route})

    def close(self) -> None:
        """Stop the worker, then close the stores."""
        with ExitStack() as stack:
            stack.callback(self.services.in_force.close)
            stack.callback(self.services.worker.close)
            stack.callback(self.services.embedding.close)
            if self.mcp_http is not None:
                stack.callback(self.mcp_http.close)


def build_app(
    in_force: InForce | Fixed,
    *,
    on_shutdown: Callable[[], None],
    hears: Callable[[str], bool] = lambda _: True,
    lost: Callable[[], str] = lambda: "",
) -> App:
    """Return the application, its worker running.

    `hears` tells whether the hooks of a harness are to be heard, `lost` why nothing may be answered any more.
    """
    where, port = in_force.wisen.paths, in_force.wisen.settings.mcp_port
    mcp_http = _mcp_http() if port else None
    failed = failed_start.read(where)
    services = Services(
        in_force=in_force,
        worker=Worker(in_force),
        embedding=EmbeddingThread(lambda: in_force.wisen.embed),
        on_shutdown=on_shutdown,
        started=time.monotonic(),
        hears=hears,
        notices=Notices(
            where.state_dir / NAME,
            over=Trouble(kind="start", why=failed.message, since=failed.since, says=_STARTED) if failed else None,
            when_told=partial(failed_start.clear, where),
        ),
        lost=lost,
        mcp_trouble=lambda: mcp_http.trouble if mcp_http is not None else "",
    )
    if mcp_http is not None:
        mcp_http.start(services, port, where.state_dir)
    services.worker.start()
    in_force.wisen.graphs.on_change(services.embedding.wake)
    services.embedding.start()
    log.info("ready", extra={"version": __version__, "pid": os.getpid()})
    return App(services, mcp_http)


def _mcp_http() -> McpHttp:
    from wisen.daemon.mcp_http import McpHttp  # noqa: PLC0415 - most do without

    return McpHttp()


_STARTED: Final = "runs again, and could not start"


def real_app(
    paths: Paths, *, on_shutdown: Callable[[], None], hears: Callable[[str], bool], lost: Callable[[], str]
) -> App:
    """Return the application over the user's own files."""
    in_force = InForce(paths, real_parts(paths, os.environ), os.environ)
    return build_app(in_force, on_shutdown=on_shutdown, hears=hears, lost=lost)

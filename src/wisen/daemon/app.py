"""The daemon's HTTP application: a composed wisen, its worker, and the routes over both."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import ExitStack

from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from wisen import __version__
from wisen.compose import Wisen, compose
from wisen.config import Paths, Settings
from wisen.daemon.jobs import Worker
from wisen.daemon.routes import all_routes
from wisen.daemon.routes.call import Services, no_such_route

log = logging.getLogger(__name__)


class App:
    """What the server runs. `close` lets go of each part even if another fails."""

    def __init__(self, services: Services, worker: Worker) -> None:
        self.services = services
        self._worker = worker
        self.asgi = Starlette(routes=all_routes(services), exception_handlers={HTTPException: no_such_route})

    def close(self) -> None:
        """Stop the worker, then close the stores."""
        with ExitStack() as stack:
            stack.callback(self.services.wisen.close)
            stack.callback(self._worker.close)


def build_app(
    paths: Paths,
    settings: Settings,
    *,
    on_shutdown: Callable[[], None],
    wisen: Wisen | None = None,
    problems: tuple[str, ...] = (),
    hears: Callable[[str], bool] = lambda _: True,
) -> App:
    """Return the application over the user's files (or over `wisen`), its worker running.

    `problems` are what is wrong with the settings: with any, the defaults are in force and nothing is learned.
    `hears` tells whether the hooks of a harness are to be heard.
    """
    wisen = wisen or compose(paths, settings, env=os.environ)
    worker = Worker(wisen)
    services = Services(
        wisen=wisen,
        worker=worker,
        on_shutdown=on_shutdown,
        started=time.monotonic(),
        problems=problems,
        settings_refused=bool(problems),
        hears=hears,
    )
    worker.start()
    log.info("ready", extra={"version": __version__, "pid": os.getpid()})
    return App(services, worker)

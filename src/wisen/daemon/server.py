"""HTTP on the daemon's socket: answers this user's processes and nobody else's, and knows how long nobody asked."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from wisen.peer import is_ours

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

log = logging.getLogger(__name__)

_GRACE_S: Final = 2  # for requests that run when the daemon stops; hooks have given up long before
_TICKS_PER_UPKEEP: Final = 50  # uvicorn ticks ten times a second


class Activity:
    """Counts requests: how many run, and since when none does."""

    def __init__(self, asgi: ASGIApp) -> None:
        self._asgi = asgi
        self._running = 0
        self._last = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        self._running += 1
        try:
            await self._asgi(scope, receive, send)
        finally:
            self._running -= 1
            self._last = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Seconds since the last request ended; 0 while one runs."""
        return 0.0 if self._running else time.monotonic() - self._last


class OwnUserProtocol(H11Protocol):
    """HTTP/1.1 with this user's processes; the file mode keeps others out, this is the second lock."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Hang up on a stranger before a byte is read."""
        super().connection_made(transport)
        if not is_ours(transport.get_extra_info("socket")):
            log.warning("a process of another user connected; closed")
            transport.abort()


class _Server(uvicorn.Server):
    """Uvicorn's server, which also looks at our reasons to stop."""

    def __init__(self, config: uvicorn.Config, reason: Callable[[], str], upkeep: Callable[[], None]) -> None:
        super().__init__(config)
        self._reason = reason
        self._upkeep = upkeep

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop."""
        if counter % _TICKS_PER_UPKEEP == 0:
            self._upkeep()
        return await super().on_tick(counter) or bool(self._reason())


def serve(
    listener: socket.socket,
    asgi: ASGIApp,
    *,
    stop: threading.Event,
    is_reachable: Callable[[], bool] = lambda: True,
    idle_exit_s: float = float("inf"),
    upkeep: Callable[[], None] = lambda: None,
) -> str:
    """Serve on a listening socket and return why that ended. Closes the socket."""
    activity = Activity(asgi)

    def reason() -> str:
        if stop.is_set():
            return "asked to"
        if activity.idle_s > idle_exit_s:
            return f"idle for {idle_exit_s:g} s"
        return "" if is_reachable() else "the socket is gone"

    config = uvicorn.Config(
        activity,
        http=OwnUserProtocol,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    _Server(config, reason, upkeep).run(sockets=[listener])
    return reason() or "asked to"
